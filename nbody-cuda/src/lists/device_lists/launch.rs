//! The launches of a look at neighbour lists and of a rebuild, and their times.

use std::ffi::CStr;
use std::mem::offset_of;
use std::ops::Range;
use std::time::Duration;

use nbody_core::NeighbourTimes;
use nbody_core::order::GROUP;

use super::{ASK, DeviceLists, LOOK, Outcome, REBUILD, TELL, Task};
use crate::backend::{Launch, Memory, in_batch};
use crate::border::Address;
use crate::error::Error;
use crate::lists::declared::{LookRequest, LookState, Room};
use crate::lists::extent::{ListExtent, ListedSet};
use crate::lists::reach::{ConstantReach, Reach};
use crate::order::BLOCK;
use crate::order::curve;

impl DeviceLists {
    /// Does work. If times are measured, adds its time on the device to `part`.
    pub fn timed(
        &self,
        part: &mut Duration,
        work: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        if !self.timer.is_on() {
            return work();
        }
        let mut work = Some(work);
        *part += self.backend.time(&mut || work.take().map_or(Ok(()), |work| work()))?;
        Ok(())
    }

    /// Launches a look at the particles, and a rebuild if the task has one.
    pub(super) fn launch(
        &mut self,
        [i, j]: [Option<ListedSet>; 2],
        extent: &ListExtent,
        task: Task,
        times: &mut NeighbourTimes,
    ) -> Result<(), Error> {
        (self.contents, self.builds_nothing) = ([None; 2], false);
        self.rechecks.forget();
        let Some(i) = i else { return Ok(()) };
        (self.looked_at, self.looked) = (extent.n, Some(*extent));
        self.reply.expect()?;
        let mut batch = self.batch.take();
        let held = batch.as_mut().filter(|_| !self.timer.is_on() && task != Task::Look);
        let sets = [i, j.unwrap_or(i)];
        let launched = in_batch(held, || self.look(sets, extent, task, times));
        self.batch = batch;
        self.is_awaited = launched.is_ok();
        if launched.is_ok() && self.given.is_none() {
            self.contents = [Some(i), j].map(|set| set.map(|set| set.contents));
        }
        launched
    }

    /// Launches a look at the particles. Without a second buffer, the j-particles are the
    /// i-particles.
    fn look(
        &self,
        sets: [ListedSet; 2],
        extent: &ListExtent,
        task: Task,
        times: &mut NeighbourTimes,
    ) -> Result<(), Error> {
        let ListExtent { has_j, n, .. } = extent;
        let order = |set: usize| {
            let order = &self.orders[if *has_j { set } else { 0 }];
            order.argument(sets[set].positions(), sets[set].frame(extent))
        };
        let orders = [order(0), order(1)];
        let request = self.request(extent, self.base.as_ref(), task == Task::Build);
        let reach = self.reach_argument(extent, None);
        let used = self.state_part(offset_of!(LookState, used));
        let room = Room { capacity: self.capacity as u64, used };
        let wanted = self.wanted.map_or(u32::MAX, |n| n as u32);
        let state = Address::<LookState>::of(&*self.state);
        let arrived: Address<u32> = self.state_part(offset_of!(LookState, arrived));
        let launch = |kernel: &'static CStr, blocks: usize| {
            let launch = Launch::new(kernel, blocks.max(1) as u32);
            let memory = self.memory().into_iter().chain(self.reach.memory());
            let memory = memory.chain(sets.map(|set| &*set.buffer.memory));
            memory.fold(launch, Launch::reads)
        };
        let module = &self.kernel()?.module;
        let blocks = n.iter().max().unwrap_or(&0).div_ceil(BLOCK);
        let reply = Address::<u64>::at(self.reply.address());
        self.timed(&mut times.look, || {
            let look = launch(LOOK, blocks).value(&request).value(&orders[0]);
            module.launch(reach.pass(look.value(&orders[1])).value(&state))?;
            match (&self.given, task) {
                (Some(_), _) => module.launch(launch(TELL, 1).value(&state).value(&reply)),
                (_, Task::Look) => module.launch(launch(ASK, 1).value(&state).value(&reply)),
                _ => Ok(()),
            }
        })?;
        if self.given.is_some() || task == Task::Look {
            return Ok(());
        }
        let blocks = n[0].max(n[1]).div_ceil(GROUP).min(module.resident_blocks(REBUILD));
        let rebuild = |phases: Range<u32>| {
            let rebuild = launch(REBUILD, blocks).value(&request);
            let rebuild = rebuild.value(&orders[0]).value(&orders[1]);
            let rebuild = reach.pass_lists(rebuild, self.found(), (room, wanted));
            let rebuild = rebuild.value(&state).value(&reply).value(&arrived);
            module.launch(rebuild.phases(phases))
        };
        // The phase that builds the lists.
        let last = phases_of(extent);
        if !self.timer.is_on() {
            return rebuild(0..last + 1);
        }
        let (mut order, mut list) = Default::default();
        self.timed(&mut order, || rebuild(0..last))?;
        self.timed(&mut list, || rebuild(last..last + 1))?;
        // The device has finished both launches. Lists that do not fit are built once more.
        if let Some(Outcome::Built(_)) = self.reply.peek().map(Outcome::of) {
            times.rebuilds = 1;
            times.order += order;
            times.list += list;
        }
        Ok(())
    }

    /// Returns the request for lists that were built as `base`, if any.
    pub(super) fn request(
        &self,
        extent: &ListExtent,
        base: Option<&ListExtent>,
        forced: bool,
    ) -> LookRequest {
        let two_sets = match (extent.has_j, extent.one_set) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        // Lists that must be built in any case have no margin.
        let (change, margin) = self.margin(extent, base).unwrap_or_default();
        LookRequest {
            margin: margin.into(),
            change: change.into(),
            forced: forced.into(),
            two_sets,
            i_phases: curve::phases(extent.n[0]),
            phases: phases_of(extent),
        }
    }

    /// Returns the reach. Records with other fields than the lists have `numbers` of their own.
    pub(super) fn reach_argument(
        &self,
        extent: &ListExtent,
        numbers: Option<&dyn Memory>,
    ) -> Reach {
        if self.reach.varying().is_empty() {
            let [greatest, skin] = extent.reach();
            return Reach::Constant(ConstantReach { greatest: greatest + skin });
        }
        let (skin, is_one) = (extent.skin.parts(), !extent.has_j);
        Reach::Varying(self.reach.argument(extent.cutoff, skin, is_one, numbers))
    }
}

/// Returns the number of phases that order the particles.
fn phases_of(extent: &ListExtent) -> u32 {
    let of_j = if extent.has_j { curve::phases(extent.n[1]) } else { 0 };
    curve::phases(extent.n[0]) + of_j
}
