//! The program that rebuilds neighbour lists (`rebuild.cuh`).

use nbody_core::Law;

use super::device_lists::KERNELS;
use super::reach::{self, Varying};
use super::{MOTION, bounds, declared};
use crate::compile::program::Program;
use crate::order::{self, BLOCK};

impl Program {
    /// Returns the program that rebuilds neighbour lists, whatever the fields of the particles, for cutoffs
    /// that depend on no particle.
    pub fn neighbours() -> Self {
        Self::neighbours_of(&Varying::default(), false)
    }

    /// Returns the program that rebuilds neighbour lists for this interaction, whose cutoff may depend on
    /// particles, in two sets.
    pub fn neighbours_for(law: &'static Law) -> Self {
        let reads_particles = law.cutoff_reads.iter().any(|reads| !reads.is_empty());
        if reads_particles {
            Self::neighbours_of(&Varying::of_law(law), false)
        } else {
            Self::neighbours()
        }
    }

    /// Returns the program that rebuilds neighbour lists for these cutoffs and any others that depend on no
    /// particle, in a triclinic box or in other spaces.
    pub(crate) fn neighbours_of(varying: &Varying, is_tilted: bool) -> Self {
        if varying.is_empty() {
            let reach = [&*reach::declared_constant(), include_str!("one_reach.cuh")];
            return Self::rebuild(&reach, is_tilted);
        }
        let (declared, text) = (reach::declared_varying(), varying.text());
        let reach = [&*bounds::arithmetic(), &declared, &text, include_str!("reach.cuh")];
        Self::rebuild(&reach, is_tilted)
    }

    fn rebuild(reach: &[&str], is_tilted: bool) -> Self {
        let limits = [include_str!("limits.cuh")];
        let lists = [
            include_str!("tensor.cuh"),
            include_str!("nearest.cuh"),
            include_str!("lists.cuh"),
            MOTION,
            include_str!("rebuild.cuh"),
        ];
        let declared = declared::of_rebuild() + &order::tilted(is_tilted);
        let parts = [&[&*declared], &order::TEXT[..], &limits, reach, &lists].concat();
        Self::of_exact_words("neighbours", "neighbour lists", KERNELS, BLOCK, &parts)
    }
}
