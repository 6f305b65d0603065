//! Answers of the device to a look at neighbour lists.

use crate::lists::declared::answer;
use crate::lists::declared::refusal::{BEYOND_BOX, ELSEWHERE, UNBOUNDED};

/// The outcome of a look at the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The lists are still good.
    Good,
    /// The lists were built, with this number of entries.
    Built(usize),
    /// The position of this particle is not finite; i-particles are numbered before j-particles.
    NotFinite(usize),
    /// This cutoff, one of the cutoffs that depend on particles, may be infinite or NaN.
    Unbounded(usize),
    /// A cutoff is at least half of a periodic box, or its square is beyond the precision.
    BeyondBox,
    /// A particle of one set has different positions in the buffers of i and of j.
    Elsewhere,
}

impl Outcome {
    pub fn of(answer: u64) -> Self {
        const MOST_CUTOFFS: u32 = 1 << 16;
        let number = answer & ((1 << answer::ANSWER_BITS) - 1);
        let refused = number as u32;
        match (answer >> answer::ANSWER_BITS) as u32 {
            answer::STILL_GOOD => Self::Good,
            answer::BUILT => Self::Built(number as usize),
            _ if refused == BEYOND_BOX => Self::BeyondBox,
            _ if refused > UNBOUNDED - MOST_CUTOFFS => {
                Self::Unbounded((UNBOUNDED - refused) as usize)
            }
            _ if refused >= ELSEWHERE => Self::Elsewhere,
            _ => Self::NotFinite(refused as usize),
        }
    }

    /// Returns whether the device refused to build lists.
    pub fn is_refusal(self) -> bool {
        !matches!(self, Self::Good | Self::Built(_))
    }
}
