//! The minimum of many values, and its index.

use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::space::Space;

/// The minimum over pairs, and the index of its j-particle: the first one, if several pairs share
/// the minimum. Without pairs, the value is infinite and the index is [`u32::MAX`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArgMin<L: Lane = f64> {
    /// Minimum.
    pub value: L,
    /// Index of the j-particle.
    pub index: L::U32,
}

// Not derived: a derived impl requires `L::U32: PartialEq`, and derives on structs with an
// `ArgMin` field lack this bound.
impl<L: Lane + PartialEq> PartialEq for ArgMin<L> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && !L::any(!L::eq_u32(self.index, other.index))
    }
}

impl<L: Lane> Default for ArgMin<L> {
    #[inline(always)]
    fn default() -> Self {
        Self { value: L::splat(f64::INFINITY), index: L::splat_u32(u32::MAX) }
    }
}

impl<L: Lane> ArgMin<L> {
    /// Takes the value and its index if the value is less, or if it is equal and the index is
    /// less. NaN is never less, and an infinite value is never taken. If particles come [in
    /// order](Space::IN_ORDER), the first of equal values stays.
    #[inline(always)]
    pub fn take<S: Space<L>>(&mut self, value: L, index: L::U32) {
        let mut takes = L::lt(value, self.value);
        if const { !S::IN_ORDER } {
            let is_finite = L::lt(value, L::splat(f64::INFINITY));
            let is_equal = L::eq(value, self.value) & is_finite;
            takes = takes | (is_equal & L::lt_u32(index, self.index));
        }
        self.value = L::select(takes, value, self.value);
        self.index = L::select_u32(takes, index, self.index);
    }

    /// Returns `yes` where the mask is true, `no` elsewhere.
    #[must_use]
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        let value = L::select(mask, yes.value, no.value);
        Self { value, index: L::select_u32(mask, yes.index, no.index) }
    }

    /// Reads the value, then the index.
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        let value = from.real();
        Self { value, index: from.index() }
    }

    /// Writes the value, then the index.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        to.real(self.value);
        to.index(self.index);
    }
}
