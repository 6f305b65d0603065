//! A run by any of the integrators.

use nbody::models::{Particle, Snapshot};
use nbody::{AllPairs, Device};
use nbody_integrate::{
    BlockCheckpoint, BlockHermite, BlockStar, Checkpoint, Energies, Error, Hermite, Leapfrog,
    Motion, Star,
};
use nbody_interactions::{gravity, hermite};
use serde::{Deserialize, Serialize};

use super::settings::{Integrator, Settings};

/// The integration of a cluster by any of the integrators.
pub enum Simulation {
    Hermite(Box<BlockHermite<hermite::Hermite>>),
    HermiteShared(Box<Hermite<hermite::Hermite>>),
    Leapfrog(Box<LeapfrogRun>),
}

/// A leapfrog integration, its steps counted from the beginning of the run also after a restart.
pub struct LeapfrogRun {
    run: Leapfrog<gravity::Gravity>,
    begin: f64,
    steps: u64,
}

/// The state between two steps, from which a run continues to the last bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The time in ticks since the beginning, and of each particle position, velocity, acceleration,
    /// its derivative, and mass; its time, its step and the end of the step in ticks.
    Hermite { begin: f64, ticks: u64, particles: Vec<([f64; 13], [u32; 3])> },
    /// The time in ticks since the beginning, the level of the next step, and of each particle
    /// position, velocity, acceleration, its derivative, and mass.
    HermiteShared { begin: f64, ticks: u64, level: u32, particles: Vec<[f64; 13]> },
    /// The number of steps since the beginning, and of each particle position, velocity and mass.
    Leapfrog { begin: f64, steps: u64, particles: Vec<[f64; 7]> },
}

impl State {
    /// Returns the number of particles.
    pub fn particles(&self) -> usize {
        match self {
            Self::Hermite { particles, .. } => particles.len(),
            Self::HermiteShared { particles, .. } => particles.len(),
            Self::Leapfrog { particles, .. } => particles.len(),
        }
    }

    /// Returns whether it is a state of this integrator.
    pub fn is_of(&self, integrator: &Integrator) -> bool {
        matches!(
            (self, integrator),
            (Self::Hermite { .. }, Integrator::Hermite(_))
                | (Self::HermiteShared { .. }, Integrator::HermiteShared(_))
                | (Self::Leapfrog { .. }, Integrator::Leapfrog { .. })
        )
    }
}

impl Simulation {
    /// Begins with these particles.
    pub fn new(device: &Device, settings: &Settings, snapshot: &Snapshot) -> Result<Self, Error> {
        let motions = motions(snapshot);
        let begin = snapshot.time;
        match settings.integrator {
            Integrator::Hermite(chosen) => {
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = BlockHermite::new(engine, &bodies(&motions), &motions, begin, options)?;
                Ok(Self::Hermite(Box::new(run)))
            }
            Integrator::HermiteShared(chosen) => {
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = Hermite::new(engine, &bodies(&motions), &motions, begin, options)?;
                Ok(Self::HermiteShared(Box::new(run)))
            }
            Integrator::Leapfrog { step } => {
                Self::leapfrog(device, settings, &motions, step, begin, 0)
            }
        }
    }

    /// Continues from a state of the same integrator.
    pub fn resume(device: &Device, settings: &Settings, state: &State) -> Result<Self, Error> {
        match (state, settings.integrator) {
            (&State::Hermite { begin, ticks, ref particles }, Integrator::Hermite(chosen)) => {
                let stars: Vec<_> = particles.iter().map(block_star).collect();
                let motion = |star: &BlockStar| motion(star.pos.0, star.vel.0, star.mass);
                let motions: Vec<_> = stars.iter().map(motion).collect();
                let checkpoint = BlockCheckpoint { begin, ticks, stars };
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = BlockHermite::resume(engine, &bodies(&motions), &checkpoint, options)?;
                Ok(Self::Hermite(Box::new(run)))
            }
            (
                &State::HermiteShared { begin, ticks, level, ref particles },
                Integrator::HermiteShared(chosen),
            ) => {
                let stars: Vec<_> = particles.iter().map(star).collect();
                let motion = |star: &Star| motion(star.pos.0, star.vel.0, star.mass);
                let motions: Vec<_> = stars.iter().map(motion).collect();
                let checkpoint = Checkpoint { begin, ticks, level, stars };
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = Hermite::resume(engine, &bodies(&motions), &checkpoint, options)?;
                Ok(Self::HermiteShared(Box::new(run)))
            }
            (&State::Leapfrog { begin, steps, ref particles }, Integrator::Leapfrog { step }) => {
                let motion =
                    |&[x, y, z, vx, vy, vz, mass]: &[f64; 7]| motion([x, y, z], [vx, vy, vz], mass);
                let motions: Vec<_> = particles.iter().map(motion).collect();
                Self::leapfrog(device, settings, &motions, step, begin, steps)
            }
            _ => panic!("a state of another integrator"),
        }
    }

    fn leapfrog(
        device: &Device,
        settings: &Settings,
        motions: &[Motion],
        step: f64,
        begin: f64,
        steps: u64,
    ) -> Result<Self, Error> {
        let law = gravity::Gravity { eps2: settings.eps * settings.eps };
        let engine = AllPairs::with_options(device, law, settings.options())?;
        let body = |it: &Motion| gravity::Body { pos: it.pos, mass: it.mass };
        let bodies: Vec<_> = motions.iter().map(body).collect();
        let run = Leapfrog::new(engine, &bodies, motions, begin, step)?;
        Ok(Self::Leapfrog(Box::new(LeapfrogRun { run, begin, steps })))
    }

