//! What runs a program: a GPU behind the driver, or the emulator.

pub mod buffer;
pub mod emulator;
pub mod gpu;
pub mod launch;
mod memory;
mod properties;

use std::fmt::Debug;
use std::time::Duration;

use crate::compile::build::Build;
use crate::compile::cache::Cache;
use crate::{Error, Program};
pub(crate) use buffer::{Buffer, Scratch};
pub(crate) use launch::Launch;
pub(crate) use memory::Memory;
pub use properties::Properties;

/// A device that builds and runs programs.
pub(crate) trait Backend: Debug + Send + Sync {
    /// What people know it by.
    fn describe(&self) -> String;

    /// How many multiprocessors it has.
    fn multiprocessors(&self) -> usize;

    /// Bytes of shared memory of a multiprocessor.
    fn shared_memory(&self) -> usize;

    /// What the driver says of it; none of what only pretends to be a GPU.
    fn properties(&self) -> Option<Properties> {
        None
    }

    /// How many bytes the parts of sums may take at a time, where that can be chosen.
    fn room_for_parts(&self) -> usize;

    /// Compiles a program, or takes it from the cache, and makes it ready to run.
    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error>;

    /// Memory of this many bytes, whose contents mean nothing yet.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error>;

    /// Notes the launches of this work instead of doing them; `None` where the backend has no use
    /// for that, and they are done.
    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Option<Box<dyn Recording>>, Error> {
        work().map(|()| None)
    }

    /// Gives back what it keeps so as to be faster the next time.
    fn trim(&self) -> Result<(), Error> {
        Ok(())
    }

    /// How long it takes to do the work.
    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error>;
}

/// Work of a backend that can be repeated as a whole.
pub(crate) trait Recording: Debug + Send + Sync {
    fn replay(&self) -> Result<(), Error>;
}

/// A program with what it was compiled to.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub program: Program,
    pub module: Box<dyn Module>,
    pub build: Build,
}

/// A program that is ready to run.
pub(crate) trait Module: Debug + Send + Sync {
    /// How many blocks of the kernel that evaluates pairs run at once.
    fn blocks_at_once(&self) -> usize;

    /// Starts a kernel; launches and copies take effect in the order of their calls.
    fn launch(&self, launch: Launch) -> Result<(), Error>;
}
