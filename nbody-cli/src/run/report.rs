//! The report at the end of a run.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use nbody::Vector;
use nbody_plots::prefixed;

use super::history::{Counts, Row};
use super::settings::Integrator;
use super::{Ended, Run};
use crate::message;
use crate::record::{self, Record, record};
use crate::table::{Page, Table, UNKNOWN, known};

/// The energy error from which a run is reported as inaccurate.
const LARGE_ERROR: f64 = 1e-3;

impl Run {
    /// Prints the state at the beginning and at the end, the work, and the files; as one JSON document,
    /// if that is asked for.
    pub fn report(
        &self,
        wall: Duration,
        ended: Ended,
        movie: Option<&Path>,
        json: bool,
    ) -> Result<(), Box<dyn Error>> {
        // All ranks take part.
        let pairs = self.evaluated_pairs()?;
        if !self.rank.is_first() {
            return Ok(());
        }
        if json {
            return record::print("run", self.found(pairs, wall, ended, movie));
        }
        Ok(writeln!(std::io::stdout().lock(), "{}", self.page(pairs, wall, ended, movie))?)
    }

    /// Returns the time at the end.
    fn time(&self, ended: Ended) -> f64 {
        match ended {
            Ended::Complete => self.history.last().time,
            Ended::Interrupted => self.simulation.time(),
        }
    }

    fn page(&self, pairs: f64, wall: Duration, ended: Ended, movie: Option<&Path>) -> Page {
        let (settings, time) = (&self.settings, self.time(ended));
        let (n, name, device) = (self.particles, settings.integrator.name(), self.device.name());
        let units = settings.units.describe();
        let mut page = Page::new(&format!(
            "{n} particles to time {time} by the {name} integrator on {device}\n{units}"
        ));
        page.table("", &self.states());
        page.words(&format!("{}\n{}", self.work(pairs, wall), self.files(ended, movie)));
        if ended == Ended::Interrupted {
            let file = self.folder.checkpoint();
            page.line(format!(
                "interrupted; continue with: nbody run --restart {}",
                file.display()
            ));
        }
        page
    }

    fn found(&self, pairs: f64, wall: Duration, ended: Ended, movie: Option<&Path>) -> Record {
        let Self { settings, history, .. } = self;
        let Counts { steps, particle_steps, seconds } = self.counts;
        let mean = |sum: f64, count: f64| (count > 0.0).then_some(sum / count);
        let snapshots = history.number() as u64 + 1;
        record! {
            ended: match ended {
                Ended::Complete => "complete",
                Ended::Interrupted => "interrupted",
            },
            particles: self.particles,
            integrator: settings.integrator.name(),
            device: self.device.name(),
            units: settings.units.describe(),
            eps: settings.eps,
            precision: settings.precision.name(),
            accumulation: settings.accumulation.name(),
            math: settings.math.name(),
            time: self.time(ended),
            begin: state(history.first()),
            end: state(history.last()),
            energy_error: history.last_error(),
            steps: steps,
            particle_steps: particle_steps,
            mean_block: mean(particle_steps as f64, steps as f64),
            integration_seconds: seconds,
            pairs_per_second: mean(pairs * particle_steps as f64, seconds),
            wall_seconds: wall,
            folder: self.folder.path().display().to_string(),
            snapshots: snapshots,
            format: settings.format.extension(),
            movie: movie.map(|path| path.display().to_string()),
            checkpoint: self.folder.checkpoint().display().to_string(),
        }
    }

    /// Returns the number of pairs of a step.
    fn evaluated_pairs(&self) -> Result<f64, Box<dyn Error>> {
        let counted =
            if self.rank.has_others() { None } else { self.simulation.evaluated_pairs()? };
        Ok(counted.map_or(self.pairs_of_particle(), |pairs| pairs as f64 / self.particles as f64))
    }