    /// Advances by one step, and returns the number of particles that it advanced, if not all.
    pub fn advance(&mut self) -> Result<Option<u64>, Error> {
        match self {
            Self::Hermite(run) => {
                let [_, before] = run.steps();
                run.advance()?;
                return Ok(Some(run.steps()[1] - before));
            }
            Self::HermiteShared(run) => run.advance()?,
            Self::Leapfrog(it) => {
                it.run.advance()?;
                it.steps += 1;
            }
        }
        Ok(None)
    }

    /// Waits until the device has done all steps, so that they can be timed.
    pub fn finish(&mut self) -> Result<(), Error> {
        match self {
            // The choice of each step is read from the device.
            Self::Hermite(_) | Self::HermiteShared(_) => Ok(()),
            Self::Leapfrog(it) => it.run.energies().map(drop),
        }
    }

    pub fn time(&self) -> f64 {
        match self {
            Self::Hermite(run) => run.time(),
            Self::HermiteShared(run) => run.time(),
            // As without a restart, to the last bit.
            Self::Leapfrog(it) => it.begin + it.steps as f64 * it.run.step(),
        }
    }

    /// Returns the length of the next step.
    pub fn step(&self) -> f64 {
        match self {
            Self::Hermite(run) => run.next_time() - run.time(),
            Self::HermiteShared(run) => run.step(),
            Self::Leapfrog(it) => it.run.step(),
        }
    }

    /// Returns the particles at a time within the next step: predicted by the Hermite integrator, those at
    /// its beginning by leapfrog.
    pub fn snapshot(&self, time: f64) -> Result<Snapshot, Error> {
        let motions = match self {
            Self::Hermite(run) => run.motions_at(time)?,
            Self::HermiteShared(run) => run.motions_at(time)?,
            Self::Leapfrog(it) => it.run.motions()?,
        };
        let particle = |it: &Motion| Particle { mass: it.mass, pos: it.pos.0, vel: it.vel.0 };
        // An integrator without a choice of steps does not see NaN.
        Motion::check(&motions)?;
        Ok(Snapshot { time, particles: motions.iter().map(particle).collect() })
    }

    /// Returns the energies at the time of the last step.
    pub fn energies(&mut self) -> Result<Energies, Error> {
        match self {
            Self::Hermite(run) => run.energies(),
            Self::HermiteShared(run) => run.energies(),
            Self::Leapfrog(it) => it.run.energies(),
        }
    }

    pub fn state(&self) -> Result<State, Error> {
        match self {
            Self::Hermite(run) => {
                let BlockCheckpoint { begin, ticks, stars } = run.checkpoint()?;
                let particles = stars.iter().map(block_numbers).collect();
                Ok(State::Hermite { begin, ticks, particles })
            }
            Self::HermiteShared(run) => {
                let Checkpoint { begin, ticks, level, stars } = run.checkpoint()?;
                let particles = stars.iter().map(numbers).collect();
                Ok(State::HermiteShared { begin, ticks, level, particles })
            }
            Self::Leapfrog(it) => {
                let numbers = |it: &Motion| {
                    let (&[x, y, z], &[vx, vy, vz]) = (&it.pos.0, &it.vel.0);
                    [x, y, z, vx, vy, vz, it.mass]
                };
                let particles = it.run.motions()?.iter().map(numbers).collect();
                Ok(State::Leapfrog { begin: it.begin, steps: it.steps, particles })
            }
        }
    }
}

/// Returns the engine of a Hermite integrator.
fn hermite(
    device: &Device,
    settings: &Settings,
) -> Result<AllPairs<hermite::Hermite>, nbody::Error> {
    let law = hermite::Hermite { eps2: settings.eps * settings.eps };
    AllPairs::with_options(device, law, settings.options())
}

/// Returns the motions of the particles.
pub fn motions(snapshot: &Snapshot) -> Vec<Motion> {
    snapshot.particles.iter().map(|it| motion(it.pos, it.vel, it.mass)).collect()
}

/// Returns particles in these motions.
pub fn bodies(motions: &[Motion]) -> Vec<hermite::Body> {
    let body = |it: &Motion| hermite::Body { pos: it.pos, vel: it.vel, mass: it.mass };
    motions.iter().map(body).collect()
}

fn motion(pos: [f64; 3], vel: [f64; 3], mass: f64) -> Motion {
    Motion { pos: pos.into(), vel: vel.into(), mass }
}

fn star(numbers: &[f64; 13]) -> Star {
    let three = |at: usize| [0, 1, 2].map(|k| numbers[at + k]);
    Star {
        pos: three(0).into(),
        vel: three(3).into(),
        acc: three(6).into(),
        jerk: three(9).into(),
        mass: numbers[12],
    }
}

fn numbers(star: &Star) -> [f64; 13] {
    let vectors = [star.pos.0, star.vel.0, star.acc.0, star.jerk.0];
    let mut numbers = [star.mass; 13];
    numbers[..12].copy_from_slice(vectors.as_flattened());
    numbers
}

fn block_star(&(numbers, [time, step, due]): &([f64; 13], [u32; 3])) -> BlockStar {
    let Star { pos, vel, acc, jerk, mass } = star(&numbers);
    BlockStar { pos, vel, acc, jerk, mass, time, step, due }
}

fn block_numbers(star: &BlockStar) -> ([f64; 13], [u32; 3]) {
    let &BlockStar { pos, vel, acc, jerk, mass, time, step, due } = star;
    (numbers(&Star { pos, vel, acc, jerk, mass }), [time, step, due])
}
