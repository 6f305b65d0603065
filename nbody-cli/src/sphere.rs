//! The experiment of Portegies Zwart, Belleman & Geldof 2007: a Plummer sphere of equal masses in
//! virial equilibrium is integrated over the first time unit by the Hermite integrator with block
//! time steps, and the last quarter is timed.

use std::error::Error as StdError;
use std::fmt;
use std::time::Instant;

use indicatif::style::TemplateError;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use nbody::models::{self, Snapshot, plummer};
use nbody::{AllPairs, Device, Engine as _, Opening, Options, Tree};
use nbody_integrate::{BlockHermite, HermiteOptions, Integrator, Steps};
use nbody_interactions::{gravity, hermite::Hermite};

use crate::progress::{self, Reporting};
use crate::run::error::check_energies;
use crate::run::history::{Counts, relative_error};
use crate::run::simulation::motions;

/// Seed of the spheres, as in `nbody plummer` and `nbody run`.
pub const SEED: u64 = 1;
/// Largest step, so that the steps of all particles end at the times below.
pub const LARGEST: f64 = 0.125;
/// Time at which the last quarter begins.
const QUARTER: f64 = 0.75;
/// Time at the end.
const END: f64 = 1.0;

/// Default softening length, in N-body units.
pub const EPS: f64 = 1.0 / 256.0;

/// Largest number of particles whose potential energy is a sum over all pairs.
const DIRECT: usize = 32_768;
/// Opening angle of the tree that finds the potential energy of more: its error is less than 10⁻⁵.
const ANGLE: f64 = 0.6;

/// A sphere cannot be made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Failure {
    Model(#[from] models::Error),
    Tree(#[from] nbody::Error),
}

/// Samples a Plummer sphere and scales it to virial equilibrium, by the potential energy of all
/// pairs or, of many particles, by a tree.
pub fn in_equilibrium(n: usize, seed: u64) -> Result<Snapshot, Failure> {
    let mut sphere = plummer(n, seed)?;
    virialise(&mut sphere)?;
    Ok(sphere)
}

/// Describes the units of particles of total mass 1, which are `solar` solar masses, in virial
/// equilibrium or as they were sampled.
pub fn units(as_sampled: bool, solar: Option<f64>) -> String {
    let solar = solar.map_or_else(String::new, |mass| format!(" of {mass} solar masses"));
    let radius = if as_sampled { "the length of the model" } else { "virial radius 1" };
    format!("G = 1, total mass 1{solar}, {radius}")
}

/// Scales particles to virial equilibrium.
pub fn virialise(snapshot: &mut Snapshot) -> Result<(), Failure> {
    if snapshot.particles.len() <= DIRECT {
        return Ok(snapshot.virialise()?);
    }
    let body = |p: &models::Particle| gravity::Body { pos: p.pos.into(), mass: p.mass };
    let bodies: Vec<_> = snapshot.particles.iter().map(body).collect();
    let law = gravity::Gravity { eps2: 0.0 };
    let mut tree = Tree::new(&Device::cpu(), law, Opening::theta(ANGLE))?;
    let fields = tree.evaluate_self::<f64>(&bodies)?;
    let pairs = bodies.iter().zip(&fields).map(|(body, field)| body.mass * field.pot);
    Ok(snapshot.virialise_with(0.5 * pairs.sum::<f64>())?)
}

/// Parameters of an integration.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Softening length.
    pub eps: f64,
    /// Accuracy of the steps.
    pub eta: f64,
    pub options: Options,
    /// Number of block steps after which the integration is given up.
    pub limit: u64,
}

/// Result of an integration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integrated {
    /// Time of the last step: 1, or less if the integration was given up.
    pub time: f64,
    /// Work from the beginning.
    pub whole: Counts,
    /// Work from time 3/4 on.
    pub quarter: Counts,
    /// Relative error of the energy at the end; `None` if the integration was given up.
    pub error: Option<f64>,
}

