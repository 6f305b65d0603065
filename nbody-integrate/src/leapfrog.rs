//! The leapfrog integrator.

use nbody::law::{Field, FieldKind};
use nbody::untyped::{Beside, Buffer, Engine, EngineState, Rows as _};
use nbody::{Device, Domain, Particles, PerParticle, Precision, Sequence, Vector};

use crate::engine::RunEngine;
use crate::forces::{
    ACC, Energetics, Forces, GRAVITY, Needed, POS, Place, VEL, check_fields, check_masses,
    check_motions, has, others, results, vectors, wait,
};
use crate::motion::Motion;
use crate::prepare::{Job, prepare};
use crate::programs::leapfrog::{Drift, Energies, Kick, PlaceMoving, PlaceStill, Push};
use crate::softening::soften;
use crate::start::{Beginning, Sets};
use crate::steps::{NextStep, Steps, check_begin, check_resolution};
use crate::{Error, Integrator};

/// The leapfrog integrator with a shared step, kick-drift-kick: velocity Verlet (Verlet 1967;
/// Swope et al. 1982). It is of second order, symplectic, and symmetric in time, for forces of
/// positions.
///
/// Forces that depend on velocities, such as friction, are evaluated with the velocities of the
/// middle of the step, which makes it of first order: half of the step, half of the error. Take
/// steps so small that half of them changes nothing that matters, or apply the friction against a
/// medium by a program per particle between half steps.
///
/// The results of the interaction must be accelerations, `acc: Vector`, or forces, `force:
/// Vector`. The state is kept in `f64` on the device of the engine. Forces are evaluated in the
/// precision of the engine; single precision is enough if the step limits the accuracy.
///
/// ```
/// use nbody::prelude::*;
/// use nbody_integrate::{Integrator, Leapfrog, Motion};
/// use nbody_interactions::gravity::Gravity;
///
/// # fn main() -> Result<(), nbody_integrate::Error> {
/// // Two bodies that circle each other with a period of 2 π.
/// let bodies = [-0.5, 0.5].map(|x| Motion::new([x, 0.0, 0.0], [0.0, x, 0.0], 0.5));
/// let engine = AllPairs::new(&Device::cpu(), Gravity { eps2: 0.0 })?;
/// let mut run = Leapfrog::new(engine, &bodies, 0.01)?;
/// let half = std::f64::consts::PI;
/// run.advance_to(half)?;
/// let end = run.motions_at(half)?;
/// assert!((end[0].pos.x - 0.5).abs() < 1e-4, "{:?}", end[0]);
/// assert!((run.energies()?.total() + 0.125).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
///
/// Forces over neighbour lists: `Leapfrog::new(short_range, ...)` with a `ShortRange`, which
/// updates its lists. Forces by a tree: `Leapfrog::new(tree, ...)` with a `Tree`.
///
/// A constant step does not notice numbers that become infinite or NaN, as for bodies that meet
/// without softening: check the energies, or the motions with [`Motion::check`].
#[derive(Debug)]
pub struct Leapfrog {
    forces: Forces,
    motions: Particles<Motion>,
    place: Placing,
    kick: Kicking,
    drift: PerParticle<Drift>,
    energetics: Energetics,
    clock: Clock,
    steps: Steps,
    /// The operations of a step.
    sequence: Sequence,
}

/// Time in constant steps.
#[derive(Clone, Copy, Debug)]
struct Clock {
    begin: f64,
    step: f64,
    steps: u64,
}

impl Clock {
    fn time_after(&self, steps: u64) -> f64 {
        self.begin + steps as f64 * self.step
    }

    fn next(&self) -> NextStep {
        let [begin, end] = [self.steps, self.steps + 1].map(|steps| self.time_after(steps));
        NextStep { begin, end }
    }
}

/// The state of a [`Leapfrog`] run between two steps, from which another run continues to the last
/// bit.
#[derive(Clone, Debug, PartialEq)]
pub struct LeapfrogCheckpoint {
    /// The time at which the run began, or at which its step last changed.
    pub begin: f64,
    /// The number of steps since then.
    pub steps: u64,
    /// The motions of the particles.
    pub motions: Vec<Motion>,
    /// The state of the engine, on which the last bits of its next results depend.
    pub engine: EngineState,
}

impl Leapfrog {
    pub(crate) fn begin(engine: RunEngine, start: Beginning<'_>, step: f64) -> Result<Self, Error> {
        let (motions, clock) = (start.moving()?, Clock { begin: start.time(), step, steps: 0 });
        let sets = start.sets(engine.law(), engine.is_one_type)?;
        Self::at(engine, &sets, &motions, clock)
    }

    pub(crate) fn continued(
        mut engine: RunEngine,
        start: Beginning<'_>,
        checkpoint: &LeapfrogCheckpoint,
        step: f64,
    ) -> Result<Self, Error> {
        start.check_resumed()?;
        let &LeapfrogCheckpoint { begin, steps, ref motions, engine: ref state } = checkpoint;
        if motions.is_empty() {
            return Err(Error::NoParticles);
        }
        if steps > 1 << f64::MANTISSA_DIGITS {
            return Err(Error::TooManySteps { steps });
        }
        // Comes first: a change of parameters would make the engine forget its state.
        soften(&mut *engine.engine)?;
        engine.engine.restore(state)?;
        let sets = start.sets(engine.law(), engine.is_one_type)?;
        Self::at(engine, &sets, motions, Clock { begin, step, steps })
    }

