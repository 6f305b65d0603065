//! Vectors and points.

use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::scalar::Scalar;

/// A vector, such as a displacement, a velocity or a force, of three components by default. They
/// are `v.x`, `v.y` and `v.z` in `f64` and `f32`, and `v[0]` to `v[2]` in general.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Vector<L = f64, const D: usize = 3>(pub [L; D]);

/// A position. The difference of two points is a [`Vector`]. A vector may be added to a point or
/// subtracted from it if coordinates have the precision of the lane; there is no other operation.
/// Coordinates are for programs on the host: `p.x` or `p[0]`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Point<L: Lane = f64, const D: usize = 3>(pub [L::Coordinate; D]);

/// Selects element by element, as [`Lane::select`] does.
#[inline(always)]
pub fn select_array<L: Lane, const N: usize>(mask: L::Mask, yes: [L; N], no: [L; N]) -> [L; N] {
    let mut chosen = no;
    for k in 0..N {
        chosen[k] = L::select(mask, yes[k], no[k]);
    }
    chosen
}

/// Adds a term to the sum of this index where the mask is true, if the sum exists.
#[inline(always)]
pub fn add_to_entry<L: Lane>(sums: &mut [L], index: L::U32, mask: L::Mask, term: L) {
    // Often the index is a field of the j-particle, which is the same for all elements.
    match L::uniform(index) {
        Some(index) => {
            if let Some(sum) = sums.get_mut(index as usize) {
                *sum = sum.plus_where(mask, term);
            }
        }
        None => L::scatter(sums, index, L::select(mask, term, L::default())),
    }
}

/// Selects count by count, as [`Lane::select_u32`] does.
#[inline(always)]
pub fn select_counts<L: Lane, const N: usize>(
    mask: L::Mask,
    yes: [L::U32; N],
    no: [L::U32; N],
) -> [L::U32; N] {
    let mut chosen = no;
    for k in 0..N {
        chosen[k] = L::select_u32(mask, yes[k], no[k]);
    }
    chosen
}

/// Increases the count of this index where the mask is true, if the count exists.
#[inline(always)]
pub fn add_to_count<L: Lane>(counts: &mut [L::U32], index: L::U32, mask: L::Mask, term: L::U32) {
    let term = L::select_u32(mask, term, L::splat_u32(0));
    match L::uniform(index) {
        Some(index) => {
            if let Some(count) = counts.get_mut(index as usize) {
                *count = L::add_u32(*count, term);
            }
        }
        None => L::scatter_u32(counts, index, term),
    }
}

macro_rules! components {
    ($name:ident, $lane:path, $component:ty) => {
        impl<L: $lane, const D: usize> Default for $name<L, D> {
            #[inline(always)]
            fn default() -> Self {
                Self([<$component>::default(); D])
            }
        }

        impl<L: $lane, const D: usize> Index<usize> for $name<L, D> {
            type Output = $component;
            #[inline(always)]
            fn index(&self, k: usize) -> &$component {
                &self.0[k]
            }
        }

        impl<L: $lane, const D: usize> IndexMut<usize> for $name<L, D> {
            #[inline(always)]
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
            /// Creates it from its three components.
            #[inline(always)]
            pub const fn new(x: L, y: L, z: L) -> Self {
                Self([x, y, z])
            }
        }

        impl<L: $lane, const D: usize> From<[L; D]> for $name<L, D> {
            #[inline(always)]
            fn from(components: [L; D]) -> Self {
                Self(components)
            }
        }

        impl<L: $lane, const D: usize> From<$name<L, D>> for [L; D] {
            #[inline(always)]
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
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        let mut vector = Self::default();
        for k in 0..D {
            vector[k] = from.real();
        }
        vector
    }

    /// Adds component by component, as [`Lane::plus_where`] does.
    #[must_use]
    #[inline(always)]
    pub fn plus_where(mut self, mask: L::Mask, term: Self) -> Self {
        for k in 0..D {
            self[k] = self[k].plus_where(mask, term[k]);
        }
        self
    }

    /// Subtracts component by component, as [`Lane::minus_where`] does.
    #[must_use]
    #[inline(always)]
    pub fn minus_where(mut self, mask: L::Mask, term: Self) -> Self {
        for k in 0..D {
            self[k] = self[k].minus_where(mask, term[k]);
        }
        self
    }

    /// Returns `yes` where the mask is true, `no` elsewhere.
    #[must_use]
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self(select_array(mask, yes.0, no.0))
    }

    /// Writes the components in order.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        for k in 0..D {
            to.real(self.0[k]);
        }
    }
}

impl<S: Scalar, const D: usize> Vector<S, D> {
    /// Converts to another scalar, each component rounded to nearest.
    #[must_use]
    #[inline(always)]
    pub fn cast<M: Scalar>(self) -> Vector<M, D> {
        Vector(self.0.map(|x| M::from_f64(x.to_f64())))
    }
}

impl<L: Lane, const D: usize> Point<L, D> {
    /// Reads the coordinates in order.
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        let mut point = Self::default();
        for k in 0..D {
            point[k] = from.coordinate();
        }
        point
    }

    /// Returns `yes` where the mask is true, `no` elsewhere.
    #[must_use]
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        let mut chosen = no;
        for k in 0..D {
            chosen[k] = L::select_coordinate(mask, yes[k], no[k]);
        }
        chosen
    }

    /// Writes the coordinates in order.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        for k in 0..D {
            to.coordinate(self.0[k]);
        }
    }
}

