//! The Hermite integrator with block time steps.
//!
//! All particles are copied and predicted to the time of the block; the particles of the block
//! come first. So i-particle k is j-particle k, as in any evaluation of one set, and no kernel
//! needs lists of indices to leave out self pairs.

use nbody::untyped::{Beside, Buffer, Engine, First, Rows as _};
use nbody::{Device, Particles, PerParticle, Precision, Selection, Sequence, Sources, Store};

use crate::clock::{REBASED, rebase};
use crate::engine::RunEngine;
use crate::forces::{
    Energetics, check_continued, check_masses, check_motions, others, results, vectors, wait,
};
use crate::hermite::{check_fields, close, is_finite};
use crate::limits::StepLimits;
use crate::motion::Motion;
use crate::prepare::{Job, prepare};
use crate::programs::block::{Begin, BlockStar, Correct, FirstStep, Improve, Predict};
use crate::programs::leapfrog::Energies;
use crate::rows::NamedRows;
use crate::softening::soften;
use crate::start::Beginning;
use crate::steps::{NextStep, Steps, check_begin, check_resolution};
use crate::{Error, HermiteOptions, Integrator};

/// The largest step in ticks. Times in ticks are modulo 2³², which exceeds any step.
const LARGEST: u32 = 1 << 30;

/// The fourth-order Hermite integrator (Makino & Aarseth 1992) with individual time steps in
/// powers of two (Makino 1991). Each particle has its own step, by the criterion of Aarseth
/// (1985). Particles whose steps end at the same time are advanced as a block, by the forces of
/// all others, predicted to that time. The method is P(EC)ⁿ: a block is corrected n times, each
/// time after the first with forces at the last corrected positions.
///
/// The interaction's particles must have a velocity, and its results `acc: Vector` and `jerk:
/// Vector`, the time derivative of the acceleration. The state is kept in `f64` on the device;
/// each step transfers two numbers to the host. Forces are evaluated in the precision of the
/// engine: see [`HermiteOptions`].
///
/// ```
/// use nbody::prelude::*;
/// use nbody_integrate::{BlockHermite, HermiteOptions, Integrator, Motion};
/// use nbody_interactions::hermite::Hermite;
/// use nbody_models::plummer;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stars = plummer(64, 1)?.particles;
/// let bodies: Vec<_> = stars.iter().map(|it| Motion::new(it.pos, it.vel, it.mass)).collect();
/// // Positions as pairs of f32, so that distances of close stars are exact.
/// let options = Options::default().precision(Precision::Mixed);
/// let engine = AllPairs::with_options(&Device::cpu(), Hermite { eps2: 1e-4 }, options)?;
/// let mut run = BlockHermite::new(engine, &bodies, HermiteOptions::default().eta(0.01))?;
/// let before = run.energies()?.total();
/// run.advance_to(0.25)?;
/// let error = (run.energies()?.total() - before) / before.abs();
/// assert!(error.abs() < 1e-6, "{error:e}");
/// let steps = run.steps();
/// println!("a block has {} stars", steps.particle_steps as f64 / steps.steps as f64);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BlockHermite {
    device: Device,
    engine: Box<dyn Engine>,
    /// The particles as given, for their other fields.
    given: Box<dyn Buffer>,
    /// All particles in the order of the selection: the block comes first.
    all: Box<dyn Buffer>,
    results: Box<dyn Buffer>,
    /// The results at the beginning, in the order of the particles, until the first step: energies
    /// need no evaluation there.
    first: Option<Box<dyn Buffer>>,
    stars: Particles<BlockStar>,
    selection: Selection,
    programs: Programs,
    /// `None` if a block is corrected only once.
    iteration: Option<Iteration>,
    energetics: Energetics,
    options: HermiteOptions,
    limits: StepLimits,
    begin: f64,
    ticks: u64,
    /// The ticks until the end of the next block step, and the number of particles that it
    /// advances.
    next: u32,
    active: usize,
    steps: Steps,
    /// The operations of a block step after the forces.
    after: Sequence,
}

/// The state of a [`BlockHermite`] run between two block steps, from which another run continues
/// to the last bit.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCheckpoint {
    /// The time from which ticks are counted: the beginning of the run, or a later time in a long
    /// run.
    pub begin: f64,
    /// The time since then in ticks; a tick is 2⁻³⁰ of the largest step.
    pub ticks: u64,
    /// The limits of steps.
    pub limits: StepLimits,
    /// The particles.
    pub stars: Vec<BlockStar>,
}

