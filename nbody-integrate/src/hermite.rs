//! The Hermite integrator with a shared step.

use nbody::law::Law;
use nbody::untyped::{Beside, Buffer, Rows as _};
use nbody::{Device, Particles, PerParticle, Precision, Vector};

use crate::clock::{Clock, LEVELS};
use crate::engine::RunEngine;
use crate::forces::{
    self, ACC, Energetics, Forces, HERMITE, JERK, POS, Place as Places, VEL, check_continued,
    check_masses, check_motions, others, results, vectors, wait,
};
use crate::limits::StepLimits;
use crate::motion::Motion;
use crate::prepare::{Job, prepare};
use crate::programs::hermite::{
    Accept, Begin, Correct, End, FirstStep, Place, Predict, Shortest, Star, Step,
};
use crate::programs::leapfrog::Energies;
use crate::start::{Beginning, Sets};
use crate::steps::{NextStep, Steps, check_begin, check_resolution};
use crate::{Error, HermiteOptions, Integrator};

/// The fourth-order Hermite integrator (Makino & Aarseth 1992), P(EC)ⁿ, with one step for all
/// particles: the shortest that any particle needs by the criterion of Aarseth (1985), rounded
/// down to a power of two of the largest step.
///
/// The interaction's particles must have a velocity, and its results `acc: Vector` and `jerk:
/// Vector`, the time derivative of the acceleration. The state is kept in `f64` on the device;
/// forces are evaluated in the precision of the engine: see [`HermiteOptions`].
///
/// It suits a few bodies with similar orbits. In a cluster one close pair shortens the steps of
/// all particles: [`BlockHermite`](crate::BlockHermite) is faster there.
///
/// ```
/// use nbody::prelude::*;
/// use nbody_integrate::{Hermite, HermiteOptions, Integrator, Motion};
/// use nbody_interactions::hermite;
///
/// # fn main() -> Result<(), nbody_integrate::Error> {
/// // Two bodies that circle each other with a period of 2 π.
/// let bodies = [-0.5, 0.5].map(|x| Motion::new([x, 0.0, 0.0], [0.0, x, 0.0], 0.5));
/// let options = Options::default().precision(Precision::Double);
/// let law = hermite::Hermite { eps2: 0.0 };
/// let engine = AllPairs::with_options(&Device::cpu(), law, options)?;
/// let steps = HermiteOptions::default().eta(0.01).iterations(2);
/// let mut run = Hermite::new(engine, &bodies, steps)?;
/// let half = std::f64::consts::PI;
/// run.advance_to(half)?;
/// let end = run.motions_at(half)?;
/// assert!((end[0].pos.x - 0.5).abs() < 1e-5, "{:?}", end[0]);
/// assert!((run.energies()?.total() + 0.125).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Hermite {
    forces: Forces,
    stars: Particles<Star>,
    ends: Particles<End>,
    programs: Programs,
    energetics: Energetics,
    options: HermiteOptions,
    precision: Precision,
    limits: StepLimits,
    clock: Clock,
    /// A particle that needs a step shorter than the shortest.
    too_short: Option<u32>,
    steps: Steps,
}

/// The level of a checkpoint if no step is short enough.
const NO_STEP: u32 = LEVELS + 1;

/// The state of a [`Hermite`] run between two steps, from which another run continues to the last
/// bit.
#[derive(Clone, Debug, PartialEq)]
pub struct HermiteCheckpoint {
    /// The time from which ticks are counted: the beginning of the run, or a later time in a long
    /// run.
    pub begin: f64,
    /// The time since then in ticks; a tick is 2⁻⁴⁰ of the largest step.
    pub ticks: u64,
    /// The next step is the largest divided by two to this power; 41 if no step is short enough.
    pub level: u32,
    /// The limits of steps.
    pub limits: StepLimits,
    /// The particles.
    pub stars: Vec<Star>,
}

#[derive(Debug)]
struct Programs {
    predict: PerParticle<Predict>,
    place: PerParticle<Place>,
    correct: PerParticle<Correct>,
    accept: PerParticle<Accept>,
    step: PerParticle<Step>,
}

