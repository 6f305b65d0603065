//! The forces of an interaction on moving particles.

use std::any::Any;

use nbody::law::{FieldKind, Record};
use nbody::untyped::EngineState;
use nbody::{
    Device, Engine, Error as EngineError, Interaction, Particles, PerParticle, Results, Vector,
};

use crate::Error;
use crate::motion::{Motion, numbers, vectors};
use crate::programs::leapfrog::{Energies, Energy, EnergyPerMass};
use crate::softening::soften;
use crate::start::Sets;

/// The paths of interactions with the fields that the leapfrog and the Hermite integrators need.
pub(crate) const GRAVITY: &str = "nbody_interactions::gravity::Gravity";
pub(crate) const HERMITE: &str = "nbody_interactions::hermite::Hermite";

/// An interaction with its particles and results on the device.
#[derive(Debug)]
pub(crate) struct Forces<X: Interaction> {
    engine: Box<dyn Engine<X>>,
    i: Particles<X::I>,
    /// The j-particles, if they have another type.
    j: Option<Particles<X::J>>,
    pub results: Results<X::F>,
}

/// A program that places particles at their positions in the state of an integrator.
pub(crate) trait Place {
    fn place<P: Record<Lane = f64>>(&mut self, particles: &mut Particles<P>) -> Result<(), Error>;
}

impl<X: Interaction> Forces<X> {
    /// Uploads the particles.
    pub fn new(mut engine: Box<dyn Engine<X>>, Sets { i, j }: &Sets<X>) -> Result<Self, Error> {
        soften(&mut *engine);
        let j = j.as_ref().map(|j| engine.upload(j)).transpose()?;
        let (i, results) = (engine.upload(i)?, engine.results(i.len())?);
        Ok(Self { engine, i, j, results })
    }

    /// Places the particles and evaluates their forces.
    pub fn evaluate(&mut self, place: &mut impl Place) -> Result<(), Error> {
        let Self { engine, i, j, results } = self;
        place.place(i)?;
        if let Some(j) = j {
            place.place(j)?;
            engine.evaluate_self_into(i, j, results)?;
        } else {
            let same = (&*i as &dyn Any).downcast_ref();
            engine.evaluate_self_into(i, same.expect("of one type"), results)?;
        }
        Ok(())
    }

    /// Returns a vector field of the results of each particle.
    pub fn vectors(&self, name: &str) -> Result<Vec<Vector<f64>>, Error> {
        let at = numbers::<X::F>(name, FieldKind::Vector(3)).expect("a field of the results");
        Ok(vectors::<X::F>(&self.results.download::<f64>()?, at))
    }

    pub fn device(&self) -> &Device {
        self.engine.device()
    }

    /// Refuses a checkpoint without an engine state, if the engine has one.
    pub fn check_stateless(&self) -> Result<(), Error> {
        check_stateless(&*self.engine)
    }

    /// Returns the state that the engine keeps of previous evaluations.
    pub fn state(&self) -> Result<EngineState, Error> {
        Ok(self.engine.untyped().state()?)
    }
}

/// Refuses a checkpoint without an engine state, if the engine has one.
pub(crate) fn check_stateless<X: Interaction>(engine: &dyn Engine<X>) -> Result<(), Error> {
    if engine.untyped().is_stateless() { Ok(()) } else { Err(Error::NoCheckpoint) }
}

/// A field by its name and kind, and as in a declaration.
pub(crate) type Needed = (&'static str, FieldKind, &'static str);

pub(crate) const POS: Needed = ("pos", FieldKind::Point(3), "pos: Point");
pub(crate) const VEL: Needed = ("vel", FieldKind::Vector(3), "vel: Vector");
pub(crate) const ACC: Needed = ("acc", FieldKind::Vector(3), "acc: Vector");
pub(crate) const JERK: Needed = ("jerk", FieldKind::Vector(3), "jerk: Vector");
const POT: Needed = ("pot", FieldKind::Real, "pot: Real");

