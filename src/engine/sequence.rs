//! Sequences of repeated operations.

use nbody_core::untyped;

use crate::{Device, Error};

/// Repeated operations on a device, such as the operations of a time step.
///
/// Kernel launches are deferred to the end of the sequence, and after some repetitions the driver
/// launches all of them at once, which takes less time than single launches. Numbers of particles
/// and parameters may change.
///
/// The effect is the same as without deferral: any other device operation, such as a copy or the
/// release of memory, flushes pending launches. The failure of a pending launch is reported by the
/// operation that flushes it, and the device then refuses later launches.
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

    /// Runs the operations.
    ///
    /// # Errors
    ///
    /// The error of the work, or of a deferred launch.
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
