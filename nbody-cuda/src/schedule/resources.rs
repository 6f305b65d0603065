//! Registers and shared memory of thread blocks.

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Precision};

use crate::engine::parameters::bytes_of_parameters;
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of};

/// Shared memory of a block, in bytes, on every GPU without opting in to more.
pub const SHARED_MEMORY: usize = 48 * 1024;
/// Reserved shared memory per block, in bytes.
pub const RESERVED: usize = 1024;
/// Alignment of variables in shared memory, in bytes.
pub const ALIGNED: usize = 16;
/// 32-bit registers of a multiprocessor.
pub const REGISTERS: usize = 65536;
/// Candidates per word of the cutoff filter, one per bit.
pub const WORD: usize = u32::BITS as usize;
/// Bytes of the hits of a word of the cutoff filter: `Hits` of `force_loop.cuh`.
pub const HITS: usize = 8;
/// The largest number of operations of a short pair.
const SHORT: u32 = 24;

/// 32-bit registers per i-particle of a thread.
pub struct Registers {
    /// With the backup accumulators in registers.
    pub with_backup: usize,
    /// With the backup accumulators in memory.
    pub without_backup: usize,
}

impl Registers {
    pub fn of(law: &Law, options: Options) -> Self {
        let [words, backup] = [options.precision, options.backup()].map(|it| bytes_of(it) / 4);
        let (i, f) = (numbers_of(law.i, options.precision), dim(law.f));
        let without_backup = (i + f) * words;
        // Compensated sums have their rounding errors in registers instead. Their backup
        // accumulators, into which they fold after each bag, do not count: pairs do not use them,
        // and fewer i-particles per thread would be slower.
        let beside = if options.accumulation == Accumulation::Compensated { words } else { backup };
        Self { with_backup: without_backup + f * beside, without_backup }
    }
}

/// Returns whether pairs have warp divergence or functions of long latency.
pub fn branches(law: &Law) -> bool {
    law.operations.compare > 0 || law.operations.special > 0
}

/// Returns whether a pair is so short that the overhead of the loop matters.
pub fn is_short(law: &Law, options: Options) -> bool {
    options.precision != Precision::Double && !branches(law) && law.operations.flops() <= SHORT
}

/// Returns the number of blocks of this size that fit the registers of a multiprocessor, given the
/// registers per thread, from 2 to `most`.
pub fn resident(block: usize, registers: usize, most: usize) -> usize {
    (REGISTERS / (block * registers)).clamp(2, most)
}

/// Returns the bytes of a j-particle in a bag.
pub fn slot(law: &Law, options: Options) -> usize {
    (numbers_of(law.j, options.precision) * bytes_of(options.precision))
        .next_multiple_of(ALIGNED)
        .max(ALIGNED)
}

/// Returns the error of a kernel that exceeds the limits of a block, with a hint on its cause: the
/// parameters, if they take more than half of the shared memory.
pub fn does_not_fit(law: &Law, options: Options, needed: usize, hint: &'static str) -> Error {
    let hint = if parameters(law, options) > needed / 2 {
        "most of it are the parameters: give their tables fewer rows and columns, or let fields of the \
         particles carry what their entries depend on"
    } else {
        hint
    };
    let (what, available) = ("bytes of shared memory", SHARED_MEMORY);
    Error::KernelDoesNotFit { what, needed, available, hint }
}

/// Returns the bytes of the parameters in shared memory.
pub fn parameters(law: &Law, options: Options) -> usize {
    bytes_of_parameters(law.parameters, options.precision).next_multiple_of(ALIGNED)
}