    /// Returns a table of the first and the last snapshot.
    fn states(&self) -> Table {
        let rows = [self.history.first(), self.history.last()];
        let times = rows.map(|row| format!(">at time {}", row.time));
        let mut table = Table::new(&["", &times[0], &times[1]]);
        let mut line = |name: &str, cells: [String; 2]| {
            table.row([vec![name.to_owned()], cells.to_vec()].concat());
        };
        line("total energy", rows.map(|row| number(row.total())));
        line("energy error", [UNKNOWN.to_owned(), format!("{:.2e}", self.history.last_error())]);
        line("virial ratio T/|U|", rows.map(|row| number(row.virial_ratio())));
        let of_state = |of: &dyn Fn(&super::diagnostics::Diagnostics) -> String| {
            rows.map(|row: &Row| known(row.state().map(of)))
        };
        let length = |v: [f64; 3]| number(Vector(v).norm());
        line("momentum", of_state(&|it| length(it.momentum)));
        line("angular momentum", of_state(&|it| length(it.angular_momentum)));
        line("half-mass radius", of_state(&|it| number(it.half_mass_radius)));
        line("hard binaries", of_state(&|it| it.binaries.len().to_string()));
        table
    }

    /// Describes the work.
    fn work(&self, pairs: f64, wall: Duration) -> String {
        let Counts { steps, particle_steps, seconds } = self.counts;
        let wall = wall.as_secs_f64();
        // Without a step there is no mean.
        if steps == 0 {
            return format!("0 steps, wall time {wall:.3} s");
        }
        // The work is counted from the beginning of the run.
        let part = if self.is_resumed { " since the restart" } else { "" };
        let rate = prefixed(pairs * particle_steps as f64 / seconds, "");
        let block = particle_steps as f64 / steps as f64;
        format!(
            "{steps} steps, mean block {block:.1}\nintegration {seconds:.3} s, {rate} pairs/s; wall time{part} {wall:.3} s"
        )
    }

    /// Names the files.
    fn files(&self, ended: Ended, movie: Option<&Path>) -> String {
        let (number, extension) = (self.history.number(), self.settings.format.extension());
        let images = if self.settings.images { " with images (.png)" } else { "" };
        let interrupted = match ended {
            Ended::Interrupted => format!(", interrupted.{extension}"),
            Ended::Complete => String::new(),
        };
        let movie = movie
            .and_then(Path::file_name)
            .map_or_else(String::new, |name| format!(", {}", name.to_string_lossy()));
        format!(
            "files in {}: snapshot-0000.{extension} to {number:04}{images}{interrupted};\nenergies.csv, state.csv, \
             binaries.csv, lagrange.csv;\nenergy.svg, lagrange.svg{movie}; checkpoint.json",
            self.folder.path().display()
        )
    }

    /// Warns of a large error of the energy, with a remedy.
    pub fn warn(&self) {
        let error = self.history.last_error().abs();
        // Also for NaN.
        if error < LARGE_ERROR || !self.rank.is_first() {
            return;
        }
        let remedy = match self.settings.integrator {
            Integrator::Hermite(_) | Integrator::HermiteShared(_) => {
                "give a smaller --eta, a higher --precision, or softening (--eps)"
            }
            Integrator::Leapfrog { tree: Some(_), .. } => {
                "give a shorter --step, a smaller opening angle (--tree), or more softening (--eps)"
            }
            Integrator::Leapfrog { tree: None, .. } => {
                "give a shorter --step, more softening (--eps), or --integrator hermite"
            }
        };
        message::print(format_args!(
            "warning: the energy error is {error:.1e}, above {LARGE_ERROR:e}: {remedy}"
        ));
    }
}

/// Returns the state of a snapshot; lengths of vectors, where the table has them.
fn state(row: &Row) -> Record {
    let state = row.state();
    let length = |v: [f64; 3]| Vector(v).norm();
    record! {
        time: row.time,
        total_energy: row.total(),
        virial_ratio: row.virial_ratio(),
        momentum: state.map(|it| length(it.momentum)),
        angular_momentum: state.map(|it| length(it.angular_momentum)),
        half_mass_radius: state.map(|it| it.half_mass_radius),
        hard_binaries: state.map(|it| it.binaries.len()),
    }
}

/// The virial ratio from which particles with units are reported as unbound.
const UNBOUND: f64 = 10.0;

/// Warns of particles that are far from bound, in units that were stated.
pub fn warn_of_units(ratio: f64) {
    if ratio.is_finite() && ratio > UNBOUND {
        message::print(format_args!(
            "warning: the virial ratio T/|U| is {}: the particles are not bound; see whether the numbers of the \
             file are in the units of --units or --gravity",
            number(ratio)
        ));
    }
}

/// Formats a number with four significant digits.
fn number(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) {
        let digits = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
        format!("{x:.*}", usize::try_from(3 - digits).unwrap_or(0))
    } else {
        format!("{x:.3e}")
    }
}
