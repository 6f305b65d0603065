//! The initial particles of a run.

use std::error::Error as StdError;
use std::num::NonZeroUsize;

use nbody::models::{Particle, Snapshot};

use super::arguments::Arguments;
use super::error::Error;
use crate::ranks::Rank;
use crate::{format, sphere};

/// Returns the initial particles, which the first of several ranks reads or makes.
pub fn shared(rank: &Rank, arguments: &Arguments) -> Result<Snapshot, Box<dyn StdError>> {
    let bytes = rank.of_first(|| {
        let Snapshot { time, particles } = own(arguments)?;
        let numbers = particles.iter().flat_map(|Particle { mass, pos, vel }| {
            let [[x, y, z], [vx, vy, vz]] = [pos, vel];
            [*mass, *x, *y, *z, *vx, *vy, *vz]
        });
        Ok([time].into_iter().chain(numbers).flat_map(f64::to_le_bytes).collect())
    })?;
    let (numbers, _) = bytes.as_chunks();
    let numbers: Vec<_> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let (time, particles) = numbers.split_first().unwrap_or((&0.0, &[]));
    let particle = |&[mass, x, y, z, vx, vy, vz]: &[f64; 7]| Particle {
        mass,
        pos: [x, y, z],
        vel: [vx, vy, vz],
    };
    Ok(Snapshot { time: *time, particles: particles.as_chunks().0.iter().map(particle).collect() })
}

/// Reads or makes the initial particles.
pub fn own(arguments: &Arguments) -> Result<Snapshot, Error> {
    let snapshot = if let Some(path) = &arguments.model {
        let read = format::read(path).ok_or_else(|| Error::Extension { path: path.clone() })?;
        read.map_err(|source| Error::Model { path: path.clone(), source })?
    } else {
        sphere::in_equilibrium(arguments.n.map_or(0, NonZeroUsize::get), arguments.seed)?
    };
    if let Some(index) = snapshot.particles.iter().position(|particle| particle.mass < 0.0) {
        let mass = snapshot.particles[index].mass;
        return Err(Error::NegativeMass { index, mass });
    }
    let mass = snapshot.mass();
    if mass > 0.0 && mass.is_finite() {
        return Ok(snapshot);
    }
    // An empty sum of masses is -0.
    Err(Error::TotalMass { particles: snapshot.particles.len(), mass: mass + 0.0 })
}
