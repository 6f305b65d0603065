//! Ranks that are threads of one process: several GPUs of one host, and tests without MPI.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nbody_core::Error as CoreError;
use nbody_core::untyped::{Communicator, OnHost};

use crate::alone::{check_exchange, check_sizes};
use crate::error::Error;

/// The time for which a thread looks at the messages before it sleeps, since to wake it takes as long
/// as an exchange: of ranks with cores of their own, and of others, which hold up one another.
const LOOKING: Duration = Duration::from_millis(2);
const LOOKING_ON_SHARED_CORES: Duration = Duration::from_micros(20);
/// Looks at the messages between two at the clock.
const LOOKS: usize = 64;

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
    /// The number of changes of the state, for threads that look at it.
    changes: AtomicU64,
    /// The time for which a thread looks at the state before it sleeps.
    looking: Duration,
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
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let hub = Arc::new(Hub {
            state: Mutex::new(state),
            changed: Condvar::new(),
            changes: AtomicU64::new(0),
            looking: if size < cores { LOOKING } else { LOOKING_ON_SHARED_CORES },
        });
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
        let begin = Instant::now();
        let mut state = self.state();
        while !is_met(&state) {
            let missing = |rank: &usize| state.ended[*rank] && state.messages[*rank].is_none();
            if let Some(rank) = (0..state.ended.len()).find(missing) {
                return Err(Error::RankEnded { rank });
            }
            if begin.elapsed() < self.looking {
                let changes = self.changes.load(Ordering::Acquire);
                drop(state);
                self.look(begin, changes);
                state = self.state();
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        Ok(state)
    }

    /// Waits for a change of the state, but not longer than a thread looks.
    fn look(&self, begin: Instant, changes: u64) {
        while begin.elapsed() < self.looking {
            for _ in 0..LOOKS {
                if self.changes.load(Ordering::Acquire) != changes {
                    return;
                }
                std::hint::spin_loop();
            }
        }
    }

    /// Tells waiting threads of a change of the state, which they see once it is unlocked.
    fn tell(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        self.changed.notify_all();
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
        Ok(self.pass(mine.to_vec(), |messages| {
            let mut rest = all;
            for (rank, (message, size)) in messages.zip(sizes).enumerate() {
                check_size(rank, message.len(), *size)?;
                let (to, others) = std::mem::take(&mut rest).split_at_mut(message.len());
                to.copy_from_slice(message);
                rest = others;
            }
            Ok(())
        })?)
    }

    fn exchange(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, CoreError> {
        check_exchange([self.rank, self.size()], sent, sizes)?;
        // A message begins with the ends of its parts, one for each rank.
        let mut mine = Vec::new();
        let mut end = sent.len() * size_of::<u64>();
        for part in sent {
            end += part.len();
            mine.extend((end as u64).to_le_bytes());
        }
        mine.extend(sent.concat());
        let mut received = Vec::with_capacity(sizes.iter().sum());
        self.pass(mine, |messages| {
            for (rank, (message, size)) in messages.zip(sizes).enumerate() {
                let part = part_of(message, self.rank, sizes.len());
                check_size(rank, part.len(), *size)?;
                received.extend(part);
            }
            Ok(())
        })?;
        Ok(received)
    }
}

/// Returns the part of an exchange's message for a rank; nothing of a message without such a part.
fn part_of(message: &[u8], rank: usize, ranks: usize) -> &[u8] {
    let end = |part: usize| {
        let bytes = message.get(part * size_of::<u64>()..).and_then(<[u8]>::first_chunk);
        bytes.map(|bytes| u64::from_le_bytes(*bytes) as usize)
    };
    let begin = if rank == 0 { Some(ranks * size_of::<u64>()) } else { end(rank - 1) };
    let range = begin.zip(end(rank)).map(|(begin, end)| begin..end);
    range.and_then(|range| message.get(range)).unwrap_or_default()
}

fn check_size(rank: usize, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::OtherSize { rank, found, expected }) }
}

impl Threads {
    /// Gives a message to the other ranks, and takes the messages of all ranks.
    fn pass(
        &self,
        mine: Vec<u8>,
        take: impl FnOnce(&mut dyn Iterator<Item = &[u8]>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // The others may still take the messages of the last operation.
        let mut state = self.hub.wait(|state| state.messages[self.rank].is_none())?;
        state.messages[self.rank] = Some(mine);
        drop(state);
        self.hub.tell();
        let mut state = self.hub.wait(|state| state.messages.iter().all(Option::is_some))?;
        let taken = take(&mut state.messages.iter().flatten().map(Vec::as_slice));
        state.taken += 1;
        if state.taken == state.messages.len() {
            state.taken = 0;
            state.messages.fill(None);
            self.hub.tell();
        }
        taken
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.hub.state().ended[self.rank] = true;
        self.hub.tell();
    }
}