impl<L: Lane, const D: usize> Vector<L, D> {
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(L, L) -> L) -> Self {
        for k in 0..D {
            self[k] = f(self[k], other[k]);
        }
        self
    }

    #[inline(always)]
    fn map(mut self, f: impl Fn(L) -> L) -> Self {
        for k in 0..D {
            self[k] = f(self[k]);
        }
        self
    }

    /// Computes the scalar product, summed from the first component on.
    #[must_use]
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        let mut sum = L::default();
        for k in 0..D {
            let (a, b) = (self[k], other[k]);
            sum = if k == 0 { a * b } else { sum.plus_product(a, b) };
        }
        sum
    }

    /// Computes the scalar product plus a number, which is added last, or first where that is
    /// faster ([`Lane::REORDERS`]).
    #[must_use]
    #[inline(always)]
    pub fn dot_plus(self, other: Self, plus: L) -> L {
        if L::REORDERS {
            self.plus_dot(other, plus)
        } else {
            (self.dot(other) + plus).or_reordered(|| self.plus_dot(other, plus))
        }
    }

    /// Computes a number plus the scalar product, summed from the number on.
    #[inline(always)]
    fn plus_dot(self, other: Self, plus: L) -> L {
        let mut sum = plus;
        for k in 0..D {
            sum = sum.plus_product(self[k], other[k]);
        }
        sum
    }

    /// Computes `self + scale * other`, rounded as [`Lane::plus_product`] is.
    #[must_use]
    #[inline(always)]
    pub fn plus_product(self, scale: L, other: Self) -> Self {
        self.zip(other, |a, b| a.plus_product(scale, b))
    }

    /// Computes `self - scale * other`, rounded as [`Lane::plus_product`] is.
    #[must_use]
    #[inline(always)]
    pub fn minus_product(self, scale: L, other: Self) -> Self {
        self.zip(other, |a, b| a.minus_product(scale, b))
    }

    /// Computes `scale * self - other`, rounded as [`Lane::plus_product`] is.
    #[must_use]
    #[inline(always)]
    pub fn times_minus(self, scale: L, other: Self) -> Self {
        self.zip(other, |a, b| a.times_minus(scale, b))
    }

    /// Computes the squared length.
    #[must_use]
    #[inline(always)]
    pub fn norm2(self) -> L {
        self.dot(self)
    }

    /// Computes the squared length plus a number; see [`dot_plus`](Self::dot_plus).
    #[must_use]
    #[inline(always)]
    pub fn norm2_plus(self, plus: L) -> L {
        self.dot_plus(self, plus)
    }

    /// Computes the length.
    #[must_use]
    #[inline(always)]
    pub fn norm(self) -> L {
        self.norm2().sqrt()
    }
}

impl<L: Lane> Vector<L, 3> {
    /// Computes the vector product.
    #[must_use]
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        let minor = |a: L, b: L, c: L, d: L| (a * d).minus_product(b, c);
        Self([minor(b, c, y, z), minor(c, a, z, x), minor(a, b, x, y)])
    }
}

impl<L: Lane, const D: usize> Sub for Point<L, D> {
    type Output = Vector<L, D>;
    #[inline(always)]
    fn sub(self, other: Self) -> Vector<L, D> {
        let mut d = Vector::default();
        for k in 0..D {
            d[k] = L::difference(self[k], other[k]);
        }
        d
    }
}

/// Displaces a position. Only lanes whose coordinates have their own precision have this operator:
/// a coordinate of higher precision has no sum with a number.
impl<L: Lane<Coordinate = L>, const D: usize> Add<Vector<L, D>> for Point<L, D> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, by: Vector<L, D>) -> Self {
        for k in 0..D {
            self[k] += by[k];
        }
        self
    }
}

/// Displaces a position backwards; see the sum.
impl<L: Lane<Coordinate = L>, const D: usize> Sub<Vector<L, D>> for Point<L, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, by: Vector<L, D>) -> Self {
        for k in 0..D {
            self[k] -= by[k];
        }
        self
    }
}

impl<L: Lane<Coordinate = L>, const D: usize> AddAssign<Vector<L, D>> for Point<L, D> {
    #[inline(always)]
    fn add_assign(&mut self, by: Vector<L, D>) {
        *self = *self + by;
    }
}

impl<L: Lane<Coordinate = L>, const D: usize> SubAssign<Vector<L, D>> for Point<L, D> {
    #[inline(always)]
    fn sub_assign(&mut self, by: Vector<L, D>) {
        *self = *self - by;
    }
}

impl<L: Lane, const D: usize> Add for Vector<L, D> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<L: Lane, const D: usize> Sub for Vector<L, D> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<L: Lane, const D: usize> Neg for Vector<L, D> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

impl<L: Lane, const D: usize> Mul<L> for Vector<L, D> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, scale: L) -> Self {
        self.map(|x| x * scale)
    }
}

impl<L: Lane, const D: usize> Div<L> for Vector<L, D> {
    type Output = Self;
    #[inline(always)]
    fn div(self, scale: L) -> Self {
        self.map(|x| x / scale)
    }
}

macro_rules! scale_from_the_left {
    ($($real:ident)*) => {
        $(impl<const D: usize> Mul<Vector<$real, D>> for $real {
            type Output = Vector<$real, D>;
            #[inline(always)]
            fn mul(self, vector: Vector<$real, D>) -> Vector<$real, D> {
                vector * self
            }
        })*
    };
}
scale_from_the_left!(f32 f64);

impl<L: Lane, const D: usize> AddAssign for Vector<L, D> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<L: Lane, const D: usize> SubAssign for Vector<L, D> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
