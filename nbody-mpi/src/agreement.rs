//! Agreement of ranks: that all call the same operation with the same values, and that all have
//! succeeded.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nbody_core::Error as CoreError;
use nbody_core::untyped::Communicator;
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;

/// An operation of all ranks, for messages and for comparison.
pub(crate) struct Operation<'a> {
    /// The name of the operation, with its law or its numbers.
    pub name: &'a dyn Fn() -> String,
    /// Words that are equal on all ranks.
    pub values: &'a [u64],
}

/// Compares the operations of ranks.
#[derive(Debug)]
pub(crate) struct Agreement {
    communicator: Arc<dyn Communicator>,
    /// The number of operations so far.
    count: AtomicU64,
}

/// The message of a rank about an operation.
#[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Outcome {
    /// The hash of the operation, with the number of earlier ones.
    operation: u64,
    has_failed: u64,
}

impl Agreement {
    pub fn new(communicator: &Arc<dyn Communicator>) -> Self {
        Self { communicator: communicator.clone(), count: AtomicU64::new(0) }
    }

    /// Returns what this rank has done, if all ranks call this operation and none has failed.
    /// Otherwise every rank returns an error: its own, or an error that names a rank.
    pub fn on<T>(
        &self,
        operation: &Operation<'_>,
        done: Result<T, CoreError>,
    ) -> Result<T, CoreError> {
        if self.communicator.size() == 1 {
            return done;
        }
        let mut hash = Xxh3::new();
        hash.update(&self.count.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        hash.update(bytemuck::cast_slice(operation.values));
        hash.update((operation.name)().as_bytes());
        let mine = Outcome { operation: hash.digest(), has_failed: done.is_err().into() };
        let all = self.communicator.gather_equal(bytemuck::bytes_of(&mine))?;
        let mut all =
            all.chunks_exact(size_of::<Outcome>()).map(bytemuck::pod_read_unaligned::<Outcome>);
        if all.all(|other| other == Outcome { has_failed: 0, ..mine }) {
            return done;
        }
        self.report(operation, mine, done)
    }

    /// Returns the error of an operation that ranks do not agree on.
    fn report<T>(
        &self,
        operation: &Operation<'_>,
        mine: Outcome,
        done: Result<T, CoreError>,
    ) -> Result<T, CoreError> {
        let name = (operation.name)();
        let failure = done.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let names = self.communicator.gather_all(name.as_bytes())?;
        let failures = self.communicator.gather_all(failure.as_bytes())?;
        let hashes = self.communicator.gather_equal(&mine.operation.to_le_bytes())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (hashes, _) = hashes.as_chunks::<8>();
        // A refusal by this rank says the most.
        let done = done?;
        // A rank that has failed may be in another part of the operation.
        if let Some(rank) = failures.iter().position(|failure| !failure.is_empty()) {
            return Err(Error::OtherRank { rank, message: text(&failures[rank]) }.into());
        }
        if let Some(rank) = hashes.iter().position(|hash| *hash != hashes[0]) {
            let (found, expected) = (text(&names[rank]), text(&names[0]));
            return Err(Error::Diverged { rank, found, expected }.into());
        }
        Ok(done)
    }
}
