//! Programs that are compiled at the same time.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

use nbody::Device;

use crate::Error;

/// The compilation of a program.
pub(crate) type Job<'a> = Box<dyn FnOnce() -> Result<(), nbody::Error> + Send + 'a>;

/// Compiles programs for a device, each on a thread of its own, so that steps compile nothing.
/// Processors have no programs to compile.
pub(crate) fn prepare(device: &Device, jobs: Vec<Job<'_>>) -> Result<(), Error> {
    if device.is_cpu() {
        return Ok(());
    }
    let join = |thread: ScopedJoinHandle<'_, _>| {
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    };
    let done = thread::scope(|scope| {
        let threads: Vec<_> = jobs.into_iter().map(|job| scope.spawn(job)).collect();
        threads.into_iter().try_for_each(join)
    });
    Ok(done?)
}
