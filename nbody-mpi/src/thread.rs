//! Ranks that are threads of one process: several GPUs of one host, and tests without MPI.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use nbody_core::Error as CoreError;
use nbody_core::untyped::{Communicator, OnHost};

use crate::alone::check_sizes;
use crate::error::Error;

/// The number of looks at the messages before a thread sleeps.
const SPINS: usize = 500;

/// A rank of a job whose ranks are threads of this process.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    hub: Arc<Hub>,
}

/// The messages of one operation after the other.
#[derive(Debug)]
struct Hub {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The message of each rank that has come to the present operation.
    messages: Vec<Option<Vec<u8>>>,
    /// The number of ranks that have taken the messages.
    taken: usize,
    /// The ranks that have ended.
    ended: Vec<bool>,
}

/// Runs a function as each of `size` ranks, in threads, and returns the results in the order of
/// ranks. The function receives the communicator of its rank. The other ranks end with an error if
/// one of them ends early.
///
/// # Panics
///
/// If the function panics.
pub fn threads<T: Send>(size: usize, run: impl Fn(Arc<dyn Communicator>) -> T + Sync) -> Vec<T> {
    let run = &run;
    thread::scope(|scope| {
        let start = |rank: Threads| scope.spawn(move || run(Arc::new(rank)));
        let ranks: Vec<_> = Threads::new(size).into_iter().map(start).collect();
        let joined: Vec<_> = ranks.into_iter().map(thread::ScopedJoinHandle::join).collect();
        let end = |done| match done {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        joined.into_iter().map(end).collect()
    })
}

impl Threads {
    /// Creates the communicators of `size` ranks, in the order of ranks; each belongs into a thread
    /// of its own. [`threads`] does both.
    pub fn new(size: usize) -> Vec<Self> {
        let state = State { messages: vec![None; size], taken: 0, ended: vec![false; size] };
        let hub = Arc::new(Hub { state: Mutex::new(state), changed: Condvar::new() });
        (0..size).map(|rank| Self { rank, hub: hub.clone() }).collect()
    }
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a condition holds. Fails if a rank has ended that did not come to the present
    /// operation.
    fn wait(&self, is_met: impl Fn(&State) -> bool) -> Result<MutexGuard<'_, State>, Error> {
        // The others are mostly near: to wake a thread takes longer than they do.
        for _ in 0..SPINS {
            let state = self.state();
            if is_met(&state) {
                return Ok(state);
            }
            drop(state);
            std::hint::spin_loop();
        }
        let mut state = self.state();
        while !is_met(&state) {
            let missing = |rank: &usize| state.ended[*rank] && state.messages[*rank].is_none();
            if let Some(rank) = (0..state.ended.len()).find(missing) {
                return Err(Error::RankEnded { rank });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(state)
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.hub.state().messages.len()
    }

    fn on_host(&self) -> OnHost {
        OnHost { rank: self.rank, size: self.size() }
    }

    fn gather(&self, mine: &[u8], sizes: &[usize], all: &mut [u8]) -> Result<(), CoreError> {
        check_sizes(self.rank, mine, sizes, all)?;
        // The others may still take the messages of the last operation.
        let mut state = self.hub.wait(|state| state.messages[self.rank].is_none())?;
        state.messages[self.rank] = Some(mine.to_vec());
        drop(state);
        self.hub.changed.notify_all();
        let mut state = self.hub.wait(|state| state.messages.iter().all(Option::is_some))?;
        let found = |(rank, expected): (usize, &usize)| {
            let found = state.messages[rank].as_ref().map_or(0, Vec::len);
            (found != *expected).then_some(Error::OtherSize { rank, found, expected: *expected })
        };
        let refused = sizes.iter().enumerate().find_map(found);
        let mut rest = all;
        for message in state.messages.iter().flatten().take_while(|_| refused.is_none()) {
            let (to, others) = rest.split_at_mut(message.len());
            to.copy_from_slice(message);
            rest = others;
        }
        state.taken += 1;
        if state.taken == state.messages.len() {
            state.taken = 0;
            state.messages.fill(None);
            self.hub.changed.notify_all();
        }
        Ok(refused.map_or(Ok(()), Err)?)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.hub.state().ended[self.rank] = true;
        self.hub.changed.notify_all();
    }
}
