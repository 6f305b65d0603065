//! The outcome of comparisons of intervals.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Whether a condition may hold, and whether it may fail: both if the numbers within the bounds of its
/// operands do not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub may_hold: bool,
    pub may_fail: bool,
}

impl Truth {
    /// Returns the choice, or the hull of both where it is undecided.
    pub fn select<T>(self, yes: T, no: T, hull: impl Fn(T, T) -> T) -> T {
        match (self.may_hold, self.may_fail) {
            (true, false) => yes,
            (false, true) => no,
            _ => hull(yes, no),
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        Self { may_hold: value, may_fail: !value }
    }
}

impl Not for Truth {
    type Output = Self;
    fn not(self) -> Self {
        Self { may_hold: self.may_fail, may_fail: self.may_hold }
    }
}

impl BitAnd for Truth {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self {
            may_hold: self.may_hold && other.may_hold,
            may_fail: self.may_fail || other.may_fail,
        }
    }
}

impl BitOr for Truth {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        !(!self & !other)
    }
}

impl BitXor for Truth {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        (self & !other) | (!self & other)
    }
}
