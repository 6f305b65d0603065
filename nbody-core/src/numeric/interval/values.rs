//! Bounds of numbers, integers and conditions.

/// Bounds of a number (Moore 1966): of what any engine computes, on the host or a GPU, in `f32` or `f64`, with fast or
/// exact mathematics. So the bounds of results are widened by the largest rounding errors, those of `f32`.
///
/// Nothing is known of positions: their differences are the [whole line](Self::WHOLE). Of functions that
/// cutoffs hardly use, only the range is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub lo: f64,
    /// The upper bound.
    pub hi: f64,
    /// Whether it may be NaN.
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

/// Whether a condition may hold, and whether it may fail: both if the numbers within the bounds of its
/// operands do not agree.
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

    /// Returns the numbers from `lo` to `hi`, or the whole line if there are none.
    pub const fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi { Self { lo, hi, may_be_nan: false } } else { Self::WHOLE }
    }

    /// Tests whether this number is within the bounds.
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi || x.is_nan() && self.may_be_nan
    }
}
