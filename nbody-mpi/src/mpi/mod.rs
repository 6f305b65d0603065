//! Ranks that are processes of an MPI job. The library is loaded at run time: nothing of MPI is
//! needed to build, and one binary runs with Open MPI, MPICH and libraries of their families, and
//! with the standard binary interface of MPI-5.
#![allow(unsafe_code)]

mod launcher;
mod library;

use std::ffi::{c_int, c_void};
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use nbody_core::Error as CoreError;
use nbody_core::untyped::{Communicator, Message, OnHost, PassMemory};

use crate::alone::{check_exchange, check_sizes};
use crate::error::Error;
pub use launcher::{Family, Launcher};
use library::Library;

/// The largest count of one call.
const MOST: usize = c_int::MAX as usize;

/// A rank of an MPI job.
///
/// If it is dropped before [`finish`](Self::finish) in a job that it has started, because of an
/// error or a panic, it ends the whole job: other ranks would wait for it.
#[derive(Debug)]
pub struct Mpi {
    library: &'static Library,
    /// A communicator of our own, so that messages of the caller cannot be confused with ours.
    handle: usize,
    rank: usize,
    size: usize,
    on_host: OnHost,
    /// Whether MPI was initialised here, and is to be finalised.
    is_owner: bool,
    has_finished: AtomicBool,
    /// The thread that may call MPI, if only one may.
    only: Option<ThreadId>,
    /// MPI takes one call at a time.
    calls: Mutex<()>,
}

impl Mpi {
    /// Joins all processes that `mpirun` has started. Initialises MPI, unless the program has.
    ///
    /// The library is the library that the program has loaded, else the one that `NBODY_MPI` names,
    /// else the one of the launcher. Threads of the CPU engine are shared out among the ranks of a
    /// host, unless `RAYON_NUM_THREADS` gives their number.
    pub fn start() -> Result<Self, Error> {
        let library = Library::get()?;
        let launcher = Launcher::find();
        let is_owner = library.initialise()?;
        let mpi = Self::duplicate(library, library.world(), is_owner)?;
        let launched = launcher.and_then(|launcher| launcher.size).unwrap_or(1);
        if mpi.size == 1 && launched > 1 {
            mpi.has_finished.store(true, Ordering::Relaxed);
            let library = library.version();
            return Err(Error::OtherLauncher { launched, found: 1, library });
        }
        mpi.share_threads();
        Ok(mpi)
    }

    /// Joins the ranks of a communicator of Fortran, an `INTEGER` (`MPI_Comm_c2f`). All of them
    /// call this together; MPI stays initialised.
    pub fn of_fortran(communicator: i32) -> Result<Self, Error> {
        let library = Library::get()?;
        library.check_running()?;
        Self::duplicate(library, library.of_fortran(communicator), false)
    }

    /// Joins the ranks of a communicator of C, an `MPI_Comm` as the library has it: the address
    /// or the integer, such as `as_raw()` of the crate `mpi` returns. All of them call this
    /// together; MPI stays initialised.
    ///
    /// # Safety
    ///
    /// It is a communicator of the MPI library that this process has loaded.
    pub unsafe fn of_handle(communicator: usize) -> Result<Self, Error> {
        let library = Library::get()?;
        library.check_running()?;
        Self::duplicate(library, communicator, false)
    }

    fn duplicate(
        library: &'static Library,
        communicator: usize,
        is_owner: bool,
    ) -> Result<Self, Error> {
        let only = (!library.takes_any_thread()?).then(|| thread::current().id());
        let handle = library.duplicate(communicator)?;
        let [rank, size] = library.rank_and_size(handle)?;
        let mut mpi = Self {
            library,
            handle,
            rank,
            size,
            on_host: OnHost { rank: 0, size: 1 },
            is_owner,
            has_finished: AtomicBool::new(false),
            only,
            calls: Mutex::new(()),
        };
        mpi.on_host = mpi.find_on_host()?;
        Ok(mpi)
    }

    /// Returns the place of this rank on its host: boots of machines have different identifiers.
    fn find_on_host(&self) -> Result<OnHost, Error> {
        const BYTES: usize = 64;
        let mut mine = [0; BYTES];
        let boot = fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        for (to, byte) in mine.iter_mut().zip(boot) {
            *to = byte;
        }
        let mut all = vec![0; BYTES * self.size];
        self.gather_bytes(&mine, &vec![BYTES; self.size], &mut all)?;
        let (all, _) = all.as_chunks::<BYTES>();
        let together = |ranks: &[[u8; BYTES]]| ranks.iter().filter(|host| **host == mine).count();
        Ok(OnHost { rank: together(&all[..self.rank]), size: together(all) })
    }

    /// Divides the threads of the CPU engine among the ranks of a host. Has no effect if the
    /// program has already started threads.
    fn share_threads(&self) {
        if std::env::var_os("RAYON_NUM_THREADS").is_none() && self.on_host.size > 1 {
            let cores = thread::available_parallelism().map_or(1, usize::from);
            let threads = (cores / self.on_host.size).max(1);
            let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        }
    }

    /// Returns the MPI library and its version.
    pub fn library(&self) -> String {
        self.library.version()
    }

    /// Waits for all ranks, which all call this, and ends MPI if it was initialised here. Nothing can be
    /// gathered afterwards: a rank that still waits for this one, as in a download that it calls alone,
    /// waits for ever.
    pub fn finish(&self) -> Result<(), Error> {
        let _call = self.call()?;
        self.library.barrier(self.handle)?;
        self.has_finished.store(true, Ordering::Relaxed);
        self.library.free(self.handle)?;
        if self.is_owner { self.library.finalise() } else { Ok(()) }
    }

