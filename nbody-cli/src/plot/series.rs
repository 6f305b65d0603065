//! Plots of the error of the energy and of Lagrangian radii in time.

use std::error::Error;
use std::path::{Path, PathBuf};

use nbody_plots::{Axis, Curve, Figure};

use super::source::Source;
use crate::columns::Points;
use crate::files;
use crate::run::FileUnits;

/// Files of the plots.
pub const ENERGY: &str = "energy.svg";
pub const LAGRANGE: &str = "lagrange.svg";
/// Fractions of the mass that plots of several runs show.
const COMPARED: [f64; 3] = [0.1, 0.5, 0.9];

/// The errors of the energy and the Lagrangian radii of a run in time.
pub struct Series {
    /// Relative errors of the energy.
    pub errors: Points,
    /// Radii, with the fraction of the mass within them.
    pub radii: Vec<(f64, Points)>,
}

impl Series {
    /// Draws energy.svg and lagrange.svg, with a caption for both.
    pub fn draw(
        &self,
        folder: &Path,
        caption: &[String],
        units: &FileUnits,
    ) -> Result<(), Box<dyn Error>> {
        let errors = self.errors.iter().map(|&(time, error)| (time, error.abs())).collect();
        let energy = energy_figure(units)
            .curve(Curve::points("of each snapshot", errors))
            .curve(Curve::line("largest so far", self.largest_errors()).without_marks());
        write(&folder.join(ENERGY), energy, caption)?;
        let most = (self.radii.len().max(2) - 1) as f64;
        let curves = self.radii.iter().enumerate().map(|(k, (fraction, points))| {
            Curve::line(of_mass(*fraction), points.clone()).at(k as f64 / most)
        });
        write(&folder.join(LAGRANGE), lagrange_figure(units).curves(curves), caption)
    }

    /// Returns the largest error until each time, which does not go up and down as errors do.
    fn largest_errors(&self) -> Points {
        let mut largest = 0.0_f64;
        let step = |&(time, error): &(f64, f64)| {
            largest = largest.max(error.abs());
            (time, largest)
        };
        self.errors.iter().map(step).collect()
    }
}

/// Draws the plots of several runs, with curves of each, and returns their files.
pub fn draw_several(sources: &[Source], folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let names: Vec<_> = sources.iter().map(Source::name).collect();
    let units = &sources[0].units;
    let captions = sources.iter().zip(&names).filter_map(|(source, name)| {
        let about = source.describe();
        Some(format!("{name}: {}", about.first()?))
    });
    let captions: Vec<_> = captions.collect();
    let errors = sources.iter().zip(&names);
    let errors = errors.map(|(source, name)| Curve::line(name, source.series.largest_errors()));
    let [energy, lagrange] = [ENERGY, LAGRANGE].map(|name| folder.join(name));
    let largest = "largest error so far";
    write(&energy, energy_figure(units).caption(largest).curves(errors), &captions)?;
    let radii = sources.iter().zip(&names).enumerate().flat_map(|(k, (source, name))| {
        let shown = source.series.radii.iter().filter(|it| COMPARED.contains(&it.0));
        shown.map(move |(fraction, points)| {
            let name = format!("{name}, {:.0}%", 100.0 * fraction);
            Curve::line(name, points.clone()).of_group(k)
        })
    });
    let shares = "radii with parts of the mass, by run";
    write(&lagrange, lagrange_figure(units).caption(shares).curves(radii), &captions)?;
    Ok(vec![energy, lagrange])
}

fn energy_figure(units: &FileUnits) -> Figure {
    let name = "|E - E(0)| / |E(0)|";
    let (x, y) = (Axis::linear(units.of_time("time")), Axis::logarithmic(name));
    Figure::new("Error of the energy", x, y)
}

fn lagrange_figure(units: &FileUnits) -> Figure {
    let (x, y) = (units.of_time("time"), units.of_length("radius"));
    let title = "Lagrangian radii about the centre of mass";
    Figure::new(title, Axis::linear(x), Axis::logarithmic(y))
}

fn of_mass(fraction: f64) -> String {
    format!("{:.0}% of the mass", 100.0 * fraction)
}

fn write(path: &Path, figure: Figure, caption: &[String]) -> Result<(), Box<dyn Error>> {
    let figure = caption.iter().cloned().fold(figure, Figure::caption);
    files::write(path, &figure.svg()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_errors_never_fall() {
        let errors = vec![(0.0, 0.0), (1.0, 1e-3), (2.0, -2e-3), (3.0, 1e-5)];
        let largest = Series { errors, radii: Vec::new() }.largest_errors();
        assert_eq!(largest, [(0.0, 0.0), (1.0, 1e-3), (2.0, 2e-3), (3.0, 2e-3)]);
    }
}
