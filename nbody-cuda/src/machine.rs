//! What runs a program: a GPU behind the driver, or the emulator.

use std::fmt::Debug;
use std::time::Duration;

use crate::build::Build;
use crate::cache::Cache;
use crate::launch::Launch;
use crate::{Error, Program};

/// A device that builds and runs programs.
pub(crate) trait Machine: Debug + Send + Sync {
    /// What people know it by.
    fn describe(&self) -> String;

    /// How many blocks it takes to use all of it.
    fn blocks_to_fill(&self) -> usize;

    /// Compiles a program, or takes it from the cache, and makes it ready to run.
    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error>;

    /// Memory of this many bytes, whose contents mean nothing yet.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error>;

    /// How long it takes to do the work.
    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error>;
}

/// Memory of a machine.
pub(crate) trait Memory: Debug + Send + Sync {
    fn address(&self) -> u64;
    /// Words around the memory that nothing may change, where the machine keeps such.
    fn guards(&self) -> Vec<u64> {
        Vec::new()
    }
    /// Replaces the contents, whose length is that of the memory.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error>;
    fn zero(&mut self) -> Result<(), Error>;
    /// Reads the contents, once all that was launched before has ended.
    fn read(&self) -> Result<Vec<u8>, Error>;
}

/// A program that is ready to run.
pub(crate) trait Module: Debug + Send + Sync {
    /// Starts a kernel; launches and copies take effect in the order of their calls.
    fn launch(&self, launch: &Launch) -> Result<(), Error>;
}
