//! The particles of neighbour lists, on this rank.

use std::ptr;
use std::sync::Arc;

use nbody_core::lists::cutoff::{Cutoff, Watched};
use nbody_core::pack::dim;
use nbody_core::untyped::Buffer;
use nbody_core::{Error, Interval, Sources};

use super::buffer::Distributed;
use super::ghosts::Ghosts;
use super::placement::Placement;
use super::rows;
use crate::shared::Job;

/// The particles of an update or an evaluation.
#[derive(Clone, Copy)]
pub struct Sets<'a> {
    pub i: &'a Distributed,
    /// The j-particles, if they are in another buffer.
    pub j: Option<&'a Distributed>,
    /// Whether particle k of i is particle k of j.
    pub one_set: bool,
}

impl<'a> Sets<'a> {
    /// Returns the sets; `None` for buffers of another device.
    pub fn new(i: &'a dyn Buffer, j: Sources<'a, dyn Buffer>) -> Option<Self> {
        let (i, of_j) = (Distributed::of(i)?, Distributed::of(j.particles())?);
        let one_set = j.is_one_set();
        let j = (!(one_set && ptr::eq(i, of_j))).then_some(of_j);
        Some(Self { i, j, one_set })
    }

    /// Returns the buffers.
    pub fn buffers(&self) -> impl Iterator<Item = &'a Distributed> {
        std::iter::once(self.i).chain(self.j)
    }

    /// Returns the numbers of i- and of j-particles.
    pub fn lengths(&self) -> [usize; 2] {
        [self.i.len(), self.j.unwrap_or(self.i).len()]
    }

    /// Returns whether i is the only buffer, and whether i and j are one set.
    pub fn shape(&self) -> [bool; 2] {
        [self.j.is_none(), self.one_set]
    }
}

/// Returns the bounds of the components that cutoffs depend on, of the first `n` rows of a buffer;
/// none without particles.
pub fn bounds(buffer: &dyn Buffer, n: usize, watched: &Watched) -> Result<Vec<Interval>, Error> {
    if watched.places.is_empty() {
        return Ok(Vec::new());
    }
    let (words, width) = (rows::first(buffer, n)?, dim(buffer.fields()).max(1));
    let bounds = watched.places.iter().filter_map(|place| {
        let values = words.chunks_exact(width).map(|row| place.value(row[place.component()]));
        values.map(Interval::from).reduce(Interval::hull)
    });
    Ok(bounds.collect())
}

/// Returns the components of each set that matter for lists: of i, and of j.
pub fn watched(cutoffs: &[Cutoff], sets: &Sets) -> Result<[Watched; 2], Error> {
    let Some(j) = sets.j else {
        let both = Watched::new(cutoffs, [true; 2], sets.i.fields())?;
        return Ok([both.clone(), both]);
    };
    let of_i = Watched::new(cutoffs, [true, false], sets.i.fields())?;
    Ok([of_i, Watched::new(cutoffs, [false, true], j.fields())?])
}

/// The particles that lists were built for.
#[derive(Debug)]
pub struct Placed {
    /// The i-particles of this rank.
    pub i: Arc<Placement>,
    /// The j-particles, with the particles of other ranks that are within reach.
    pub ghosts: Arc<Ghosts>,
    /// Whether one buffer has both, and whether they are one set.
    pub shape: [bool; 2],
}

impl Placed {
    /// Returns the rows of the i-particles and of the j-particles. In one set both have ghosts.
    pub fn rows(&self, sets: &Sets) -> Result<[Arc<Box<dyn Buffer>>; 2], Error> {
        let j = sets.j.unwrap_or(sets.i).with_ghosts(&self.ghosts)?;
        let i = match sets.shape() {
            [true, _] => j.clone(),
            [false, true] => sets.i.with_ghosts(&self.ghosts)?,
            [false, false] => sets.i.own(&self.i)?,
        };
        Ok([i, j])
    }

    /// Returns whether the particles are where the lists have them, or on every rank.
    pub fn has(&self, sets: &Sets) -> bool {
        let is_at = |buffer: &Distributed, placement: &Placement| {
            buffer.len() == placement.n
                && buffer.placement().is_none_or(|known| known.number == placement.number)
        };
        let j = &self.ghosts.placement;
        self.shape == sets.shape() && is_at(sets.i, &self.i) && sets.j.is_none_or(|it| is_at(it, j))
    }

    /// Refuses other sets, and other numbers of particles.
    pub fn check(&self, sets: &Sets) -> Result<(), Error> {
        if self.shape != sets.shape() {
            return Err(Error::OtherSets);
        }
        let names = if self.shape[0] { ["particles"; 2] } else { ["i-particles", "j-particles"] };
        let expected = [self.i.n, self.ghosts.placement.n];
        for ((what, found), expected) in names.into_iter().zip(sets.lengths()).zip(expected) {
            if found != expected {
                return Err(Error::OtherLength { what, found, expected });
            }
        }
        Ok(())
    }

    /// Returns the j-particles as the lists take them, for the results of this rank.
    pub fn sources<'a>(&self, j: &'a dyn Buffer) -> Sources<'a, dyn Buffer> {
        if self.shape[1] { Sources::First(j) } else { Sources::Others(j) }
    }

    /// Names the particle of a refusal by its number. A ghost is named by the rank that has the
    /// particle, which refuses it too.
    pub fn renumbered<T>(&self, done: Result<T, Error>, instead: T) -> Result<T, Error> {
        let Err(Error::NotFinite { what, index, found }) = done else { return done };
        let of_i = what != "j-particles" && !self.shape[1];
        let placement = if of_i { &self.i } else { &self.ghosts.placement };
        match placement.numbers.on_host()?.get(index) {
            Some(number) => Err(Error::NotFinite { what, index: *number as usize, found }),
            None => Ok(instead),
        }
    }

    /// Returns the number of the j-particle of a row.
    pub fn number(&self, job: &Job, row: usize) -> Result<u32, Error> {
        let own = self.ghosts.placement.numbers.on_host()?;
        match own.get(row) {
            Some(number) => Ok(*number),
            None => Ok(self.ghosts.numbers(job)?.on_host()?[row - own.len()]),
        }
    }
}
