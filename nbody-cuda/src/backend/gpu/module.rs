//! Modules: programs loaded by the driver.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUfunction_attribute as Property};

use super::Gpu;
use super::held::{Function, HeldLaunch};
use crate::backend::Module;
use crate::backend::launch::Launch;
use crate::compile::build::Usage;
use crate::compile::program::Program;
use crate::error::Error;

/// The number of the next module.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// A module of a GPU.
#[derive(Debug)]
pub(super) struct GpuModule {
    gpu: Gpu,
    module: sys::CUmodule,
    /// The number of this module, different from the numbers of all other modules.
    number: u64,
    /// The kernel of pairs, then the other kernels.
    kernels: Vec<Loaded>,
    block: usize,
}

/// A kernel of a module.
#[derive(Debug)]
struct Loaded {
    name: &'static CStr,
    function: sys::CUfunction,
    /// The number of resident blocks per multiprocessor.
    occupancy: usize,
}

// SAFETY: any thread with the context current may use a module handle, and every use binds the
// context first.
unsafe impl Send for GpuModule {}
// SAFETY: the driver's functions on modules are thread-safe.
unsafe impl Sync for GpuModule {}

impl GpuModule {
    pub fn load(gpu: &Gpu, code: &[u8], program: &Program) -> Result<Self, Error> {
        gpu.bind()?;
        // SAFETY: the image is a whole CUBIN, or PTX that ends in NUL, as NVRTC returned it. An
        // image from the cache has the checksum it was written with (`Cache::load`), in a file
        // that only this user or the administrator can write (`trust::check`).
        let module = unsafe { result::module::load_data(code.as_ptr().cast::<c_void>()) };
        let module = module.map_err(|e| gpu.failed("cuModuleLoadData", e))?;
        let block = program.config.block;
        let mut loaded = Self {
            gpu: gpu.clone(),
            module,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            kernels: Vec::new(),
            block,
        };
        for &name in program.kernels {
            // SAFETY: the module stays loaded until `loaded` is dropped.
            let function = unsafe { result::module::get_function(module, name.to_owned()) };
            let function = function.map_err(|e| gpu.failed("cuModuleGetFunction", e))?;
            let occupancy = loaded.occupancy(function)?;
            loaded.kernels.push(Loaded { name, function, occupancy });
        }
        Ok(loaded)
    }

    fn kernel(&self, name: &CStr) -> &Loaded {
        let kernel = self.kernels.iter().find(|kernel| kernel.name == name);
        kernel.expect("a schedule launches the kernels of its program")
    }

    /// Returns the number of resident blocks of a kernel per multiprocessor, at least 1: a kernel
    /// whose blocks do not fit fails when it is launched.
    fn occupancy(&self, function: sys::CUfunction) -> Result<usize, Error> {
        let block = c_int::try_from(self.block).expect("a block has up to 1024 threads");
        let mut blocks = 0;
        // SAFETY: the function belongs to the module, which is loaded, and the address points to
        // an integer.
        let status = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, block, 0)
        };
        status
            .result()
            .map_err(|e| self.gpu.failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok(usize::try_from(blocks).unwrap_or(0).max(1))
    }

    /// Returns the resources of the kernel of pairs.
    pub fn usage(&self) -> Result<Usage, Error> {
        let kernel = self.kernels.first().expect("a program has a kernel of pairs");
        let property = |property| {
            let call = "cuFuncGetAttribute";
            // SAFETY: the function belongs to the module, which is loaded.
            let value =
                unsafe { result::function::get_function_attribute(kernel.function, property) };
            let value = value.map_err(|e| self.gpu.failed(call, e))?;
            u32::try_from(value).map_err(|_| {
                let message = format!("{property:?} is {value}, expected no negative number");
                Error::Driver { call, message }
            })
        };
        Ok(Usage {
            registers: property(Property::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local: property(Property::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared: property(Property::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            blocks: kernel.occupancy as u32,
        })
    }
}

impl Module for GpuModule {
    fn resident_blocks(&self, kernel: &CStr) -> usize {
        self.gpu.multiprocessors * self.kernel(kernel).occupancy
    }

    fn launch(&self, launch: Launch) -> Result<(), Error> {
        let Launch { kernel, blocks, phases, arguments, .. } = launch;
        let function = Function {
            module: self.number,
            handle: self.kernel(kernel).function,
            block: self.block as u32,
            is_cooperative: phases.is_some(),
        };
        let mut launch = HeldLaunch { function, blocks, arguments };
        if let Some(held) = self.gpu.held()?.as_mut().filter(|held| held.has_room()) {
            held.launches.push(launch);
            return Ok(());
        }
        self.gpu.bind()?;
        launch.launch(&self.gpu.stream, &self.gpu.health)
    }
}

impl Drop for GpuModule {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // Kernels may still run. A destructor cannot report an error.
            let _ = self.gpu.stream.synchronize();
            // SAFETY: `load` loaded the module, and nothing uses it after this.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}