#[derive(Debug)]
struct Programs {
    predict: PerParticle<Predict>,
    correct: PerParticle<Correct>,
}

impl Programs {
    fn new(device: &Device, options: HermiteOptions) -> Result<Self, Error> {
        let (tick, largest) = (tick(options), LARGEST);
        let StepLimits { speed, longest } = StepLimits::default();
        let correct = Correct { now: 0, tick, eta: options.eta, largest, speed, longest };
        Ok(Self {
            predict: PerParticle::new(device, Predict { due: 0, tick, dt: 0.0 })?,
            correct: PerParticle::new(device, correct)?,
        })
    }

    fn set_limits(&mut self, limits: StepLimits) {
        let StepLimits { speed, longest } = limits;
        let correct = &mut self.correct;
        correct.set_parameters(Correct { speed, longest, ..*correct.parameters() });
    }

    /// Corrects the particles of the block with the forces on them.
    fn correct(
        &mut self,
        now: u32,
        selection: &Selection,
        active: usize,
        stars: &mut Particles<BlockStar>,
        forces: &dyn Buffer,
    ) -> Result<(), Error> {
        let correct = &mut self.correct;
        correct.set_parameters(Correct { now, ..*correct.parameters() });
        let first = first(selection, active);
        Ok(correct.update_untyped(stars.untyped_mut(), results(&[forces]), Some(first))?)
    }

    /// Orders the particles for the next block step, and predicts all to its time, which the host
    /// need not know yet.
    fn seek(
        &mut self,
        now: u32,
        selection: &mut Selection,
        stars: &Particles<BlockStar>,
        given: &dyn Buffer,
        all: &mut dyn Buffer,
    ) -> Result<(), Error> {
        selection.seek_soonest(stars, "due", now)?;
        let copies = First { due: Some("due"), ..copies(selection, given) };
        Ok(self.predict.update_untyped(all, others(&[stars.untyped()]), Some(copies))?)
    }
}

/// The corrections of a block except the last one.
#[derive(Debug)]
struct Iteration {
    /// The states of all particles at the beginning of their steps, in the order of the selection.
    stars: Particles<BlockStar>,
    /// All particles in the order of their buffer.
    order: Selection,
    improve: PerParticle<Improve>,
}

impl Iteration {
    fn new(device: &Device, n: usize, options: HermiteOptions) -> Result<Self, Error> {
        // A selection in which all particles are due at once keeps their order.
        let stars = device.upload(&vec![<BlockStar>::default(); n], Precision::Double)?;
        let mut order = Selection::new(device)?;
        order.select_soonest(&stars, "due", 0)?;
        let improve = PerParticle::new(device, Improve { tick: tick(options) })?;
        Ok(Self { stars, order, improve })
    }
}

impl BlockHermite {
    pub(crate) fn begin(
        engine: RunEngine,
        start: Beginning<'_>,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        check_one_type(&engine)?;
        let motions = start.moving()?;
        let particles = start.sets(engine.law(), engine.is_one_type)?.i;
        check_motions(&motions, particles.count())?;
        let zero = [0.0; 3];
        let star = |motion: &Motion| {
            let &Motion { pos, vel, mass } = motion;
            let (acc, jerk) = (zero.into(), zero.into());
            BlockStar { pos, vel, acc, jerk, mass, time: 0, step: 0, due: 0 }
        };
        let stars: Vec<_> = motions.iter().map(star).collect();
        let mut run = Self::with_stars(engine, &particles, &stars, start.time(), options)?;
        let mut begin = PerParticle::new(&run.device, Begin)?;
        let mut first = PerParticle::new(&run.device, FirstStep::default())?;
        run.prepare(Some((&mut begin, &mut first)))?;
        // All particles begin at once, and keep their order.
        run.selection.seek_soonest(&run.stars, "due", 0)?;
        run.evaluate_all(0.0)?;
        begin.update_untyped(run.stars.untyped_mut(), results(&[&*run.results]), None)?;
        run.choose_first(&motions, first)?;
        run.find_first()?;
        Ok(run)
    }