    fn at(
        engine: RunEngine,
        sets: &Sets<'_>,
        motions: &[Motion],
        clock: Clock,
    ) -> Result<Self, Error> {
        check_step(clock.step)?;
        check_begin(clock.begin)?;
        check_begin(clock.next().begin)?;
        check_resolution(clock.next().begin, clock.step)?;
        check_motions(motions, sets.i.count())?;
        let law = engine.law();
        check_fields(law, &[POS], Kicking::needs(law.f), GRAVITY)?;
        let device = engine.device.clone();
        let kick = Kicking::new(&device, law.f)?;
        if let Kicking::Forces(_) = kick
            && let Some(index) = motions.iter().position(|motion| motion.mass <= 0.0)
        {
            return Err(Error::Mass { index, mass: motions[index].mass });
        }
        check_masses(motions.iter().map(|motion| motion.mass))?;
        let mut drift = PerParticle::new(&device, Drift { dt: clock.step })?;
        drift.set_domain(engine.engine.options().domain)?;
        let mut run = Self {
            forces: Forces::new(engine, sets)?,
            motions: device.upload(motions, Precision::Double)?,
            place: Placing::new(&device)?,
            kick,
            drift,
            energetics: Energetics::new(&device, law)?,
            clock,
            steps: Steps::default(),
            sequence: Sequence::new(&device),
        };
        run.prepare()?;
        run.evaluate()?;
        Ok(run)
    }

    /// Compiles the programs of all steps.
    fn prepare(&mut self) -> Result<(), Error> {
        let Self { forces, motions, place, kick, drift, energetics, .. } = self;
        let (motions, device) = (motions.untyped(), forces.device().clone());
        let (particles, of_forces, engine) = forces.prepared();
        let jobs: Vec<Job<'_>> = vec![
            engine,
            Box::new(|| place.prepare(particles, motions)),
            Box::new(|| kick.prepare(motions, of_forces)),
            Box::new(|| drift.prepare_untyped(motions, Beside::default())),
            Box::new(|| energetics.prepare(motions, of_forces)),
        ];
        prepare(&device, jobs)
    }

    fn evaluate(&mut self) -> Result<(), Error> {
        let Self { forces, motions, place, .. } = self;
        forces.evaluate(&mut At { place, motions })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &dyn Engine {
        self.forces.engine()
    }

    /// Returns the step.
    pub fn step(&self) -> f64 {
        self.clock.step
    }

    /// Sets the step from now on; a negative one goes back in time.
    pub fn set_step(&mut self, step: f64) -> Result<(), Error> {
        check_step(step)?;
        check_resolution(self.time(), step)?;
        self.clock = Clock { begin: self.time(), step, steps: 0 };
        self.drift.set_parameters(Drift { dt: step });
        Ok(())
    }

    /// Sets whether positions are wrapped into the periodic box of the engine, from the next step
    /// on ([`PerParticle::set_wrap`]). By default they are not, so that the path of a particle is
    /// the difference of its positions. In open space wrapping is an error.
    pub fn set_wrap(&mut self, wrap: bool) -> Result<(), Error> {
        if wrap && self.domain().is_open() {
            return Err(Error::WrapWithoutBox);
        }
        self.drift.set_wrap(wrap);
        Ok(())
    }

    /// Returns the domain of the engine, which others may have changed since the last step.
    fn domain(&self) -> Domain {
        self.forces.engine().options().domain
    }

    /// Takes the domain of the engine for the next step.
    fn follow_box(&mut self) -> Result<(), Error> {
        let domain = self.domain();
        if self.drift.wraps() && domain.is_open() {
            return Err(Error::WrapWithoutBox);
        }
        if self.drift.domain() != domain {
            self.drift.set_domain(domain)?;
        }
        Ok(())
    }

    /// Returns the accelerations of particles with these motions.
    fn accelerations(&self, motions: &[Motion]) -> Result<Vec<Vector>, Error> {
        let results = &*self.forces.results;
        match &self.kick {
            Kicking::Accelerations(_) => Ok(vectors(results, ["acc"])?.concat()),
            Kicking::Forces(_) => {
                let forces = vectors(results, ["force"])?.concat();
                Ok(forces.into_iter().zip(motions).map(|(force, it)| force / it.mass).collect())
            }
        }
    }

    /// Returns the state, from which [`resume`](Self::resume) continues to the last bit.
    pub fn checkpoint(&self) -> Result<LeapfrogCheckpoint, Error> {
        let Clock { begin, steps, .. } = self.clock;
        let engine = self.forces.state()?;
        Ok(LeapfrogCheckpoint { begin, steps, motions: self.motions.download()?, engine })
    }
}