impl Experiment {
    /// Integrates a sphere over a time unit, and shows the time after each step.
    pub fn integrate(
        &self,
        device: &Device,
        sphere: &Snapshot,
        mut show: impl FnMut(f64),
    ) -> Result<Integrated, Box<dyn StdError>> {
        let law = Hermite { eps2: self.eps * self.eps };
        let engine = AllPairs::with_options(device, law, self.options)?;
        let options = HermiteOptions::default().eta(self.eta).largest(LARGEST);
        let mut run = BlockHermite::new(engine, &motions(sphere), options).map_err(advice)?;
        let first = energy(&mut run)?;
        let before = self.advance(&mut run, QUARTER, &mut show)?;
        let quarter = self.advance(&mut run, END, &mut show)?;
        let finished = !run.ends_by(END);
        let error = if finished { Some(relative_error(energy(&mut run)?, first)) } else { None };
        let whole = Counts {
            steps: before.steps + quarter.steps,
            particle_steps: before.particle_steps + quarter.particle_steps,
            seconds: before.seconds + quarter.seconds,
        };
        Ok(Integrated { time: run.time(), whole, quarter, error })
    }

    /// Advances to this time, and returns the work; stops early at the limit of steps.
    fn advance(
        &self,
        run: &mut BlockHermite,
        time: f64,
        show: &mut impl FnMut(f64),
    ) -> Result<Counts, Box<dyn StdError>> {
        let before = run.steps();
        let mut seconds = 0.0;
        while run.ends_by(time) && run.steps().steps < self.limit {
            let start = Instant::now();
            run.advance().map_err(advice)?;
            seconds += start.elapsed().as_secs_f64();
            show(run.time());
        }
        let Steps { steps, particle_steps } = run.steps();
        let (steps, particle_steps) =
            (steps - before.steps, particle_steps - before.particle_steps);
        Ok(Counts { steps, particle_steps, seconds })
    }
}

/// Words errors with the options of the commands, in which the largest step is fixed.
fn advice(error: nbody_integrate::Error) -> Box<dyn StdError> {
    match error {
        nbody_integrate::Error::Close { first, second, distance, time, .. } => format!(
            "particles {first} and {second} are at a distance of {distance:e} at time {time}, where no \
             step is short enough: give a larger --eps or --eta"
        )
        .into(),
        other => other.into(),
    }
}

/// Returns the total energy; refuses one that is not finite.
fn energy(run: &mut BlockHermite) -> Result<f64, Box<dyn StdError>> {
    let energies = run.energies()?;
    check_energies(&energies, run.time())?;
    Ok(energies.total())
}

/// A progress bar over several integrations, each with its expected length.
pub struct Progress {
    bar: progress::Progress,
    /// Start of the present integration on the bar, and its length.
    begin: f64,
    length: f64,
}

impl Progress {
    /// Creates a bar for the whole length, a sum of lengths from [`expected`].
    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    pub fn new(length: f64, reporting: Reporting) -> Result<Self, TemplateError> {
        let style =
            ProgressStyle::with_template("{spinner} {bar:20} {percent:>3}% {left}{wide_msg}")?;
        let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
            if state.pos() > 0 {
                // A formatting error only leaves out the estimate.
                let _ = write!(out, "{:#} left: ", HumanDuration(state.eta()));
            }
        };
        let style = style.with_key("left", left);
        let bar = ProgressBar::new(length as u64).with_style(style);
        let part =
            move |bar: &ProgressBar| format!("{:.1}% ", 100.0 * bar.position() as f64 / length);
        let bar = progress::Progress::new(bar, reporting.log_every, part);
        Ok(Self { bar, begin: 0.0, length: 0.0 })
    }

    /// Shows the name of the work before the next integration.
    pub fn prepare(&self, name: String) {
        self.bar.set_message(name);
    }

    /// Begins the next integration.
    pub fn begin(&mut self, length: f64, name: String) {
        self.begin += self.length;
        self.length = length;
        self.show(0.0);
        self.bar.set_message(name);
    }

    /// Shows the time of the integration.
    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    pub fn show(&self, time: f64) {
        self.bar.set_position((self.begin + self.length * time / END) as u64);
    }
}

