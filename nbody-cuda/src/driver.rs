//! A GPU behind the CUDA driver.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUfunction_attribute as Property,
};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError, result};

use crate::build::{Build, Usage};
use crate::cache::Cache;
use crate::launch::Launch;
use crate::machine::{Machine, Memory, Module};
use crate::{Error, Program, nvrtc};

/// The first version that has every function that is called (`cuEventElapsedTime_v2`).
const OLDEST: c_int = 12_080;
/// Blocks of a multiprocessor: about ten rounds of those that fit at once, so that the last,
/// partly filled round matters little.
const BLOCKS_PER_MULTIPROCESSOR: usize = 48;

/// A GPU, and the stream that everything on it is ordered by.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    stream: Arc<CudaStream>,
    name: Arc<str>,
    architecture: u32,
    multiprocessors: usize,
}

/// How many GPUs the driver sees.
pub(crate) fn count() -> Result<usize, Error> {
    // SAFETY: it only tries to load the library, and calls nothing in it.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver);
    }
    match CudaContext::device_count() {
        Ok(count) => Ok(usize::try_from(count).unwrap_or(0)),
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(0),
        Err(error) => Err(failed("cuInit", error)),
    }
}

impl Gpu {
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        let count = count()?;
        if ordinal >= count {
            return Err(Error::NoDevice { ordinal, count });
        }
        check_version()?;
        let context =
            CudaContext::new(ordinal).map_err(|e| failed("cuDevicePrimaryCtxRetain", e))?;
        let attribute = |attribute| {
            let value =
                context.attribute(attribute).map_err(|e| failed("cuDeviceGetAttribute", e))?;
            Ok::<_, Error>(u32::try_from(value).unwrap_or(0))
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let name = context.name().map_err(|e| failed("cuDeviceGetName", e))?;
        Ok(Self {
            name: format!("{name} (cuda:{ordinal})").into(),
            stream: context.default_stream(),
            architecture: 10 * major + minor,
            multiprocessors: multiprocessors as usize,
        })
    }

    fn bind(&self) -> Result<(), Error> {
        self.stream.context().bind_to_thread().map_err(|e| failed("cuCtxSetCurrent", e))
    }
}

fn check_version() -> Result<(), Error> {
    let mut version = 0;
    // SAFETY: the driver is loaded, and the address is that of an integer.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    status.result().map_err(|e| failed("cuDriverGetVersion", e))?;
    if version < OLDEST {
        let name = |version: c_int| format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(Error::DriverTooOld { found: name(version), expected: name(OLDEST) });
    }
    Ok(())
}

/// The error in the driver's words; the driver is loaded, or there would be no error.
fn failed(call: &'static str, error: DriverError) -> Error {
    let words = error.error_string().ok().map(|words| words.to_string_lossy().into_owned());
    let message = words.unwrap_or_else(|| format!("error {}", error.0 as u32));
    Error::Driver { call, message }
}

impl Machine for Gpu {
    fn describe(&self) -> String {
        self.name.to_string()
    }

    fn blocks_to_fill(&self) -> usize {
        self.multiprocessors * BLOCKS_PER_MULTIPROCESSOR
    }

    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error> {
        let (code, mut build) = nvrtc::cached(program, self.architecture, cache)?;
        let module = GpuModule::load(self, &code, program.choices.block)?;
        build.usage = Some(module.usage()?);
        Ok((Box::new(module), build))
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        // SAFETY: what the memory holds is written before it is read: by an upload, by `zero`,
        // or by a kernel.
        let slice = unsafe { self.stream.alloc::<u8>(bytes.max(1)) };
        let slice = slice.map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Error::OutOfMemory { bytes, device: self.describe() }
            }
            _ => failed("cuMemAllocAsync", error),
        })?;
        Ok(Box::new(GpuMemory { slice, bytes, stream: self.stream.clone() }))
    }

    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let record = || self.stream.record_event(flags).map_err(|e| failed("cuEventRecord", e));
        let start = record()?;
        work()?;
        let end = record()?;
        let elapsed = start.elapsed_ms(&end).map_err(|e| failed("cuEventElapsedTime", e))?;
        Ok(Duration::from_secs_f64(f64::from(elapsed.max(0.0)) / 1e3))
    }
}

