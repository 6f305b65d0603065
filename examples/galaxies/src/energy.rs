//! The energies of a run, and the plot of their error.

use std::fmt::Write as _;
use std::path::Path;

use nbody_integrate::Energies;
use plotters::prelude::*;

use crate::error::Error;
use crate::folder;

const LINE: RGBColor = RGBColor(0, 114, 178);
const FONT: &str = "sans-serif";
/// Smallest height of the plot, for errors that are all zero.
const LEAST: f64 = 1e-16;

/// Energies at the beginning and after each step, with their times.
#[derive(Default)]
pub struct History {
    rows: Vec<(f64, Energies)>,
    greatest: f64,
}

impl History {
    /// Adds energies, which must be finite.
    pub fn add(&mut self, time: f64, energies: Energies) -> Result<(), Error> {
        let Energies { kinetic, potential } = energies;
        if !(kinetic.is_finite() && potential.is_finite()) {
            return Err(Error::Energy { time, kinetic, potential });
        }
        self.rows.push((time, energies));
        self.greatest = self.greatest.max(self.error(&energies).abs());
        Ok(())
    }

    /// Returns the largest relative error of the energy.
    pub fn greatest_error(&self) -> f64 {
        self.greatest
    }

    /// Returns the time at the end.
    pub fn end(&self) -> f64 {
        self.rows.last().map_or(0.0, |row| row.0)
    }

    /// Returns the relative error of the energy.
    fn error(&self, energies: &Energies) -> f64 {
        let first = self.rows[0].1.total();
        (energies.total() - first) / first.abs()
    }

    /// Writes the energies and their errors as CSV.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut text = "time,kinetic,potential,error\n".to_owned();
        for (time, energies) in &self.rows {
            let Energies { kinetic, potential } = energies;
            let error = self.error(energies);
            // Writing to a string does not fail.
            let _ = writeln!(text, "{time},{kinetic},{potential},{error:e}");
        }
        folder::write(path, text.as_bytes())
    }

    /// Draws the relative error against time as SVG.
    pub fn draw(&self, path: &Path) -> Result<(), Error> {
        let drawn = self.figure();
        let text = drawn.map_err(|reason| Error::Plot { path: path.into(), reason })?;
        folder::write(path, text.as_bytes())
    }

    /// Returns the plot as SVG, or the reason why it cannot be drawn.
    fn figure(&self) -> Result<String, String> {
        let mut text = String::new();
        self.draw_on(&SVGBackend::with_string(&mut text, (900, 560)).into_drawing_area())
            .map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn draw_on<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let height = 1.1 * self.greatest.max(LEAST);
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(root)
            .margin(16)
            .caption("Error of the energy of two galaxies", (FONT, 20))
            .x_label_area_size(48)
            .y_label_area_size(88)
            .build_cartesian_2d(0.0..self.end(), -height..height)?;
        chart
            .configure_mesh()
            .x_desc("time")
            .y_desc("(E - E(0)) / |E(0)|")
            .y_label_formatter(&|y| if *y == 0.0 { "0".to_owned() } else { format!("{y:.1e}") })
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let points = self.rows.iter().map(|(time, energies)| (*time, self.error(energies)));
        chart.draw_series(LineSeries::new(points, LINE.stroke_width(2)))?;
        root.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energies(kinetic: f64, potential: f64) -> Energies {
        Energies { kinetic, potential }
    }

    #[test]
    fn errors_are_relative_to_the_first_energy() {
        let mut history = History::default();
        for (time, potential) in [(0.0, -1.0), (1.0, -1.25), (2.0, -0.875)] {
            history.add(time, energies(0.5, potential)).unwrap();
        }
        assert_eq!((history.greatest_error(), history.end()), (0.5, 2.0));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("energy.csv");
        history.write(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let expected = "time,kinetic,potential,error\n0,0.5,-1,0e0\n1,0.5,-1.25,-5e-1\n";
        assert_eq!(text, format!("{expected}2,0.5,-0.875,2.5e-1\n"));
        assert!(history.figure().unwrap().contains("<polyline"));
    }

    #[test]
    fn energies_without_an_error_are_drawn() {
        let mut history = History::default();
        history.add(0.0, energies(0.5, -1.0)).unwrap();
        history.add(1.0, energies(0.5, -1.0)).unwrap();
        assert!(history.figure().unwrap().contains("time"));
    }

    #[test]
    fn energies_that_are_nan_are_refused() {
        let message = History::default().add(2.5, energies(f64::NAN, -1.0)).unwrap_err();
        assert!(message.to_string().starts_with("at time 2.5: kinetic energy NaN"), "{message}");
    }
}
