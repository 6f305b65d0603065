//! The extreme of many values, and its index.

use std::fmt;

use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::space::Space;

/// The minimum over pairs, and the index of its j-particle: the first one, if several pairs share
/// the minimum. Without pairs, the value is infinite and the index is [`u32::MAX`].
pub type ArgMin<L = f64> = Extremum<false, L>;

/// The maximum over pairs, and the index of its j-particle: the first one, if several pairs share
/// the maximum. Without pairs, the value is −∞ and the index is [`u32::MAX`].
pub type ArgMax<L = f64> = Extremum<true, L>;

/// The minimum or the maximum over pairs, and the index of its j-particle: an [`ArgMin`] or an
/// [`ArgMax`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Extremum<const GREATEST: bool, L: Lane = f64> {
    /// Minimum or maximum.
    pub value: L,
    /// Index of the j-particle.
    pub index: L::U32,
}

impl<const GREATEST: bool, L: Lane + fmt::Debug> fmt::Debug for Extremum<GREATEST, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if GREATEST { "ArgMax" } else { "ArgMin" };
        let Self { value, index } = self;
        f.debug_struct(name).field("value", value).field("index", index).finish()
    }
}

// Not derived: a derived impl requires `L::U32: PartialEq`, and derives on structs with such a
// field lack this bound.
impl<const GREATEST: bool, L: Lane + PartialEq> PartialEq for Extremum<GREATEST, L> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && !L::any(!L::eq_u32(self.index, other.index))
    }
}

impl<const GREATEST: bool, L: Lane> Default for Extremum<GREATEST, L> {
    #[inline(always)]
    fn default() -> Self {
        let infinity = if GREATEST { f64::NEG_INFINITY } else { f64::INFINITY };
        Self { value: L::splat(infinity), index: L::splat_u32(u32::MAX) }
    }
}

impl<const GREATEST: bool, L: Lane> Extremum<GREATEST, L> {
    /// Takes the value and its index if the value is more extreme, or if it is equal and the index
    /// is less. NaN is never taken, nor is the infinity without any pair. If particles come [in
    /// order](Space::IN_ORDER), the first of equal values stays.
    #[inline(always)]
    pub fn take<S: Space<L>>(&mut self, value: L, index: L::U32) {
        let takes = Self { value, index }.comes_first::<S>(*self);
        self.value = L::select(takes, value, self.value);
        self.index = L::select_u32(takes, index, self.index);
    }

    /// Returns whether the value comes before another one, as [`take`](Self::take) chooses.
    #[inline(always)]
    pub(super) fn comes_first<S: Space<L>>(self, other: Self) -> L::Mask {
        let is_before = |a: L, b: L| if GREATEST { L::lt(b, a) } else { L::lt(a, b) };
        let comes_first = is_before(self.value, other.value);
        if const { S::IN_ORDER } {
            return comes_first;
        }
        let is_any = is_before(self.value, Self::default().value);
        let is_equal = L::eq(self.value, other.value) & is_any;
        comes_first | (is_equal & L::lt_u32(self.index, other.index))
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
