//! The particles of lists: their buffers, and what matters for lists in their records.

use nbody_core::lists::cutoff::{Cutoff, Watched};
use nbody_core::pack::{Binding, OwnedRows, Place, dim};
use nbody_core::{Field, Sources, untyped};

use super::extent::ListedSet;
use crate::backend::{Backend, Buffer};
use crate::engine::buffer::{CudaParticles, particles};
use crate::error::Error;
use crate::layout::numbers_of;

/// The particles of an update or an evaluation, and the fields of their records.
#[derive(Clone, Copy)]
pub(crate) struct ListSets<'a> {
    pub i: (&'a Buffer, &'static [Field]),
    /// The j-particles, if they are in another buffer.
    pub j: Option<(&'a Buffer, &'static [Field])>,
    pub one_set: bool,
    /// The results of the first particles alone may be wanted.
    pub is_first: bool,
}

impl<'a> ListSets<'a> {
    pub fn new(
        backend: &dyn Backend,
        i: &'a dyn untyped::Buffer,
        j: Sources<'a, dyn untyped::Buffer>,
    ) -> Result<Self, nbody_core::Error> {
        let (one_set, is_first) = (j.is_one_set(), j.is_first());
        let i = particles("i-particles", backend, i)?;
        let j = particles("j-particles", backend, j.particles())?;
        let is_same = one_set && std::ptr::eq(i, j);
        let of = |particles: &'a CudaParticles| (&particles.buffer, particles.fields);
        Ok(Self { i: of(i), j: (!is_same).then(|| of(j)), one_set, is_first })
    }

    /// Returns the particles of each set, with the name of the set.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &'a Buffer, &'static [Field])> {
        let name = if self.j.is_some() { "i-particles" } else { "particles" };
        let i = (name, self.i.0, self.i.1);
        [Some(i), self.j.map(|(j, fields)| ("j-particles", j, fields))].into_iter().flatten()
    }

    pub fn n(&self) -> [usize; 2] {
        [self.i.0.n, self.j.map_or(0, |(j, _)| j.n)]
    }
}

/// Returns the particles of a set, in records of these fields.
pub(super) fn set_of<'a>(
    buffer: &'a Buffer,
    fields: &'static [Field],
    watched: &Watched,
) -> Option<ListedSet<'a>> {
    let words = numbers_of(fields, buffer.precision);
    let contents = contents_of(buffer, watched);
    let places = watched.position.places();
    let dimensions = places.len();
    places.first().map(|&position| ListedSet { buffer, words, position, dimensions, contents })
}

/// Returns a number that identifies the contents that lists depend on.
pub(super) fn contents_of(buffer: &Buffer, watched: &Watched) -> u64 {
    let places = watched.position.places().iter().chain(&watched.places);
    buffer.contents(places.copied().map(Place::component))
}

/// Finds the numbers that lists depend on in the records of each set.
pub(super) fn watched(sets: &ListSets, cutoffs: &[Cutoff]) -> Result<Vec<Watched>, Error> {
    let roles = |k| if sets.j.is_some() { [k == 0, k == 1] } else { [true; 2] };
    let each = sets.each().enumerate();
    let each = each.map(|(k, (_, _, fields))| Ok(Watched::new(cutoffs, roles(k), fields)?));
    each.collect()
}

/// Returns particles with earlier positions and numbers.
pub(super) fn moved(
    buffer: &Buffer,
    fields: &'static [Field],
    watched: &Watched,
    positions: &[[f64; 3]],
    numbers: &[Vec<f64>],
) -> Result<OwnedRows, Error> {
    let (width, n) = (dim(fields), buffer.n);
    let mut rows = vec![0; n * width];
    if n > 0 {
        buffer.read_particles(fields, 0..n, &mut |write| write(0..n, &mut rows))?;
    }
    for (k, (row, before)) in rows.chunks_mut(width.max(1)).zip(positions).enumerate() {
        for (place, x) in watched.position.places().iter().zip(before) {
            row[place.component()] = x.to_bits();
        }
        for (place, of) in watched.places.iter().zip(numbers) {
            row[place.component()] = place.word_of(of[k]);
        }
    }
    Ok(OwnedRows::new(fields, rows)?)
}

/// Returns the positions of particles.
pub(super) fn positions_of(
    buffer: &Buffer,
    fields: &'static [Field],
    position: &Binding,
) -> Result<Vec<[f64; 3]>, Error> {
    let (numbers, n) = (dim(fields), buffer.n);
    let mut rows = vec![0; n * numbers];
    if n > 0 {
        buffer.read_particles(fields, 0..n, &mut |write| write(0..n, &mut rows))?;
    }
    let position = |row: &[u64]| {
        let mut x = [0.0; 3];
        for (x, place) in x.iter_mut().zip(position.places()) {
            *x = f64::from_bits(row[place.component()]);
        }
        x
    };
    Ok(rows.chunks(numbers.max(1)).map(position).collect())
}
