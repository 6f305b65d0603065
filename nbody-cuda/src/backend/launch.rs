//! A kernel and its arguments.

use std::ffi::{CStr, c_void};

use super::Memory;

/// One launch: a kernel by its name, with arguments in the order of its declaration.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// The kernel's name in a CUDA module.
    pub kernel: &'static CStr,
    /// Blocks of the grid.
    pub blocks: u32,
    /// The memory that the kernel reads and writes.
    pub memory: Vec<&'a dyn Memory>,
    words: Vec<u64>,
    /// Where each argument begins in `words`.
    begins: Vec<usize>,
}

impl<'a> Launch<'a> {
    pub fn new(kernel: &'static CStr, blocks: u32) -> Self {
        let (memory, words, begins) =
            (Vec::with_capacity(8), Vec::with_capacity(32), Vec::with_capacity(16));
        Self { kernel, blocks, memory, words, begins }
    }

    /// Passes a struct, as it lies in memory. One without fields still has an address.
    #[must_use]
    pub fn record(mut self, words: &[u64]) -> Self {
        self.begins.push(self.words.len());
        self.words.extend_from_slice(if words.is_empty() { &[0] } else { words });
        self
    }

    /// Passes numbers, each an argument of its own.
    #[must_use]
    pub fn numbers<const N: usize>(self, numbers: [u32; N]) -> Self {
        numbers.into_iter().fold(self, |launch, number| launch.record(&[number.into()]))
    }

    /// Passes the addresses of memory, each an argument of its own.
    #[must_use]
    pub fn pointers<const N: usize>(self, memory: [&'a dyn Memory; N]) -> Self {
        memory.into_iter().fold(self, |mut launch, memory| {
            launch.memory.push(memory);
            launch.record(&[memory.address()])
        })
    }

    /// Returns the addresses of the arguments, as drivers want them. They hold while `self` lives; on a
    /// little-endian machine a `u32` is at the address of the `u64` that holds it.
    pub fn addresses(&mut self) -> Vec<*mut c_void> {
        let Self { words, begins, .. } = self;
        begins.iter().map(|&begin| words[begin..].as_mut_ptr().cast()).collect()
    }
}

#[cfg(not(target_endian = "little"))]
compile_error!("CUDA devices and the machines they sit in are little-endian");