#[derive(Debug)]
struct GpuMemory {
    slice: CudaSlice<u8>,
    bytes: usize,
    stream: Arc<CudaStream>,
}

impl Memory for GpuMemory {
    fn address(&self) -> u64 {
        self.slice.device_ptr(&self.stream).0
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        let copied = self.stream.memcpy_htod(bytes, &mut self.slice);
        copied.map_err(|e| failed("cuMemcpyHtoDAsync", e))
    }

    fn zero(&mut self) -> Result<(), Error> {
        self.stream.memset_zeros(&mut self.slice).map_err(|e| failed("cuMemsetD8Async", e))
    }

    fn read(&self) -> Result<Vec<u8>, Error> {
        if self.bytes == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; self.slice.len()];
        let copied = self.stream.memcpy_dtoh(&self.slice, &mut bytes);
        copied.map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
        self.stream.synchronize().map_err(|e| failed("cuStreamSynchronize", e))?;
        bytes.truncate(self.bytes);
        Ok(bytes)
    }
}

/// A loaded module.
#[derive(Debug)]
struct GpuModule {
    gpu: Gpu,
    module: sys::CUmodule,
    block: usize,
}

// SAFETY: a module handle may be used from any thread that has the context current, and every
// use binds it first.
unsafe impl Send for GpuModule {}
// SAFETY: the driver's functions on modules are thread-safe.
unsafe impl Sync for GpuModule {}

impl GpuModule {
    fn load(gpu: &Gpu, code: &[u8], block: usize) -> Result<Self, Error> {
        gpu.bind()?;
        // SAFETY: the image is a whole CUBIN, or PTX that ends in NUL, as NVRTC returned it; a
        // checksum vouches for what came from the cache.
        let module = unsafe { result::module::load_data(code.as_ptr().cast::<c_void>()) };
        let module = module.map_err(|e| failed("cuModuleLoadData", e))?;
        Ok(Self { gpu: gpu.clone(), module, block })
    }

    fn function(&self, name: &CStr) -> Result<sys::CUfunction, Error> {
        // SAFETY: the module is loaded until `self` is dropped.
        let function = unsafe { result::module::get_function(self.module, name.to_owned()) };
        function.map_err(|e| failed("cuModuleGetFunction", e))
    }

    fn usage(&self) -> Result<Usage, Error> {
        let function = self.function(c"all_pairs")?;
        let property = |property| {
            // SAFETY: the function belongs to the module, which is loaded.
            let value = unsafe { result::function::get_function_attribute(function, property) };
            let value = value.map_err(|e| failed("cuFuncGetAttribute", e))?;
            Ok::<_, Error>(u32::try_from(value).unwrap_or(0))
        };
        Ok(Usage {
            registers: property(Property::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local: property(Property::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared: property(Property::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
        })
    }
}

impl Module for GpuModule {
    fn launch(&self, launch: &Launch) -> Result<(), Error> {
        self.gpu.bind()?;
        let function = self.function(launch.kernel())?;
        let grid = (launch.blocks(self.block), 1, 1);
        let block = (self.block as u32, 1, 1);
        let mut arguments = launch.arguments();
        let mut addresses = arguments.addresses();
        let stream = self.gpu.stream.cu_stream();
        // SAFETY: `Launch` holds the kernel's arguments in the order and types of its
        // declaration; the memory they point to is as large as their counts say (`AllPairs`
        // checks), and is freed on this stream, so after the kernel.
        let launched =
            unsafe { result::launch_kernel(function, grid, block, 0, stream, &mut addresses) };
        launched.map_err(|error| failed("cuLaunchKernel", error))
    }
}

impl Drop for GpuModule {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // Unloading waits for kernels that still run; what it says then helps nobody.
            let _ = self.gpu.stream.synchronize();
            // SAFETY: the module was loaded by `load`, and nothing uses it any more.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}
