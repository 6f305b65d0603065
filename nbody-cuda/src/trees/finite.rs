//! Positions that are not finite, which trees refuse.

use std::ops::Range;

use nbody_core::lists::cutoff;
use nbody_core::pack::{Binding, dim};
use nbody_core::{Field, Law};

use super::build::{Refusal, TreeSets};
use crate::backend::Buffer;
use crate::error::Error;

/// Returns the error if a tree was not built.
pub(super) fn refused(
    refusal: Refusal,
    sets: &TreeSets,
    law: &'static Law,
) -> Result<Error, Error> {
    let Refusal::NotFinite(number) = refusal else {
        return Ok(nbody_core::Error::OtherPositions.into());
    };
    let j = sets.j.unwrap_or(sets.i);
    let (what, buffer, fields, index) = match number.checked_sub(j.n) {
        None => ("j-particles", j, law.j, number),
        Some(index) => ("i-particles", sets.i, law.i, index),
    };
    let found = Some(positions(buffer, fields, index..index + 1)?[0]);
    Ok(nbody_core::Error::NotFinite { what, index, found }.into())
}

/// Refuses positions that are not finite.
pub(super) fn check_finite(
    what: &'static str,
    buffer: &Buffer,
    fields: &'static [Field],
) -> Result<(), Error> {
    const SOME: usize = 1 << 16;
    for first in (0..buffer.n).step_by(SOME) {
        let found = positions(buffer, fields, first..buffer.n.min(first + SOME))?;
        let is_bad = |position: &[f64; 3]| position.iter().any(|x| !x.is_finite());
        if let Some(k) = found.iter().position(is_bad) {
            let (index, found) = (first + k, Some(found[k]));
            return Err(nbody_core::Error::NotFinite { what, index, found }.into());
        }
    }
    Ok(())
}

/// Returns the positions of particles.
fn positions(
    buffer: &Buffer,
    fields: &'static [Field],
    particles: Range<usize>,
) -> Result<Vec<[f64; 3]>, Error> {
    let binding = Binding::new("tree", cutoff::position(fields), fields)?;
    let (dim, count) = (dim(fields), particles.len());
    let mut rows = vec![0; count * dim];
    buffer.read_particles(fields, particles, &mut |write| write(0..count, &mut rows))?;
    let position = |row: &[u64]| {
        let mut position = [0.0; 3];
        for (x, place) in position.iter_mut().zip(binding.places()) {
            *x = f64::from_bits(row[place.component()]);
        }
        position
    };
    Ok(rows.chunks_exact(dim).map(position).collect())
}
