//! A GPU behind the CUDA driver.
//!
//! All work on a GPU is ordered by one stream of the process, so that buffers may pass between
//! engines. A thread that waits for others may meanwhile run a task for another GPU, so that each
//! call of the driver binds its context first.
#![allow(unsafe_code)]

mod batch;
mod failure;
mod memory;
mod module;
mod reply;
mod staging;

use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};

use crate::backend::Properties;
use crate::backend::{Backend, Batch, Memory, Module, Reply};
use crate::compile::build::Build;
use crate::compile::cache::Cache;
use crate::compile::program::Program;
use crate::error::Error;
use crate::error::reason;
use batch::{GpuBatch, Held};
use failure::{Health, check_process, failed};
use memory::{GpuMemory, Pinned};
use module::GpuModule;
use reply::GpuReply;
use staging::{Copies, Staging};

/// The file name of the driver.
const DRIVER: &str = "libcuda.so.1";

/// The oldest driver version with every function that this crate calls (`cuEventElapsedTime_v2`).
const OLDEST: c_int = 12_080;

/// Bytes of partial sums per launch: enough that the cost of launches is small, and a small part
/// of a GPU's memory.
const MEMORY_FOR_PARTS: usize = 1 << 30;

/// A GPU, and the stream that orders all work on it.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    stream: Arc<CudaStream>,
    /// Pending launches.
    held: Arc<Mutex<Option<Held>>>,
    staging: Arc<Mutex<Staging<Pinned>>>,
    health: Arc<Health>,
    name: Arc<str>,
    architecture: u32,
    multiprocessors: usize,
    shared_memory: usize,
    hertz: f64,
    driver: Arc<str>,
}

/// Returns the number of GPUs that the driver sees.
pub(crate) fn count() -> Result<usize, Error> {
    // SAFETY: this only loads the library, and calls none of its functions.
    if !unsafe { sys::is_culib_present() } {
        return Err(no_driver());
    }
    check_process()?;
    match CudaContext::device_count() {
        Ok(count) => Ok(usize::try_from(count).unwrap_or(0)),
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(0),
        Err(error) => Err(failed("cuInit", error)),
    }
}

/// Returns the reason why the driver does not load; usually there is none.
fn no_driver() -> Error {
    // SAFETY: loading the driver runs only its own initialisers; here loading it has failed
    // before.
    let loaded = unsafe { libloading::Library::new(DRIVER) };
    match loaded.map_err(|error| reason(&error)) {
        Err(message) if !is_missing(&message) => Error::DriverBroken { message },
        _ => Error::NoDriver,
    }
}

/// Returns whether the loader misses the driver itself, not a library that the driver needs.
fn is_missing(message: &str) -> bool {
    message.contains(&format!("{DRIVER}: ")) && message.contains("No such file")
}

