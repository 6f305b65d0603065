//! Registers and shared memory that blocks of threads take.

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Precision};

use crate::layout::{bytes_of, numbers_of};

/// Shared memory that every GPU grants a block without asking, in bytes.
pub const SHARED_MEMORY: usize = 48 * 1024;
/// Shared memory that a multiprocessor reserves for each block besides, in bytes.
pub const RESERVED: usize = 1024;
/// What shared memory is aligned to, in bytes.
pub const ALIGNED: usize = 16;
/// 32-bit registers of a multiprocessor.
pub const REGISTERS: usize = 65536;
/// Operations of a pair that is short.
const SHORT: u32 = 24;

/// 32-bit registers that a thread keeps for each of its i-particles.
pub struct Registers {
    /// With the backup accumulators.
    pub blocked: usize,
    /// Without.
    pub direct: usize,
}

impl Registers {
    pub fn of(law: &Law, options: Options) -> Self {
        let [words, backup] = [options.precision, options.backup()].map(|it| bytes_of(it) / 4);
        let (i, f) = (numbers_of(law.i, options.precision), dim(law.f));
        let direct = (i + f) * words;
        // Compensated sums need the backup accumulators only when they end.
        let beside = if options.accumulation == Accumulation::Compensated { words } else { backup };
        Self { blocked: direct + f * beside, direct }
    }
}

/// Whether the pairs of a warp may go different ways, or wait for functions.
pub fn branches(law: &Law) -> bool {
    law.operations.compare > 0 || law.operations.special > 0
}

/// Whether a pair is so short that the loop around several of them counts.
pub fn is_short(law: &Law, options: Options) -> bool {
    options.precision != Precision::Double && !branches(law) && law.operations.flops() <= SHORT
}

/// Blocks of this many threads that a multiprocessor has so many registers of a thread for, from 2 up
/// to `most`.
pub fn resident(block: usize, registers: usize, most: usize) -> usize {
    (REGISTERS / (block * registers)).clamp(2, most)
}

/// Bytes of a j-particle in a bag.
pub fn slot(law: &Law, options: Options) -> usize {
    (numbers_of(law.j, options.precision) * bytes_of(options.precision))
        .next_multiple_of(ALIGNED)
        .max(ALIGNED)
}

/// Bytes of the parameters in shared memory.
pub fn parameters(law: &Law, options: Options) -> usize {
    let bytes = numbers_of(law.parameters, options.precision) * bytes_of(options.precision);
    bytes.next_multiple_of(ALIGNED)
}