    pub(crate) fn continued(
        engine: RunEngine,
        start: Beginning<'_>,
        checkpoint: &BlockCheckpoint,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        check_one_type(&engine)?;
        start.check_resumed()?;
        let sets = start.sets(engine.law(), engine.is_one_type)?;
        let BlockCheckpoint { begin, ticks, limits, stars } = checkpoint;
        check_motions(&Motion::of(stars)?, sets.i.count())?;
        check_continued(stars.iter().map(|star| [star.acc, star.jerk]))?;
        check_times(stars, *ticks)?;
        limits.check()?;
        let mut run = Self::with_stars(engine, &sets.i, stars, *begin, options)?;
        check_resolution(begin + *ticks as f64 * run.tick(), options.largest)?;
        run.ticks = *ticks;
        run.set_limits(*limits);
        run.prepare(None)?;
        run.find_first()?;
        Ok(run)
    }

    fn with_stars(
        engine: RunEngine,
        particles: &NamedRows<'_>,
        stars: &[BlockStar],
        begin: f64,
        options: HermiteOptions,
    ) -> Result<Self, Error> {
        options.check()?;
        check_begin(begin)?;
        check_resolution(begin, options.largest)?;
        let law = engine.law();
        check_fields(law)?;
        check_masses(stars.iter().map(|star| star.mass))?;
        let RunEngine { device, mut engine, .. } = engine;
        if !engine.is_stateless() {
            return Err(Error::NoBlockSteps);
        }
        soften(&mut *engine)?;
        let precision = engine.options().precision;
        let upload = || device.untyped().upload(particles, precision);
        let iterates = options.iterations > 1;
        let iteration = iterates.then(|| Iteration::new(&device, stars.len(), options));
        let stars = device.upload(stars, Precision::Double)?;
        Ok(Self {
            given: upload()?,
            all: upload()?,
            results: engine.results(particles.count())?,
            first: None,
            stars,
            selection: Selection::new(&device)?,
            programs: Programs::new(&device, options)?,
            iteration: iteration.transpose()?,
            energetics: Energetics::new(&device, law)?,
            options,
            limits: StepLimits::default(),
            begin,
            ticks: 0,
            next: 0,
            active: 0,
            steps: Steps::default(),
            after: Sequence::new(&device),
            device,
            engine,
        })
    }

