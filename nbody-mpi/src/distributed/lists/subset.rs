//! The numbers of the particles of a rank, which given and excluded pairs name.

use std::mem;

use nbody_core::Error;
use nbody_core::untyped::Subset;

use super::Lists;
use crate::distributed::sets::Placed;

impl Lists {
    /// Tells the lists of this rank the numbers of their particles. Returns whether these have all
    /// particles of given pairs. All ranks call this together.
    pub fn set_subset(&mut self, placed: &Placed) -> Result<bool, Error> {
        let Placed { i, ghosts, shape } = placed;
        let numbers = [i.number, ghosts.number];
        if let Some((_, has_all)) = self.subset.filter(|(known, _)| *known == numbers) {
            return Ok(has_all);
        }
        let j = [&ghosts.placement.numbers, ghosts.numbers(&self.job)?];
        let set = self.of_rank.set_subset(Some(&Subset {
            i: (!shape[1]).then_some(&*i.numbers.on_device),
            j: &j.map(|numbers| &*numbers.on_device),
            own: i.own(),
            n: [i.n, ghosts.placement.n],
        }));
        self.subset = None;
        if set.is_err() {
            self.of_rank.set_subset(None)?;
        }
        let has_all = set?;
        self.subset = Some((numbers, has_all));
        Ok(has_all)
    }

    /// Sets a subset of the caller.
    pub fn replace_subset(&mut self, subset: Option<&Subset<'_>>) -> Result<bool, Error> {
        (self.built, self.begun) = (None, None);
        self.leave_subset()?;
        self.of_rank.set_subset(subset)
    }

    /// Tells the lists of this rank that their particles are all particles.
    pub(super) fn unset_subset(&mut self) -> Result<(), Error> {
        if self.subset.take().is_some() {
            self.of_rank.set_subset(None)?;
        }
        Ok(())
    }

    /// Lets the lists of this rank be for all particles.
    pub(super) fn leave_subset(&mut self) -> Result<(), Error> {
        if mem::take(&mut self.is_own) {
            self.of_rank.list_first(self.wanted);
            self.of_rank.rebuild();
        }
        self.unset_subset()
    }

    /// Tells the lists of this rank the numbers of the particles that they were built for. All ranks
    /// call this together.
    pub fn name_particles(&mut self) -> Result<(), Error> {
        let Some(built) = self.built.take() else { return Ok(()) };
        let done = self.set_subset(&built.placed);
        self.built = Some(built);
        done.map(|_| ())
    }
}
