//! Bounds of integers.

use std::ops::{BitAnd, BitOr, BitXor, RangeInclusive};

/// Bounds of an integer, which are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integers {
    pub lo: u32,
    pub hi: u32,
}

impl Integers {
    pub fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns the integers as indices.
    pub fn range(self) -> RangeInclusive<usize> {
        self.lo as usize..=self.hi as usize
    }

    /// Returns the results of an operation, whose bounds a function tells unless they overflow.
    pub fn combine(
        self,
        other: Self,
        operation: impl Fn(u32, u32) -> u32,
        bounds: impl Fn(Self, Self) -> Option<RangeInclusive<u32>>,
    ) -> Self {
        if self.lo == self.hi && other.lo == other.hi {
            let result = operation(self.lo, other.lo);
            return Self { lo: result, hi: result };
        }
        let (lo, hi) = bounds(self, other).unwrap_or(0..=u32::MAX).into_inner();
        Self { lo, hi }
    }

    /// Returns the largest integer with the bits of both.
    fn most(self, other: Self) -> u32 {
        u32::MAX.checked_shr((self.hi | other.hi).leading_zeros()).unwrap_or(0)
    }
}

impl BitAnd for Integers {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.combine(other, |a, b| a & b, |a, b| Some(0..=a.hi.min(b.hi)))
    }
}

impl BitOr for Integers {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.combine(other, |a, b| a | b, |a, b| Some(a.lo.max(b.lo)..=a.most(b)))
    }
}

impl BitXor for Integers {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        self.combine(other, |a, b| a ^ b, |a, b| Some(0..=a.most(b)))
    }
}
