//! The snapshots of a run so far: energies and Lagrangian radii, as tables and as plots.

use std::error::Error;
use std::path::Path;

use nbody::models::Snapshot;
use nbody_integrate::Energies;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::plots::{Drawn, Figure, Line};

/// Fractions of the mass, of which the Lagrangian radii are measured.
const FRACTIONS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// The work since the beginning of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub steps: u64,
    /// The particles that steps advanced, each counted as often.
    pub particle_steps: u64,
    /// Wall time of the integration, in seconds.
    pub seconds: f64,
}

/// Figures of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub time: f64,
    counts: Counts,
    kinetic: f64,
    potential: f64,
    radii: [f64; FRACTIONS.len()],
}

impl Row {
    pub fn new(snapshot: &Snapshot, energies: &Energies, counts: Counts) -> Self {
        let mut radii = [0.0; FRACTIONS.len()];
        radii.copy_from_slice(&snapshot.lagrangian_radii(&FRACTIONS));
        let &Energies { kinetic, potential } = energies;
        Self { time: snapshot.time, counts, kinetic, potential, radii }
    }

    fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Returns the radius of the sphere that contains 90% of the mass.
    pub fn outer_radius(&self) -> f64 {
        self.radii[FRACTIONS.len() - 1]
    }
}

/// The snapshots of a run so far, the first of them at its beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    first: Row,
    later: Vec<Row>,
}

impl History {
    pub fn new(first: Row) -> Self {
        Self { first, later: Vec::new() }
    }

    pub fn push(&mut self, row: Row) {
        self.later.push(row);
    }

    pub fn first(&self) -> &Row {
        &self.first
    }

    pub fn last(&self) -> &Row {
        self.later.last().unwrap_or(&self.first)
    }

    /// Returns the number of the last snapshot, that at the beginning being 0.
    pub fn number(&self) -> usize {
        self.later.len()
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.first).chain(&self.later)
    }

    /// Returns the error of these energies relative to those at the beginning; where their sum was
    /// zero, the error itself.
    pub fn error(&self, kinetic: f64, potential: f64) -> f64 {
        relative_error(kinetic + potential, self.first.total())
    }

    /// Returns the error of the energy at the last snapshot.
    pub fn last_error(&self) -> f64 {
        self.error_of(self.last())
    }

    fn error_of(&self, row: &Row) -> f64 {
        self.error(row.kinetic, row.potential)
    }

    /// Writes energies.csv and lagrange.csv.
    pub fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let energies = self.rows().map(|row| {
            let &Row { time, kinetic, potential, counts, .. } = row;
            let Counts { steps, particle_steps, seconds } = counts;
            let energies = [time, kinetic, potential, row.total()].map(|x| x.to_string());
            let error = format!("{:e}", self.error_of(row));
            let work = [steps.to_string(), particle_steps.to_string(), seconds.to_string()];
            [&energies[..], &[error], &work].concat()
        });
        let header = [
            "time",
            "kinetic",
            "potential",
            "total",
            "error",
            "steps",
            "particle_steps",
            "seconds",
        ];
        table(&folder.join("energies.csv"), &header, energies)?;
        let names = FRACTIONS.map(|fraction| format!("r{}", percent(fraction)));
        let header: Vec<_> =
            std::iter::once("time").chain(names.iter().map(String::as_str)).collect();
        let radii = self
            .rows()
            .map(|row| std::iter::once(row.time).chain(row.radii).map(|x| x.to_string()).collect());
        table(&folder.join("lagrange.csv"), &header, radii)
    }

    /// Draws energy.svg and lagrange.svg, with a caption for both.
    pub fn draw(&self, folder: &Path, caption: &str) -> Drawn {
        let caption = vec![caption.to_owned()];
        let error = self.rows().map(|row| (row.time, self.error_of(row).abs())).collect();
        Figure {
            title: "Error of the energy".to_owned(),
            caption: caption.clone(),
            x: "time",
            y: "relative error of the energy",
            lines: vec![Line::new("|E - E(0)| / |E(0)|".to_owned(), error)],
        }
        .semi_log(&folder.join("energy.svg"))?;
        let lines = FRACTIONS.iter().enumerate().map(|(k, &fraction)| {
            let points = self.rows().map(|row| (row.time, row.radii[k])).collect();
            Line::new(format!("{}% of the mass", percent(fraction)), points)
        });
        Figure {
            title: "Lagrangian radii about the centre of mass".to_owned(),
            caption,
            x: "time",
            y: "radius",
            lines: lines.collect(),
        }
        .semi_log(&folder.join("lagrange.svg"))
    }
}

/// Returns the error of an energy relative to the first one; where that was zero, the error itself.
pub fn relative_error(energy: f64, first: f64) -> f64 {
    let unit = if first == 0.0 { 1.0 } else { first.abs() };
    (energy - first) / unit
}

fn percent(fraction: f64) -> String {
    format!("{:.0}", 100.0 * fraction)
}

/// Writes a table as CSV.
fn table(
    path: &Path,
    header: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<(), Box<dyn Error>> {
    files::replace(path, |out| {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(header)?;
        rows.into_iter().try_for_each(|row| writer.write_record(row))?;
        Ok(writer.flush()?)
    })
}