/// Refuses an interaction that lacks fields of its particles or results, and names all of them. The
/// example is an interaction that has all fields.
pub(crate) fn check_fields<X: Interaction>(
    particles: &[Needed],
    results: &[Needed],
    example: &'static str,
) -> Result<(), Error> {
    let missing = |needed: &[Needed], has: &dyn Fn(&str, FieldKind) -> bool| -> Box<[_]> {
        let lacks = |&&(name, kind, _): &&Needed| !has(name, kind);
        needed.iter().filter(lacks).map(|&(.., field)| field).collect()
    };
    let particles = missing(particles, &|name, kind| {
        numbers::<X::I>(name, kind).is_some() && numbers::<X::J>(name, kind).is_some()
    });
    let results = missing(results, &|name, kind| numbers::<X::F>(name, kind).is_some());
    if particles.is_empty() && results.is_empty() {
        return Ok(());
    }
    let (interaction, purpose) = (X::LAW.name, "the integrator");
    Err(Error::MissingFields { interaction, purpose, particles, results, example })
}

/// The energies of an interaction's particles.
#[derive(Debug)]
pub(crate) enum Energetics {
    PerMass(PerParticle<EnergyPerMass>),
    Whole(PerParticle<Energy>),
    /// The results have no potential.
    Unknown,
}

impl Energetics {
    pub fn new<X: Interaction>(device: &Device) -> Result<Self, Error> {
        let has = |name, kind| numbers::<X::F>(name, kind).is_some();
        Ok(if !has(POT.0, POT.1) {
            Self::Unknown
        } else if has(ACC.0, ACC.1) {
            Self::PerMass(PerParticle::new(device, EnergyPerMass)?)
        } else {
            Self::Whole(PerParticle::new(device, Energy)?)
        })
    }

    /// Returns the energies of particles in this state, whose forces have been evaluated.
    pub fn measure<X: Interaction, S: Record<Lane = f64>>(
        &mut self,
        state: &Particles<S>,
        results: &Results<X::F>,
    ) -> Result<Energies, Error> {
        match self {
            Self::PerMass(energy) => Ok(energy.measure_by_name(state, results)?),
            Self::Whole(energy) => Ok(energy.measure_by_name(state, results)?),
            Self::Unknown => {
                let (interaction, purpose) = (X::LAW.name, "energies");
                let (particles, results) = (Box::default(), Box::new([POT.2]));
                let is_hermite = numbers::<X::F>(JERK.0, JERK.1).is_some();
                let example = if is_hermite { HERMITE } else { GRAVITY };
                Err(Error::MissingFields { interaction, purpose, particles, results, example })
            }
        }
    }
}

/// Refuses motions of another number of particles, and motions that are not finite.
pub(crate) fn check_motions(motions: &[Motion], particles: usize) -> Result<(), Error> {
    EngineError::check_length("motions", motions.len(), particles)?;
    Motion::check(motions)
}

/// Refuses negative masses; massless particles are test particles.
pub(crate) fn check_masses(masses: impl Iterator<Item = f64>) -> Result<(), Error> {
    let negative = masses.enumerate().find(|&(_, mass)| mass < 0.0);
    negative.map_or(Ok(()), |(index, mass)| Err(Error::NegativeMass { index, mass }))
}

/// Refuses the state of a run without particles, or with accelerations that are not finite.
pub(crate) fn check_continued(
    derivatives: impl ExactSizeIterator<Item = [Vector<f64>; 2]>,
) -> Result<(), Error> {
    if derivatives.len() == 0 {
        return Err(Error::NoParticles);
    }
    for (index, both) in derivatives.enumerate() {
        for (field, vector) in ["acc", "jerk"].into_iter().zip(both) {
            if let Some(&value) = vector.0.iter().find(|x| !x.is_finite()) {
                return Err(Error::NotFinite { index, field, value });
            }
        }
    }
    Ok(())
}

/// Waits until the device has finished all earlier work on these particles.
pub(crate) fn wait<P: Record<Lane = f64>>(particles: &Particles<P>) -> Result<(), Error> {
    particles.download_range(0..particles.len().min(1))?;
    Ok(())
}
