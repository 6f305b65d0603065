//! The progress of a run.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use nbody_plots::prefixed;

use super::arguments::Arguments;
use super::error::Error;
use super::history::{Counts, History};
use super::scaled::Scaled;
use crate::ranks::Rank;
use crate::{date, message};

/// Length of the bar in units of its position.
const LENGTH: u64 = 10_000;
/// The energy is measured in at most this fraction of the time.
const SHARE: f64 = 0.05;
/// Shortest time between two changes of the text.
const INTERVAL: Duration = Duration::from_millis(200);

/// The progress over time: a bar on a terminal, otherwise lines.
pub struct Progress {
    bar: ProgressBar,
    /// The time between lines; `None` on a terminal, of ranks that print nothing, and of a quiet run.
    log: Option<Duration>,
    /// Whether the energy is measured between snapshots.
    measures: bool,
    begin: f64,
    until: f64,
    start: Instant,
    first: Counts,
    drawn: Instant,
    error: f64,
    measured: Instant,
    cost: Duration,
}

impl Progress {
    /// Shows that the run is prepared.
    pub fn preparing(rank: &Rank, arguments: &Arguments) -> ProgressBar {
        let bar = if rank.is_first() && !arguments.quiet {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        // A failure leaves no line behind.
        let bar = bar.with_finish(ProgressFinish::AndClear);
        bar.set_message("prepares particles and programs");
        bar.enable_steady_tick(INTERVAL);
        bar
    }

    /// The first rank shows the progress. With other ranks, whose forces an energy needs, it shows the
    /// error of the last snapshot.
    pub fn new(
        rank: &Rank,
        arguments: &Arguments,
        [begin, until]: [f64; 2],
        first: Counts,
        error: f64,
    ) -> Self {
        let style = ProgressStyle::with_template("{bar:20} {percent:>3}% {wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let now = Instant::now();
        let is_shown = rank.is_first() && !arguments.quiet;
        let bar = if is_shown { ProgressBar::new(LENGTH) } else { ProgressBar::hidden() };
        Self {
            log: (is_shown && bar.is_hidden()).then_some(arguments.log_every),
            bar: bar.with_style(style),
            measures: !rank.has_others(),
            begin,
            until,
            start: now,
            first,
            drawn: now,
            error,
            measured: now,
            cost: Duration::ZERO,
        }
    }

    /// Shows the state. `pairs` is the number of pairs evaluated to advance a particle by a step.
    pub fn show(
        &mut self,
        simulation: &mut Scaled,
        history: &History,
        counts: Counts,
        pairs_of_particle: f64,
    ) -> Result<(), Error> {
        let is_drawn = !self.bar.is_hidden() || self.log.is_some();
        if !is_drawn || self.drawn.elapsed() < self.log.unwrap_or(INTERVAL) {
            return Ok(());
        }
        self.measure(simulation, history)?;
        self.drawn = Instant::now();
        let (time, step) = (simulation.time(), simulation.step());
        let part = (time - self.begin) / (self.until - self.begin);
        self.bar.set_position(position(part));
        let seconds = self.start.elapsed().as_secs_f64();
        let steps = (counts.steps - self.first.steps) as f64;
        let particles = (counts.particle_steps - self.first.particle_steps) as f64;
        let pairs = match simulation.evaluated_pairs()? {
            // A step of a tree advances all particles.
            Some(evaluated) if self.measures => evaluated as f64 / pairs_of_particle,
            _ => pairs_of_particle,
        };
        let message = format!(
            "t {time:.4} of {}, energy error {:.1e}, {} pairs/s, {} steps, {:.0} steps/s, \
             mean block {:.1}, step {step:.1e}",
            self.until,
            self.error,
            prefixed(particles * pairs / seconds, ""),
            counts.steps,
            steps / seconds,
            particles / steps,
        );
        if self.log.is_some() {
            message::print(format_args!("{} {:.1}% {message}", date::now(), 100.0 * part));
        } else {
            self.bar.set_message(message);
        }
        Ok(())
    }

    /// Measures the energy, if that takes little of the time.
    fn measure(&mut self, simulation: &mut Scaled, history: &History) -> Result<(), Error> {
        if !self.measures {
            self.error = history.last_error();
            return Ok(());
        }
        if self.cost > self.measured.elapsed().mul_f64(SHARE) {
            return Ok(());
        }
        let begin = Instant::now();
        let energies = simulation.energies()?;
        self.error = history.error(energies.kinetic, energies.potential);
        (self.cost, self.measured) = (begin.elapsed(), Instant::now());
        Ok(())
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the position of the bar after this fraction of the run.
#[expect(clippy::cast_sign_loss, reason = "casts saturate")]
fn position(part: f64) -> u64 {
    (part * LENGTH as f64) as u64
}