    /// Ends all ranks of the job at once, with this exit code.
    pub fn abort(&self, code: u8) {
        self.library.abort(self.handle, code.into());
    }

    /// Begins a call. Refuses calls after the end, and calls of another thread if MPI allows only
    /// one.
    fn call(&self) -> Result<MutexGuard<'_, ()>, Error> {
        if self.has_finished.load(Ordering::Relaxed) {
            return Err(Error::NotNow {
                reason: "the ranks have finished; gather before `finish`",
            });
        }
        if self.only.is_some_and(|only| only != thread::current().id()) {
            let reason = "it was initialised for calls of one thread; call MPI_Init_thread with \
                          MPI_THREAD_SERIALIZED, or stay in the thread that connected the ranks";
            return Err(Error::NotNow { reason });
        }
        Ok(self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn gather_bytes(&self, mine: &[u8], sizes: &[usize], all: &mut [u8]) -> Result<(), Error> {
        check_sizes(self.rank, mine, sizes, all)?;
        let _call = self.call()?;
        if all.len() <= MOST {
            return self.library.gather(self.handle, mine, sizes, all);
        }
        // Counts and offsets are 32-bit integers: each rank sends its message in parts.
        let mut rest = all;
        for (rank, size) in sizes.iter().enumerate() {
            let (message, others) = rest.split_at_mut(*size);
            if rank == self.rank {
                message.copy_from_slice(mine);
            }
            for part in message.chunks_mut(MOST) {
                self.library.broadcast(self.handle, part, rank)?;
            }
            rest = others;
        }
        Ok(())
    }
}

impl Mpi {
    fn exchange_bytes(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, Error> {
        check_exchange([self.rank, self.size], sent, sizes)?;
        let mut all = vec![0; sizes.iter().sum()];
        let mut rest = &mut all[..];
        let mut messages = Vec::new();
        for (rank, (sent, size)) in sent.iter().zip(sizes).enumerate() {
            let (received, others) = rest.split_at_mut(*size);
            rest = others;
            if rank == self.rank {
                received.copy_from_slice(sent);
                continue;
            }
            let (sent, received) = (sent.as_ptr_range(), received.as_mut_ptr_range());
            let sent = sent.start as u64..sent.end as u64;
            let received = received.start as u64..received.end as u64;
            // SAFETY: the slices outlive the messages, and nothing else uses the received bytes.
            messages.push(unsafe { Message::new(rank, sent, received) });
        }
        self.pass_in_rounds(&messages)?;
        Ok(all)
    }

    /// Passes messages in rounds: in round k to the rank k higher and from the rank k lower. Empty
    /// messages are not sent, and long ones are sent in parts, since counts are 32-bit integers.
    fn pass_in_rounds(&self, messages: &[Message]) -> Result<(), Error> {
        let _call = self.call()?;
        let mut of_rank = vec![None; self.size];
        for message in messages {
            of_rank[message.rank()] = Some(message);
        }
        for k in 1..self.size {
            let (to, from) = ((self.rank + k) % self.size, (self.rank + self.size - k) % self.size);
            let mut sent = of_rank[to].map(Message::sent).unwrap_or_default();
            let mut received = of_rank[from].map(Message::received).unwrap_or_default();
            while !sent.is_empty() || !received.is_empty() {
                let [part, room] = [first(&mut sent), first(&mut received)];
                let (part, room) =
                    ((part.0 as *const c_void, part.1), (room.0 as *mut c_void, room.1));
                // SAFETY: as the messages promise.
                unsafe { self.library.pass(self.handle, (part, to), (room, from))? };
            }
        }
        Ok(())
    }
}

/// Takes the first bytes for one call from a range of addresses, and returns their address and count.
fn first(rest: &mut Range<u64>) -> (u64, usize) {
    let begin = rest.start;
    rest.start = rest.end.min(begin.saturating_add(MOST as u64));
    (begin, (rest.start - begin) as usize)
}

impl PassMemory for Mpi {
    fn takes_devices(&self) -> bool {
        self.library.takes_gpus()
    }

    fn pass(&self, messages: &[Message]) -> Result<(), CoreError> {
        Ok(self.pass_in_rounds(messages)?)
    }
}

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn on_host(&self) -> OnHost {
        self.on_host
    }

    fn gather(&self, mine: &[u8], sizes: &[usize], all: &mut [u8]) -> Result<(), CoreError> {
        Ok(self.gather_bytes(mine, sizes, all)?)
    }

    fn exchange(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, CoreError> {
        Ok(self.exchange_bytes(sent, sizes)?)
    }

    fn memory(&self) -> Option<&dyn PassMemory> {
        Some(self)
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if self.is_owner && !self.has_finished.load(Ordering::Relaxed) {
            let ended = format!("rank {} ended without `Mpi::finish`; the job ends\n", self.rank);
            // One piece: other processes write there, too.
            let _ = std::io::stderr().write_all(ended.as_bytes());
            self.abort(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ranks divide a message in the same way, so that each part meets its room.
    #[test]
    fn long_messages_pass_in_parts() {
        let most = MOST as u64;
        for (bytes, expected) in
            [(0, vec![]), (1, vec![1]), (most, vec![most]), (2 * most + 5, vec![most, most, 5])]
        {
            let (mut rest, mut parts, begin) = (16..16 + bytes, Vec::new(), 16);
            while !rest.is_empty() {
                let (address, count) = first(&mut rest);
                assert_eq!(address, begin + parts.iter().sum::<u64>());
                parts.push(count as u64);
            }
            assert_eq!(parts, expected);
            assert_eq!(first(&mut rest), (16 + bytes, 0), "nothing is left");
        }
    }
}
