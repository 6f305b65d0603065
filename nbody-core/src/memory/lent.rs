//! Memory of a device that a caller works in.

use std::fmt;

use crate::error::Error;

/// Memory of a device, for results that a caller keeps. When it is dropped, it is freed after all work
/// of the process on the device.
pub trait LentMemory: fmt::Debug + Send + Sync {
    /// Returns the address of the first byte, on the device.
    fn address(&self) -> u64;

    /// Makes later work in a stream of the caller wait for the work of the device so far.
    ///
    /// # Safety
    ///
    /// The stream is one of the device.
    #[allow(unsafe_code)]
    unsafe fn pass_to(&self, stream: u64) -> Result<(), Error>;
}
