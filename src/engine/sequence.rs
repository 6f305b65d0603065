//! Sequences of operations that are repeated.

use nbody_core::untyped;

use crate::{Device, Error};

/// Operations on a device that are repeated, as those of a time step.
///
/// The launches of kernels are held back to the end of the sequence, and after some repetitions the driver
/// does them as one, which takes less time than to launch one after another. Numbers of particles and
/// parameters may change.
///
/// The effect is that of the operations in their order: any other operation of the device, such as a copy or memory
/// that is freed, flushes the launches that are held back. A launch that is held back and fails is reported by the
/// operation that flushes it, and the device then refuses later ones.
#[derive(Debug)]
pub struct Sequence {
    /// `None` where launches cost nothing.
    launches: Option<Box<dyn untyped::Sequence>>,
}

impl Sequence {
    /// Creates a sequence of operations on this device.
    pub fn new(device: &Device) -> Self {
        Self { launches: device.untyped().sequence() }
    }

    /// Does the operations.
    ///
    /// # Errors
    ///
    /// The error of the work, or of a launch that was held back.
    pub fn run<T, E: From<Error>>(&mut self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let Some(launches) = &mut self.launches else { return work() };
        let (mut work, mut done) = (Some(work), None);
        let ended = launches.run(&mut || done = work.take().map(|work| work()));
        match done {
            Some(Ok(value)) => ended.map(|()| value).map_err(E::from),
            Some(Err(error)) => Err(error),
            None => Err(ended.expect_err("a sequence does its work or fails to begin").into()),
        }
    }
}
