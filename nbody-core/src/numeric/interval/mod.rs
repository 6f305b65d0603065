//! Interval arithmetic: bounds of a number.
//!
//! The functions of [`bounds`] are written once for the host and for devices, and a declared cutoff is a program of them
//! ([`steps`]), which the host evaluates and a device compiles. So both have the same bounds, to the last bit.

mod bounds;
mod constants;
mod functions;
mod primitives;
mod slope;
pub mod steps;

use super::shared::Function;

pub(crate) use slope::slope;

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

/// The text of interval arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The constants, by name.
    pub constants: &'static [(&'static str, f64)],
    /// The functions of numbers, and then the functions of bounds.
    pub functions: [&'static [Function]; 2],
}

/// The text of interval arithmetic, without the primitive operations.
pub const TEXT: Text =
    Text { constants: constants::CONSTANTS, functions: [functions::FUNCTIONS, bounds::FUNCTIONS] };

/// A number.
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

    /// Returns bounds of the numbers of both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        bounds::hull(self, other)
    }

    /// Tests whether this number is within the bounds.
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi || x.is_nan() && self.may_be_nan
    }

    /// Tests whether it certainly is a number, and finite.
    pub fn is_finite(&self) -> bool {
        bounds::is_finite(*self)
    }
}

#[cfg(test)]
mod tests;
