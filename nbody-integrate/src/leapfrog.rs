//! The leapfrog integrator.

use nbody::{
    AllPairs, Device, FieldKind, Interaction, Particles, PerParticle, Precision, Record, Sequence,
};

use crate::Error;
use crate::forces::{Energetics, Forces, Place, check_motions, check_particles};
use crate::motion::{Motion, numbers};
use crate::programs::leapfrog::{Drift, Energies, Kick, PlaceMoving, PlaceStill, Push};

/// The leapfrog integrator with a shared step, kick-drift-kick: velocity Verlet (Verlet 1967; Swope et al.
/// 1982). It is of second order, symplectic, and symmetric in time.
///
/// The state is kept in `f64` on the device of the engine, whatever its precision; forces are
/// evaluated in that.
#[derive(Debug)]
pub struct Leapfrog<X: Interaction> {
    forces: Forces<X>,
    motions: Particles<Motion>,
    place: Placing,
    kick: Kicking,
    drift: PerParticle<Drift>,
    energetics: Energetics,
    begin: f64,
    step: f64,
    steps: u64,
    /// The operations of a step.
    sequence: Sequence,
}

impl<X: Interaction<J = <X as Interaction>::I>> Leapfrog<X> {
    /// Begins at this time with particles of one type in these motions, and evaluates their forces.
    pub fn new(
        engine: AllPairs<X>,
        particles: &[X::I],
        motions: &[Motion],
        begin: f64,
        step: f64,
    ) -> Result<Self, Error> {
        Self::with_sources(engine, particles, particles, motions, begin, step)
    }
}

impl<X: Interaction> Leapfrog<X> {
    /// Begins with particles given as i-particles and as j-particles in the same order.
    pub fn with_sources(
        engine: AllPairs<X>,
        i: &[X::I],
        j: &[X::J],
        motions: &[Motion],
        begin: f64,
        step: f64,
    ) -> Result<Self, Error> {
        check_step(step)?;
        check_motions(motions, i.len())?;
        check_particles::<X>("pos", FieldKind::Point(3), "pos: Point")?;
        let device = engine.device().clone();
        let kick = Kicking::new::<X>(&device)?;
        if let Kicking::Forces(_) = kick
            && let Some(index) = motions.iter().position(|motion| motion.mass <= 0.0)
        {
            return Err(Error::Mass { index, mass: motions[index].mass });
        }
        let mut drift = PerParticle::new(&device, Drift { dt: step })?;
        drift.set_domain(engine.options().domain)?;
        let mut run = Self {
            forces: Forces::new(engine, i, j)?,
            motions: device.upload(motions, Precision::Double)?,
            place: Placing::new(&device)?,
            kick,
            drift,
            energetics: Energetics::new::<X>(&device)?,
            begin,
            step,
            steps: 0,
            sequence: Sequence::new(&device),
        };
        run.evaluate()?;
        Ok(run)
    }

    fn evaluate(&mut self) -> Result<(), Error> {
        let Self { forces, motions, place, .. } = self;
        forces.evaluate(&mut At { place, motions })
    }

    /// Advances by one step.
    pub fn advance(&mut self) -> Result<(), Error> {
        let half = 0.5 * self.step;
        let Self { sequence, forces, motions, place, kick, drift, .. } = self;
        sequence.run(|| {
            kick.kick(motions, forces, half)?;
            drift.update(motions, ())?;
            forces.evaluate(&mut At { place, motions })?;
            kick.kick(motions, forces, half)
        })?;
        self.steps += 1;
        Ok(())
    }

    /// Returns the time.
    pub fn time(&self) -> f64 {
        self.begin + self.steps as f64 * self.step
    }

    /// Returns the step.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Changes the step from now on; a negative one goes back in time.
    pub fn set_step(&mut self, step: f64) -> Result<(), Error> {
        check_step(step)?;
        (self.begin, self.steps, self.step) = (self.time(), 0, step);
        self.drift.set_parameters(Drift { dt: step });
        Ok(())
    }

    /// Sets whether positions stay in the periodic box of the engine, from the next step on
    /// ([`PerParticle::set_wrap`]). At the beginning they do not, so that the way of a particle is the
    /// difference of its positions. In unbounded space it has no effect.
    pub fn set_wrap(&mut self, wrap: bool) {
        self.drift.set_wrap(wrap);
    }

    /// Returns the energies. The results of the interaction must have a field `pot: Real`: the
    /// potential per unit mass where they are accelerations (`acc`), an energy where they are forces
    /// (`force`).
    pub fn energies(&mut self) -> Result<Energies, Error> {
        self.energetics.measure::<X, _>(&self.motions, &self.forces.results)
    }

    /// Returns the motions of all particles, from which another run continues to the last bit.
    pub fn motions(&self) -> Result<Vec<Motion>, Error> {
        Ok(self.motions.download()?)
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
}

/// Places particles at these motions.
struct At<'a> {
    place: &'a mut Placing,
    motions: &'a Particles<Motion>,
}

impl Place for At<'_> {
    fn place<P: Record<Lane = f64>>(&mut self, particles: &mut Particles<P>) -> Result<(), Error> {
        let Self { place, motions } = self;
        if numbers::<P>("vel", FieldKind::Vector(3)).is_some() {
            place.moving.update_by_name(particles, *motions)?;
        } else {
            place.still.update_by_name(particles, *motions)?;
        }
        Ok(())
    }
}

/// The program that changes velocities.
#[derive(Debug)]
enum Kicking {
    Accelerations(PerParticle<Kick>),
    Forces(PerParticle<Push>),
}

impl Kicking {
    fn new<X: Interaction>(device: &Device) -> Result<Self, Error> {
        let has = |name| numbers::<X::F>(name, FieldKind::Vector(3)).is_some();
        if has("acc") {
            Ok(Self::Accelerations(PerParticle::new(device, Kick { dt: 0.0 })?))
        } else if has("force") {
            Ok(Self::Forces(PerParticle::new(device, Push { dt: 0.0 })?))
        } else {
            let (interaction, record) = (X::LAW.name, "results");
            let field = "acc: Vector` or `force: Vector";
            Err(Error::MissingField { interaction, record, field })
        }
    }

    fn kick<X: Interaction>(
        &mut self,
        motions: &mut Particles<Motion>,
        forces: &Forces<X>,
        dt: f64,
    ) -> Result<(), Error> {
        match self {
            Self::Accelerations(kick) => {
                kick.set_parameters(Kick { dt });
                kick.update_by_name(motions, &forces.results)?;
            }
            Self::Forces(push) => {
                push.set_parameters(Push { dt });
                push.update_by_name(motions, &forces.results)?;
            }
        }
        Ok(())
    }
}
