//! Memory of the host that copies to and from a GPU go through.

use std::sync::{Arc, PoisonError};

use cudarc::driver::{CudaContext, result};

use super::{Gpu, failed};
use crate::Error;

/// Words of staging memory at most: what is larger goes through memory of the host as it is.
const MOST_STAGING: usize = 1 << 25;
/// Words of staging memory that may hold several copies at a time: larger ones take so long that
/// waiting for the one before costs nothing beside it.
const SHARED_STAGING: usize = 1 << 17;

/// Memory of the host that the GPU reads and writes by itself, while nobody works with it.
#[derive(Debug, Default)]
pub(super) struct Staging {
    memory: Option<Pinned>,
    /// How many words, from the first, the GPU may not have read yet.
    unread: usize,
}

/// What the GPU does with staging memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Written,
}

#[derive(Debug)]
struct Pinned {
    address: *mut u64,
    words: usize,
    context: Arc<CudaContext>,
}

// SAFETY: the memory belongs to this value alone, and may be freed by any thread that has the
// context current.
unsafe impl Send for Pinned {}

impl Pinned {
    fn new(context: &Arc<CudaContext>, words: usize) -> Result<Self, Error> {
        context.bind_to_thread().map_err(|e| failed("cuCtxSetCurrent", e))?;
        let bytes = words.saturating_mul(size_of::<u64>());
        // SAFETY: the memory is zeroed below, and freed once.
        let address = unsafe { result::malloc_host(bytes, 0) };
        let address = address.map_err(|e| failed("cuMemHostAlloc", e))?.cast::<u64>();
        // SAFETY: so much was allocated, aligned to a page.
        unsafe { address.write_bytes(0, words) };
        Ok(Self { address, words, context: context.clone() })
    }

    /// So many words, or what there is of them, from this one on.
    fn part(&mut self, first: usize, words: usize) -> &mut [u64] {
        let first = first.min(self.words);
        let words = words.min(self.words - first);
        // SAFETY: the memory holds `self.words` numbers, of which these are some, was zeroed, and is
        // borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.address.add(first), words) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // No copy may be under way: the driver does not promise to wait.
        if self.context.synchronize().is_ok() {
            // SAFETY: it was allocated by `malloc_host`. What the driver says then helps nobody.
            let _ = unsafe { result::free_host(self.address.cast()) };
        }
    }
}

impl Gpu {
    /// Works with so many words of staging memory, which no other thread has meanwhile. What the GPU
    /// is to read lies behind what it may not have read yet, so that it need not be waited for.
    pub(super) fn staging(
        &self,
        words: usize,
        by: Use,
        work: &mut dyn FnMut(&mut [u64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.bind()?;
        if words > MOST_STAGING {
            let mut words = vec![0; words];
            work(&mut words)?;
            return self.wait();
        }
        let lock = || self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held while others may be waited for.
        let Staging { memory, mut unread } = std::mem::take(&mut *lock());
        let behind = by == Use::Read && unread + words <= SHARED_STAGING;
        let first = if behind { unread } else { 0 };
        let fits = memory.as_ref().is_some_and(|memory| first + words <= memory.words);
        // What the GPU writes it writes when it has read all that it was to read.
        if unread > 0 && (!fits || (by == Use::Read && !behind)) {
            self.wait()?;
            unread = 0;
        }
        let mut memory = match memory {
            Some(memory) if fits => memory,
            _ => Pinned::new(self.stream.context(), (first + words).next_power_of_two())?,
        };
        let done = work(memory.part(first, words));
        let mut staging = lock();
        if staging.memory.is_none() {
            // What was written was waited for.
            let read = by == Use::Written && done.is_ok();
            let unread = if read { 0 } else { unread.max(first + words) };
            *staging = Staging { memory: Some(memory), unread };
            return done;
        }
        drop(staging);
        // Another thread was faster; the copy must end before the memory goes.
        self.wait().and(done)
    }
}
