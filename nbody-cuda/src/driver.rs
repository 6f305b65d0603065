//! A GPU behind the CUDA driver.
#![allow(unsafe_code)]

mod staging;

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUfunction_attribute as Property,
};
use cudarc::driver::{
    CudaContext, CudaGraph, CudaSlice, CudaStream, DevicePtr, DriverError, result,
};

use crate::build::{Build, Usage};
use crate::cache::Cache;
use crate::device::Properties;
use crate::launch::Launch;
use crate::machine::{Machine, Memory, Module, Recording};
use crate::{Error, Program, nvrtc};
use staging::{Staging, Use};

/// The first version that has every function that is called (`cuEventElapsedTime_v2`).
const OLDEST: c_int = 12_080;

/// So much that the fewer launches matter little, and little of what GPUs have.
const ROOM_FOR_PARTS: usize = 1 << 30;

/// A GPU, and the stream that everything on it is ordered by.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    stream: Arc<CudaStream>,
    /// The stream that launches are recorded on.
    recorder: Arc<Mutex<Arc<CudaStream>>>,
    staging: Arc<Mutex<Staging>>,
    name: Arc<str>,
    architecture: u32,
    multiprocessors: usize,
    shared_memory: usize,
    hertz: f64,
    driver: Arc<str>,
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
    /// The GPU of this number, always with the same stream, so that all that this process does on
    /// it is ordered.
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        static OPEN: Mutex<Vec<(usize, Gpu)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, gpu)) = open.iter().find(|(known, _)| *known == ordinal) {
            return Ok(gpu.clone());
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
        let shared_memory =
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
        let kilohertz = attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?;
        let name = context.name().map_err(|e| failed("cuDeviceGetName", e))?;
        // SAFETY: everything on this context is ordered by the one stream made below, so that
        // nothing needs to be tracked by events.
        unsafe { context.disable_event_tracking() };
        keep_freed_memory(&context);
        // The legacy default stream cannot be captured.
        let stream = || context.new_stream().map_err(|e| failed("cuStreamCreate", e));
        let (stream, recorder) = (stream()?, Arc::new(Mutex::new(stream()?)));
        Ok(Self {
            name: format!("{name} (cuda:{ordinal})").into(),
            stream,
            recorder,
            staging: Arc::default(),
            architecture: 10 * major + minor,
            multiprocessors: multiprocessors as usize,
            shared_memory: shared_memory as usize,
            hertz: f64::from(kilohertz) * 1e3,
            driver: driver.into(),
        })
    }

    fn bind(&self) -> Result<(), Error> {
        self.stream.context().bind_to_thread().map_err(|e| failed("cuCtxSetCurrent", e))
    }
}

