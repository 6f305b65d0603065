//! Pending launches, which are held back until another operation of the device or the end of a
//! batch.

use std::ffi::c_void;
use std::ptr;
use std::thread::{self, ThreadId};

use cudarc::driver::{CudaStream, result, sys};

use super::failure::Health;
use crate::backend::launch::Arguments;
use crate::error::Error;

/// The largest number of pending launches: the device is idle while launches are held back.
const MOST_LAUNCHES: usize = 1024;

/// A pending launch.
#[derive(Debug)]
pub(super) struct HeldLaunch {
    pub function: Function,
    pub blocks: u32,
    pub arguments: Arguments,
}

/// A kernel of a module, and its threads per block. The driver may reuse the handle of a function
/// after its module is unloaded; numbers of modules are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub module: u64,
    pub handle: sys::CUfunction,
    pub block: u32,
    /// Whether all blocks must be resident, since they wait for one another.
    pub is_cooperative: bool,
}

// SAFETY: any thread that has the context current may use a function handle.
unsafe impl Send for Function {}
// SAFETY: as above; a handle does not change.
unsafe impl Sync for Function {}

/// The pending launches of a thread.
#[derive(Debug)]
pub(super) struct Held {
    pub thread: ThreadId,
    pub launches: Vec<HeldLaunch>,
}

impl Held {
    pub fn is_mine(&self) -> bool {
        self.thread == thread::current().id()
    }

    /// Returns whether another launch of this thread can be held back.
    pub fn has_room(&self) -> bool {
        self.is_mine() && self.launches.len() < MOST_LAUNCHES
    }
}

impl HeldLaunch {
    /// Returns whether another launch of the same kernel has the same blocks and arguments.
    pub fn repeats(&self, last: &Self) -> bool {
        self.blocks == last.blocks && self.arguments == last.arguments
    }

    /// Launches the kernel on the stream.
    pub fn launch(&mut self, stream: &CudaStream, health: &Health) -> Result<(), Error> {
        let (grid, block) = ((self.blocks, 1, 1), (self.function.block, 1, 1));
        let (function, stream) = (self.function.handle, stream.cu_stream());
        let mut arguments = self.arguments.addresses();
        let (call, launch): (_, unsafe fn(_, _, _, _, _, &mut [_]) -> _) =
            if self.function.is_cooperative {
                ("cuLaunchCooperativeKernel", result::launch_cooperative_kernel)
            } else {
                ("cuLaunchKernel", result::launch_kernel)
            };
        // SAFETY: a schedule passes the arguments in the order and types of the kernel's
        // declaration. `Setup::check` in `engine/setup.rs`, `check_devices` in `lists/short_range.rs`,
        // `Beside::check` in `particles/mod.rs` and `CudaSelection` in `particles/selection.rs` check that
        // the buffers have the lengths that the kernel is told, and `rows_after` in nbody-core that
        // rows are written within them; `Scratch::reserve` provides enough scratch memory. Columns of
        // the caller are within allocations of the device (`columns.rs`). Memory is
        // freed on this stream, so after the kernel; before memory is freed, a reply dropped or a
        // module unloaded, launches that are held back are done or given up (`Gpu::hold`).
        let launched = unsafe { launch(function, grid, block, 0, stream, &mut arguments) };
        launched.map_err(|error| health.failed(call, error))
    }

    pub fn node(&self, arguments: &mut [*mut c_void]) -> sys::CUDA_KERNEL_NODE_PARAMS {
        sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.function.handle,
            gridDimX: self.blocks,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: self.function.block,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: arguments.as_mut_ptr(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        }
    }
}
