//! The program of one result over all pairs.

use nbody_core::pack::dim;
use nbody_core::{FieldKind, Law, Options, SummationOrder};

use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of};
use crate::schedule::ScheduleText;
use crate::schedule::resources::{ALIGNED, SHARED_MEMORY, does_not_fit, parameters, slot};

const SHARED_COUNTS: &str = include_str!("../../kernels/shared_counts.cuh");

/// Threads of a block.
const BLOCK: usize = 256;
/// Registers of a thread that i-particles and their sums may take.
const REGISTERS: usize = 48;
/// Bytes of shared memory for merging the sums of threads, if one sum needs no more.
const MERGING: usize = 4096;

/// Returns the number of counts in arrays of a result.
pub(super) fn counts(law: &Law) -> usize {
    let of_field = |kind| match kind {
        FieldKind::Counts(n) => n,
        _ => 0,
    };
    law.f.iter().map(|field| of_field(field.kind)).sum()
}

/// Returns the number of words of the sums of a thread: all numbers of a result but arrays of
/// counts, in place of which there is one word.
pub(super) fn words(law: &Law) -> usize {
    dim(law.f) - counts(law) + usize::from(counts(law) > 0)
}

impl Program {
    /// Returns the program of one result over all pairs.
    pub(crate) fn pair_total(law: &Law, options: Options) -> Result<Self, Error> {
        let counts = counts(law);
        let merging = MERGING.max(words(law) * size_of::<f64>());
        let bag = options.order.unwrap_or(SummationOrder { bag: BLOCK, splits: 1 }).bag;
        let config = config(law, options, bag);
        let needed = [bag.saturating_mul(slot(law, options)), parameters(law, options), merging]
            .into_iter()
            .fold(counts * size_of::<u32>() + ALIGNED, usize::saturating_add);
        if needed > SHARED_MEMORY {
            let hint = "give the result fewer numbers, or the summation order a smaller bag";
            return Err(does_not_fit(law, options, needed, hint));
        }
        let text = ScheduleText {
            title: "one result over all pairs",
            parts: &[
                include_str!("../../kernels/bag.cuh"),
                include_str!("../../kernels/merge_block.cuh"),
                include_str!("totals.cuh"),
            ],
            merging: 0,
            in_order: false,
            kernels: &[c"pair_total"],
        };
        let of_counts = format!(
            "namespace nbody {{

constexpr u32 COUNTS = {counts}; // counts in arrays of a result

}} // namespace nbody

{SHARED_COUNTS}"
        );
        let constants = format!(
            "namespace nbody {{

constexpr size_t MERGING = {merging}; // bytes of shared memory for the merge of sums

}} // namespace nbody

"
        );
        Ok(Self::assemble_counting(law, options, config, text, (&of_counts, &constants)))
    }
}

/// Returns the configuration with the most i-particles per thread that registers hold easily, up to
/// four.
fn config(law: &Law, options: Options, bag: usize) -> KernelConfig {
    let words = bytes_of(options.precision) / size_of::<u32>();
    let numbers = numbers_of(law.i, options.precision) + self::words(law);
    let i_per_thread = [4, 2].into_iter().find(|n| n * numbers * words <= REGISTERS).unwrap_or(1);
    KernelConfig {
        schedule: Schedule::Ordered,
        block: BLOCK,
        i_per_thread,
        bag,
        unroll: 2,
        resident: 2,
    }
}
