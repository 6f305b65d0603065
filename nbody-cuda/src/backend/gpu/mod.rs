//! A GPU behind the CUDA driver.
//!
//! All work on a GPU is ordered by one stream of the process, so that buffers may pass between
//! engines. A thread that waits for others may meanwhile run a task for another GPU, so that each
//! call of the driver binds its context first.
#![allow(unsafe_code)]

mod allocation;
mod backend;
mod batch;
mod failure;
mod held;
mod memory;
mod module;
mod nccl;
mod pinned;
mod reply;
mod staging;
mod turns;

use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};

use crate::error::Error;
use crate::error::reason;
use failure::{Health, check_process, failed};
use held::Held;
use pinned::Pinned;
use staging::Staging;
use turns::Turns;

/// The file name of the driver.
const DRIVER: &str = "libcuda.so.1";

/// The oldest driver version with every function that this crate calls (`cuEventElapsedTime_v2`).
const OLDEST: c_int = 12_080;

/// A GPU, and the stream that orders all work on it.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    stream: Arc<CudaStream>,
    /// Pending launches.
    held: Arc<Mutex<Option<Held>>>,
    staging: Arc<Mutex<Staging<Pinned>>>,
    /// The order between the stream and streams of callers.
    turns: Arc<Turns>,
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
        // no event needs to track it. The stream of exchanges joins it at their ends.
        unsafe { context.disable_event_tracking() };
        keep_freed_memory(&context);
        let stream = context.new_stream().map_err(|e| health.failed("cuStreamCreate", e))?;
        let turns = Turns::new(context.clone(), &health)?;
        let name = format!("{name} (cuda:{ordinal})");
        Ok(Self {
            health: Arc::new(Health::of(name.clone())),
            name: name.into(),
            stream,
            held: Arc::default(),
            turns: Arc::new(turns),
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
            let done = bound.and_then(|()| {
                all.try_for_each(|launch| launch.launch(&self.stream, &self.health))
            });
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
