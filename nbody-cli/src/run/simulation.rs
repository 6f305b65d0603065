//! A run with any of the integrators.

use nbody::models::{Particle, Snapshot};
use nbody::untyped::EngineState;
use nbody::{AllPairs, Device, Engine, Opening, Tree};
use nbody_integrate::{
    BlockCheckpoint, BlockHermite, BlockStar, Energies, Error, Hermite, HermiteCheckpoint,
    Integrator, Leapfrog, LeapfrogCheckpoint, Motion, Star, Start, StepLimits,
};
use nbody_interactions::{gravity, hermite};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::settings::{self, Settings};

/// The integration of a cluster with any of the integrators.
pub enum Simulation {
    Hermite(Box<BlockHermite>),
    HermiteShared(Box<Hermite>),
    Leapfrog(Box<Leapfrog>),
}

/// The state between two steps, from which a run continues to the last bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The time in ticks since the beginning; the speed and the longest step of
    /// [`nbody_integrate::StepLimits`]; for each particle position, velocity, acceleration, jerk
    /// and mass, then its time, its step and the end of the step in ticks.
    Hermite { begin: f64, ticks: u64, limits: [f64; 2], particles: Vec<([f64; 13], [u32; 3])> },
    /// The time in ticks since the beginning; the level of the next step; the speed and the
    /// longest step of [`nbody_integrate::StepLimits`]; for each particle position, velocity,
    /// acceleration, jerk and mass.
    HermiteShared {
        begin: f64,
        ticks: u64,
        level: u32,
        limits: [f64; 2],
        particles: Vec<[f64; 13]>,
    },
    /// The number of steps since the beginning; for each particle position, velocity and mass.
    Leapfrog { begin: f64, steps: u64, particles: Vec<[f64; 7]> },
}

impl State {
    pub fn particles(&self) -> usize {
        match self {
            Self::Hermite { particles, .. } => particles.len(),
            Self::HermiteShared { particles, .. } => particles.len(),
            Self::Leapfrog { particles, .. } => particles.len(),
        }
    }

    /// Returns this state without its particles.
    pub fn without_particles(&self) -> Self {
        match *self {
            Self::Hermite { begin, ticks, limits, .. } => {
                Self::Hermite { begin, ticks, limits, particles: Vec::new() }
            }
            Self::HermiteShared { begin, ticks, level, limits, .. } => {
                Self::HermiteShared { begin, ticks, level, limits, particles: Vec::new() }
            }
            Self::Leapfrog { begin, steps, .. } => {
                Self::Leapfrog { begin, steps, particles: Vec::new() }
            }
        }
    }

    /// Returns the particles as parts of JSON, with commas between them.
    pub fn rows(&self) -> serde_json::Result<Vec<Vec<u8>>> {
        match self {
            Self::Hermite { particles, .. } => rows(particles),
            Self::HermiteShared { particles, .. } => rows(particles),
            Self::Leapfrog { particles, .. } => rows(particles),
        }
    }

    /// Returns a reason why this is no state of a run: invalid masses, or their sum.
    pub fn fault(&self) -> Option<String> {
        let masses: Vec<_> = match self {
            Self::Hermite { particles, .. } => particles.iter().map(|it| it.0[12]).collect(),
            Self::HermiteShared { particles, .. } => particles.iter().map(|it| it[12]).collect(),
            Self::Leapfrog { particles, .. } => particles.iter().map(|it| it[6]).collect(),
        };
        if let Some(index) = masses.iter().position(|mass| *mass < 0.0) {
            return Some(format!("its particle {index} has mass {}", masses[index]));
        }
        let (count, total) = (masses.len(), masses.iter().sum::<f64>());
        let is_massive = total > 0.0 && total.is_finite();
        (!is_massive).then(|| format!("its {count} particles have a total mass of {}", total + 0.0))
    }

    /// Returns whether this is a state of the given integrator.
    pub fn is_of(&self, integrator: &settings::Integrator) -> bool {
        matches!(
            (self, integrator),
            (Self::Hermite { .. }, settings::Integrator::Hermite(_))
                | (Self::HermiteShared { .. }, settings::Integrator::HermiteShared(_))
                | (Self::Leapfrog { .. }, settings::Integrator::Leapfrog { .. })
        )
    }
}

