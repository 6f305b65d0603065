//! Plots of a run, compared with Plummer's model.

use std::error::Error;
use std::fs;
use std::path::Path;

use nbody_plots::{Axis, Curve, Figure};

use crate::measure::Shells;
use crate::{FRACTIONS, Measured, PLOTTED, geometric, model};

/// Points of a curve.
const POINTS: u32 = 200;

/// Names of the axes.
const TIME: &str = "time (N-body units)";
const DISTANCE: &str = "distance from the centre (N-body units)";

impl Measured {
    /// Draws density.svg, dispersion.svg, lagrange.svg and energy.svg.
    pub fn draw(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let density = Axis::logarithmic("density (N-body units)").within(1e-6..5.0);
        let density = self.profile("Density", density, Shells::density, model::density);
        let dispersion = "velocity dispersion along an axis (N-body units)";
        let dispersion = Axis::linear(dispersion).within(0.0..0.7);
        let dispersion =
            self.profile("Velocity dispersion", dispersion, Shells::dispersion, model::dispersion);
        for (name, figure) in [
            ("density.svg", density),
            ("dispersion.svg", dispersion),
            ("lagrange.svg", self.radii_in_time()),
            ("energy.svg", self.energy_in_time()),
        ] {
            fs::write(folder.join(name), figure.svg()?)?;
        }
        Ok(())
    }

    /// Returns the plot of a profile with the model and its scatter.
    fn profile(
        &self,
        title: &str,
        axis: Axis,
        measure: fn(&Shells) -> Vec<f64>,
        model: fn(f64) -> f64,
    ) -> Figure {
        let middles = || self.plotted.radii().map(|[inner, outer]| (inner * outer).sqrt());
        let measured = middles().zip(measure(&self.plotted));
        let scatter = self.random.scatter(|sphere| measure(&self.plotted.of_one(sphere)));
        let bounds = |(r, deviation): (f64, f64)| {
            // The lower bound is positive on a logarithmic axis.
            (r, [(model(r) - deviation).max(1e-6), model(r) + deviation])
        };
        // Leave out shells in which a sphere has no stars.
        let scatter = middles().zip(scatter).filter(|(_, deviation)| deviation.is_finite());
        let curve = geometric(PLOTTED, POINTS).map(|r| (r, model(r)));
        let (stars, end) = (self.stars, self.end().time);
        let title = format!("{title} of {stars} stars, mean from time 0 to {end}");
        Figure::new(title, Axis::logarithmic(DISTANCE).within(PLOTTED), axis)
            .band("scatter between random spheres (1 σ)", scatter.map(bounds).collect())
            .curve(Curve::model("Plummer's model", curve.collect()))
            .curve(Curve::points("measured", measured.collect()))
    }

    /// Returns the plot of the Lagrangian radii, with the model's as dashed lines.
    fn radii_in_time(&self) -> Figure {
        let end = self.end().time;
        let most = (FRACTIONS.len() - 1) as f64;
        let curves = FRACTIONS.into_iter().enumerate().map(|(k, fraction)| {
            let points = self.samples.iter().map(|it| (it.time, it.radii[k])).collect();
            let name = format!("{:.0}% of the mass", 100.0 * fraction);
            Curve::line(name, points).without_marks().at(k as f64 / most)
        });
        let model = FRACTIONS.map(|fraction| {
            let radius = model::radius(fraction);
            Curve::model("", vec![(0.0, radius), (end, radius)])
        });
        let title = format!("Lagrangian radii of {} stars", self.stars);
        let y = Axis::logarithmic("radius (N-body units)").within(0.05..5.0);
        Figure::new(title, Axis::linear(TIME), y)
            .caption("Dashed: Plummer's model.")
            .curves(model)
            .curves(curves)
    }

    /// Returns the plot of the error of the energy.
    fn energy_in_time(&self) -> Figure {
        let title = format!("Error of the energy of {} stars", self.stars);
        Figure::new(title, Axis::linear(TIME), Axis::logarithmic("|E - E(0)| / |E(0)|"))
            .curve(Curve::points("error", self.energy_errors().collect()))
    }
}
