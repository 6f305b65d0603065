//! The operations of a backend on a GPU.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::{result, sys};
use nbody_compile::Cache;
use nbody_core::untyped::Communicator;

use super::batch::GpuBatch;
use super::memory::GpuMemory;
use super::module::GpuModule;
use super::nccl::NcclLink;
use super::reply::GpuReply;
use super::staging::{self, Copies};
use super::{Gpu, pool};
use crate::backend::Properties;
use crate::backend::memory_link::MemoryLink;
use crate::backend::{Backend, Batch, Link, Memory, Module, Reply};
use crate::compile::build::Build;
use crate::compile::program::Program;
use crate::error::Error;

/// Bytes of partial sums per launch: enough that the cost of launches is small, and a small part
/// of a GPU's memory.
const MEMORY_FOR_PARTS: usize = 1 << 30;

impl Backend for Gpu {
    fn describe(&self) -> String {
        self.name.to_string()
    }

    fn multiprocessors(&self) -> usize {
        self.multiprocessors
    }

    fn shared_memory(&self) -> usize {
        self.shared_memory
    }

    fn memory_for_parts(&self) -> usize {
        MEMORY_FOR_PARTS
    }

    fn properties(&self) -> Option<Properties> {
        Some(Properties {
            multiprocessors: self.multiprocessors as u32,
            hertz: self.hertz,
            architecture: self.architecture,
            driver: self.driver.to_string(),
        })
    }

    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error> {
        let load = |code: &[u8]| GpuModule::load(self, code, program);
        let (module, mut build) =
            crate::compile::nvrtc::cached(program, self.architecture, cache, &load)?;
        build.usage = Some(module.usage()?);
        Ok((Box::new(module), build))
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        self.bind()?;
        let words = bytes.div_ceil(size_of::<u64>());
        // SAFETY: the memory is written before it is read: by an upload, by `zero`, or by a
        // kernel.
        let slice = unsafe { self.stream.alloc::<u64>(words.max(1)) };
        let slice = slice.map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Error::OutOfMemory { bytes, device: self.describe() }
            }
            _ => self.failed("cuMemAllocAsync", error),
        })?;
        Ok(Box::new(GpuMemory { slice, words, gpu: self.clone() }))
    }

    fn reply(&self) -> Result<Box<dyn Reply>, Error> {
        Ok(Box::new(GpuReply::new(self)?))
    }

    fn batch(&self) -> Option<Box<dyn Batch>> {
        Some(Box::new(GpuBatch::new(self)))
    }

    fn link(&self, communicator: &Arc<dyn Communicator>) -> Result<Option<Box<dyn Link>>, Error> {
        if let Some(nccl) = NcclLink::connect(self, &**communicator)? {
            return Ok(Some(Box::new(nccl)));
        }
        MemoryLink::connect(self, communicator, true)
    }

    /// The name of the GPU without its ordinal.
    fn kind(&self) -> String {
        self.name.split(" (cuda:").next().unwrap_or_default().to_owned()
    }

    fn trim(&self) -> Result<(), Error> {
        self.bind()?;
        staging::trim(self, &self.staging)?;
        // Memory is freed in the order of the stream.
        Copies::wait(self)?;
        let Some(pool) = pool(self.stream.context()) else { return Ok(()) };
        // SAFETY: the driver returned this pool as the pool of the device.
        let trimmed = unsafe { result::mem_pool::trim_to(pool, 0) };
        trimmed.map_err(|e| self.failed("cuMemPoolTrimTo", e))
    }

    fn wait_for_all(&self) -> Result<(), Error> {
        self.wait_for_context()
    }

    fn follow(&self, stream: u64) -> Result<(), Error> {
        self.bind()?;
        self.turns.pass(stream as sys::CUstream, self.stream.cu_stream(), &self.health)
    }

    fn lead(&self, stream: u64) -> Result<(), Error> {
        self.bind()?;
        self.turns.pass(self.stream.cu_stream(), stream as sys::CUstream, &self.health)
    }

    fn allocation(&self, address: u64) -> Result<Option<Range<u64>>, Error> {
        self.allocation_around(address)
    }

    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
        self.bind()?;
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = || self.stream.record_event(flags).map_err(|e| self.failed("cuEventRecord", e));
        let start = event()?;
        work()?;
        let end = event()?;
        let elapsed = start.elapsed_ms(&end).map_err(|e| self.failed("cuEventElapsedTime", e))?;
        Ok(Duration::from_secs_f64(f64::from(elapsed.max(0.0)) / 1e3))
    }
}
