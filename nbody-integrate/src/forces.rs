//! The forces of a law on moving particles.

use nbody::law::{Field, FieldKind, Law, Record};
use nbody::untyped::{Beside, Buffer, Engine, EngineState};
use nbody::{Device, Error as EngineError, Particles, PerParticle, Sources, Store, Vector};
use nbody_core::pack;

use crate::Error;
use crate::engine::RunEngine;
use crate::motion::{Motion, numbers};
use crate::prepare::Job;
use crate::programs::leapfrog::{Energies, Energy, EnergyPerMass};
use crate::softening::soften;
use crate::start::Sets;

/// The paths of interactions with the fields that the leapfrog and the Hermite integrators need.
pub(crate) const GRAVITY: &str = "nbody_interactions::gravity::Gravity";
pub(crate) const HERMITE: &str = "nbody_interactions::hermite::Hermite";

/// A law with its particles and results on the device.
#[derive(Debug)]
pub(crate) struct Forces {
    device: Device,
    engine: Box<dyn Engine>,
    i: Box<dyn Buffer>,
    /// The j-particles, if they have another type.
    j: Option<Box<dyn Buffer>>,
    pub results: Box<dyn Buffer>,
}

/// A program that places particles at their positions in the state of an integrator.
pub(crate) trait Place {
    fn place(&mut self, particles: &mut dyn Buffer) -> Result<(), Error>;
}

impl Forces {
    /// Uploads the particles.
    pub fn new(engine: RunEngine, Sets { i, j }: &Sets<'_>) -> Result<Self, Error> {
        let RunEngine { device, mut engine, .. } = engine;
        soften(&mut *engine)?;
        let precision = engine.options().precision;
        let j = j.as_ref().map(|j| device.untyped().upload(j, precision)).transpose()?;
        let i = device.untyped().upload(i, precision)?;
        let results = engine.results(i.len())?;
        Ok(Self { device, engine, i, j, results })
    }

