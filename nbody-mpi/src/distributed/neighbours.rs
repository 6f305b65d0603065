//! Neighbour lists over ranks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nbody_core::lists::cutoff::Cutoff;
use nbody_core::untyped::{Buffer, Neighbours, Origin, Subset};
use nbody_core::{Csr, Domain, Error, ListState, NeighbourStats, Precision, Sources};

use super::lists::Lists;
use crate::shared::Job;

/// Neighbour lists over ranks. Ranks distribute the particles for pairs within cutoffs, and given pairs
/// follow them, if results do not name particles; else every rank has the lists of all particles.
#[derive(Debug)]
pub(crate) struct DistributedLists {
    lists: Mutex<Lists>,
}

/// Refuses a triclinic box: ranks divide rectangular ones.
pub(crate) fn check_lists(domain: &Domain) -> Result<(), Error> {
    domain.check_rectangular(
        "neighbour lists over ranks",
        "use the lists of one device, or evaluate all pairs over the ranks with `AllPairs`",
    )
}

impl DistributedLists {
    pub fn new(job: &Arc<Job>, lists: Box<dyn Neighbours>, origin: Origin) -> Self {
        Self { lists: Mutex::new(Lists::new(job, lists, origin)) }
    }

    /// Returns a hash of the given and excluded pairs.
    pub fn pairs(&self) -> u64 {
        self.get().pairs
    }

    /// Returns the lists.
    pub(super) fn get(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get_mut(&mut self) -> &mut Lists {
        self.lists.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Neighbours for DistributedLists {
    fn domain(&self) -> Domain {
        self.get().of_rank.domain()
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        check_lists(&domain)?;
        self.get_mut().of_rank.set_domain(domain)
    }

    fn precision(&self) -> Precision {
        self.get().of_rank.precision()
    }

    fn list_first(&mut self, n: Option<usize>) {
        self.get_mut().list_first(n);
    }

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.get_mut().exclude(pairs);
    }

    fn set_subset(&mut self, subset: Option<&Subset<'_>>) -> Result<bool, Error> {
        self.get_mut().replace_subset(subset)
    }

    fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error> {
        self.get_mut().update(i, j, cutoffs)
    }

    fn look(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<bool, Error> {
        self.get_mut().look(i, j, cutoffs)
    }

    fn is_valid(&mut self) -> Result<bool, Error> {
        self.get_mut().is_valid()
    }

    fn rebuild(&mut self) {
        self.get_mut().rebuild();
    }

    /// Waits for the last update. All ranks call this together.
    fn rebuilds(&mut self) -> Result<u64, Error> {
        self.get_mut().rebuilds()
    }

    /// Returns figures of all ranks, and the times of this one. All ranks call this together.
    fn stats(&mut self) -> Result<NeighbourStats, Error> {
        self.get_mut().stats()
    }

    fn rounded_length(&self) -> Result<f64, Error> {
        self.get().of_rank.rounded_length()
    }

    fn set_timed(&mut self, is_on: bool) {
        self.get_mut().of_rank.set_timed(is_on);
    }

    /// Returns the rows of all ranks, which call this together.
    fn to_csr(&self) -> Result<Option<Csr>, Error> {
        self.get().csr()
    }

    /// Returns the state of all ranks, which call this together.
    fn state(&self) -> Result<Option<ListState>, Error> {
        self.get().state()
    }

    fn restore(&mut self, state: &ListState) -> Result<(), Error> {
        check_lists(&state.domain)?;
        self.get_mut().restore(state)
    }
}
