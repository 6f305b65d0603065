//! Errors of communicators and of devices over ranks.

use std::path::PathBuf;

/// The error of an operation of ranks. Nothing was computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No MPI library was found.
    #[error(
        "no MPI library: looked for {}; install one, or name it in NBODY_MPI",
        tried.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    NoMpi {
        /// The libraries that were looked for.
        tried: Vec<PathBuf>,
    },
    /// An MPI library does not load, or lacks functions.
    #[error("the MPI library {} does not load: {message}; name another one in NBODY_MPI", path.display())]
    MpiBroken {
        /// The library.
        path: PathBuf,
        /// The message of the dynamic loader.
        message: String,
    },
    /// A call of MPI failed.
    #[error("{call} failed with status {status} in {library}")]
    Mpi {
        /// The function.
        call: &'static str,
        /// The status that it returned.
        status: i32,
        /// The library and its version.
        library: String,
    },
    /// The process was started by the launcher of another MPI library, so that each process would
    /// be a job of its own.
    #[error(
        "started as one of {launched} processes, but {library} finds {found}; start the program \
         with the mpirun of that library, or name the library of this mpirun in NBODY_MPI"
    )]
    OtherLauncher {
        /// The number of processes that the launcher started.
        launched: usize,
        /// The number of processes that the library finds.
        found: usize,
        /// The library and its version.
        library: String,
    },
    /// MPI has ended, or was initialised for another thread.
    #[error("MPI cannot be used here: {reason}")]
    NotNow {
        /// The reason.
        reason: &'static str,
    },
    /// A buffer was to be changed while an engine used it.
    #[error("another thread evaluates with this buffer; change it afterwards")]
    InUse,
    /// A rank failed while rows moved between ranks, so that no rank knows the place of each.
    #[error(
        "the rows were lost when a rank failed while they moved between ranks; upload them again"
    )]
    RowsLost,
    /// Another rank has ended, by an error of its own or a panic.
    #[error("rank {rank} has ended before the others; look for its error")]
    RankEnded {
        /// The rank.
        rank: usize,
    },
    /// Another rank failed in the same operation.
    #[error("rank {rank} failed: {message}")]
    OtherRank {
        /// The rank.
        rank: usize,
        /// Its error.
        message: String,
    },
    /// Ranks call different operations, or the same one with different values.
    #[error(
        "rank {rank} calls {found}, rank 0 calls {expected}, or their values differ; call the same \
         operations with the same particles, parameters and options on every rank"
    )]
    Diverged {
        /// The first rank that differs from rank 0.
        rank: usize,
        /// Its operation.
        found: String,
        /// The operation of rank 0.
        expected: String,
    },
    /// A message has another size than the other ranks expect.
    #[error(
        "rank {rank} sends {found} bytes, expected {expected}; call the same operations on every rank"
    )]
    OtherSize {
        /// The rank.
        rank: usize,
        /// The size of its message.
        found: usize,
        /// The expected size.
        expected: usize,
    },
    /// The ranks have devices of different kinds, whose results would differ in their last bits.
    #[error(
        "rank {rank} computes on {found}, rank 0 on {expected}; give every rank the same kind of device"
    )]
    OtherDevice {
        /// The first rank that differs from rank 0.
        rank: usize,
        /// Its device.
        found: String,
        /// The device of rank 0.
        expected: String,
    },
}

impl From<Error> for nbody_core::Error {
    fn from(error: Error) -> Self {
        Self::of_device(error)
    }
}