/// The CUDA version that the driver knows, if it is new enough.
fn check_version() -> Result<String, Error> {
    let mut version = 0;
    // SAFETY: the driver is loaded, and the address is that of an integer.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    status.result().map_err(|e| failed("cuDriverGetVersion", e))?;
    let name = |version: c_int| format!("{}.{}", version / 1000, version % 1000 / 10);
    if version < OLDEST {
        return Err(Error::DriverTooOld { found: name(version), expected: name(OLDEST) });
    }
    Ok(name(version))
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

    fn multiprocessors(&self) -> usize {
        self.multiprocessors
    }

    fn shared_memory(&self) -> usize {
        self.shared_memory
    }

    fn room_for_parts(&self) -> usize {
        ROOM_FOR_PARTS
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
        let (module, mut build) = nvrtc::cached(program, self.architecture, cache, &load)?;
        build.usage = Some(module.usage()?);
        Ok((Box::new(module), build))
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        let words = bytes.div_ceil(size_of::<u64>());
        // SAFETY: what the memory holds is written before it is read: by an upload, by `zero`,
        // or by a kernel.
        let slice = unsafe { self.stream.alloc::<u64>(words.max(1)) };
        let slice = slice.map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Error::OutOfMemory { bytes, device: self.describe() }
            }
            _ => failed("cuMemAllocAsync", error),
        })?;
        Ok(Box::new(GpuMemory { slice, words, gpu: self.clone() }))
    }

    /// Launches of this thread alone are captured, on a stream that serves nothing else.
    fn record(
        &self,
        work: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Option<Box<dyn Recording>>, Error> {
        let recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        recorder.begin_capture(mode).map_err(|e| failed("cuStreamBeginCapture", e))?;
        RECORDER.set(Some(recorder.cu_stream()));
        let done = work();
        RECORDER.set(None);
        // The capture ends whatever came of the work.
        let graph = recorder.end_capture(sys::CUgraphInstantiate_flags(0));
        done?;
        let graph = graph.map_err(|e| failed("cuStreamEndCapture", e))?;
        let graph =
            graph.map(|graph| Graph { gpu: self.clone(), graph: Mutex::new(Captured(graph)) });
        Ok(graph.map(|graph| Box::new(graph) as Box<dyn Recording>))
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

/// Memory of a GPU, in whole words of 8 bytes.
#[derive(Debug)]
struct GpuMemory {
    slice: CudaSlice<u64>,
    words: usize,
    gpu: Gpu,
}

impl Memory for GpuMemory {
    fn address(&self) -> u64 {
        self.slice.device_ptr(&self.gpu.stream).0
    }

    fn write(&mut self, fill: &mut dyn FnMut(&mut [u64])) -> Result<(), Error> {
        if self.words == 0 {
            return Ok(());
        }
        let (address, stream) = (self.address(), self.gpu.stream.cu_stream());
        self.gpu.staging(self.words, Use::Read, &mut |staging| {
            fill(staging);
            // SAFETY: the memory holds as many words, and this part of the staging memory stays as
            // it is until the stream has come to the end of the copy: `staging` waits for that.
            let copied = unsafe { result::memcpy_htod_async(address, staging, stream) };
            copied.map_err(|e| failed("cuMemcpyHtoDAsync", e))
        })
    }

    fn zero(&mut self) -> Result<(), Error> {
        let stream = &self.gpu.stream;
        stream.memset_zeros(&mut self.slice).map_err(|e| failed("cuMemsetD8Async", e))
    }

    fn read(&self, take: &mut dyn FnMut(&[u64])) -> Result<(), Error> {
        if self.words == 0 {
            take(&[]);
            return Ok(());
        }
        let (address, stream) = (self.address(), self.gpu.stream.cu_stream());
        self.gpu.staging(self.words, Use::Written, &mut |staging| {
            // SAFETY: the memory holds as many words, the stream has come to the end of all copies
            // before when it begins this one, and is waited for before anybody looks at them.
            let copied = unsafe { result::memcpy_dtoh_async(staging, address, stream) };
            copied.map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
            self.gpu.wait()?;
            take(staging);
            Ok(())
        })
    }
}

impl Gpu {
    fn wait(&self) -> Result<(), Error> {
        self.stream.synchronize().map_err(|e| failed("cuStreamSynchronize", e))
    }
}

thread_local! {
    /// The stream that this thread records launches on.
    static RECORDER: Cell<Option<sys::CUstream>> = const { Cell::new(None) };
}

/// Launches that the driver knows as one; one thread at a time may ask for them.
struct Graph {
    gpu: Gpu,
    graph: Mutex<Captured>,
}

struct Captured(CudaGraph);

// SAFETY: a graph may be used and destroyed from any thread, one at a time.
unsafe impl Send for Captured {}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Graph")
    }
}

impl Recording for Graph {
    fn replay(&self) -> Result<(), Error> {
        self.gpu.bind()?;
        let graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the graph is whole until `self` is dropped; what its kernels read and write is
        // there while the engine that recorded it asks for the same evaluation.
        let launched =
            unsafe { result::graph::launch(graph.0.cu_graph_exec(), self.gpu.stream.cu_stream()) };
        launched.map_err(|e| failed("cuGraphLaunch", e))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // The graph goes next, in its context. What the driver says then helps nobody.
        let _ = self.gpu.bind();
    }
}

