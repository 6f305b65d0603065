//! Neighbour lists on one backend.
//!
//! The kernel is assembled from the files `.cuh` beside this one. One launch of it, in several phases,
//! does a whole rebuild, if the device has found that one is wanted.

#[cfg(test)]
mod interval;
pub mod neighbours;
pub mod order;
pub mod sort;

use std::ffi::CStr;

use nbody_core::{Math, Options};

use crate::Program;

/// Threads of a block.
pub(crate) const BLOCK: usize = 512;

/// The text that orders particles, of which the rebuild is a part.
const ORDER: [&str; 6] = [
    include_str!("../../kernels/grid.cuh"),
    include_str!("../../kernels/scan.cuh"),
    include_str!("../../kernels/wrap.cuh"),
    sort::TEXT,
    include_str!("hilbert.cuh"),
    include_str!("order.cuh"),
];

impl Program {
    /// Returns the program that rebuilds neighbour lists, whatever the fields of the particles.
    pub fn neighbours() -> Self {
        let parts =
            [&ORDER[..], &[include_str!("lists.cuh"), include_str!("rebuild.cuh")]].concat();
        Self::near("neighbours", "neighbour lists", &[c"rebuild"], &parts)
    }

    /// Returns a program of these parts. All of its arithmetic is IEEE without contraction, so that every
    /// device builds the same lists.
    fn near(
        name: &'static str,
        title: &str,
        kernels: &'static [&'static CStr],
        parts: &[&str],
    ) -> Self {
        let program = Self::of_words(name, title, kernels, BLOCK, parts);
        Self { options: Options::default().math(Math::Exact), ..program }
    }
}
