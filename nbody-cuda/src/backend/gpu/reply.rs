//! Answers of kernels in pinned host memory.

use cudarc::driver::CudaEvent;
use cudarc::driver::sys::CUevent_flags;

use super::Gpu;
use super::memory::Pinned;
use super::staging::Copies as _;
use crate::Error;
use crate::backend::Reply;

/// A word of pinned host memory, which kernels write over the bus, and the event after which it is
/// written.
#[derive(Debug)]
pub(super) struct GpuReply {
    word: Pinned,
    written: CudaEvent,
    gpu: Gpu,
}

impl GpuReply {
    pub fn new(gpu: &Gpu) -> Result<Self, Error> {
        gpu.bind()?;
        let flags = Some(CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let written = gpu.stream.context().new_event(flags);
        let written = written.map_err(|e| gpu.failed("cuEventCreate", e))?;
        Ok(Self { word: gpu.pin(1)?, written, gpu: gpu.clone() })
    }
}

impl Reply for GpuReply {
    /// Returns the address in host memory, which is also that in the address space of the device.
    fn address(&self) -> u64 {
        self.word.address() as u64
    }

    fn expect(&mut self) -> Result<(), Error> {
        self.gpu.bind()?;
        let recorded = self.written.record(&self.gpu.stream);
        recorded.map_err(|e| self.gpu.failed("cuEventRecord", e))
    }

    fn receive(&self) -> Result<u64, Error> {
        self.gpu.bind()?;
        self.written.synchronize().map_err(|e| self.gpu.failed("cuEventSynchronize", e))?;
        // SAFETY: `pin` allocated the word, and the kernel that wrote it has finished.
        Ok(unsafe { self.word.address().read_volatile() })
    }
}

// SAFETY: a shared reference only reads the word and the event, and the driver's functions on events
// are thread-safe.
unsafe impl Sync for GpuReply {}