/// Rows that a thread formats at a time.
const CHUNK: usize = 1 << 12;

/// Formats rows as parts of JSON by all threads.
fn rows<T: Serialize + Sync>(rows: &[T]) -> serde_json::Result<Vec<Vec<u8>>> {
    let text = |(chunk, rows): (usize, &[T])| {
        let mut text = Vec::new();
        for (k, row) in rows.iter().enumerate() {
            if chunk + k > 0 {
                text.push(b',');
            }
            serde_json::to_writer(&mut text, row)?;
        }
        Ok(text)
    };
    rows.par_chunks(CHUNK).enumerate().map(text).collect()
}

/// Compiles the programs of a tree for `n` particles, which takes seconds on a GPU.
pub fn prepare_tree(device: &Device, settings: &Settings, n: usize) -> Result<(), nbody::Error> {
    match settings.integrator {
        settings::Integrator::Leapfrog { tree: tree @ Some(_), .. } => {
            leapfrog(device, settings, tree)?.prepare(n)
        }
        _ => Ok(()),
    }
}

impl Simulation {
    /// Begins with these particles.
    pub fn new(device: &Device, settings: &Settings, snapshot: &Snapshot) -> Result<Self, Error> {
        let motions = motions(snapshot);
        let start = Start::new(&motions).begin(snapshot.time);
        match settings.integrator {
            settings::Integrator::Hermite(chosen) => {
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = BlockHermite::new(engine, start, options)?;
                Ok(Self::Hermite(Box::new(run)))
            }
            settings::Integrator::HermiteShared(chosen) => {
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = Hermite::new(engine, start, options)?;
                Ok(Self::HermiteShared(Box::new(run)))
            }
            settings::Integrator::Leapfrog { step, tree } => {
                let run = Leapfrog::new(leapfrog(device, settings, tree)?, start, step)?;
                Ok(Self::Leapfrog(Box::new(run)))
            }
        }
    }

    /// Continues from a state of the same integrator.
    pub fn resume(device: &Device, settings: &Settings, state: &State) -> Result<Self, Error> {
        match (state, settings.integrator) {
            (
                &State::Hermite { begin, ticks, limits: [speed, longest], ref particles },
                settings::Integrator::Hermite(chosen),
            ) => {
                let stars = particles.iter().map(block_star).collect();
                let limits = StepLimits { speed, longest };
                let checkpoint = BlockCheckpoint { begin, ticks, limits, stars };
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = BlockHermite::resume(engine, &checkpoint.stars, &checkpoint, options)?;
                Ok(Self::Hermite(Box::new(run)))
            }
            (
                &State::HermiteShared {
                    begin,
                    ticks,
                    level,
                    limits: [speed, longest],
                    ref particles,
                },
                settings::Integrator::HermiteShared(chosen),
            ) => {
                let stars = particles.iter().map(star).collect();
                let limits = StepLimits { speed, longest };
                let checkpoint = HermiteCheckpoint { begin, ticks, level, limits, stars };
                let (engine, options) = (hermite(device, settings)?, chosen.options());
                let run = Hermite::resume(engine, &checkpoint.stars, &checkpoint, options)?;
                Ok(Self::HermiteShared(Box::new(run)))
            }
            (
                &State::Leapfrog { begin, steps, ref particles },
                settings::Integrator::Leapfrog { step, tree },
            ) => {
                let motions = particles.iter().map(motion).collect();
                let engine = leapfrog(device, settings, tree)?;
                // All pairs, and trees opened by an angle, keep nothing of previous steps.
                let state = EngineState::Nothing;
                let checkpoint = LeapfrogCheckpoint { begin, steps, motions, engine: state };
                let run = Leapfrog::resume(engine, &checkpoint.motions, &checkpoint, step)?;
                Ok(Self::Leapfrog(Box::new(run)))
            }
            _ => panic!("a state of another integrator"),
        }
    }

    fn run(&self) -> &dyn Integrator {
        match self {
            Self::Hermite(run) => &**run,
            Self::HermiteShared(run) => &**run,
            Self::Leapfrog(run) => &**run,
        }
    }

