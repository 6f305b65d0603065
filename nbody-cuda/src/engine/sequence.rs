//! Sequences of operations that are repeated.

use crate::backend::{Batch, in_batch};
use crate::device::Kind;
use crate::{Device, Error};

/// Operations on a device that are repeated, as those of a time step.
///
/// The launches of kernels are held back to the end of the sequence, and after some repetitions the driver
/// does them as one, which takes less time than to launch one after another. Numbers of particles and
/// parameters may change.
///
/// The effect is that of the operations in their order: a copy to or from the device, memory that is
/// freed, and any work of another thread on it first does what is held back. A launch that is held back
/// and fails is reported by the operation that does it, and the device then refuses later ones.
#[derive(Debug)]
pub struct Sequence {
    /// None where launches cost nothing.
    batch: Option<Box<dyn Batch>>,
}

impl Sequence {
    /// Creates a sequence of operations on this device.
    pub fn new(device: &Device) -> Self {
        let batch = match device.kind() {
            Kind::Cpu(_) => None,
            Kind::Cuda(backend) => backend.batch(),
        };
        Self { batch }
    }

    /// Does the operations.
    ///
    /// # Errors
    ///
    /// That of the work, or that of a launch which was held back.
    pub fn run<T, E: From<Error>>(&mut self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        in_batch(self.batch.as_mut(), work)
    }
}