impl Programs {
    fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self {
            predict: PerParticle::new(device, Predict { dt: 0.0 })?,
            place: PerParticle::new(device, Place)?,
            correct: PerParticle::new(device, Correct { dt: 0.0 })?,
            accept: PerParticle::new(device, Accept)?,
            step: PerParticle::new(device, Step::default())?,
        })
    }
}

impl Hermite {
    pub(crate) fn begin(
        engine: RunEngine,
        start: Beginning<'_>,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        let motions = start.moving()?;
        let sets = start.sets(engine.law(), engine.is_one_type)?;
        check_motions(&motions, sets.i.count())?;
        let zero = [0.0; 3];
        let star = |motion: &Motion| {
            let &Motion { pos, vel, mass } = motion;
            Star { pos, vel, acc: zero.into(), jerk: zero.into(), mass }
        };
        let stars: Vec<_> = motions.iter().map(star).collect();
        let clock = Clock::new(start.time(), options.largest);
        let mut run = Self::with_stars(engine, &sets, &stars, clock, options)?;
        let mut begin = PerParticle::new(run.forces.device(), Begin)?;
        let mut first = PerParticle::new(run.forces.device(), FirstStep::default())?;
        run.prepare(Some((&mut begin, &mut first)))?;
        run.choose_first(&motions, begin, first)?;
        Ok(run)
    }

    pub(crate) fn continued(
        engine: RunEngine,
        start: Beginning<'_>,
        checkpoint: &HermiteCheckpoint,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        start.check_resumed()?;
        let sets = start.sets(engine.law(), engine.is_one_type)?;
        let &HermiteCheckpoint { begin, ticks, level, limits, ref stars } = checkpoint;
        check_motions(&Motion::of(stars)?, sets.i.count())?;
        check_continued(stars.iter().map(|star| [star.acc, star.jerk]))?;
        limits.check()?;
        let has_step = level != NO_STEP;
        let clock = Clock::at(begin, options.largest, ticks, level - u32::from(!has_step))?;
        let mut run = Self::with_stars(engine, &sets, stars, clock, options)?;
        run.prepare(None)?;
        run.limits = limits;
        run.too_short = (!has_step).then(|| hastiest(stars));
        Ok(run)
    }

    fn with_stars(
        engine: RunEngine,
        sets: &Sets<'_>,
        stars: &[Star],
        clock: Clock,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        options.check()?;
        check_begin(clock.time())?;
        check_resolution(clock.time(), options.largest)?;
        check_fields(engine.law())?;
        check_masses(stars.iter().map(|star| star.mass))?;
        let (device, law) = (engine.device.clone(), engine.law());
        let precision = engine.engine.options().precision;
        let ends = vec![<End>::default(); stars.len()];
        Ok(Self {
            forces: Forces::new(engine, sets)?,
            stars: device.upload(stars, Precision::Double)?,
            ends: device.upload(&ends, Precision::Double)?,
            programs: Programs::new(&device)?,
            energetics: Energetics::new(&device, law)?,
            options,
            precision,
            limits: StepLimits::default(),
            clock,
            too_short: None,
            steps: Steps::default(),
        })
    }

