//! Looks at particles before an evaluation, since they may have changed after the last update.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{DeviceLists, LOOK, Outcome};
use crate::backend::{Launch, Memory, Scratch};
use crate::border::Address;
use crate::error::Error;
use crate::lists::declared::{LookState, refusal};
use crate::lists::extent::ListedSet;
use crate::order::BLOCK;
use crate::order::curve::Order;
use crate::order::keys::{Position, Positions};

/// The largest number of remembered contents.
const MOST: usize = 16;

/// The outcome of a look at particles before an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recheck {
    /// The lists are good for them.
    Good,
    /// A particle has moved too far, or a number that cutoffs depend on is beyond its bounds.
    Old,
    /// The position of this particle of the set is not finite.
    NotFinite(usize),
    /// The last update was refused; its answer has just arrived.
    Refused(Outcome),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeviceLists {
    /// Returns whether the last look was at these contents of a set.
    pub fn has_looked_at(&self, set: usize, contents: u64) -> bool {
        self.contents[set] == Some(contents)
    }

    /// Looks whether the lists are good for the particles of a set and one of their cutoffs; waits
    /// for the outcome unless it is known. One of several cutoffs that depend on particles has
    /// `numbers` of its own, and so have records with other fields than the lists. Changes neither
    /// the lists nor the known state of the last update.
    pub fn recheck(
        &self,
        (set, cutoff): (usize, Option<usize>),
        particles: ListedSet,
        numbers: Option<&dyn Memory>,
    ) -> Result<Recheck, Error> {
        let key = (set, cutoff, particles.contents);
        if !lock(&self.rechecks.good).contains(&key) {
            let kept = lock(&self.rechecks.memory).take();
            let mut memory = match kept {
                Some(memory) => memory,
                None => (self.backend.allocate(size_of::<LookState>())?, Scratch::default()),
            };
            let found = self.look_again(set, particles, numbers, &mut memory)?;
            *lock(&self.rechecks.memory) = Some(memory);
            if found != Recheck::Good {
                return Ok(found);
            }
            let mut good = lock(&self.rechecks.good);
            if good.len() == MOST {
                good.remove(0);
            }
            good.push(key);
        }
        // Evaluations do nothing after a refused update. Its answer came before the answer of this
        // look.
        let answer = self.reply.peek().filter(|_| self.is_awaited).map(Outcome::of);
        let refused = answer.filter(|outcome| outcome.is_refusal());
        Ok(refused.map_or(Recheck::Good, Recheck::Refused))
    }

    /// Launches a look with a separate state and separate positions.
    fn look_again(
        &self,
        set: usize,
        particles: ListedSet,
        numbers: Option<&dyn Memory>,
        (state, now): &mut (Box<dyn Memory>, Scratch),
    ) -> Result<Recheck, Error> {
        let extent = self.built.expect("lists are evaluated once they are built");
        let base = self.base()?;
        let buffer = particles.buffer;
        state.set(&LookState::FIRST)?;
        let now = now.reserve(&*self.backend, &[buffer.n, size_of::<Position>()], false)?;
        let from = particles.positions();
        let order = self.orders[set].argument(from, particles.frame(&extent));
        let order = Order { now: Address::of(now), ..order };
        // The look takes a second set after an empty first set.
        let n = if set == 0 { from.n } else { 0 };
        let first = Order { from: Positions { n, ..from }, ..order };
        let mut request = self.request(&extent, base.as_ref(), false);
        request.two_sets = set as u32;
        let reach = self.reach_argument(&extent, numbers);
        let launch = Launch::new(LOOK, buffer.n.div_ceil(BLOCK).max(1) as u32);
        let launch = launch.value(&request).value(&first).value(&order);
        let launch = reach.pass(launch).value(&Address::<LookState>::of(&**state));
        let memory = self.memory().into_iter().chain(self.reach.memory()).chain(numbers);
        let memory = memory.chain([&*buffer.memory, now, &**state]);
        self.kernel()?.module.launch(memory.fold(launch, Launch::reads))?;
        let LookState { wanted, refused, .. } = state.value()?;
        Ok(match refused {
            refusal::NOTHING if wanted == 0 => Recheck::Good,
            refusal::NOTHING => Recheck::Old,
            index => Recheck::NotFinite(index as usize),
        })
    }
}
