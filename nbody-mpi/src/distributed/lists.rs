//! Neighbour lists of distributed particles.

mod build;
mod look;
mod subset;

use std::ptr;
use std::sync::Arc;

use nbody_core::lists::cutoff::{Cutoff, Watched};
use nbody_core::untyped::{Buffer, Neighbours, Origin};
use nbody_core::{Csr, Error, ListState, Sources};
use xxhash_rust::xxh3::Xxh3;

use super::buffer::all;
use super::sets::{Placed, Sets, watched};
use crate::shared::Job;

/// The pairs that a particle is assumed to have in lists.
const LISTED: u64 = 64;

/// The lists of a rank, for its particles or for all.
#[derive(Debug)]
pub struct Lists {
    pub job: Arc<Job>,
    /// The lists of this rank.
    pub of_rank: Box<dyn Neighbours>,
    origin: Origin,
    has_excluded: bool,
    /// A hash of the skin or the given pairs, and of excluded pairs, which all ranks must have.
    pub pairs: u64,
    /// The number of i-particles, the first ones, that have lists; `None` for all.
    wanted: Option<usize>,
    pub built: Option<Built>,
    /// The number of times that the lists were built, until this rank had built its lists
    /// `built_on_rank` times.
    pub rebuilds: u64,
    built_on_rank: u64,
    /// Whether the lists of this rank are for its own particles.
    is_own: bool,
    /// The places of the i-particles and the ghosts of the subset that the lists of this rank are
    /// for, if they know its numbers, and whether it has all particles of given pairs.
    subset: Option<([u64; 2], bool)>,
    /// The number of updates since then, and of the updates for which the lists before were valid.
    pub age: u64,
    lasted: u64,
    restored: Option<ListState>,
    /// A look that has begun, and whose outcome the ranks have not exchanged: whether the lists of
    /// this rank may be valid.
    begun: Option<Result<bool, Error>>,
}

/// The particles and cutoffs that the lists of this rank were built for.
#[derive(Debug)]
pub struct Built {
    pub placed: Placed,
    cutoffs: Vec<Cutoff>,
    /// Whether they must be built again.
    pub is_wanted: bool,
}

impl Lists {
    pub fn new(job: &Arc<Job>, lists: Box<dyn Neighbours>, origin: Origin) -> Self {
        let (has_excluded, wanted, built, restored, begun) = Default::default();
        let pairs = hash(&origin, &[]);
        let (rebuilds, built_on_rank, age, lasted, is_own) = Default::default();
        let subset = None;
        Self {
            job: job.clone(),
            of_rank: lists,
            origin,
            has_excluded,
            pairs,
            wanted,
            built,
            rebuilds,
            built_on_rank,
            is_own,
            subset,
            age,
            lasted,
            restored,
            begun,
        }
    }

    /// Returns whether ranks distribute these particles.
    fn distributes(&self, sets: &Sets, is_first: bool, cutoffs: &[Cutoff]) -> bool {
        let precision = self.of_rank.precision();
        let [n, of_j] = sets.lengths();
        let names_particles =
            |cutoff: &Cutoff| cutoff.law().f.iter().any(|field| field.kind.keeps_index());
        self.job.distributes()
            && !is_first
            && self.wanted.is_none()
            && !cutoffs.iter().any(names_particles)
            && (!sets.one_set || n == of_j)
            && sets.j.is_none_or(|j| !ptr::eq(j, sets.i))
            && sets.buffers().all(|it| it.precision() == precision)
            && self.pays(sets, cutoffs)
    }

    fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Given(_))
    }

    /// Returns whether it pays to distribute the particles. Given pairs follow particles that are
    /// distributed; a set without positions is in no region.
    fn pays(&self, sets: &Sets, cutoffs: &[Cutoff]) -> bool {
        if self.is_given() {
            let has_positions =
                |it: &[Watched; 2]| it.iter().all(|it| !it.position.places().is_empty());
            let is_placed = || {
                self.built.as_ref().is_some_and(|built| built.placed.has(sets))
                    || sets.buffers().any(|it| it.placement().is_some())
            };
            return !cutoffs.is_empty()
                && is_placed()
                && watched(cutoffs, sets).is_ok_and(|it| has_positions(&it));
        }
        let flops = |cutoff: &Cutoff| u64::from(cutoff.law().operations.flops().max(1));
        let work = LISTED * cutoffs.iter().map(flops).sum::<u64>();
        let n = sets.lengths()[0] as u64;
        !cutoffs.iter().any(|cutoff| cutoff.check().is_err())
            && n.saturating_mul(work) >= self.job.least_operations
    }

    pub fn list_first(&mut self, n: Option<usize>) {
        self.wanted = n;
        if !self.is_own {
            self.of_rank.list_first(n);
        }
        self.rebuild();
    }

    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.has_excluded = !pairs.is_empty();
        self.pairs = hash(&self.origin, pairs);
        self.of_rank.exclude(pairs);
        self.rebuild();
    }

    pub fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error> {
        let sets = Sets::new(i, j);
        let Some(sets) = sets.filter(|sets| self.distributes(sets, j.is_first(), &cutoffs)) else {
            (self.built, self.begun) = (None, None);
            self.leave_subset()?;
            if let Some(state) = self.restored.take() {
                self.of_rank.restore(&state)?;
            }
            return self.of_rank.update(&*all(i)?, j.with(&*all(j.particles())?), cutoffs);
        };
        if let Some(state) = self.restored.take() {
            state.check_lengths([sets.lengths()[0], sets.j.map_or(0, Buffer::len)])?;
            self.rebuild();
        }
        self.renew(&sets, cutoffs)
    }

    pub fn rebuild(&mut self) {
        match &mut self.built {
            Some(built) => built.is_wanted = true,
            None => self.of_rank.rebuild(),
        }
    }

    pub fn rebuilds(&mut self) -> Result<u64, Error> {
        self.settle(Ok(()), &[])?;
        Ok(self.rebuilds + self.of_rank.rebuilds()? - self.built_on_rank)
    }

    pub fn restore(&mut self, state: &ListState) -> Result<(), Error> {
        state.check(self.of_rank.precision())?;
        self.restored = Some(state.clone());
        Ok(())
    }
}

/// Returns a hash of the skin or the given pairs, and of excluded pairs.
fn hash(origin: &Origin, excluded: &[[u32; 2]]) -> u64 {
    let mut hash = Xxh3::new();
    match origin {
        Origin::Found(skin) => hash.update(bytemuck::cast_slice(&skin.parts())),
        Origin::Given(Csr { offsets, indices }) => {
            hash.update(bytemuck::cast_slice(offsets));
            hash.update(bytemuck::cast_slice(indices));
        }
    }
    hash.update(bytemuck::cast_slice(excluded));
    hash.digest()
}