    /// Compiles the programs of all steps, and of the first one.
    fn prepare(
        &mut self,
        begin: Option<(&mut PerParticle<Begin>, &mut PerParticle<FirstStep>)>,
    ) -> Result<(), Error> {
        let Self { forces, stars, ends, programs, energetics, .. } = self;
        let (stars, ends, device) = (stars.untyped(), ends.untyped(), forces.device().clone());
        let (particles, forces, engine) = forces.prepared();
        let Programs { predict, place, correct, accept, step } = programs;
        let mut jobs: Vec<Job<'_>> = vec![
            engine,
            Box::new(|| predict.prepare_untyped(particles, others(&[stars]))),
            Box::new(|| {
                correct.prepare_untyped(ends, Beside { q: &[stars], f: &[forces], g: &[] })
            }),
            Box::new(|| accept.prepare_untyped(stars, others(&[ends]))),
            Box::new(|| step.prepare_measure(ends, others(&[stars]))),
            Box::new(|| energetics.prepare(stars, forces)),
        ];
        if self.options.iterations > 1 {
            jobs.push(Box::new(|| place.prepare_untyped(particles, others(&[ends]))));
        }
        if let Some((begin, first)) = begin {
            jobs.push(Box::new(|| begin.prepare_untyped(stars, results(&[forces]))));
            jobs.push(Box::new(|| first.prepare_measure(stars, results(&[forces]))));
        }
        prepare(&device, jobs)
    }

    /// Evaluates the first forces, again a little later, and chooses the first step.
    fn choose_first(
        &mut self,
        motions: &[Motion],
        mut begin: PerParticle<Begin>,
        mut first: PerParticle<FirstStep>,
    ) -> Result<(), Error> {
        self.predict(0.0)?;
        let stars = self.stars.untyped_mut();
        begin.update_untyped(stars, results(&[&*self.forces.results]), None)?;
        let [acc, jerk] = vectors(&*self.forces.results, ["acc", "jerk"])?;
        let options = self.options;
        let (limits, dt) = StepLimits::of(motions, [&acc, &jerk], self.precision, options);
        self.limits = limits;
        self.predict(dt)?;
        let StepLimits { speed, longest } = limits;
        let HermiteOptions { eta_start, eta, .. } = options;
        first.set_parameters(FirstStep { eta_start, eta, dt, speed, longest });
        let forces = &[&*self.forces.results];
        let shortest = first.measure_untyped(self.stars.untyped(), results(forces))?;
        let is_first = true;
        self.choose(&shortest, is_first)
    }

    /// Predicts the particles from the beginning of the step, and evaluates the forces on them.
    fn predict(&mut self, dt: f64) -> Result<(), Error> {
        let Self { forces, stars, programs, .. } = self;
        programs.predict.set_parameters(Predict { dt });
        forces.evaluate(&mut Predicted { program: &mut programs.predict, stars })
    }

    /// Chooses the next step.
    fn choose(&mut self, shortest: &Shortest, is_first: bool) -> Result<(), Error> {
        let Shortest { step, lost } = shortest;
        let mut fits = |wanted: f64| {
            if is_first { self.clock.choose_first(wanted) } else { self.clock.choose(wanted) }
        };
        if lost.value == 0.0 {
            self.too_short = Some(lost.index);
        } else if !fits(step.value) {
            self.too_short = Some(step.index);
        }
        self.check_step()
    }

    /// Refuses a next step that is too short.
    fn check_step(&self) -> Result<(), Error> {
        self.too_short.map_or(Ok(()), |index| Err(self.close(index)))
    }

    /// Returns the error for a particle with too short a step; it names the nearest other
    /// particle.
    fn close(&self, index: u32) -> Error {
        let stars = match self.stars.download() {
            Ok(stars) => stars,
            Err(error) => return error.into(),
        };
        let Some(first) = stars.get(index as usize) else {
            return Error::NoParticles;
        };
        let shortest = if is_finite([first.acc, first.jerk]) {
            self.options.largest / (1_u64 << LEVELS) as f64
        } else {
            0.0
        };
        let bodies: Vec<_> =
            stars.iter().map(|&Star { pos, vel, mass, .. }| Motion { pos, vel, mass }).collect();
        close(&bodies, index, self.clock.time(), shortest)
    }

    /// Returns the length of the next step.
    pub fn step(&self) -> f64 {
        self.clock.step()
    }

    /// Returns the state, from which [`resume`](Self::resume) continues to the last bit.
    pub fn checkpoint(&self) -> Result<HermiteCheckpoint, Error> {
        self.forces.check_stateless()?;
        let (begin, ticks, level) = self.clock.state();
        let level = if self.too_short.is_some() { NO_STEP } else { level };
        let (limits, stars) = (self.limits, self.stars.download()?);
        Ok(HermiteCheckpoint { begin, ticks, level, limits, stars })
    }
}

