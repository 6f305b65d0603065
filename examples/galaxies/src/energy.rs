//! The energies of a run, and the plot of their error.

use std::fmt::Write as _;
use std::path::Path;

use nbody_integrate::Energies;
use nbody_plots::{Axis, Curve, Figure};

use crate::error::Error;
use crate::folder;

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
        let text = self.figure().svg();
        let text = text.map_err(|source| Error::Picture { path: path.into(), source })?;
        folder::write(path, text.as_bytes())
    }

    fn figure(&self) -> Figure {
        let points = self.rows.iter().map(|(time, energies)| (*time, self.error(energies)));
        Figure::new(
            "Error of the energy of two galaxies",
            Axis::linear("time"),
            Axis::linear("(E - E(0)) / |E(0)|"),
        )
        .curve(Curve::line("error", points.collect()).without_marks())
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
        assert!(history.figure().svg().unwrap().contains("<polyline"));
    }

    #[test]
    fn energies_without_an_error_are_drawn() {
        let mut history = History::default();
        history.add(0.0, energies(0.5, -1.0)).unwrap();
        history.add(1.0, energies(0.5, -1.0)).unwrap();
        assert!(history.figure().svg().unwrap().contains("time"));
    }

    #[test]
    fn energies_that_are_nan_are_refused() {
        let message = History::default().add(2.5, energies(f64::NAN, -1.0)).unwrap_err();
        assert!(message.to_string().starts_with("at time 2.5: kinetic energy NaN"), "{message}");
    }
}
