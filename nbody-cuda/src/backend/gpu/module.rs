//! Programs that the driver has loaded.

use std::ffi::{CStr, c_int, c_void};

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUfunction_attribute as Property};

use super::{Gpu, RECORDER};
use crate::backend::Module;
use crate::backend::launch::Launch;
use crate::compile::build::Usage;
use crate::{Error, Program};

/// A loaded module.
#[derive(Debug)]
pub(super) struct GpuModule {
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
    pub fn load(gpu: &Gpu, code: &[u8], program: &Program) -> Result<Self, Error> {
        gpu.bind()?;
        // SAFETY: the image is a whole CUBIN, or PTX that ends in NUL, as NVRTC returned it; what
        // came from the cache is as it was written, by a checksum, and nobody but this user or the
        // administrator can write there.
        let module = unsafe { result::module::load_data(code.as_ptr().cast::<c_void>()) };
        let module = module.map_err(|e| gpu.failed("cuModuleLoadData", e))?;
        let block = program.config.block;
        let mut loaded =
            Self { gpu: gpu.clone(), module, kernels: Vec::new(), block, blocks_at_once: 0 };
        for &name in program.kernels {
            // SAFETY: the module is loaded until `loaded` is dropped.
            let function = unsafe { result::module::get_function(module, name.to_owned()) };
            let function = function.map_err(|e| gpu.failed("cuModuleGetFunction", e))?;
            loaded.kernels.push((name, function));
        }
        loaded.blocks_at_once = gpu.multiprocessors * loaded.occupancy()?;
        Ok(loaded)
    }

    fn function(&self, name: &CStr) -> sys::CUfunction {
        let kernel = self.kernels.iter().find(|(kernel, _)| *kernel == name);
        kernel.expect("a schedule launches the kernels of its program").1
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
        status
            .result()
            .map_err(|e| self.gpu.failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok(usize::try_from(blocks).unwrap_or(0).max(1))
    }

    pub fn usage(&self) -> Result<Usage, Error> {
        let Some(&(_, function)) = self.kernels.first() else { return Ok(Usage::default()) };
        let property = |property| {
            // SAFETY: the function belongs to the module, which is loaded.
            let value = unsafe { result::function::get_function_attribute(function, property) };
            let value = value.map_err(|e| self.gpu.failed("cuFuncGetAttribute", e))?;
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

    fn launch(&self, mut launch: Launch) -> Result<(), Error> {
        self.gpu.bind()?;
        let function = self.function(launch.kernel);
        let (grid, block) = ((launch.blocks, 1, 1), (self.block as u32, 1, 1));
        let mut arguments = launch.addresses();
        let stream = RECORDER.get().unwrap_or_else(|| self.gpu.stream.cu_stream());
        // SAFETY: a schedule passes its kernel's arguments in the order and types of the declaration;
        // the memory they point to is as large as their counts say (`CudaEngine::check`), and is freed
        // on this stream, so after the kernel.
        let launched =
            unsafe { result::launch_kernel(function, grid, block, 0, stream, &mut arguments) };
        launched.map_err(|error| self.gpu.failed("cuLaunchKernel", error))
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
