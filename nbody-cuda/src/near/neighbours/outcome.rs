//! Answers of the device to a look at neighbour lists.

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
        const BITS: u32 = 60;
        const BEYOND_BOX: usize = u32::MAX as usize - 1;
        const MOST_CUTOFFS: usize = 1 << 16;
        const ELSEWHERE: usize = 1 << 31;
        let number = (answer & ((1 << BITS) - 1)) as usize;
        match answer >> BITS {
            0 => Self::Good,
            1 => Self::Built(number),
            _ if number == BEYOND_BOX => Self::BeyondBox,
            _ if number > BEYOND_BOX - MOST_CUTOFFS => Self::Unbounded(BEYOND_BOX - 1 - number),
            _ if number >= ELSEWHERE => Self::Elsewhere,
            _ => Self::NotFinite(number),
        }
    }

    /// Returns whether the lists were not built, for a reason.
    pub fn is_refusal(self) -> bool {
        !matches!(self, Self::Good | Self::Built(_))
    }
}
