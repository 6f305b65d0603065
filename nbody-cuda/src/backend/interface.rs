//! The interface of backends: programs, launches and memory.

use std::ffi::CStr;
use std::fmt::Debug;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use nbody_compile::Cache;
use nbody_core::untyped::Communicator;

use super::launch::Launch;
use super::memory::{Memory, Reply};
use super::properties::Properties;
use crate::compile::build::Build;
use crate::compile::program::Program;
use crate::error::Error;

/// A device that compiles and runs programs.
pub(crate) trait Backend: Debug + Send + Sync {
    /// Returns the display name.
    fn describe(&self) -> String;

    /// Returns the number of multiprocessors.
    fn multiprocessors(&self) -> usize;

    /// Returns the bytes of shared memory per multiprocessor.
    fn shared_memory(&self) -> usize;

    /// Returns the properties of a GPU; `None` in the emulator.
    fn properties(&self) -> Option<Properties> {
        None
    }

    /// Returns the largest size, in bytes, of the partial sums of one launch of the symmetric
    /// schedule.
    fn memory_for_parts(&self) -> usize;

    /// Compiles a program or takes it from the cache, and loads it.
    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error>;

    /// Allocates this number of bytes, uninitialised.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error>;

    /// Allocates a word for answers of kernels.
    fn reply(&self) -> Result<Box<dyn Reply>, Error>;

    /// Returns a batch for repeated launches; `None` on devices where batches gain nothing.
    fn batch(&self) -> Option<Box<dyn Batch>> {
        None
    }

    /// Connects the devices of all ranks, which call this together; `None` if they have no link.
    fn link(&self, _: &Arc<dyn Communicator>) -> Result<Option<Box<dyn Link>>, Error> {
        Ok(None)
    }

    /// Returns the kind of hardware.
    fn kind(&self) -> String {
        self.describe()
    }

    /// Releases memory that is kept for reuse.
    fn trim(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Waits for all work of the process on the device, of other libraries too.
    fn wait_for_all(&self) -> Result<(), Error>;

    /// Makes later work of this backend wait for the work that is in a stream of the caller. The
    /// emulator's work has always ended.
    fn follow(&self, _stream: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Makes later work in a stream of the caller wait for the work of this backend so far.
    fn lead(&self, _stream: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the allocation of the device that contains an address, whoever made it; `None` if
    /// none does. The emulator has all memory of the process.
    fn allocation(&self, address: u64) -> Result<Option<Range<u64>>, Error>;

    /// Does the work and returns its time on the device.
    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error>;
}

impl dyn Backend + '_ {
    /// Copies numbers to new memory.
    pub fn copied<T: bytemuck::Pod>(&self, numbers: &[T]) -> Result<Box<dyn Memory>, Error> {
        let mut memory = self.allocate(size_of_val(numbers))?;
        memory.overwrite(numbers)?;
        Ok(memory)
    }
}

/// Connects a device to the devices of other ranks.
pub(crate) trait Link: Debug + Send + Sync {
    /// Returns the name of the library and its version.
    fn name(&self) -> String;

    /// Gathers pieces of this number of bytes, a whole number of words; the piece of rank r is
    /// piece r of the memory on every rank. It takes effect in the order of the launches.
    fn gather(&self, memory: &dyn Memory, bytes: usize) -> Result<(), Error>;

    /// Sends bytes of memory to other ranks, and receives bytes of them. It takes effect in the order
    /// of the launches.
    fn exchange(
        &self,
        from: &dyn Memory,
        to: &dyn Memory,
        transfers: &[Transfer],
    ) -> Result<(), Error>;
}

/// Bytes that a rank exchanges with another one.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    /// The other rank.
    pub rank: usize,
    /// The bytes of the memory to send from, and of the memory to receive in.
    pub sent: Range<usize>,
    pub received: Range<usize>,
}

impl Transfer {
    /// Returns the addresses of the bytes to send and of the bytes to receive.
    pub fn addresses(&self, from: &dyn Memory, to: &dyn Memory) -> [Range<u64>; 2] {
        [(from, &self.sent), (to, &self.received)].map(|(memory, bytes)| {
            let size = memory.words() * size_of::<u64>();
            assert!(bytes.is_empty() || bytes.end <= size, "memory for the rows");
            memory.address() + bytes.start as u64..memory.address() + bytes.end as u64
        })
    }
}

/// The launches of repeated work. They are pending until the end of the work, and after some
/// repetitions the device runs them as one. They take effect in order, and before any other
/// operation of the device.
pub(crate) trait Batch: Debug + Send + Sync {
    /// Begins to hold back the launches of this thread.
    fn begin(&mut self) -> Result<(), Error>;

    /// Launches them.
    fn end(&mut self) -> Result<(), Error>;
}

/// Does work; its launches form a batch if `batch` is given.
pub(crate) fn in_batch<T, E: From<Error>>(
    batch: Option<&mut Box<dyn Batch>>,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let Some(batch) = batch else { return work() };
    batch.begin()?;
    let mut begun = Begun(Some(batch));
    let done = work();
    let ended = begun.end();
    let done = done?;
    ended?;
    Ok(done)
}

/// A batch that has begun. It ends even if the work panics.
struct Begun<'a>(Option<&'a mut Box<dyn Batch>>);

impl Begun<'_> {
    fn end(&mut self) -> Result<(), Error> {
        self.0.take().map_or(Ok(()), |batch| batch.end())
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        // The panic tells more than an error would.
        let _ = self.end();
    }
}

/// A program and its loaded module.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub program: Program,
    pub module: Box<dyn Module>,
    pub build: Build,
}

impl Kernel {
    /// Compiles a program or takes it from the cache, and loads it.
    pub fn build(backend: &dyn Backend, cache: &Cache, program: Program) -> Result<Self, Error> {
        let (module, build) = backend.build(&program, cache)?;
        Ok(Self { program, module, build })
    }
}

/// Compiles programs, each on a thread of its own, or takes them from the cache, and loads them.
pub(crate) fn build_together(
    backend: &dyn Backend,
    programs: Vec<Program>,
    cache: &Cache,
) -> Vec<Result<Kernel, Error>> {
    thread::scope(|scope| {
        let spawn = |program| scope.spawn(move || Kernel::build(backend, cache, program));
        let threads: Vec<_> = programs.into_iter().map(spawn).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    })
}

/// A program of one backend that is built when it is first needed.
#[derive(Debug)]
pub(crate) struct LateKernel {
    program: fn() -> Program,
    cache: Cache,
    kernel: OnceLock<Kernel>,
}

impl LateKernel {
    pub fn new(cache: &Cache, program: fn() -> Program) -> Self {
        Self { program, cache: cache.clone(), kernel: OnceLock::new() }
    }

    /// Returns the kernel; builds it, or takes it from the cache, in the first call.
    pub fn get(&self, backend: &Arc<dyn Backend>) -> Result<&Kernel, Error> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let kernel = Kernel::build(&**backend, &self.cache, (self.program)())?;
        Ok(self.kernel.get_or_init(|| kernel))
    }
}

/// A compiled program, loaded by a backend.
pub(crate) trait Module: Debug + Send + Sync {
    /// Returns the number of resident blocks of a kernel on the device.
    fn resident_blocks(&self, kernel: &CStr) -> usize;

    /// Launches a kernel. Launches and copies take effect in the order of the calls.
    fn launch(&self, launch: Launch) -> Result<(), Error>;
}
