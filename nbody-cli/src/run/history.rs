//! The history of a run's snapshots: energies and Lagrangian radii, as tables and as plots.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use nbody::models::Snapshot;
use nbody_integrate::Energies;
use serde::{Deserialize, Serialize};

use super::binaries::Binary;
use super::diagnostics::Diagnostics;
use super::units::Units;
use crate::files;
use crate::plot::Series;

pub const ENERGIES: &str = "energies.csv";
pub const RADII: &str = "lagrange.csv";
const STATES: &str = "state.csv";
const BINARIES: &str = "binaries.csv";
/// The columns of the tables of states and of binaries.
const STATE: &str = "time,virial_ratio,px,py,pz,lx,ly,lz,x,y,z,density_x,density_y,density_z,half_mass_radius,binaries";
const BINARY: &str = "time,first,second,mass_first,mass_second,semi_major_axis,eccentricity,binding_energy,binding_energy_in_kt";
/// Fractions of the mass whose Lagrangian radii are measured.
pub const FRACTIONS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

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
    /// Missing in older files, and where a number is not finite.
    #[serde(default)]
    state: Option<Diagnostics>,
}

/// Counts up to this are exact in tables.
const MOST: u64 = 1 << 53;

impl Counts {
    pub fn is_valid(&self) -> bool {
        self.steps <= MOST && self.particle_steps <= MOST && self.seconds >= 0.0
    }
}

impl Row {
    /// Measures particles, in the units of a run, at a time; all but their state.
    pub fn new(
        inner: &Snapshot,
        units: &Units,
        time: f64,
        energies: &Energies,
        counts: Counts,
    ) -> Self {
        let mut radii = [0.0; FRACTIONS.len()];
        radii.copy_from_slice(&inner.lagrangian_radii(&FRACTIONS));
        let radii = radii.map(|radius| radius * units.length());
        let &Energies { kinetic, potential } = energies;
        Self { time, counts, kinetic, potential, radii, state: None }
    }

    /// Adds the state of the particles.
    #[must_use]
    pub fn with_state(self, state: Diagnostics) -> Self {
        // Numbers beyond the range of the files' units would not come back from a checkpoint.
        Self { state: Some(state).filter(Diagnostics::is_valid), ..self }
    }

    /// Returns the ratio of the kinetic energy to the size of the potential energy, 1/2 in
    /// equilibrium; infinite without a potential.
    pub fn virial_ratio(&self) -> f64 {
        self.kinetic / self.potential.abs()
    }

    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    pub fn state(&self) -> Option<&Diagnostics> {
        self.state.as_ref()
    }

    /// Returns a line of the table of states, with empty cells where a quantity is unknown.
    fn state_line(&self) -> String {
        let cells = self.state.as_ref().map(|it| {
            let vectors = [it.momentum, it.angular_momentum, it.centre_of_mass, it.density_centre];
            let numbers = vectors.as_flattened().iter().chain([&it.half_mass_radius]);
            // Small numbers with an exponent.
            let numbers = numbers.map(|number| format!("{number:?}"));
            numbers.chain([it.binaries.len().to_string()]).collect()
        });
        let cells: Vec<_> =
            cells.unwrap_or_else(|| vec![String::new(); STATE.split(',').count() - 2]);
        format!("{},{},{}\n", self.time, self.virial_ratio(), cells.join(","))
    }

    /// Returns lines of the table of binaries.
    fn binaries(&self) -> String {
        let binaries = self.state.iter().flat_map(|it| &it.binaries);
        let line = |it: &Binary| {
            let [first, second] = it.particles;
            let numbers = it.numbers().map(|number| format!("{number:?}"));
            format!("{},{first},{second},{}\n", self.time, numbers.join(","))
        };
        binaries.map(line).collect()
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
            row.counts.is_valid()
                && row.radii.iter().all(|r| *r >= 0.0)
                && row.kinetic >= 0.0
                && row.state.as_ref().is_none_or(Diagnostics::is_valid)
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

    /// Writes the tables.
    pub fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let header = "time,kinetic,potential,total,error,steps,particle_steps,seconds";
        let lines = self.rows().map(|row| self.energies(row));
        table(&folder.join(ENERGIES), header, lines)?;
        let lines = self.rows().map(Row::state_line);
        table(&folder.join(STATES), STATE, lines)?;
        table(&folder.join(BINARIES), BINARY, self.rows().map(Row::binaries))?;
        let radii = radii_names().join(",");
        let lines = self.rows().map(Row::lagrangian_radii);
        table(&folder.join(RADII), &format!("time,{radii}"), lines)
    }

    /// Adds the last row to the tables.
    pub fn append(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        files::append(&folder.join(ENERGIES), &self.energies(self.last()))?;
        files::append(&folder.join(STATES), &self.last().state_line())?;
        files::append(&folder.join(BINARIES), &self.last().binaries())?;
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

    /// Returns the errors of the energy and the Lagrangian radii.
    pub fn series(&self) -> Series {
        let errors = self.rows().map(|row| (row.time, self.error_of(row))).collect();
        let radii = FRACTIONS.iter().enumerate();
        let radii = radii.map(|(k, &fraction)| {
            (fraction, self.rows().map(|row| (row.time, row.radii[k])).collect())
        });
        Series { errors, radii: radii.collect() }
    }
}

/// Returns the error of an energy, (E − E₀) / |E₀|, or E − E₀ where the first one was zero.
pub fn relative_error(energy: f64, first: f64) -> f64 {
    let unit = if first == 0.0 { 1.0 } else { first.abs() };
    (energy - first) / unit
}

/// Returns the names of the columns of radii.
pub fn radii_names() -> [String; FRACTIONS.len()] {
    FRACTIONS.map(|fraction| format!("r{:.0}", 100.0 * fraction))
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