    /// Compiles the programs of all steps, and of the first one.
    fn prepare(
        &mut self,
        begin: Option<(&mut PerParticle<Begin>, &mut PerParticle<FirstStep>)>,
    ) -> Result<(), Error> {
        let Self { engine, all, results: forces, programs, iteration, energetics, .. } = self;
        let (n, stars) = (self.stars.len(), self.stars.untyped());
        let (all, forces) = (&**all, &**forces);
        let Programs { predict, correct } = programs;
        let mut jobs: Vec<Job<'_>> = vec![
            Box::new(|| engine.prepare(n)),
            Box::new(|| {
                predict.prepare_untyped(all, others(&[stars]))?;
                predict.prepare_untyped(stars, others(&[stars]))
            }),
            Box::new(|| correct.prepare_untyped(stars, results(&[forces]))),
            Box::new(|| energetics.prepare(stars, forces)),
        ];
        if let Some((begin, first)) = begin {
            jobs.push(Box::new(|| begin.prepare_untyped(stars, results(&[forces]))));
            jobs.push(Box::new(|| first.prepare_untyped(stars, results(&[forces]))));
        }
        if let Some(Iteration { stars: block, improve, .. }) = iteration {
            let beside = |improve: &mut PerParticle<Improve>| {
                let beside = Beside { q: &[block.untyped()], f: &[forces], g: &[] };
                improve.prepare_untyped(all, beside)
            };
            jobs.push(Box::new(move || beside(improve)));
        }
        prepare(&self.device, jobs)
    }

    fn set_limits(&mut self, limits: StepLimits) {
        self.limits = limits;
        self.programs.set_limits(limits);
    }

    /// Chooses the first steps, with forces that are evaluated again a little later.
    fn choose_first(
        &mut self,
        motions: &[Motion],
        mut first: PerParticle<FirstStep>,
    ) -> Result<(), Error> {
        let [acc, jerk] = vectors(&*self.results, ["acc", "jerk"])?;
        let (options, tick) = (self.options, self.tick());
        let precision = self.engine.options().precision;
        let (limits, dt) = StepLimits::of(motions, [&acc, &jerk], precision, options);
        self.set_limits(limits);
        let later = self.engine.results(self.stars.len())?;
        self.first = Some(std::mem::replace(&mut self.results, later));
        self.evaluate_all(dt)?;
        let (StepLimits { speed, longest }, eta) = (limits, options.eta);
        let eta_start = options.eta_start;
        first.set_parameters(FirstStep { tick, eta_start, eta, dt, speed, longest });
        Ok(first.update_untyped(self.stars.untyped_mut(), results(&[&*self.results]), None)?)
    }

    /// Predicts all particles to the time of the last block step plus `dt`, and evaluates the
    /// forces on them.
    fn evaluate_all(&mut self, dt: f64) -> Result<(), Error> {
        let due = self.now();
        let Self { given, all, stars, selection, programs, .. } = self;
        let predictor = &mut programs.predict;
        let predict = *predictor.parameters();
        predictor.set_parameters(Predict { due, dt, ..predict });
        predictor.update_untyped(
            &mut **all,
            others(&[stars.untyped()]),
            Some(copies(selection, &**given)),
        )?;
        predictor.set_parameters(Predict { due, ..predict });
        self.evaluate(self.stars.len())
    }

    /// Evaluates the forces on the first particles of the selection.
    fn evaluate(&mut self, active: usize) -> Result<(), Error> {
        let Self { engine, all, results, .. } = self;
        if results.len() != active {
            results.resize(active)?;
        }
        evaluate_first(&mut **engine, &**all, &mut **results)
    }

    /// Corrects the block and evaluates its forces again, once for each iteration after the first.
    fn iterate(&mut self) -> Result<(), Error> {
        let Self { engine, all, results, stars, selection, iteration, active, options, .. } = self;
        let Some(Iteration { stars: block, order, improve }) = iteration else { return Ok(()) };
        selection.gather(selection.len(), stars, block)?;
        for _ in 1..options.iterations {
            let beside = Beside { q: &[block.untyped()], f: &[&**results], g: &[] };
            improve.update_untyped(&mut **all, beside, Some(first(order, *active)))?;
            evaluate_first(&mut **engine, &**all, &mut **results)?;
        }
        Ok(())
    }

    /// Finds the next block step, and predicts all particles to its time.
    fn find_first(&mut self) -> Result<(), Error> {
        let now = self.now();
        let Self { given, all, stars, selection, programs, .. } = self;
        programs.seek(now, selection, stars, &**given, &mut **all)?;
        self.find_next()
    }

    /// Waits for the device to report the end of the next block step.
    fn find_next(&mut self) -> Result<(), Error> {
        let (active, ticks) = self.selection.soonest()?;
        // Without particles no step ends.
        (self.active, self.next) = (active, if active > 0 { ticks } else { LARGEST });
        self.check_step()
    }

    /// Refuses a next step that is too short.
    fn check_step(&self) -> Result<(), Error> {
        if self.next > 0 { Ok(()) } else { Err(self.close()?) }
    }

    /// Returns the error for the first particle with too short a step.
    fn close(&self) -> Result<Error, Error> {
        let stars = self.stars.download()?;
        let index = stars.iter().position(|star| star.step == 0).unwrap_or(0);
        let star = &stars[index];
        let shortest = if is_finite([star.acc, star.jerk]) { self.tick() } else { 0.0 };
        Ok(close(&Motion::of(&stars)?, index as u32, self.time(), shortest))
    }

    fn now(&self) -> u32 {
        self.ticks as u32
    }

    fn tick(&self) -> f64 {
        tick(self.options)
    }

    /// Returns the time step of each particle.
    pub fn time_steps(&self) -> Result<Vec<f64>, Error> {
        let steps: Vec<u32> = self.stars.download_field("step")?;
        Ok(steps.into_iter().map(|ticks| f64::from(ticks) * self.tick()).collect())
    }

    fn energies_now(&mut self) -> Result<Energies, Error> {
        if let Some(first) = &self.first {
            return self.energetics.measure(&self.stars, &**first);
        }
        self.evaluate_all(0.0)?;
        // The states in the order of the selection, as the results are.
        let mut stars = self.device.upload::<BlockStar>(&[], Precision::Double)?;
        let (n, predict) = (self.stars.len(), &mut self.programs.predict);
        predict.update_copies(&self.selection, n, &self.stars, &mut stars, &self.stars)?;
        self.energetics.measure(&stars, &*self.results)
    }

    /// Returns the state, from which [`resume`](Self::resume) continues to the last bit.
    pub fn checkpoint(&self) -> Result<BlockCheckpoint, Error> {
        let &Self { begin, ticks, limits, .. } = self;
        Ok(BlockCheckpoint { begin, ticks, limits, stars: self.stars.download()? })
    }
}