    /// Places the particles and evaluates their forces.
    pub fn evaluate(&mut self, place: &mut impl Place) -> Result<(), Error> {
        let Self { engine, i, j, results, .. } = self;
        place.place(&mut **i)?;
        let same = match j {
            Some(j) => {
                place.place(&mut **j)?;
                &**j
            }
            None => &**i,
        };
        Ok(engine.evaluate(&**i, Sources::Same(same), &mut **results, Store::Replace)?)
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    pub fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// Returns the i-particles, the results, and the compilation of the engine's programs.
    pub fn prepared(&mut self) -> (&dyn Buffer, &dyn Buffer, Job<'_>) {
        let Self { engine, i, results, .. } = self;
        let n = i.len();
        (&**i, &**results, Box::new(move || engine.prepare(n)))
    }

    /// Refuses a checkpoint without an engine state, if the engine has one.
    pub fn check_stateless(&self) -> Result<(), Error> {
        if self.engine.is_stateless() { Ok(()) } else { Err(Error::NoCheckpoint) }
    }

    /// Returns the state that the engine keeps of previous evaluations.
    pub fn state(&self) -> Result<EngineState, Error> {
        Ok(self.engine.state()?)
    }
}

/// Returns vector fields of the results of each particle.
pub(crate) fn vectors<const N: usize>(
    results: &dyn Buffer,
    names: [&str; N],
) -> Result<[Vec<Vector<f64>>; N], Error> {
    let (n, fields) = (results.len(), results.fields());
    let dim = pack::dim(fields);
    let mut rows = vec![0; n * dim];
    results.read(0..n, &mut |write| write(0..n, &mut rows))?;
    Ok(names.map(|name| {
        let at = numbers(fields, name, FieldKind::Vector(3)).expect("a field of the results");
        let three = |row: &[u64]| std::array::from_fn(|k| f64::from_bits(row[at + k]));
        rows.chunks_exact(dim).map(|row| three(row).into()).collect()
    }))
}

/// Returns the buffers that a program reads: other particles.
pub(crate) fn others<'a>(q: &'a [&'a dyn Buffer]) -> Beside<'a> {
    Beside { q, ..Beside::default() }
}

/// Returns the buffers that a program reads: results of a law.
pub(crate) fn results<'a>(f: &'a [&'a dyn Buffer]) -> Beside<'a> {
    Beside { f, ..Beside::default() }
}

/// A field by its name and kind, and as in a declaration.
pub(crate) type Needed = (&'static str, FieldKind, &'static str);

pub(crate) const POS: Needed = ("pos", FieldKind::Point(3), "pos: Point");
pub(crate) const VEL: Needed = ("vel", FieldKind::Vector(3), "vel: Vector");
pub(crate) const ACC: Needed = ("acc", FieldKind::Vector(3), "acc: Vector");
pub(crate) const JERK: Needed = ("jerk", FieldKind::Vector(3), "jerk: Vector");
const POT: Needed = ("pot", FieldKind::Real, "pot: Real");

/// Returns whether a record has a field.
pub(crate) fn has(fields: &[Field], (name, kind, _): Needed) -> bool {
    numbers(fields, name, kind).is_some()
}

/// Refuses a law that lacks fields of its particles or results, and names all of them. The example
/// is an interaction that has all fields.
pub(crate) fn check_fields(
    law: &Law,
    particles: &[Needed],
    results: &[Needed],
    example: &'static str,
) -> Result<(), Error> {
    let missing = |needed: &[Needed], records: &[&[Field]]| -> Box<[_]> {
        let lacks = |needed: &&Needed| !records.iter().all(|record| has(record, **needed));
        needed.iter().filter(lacks).map(|&(.., field)| field).collect()
    };
    let particles = missing(particles, &[law.i, law.j]);
    let results = missing(results, &[law.f]);
    if particles.is_empty() && results.is_empty() {
        return Ok(());
    }
    let (interaction, purpose) = (law.name, "the integrator");
    Err(Error::MissingFields { interaction, purpose, particles, results, example })
}

/// The energies of a law's particles.
#[derive(Debug)]
pub(crate) enum Energetics {
    PerMass(PerParticle<EnergyPerMass>),
    Whole(PerParticle<Energy>),
    /// The results have no potential.
    Unknown(&'static Law),
}

impl Energetics {
    pub fn new(device: &Device, law: &'static Law) -> Result<Self, Error> {
        Ok(if !has(law.f, POT) {
            Self::Unknown(law)
        } else if has(law.f, ACC) {
            Self::PerMass(PerParticle::new(device, EnergyPerMass)?)
        } else {
            Self::Whole(PerParticle::new(device, Energy)?)
        })
    }

    /// Compiles the measure of energies.
    pub fn prepare(&mut self, state: &dyn Buffer, forces: &dyn Buffer) -> Result<(), EngineError> {
        match self {
            Self::PerMass(energy) => energy.prepare_measure(state, results(&[forces])),
            Self::Whole(energy) => energy.prepare_measure(state, results(&[forces])),
            Self::Unknown(_) => Ok(()),
        }
    }

    /// Returns the energies of particles in this state, whose forces have been evaluated.
    pub fn measure<S>(
        &mut self,
        state: &Particles<S>,
        forces: &dyn Buffer,
    ) -> Result<Energies, Error> {
        match self {
            Self::PerMass(energy) => {
                Ok(energy.measure_untyped(state.untyped(), results(&[forces]))?)
            }
            Self::Whole(energy) => Ok(energy.measure_untyped(state.untyped(), results(&[forces]))?),
            Self::Unknown(law) => {
                let (interaction, purpose) = (law.name, "energies");
                let (particles, results) = (Box::default(), Box::new([POT.2]));
                let example = if has(law.f, JERK) { HERMITE } else { GRAVITY };
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
