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
    has_failed: u32,
    /// Whether this rank answers yes to a question.
    is_yes: u32,
}

impl Agreement {
    pub fn new(communicator: &Arc<dyn Communicator>) -> Self {
        Self { communicator: communicator.clone(), count: AtomicU64::new(0) }
    }

    /// Returns the number of operations so far, the same on all ranks.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns what this rank has done, if all ranks call this operation and none has failed.
    /// Otherwise every rank returns an error: its own, or an error that names a rank.
    pub fn on<T>(
        &self,
        operation: &Operation<'_>,
        done: Result<T, CoreError>,
    ) -> Result<T, CoreError> {
        self.exchange(operation, done, false).map(|(done, _)| done)
    }

    /// Returns whether all ranks answer yes; refuses as [`on`](Self::on) does.
    pub fn all_say(
        &self,
        operation: &Operation<'_>,
        answer: Result<bool, CoreError>,
    ) -> Result<bool, CoreError> {
        let is_yes = *answer.as_ref().unwrap_or(&false);
        self.exchange(operation, answer, is_yes).map(|(_, all)| all)
    }

    /// Returns what this rank has done, and whether all ranks answer yes.
    fn exchange<T>(
        &self,
        operation: &Operation<'_>,
        done: Result<T, CoreError>,
        is_yes: bool,
    ) -> Result<(T, bool), CoreError> {
        if self.communicator.size() == 1 {
            return Ok((done?, is_yes));
        }
        let mut hash = Xxh3::new();
        hash.update(&self.count.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        hash.update(bytemuck::cast_slice(operation.values));
        hash.update((operation.name)().as_bytes());
        let (has_failed, is_yes) = (done.is_err().into(), is_yes.into());
        let mine = Outcome { operation: hash.digest(), has_failed, is_yes };
        let all = self.communicator.gather_equal(bytemuck::bytes_of(&mine))?;
        let mut all =
            all.chunks_exact(size_of::<Outcome>()).map(bytemuck::pod_read_unaligned::<Outcome>);
        let mut say_yes = true;
        let agrees = |other: Outcome| {
            say_yes &= other.is_yes != 0;
            (other.operation, other.has_failed) == (mine.operation, 0)
        };
        if all.all(agrees) {
            return Ok((done?, say_yes));
        }
        Ok((self.report(operation, mine, done)?, false))
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