impl Integrator for BlockHermite {
    fn advance(&mut self) -> Result<(), Error> {
        self.check_step()?;
        self.first = None;
        self.evaluate(self.active)?;
        self.iterate()?;
        let ticks = self.ticks + u64::from(self.next);
        let (now, active) = (ticks as u32, self.active);
        let Self { given, all, results, stars, selection, programs, after, .. } = self;
        after.run(|| {
            programs.correct(now, selection, active, stars, &**results)?;
            programs.seek(now, selection, stars, &**given, &mut **all)
        })?;
        (self.begin, self.ticks) = rebase(self.begin, ticks, self.tick());
        self.steps.count(active);
        self.find_next()
    }

    fn wait(&self) -> Result<(), Error> {
        wait(&self.stars)
    }

    fn time(&self) -> f64 {
        self.begin + self.ticks as f64 * self.tick()
    }

    fn next_time(&self) -> f64 {
        self.begin + (self.ticks + u64::from(self.next)) as f64 * self.tick()
    }

    fn longest_step(&self) -> f64 {
        self.options.largest
    }

    fn steps(&self) -> Steps {
        self.steps
    }

    /// Predicts each particle from the beginning of its own step.
    fn motions_at(&self, time: f64) -> Result<Vec<Motion>, Error> {
        NextStep { begin: self.time(), end: self.next_time() }.check(time)?;
        let predict = Predict { due: self.now(), tick: self.tick(), dt: time - self.time() };
        Motion::predict(predict, &self.stars.download()?)
    }

    /// Predicts all particles to the time of the last block step. Energies are most accurate at
    /// multiples of the largest step after the beginning, where the steps of all particles end.
    /// The potentials of all pairs are evaluated anew, which takes the time of many block steps.
    fn energies(&mut self) -> Result<Energies, Error> {
        let energies = self.energies_now();
        // Restores the prediction to the end of the next block step.
        let Self { given, all, stars, selection, programs, .. } = self;
        let copies = First { due: Some("due"), ..copies(selection, &**given) };
        programs.predict.update_untyped(&mut **all, others(&[stars.untyped()]), Some(copies))?;
        energies
    }
}

/// Evaluates the forces of all particles on the first ones.
fn evaluate_first(
    engine: &mut dyn Engine,
    all: &dyn Buffer,
    results: &mut dyn Buffer,
) -> Result<(), Error> {
    Ok(engine.evaluate(all, Sources::First(all), results, Store::Replace)?)
}

/// Returns the first particles of a selection.
fn first(selection: &Selection, count: usize) -> First<'_> {
    First { selection: selection.untyped(), count, from: None, due: None }
}

/// Returns copies of these particles, all in the order of a selection.
fn copies<'a>(selection: &'a Selection, from: &'a dyn Buffer) -> First<'a> {
    First { from: Some(from), ..first(selection, selection.len()) }
}

/// Refuses a law whose j-particles are of another type than its i-particles.
fn check_one_type(engine: &RunEngine) -> Result<(), Error> {
    let interaction = engine.law().name;
    if engine.is_one_type { Ok(()) } else { Err(Error::TwoTypes { interaction }) }
}

/// Returns the length of a tick.
fn tick(options: HermiteOptions) -> f64 {
    options.largest / f64::from(LARGEST)
}

/// Refuses stars whose steps do not contain this time. A step of zero marks a star that is too
/// close to another.
fn check_times(stars: &[BlockStar], ticks: u64) -> Result<(), Error> {
    if ticks > REBASED {
        return Err(Error::Ticks { ticks });
    }
    let now = ticks as u32;
    for (index, &BlockStar { time, step, due, .. }) in stars.iter().enumerate() {
        let is_step = step <= LARGEST && step.is_power_of_two() && time.is_multiple_of(step);
        let contains = due == time.wrapping_add(step) && now.wrapping_sub(time) < step;
        if !(is_step && contains || step == 0 && due == now) {
            return Err(Error::BlockTime { index, step, time, due, now });
        }
    }
    Ok(())
}
