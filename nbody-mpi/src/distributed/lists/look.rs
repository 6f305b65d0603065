//! Looks whether the lists of all ranks are valid.

use std::mem;

use nbody_core::lists::cutoff::Cutoff;
use nbody_core::untyped::Buffer;
use nbody_core::{Error, Sources};

use super::{Built, Lists};
use crate::agreement::Operation;
use crate::distributed::buffer::all;
use crate::distributed::sets::{Placed, Sets};

/// The number of updates before the end of lists, as the lists before them have lasted, from which
/// on evaluations wait for the outcome of a look.
const MARGIN: u64 = 2;

impl Lists {
    /// Looks at distributed particles, and builds the lists if they are known not to be valid. On a
    /// GPU the host does not wait for the look.
    pub(super) fn renew(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        if let Some(built) = self.built.take_if(|built| !built.is_wanted)
            && built.placed.has(sets)
        {
            self.begun = Some(self.look_at(&built.placed, sets, &cutoffs));
            self.built = Some(Built { cutoffs: cutoffs.clone(), ..built });
            // An evaluation over lists that are not valid would be in vain.
            let may_last = self.is_given() || self.age + MARGIN < self.lasted;
            if !self.job.is_cpu() && may_last {
                return Ok(());
            }
            if self.settle(Ok(()), &[])?.is_some() {
                return Ok(());
            }
        }
        self.build_again(sets, cutoffs)
    }

    /// Begins a look at distributed particles.
    fn look_at(&mut self, placed: &Placed, sets: &Sets, cutoffs: &[Cutoff]) -> Result<bool, Error> {
        let [i, j] = placed.rows(sets)?;
        self.of_rank.look(&**i, placed.sources(&**j), cutoffs.to_vec())
    }

    /// Returns whether a look has begun whose outcome is not known.
    pub fn is_open(&self) -> bool {
        self.begun.is_some()
    }

    /// Returns whether an evaluation over the lists of this rank may have a meaning.
    pub fn may_be_valid(&self) -> bool {
        !matches!(self.begun, Some(Ok(false) | Err(_)))
    }

    /// Waits for the look that has begun. Returns what this rank has done meanwhile, with values that all
    /// ranks must have; `None` if the lists are not valid on all ranks, and must be built again.
    pub fn settle<T>(
        &mut self,
        done: Result<T, Error>,
        values: &[u64],
    ) -> Result<Option<T>, Error> {
        let Some(begun) = self.begun.take() else { return done.map(Some) };
        let valid = begun.and_then(|may| if may { self.of_rank.is_valid() } else { Ok(false) });
        let Some(built) = &mut self.built else { return done.map(Some) };
        let valid = built.placed.renumbered(valid, false);
        let name = || format!("an update of lists of {} particles", built.placed.i.n);
        let operation = Operation { name: &name, values };
        let (answer, done) = match (valid, done) {
            (Ok(true), Ok(done)) => (Ok(true), Some(done)),
            // The work may have been refused because the lists are not valid.
            (Ok(false), done) => (Ok(false), done.ok()),
            (Ok(true), Err(error)) | (Err(error), _) => (Err(error), None),
        };
        let was_wanted = mem::replace(&mut built.is_wanted, true);
        let is_valid = self.job.agreement.all_say(&operation, answer)?;
        // Lists may have been wanted since the look began.
        built.is_wanted = was_wanted || !is_valid;
        self.age += u64::from(is_valid);
        Ok(done.filter(|_| is_valid && !was_wanted))
    }

    /// Builds lists that are not valid, for the particles of an evaluation. Given pairs follow
    /// particles that have moved.
    pub fn make_valid(&mut self, sets: &Sets) -> Result<(), Error> {
        match &self.built {
            Some(built) if built.is_wanted || self.is_given() && !built.placed.has(sets) => {
                let cutoffs = built.cutoffs.clone();
                self.build_again(sets, cutoffs)
            }
            _ => Ok(()),
        }
    }

    /// Begins a look at all particles, or at the particles of this rank.
    pub fn look(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<bool, Error> {
        let Some(built) = self.built.take() else {
            self.leave_subset()?;
            return self.of_rank.look(&*all(i)?, j.with(&*all(j.particles())?), cutoffs);
        };
        let sets = Sets::new(i, j).filter(|sets| built.placed.has(sets) && !built.is_wanted);
        match sets {
            Some(sets) => self.begun = Some(self.look_at(&built.placed, &sets, &cutoffs)),
            None => self.of_rank.rebuild(),
        }
        self.built = sets.map(|_| built);
        Ok(self.built.is_some() && self.may_be_valid())
    }

    /// Returns whether the last look has found the lists valid.
    pub fn is_valid(&mut self) -> Result<bool, Error> {
        if self.built.is_none() && !self.is_own {
            return self.of_rank.is_valid();
        }
        self.settle(Ok(()), &[]).map(|valid| valid.is_some() && self.built.is_some())
    }
}
