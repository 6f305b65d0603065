//! Vectors and points of space.

use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use crate::{Lane, Reader, Scalar, Writer};

/// A vector: a displacement, a velocity, a force. Three components unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Vector<L = f64, const D: usize = 3>(pub [L; D]);

/// A position. Only the difference of two points exists, and it is a [`Vector`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Point<L: Lane = f64, const D: usize = 3>(pub [L::Coordinate; D]);

/// [`Lane::select`], element by element.
pub fn select_array<L: Lane, const N: usize>(mask: L::Mask, yes: [L; N], no: [L; N]) -> [L; N] {
    std::array::from_fn(|k| L::select(mask, yes[k], no[k]))
}

/// The entry of a table in this row and column; NaN where there is none.
pub fn gather_entry<L: Lane, const COLUMNS: usize, const ROWS: usize>(
    table: &[[L; COLUMNS]; ROWS],
    row: L::U32,
    column: L::U32,
) -> L {
    let splat = |n: usize| L::splat_u32(u32::try_from(n).unwrap_or(u32::MAX));
    let inside = L::lt_u32(row, splat(ROWS)) & L::lt_u32(column, splat(COLUMNS));
    let index = L::add_u32(L::mul_u32(row, splat(COLUMNS)), column);
    L::gather(table.as_flattened(), L::select_u32(inside, index, splat(usize::MAX)))
}

macro_rules! components {
    ($name:ident, $lane:path, $component:ty) => {
        impl<L: $lane, const D: usize> Default for $name<L, D> {
            fn default() -> Self {
                Self([<$component>::default(); D])
            }
        }

        impl<L: $lane, const D: usize> Index<usize> for $name<L, D> {
            type Output = $component;
            fn index(&self, k: usize) -> &$component {
                &self.0[k]
            }
        }

        impl<L: $lane, const D: usize> IndexMut<usize> for $name<L, D> {
            fn index_mut(&mut self, k: usize) -> &mut $component {
                &mut self.0[k]
            }
        }
    };
}
components!(Vector, Lane, L);
components!(Point, Lane, L::Coordinate);

macro_rules! from_components {
    ($name:ident, $lane:path) => {
        impl<L: $lane> $name<L, 3> {
            /// From its three components.
            pub const fn new(x: L, y: L, z: L) -> Self {
                Self([x, y, z])
            }
        }

        impl<L: $lane, const D: usize> From<[L; D]> for $name<L, D> {
            fn from(components: [L; D]) -> Self {
                Self(components)
            }
        }

        impl<L: $lane, const D: usize> From<$name<L, D>> for [L; D] {
            fn from(value: $name<L, D>) -> Self {
                value.0
            }
        }
    };
}
from_components!(Vector, Lane);
from_components!(Point, Lane<Coordinate = L>);

impl<L: Lane, const D: usize> Vector<L, D> {
    /// Reads the components in order.
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        Self(std::array::from_fn(|_| from.real()))
    }

    /// `yes` where the mask holds, `no` elsewhere.
    #[must_use]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self(select_array(mask, yes.0, no.0))
    }

    /// Writes the components in order.
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        self.0.iter().for_each(|&x| to.real(x));
    }
}

impl<S: Scalar, const D: usize> Vector<S, D> {
    /// The same in another scalar, each component rounded to nearest.
    #[must_use]
    pub fn cast<M: Scalar>(self) -> Vector<M, D> {
        Vector(self.0.map(|x| M::from_f64(x.to_f64())))
    }
}

impl<L: Lane, const D: usize> Point<L, D> {
    /// Reads the coordinates in order.
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        Self(std::array::from_fn(|_| from.coordinate()))
    }

    /// `yes` where the mask holds, `no` elsewhere.
    #[must_use]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|k| L::select_coordinate(mask, yes[k], no[k])))
    }

    /// Writes the coordinates in order.
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        self.0.iter().for_each(|&x| to.coordinate(x));
    }
}

impl<L: Lane, const D: usize> Vector<L, D> {
    fn zip(self, other: Self, f: impl Fn(L, L) -> L) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    /// The scalar product, summed from the first component on.
    #[must_use]
    pub fn dot(self, other: Self) -> L {
        let products = self.zip(other, |a, b| a * b).0;
        products.into_iter().reduce(|sum, x| sum + x).unwrap_or_default()
    }

    /// The squared length.
    #[must_use]
    pub fn norm2(self) -> L {
        self.dot(self)
    }

    /// The length.
    #[must_use]
    pub fn norm(self) -> L {
        self.norm2().sqrt()
    }
}

impl<L: Lane> Vector<L, 3> {
    /// The vector product.
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }
}

impl<L: Lane, const D: usize> Sub for Point<L, D> {
    type Output = Vector<L, D>;
    fn sub(self, other: Self) -> Vector<L, D> {
        Vector(std::array::from_fn(|k| L::difference(self[k], other[k])))
    }
}

impl<L: Lane, const D: usize> Add for Vector<L, D> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<L: Lane, const D: usize> Sub for Vector<L, D> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<L: Lane, const D: usize> Neg for Vector<L, D> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl<L: Lane, const D: usize> Mul<L> for Vector<L, D> {
    type Output = Self;
    fn mul(self, scale: L) -> Self {
        Self(self.0.map(|x| x * scale))
    }
}

impl<L: Lane, const D: usize> Div<L> for Vector<L, D> {
    type Output = Self;
    fn div(self, scale: L) -> Self {
        Self(self.0.map(|x| x / scale))
    }
}

macro_rules! scale_from_the_left {
    ($($real:ident)*) => {
        $(impl<const D: usize> Mul<Vector<$real, D>> for $real {
            type Output = Vector<$real, D>;
            fn mul(self, vector: Vector<$real, D>) -> Vector<$real, D> {
                vector * self
            }
        })*
    };
}
scale_from_the_left!(f32 f64);

impl<L: Lane, const D: usize> AddAssign for Vector<L, D> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<L: Lane, const D: usize> SubAssign for Vector<L, D> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
