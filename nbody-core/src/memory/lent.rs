//! Memory of a device that a caller works in.

use std::fmt;

/// Memory of a device, for results that a caller keeps. When it is dropped, it is freed after all work
/// of the process on the device.
pub trait LentMemory: fmt::Debug + Send + Sync {
    /// Returns the address of the first byte, on the device.
    fn address(&self) -> u64;
}
