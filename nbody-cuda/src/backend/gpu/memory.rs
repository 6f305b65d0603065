//! Device memory, and copies to and from it.

use std::ops::Range;

use cudarc::driver::{CudaSlice, DevicePtr, result};

use super::Gpu;
use super::pinned::Pinned;
use super::staging::{self, Copies};
use crate::backend::Memory;
use crate::backend::memory::{Fill, check_words};
use crate::error::Error;

/// Device memory, in words of 8 bytes.
#[derive(Debug)]
pub(super) struct GpuMemory {
    pub slice: CudaSlice<u64>,
    pub words: usize,
    pub gpu: Gpu,
}

impl Memory for GpuMemory {
    fn address(&self) -> u64 {
        self.slice.device_ptr(&self.gpu.stream).0
    }

    fn write_first(&mut self, words: usize, fill: &mut Fill) -> Result<(), Error> {
        check_words(&(0..words), self.words);
        if words == 0 {
            return Ok(());
        }
        // SAFETY: `Gpu::allocate` allocated at least this many words at this address.
        unsafe { staging::write(&self.gpu, &self.gpu.staging, self.address(), words, fill) }
    }

    fn zero(&mut self) -> Result<(), Error> {
        self.gpu.bind()?;
        let stream = &self.gpu.stream;
        stream.memset_zeros(&mut self.slice).map_err(|e| self.gpu.failed("cuMemsetD8Async", e))
    }

    fn words(&self) -> usize {
        self.words
    }

    fn read_words(&self, words: Range<usize>, take: &mut dyn FnMut(&[u64])) -> Result<(), Error> {
        check_words(&words, self.words);
        if words.is_empty() {
            take(&[]);
            return Ok(());
        }
        let address = self.address() + (words.start * size_of::<u64>()) as u64;
        // SAFETY: `Gpu::allocate` allocated the words up to the end of the range.
        unsafe { staging::read(&self.gpu, &self.gpu.staging, address, words.len(), take) }
    }
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        // The slice is freed next, by a call that needs its context. A destructor cannot report an
        // error.
        let _ = self.gpu.bind();
    }
}

impl Copies for Gpu {
    type Pinned = Pinned;

    fn bind(&self) -> Result<(), Error> {
        self.bind()
    }

    fn wait(&self) -> Result<(), Error> {
        self.bind()?;
        self.stream.synchronize().map_err(|e| self.failed("cuStreamSynchronize", e))
    }

    fn pin(&self, words: usize) -> Result<Pinned, Error> {
        let pinned = Pinned::pin(words, self.stream.context());
        pinned.map_err(|e| self.failed("cuMemHostAlloc", e))
    }

    unsafe fn to_gpu(&self, address: u64, words: &[u64]) -> Result<(), Error> {
        // SAFETY: the caller keeps the contract, which is the contract of the driver's function.
        let copied = unsafe { result::memcpy_htod_async(address, words, self.stream.cu_stream()) };
        copied.map_err(|e| self.failed("cuMemcpyHtoDAsync", e))
    }

    unsafe fn to_host(&self, words: &mut [u64], address: u64) -> Result<(), Error> {
        // SAFETY: the caller keeps the contract, which is the contract of the driver's function.
        let copied = unsafe { result::memcpy_dtoh_async(words, address, self.stream.cu_stream()) };
        copied.map_err(|e| self.failed("cuMemcpyDtoHAsync", e))
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::CudaContext;

    use crate::backend::Backend as _;
    use crate::backend::gpu::tests::gpu;

    /// A second context of one GPU stands for a second GPU: the driver treats them alike.
    #[test]
    fn copies_find_their_context_whatever_a_thread_was_bound_to() {
        let Some((_one, gpu)) = gpu() else { return };
        let other = CudaContext::new_non_primary(0, 0).unwrap();
        let mut memory = gpu.allocate(800).unwrap();
        memory
            .write(&mut |words| {
                words.fill(7);
                other.bind_to_thread().unwrap();
            })
            .unwrap();
        other.bind_to_thread().unwrap();
        let mut found = Vec::new();
        memory.read(&mut |words| found = words.to_vec()).unwrap();
        assert_eq!(found, [7; 100]);
        // Freeing memory leaves no error either.
        other.bind_to_thread().unwrap();
        drop(memory);
        gpu.bind().unwrap();
    }

    #[test]
    fn trimming_releases_memory() {
        let Some((_one, gpu)) = gpu() else { return };
        let free = || gpu.stream.context().mem_get_info().unwrap().0;
        let bytes = 1 << 30;
        let mut memory = gpu.allocate(8).unwrap();
        let mut check = || {
            memory.write(&mut |words| words.fill(7)).unwrap();
            memory.read(&mut |words| assert_eq!(words, [7])).unwrap();
        };
        check();
        gpu.trim().unwrap();
        assert!(gpu.staging.lock().unwrap().is_empty());
        let before = free();
        drop(gpu.allocate(bytes).unwrap());
        gpu.stream.synchronize().unwrap();
        // Other processes may allocate at the same time.
        assert!(free() + bytes / 2 < before);
        gpu.trim().unwrap();
        assert!(free() + bytes / 2 > before);
        check();
    }
}
