//! The history of a run's snapshots: energies and Lagrangian radii, as tables and as plots.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use nbody::models::Snapshot;
use nbody_integrate::Energies;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::plots::{Drawn, Figure, Line};

const ENERGIES: &str = "energies.csv";
const RADII: &str = "lagrange.csv";
/// Fractions of the mass whose Lagrangian radii are measured.
const FRACTIONS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// The work since the beginning of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub steps: u64,
    /// Sum over the steps of the numbers of advanced particles.
    pub particle_steps: u64,
    /// Wall time of the integration, in seconds.
    pub seconds: f64,
}

/// Measured quantities of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub time: f64,
    counts: Counts,
    kinetic: f64,
    potential: f64,
    radii: [f64; FRACTIONS.len()],
}

/// Counts up to this are exact in tables.
const MOST: u64 = 1 << 53;

impl Counts {
    pub fn is_valid(&self) -> bool {
        self.steps <= MOST && self.particle_steps <= MOST && self.seconds >= 0.0
    }
}

impl Row {
    /// Measures particles at a time; lengths are in units of `length`.
    pub fn new(
        snapshot: &Snapshot,
        length: f64,
        time: f64,
        energies: &Energies,
        counts: Counts,
    ) -> Self {
        let mut radii = [0.0; FRACTIONS.len()];
        radii.copy_from_slice(&snapshot.lagrangian_radii(&FRACTIONS));
        let radii = radii.map(|radius| radius * length);
        let &Energies { kinetic, potential } = energies;
        Self { time, counts, kinetic, potential, radii }
    }

    fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Returns a line of the table of radii.
    fn lagrangian_radii(&self) -> String {
        format!("{},{}\n", self.time, self.radii.map(|radius| radius.to_string()).join(","))
    }

    /// Returns the radius of the sphere that contains 90% of the mass.
    pub fn outer_radius(&self) -> f64 {
        self.radii[FRACTIONS.len() - 1]
    }
}

/// The snapshots of a run so far, beginning with the initial one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    first: Row,
    later: Vec<Row>,
    /// The kinetic energy of a moving frame, which rows do not include.
    #[serde(default)]
    bulk: f64,
}

impl History {
    pub fn new(first: Row, bulk: f64) -> Self {
        Self { first, later: Vec::new(), bulk }
    }

    /// Returns whether the numbers can come from a run: times rise, and work, radii and kinetic
    /// energies are not negative.
    pub fn is_valid(&self) -> bool {
        let times: Vec<_> = self.rows().map(|row| row.time).collect();
        let is_valid = |row: &Row| {
            row.counts.is_valid() && row.radii.iter().all(|r| *r >= 0.0) && row.kinetic >= 0.0
        };
        times.is_sorted_by(|a, b| a < b) && self.rows().all(is_valid) && self.bulk >= 0.0
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

    /// Returns the number of the last snapshot; the initial one has the number 0.
    pub fn number(&self) -> usize {
        self.later.len()
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.first).chain(&self.later)
    }

    /// Returns the error of the sum of these energies: (E − E₀) / |E₀|, or E − E₀ where the initial
    /// sum E₀ was zero.
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
        let header = "time,kinetic,potential,total,error,steps,particle_steps,seconds";
        let lines = self.rows().map(|row| self.energies(row));
        table(&folder.join(ENERGIES), header, lines)?;
        let radii = FRACTIONS.map(|fraction| format!("r{}", percent(fraction))).join(",");
        let lines = self.rows().map(Row::lagrangian_radii);
        table(&folder.join(RADII), &format!("time,{radii}"), lines)
    }

    /// Adds the last row to energies.csv and lagrange.csv.
    pub fn append(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        files::append(&folder.join(ENERGIES), &self.energies(self.last()))?;
        files::append(&folder.join(RADII), &self.last().lagrangian_radii())
    }

    /// Returns a line of the table of energies. The error is measured in the frame of the run.
    fn energies(&self, row: &Row) -> String {
        let &Row { time, potential, counts: Counts { steps, particle_steps, seconds }, .. } = row;
        let kinetic = row.kinetic + self.bulk;
        let (total, error) = (kinetic + potential, self.error_of(row));
        format!(
            "{time},{kinetic},{potential},{total},{error:e},{steps},{particle_steps},{seconds}\n"
        )
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

/// Returns the error of an energy, (E − E₀) / |E₀|, or E − E₀ where the first one was zero.
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
    header: &str,
    lines: impl Iterator<Item = String>,
) -> Result<(), Box<dyn Error>> {
    files::replace(path, |out| {
        writeln!(out, "{header}")?;
        Ok(lines.into_iter().try_for_each(|line| out.write_all(line.as_bytes()))?)
    })
}
