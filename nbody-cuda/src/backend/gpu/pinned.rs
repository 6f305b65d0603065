//! Pinned host memory.

use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result};

/// Pinned host memory.
#[derive(Debug)]
pub(super) struct Pinned {
    address: *mut u64,
    words: usize,
    context: Arc<CudaContext>,
}

// SAFETY: this value alone owns the memory, and any thread with the context current may free it.
unsafe impl Send for Pinned {}

impl Pinned {
    /// Allocates zeroed memory of this number of words in the context, which is current.
    pub fn pin(words: usize, context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let bytes = words.saturating_mul(size_of::<u64>());
        // SAFETY: the memory is zeroed below, and freed once, by `Pinned::drop`.
        let address = unsafe { result::malloc_host(bytes, 0) };
        let address = address?.cast::<u64>();
        // SAFETY: this number of bytes was allocated, aligned to a page.
        unsafe { address.write_bytes(0, words) };
        Ok(Self { address, words, context: context.clone() })
    }

    /// Returns the address of the first word.
    pub fn address(&self) -> *mut u64 {
        self.address
    }
}

impl AsMut<[u64]> for Pinned {
    fn as_mut(&mut self) -> &mut [u64] {
        // SAFETY: `pin` allocated and zeroed this number of words, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.words) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // A copy may still be in progress: the driver does not promise to wait for it.
        if self.context.synchronize().is_ok() {
            // SAFETY: `pin` allocated the memory by `malloc_host`. A destructor cannot report an
            // error.
            let _ = unsafe { result::free_host(self.address.cast()) };
        }
    }
}