/// Lets freed memory stay with the device's pool, so that the next allocation costs little.
fn keep_freed_memory(context: &CudaContext) {
    let mut pool = std::ptr::null_mut();
    let mut threshold = u64::MAX;
    // SAFETY: the device is that of a context, and the addresses are those of a pool and of the
    // 64 bits that the attribute takes. Where it fails, allocations take longer.
    unsafe {
        if sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()).result().is_ok() {
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            let _ = sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast());
        }
    }
}

/// A loaded module.
#[derive(Debug)]
struct GpuModule {
    gpu: Gpu,
    module: sys::CUmodule,
    /// The kernel that evaluates pairs, and those that follow it.
    kernels: Vec<(&'static CStr, sys::CUfunction)>,
    block: usize,
    blocks_at_once: usize,
}

// SAFETY: a module handle may be used from any thread that has the context current, and every
// use binds it first.
unsafe impl Send for GpuModule {}
// SAFETY: the driver's functions on modules are thread-safe.
unsafe impl Sync for GpuModule {}

impl GpuModule {
    fn load(gpu: &Gpu, code: &[u8], program: &Program) -> Result<Self, Error> {
        gpu.bind()?;
        // SAFETY: the image is a whole CUBIN, or PTX that ends in NUL, as NVRTC returned it; what
        // came from the cache is as it was written, by a checksum, and nobody but this user or the
        // administrator can write there.
        let module = unsafe { result::module::load_data(code.as_ptr().cast::<c_void>()) };
        let module = module.map_err(|e| failed("cuModuleLoadData", e))?;
        let block = program.choices.block;
        let mut loaded =
            Self { gpu: gpu.clone(), module, kernels: Vec::new(), block, blocks_at_once: 0 };
        for &name in program.kernels() {
            // SAFETY: the module is loaded until `loaded` is dropped.
            let function = unsafe { result::module::get_function(module, name.to_owned()) };
            let function = function.map_err(|e| failed("cuModuleGetFunction", e))?;
            loaded.kernels.push((name, function));
        }
        loaded.blocks_at_once = gpu.multiprocessors * loaded.occupancy()?;
        Ok(loaded)
    }

    fn function(&self, name: &CStr) -> Result<sys::CUfunction, Error> {
        let kernel = self.kernels.iter().find(|(kernel, _)| *kernel == name);
        kernel.map(|&(_, function)| function).ok_or_else(|| Error::Driver {
            call: "cuModuleGetFunction",
            message: format!("no kernel {} in the module", name.to_string_lossy()),
        })
    }

    /// How many blocks of the kernel that evaluates pairs a multiprocessor runs at once.
    fn occupancy(&self) -> Result<usize, Error> {
        let Some(&(_, function)) = self.kernels.first() else { return Ok(1) };
        let (mut blocks, block) = (0, c_int::try_from(self.block).unwrap_or(c_int::MAX));
        // SAFETY: the function belongs to the module, which is loaded, and the address is that of
        // an integer.
        let status = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, block, 0)
        };
        status.result().map_err(|e| failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok(usize::try_from(blocks).unwrap_or(0).max(1))
    }

    fn usage(&self) -> Result<Usage, Error> {
        let Some(&(_, function)) = self.kernels.first() else { return Ok(Usage::default()) };
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
            blocks: u32::try_from(self.occupancy()?).unwrap_or(u32::MAX),
        })
    }
}

impl Module for GpuModule {
    fn blocks_at_once(&self) -> usize {
        self.blocks_at_once
    }

    fn launch(&self, launch: &Launch) -> Result<(), Error> {
        self.gpu.bind()?;
        let function = self.function(launch.kernel())?;
        let grid = (launch.blocks(self.block), 1, 1);
        let block = (self.block as u32, 1, 1);
        let mut arguments = launch.arguments();
        let mut addresses = arguments.addresses();
        let stream = RECORDER.get().unwrap_or_else(|| self.gpu.stream.cu_stream());
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
