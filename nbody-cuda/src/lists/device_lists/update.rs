//! Updates of neighbour lists, which look at the particles and rebuild the lists if they must.

use nbody_core::NeighbourTimes;
use nbody_core::order::GROUP;
use nbody_core::order::image::LIMIT;

use super::{DeviceLists, Outcome, REBUILD, Task};
use crate::error::Error;
use crate::lists::extent::{ListExtent, ListedSet};

/// Initial entries of lists, per particle.
pub(super) const ENTRIES: usize = 16;
/// Coordinates of an origin.
const ORIGIN: usize = 3;

impl DeviceLists {
    /// Looks whether the lists of these particles are still good, and rebuilds them if not. Lists
    /// of other sets are always rebuilt. The host waits only if it knows that lists must be built;
    /// otherwise it learns the outcome at the next look.
    ///
    /// If lists that the device builds by itself do not fit, evaluations use every j-particle
    /// until the next look reserves more memory.
    pub fn update(
        &mut self,
        sets: [Option<ListedSet>; 2],
        extent: ListExtent,
    ) -> Result<Outcome, Error> {
        let mut times = NeighbourTimes::default();
        times.updates = 1;
        let outcome = self.renew(sets, extent, &mut times)?;
        if !outcome.is_refusal() {
            self.timer.add(&times);
        }
        Ok(outcome)
    }

    /// Begins a look whether the lists of these particles are still good. If its outcome is that they
    /// are not, they are forgotten.
    pub fn look_at(
        &mut self,
        sets: [Option<ListedSet>; 2],
        extent: ListExtent,
    ) -> Result<Outcome, Error> {
        let before = self.outcome()?;
        if before.is_refusal() {
            return Ok(before);
        }
        let mut times = NeighbourTimes::default();
        times.updates = 1;
        if self.given.is_some() && self.built.is_some_and(|built| built.has_sets(&extent)) {
            let outcome = self.renew_given(sets, extent, &mut times)?;
            self.timer.add(&times);
            return Ok(outcome);
        }
        if self.given.is_some() || self.margin(&extent, self.base.as_ref()).is_none() {
            self.built = None;
            return Ok(Outcome::Good);
        }
        self.launch(sets, &extent, Task::Look, &mut times)?;
        (self.built, self.builds_nothing) = (Some(extent), true);
        self.timer.add(&times);
        Ok(Outcome::Good)
    }

    fn renew(
        &mut self,
        sets: [Option<ListedSet>; 2],
        extent: ListExtent,
        times: &mut NeighbourTimes,
    ) -> Result<Outcome, Error> {
        for found in extent.n {
            if found > LIMIT {
                return Err(Error::TooManyParticles { what: "particles", found, limit: LIMIT });
            }
        }
        let before = self.outcome()?;
        if before.is_refusal() {
            return Ok(before);
        }
        if self.given.is_some() {
            return self.renew_given(sets, extent, times);
        }
        let entries = std::mem::take(&mut self.entries_built);
        let is_full = 4 * entries > 3 * self.capacity;
        if self.margin(&extent, self.base.as_ref()).is_some() && !is_full {
            self.launch(sets, &extent, Task::Renew, times)?;
            self.built = Some(extent);
            return self.known_outcome();
        }
        self.built = None;
        self.reserve(&extent)?;
        if is_full {
            self.grow(2 * entries)?;
        }
        let outcome = loop {
            self.launch(sets, &extent, Task::Build, times)?;
            match self.outcome()? {
                Outcome::Built(entries) if entries > self.capacity => {
                    // Twice the size, since later lists may be longer.
                    self.grow(2 * entries)?;
                    self.counts_of_looks[0] -= 1;
                }
                outcome => break outcome,
            }
        };
        self.entries_built = 0;
        self.built = (sets[0].is_some() && !outcome.is_refusal()).then_some(extent);
        Ok(outcome)
    }

    /// Builds the lists of particles as they were when lists with this room were built, by the
    /// host or by the device. Reserves no more memory than this.
    pub fn restore(
        &mut self,
        sets: [Option<ListedSet>; 2],
        extent: ListExtent,
        room: [u64; 2],
    ) -> Result<Outcome, Error> {
        self.outcome()?;
        self.built = None;
        self.reserve(&extent)?;
        let [capacity, entries] = room.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        self.grow(capacity)?;
        self.launch(sets, &extent, Task::Build, &mut NeighbourTimes::default())?;
        let outcome = self.outcome()?;
        self.entries_built = entries;
        self.built = (sets[0].is_some() && !outcome.is_refusal()).then_some(extent);
        Ok(outcome)
    }

    /// Copies the given pairs to the device if they are not there, and looks at the particles.
    fn renew_given(
        &mut self,
        sets: [Option<ListedSet>; 2],
        extent: ListExtent,
        times: &mut NeighbourTimes,
    ) -> Result<Outcome, Error> {
        if self.built.is_some_and(|built| built.has_sets(&extent)) {
            self.launch(sets, &extent, Task::Build, times)?;
            self.built = Some(extent);
            return self.known_outcome();
        }
        self.built = None;
        let (backend, blocks) =
            (self.backend.clone(), self.kernel()?.module.resident_blocks(REBUILD));
        for order in &mut self.orders {
            order.reserve(&*backend, 0, blocks)?;
        }
        self.reserve_lists(0)?;
        if let Some(given) = &mut self.given {
            given.upload(&*backend, [extent.n[0], extent.nj()])?;
        }
        self.launch(sets, &extent, Task::Build, times)?;
        let outcome = self.outcome()?;
        if !outcome.is_refusal() {
            times.rebuilds = 1;
            self.counts_of_looks = [self.counts_of_looks[0] + 1, 0];
            self.built = Some(extent);
        }
        Ok(outcome)
    }

    /// Returns a refusal if the last look has already answered with one. Does not wait.
    fn known_outcome(&mut self) -> Result<Outcome, Error> {
        match self.reply.peek().map(Outcome::of) {
            Some(refusal) if refusal.is_refusal() => self.outcome(),
            _ => Ok(Outcome::Good),
        }
    }

    fn reserve(&mut self, extent: &ListExtent) -> Result<(), Error> {
        let (backend, blocks) =
            (self.backend.clone(), self.kernel()?.module.resident_blocks(REBUILD));
        for (order, n) in self.orders.iter_mut().zip(extent.n) {
            order.reserve(&*backend, n, blocks)?;
        }
        self.reserve_lists(extent.n[0])?;
        if !self.reach.varying().is_empty() {
            self.reach.reserve(&*backend, extent.n)?;
        }
        Ok(())
    }

    /// Reserves memory for the lists of this number of i-particles.
    fn reserve_lists(&mut self, n: usize) -> Result<(), Error> {
        let (backend, groups) = (&*self.backend, n.div_ceil(GROUP));
        self.begins.reserve(backend, &[groups, size_of::<u64>()], false)?;
        self.counts.reserve(backend, &[groups, size_of::<u32>()], false)?;
        self.origins.reserve(backend, &[groups, ORIGIN, size_of::<f64>()], false)?;
        self.grow(ENTRIES * n)
    }

    /// Reserves memory for this number of entries.
    fn grow(&mut self, entries: usize) -> Result<(), Error> {
        let entries = entries.max(GROUP);
        if entries > self.capacity {
            // Frees the old entries first.
            self.capacity = 0;
            self.entries.reserve(&*self.backend, &[entries, size_of::<u32>()], false)?;
            self.capacity = entries;
        }
        Ok(())
    }
}
