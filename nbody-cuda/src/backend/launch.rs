//! Launches: a kernel and its arguments.

use std::ffi::{CStr, c_void};
use std::ops::Range;

use super::memory::Memory;
use crate::border::{Address, Border, Writer};

/// A launch of a kernel, with the arguments in the order of its declaration.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// The name of the kernel in its module.
    pub kernel: &'static CStr,
    /// The number of thread blocks.
    pub blocks: u32,
    /// The number of phases, between which all blocks wait for one another; `None` without phases.
    pub phases: Option<u32>,
    /// The memory that the kernel reads and writes.
    pub memory: Vec<&'a dyn Memory>,
    pub arguments: Arguments,
}

/// The arguments of a launch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    words: Vec<u64>,
    /// The offset of each argument in `words`.
    begins: Vec<usize>,
}

impl<'a> Launch<'a> {
    pub fn new(kernel: &'static CStr, blocks: u32) -> Self {
        let (words, begins) = (Vec::with_capacity(32), Vec::with_capacity(16));
        let arguments = Arguments { words, begins };
        Self { kernel, blocks, phases: None, memory: Vec::with_capacity(8), arguments }
    }

    /// Passes a record by its words: the parameters of a law, whose layout follows from the
    /// declared fields, or the space of its precision ([`space`](crate::layout::space)). All other
    /// arguments are declared values. An empty struct is passed as one word.
    #[must_use]
    pub fn record(mut self, words: &[u64]) -> Self {
        let Arguments { words: all, begins } = &mut self.arguments;
        begins.push(all.len());
        all.extend_from_slice(if words.is_empty() { &[0] } else { words });
        self
    }

    /// Passes one argument by value.
    #[must_use]
    pub fn value(mut self, value: &impl Border) -> Self {
        let Arguments { words, begins } = &mut self.arguments;
        begins.push(words.len());
        value.write(&mut Writer::new(words));
        self
    }

    /// Adds memory whose address is within an argument.
    #[must_use]
    pub fn reads(mut self, memory: &'a dyn Memory) -> Self {
        self.memory.push(memory);
        self
    }

    /// Passes numbers, each as an argument.
    #[must_use]
    pub fn numbers<const N: usize>(self, numbers: [u32; N]) -> Self {
        numbers.into_iter().fold(self, |launch, number| launch.value(&number))
    }

    /// Passes the addresses of memory, each as an argument.
    #[must_use]
    pub fn pointers<const N: usize>(self, memory: [&'a dyn Memory; N]) -> Self {
        memory.into_iter().fold(self, |mut launch, memory| {
            launch.memory.push(memory);
            launch.value(&Address::<u64>::of(memory))
        })
    }

    /// Passes the addresses of memory as one argument, a struct of pointers; a null pointer without memory.
    #[must_use]
    pub fn joined(mut self, memory: &[&'a dyn Memory]) -> Self {
        self.memory.extend_from_slice(memory);
        let addresses: Vec<u64> = memory.iter().map(|it| it.address()).collect();
        self.record(&addresses)
    }

    /// Passes the first phase and the end of these phases, the last two arguments of a kernel with
    /// phases (`kernels/grid.cuh`). A GPU runs all phases in one launch, whose blocks must all be
    /// resident. In the emulator, blocks run one after another; it runs all blocks of a phase
    /// before the next phase.
    #[must_use]
    pub fn phases(mut self, phases: Range<u32>) -> Self {
        self.phases = Some(phases.len() as u32);
        self.numbers([phases.start, phases.end])
    }
}

impl Arguments {
    /// Returns the addresses of the arguments, valid while `self` lives. On a little-endian host,
    /// the address of a `u64` is also the address of the `u32` in it.
    pub fn addresses(&mut self) -> Vec<*mut c_void> {
        let Self { words, begins, .. } = self;
        begins.iter().map(|&begin| words[begin..].as_mut_ptr().cast()).collect()
    }
}

#[cfg(not(target_endian = "little"))]
compile_error!("unsupported byte order: CUDA requires a little-endian host");
