//! The forces of an interaction on particles that move.

use std::any::{Any, TypeId};

use nbody::{
    AllPairs, Engine as _, FieldKind, Interaction, Particles, PerParticle, Record, Results,
};

use crate::Error;
use crate::motion::{Motion, numbers};
use crate::programs::{Energies, Energy, EnergyPerMass, Kick, Place, PlaceMoving, Push};

/// An interaction with its particles and results on the device.
#[derive(Debug)]
pub(crate) struct Forces<X: Interaction> {
    engine: AllPairs<X>,
    i: Particles<X::I>,
    /// The j-particles, where they are of another type.
    j: Option<Particles<X::J>>,
    results: Results<X::F>,
    place: [Placing; 2],
    kick: Kicking,
}

/// The program that places the i-particles or the j-particles.
#[derive(Debug)]
enum Placing {
    Still(PerParticle<Place>),
    Moving(PerParticle<PlaceMoving>),
}

/// The program that changes velocities, and the one that measures energies.
#[derive(Debug)]
enum Kicking {
    Accelerations(PerParticle<Kick>, PerParticle<EnergyPerMass>),
    Forces(PerParticle<Push>, PerParticle<Energy>),
}

impl<X: Interaction> Forces<X> {
    pub fn new(
        engine: AllPairs<X>,
        i: &[X::I],
        j: &[X::J],
        motions: &[Motion],
    ) -> Result<Self, Error> {
        nbody::CoreError::check_length("motions", motions.len(), i.len())?;
        nbody::CoreError::check_length("j-particles of one set", j.len(), i.len())?;
        Motion::check(motions)?;
        let kick = Kicking::new::<X>(&engine)?;
        if let Kicking::Forces(..) = kick {
            let found = motions.iter().position(|motion| motion.mass <= 0.0);
            if let Some(index) = found {
                return Err(Error::Mass { index, mass: motions[index].mass });
            }
        }
        let place = [
            Placing::new::<X::I>(X::LAW.name, &engine)?,
            Placing::new::<X::J>(X::LAW.name, &engine)?,
        ];
        let one_type = TypeId::of::<X::I>() == TypeId::of::<X::J>();
        let j = if one_type { None } else { Some(engine.upload(j)?) };
        let (i, results) = (engine.upload(i)?, engine.results(i.len())?);
        Ok(Self { engine, i, j, results, place, kick })
    }

    /// Evaluates the forces on particles in these states.
    pub fn evaluate(&mut self, motions: &Particles<Motion>) -> Result<(), Error> {
        let [place_i, place_j] = &mut self.place;
        place_i.place(&mut self.i, motions)?;
        if let Some(j) = &mut self.j {
            place_j.place(j, motions)?;
            self.engine.evaluate_self_into(&self.i, j, &mut self.results)?;
        } else {
            let same = (&self.i as &dyn Any).downcast_ref::<Particles<X::J>>();
            let j = same.expect("of one type");
            self.engine.evaluate_self_into(&self.i, j, &mut self.results)?;
        }
        Ok(())
    }

    /// Changes velocities by the forces that were evaluated last.
    pub fn kick(&mut self, motions: &mut Particles<Motion>, dt: f64) -> Result<(), Error> {
        match &mut self.kick {
            Kicking::Accelerations(kick, _) => {
                kick.set_parameters(Kick { dt });
                kick.update_by_name(motions, &self.results)?;
            }
            Kicking::Forces(push, _) => {
                push.set_parameters(Push { dt });
                push.update_by_name(motions, &self.results)?;
            }
        }
        Ok(())
    }

    /// Returns the energies at the time of the forces that were evaluated last.
    pub fn energies(&mut self, motions: &Particles<Motion>) -> Result<Energies, Error> {
        if numbers::<X::F>("pot", FieldKind::Real).is_none() {
            let (interaction, record, field) = (X::LAW.name, "results", "pot: Real");
            return Err(Error::MissingField { interaction, record, field });
        }
        Ok(match &mut self.kick {
            Kicking::Accelerations(_, energy) => energy.measure_by_name(motions, &self.results)?,
            Kicking::Forces(_, energy) => energy.measure_by_name(motions, &self.results)?,
        })
    }

    pub fn engine(&self) -> &AllPairs<X> {
        &self.engine
    }
}

impl Placing {
    fn new<P: Record>(
        interaction: &'static str,
        engine: &AllPairs<impl Interaction>,
    ) -> Result<Self, Error> {
        if numbers::<P>("pos", FieldKind::Point(3)).is_none() {
            let (record, field) = ("particles", "pos: Point");
            return Err(Error::MissingField { interaction, record, field });
        }
        let device = engine.device();
        Ok(if numbers::<P>("vel", FieldKind::Vector(3)).is_some() {
            Self::Moving(PerParticle::new(device, PlaceMoving)?)
        } else {
            Self::Still(PerParticle::new(device, Place)?)
        })
    }

    fn place<P: Record<Lane = f64>>(
        &mut self,
        particles: &mut Particles<P>,
        motions: &Particles<Motion>,
    ) -> Result<(), Error> {
        match self {
            Self::Still(place) => place.update_by_name(particles, motions)?,
            Self::Moving(place) => place.update_by_name(particles, motions)?,
        }
        Ok(())
    }
}

impl Kicking {
    fn new<X: Interaction>(engine: &AllPairs<X>) -> Result<Self, Error> {
        let device = engine.device();
        if numbers::<X::F>("acc", FieldKind::Vector(3)).is_some() {
            let kick = PerParticle::new(device, Kick { dt: 0.0 })?;
            Ok(Self::Accelerations(kick, PerParticle::new(device, EnergyPerMass)?))
        } else if numbers::<X::F>("force", FieldKind::Vector(3)).is_some() {
            let push = PerParticle::new(device, Push { dt: 0.0 })?;
            Ok(Self::Forces(push, PerParticle::new(device, Energy)?))
        } else {
            let (interaction, record) = (X::LAW.name, "results");
            Err(Error::MissingField {
                interaction,
                record,
                field: "acc: Vector` or `force: Vector",
            })
        }
    }
}
