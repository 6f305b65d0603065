//! The work of a loop over tuples, and the way in which their results are merged.

use crate::field::{Field, FieldKind};
use crate::numeric::simd::lanes::Line;
use crate::numeric::simd::level::SimdLevel;

/// Tuples, with all particles, and the sums of some particles.
pub struct TupleWork<'a> {
    /// The vector instructions. A loop that was compiled at run time has the best ones.
    pub level: SimdLevel,
    /// The particles of the tuples, one tuple after another; the last tuple is repeated up to a whole
    /// block of tuples.
    pub indices: &'a [u32],
    /// For each index, the word of the particle's first number in the sums; its other numbers follow,
    /// a line after another. [`NO_SUMS`] if its results are left out.
    pub places: &'a [u32],
    /// The records of the tuples, in blocks.
    pub records: &'a [Line<u64>],
    /// All particles, as rows of 64-bit words, one after another.
    pub particles: &'a [u64],
    /// The sums of some particles: a line for each number of each block.
    pub sums: &'a mut [Line<u64>],
}

/// The place of a particle without sums, beyond all places of others.
pub const NO_SUMS: u32 = u32::MAX;

/// The operation that merges a number of a later result into an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Adds real numbers.
    Sum,
    /// Adds integers.
    Count,
    /// Keeps the smaller number.
    Min,
    /// Keeps the larger number.
    Max,
}

impl Merge {
    /// Returns the operation of number `c` of results with these fields.
    pub const fn of(fields: &[Field], c: usize) -> Self {
        let (mut before, mut k) = (0, 0);
        while k < fields.len() {
            before += fields[k].kind.components();
            if c < before {
                return match fields[k].kind {
                    FieldKind::Count | FieldKind::Counts(_) | FieldKind::U32 => Self::Count,
                    FieldKind::Min => Self::Min,
                    FieldKind::Max => Self::Max,
                    _ => Self::Sum,
                };
            }
            k += 1;
        }
        Self::Sum
    }

    /// Merges a number of a later result into an earlier one, as the kernels do: extremes ignore
    /// NaN, and of two zeros the first one stays.
    #[inline(always)]
    pub fn merged(self, earlier: u64, later: u64) -> u64 {
        let (a, b) = (f64::from_bits(earlier), f64::from_bits(later));
        match self {
            Self::Sum => (a + b).to_bits(),
            Self::Count => u64::from((earlier as u32).wrapping_add(later as u32)),
            Self::Min => (if b < a { b } else { a }).to_bits(),
            Self::Max => (if b > a { b } else { a }).to_bits(),
        }
    }
}
