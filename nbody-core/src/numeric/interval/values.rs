//! Bounds of numbers, integers and conditions.

/// Bounds of a number (Moore 1966). They hold on any engine, host or GPU, in `f32` or `f64`, with
/// fast or exact mathematics: bounds of results are widened by the largest rounding errors, which
/// occur in `f32`.
///
/// Positions are unknown: their differences are the [whole line](Self::WHOLE). For functions that
/// cutoffs hardly use, only the range is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub lo: f64,
    /// The upper bound.
    pub hi: f64,
    /// Whether the number may be NaN.
    pub may_be_nan: bool,
}

/// Bounds of an integer, which are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integers {
    /// The lower bound.
    pub lo: u32,
    /// The upper bound.
    pub hi: u32,
}

/// Whether a condition may hold, and whether it may fail. Both are true if the outcome depends on
/// the numbers within the bounds of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    /// Whether it may hold.
    pub may_hold: bool,
    /// Whether it may fail.
    pub may_fail: bool,
}

impl From<f64> for Interval {
    fn from(x: f64) -> Self {
        Self::new(x, x)
    }
}

impl Interval {
    /// All numbers, and NaN.
    pub const WHOLE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY, may_be_nan: true };

    /// Returns the interval from `lo` to `hi`, or the whole line if it is empty.
    pub const fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi { Self { lo, hi, may_be_nan: false } } else { Self::WHOLE }
    }

    /// Returns whether both have the same bits: 0 is not -0.
    pub(crate) fn has_bits_of(&self, other: &Self) -> bool {
        let bits = |it: &Self| (it.lo.to_bits(), it.hi.to_bits(), it.may_be_nan);
        bits(self) == bits(other)
    }

    /// Tests whether this number is within the bounds.
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi || x.is_nan() && self.may_be_nan
    }
}
