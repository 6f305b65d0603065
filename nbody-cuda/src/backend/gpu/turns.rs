//! The order between the work of this process's stream and of streams of the caller.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, result, sys};

use super::failure::Health;
use crate::error::Error;

/// An event, by which one stream waits for another.
pub(super) struct Turns {
    event: Mutex<sys::CUevent>,
    /// The context of the event, which outlives it.
    context: Arc<CudaContext>,
}

// SAFETY: the driver allows the use of an event on any thread; the lock orders its uses.
unsafe impl Send for Turns {}
// SAFETY: as above.
unsafe impl Sync for Turns {}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
}

impl Turns {
    /// Creates the event in this context, which is current.
    pub fn new(context: Arc<CudaContext>, health: &Health) -> Result<Self, Error> {
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let event = result::event::create(flags).map_err(|e| health.failed("cuEventCreate", e))?;
        Ok(Self { event: Mutex::new(event), context })
    }

    /// Makes later work in one stream wait for the work that is in another.
    pub fn pass(
        &self,
        from: sys::CUstream,
        to: sys::CUstream,
        health: &Health,
    ) -> Result<(), Error> {
        let event = self.event.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the event is live, and the streams are, as the caller of `Device::follow` and `lead`
        // promises. A stream waits for the record before the call, not for later ones.
        unsafe { result::event::record(*event, from) }
            .map_err(|e| health.failed("cuEventRecord", e))?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: as above.
        unsafe { result::stream::wait_event(to, *event, flags) }
            .map_err(|e| health.failed("cuStreamWaitEvent", e))
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        let event = *self.event.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: nothing uses the event any more. A destructor cannot report an error.
            let _ = unsafe { result::event::destroy(event) };
        }
    }
}