impl Gpu {
    /// Opens the GPU of this ordinal. It always has the same stream, which orders all work of this
    /// process on the GPU. A failed GPU is opened again once nothing holds its old context.
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        static OPEN: Mutex<Vec<(usize, Gpu)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = open.iter().position(|(known, _)| *known == ordinal) {
            let gpu = &open[known].1;
            if !gpu.health.has_failed() {
                return gpu.health.check().map(|()| gpu.clone());
            }
            // The driver creates a new context only when nothing holds the old one.
            if Arc::strong_count(&gpu.health) > 1 {
                gpu.health.check()?;
            }
            open.swap_remove(known);
        }
        let gpu = Self::new(ordinal)?;
        open.push((ordinal, gpu.clone()));
        Ok(gpu)
    }

    fn new(ordinal: usize) -> Result<Self, Error> {
        let count = count()?;
        if ordinal >= count {
            return Err(Error::NoDevice { ordinal, count });
        }
        let driver = check_version()?;
        let health = Health::of(format!("cuda:{ordinal}"));
        let context =
            CudaContext::new(ordinal).map_err(|e| health.failed("cuDevicePrimaryCtxRetain", e))?;
        let attribute = |attribute| {
            let call = "cuDeviceGetAttribute";
            let value = context.attribute(attribute).map_err(|e| health.failed(call, e))?;
            u32::try_from(value).map_err(|_| {
                let message = format!("{attribute:?} is {value}, expected no negative number");
                Error::Driver { call, message }
            })
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let shared_memory =
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
        let kilohertz = attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?;
        let name = context.name().map_err(|e| health.failed("cuDeviceGetName", e))?;
        // SAFETY: one stream, created below, orders all work of this crate on the context, so that
        // no event needs to track it.
        unsafe { context.disable_event_tracking() };
        keep_freed_memory(&context);
        let stream = context.new_stream().map_err(|e| health.failed("cuStreamCreate", e))?;
        let name = format!("{name} (cuda:{ordinal})");
        Ok(Self {
            health: Arc::new(Health::of(name.clone())),
            name: name.into(),
            stream,
            held: Arc::default(),
            staging: Arc::default(),
            architecture: 10 * major + minor,
            multiprocessors: multiprocessors as usize,
            shared_memory: shared_memory as usize,
            hertz: f64::from(kilohertz) * 1e3,
            driver: driver.into(),
        })
    }

    /// Makes the context current, and flushes pending launches, so that later operations come
    /// after them.
    fn bind(&self) -> Result<(), Error> {
        self.hold(None)
    }

    /// Flushes pending launches, and holds back the launches of `next` from then on. Both happen
    /// under one lock, so that no launch of another thread is lost.
    fn hold(&self, next: Option<Held>) -> Result<(), Error> {
        let mut held = self.held()?;
        // Launches that fail do not outlive their memory. Other threads wait here before they free
        // memory.
        let mut launches = held.take().map_or_else(Vec::new, |held| held.launches);
        let bound = self.bind_context();
        if launches.is_empty() {
            bound?;
        } else {
            let mut all = launches.iter_mut();
            let done = bound.and_then(|()| all.try_for_each(|launch| launch.launch(self)));
            done.map_err(|error| self.health.lost(error))?;
        }
        *held = next;
        Ok(())
    }

    /// Makes the context current, since the context of another GPU may be current by now.
    fn bind_context(&self) -> Result<(), Error> {
        self.stream.context().bind_to_thread().map_err(|e| self.failed("cuCtxSetCurrent", e))
    }

    /// Returns the pending launches. Refuses a forked process first, in which nobody would release
    /// the lock.
    fn held(&self) -> Result<MutexGuard<'_, Option<Held>>, Error> {
        self.health.check()?;
        Ok(self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn failed(&self, call: &'static str, error: DriverError) -> Error {
        self.health.failed(call, error)
    }
}

/// Returns the newest CUDA version that the driver supports; refuses a driver that is too old.
fn check_version() -> Result<String, Error> {
    let mut version = 0;
    // SAFETY: `count` loaded the driver, and the address points to an integer.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    status.result().map_err(|e| failed("cuDriverGetVersion", e))?;
    let name = |version: c_int| format!("{}.{}", version / 1000, version % 1000 / 10);
    if version < OLDEST {
        return Err(Error::DriverTooOld { found: name(version), expected: name(OLDEST) });
    }
    Ok(name(version))
}

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

/// Returns the memory pool of the device, if the driver supports pools.
fn pool(context: &CudaContext) -> Option<sys::CUmemoryPool> {
    let pool = || {
        // SAFETY: the device belongs to a live context.
        unsafe { result::device::get_default_mem_pool(context.cu_device()) }.ok()
    };
    context.has_async_alloc().then(pool).flatten()
}

/// Keeps freed memory in the device's pool, so that the next allocation is fast.
fn keep_freed_memory(context: &CudaContext) {
    let mut threshold = u64::MAX;
    if let Some(pool) = pool(context) {
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute takes the address of 64 bits. If the call fails, allocations are
        // slower.
        let _ = unsafe { sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()) };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::MutexGuard;

    use super::*;

    /// Returns the first GPU, if any, to one test at a time.
    pub(crate) fn gpu() -> Option<(MutexGuard<'static, ()>, Gpu)> {
        static ONE: Mutex<()> = Mutex::new(());
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        match Gpu::open(0) {
            Err(Error::NoDriver | Error::NoDevice { .. } | Error::DriverTooOld { .. }) => None,
            gpu => Some((one, gpu.unwrap())),
        }
    }
}
