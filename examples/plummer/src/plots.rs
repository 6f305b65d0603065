//! Plots of a run, compared with Plummer's model.

use std::error::Error;
use std::path::Path;

use plotters::coord::ranged1d::Ranged as _;

use crate::axis::Axis;
use crate::chart::Chart;
use crate::measure::Shells;
use crate::{FRACTIONS, Measured, PLOTTED, geometric, model};

/// Points of a curve.
const POINTS: u32 = 200;

impl Measured {
    /// Draws density.svg, dispersion.svg, lagrange.svg and energy.svg.
    pub fn draw(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let names = ["Density", "density (N-body units)"];
        self.profile(names, Axis::logarithmic(1e-6..5.0), Shells::density, model::density)
            .write(&folder.join("density.svg"))?;
        let names = ["Velocity dispersion", "velocity dispersion along an axis (N-body units)"];
        self.profile(names, Axis::linear(0.7), Shells::dispersion, model::dispersion)
            .write(&folder.join("dispersion.svg"))?;
        self.radii_in_time().write(&folder.join("lagrange.svg"))?;
        self.energy_in_time().write(&folder.join("energy.svg"))
    }

    /// Returns the plot of a profile, with a title and the name of its axis, with the model and
    /// its scatter.
    fn profile(
        &self,
        [title, y]: [&'static str; 2],
        axis: Axis,
        measure: fn(&Shells) -> Vec<f64>,
        model: fn(f64) -> f64,
    ) -> Chart {
        let middles = || self.plotted.radii().map(|[inner, outer]| (inner * outer).sqrt());
        let measured = middles().zip(measure(&self.plotted));
        let scatter = self.random.scatter(|sphere| measure(&self.plotted.of_one(sphere)));
        let (stars, end, range) = (self.stars, self.end().time, axis.range());
        let bound = |y: f64| y.clamp(range.start, range.end);
        let bounds = |(r, deviation): (f64, f64)| {
            (r, [bound(model(r) - deviation), bound(model(r) + deviation)])
        };
        // Leave out shells in which a sphere has no stars.
        let scatter = middles().zip(scatter).filter(|(_, deviation)| deviation.is_finite());
        let curve = geometric(PLOTTED, POINTS).map(|r| (r, model(r)));
        let within = |point: &(f64, f64)| range.contains(&point.1);
        Chart {
            title: format!("{title} of {stars} stars, mean from time 0 to {end}"),
            x: ("distance from the centre (N-body units)", Axis::logarithmic(PLOTTED)),
            y: (y, axis),
            measured: vec![("measured".to_owned(), measured.filter(within).collect())],
            lines: false,
            model: vec![curve.filter(within).collect()],
            scatter: scatter.map(bounds).collect(),
            legend: true,
        }
    }

    /// Returns the plot of the Lagrangian radii.
    fn radii_in_time(&self) -> Chart {
        let end = self.end().time;
        let lines = FRACTIONS.into_iter().enumerate().rev().map(|(k, fraction)| {
            let points = self.samples.iter().map(|it| (it.time, it.radii[k])).collect();
            (format!("{:.0}% of the mass", 100.0 * fraction), points)
        });
        let constant = |y: f64| vec![(0.0, y), (end, y)];
        Chart {
            title: format!("Lagrangian radii of {} stars", self.stars),
            x: ("time (N-body units)", Axis::linear(end)),
            y: ("radius (N-body units)", Axis::logarithmic(0.05..5.0)),
            measured: lines.collect(),
            lines: true,
            model: FRACTIONS.map(|fraction| constant(model::radius(fraction))).to_vec(),
            scatter: Vec::new(),
            legend: true,
        }
    }

    /// Returns the plot of the error of the energy.
    fn energy_in_time(&self) -> Chart {
        let points: Vec<_> = self.energy_errors().filter(|point| point.1 > 0.0).collect();
        let extreme = |of: fn(f64, f64) -> f64| points.iter().map(|point| point.1).reduce(of);
        let decade = |error: Option<f64>| error.unwrap_or(f64::EPSILON).log10().floor();
        let (first, last) = (decade(extreme(f64::min)), decade(extreme(f64::max)) + 1.0);
        Chart {
            title: format!("Error of the energy of {} stars", self.stars),
            x: ("time (N-body units)", Axis::linear(self.end().time)),
            y: ("|E - E(0)| / |E(0)|", Axis::logarithmic(10_f64.powf(first)..10_f64.powf(last))),
            measured: vec![("error".to_owned(), points)],
            lines: true,
            model: Vec::new(),
            scatter: Vec::new(),
            legend: false,
        }
    }
}
