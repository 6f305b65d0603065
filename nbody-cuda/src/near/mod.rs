//! Neighbour lists on one backend.
//!
//! The kernel is assembled from the files `.cuh` beside this one. One launch of it, in several phases,
//! does a whole rebuild, if the device has found that one is wanted.

pub mod order;
pub mod sort;

use nbody_core::{Math, Options};

use crate::Program;

/// Threads of a block.
pub(crate) const BLOCK: usize = 512;

impl Program {
    /// Returns the program that rebuilds neighbour lists, whatever the fields of the particles. All of its
    /// arithmetic is IEEE without contraction, so that every device builds the same lists.
    pub fn neighbours() -> Self {
        let parts = [
            include_str!("../../kernels/grid.cuh"),
            include_str!("../../kernels/scan.cuh"),
            include_str!("../../kernels/wrap.cuh"),
            sort::TEXT,
            include_str!("hilbert.cuh"),
            include_str!("order.cuh"),
            include_str!("rebuild.cuh"),
        ];
        let kernels = &[c"rebuild"];
        let program = Self::of_words("neighbours", "neighbour lists", kernels, BLOCK, &parts);
        Self { options: Options::default().math(Math::Exact), ..program }
    }
}
