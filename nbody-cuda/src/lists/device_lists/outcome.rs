//! Answers of the device to a look at neighbour lists.

use crate::lists::declared::answer;
use crate::lists::declared::refusal::{BEYOND_BOX, ELSEWHERE, UNBOUNDED};

/// The outcome of a look at the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The lists are still good.
    Good,
    /// They were built, and have this many entries.
    Built(usize),
    /// The position of this particle is not finite; those of j follow those of i.
    NotFinite(usize),
    /// This one of the cutoffs that depend on particles may be infinite or NaN.
    Unbounded(usize),
    /// A cutoff is half of a periodic box or more, or its square is beyond the precision.
    BeyondBox,
    /// A particle of one set is elsewhere in the buffer of j than in that of i.
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

    /// Returns whether the lists were not built, for a reason.
    pub fn is_refusal(self) -> bool {
        !matches!(self, Self::Good | Self::Built(_))
    }
}