impl Integrator for Hermite {
    fn advance(&mut self) -> Result<(), Error> {
        self.check_step()?;
        let (dt, eta) = (self.clock.step(), self.options.eta);
        self.programs.correct.set_parameters(Correct { dt });
        self.predict(dt)?;
        let Self { forces, stars, ends, programs, .. } = self;
        let Programs { place, correct, accept, step, .. } = programs;
        let both = Beside { q: &[stars.untyped()], f: &[&*forces.results], g: &[] };
        correct.update_untyped(ends.untyped_mut(), both, None)?;
        for _ in 1..self.options.iterations {
            forces.evaluate(&mut Ended { program: place, ends })?;
            let both = Beside { q: &[stars.untyped()], f: &[&*forces.results], g: &[] };
            correct.update_untyped(ends.untyped_mut(), both, None)?;
        }
        let StepLimits { speed, longest } = self.limits;
        step.set_parameters(Step { dt, eta, speed, longest });
        let shortest = step.measure(ends, &*stars)?;
        accept.update(stars, &*ends)?;
        self.clock.advance();
        self.steps.count(self.stars.len());
        self.choose(&shortest, false)
    }

    fn wait(&self) -> Result<(), Error> {
        wait(&self.stars)
    }

    fn time(&self) -> f64 {
        self.clock.time()
    }

    fn next_time(&self) -> f64 {
        self.clock.next_time()
    }

    fn longest_step(&self) -> f64 {
        self.options.largest
    }

    fn steps(&self) -> Steps {
        self.steps
    }

    fn motions_at(&self, time: f64) -> Result<Vec<Motion>, Error> {
        NextStep { begin: self.time(), end: self.next_time() }.check(time)?;
        Motion::predict(Predict { dt: time - self.time() }, &self.stars.download()?)
    }

    /// Evaluates the potentials anew, which takes as long as a step.
    fn energies(&mut self) -> Result<Energies, Error> {
        self.predict(0.0)?;
        self.energetics.measure(&self.stars, &*self.forces.results)
    }
}

/// Refuses a law that lacks a field.
pub(crate) fn check_fields(law: &Law) -> Result<(), Error> {
    forces::check_fields(law, &[POS, VEL], &[ACC, JERK], HERMITE)
}

/// Returns the error for a particle with too short a step. If its forces are not finite,
/// `shortest` is 0. The error names the nearest other particle, if possible one with mass.
pub(crate) fn close(bodies: &[Motion], index: u32, time: f64, shortest: f64) -> Error {
    let first = index as usize;
    let distance = |k: usize| (bodies[k].pos - bodies[first].pos).norm();
    let nearest = |acts: bool| {
        let others = (0..bodies.len()).filter(|&k| k != first && (!acts || bodies[k].mass > 0.0));
        others.map(|k| (k, distance(k))).min_by(|(_, a), (_, b)| a.total_cmp(b))
    };
    let (second, distance) = nearest(true).or_else(|| nearest(false)).unwrap_or((first, 0.0));
    Error::Close { first, second, distance, time, step: shortest }
}

/// Returns whether an acceleration and its derivative are finite.
pub(crate) fn is_finite([acc, jerk]: [Vector<f64>; 2]) -> bool {
    acc.0.iter().chain(&jerk.0).all(|x| x.is_finite())
}

/// Returns the particle whose acceleration changes most quickly.
fn hastiest(stars: &[Star]) -> u32 {
    let time = |star: &Star| star.acc.norm() / star.jerk.norm();
    let times = stars.iter().map(time).enumerate();
    times.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(index, _)| index as u32)
}

/// Places particles at their predicted positions.
struct Predicted<'a> {
    program: &'a mut PerParticle<Predict>,
    stars: &'a Particles<Star>,
}

impl Places for Predicted<'_> {
    fn place(&mut self, particles: &mut dyn Buffer) -> Result<(), Error> {
        Ok(self.program.update_untyped(particles, others(&[self.stars.untyped()]), None)?)
    }
}

/// Places particles at the end of a step.
struct Ended<'a> {
    program: &'a mut PerParticle<Place>,
    ends: &'a Particles<End>,
}

impl Places for Ended<'_> {
    fn place(&mut self, particles: &mut dyn Buffer) -> Result<(), Error> {
        Ok(self.program.update_untyped(particles, others(&[self.ends.untyped()]), None)?)
    }
}