/// Block steps in a time unit for eta = 0.02, and the mean block, by Portegies Zwart et al.
/// (2007), equations 17 and 14: each a factor and an exponent of N.
pub const PUBLISHED: [(f64, f64); 2] = [(247.0, 0.35), (0.20, 0.81)];

/// Overhead of a block step, in pairs that a GPU evaluates in the same time.
const OVERHEAD: f64 = 4e7;

/// Returns the expected time of an integration, in units of the time of a pair.
pub fn expected(device: &Device, n: usize, eta: f64) -> f64 {
    let n = n as f64;
    let [steps, block] = PUBLISHED.map(|(factor, exponent)| factor * n.powf(exponent));
    let overhead = if device.properties().is_some() { OVERHEAD } else { 0.0 };
    steps * (0.02 / eta).sqrt() * (block * n + overhead)
}

#[cfg(test)]
mod tests {
    use nbody::Precision;

    use super::*;

    fn experiment(limit: u64) -> Experiment {
        let options = Options::default().precision(Precision::Double);
        Experiment { eps: EPS, eta: 0.02, options, limit }
    }

    #[test]
    fn an_integration_counts_its_last_quarter_and_ends_at_one() {
        let (device, sphere) = (Device::cpu(), in_equilibrium(32, SEED).unwrap());
        let mut times = Vec::new();
        let all = experiment(u64::MAX);
        let found = all.integrate(&device, &sphere, |time| times.push(time)).unwrap();
        let Integrated { time, whole, quarter, error } = found;
        assert_eq!(time, 1.0);
        let late = times.iter().filter(|time| **time > 0.75).count() as u64;
        assert_eq!((whole.steps, quarter.steps), (times.len() as u64, late));
        assert!(times.is_sorted() && times.last() == Some(&1.0), "{times:?}");
        // Every particle is advanced at least twice, and at most once in a step.
        let particles = 64..=32 * quarter.steps;
        assert!(particles.contains(&quarter.particle_steps), "{found:?}");
        assert!(whole.particle_steps > quarter.particle_steps, "{found:?}");
        assert!(0.0 < quarter.seconds && quarter.seconds < whole.seconds, "{found:?}");
        let error = error.unwrap().abs();
        assert!(error > 0.0 && error < 1e-4, "{error}");
    }

    #[test]
    fn a_large_sphere_is_in_equilibrium_within_the_error_of_the_tree() {
        let sphere = in_equilibrium(DIRECT + 1, SEED).unwrap();
        let error = sphere.potential_energy() + 0.5;
        assert!(error != 0.0 && error.abs() < 1e-5, "{error:e}");
        assert!((sphere.kinetic_energy() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn an_integration_beyond_the_limit_is_given_up() {
        let (device, sphere) = (Device::cpu(), in_equilibrium(32, SEED).unwrap());
        let found = experiment(10).integrate(&device, &sphere, |_| {}).unwrap();
        assert_eq!((found.whole.steps, found.quarter.steps, found.error), (10, 0, None));
        assert!(found.time > 0.0 && found.time < 1.0, "{found:?}");
        // A limit that is just enough does not end the integration.
        let steps = experiment(u64::MAX).integrate(&device, &sphere, |_| {}).unwrap().whole.steps;
        let just = experiment(steps).integrate(&device, &sphere, |_| {}).unwrap();
        assert!(just.error.is_some() && just.time == 1.0, "{just:?}");
    }

    #[test]
    fn work_grows_with_particles_and_accuracy() {
        let cpu = Device::cpu();
        let work = expected(&cpu, 1024, 0.02);
        assert!((work / (2795.0 * 54.9 * 1024.0) - 1.0).abs() < 1e-2, "{work}");
        assert!((expected(&cpu, 1024, 0.005) / work - 2.0).abs() < 1e-9);
        assert!((expected(&cpu, 2048, 0.02) / work - f64::exp2(2.16)).abs() < 1e-9);
    }
}
