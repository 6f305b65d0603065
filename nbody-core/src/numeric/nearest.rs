//! The least of many values, and their indices.

use std::{array, fmt};

use crate::numeric::extremum::ArgMin;
use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::space::Space;

/// The `K` least values over pairs, in ascending order, and the indices of their j-particles. Equal
/// values are in the order of their indices, and the first ones stay. Missing values are infinite, and
/// their indices [`u32::MAX`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Nearest<const K: usize, L: Lane = f64> {
    /// The values, in ascending order.
    pub values: [L; K],
    /// The indices of their j-particles.
    pub indices: [L::U32; K],
}

impl<const K: usize, L: Lane + fmt::Debug> fmt::Debug for Nearest<K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { values, indices } = self;
        f.debug_struct("Nearest").field("values", values).field("indices", indices).finish()
    }
}

// Not derived: a derived impl requires `L::U32: PartialEq`, and derives on structs with such a
// field lack this bound.
impl<const K: usize, L: Lane + PartialEq> PartialEq for Nearest<K, L> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let mut indices = self.indices.into_iter().zip(other.indices);
        self.values == other.values && indices.all(|(a, b)| !L::any(!L::eq_u32(a, b)))
    }
}

impl<const K: usize, L: Lane> Default for Nearest<K, L> {
    #[inline(always)]
    fn default() -> Self {
        let ArgMin { value, index } = ArgMin::default();
        Self { values: [value; K], indices: [index; K] }
    }
}

impl<const K: usize, L: Lane> Nearest<K, L> {
    #[inline(always)]
    fn entry(&self, k: usize) -> ArgMin<L> {
        ArgMin { value: self.values[k], index: self.indices[k] }
    }

    #[inline(always)]
    fn set(&mut self, k: usize, entry: ArgMin<L>) {
        (self.values[k], self.indices[k]) = (entry.value, entry.index);
    }

    /// Inserts a value and its index if it comes before the last one, which it drops. NaN and infinite
    /// values never do.
    #[inline(always)]
    pub fn take<S: Space<L>>(&mut self, value: L, index: L::U32) {
        let new = ArgMin { value, index };
        let mut takes = new.comes_first::<S>(self.entry(K - 1));
        if !L::any(takes) {
            return;
        }
        for k in (1..K).rev() {
            let earlier = self.entry(k - 1);
            let moves = new.comes_first::<S>(earlier);
            let here = ArgMin::select(takes, new, self.entry(k));
            self.set(k, ArgMin::select(moves, earlier, here));
            takes = moves;
        }
        self.set(0, ArgMin::select(takes, new, self.entry(0)));
    }

    /// Takes the values of another one, and their indices.
    #[inline(always)]
    pub fn merge<S: Space<L>>(&mut self, other: &Self) {
        for k in 0..K {
            let ArgMin { value, index } = other.entry(k);
            // The next values are infinite, too.
            if !L::any(L::lt(value, L::splat(f64::INFINITY))) {
                return;
            }
            self.take::<S>(value, index);
        }
    }

    /// Returns `yes` where the mask is true, `no` elsewhere.
    #[must_use]
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        let entry = |k| ArgMin::select(mask, yes.entry(k), no.entry(k));
        let entries: [ArgMin<L>; K] = array::from_fn(entry);
        Self { values: entries.map(|entry| entry.value), indices: entries.map(|entry| entry.index) }
    }

    /// Reads the values, then the indices.
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        let values = array::from_fn(|_| from.real());
        Self { values, indices: array::from_fn(|_| from.index()) }
    }

    /// Writes the values, then the indices.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        for value in self.values {
            to.real(value);
        }
        for index in self.indices {
            to.index(index);
        }
    }
}
