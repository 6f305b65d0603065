//! Checks that lists are good for particles that are to be evaluated.

use std::sync::Arc;

use nbody_core::Field;
use nbody_core::lists::cutoff::{Cutoff, Watched};

use super::{CudaNeighbours, not_finite};
use crate::backend::{Backend, Buffer, Memory, check_backend};
use crate::error::Error;
use crate::lists::device_lists::recheck::Recheck;
use crate::lists::sets::{ListSets, contents_of, set_of};

impl CudaNeighbours {
    /// Refuses lists of another backend.
    pub fn check_backend(&self, backend: &Arc<dyn Backend>) -> Result<(), Error> {
        check_backend("neighbour lists", &self.backend, backend)
    }

    /// Refuses lists that are not good for an interaction and these particles. Costs nothing if
    /// none of the numbers that the lists depend on was written since the last update; otherwise
    /// the host waits for a look.
    pub fn check(&self, cutoff: &Cutoff, sets: &ListSets) -> Result<(), Error> {
        cutoff.law().check_domain(&self.domain)?;
        let law = cutoff.law().name;
        let extent = self.lists.built().filter(|extent| extent.domain == self.domain);
        let Some(extent) = extent else {
            return Err(nbody_core::Error::NoLists { law }.into());
        };
        if !self.covers(cutoff) {
            return Err(nbody_core::Error::OtherLists { law }.into());
        }
        if (extent.one_set, extent.has_j) != (sets.one_set, sets.j.is_some()) {
            return Err(nbody_core::Error::OtherSets.into());
        }
        for ((what, buffer, _), expected) in sets.each().zip(extent.n) {
            if buffer.n != expected {
                let found = buffer.n;
                return Err(nbody_core::Error::OtherLength { what, found, expected }.into());
            }
        }
        // Given pairs are good wherever the particles are.
        if self.is_given() {
            return Ok(());
        }
        let mut each = sets.each().enumerate();
        each.try_for_each(|(set, (what, buffer, fields))| {
            if buffer.n == 0 || self.has_looked_at(set, buffer, fields) {
                return Ok(());
            }
            let roles = if sets.j.is_some() { [set == 0, set == 1] } else { [true; 2] };
            self.recheck((set, cutoff), what, (buffer, fields), roles)
        })
    }

    /// Returns whether the last look was at this buffer, and none of the numbers that the lists
    /// depend on was written since then.
    fn has_looked_at(&self, set: usize, buffer: &Buffer, fields: &'static [Field]) -> bool {
        self.fields.get(set) == Some(&fields)
            && self.lists.has_looked_at(set, contents_of(buffer, &self.watched[set]))
    }

    /// Returns the positions of a set from the last look, if it was at this buffer.
    pub fn positions_of(
        &self,
        set: usize,
        (buffer, fields): (&Buffer, &'static [Field]),
    ) -> Option<&dyn Memory> {
        let is_known = self.has_looked_at(set, buffer, fields);
        is_known.then(|| self.lists.positions(set))
    }

    /// Refuses particles of a set for which the lists are not good, as far as a cutoff depends on
    /// them.
    fn recheck(
        &self,
        (set, cutoff): (usize, &Cutoff),
        what: &'static str,
        (buffer, fields): (&Buffer, &'static [Field]),
        roles: [bool; 2],
    ) -> Result<(), Error> {
        let own = Watched::new(std::slice::from_ref(cutoff), roles, fields)?;
        let index = self.cutoffs.iter().position(|it| it == cutoff && it.reads_particles());
        let (watched, varying) = (&self.watched[set], self.lists.varying());
        let mut numbers = None;
        if !varying.is_empty()
            && (self.fields[set], watched.places.len()) != (fields, own.places.len())
        {
            let found = index.map(|k| watched.numbers_in((k, cutoff.law()), roles, fields));
            let other = varying.with_numbers(set, &found.transpose()?.unwrap_or_default());
            numbers = Some(other.upload(&*self.backend)?);
        }
        let Some(particles) = set_of(buffer, fields, &own) else { return Ok(()) };
        match self.lists.recheck((set, index), particles, numbers.as_deref())? {
            Recheck::Good => Ok(()),
            Recheck::Old => Err(nbody_core::Error::OldLists { what }.into()),
            Recheck::NotFinite(index) => Err(not_finite(what, index)),
            Recheck::Refused(outcome) => self.check_outcome(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use nbody_compile::Cache;
    use nbody_core::untyped::Origin;
    use nbody_core::{Domain, Precision, Skin};

    use super::*;
    use crate::backend::another::Another;
    use crate::backend::emulator::Emulator;

    #[test]
    fn lists_of_another_backend_are_refused() {
        let cache = tempfile::tempdir().unwrap();
        let cache = Cache::at(cache.path());
        let emulator = Emulator::open().unwrap();
        let here: Arc<dyn Backend> = Arc::new(emulator.clone());
        let same: Arc<dyn Backend> = Arc::new(Emulator::open().unwrap());
        let there: Arc<dyn Backend> = Arc::new(Another::of(emulator));
        let pairs = Origin::Found(Skin::Auto);
        let lists = CudaNeighbours::new(&here, &cache, Domain::Open, pairs, Precision::Single);
        let lists = lists.unwrap();
        lists.check_backend(&here).unwrap();
        lists.check_backend(&same).unwrap();
        assert_eq!(
            lists.check_backend(&there).unwrap_err().to_string(),
            "neighbour lists of emulator given to another emulator; upload them with the engine that uses them"
        );
    }
}
