//! The least of many values, and where it was.

use crate::{Lane, Reader, Scalar, Writer};

/// The least value that pairs gave, and the index of its j-particle: of the first, if several
/// gave the same. Without any, the value is infinite and the index [`u32::MAX`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ArgMin<L: Lane = f64> {
    /// The least value.
    pub value: L,
    /// The index of its j-particle.
    pub index: L::U32,
}

impl<L: Lane> Default for ArgMin<L> {
    fn default() -> Self {
        Self { value: L::splat(f64::INFINITY), index: L::splat_u32(u32::MAX) }
    }
}

impl<L: Lane> ArgMin<L> {
    /// Keeps the value and its index if it is less; what is not a number never is.
    pub fn take(&mut self, value: L, index: L::U32) {
        let less = L::lt(value, self.value);
        self.value = L::select(less, value, self.value);
        self.index = L::select_u32(less, index, self.index);
    }

    /// Reads the value, then the index.
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        let value = from.real();
        Self { value, index: from.index() }
    }

    /// Writes the value, then the index.
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        to.real(self.value);
        to.index(self.index);
    }
}

impl<B: Scalar> ArgMin<B> {
    /// Takes the least of a bag.
    pub fn fold<S: Scalar>(&mut self, bag: ArgMin<S>) {
        self.take(B::from_f64(bag.value.to_f64()), bag.index);
    }
}