    fn run_mut(&mut self) -> &mut dyn Integrator {
        match self {
            Self::Hermite(run) => &mut **run,
            Self::HermiteShared(run) => &mut **run,
            Self::Leapfrog(run) => &mut **run,
        }
    }

    /// Advances by one step, and returns the number of particles that it advanced.
    pub fn advance(&mut self) -> Result<u64, Error> {
        let run = self.run_mut();
        let before = run.steps().particle_steps;
        run.advance()?;
        Ok(run.steps().particle_steps - before)
    }

    /// Waits until the device has finished all steps, so that they can be timed.
    pub fn wait(&mut self) -> Result<(), Error> {
        self.run().wait()
    }

    pub fn time(&self) -> f64 {
        self.run().time()
    }

    /// Returns the number of pairs of the last step, if it is less than all.
    pub fn evaluated_pairs(&self) -> Result<Option<u64>, Error> {
        match self {
            Self::Leapfrog(run) => Ok(run.engine().evaluated_pairs()?),
            Self::Hermite(_) | Self::HermiteShared(_) => Ok(None),
        }
    }

    /// Returns the length of the next step.
    pub fn step(&self) -> f64 {
        self.run().next_time() - self.run().time()
    }

    /// Returns whether the next step ends by this time, up to rounding.
    pub fn ends_by(&self, time: f64) -> bool {
        self.run().ends_by(time)
    }

    /// Returns the particles at a time within the next step, predicted from its beginning.
    pub fn snapshot(&self, time: f64) -> Result<Snapshot, Error> {
        let motions = self.run().motions_at(time)?;
        let particle = |it: &Motion| Particle { mass: it.mass, pos: it.pos.0, vel: it.vel.0 };
        // An integrator with a constant step does not notice NaN.
        Motion::check(&motions)?;
        Ok(Snapshot { time, particles: motions.iter().map(particle).collect() })
    }

    /// Returns the energies at the time of the last step.
    pub fn energies(&mut self) -> Result<Energies, Error> {
        self.run_mut().energies()
    }

    pub fn state(&self) -> Result<State, Error> {
        match self {
            Self::Hermite(run) => {
                let BlockCheckpoint { begin, ticks, limits, stars } = run.checkpoint()?;
                let particles = stars.iter().map(block_numbers).collect();
                let limits = [limits.speed, limits.longest];
                Ok(State::Hermite { begin, ticks, limits, particles })
            }
            Self::HermiteShared(run) => {
                let HermiteCheckpoint { begin, ticks, level, limits, stars } = run.checkpoint()?;
                let particles = stars.iter().map(numbers).collect();
                let limits = [limits.speed, limits.longest];
                Ok(State::HermiteShared { begin, ticks, level, limits, particles })
            }
            Self::Leapfrog(run) => {
                let LeapfrogCheckpoint { begin, steps, motions, .. } = run.checkpoint()?;
                let particles = motions.iter().map(motion_numbers).collect();
                Ok(State::Leapfrog { begin, steps, particles })
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

/// Returns the engine of the leapfrog integrator.
fn leapfrog(
    device: &Device,
    settings: &Settings,
    tree: Option<f64>,
) -> Result<Box<dyn Engine<gravity::Gravity>>, nbody::Error> {
    let law = gravity::Gravity { eps2: settings.eps * settings.eps };
    let options = settings.options();
    Ok(match tree {
        None => Box::new(AllPairs::with_options(device, law, options)?),
        Some(theta) => Box::new(Tree::with_options(device, law, Opening::theta(theta), options)?),
    })
}

/// Returns the motions of particles.
pub fn motions(snapshot: &Snapshot) -> Vec<Motion> {
    snapshot.particles.iter().map(|it| Motion::new(it.pos, it.vel, it.mass)).collect()
}

fn motion(&[x, y, z, vx, vy, vz, mass]: &[f64; 7]) -> Motion {
    Motion { pos: [x, y, z].into(), vel: [vx, vy, vz].into(), mass }
}

fn motion_numbers(motion: &Motion) -> [f64; 7] {
    let (&[x, y, z], &[vx, vy, vz]) = (&motion.pos.0, &motion.vel.0);
    [x, y, z, vx, vy, vz, motion.mass]
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
