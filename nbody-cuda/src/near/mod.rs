//! Neighbour lists on one backend.
//!
//! The kernels are assembled from the `.cuh` files of this folder. The device itself decides
//! whether lists must be built. If not, the launches that build lists end at once.

mod bounds;
pub mod declared;
pub mod given;
#[cfg(test)]
mod interval;
pub mod keys;
pub mod neighbours;
pub mod order;
pub mod reach;
pub mod sort;

use std::ffi::CStr;

use nbody_core::{Law, Math, Options};

use crate::Program;
use reach::Varying;

/// Threads of a block.
pub(crate) const BLOCK: usize = 256;

/// The text of the motion of particles.
pub(crate) const MOTION: &str = include_str!("motion.cuh");

/// The text that orders particles, a part of the rebuild.
const ORDER: [&str; 7] = [
    include_str!("../../kernels/grid.cuh"),
    include_str!("../../kernels/scan.cuh"),
    include_str!("../../kernels/wrap.cuh"),
    sort::TEXT,
    include_str!("hilbert.cuh"),
    keys::TEXT,
    include_str!("order.cuh"),
];

impl Program {
    /// Returns the program that rebuilds neighbour lists for particles with any fields, with
    /// cutoffs that depend on no particle.
    pub fn neighbours() -> Self {
        Self::rebuild(&[&reach::declared_constant(), include_str!("one_reach.cuh")])
    }

    /// Returns the program that rebuilds neighbour lists for this interaction, whose cutoff may
    /// depend on particles, with two sets.
    pub fn neighbours_for(law: &'static Law) -> Self {
        let reads_particles = law.cutoff_reads.iter().any(|reads| !reads.is_empty());
        if reads_particles {
            Self::neighbours_of(&Varying::of_law(law))
        } else {
            Self::neighbours()
        }
    }

    /// Returns the program that rebuilds neighbour lists for these cutoffs, and for any other
    /// cutoffs that depend on no particle.
    pub(crate) fn neighbours_of(varying: &Varying) -> Self {
        if varying.is_empty() {
            return Self::neighbours();
        }
        let (declared, text) = (reach::declared_varying(), varying.text());
        Self::rebuild(&[&bounds::arithmetic(), &declared, &text, include_str!("reach.cuh")])
    }

    fn rebuild(reach: &[&str]) -> Self {
        let limits = [include_str!("limits.cuh")];
        let lists = [
            include_str!("../../kernels/tensor.cuh"),
            include_str!("nearest.cuh"),
            include_str!("lists.cuh"),
            MOTION,
            include_str!("rebuild.cuh"),
        ];
        let declared = declared::of_rebuild();
        let parts = [&[&*declared], &ORDER[..], &limits, reach, &lists].concat();
        Self::near("neighbours", "neighbour lists", neighbours::KERNELS, &parts)
    }

    /// Returns a program of these parts. All of its arithmetic is IEEE without contraction, so
    /// that every device builds the same lists.
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
