//! Answers of kernels in pinned host memory.

use std::hint;

use cudarc::driver::sys::{self, CUresult};

use super::Gpu;
use super::pinned::Pinned;
use super::staging::Copies as _;
use crate::backend::Reply;
use crate::error::Error;

/// The value of the word until a kernel answers; no answer has this value.
const PENDING: u64 = u64::MAX;
/// Reads of the word between two checks of the stream for a failure.
const READS: u32 = 4096;

/// A word of pinned host memory, which kernels write over the bus. The host polls it, which takes
/// half the time of waiting for an event.
#[derive(Debug)]
pub(super) struct GpuReply {
    word: Pinned,
    gpu: Gpu,
}

impl GpuReply {
    pub fn new(gpu: &Gpu) -> Result<Self, Error> {
        gpu.bind()?;
        let mut word = gpu.pin(1)?;
        word.as_mut()[0] = 0;
        Ok(Self { word, gpu: gpu.clone() })
    }

    fn read(&self) -> u64 {
        // SAFETY: `pin` allocated the word, which a kernel writes by one store.
        unsafe { self.word.address().read_volatile() }
    }

    /// Returns whether all work on the stream has ended.
    fn is_over(&self) -> Result<bool, Error> {
        self.gpu.health.check()?;
        self.gpu.bind_context()?;
        // SAFETY: the stream lives as long as `self`.
        let status = unsafe { sys::cuStreamQuery(self.gpu.stream.cu_stream()) };
        match status.result() {
            Ok(()) => Ok(true),
            Err(error) if error.0 == CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            Err(error) => Err(self.gpu.failed("cuStreamQuery", error)),
        }
    }
}

impl Reply for GpuReply {
    /// Returns the address in host memory, which is also the address in the address space of the
    /// device.
    fn address(&self) -> u64 {
        self.word.address() as u64
    }

    fn expect(&mut self) -> Result<(), Error> {
        // An earlier answer that nobody received must not be taken for the next answer.
        if self.read() == PENDING {
            self.gpu.wait()?;
        }
        // SAFETY: `pin` allocated the word, and no kernel writes it before the next launch.
        unsafe { self.word.address().write_volatile(PENDING) };
        Ok(())
    }

    fn peek(&self) -> Option<u64> {
        Some(self.read()).filter(|&word| word != PENDING)
    }

    fn receive(&self) -> Result<u64, Error> {
        if let Some(word) = self.peek() {
            return Ok(word);
        }
        // The launch that answers may be pending.
        self.gpu.bind()?;
        let mut is_over = false;
        loop {
            for _ in 0..READS {
                let word = self.read();
                if word != PENDING {
                    return Ok(word);
                }
                hint::spin_loop();
            }
            if is_over {
                let message = "the kernel that answers was not launched".to_owned();
                return Err(Error::Driver { call: "cuLaunchKernel", message });
            }
            is_over = self.is_over()?;
        }
    }
}

impl Drop for GpuReply {
    fn drop(&mut self) {
        // The word is freed next. A pending launch that answers must run before. A destructor
        // cannot report an error.
        let _ = self.gpu.bind();
    }
}

// SAFETY: a shared reference only reads the word, by volatile loads.
unsafe impl Sync for GpuReply {}
