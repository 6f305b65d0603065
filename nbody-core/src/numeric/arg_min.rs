//! The minimum of many values, and its index.

use crate::{Lane, Reader, Writer};

/// The minimum over pairs, and the index of its j-particle: of the first, if several pairs have it.
/// Without pairs, the value is infinite and the index [`u32::MAX`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArgMin<L: Lane = f64> {
    /// Minimum.
    pub value: L,
    /// Index of its j-particle.
    pub index: L::U32,
}

// Not derived: the derived impl requires `L::U32: PartialEq`, a bound that derives of structs with an
// `ArgMin` field lack.
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
    /// Takes the value and its index if the value is less. NaN is never less.
    #[inline(always)]
    pub fn take(&mut self, value: L, index: L::U32) {
        let less = L::lt(value, self.value);
        self.value = L::select(less, value, self.value);
        self.index = L::select_u32(less, index, self.index);
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
