//! Walks through trees: shared by groups of i-particles, or one for each particle.

use std::ffi::CStr;

use nbody_core::order::GROUP;
use nbody_core::pack::dim;
use nbody_core::{Law, Options};

use super::WORK;
use super::declared::{self, Work, cell, walk_of_group};
use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule, Walk};
use crate::error::Error;
use crate::layout::bytes_of;
use crate::schedule::ScheduleText;
use crate::schedule::dealt::{self, DEALT, STORE};
use crate::schedule::resources::{
    ALIGNED, REGISTERS, RESERVED, Registers, SHARED_MEMORY, does_not_fit, parameters, slot,
};

/// Typical number of registers per thread besides particles and accumulators.
const OTHER_REGISTERS: usize = 48;
/// The smallest number of warps per multiprocessor, and the largest number of blocks.
const RESIDENT: [usize; 2] = [8, 32];
/// Threads of a block with one walk per particle.
const BLOCK: usize = 128;
/// Bytes of the number of an entry.
const ENTRY: usize = 4;
/// The largest number of entries of a bag, if the bag of the summation order can be halved to this
/// size.
const STAGED: usize = 128;
/// Bytes of shared memory for queued cells, opened cells, the i-particles and their box, the count
/// of tested cells, and the work.
const WALKED: usize = 4 * cell::FAN as usize * GROUP
    + 4 * 2 * walk_of_group::AT_HAND as usize
    + 4 * 3 * GROUP
    + 40
    + 8
    + size_of::<Work>();

/// The kernel of each walk.
pub(crate) fn kernel(walk: Walk) -> &'static CStr {
    match walk {
        Walk::Groups => c"walk_groups",
        Walk::Particles => c"walk_links",
    }
}

impl Program {
    /// Returns the program that walks through a tree and evaluates the cells and particles that it
    /// meets. Refuses a law that no tree can evaluate.
    pub fn walk(law: &Law, options: Options, walk: Walk) -> Result<Self, Error> {
        const BAG: &str = include_str!("../../kernels/bag.cuh");
        const FORCE_LOOP: &str = include_str!("../../kernels/force_loop.cuh");
        const WALK: &str = include_str!("walk.cuh");
        if let Err(reason) = law.charges {
            return Err(nbody_core::Error::NoTree { law: law.name, reason }.into());
        }
        let config = config(law, options, walk)?;
        // No walk meets more j-particles.
        let most = u32::MAX as usize / config.bag * config.bag;
        let folded = options.order.unwrap_or_default().bag.min(most);
        let constants = format!(
            "\
namespace nbody {{

constexpr unsigned FOLDED = {folded}; // j-particles between folds: a multiple of a bag
constexpr unsigned WALKED = {WALKED}; // bytes in shared memory of a walk by groups, beside the bag and the sums

}} // namespace nbody

"
        );
        let text = match walk {
            Walk::Groups => ScheduleText {
                title: "pairs of a tree, by groups",
                parts: &[BAG, FORCE_LOOP, DEALT, STORE, WORK, WALK, include_str!("groups.cuh")],
                merging: 0,
                in_order: false,
                kernels: &[c"walk_groups"],
            },
            Walk::Particles => ScheduleText {
                title: "pairs of a tree, by particle",
                parts: &[BAG, FORCE_LOOP, DEALT, STORE, WORK, WALK, include_str!("links.cuh")],
                merging: 0,
                in_order: false,
                kernels: &[c"walk_links"],
            },
        };
        Ok(Self::assemble(
            law,
            options,
            config,
            text,
            &(dealt::declared(law) + &declared::of_walks() + &constants),
        ))
    }
}

/// Returns the configuration, with the largest number of resident blocks that registers and shared
/// memory allow.
fn config(law: &Law, options: Options, walk: Walk) -> Result<KernelConfig, Error> {
    const MULTIPROCESSOR: usize = 220 * 1024; // bytes of shared memory
    let mut bag = options.order.unwrap_or_default().bag;
    let (block, of_block) = match walk {
        Walk::Groups => {
            // Smaller bags let more warps be resident.
            while bag > STAGED && bag.is_multiple_of(2) {
                bag /= 2;
            }
            let staged = bag.saturating_mul(slot(law, options) + ENTRY);
            let totals = GROUP * dim(law.f) * bytes_of(options.backup());
            (GROUP, staged.saturating_add(WALKED + totals))
        }
        Walk::Particles => {
            bag = bag.min(i32::MAX as usize);
            (BLOCK, 0)
        }
    };
    let of_block = of_block.saturating_add(ALIGNED);
    let shared = of_block.saturating_add(parameters(law, options));
    if shared > SHARED_MEMORY {
        let hint = "give the summation order smaller bags, or the j-particles fewer numbers";
        return Err(does_not_fit(law, options, shared, hint));
    }
    let registers = Registers::of(law, options).with_backup + OTHER_REGISTERS;
    let resident = REGISTERS / (block * registers);
    let resident = resident.min(MULTIPROCESSOR / (shared + RESERVED));
    let warps = block / GROUP;
    Ok(KernelConfig {
        schedule: Schedule::Ordered,
        block,
        i_per_thread: 1,
        bag,
        unroll: 4,
        resident: resident.clamp(RESIDENT[0].div_ceil(warps), RESIDENT[1] / warps),
    })
}
