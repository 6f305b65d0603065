//! Backends, which compile and run programs: a GPU behind the CUDA driver, or the emulator.

#[cfg(test)]
pub mod another;
pub mod buffer;
pub mod emulator;
pub mod gpu;
mod interface;
#[cfg(test)]
mod intrinsics;
pub mod launch;
mod memory;
mod memory_link;
#[cfg(test)]
mod phases;
mod properties;

pub(crate) use buffer::{Buffer, Scratch, check_backend, pack_into};
pub(crate) use interface::{
    Backend, Batch, Kernel, LateKernel, Link, Module, Transfer, build_together, in_batch,
};
pub(crate) use launch::Launch;
pub(crate) use memory::{Memory, Reply};
pub use properties::Properties;
