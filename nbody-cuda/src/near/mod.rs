//! Neighbour lists on one backend.
//!
//! The kernels are the files `.cuh` beside this one.

pub mod sort;

/// Threads of a block.
pub(crate) const BLOCK: usize = 512;