impl Integrator for Leapfrog {
    fn advance(&mut self) -> Result<(), Error> {
        check_resolution(self.time(), self.clock.step)?;
        self.follow_box()?;
        let half = 0.5 * self.clock.step;
        let Self { sequence, forces, motions, place, kick, drift, .. } = self;
        sequence.run(|| {
            kick.kick(motions, forces, half)?;
            drift.update(motions, ())?;
            forces.evaluate(&mut At { place, motions })?;
            kick.kick(motions, forces, half)
        })?;
        self.clock.steps += 1;
        self.steps.count(self.motions.len());
        Ok(())
    }

    fn wait(&self) -> Result<(), Error> {
        wait(&self.motions)
    }

    fn time(&self) -> f64 {
        self.clock.next().begin
    }

    fn next_time(&self) -> f64 {
        self.clock.next().end
    }

    fn steps(&self) -> Steps {
        self.steps
    }

    /// Moves particles with the accelerations at the beginning of the step. Positions are as
    /// accurate as after a step; velocities are of first order.
    fn motions_at(&self, time: f64) -> Result<Vec<Motion>, Error> {
        let next = self.clock.next();
        next.check(time)?;
        let mut motions = self.motions.download()?;
        if next.begins_at(time) {
            return Ok(motions);
        }
        let dt = time - next.begin;
        let domain = if self.drift.wraps() { self.domain() } else { Domain::Open };
        let accelerations = self.accelerations(&motions)?;
        for (motion, acc) in motions.iter_mut().zip(accelerations) {
            motion.pos = domain.wrap(motion.pos + dt * (motion.vel + 0.5 * dt * acc));
            motion.vel += dt * acc;
        }
        Ok(motions)
    }

    /// Uses the potentials of the last step, and so costs little.
    fn energies(&mut self) -> Result<Energies, Error> {
        self.energetics.measure(&self.motions, &*self.forces.results)
    }
}

fn check_step(step: f64) -> Result<(), Error> {
    if step.is_finite() && step != 0.0 { Ok(()) } else { Err(Error::Step { step }) }
}

/// The programs that place particles with and without velocities.
#[derive(Debug)]
struct Placing {
    moving: PerParticle<PlaceMoving>,
    still: PerParticle<PlaceStill>,
}

impl Placing {
    fn new(device: &Device) -> Result<Self, Error> {
        let moving = PerParticle::new(device, PlaceMoving)?;
        Ok(Self { moving, still: PerParticle::new(device, PlaceStill)? })
    }

    /// Compiles the program for these particles.
    fn prepare(
        &mut self,
        particles: &dyn Buffer,
        motions: &dyn Buffer,
    ) -> Result<(), nbody::Error> {
        if has(particles.fields(), VEL) {
            self.moving.prepare_untyped(particles, others(&[motions]))
        } else {
            self.still.prepare_untyped(particles, others(&[motions]))
        }
    }
}

/// Places particles at these motions.
struct At<'a> {
    place: &'a mut Placing,
    motions: &'a Particles<Motion>,
}

impl Place for At<'_> {
    fn place(&mut self, particles: &mut dyn Buffer) -> Result<(), Error> {
        let Self { place, motions } = self;
        if has(particles.fields(), VEL) {
            place.moving.update_untyped(particles, others(&[motions.untyped()]), None)?;
        } else {
            place.still.update_untyped(particles, others(&[motions.untyped()]), None)?;
        }
        Ok(())
    }
}

const FORCE: Needed = ("force", FieldKind::Vector(3), "force: Vector");

/// The program that changes velocities.
#[derive(Debug)]
enum Kicking {
    Accelerations(PerParticle<Kick>),
    Forces(PerParticle<Push>),
}

impl Kicking {
    /// Returns the fields that the results need: accelerations, unless they have forces.
    fn needs(results: &[Field]) -> &'static [Needed] {
        const EITHER: &[Needed] = &[(ACC.0, ACC.1, "acc: Vector` or `force: Vector")];
        if has(results, FORCE) { &[] } else { EITHER }
    }

    fn new(device: &Device, results: &[Field]) -> Result<Self, Error> {
        if has(results, ACC) {
            Ok(Self::Accelerations(PerParticle::new(device, Kick { dt: 0.0 })?))
        } else {
            Ok(Self::Forces(PerParticle::new(device, Push { dt: 0.0 })?))
        }
    }

    /// Compiles the program.
    fn prepare(&mut self, motions: &dyn Buffer, forces: &dyn Buffer) -> Result<(), nbody::Error> {
        match self {
            Self::Accelerations(kick) => kick.prepare_untyped(motions, results(&[forces])),
            Self::Forces(push) => push.prepare_untyped(motions, results(&[forces])),
        }
    }

    fn kick(
        &mut self,
        motions: &mut Particles<Motion>,
        forces: &Forces,
        dt: f64,
    ) -> Result<(), Error> {
        let (motions, forces) = (motions.untyped_mut(), &[&*forces.results]);
        match self {
            Self::Accelerations(kick) => {
                kick.set_parameters(Kick { dt });
                kick.update_untyped(motions, results(forces), None)?;
            }
            Self::Forces(push) => {
                push.set_parameters(Push { dt });
                push.update_untyped(motions, results(forces), None)?;
            }
        }
        Ok(())
    }
}
