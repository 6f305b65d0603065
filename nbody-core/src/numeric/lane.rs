//! The numbers that an interaction computes with.
//!
//! Generated code is generic over a [`Lane`]: one `f32`, one `f64`, or a vector of them.
//! Comparisons return masks, and branches are [`Lane::select`], so that the same code computes
//! with one particle or with a vector of particles.

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

use crate::numeric::spline::{Cubic, piece, polynomial, scale_of};

/// A number, or a vector of numbers.
///
/// Every operation is the IEEE operation of the underlying scalar, element by element, unless its
/// description says otherwise. Vectors compute reciprocals, roots and quotients from the
/// processor's estimates, refined to an error of at most two units in the last place.
pub trait Lane:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// The result of a comparison: one truth value for each element.
    type Mask: Copy
        + BitAnd<Output = Self::Mask>
        + BitOr<Output = Self::Mask>
        + BitXor<Output = Self::Mask>
        + Not<Output = Self::Mask>;
    /// The integers of this lane, such as types, flags and ids of particles.
    type U32: Copy
        + Debug
        + Default
        + Send
        + Sync
        + BitAnd<Output = Self::U32>
        + BitOr<Output = Self::U32>
        + BitXor<Output = Self::U32>;

    /// The unit roundoff: half the distance from 1 to the next number.
    const ROUNDOFF: f64;

    /// A coordinate of a position: the lane itself, or a type of higher precision. Pair functions
    /// only subtract coordinates.
    type Coordinate: Copy + Debug + Default + PartialEq + Send + Sync;

    /// Returns the coordinate in every element, rounded to the precision of coordinates.
    fn coordinate(value: f64) -> Self::Coordinate;
    /// Selects coordinates, as [`Lane::select`] does.
    fn select_coordinate(
        mask: Self::Mask,
        yes: Self::Coordinate,
        no: Self::Coordinate,
    ) -> Self::Coordinate;
    /// Returns the displacement a - b.
    fn difference(a: Self::Coordinate, b: Self::Coordinate) -> Self;
    /// Returns the displacement from the nearest image of b to a, in a periodic box with this
    /// length and inverse length; both are zero in an open direction.
    fn nearest_difference(
        a: Self::Coordinate,
        b: Self::Coordinate,
        length: Self::Coordinate,
        inverse: Self,
    ) -> Self;
    /// Returns the displacement a - b in the precision of coordinates.
    fn apart(a: Self::Coordinate, b: Self::Coordinate) -> Self::Coordinate;
    /// Subtracts `n` lengths from a displacement, where `n` is a whole number.
    fn without(d: Self::Coordinate, n: Self, length: Self::Coordinate) -> Self::Coordinate;
    /// Rounds a displacement to the precision of the lane.
    fn rounded(d: Self::Coordinate) -> Self;

    /// Returns the constant in every element, rounded to the precision of the lane.
    fn splat(value: f64) -> Self;
    /// Returns the integer constant in every element.
    fn splat_u32(value: u32) -> Self::U32;
    /// Returns the truth value in every element.
    fn splat_mask(value: bool) -> Self::Mask;

    /// Compares `a < b`.
    fn lt(a: Self, b: Self) -> Self::Mask;
    /// Compares `a <= b`.
    fn le(a: Self, b: Self) -> Self::Mask;
    /// Compares `a == b`.
    fn eq(a: Self, b: Self) -> Self::Mask;
    /// Returns `yes` where the mask is true, `no` elsewhere. Both are computed; a NaN in one does
    /// not affect the other.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// A number of a table, the same for all elements.
    type Element: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// Returns the number in every element.
    fn of_element(number: Self::Element) -> Self;
    /// Returns the number of the first element.
    fn to_element(self) -> Self::Element;
    /// Returns for each element the cubic of this index, a whole number; for NaN, negative numbers and
    /// numbers beyond the end, any cubic. There is at least one.
    fn cubic(cubics: &[Cubic<Self::Element>], index: Self) -> [Self; 4];
    /// Returns the derivative of this order, 0 to 3, of a [spline](crate::Spline) with these cubics.
    #[inline(always)]
    fn spline<const ORDER: u32>(cubics: &[Cubic<Self::Element>], x: Self) -> Self {
        let [scale, pieces @ ..] = cubics else { unreachable!("a spline has cubics") };
        let scale = scale_of(scale);
        let [k, u] = piece(scale, pieces.len() - 1, x);
        polynomial::<Self, ORDER>(scale[1], Self::cubic(pieces, k), u)
    }
    /// Returns the derivative of this order of the spline of an index, among [splines](crate::Splines)
    /// of `each` cubics; NaN beyond the last one.
    #[inline(always)]
    fn spline_of<const ORDER: u32>(
        cubics: &[Cubic<Self::Element>],
        each: usize,
        index: Self::U32,
        x: Self,
    ) -> Self {
        let n = u32::try_from(cubics.len() / each).unwrap_or(u32::MAX);
        let exists = Self::lt_u32(index, Self::splat_u32(n));
        let index = Self::select_u32(exists, index, Self::splat_u32(0));
        // Rows are whole numbers below 2^24, which are exact.
        let first = Self::from_u32(index) * Self::splat(each as f64);
        let [begin, inverse, ..] = Self::cubic(cubics, first);
        let x = Self::select(exists, x, Self::splat(f64::NAN));
        let [k, u] = piece([begin, inverse], each - 2, x);
        polynomial::<Self, ORDER>(inverse, Self::cubic(cubics, first + (k + Self::splat(1.0))), u)
    }

    /// Returns whether the mask is true in any element.
    fn any(mask: Self::Mask) -> bool;
    /// Returns the entry of this index; NaN beyond the end.
    fn gather(entries: &[Self], index: Self::U32) -> Self;
    /// Returns the entry of a table in this row and column; NaN if there is none.
    #[inline(always)]
    fn gather_entry<const COLUMNS: usize, const ROWS: usize>(
        table: &[[Self; COLUMNS]; ROWS],
        row: Self::U32,
        column: Self::U32,
    ) -> Self {
        gather_entry(table, row, column)
    }
    /// Adds each element of a term to the element of the sum with this index, if the sum exists.
    fn scatter(sums: &mut [Self], index: Self::U32, term: Self);
    /// Adds each element of an integer to the element of the count with this index, if the count
    /// exists.
    fn scatter_u32(counts: &mut [Self::U32], index: Self::U32, term: Self::U32);
    /// Returns the integer of a vector if all elements are equal; `None` for scalars.
    #[inline(always)]
    fn uniform(_integers: Self::U32) -> Option<u32> {
        None
    }

    /// Computes `self + a * b`, rounded twice in scalars; in vectors once or twice, whichever is
    /// faster.
    #[must_use]
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self + a * b
    }
    /// Computes `self - a * b`, rounded as [`plus_product`](Self::plus_product) is.
    #[must_use]
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self - a * b
    }
    /// Computes `self * a - b`, rounded as [`plus_product`](Self::plus_product) is.
    #[must_use]
    #[inline(always)]
    fn times_minus(self, a: Self, b: Self) -> Self {
        self * a - b
    }
    /// Computes `self + term` where the mask is true, and `self` elsewhere, where a negative zero
    /// may become positive.
    #[must_use]
    #[inline(always)]
    fn plus_where(self, mask: Self::Mask, term: Self) -> Self {
        self + Self::select(mask, term, Self::default())
    }
    /// Computes `self - term` where the mask is true, and `self` elsewhere.
    #[must_use]
    #[inline(always)]
    fn minus_where(self, mask: Self::Mask, term: Self) -> Self {
        self - Self::select(mask, term, Self::default())
    }
    /// Whether sums of products may be reordered.
    const REORDERS: bool = false;
    /// Whether the pair function returns early for a pair beyond the cutoff. For vectors the
    /// branch is hard to predict, and a filter or a list has selected the pairs before.
    const ENDS_EARLY: bool = true;

    /// The margin by which the square of a distance must be below the square of the cutoff, in
    /// roundoffs of the square of the cutoff. Pair functions compute distances with their own
    /// rounding errors; with the margin these distances, their squares and their quotients by the
    /// cutoff stay below the cutoff. `within_reach` in `prelude.cuh` has the same margin.
    ///
    /// A correctly rounded root is below the cutoff if its square is below by two roundoffs; the
    /// product that the square is compared with has two more.
    const MARGIN: f64 = 4.0;
    /// Returns whether a distance with this square is below the cutoff `reach` by the
    /// [margin](Self::MARGIN), or is NaN.
    #[inline(always)]
    fn within_reach(reach: Self, square: Self) -> Self::Mask {
        !Self::le(reach * reach * Self::splat(1.0 - Self::MARGIN * Self::ROUNDOFF), square)
    }

    /// Compares integers: `a < b`.
    fn lt_u32(a: Self::U32, b: Self::U32) -> Self::Mask;
    /// Compares integers: `a <= b`.
    fn le_u32(a: Self::U32, b: Self::U32) -> Self::Mask;
    /// Compares integers: `a == b`.
    fn eq_u32(a: Self::U32, b: Self::U32) -> Self::Mask;
    /// Selects integers, as [`Lane::select`] does.
    fn select_u32(mask: Self::Mask, yes: Self::U32, no: Self::U32) -> Self::U32;
    /// Computes `a + b` modulo 2³².
    fn add_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Computes `a - b` modulo 2³².
    fn sub_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Computes `a * b` modulo 2³².
    fn mul_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Computes the quotient `a / b`, cut off; 2³² - 1 if `b` is 0.
    fn div_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Computes the remainder `a % b`; `a` if `b` is 0.
    fn rem_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Shifts `a` to the left, by `b` modulo 32 bits.
    fn shl_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Shifts `a` to the right, by `b` modulo 32 bits.
    fn shr_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Returns the smaller integer.
    #[inline(always)]
    fn min_u32(a: Self::U32, b: Self::U32) -> Self::U32 {
        Self::select_u32(Self::lt_u32(b, a), b, a)
    }
    /// Returns the larger integer.
    #[inline(always)]
    fn max_u32(a: Self::U32, b: Self::U32) -> Self::U32 {
        Self::select_u32(Self::lt_u32(a, b), b, a)
    }
    /// Rotates the bits of `a` to the left, by `b` modulo 32.
    #[inline(always)]
    fn rotate_u32(a: Self::U32, b: Self::U32) -> Self::U32 {
        Self::shl_u32(a, b) | Self::shr_u32(a, Self::sub_u32(Self::splat_u32(0), b))
    }
    /// Counts the bits of `a` that are set.
    fn ones_u32(a: Self::U32) -> Self::U32;
    /// Computes the upper 32 bits of the product of 64 bits.
    fn high_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// Converts the integer to a real number, rounded to the precision of the lane.
    fn from_u32(a: Self::U32) -> Self;

    /// Converts the number to an integer, cut off: the nearest one for numbers beyond integers, 0
    /// for NaN.
    fn to_u32(a: Self) -> Self::U32;

    /// Square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Reciprocal square root 1/√x: a correctly rounded root and a correctly rounded division.
    #[must_use]
    #[inline(always)]
    fn rsqrt(self) -> Self {
        Self::splat(1.0) / self.sqrt()
    }
    /// Computes `self * x.rsqrt().powi(N)`.
    #[must_use]
    #[inline(always)]
    fn times_rsqrt_powi<const N: i32>(self, x: Self) -> Self {
        self * x.rsqrt().powi(N)
    }
    /// Reciprocal 1/x, correctly rounded.
    #[must_use]
    #[inline(always)]
    fn recip(self) -> Self {
        Self::splat(1.0) / self
    }
    /// Raises x to an integer power by repeated squaring; `x.powi(0)` is 1.
    #[must_use]
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        let (mut square, mut rest) = (self, n.unsigned_abs());
        let mut product = Self::splat(1.0);
        let mut first = true;
        while rest > 0 {
            if rest & 1 == 1 {
                product = if first { square } else { product * square };
                first = false;
            }
            rest >>= 1;
            if rest > 0 {
                square *= square;
            }
        }
        if n < 0 { product.recip() } else { product }
    }
    /// Raises x to a real power.
    #[must_use]
    fn powf(self, exponent: Self) -> Self;
    /// Cube root.
    #[must_use]
    fn cbrt(self) -> Self;
    /// Exponential, eˣ.
    #[must_use]
    fn exp(self) -> Self;
    /// Natural logarithm.
    #[must_use]
    fn ln(self) -> Self;
    /// Sine of an angle in radians.
    #[must_use]
    fn sin(self) -> Self;
    /// Cosine of an angle in radians.
    #[must_use]
    fn cos(self) -> Self;
    /// Tangent of an angle in radians.
    #[must_use]
    fn tan(self) -> Self;
    /// Arc sine, in radians.
    #[must_use]
    fn asin(self) -> Self;
    /// Arc cosine, in radians.
    #[must_use]
    fn acos(self) -> Self;
    /// Arc tangent, in radians.
    #[must_use]
    fn atan(self) -> Self;
    /// Angle of the point (x, self) in radians, in (−π, π].
    #[must_use]
    fn atan2(self, x: Self) -> Self;
    /// Hyperbolic sine.
    #[must_use]
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    #[must_use]
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    #[must_use]
    fn tanh(self) -> Self;
    /// Error function.
    #[must_use]
    fn erf(self) -> Self;
    /// Complementary error function 1 − erf x, without cancellation.
    #[must_use]
    fn erfc(self) -> Self;
    /// Absolute value.
    #[must_use]
    fn abs(self) -> Self;
    /// Returns the smaller number; if one is NaN, the other.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// Returns the larger number; if one is NaN, the other.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// Computes `self.max(low).min(high)`.
    #[must_use]
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
    /// Rounds x down to an integer.
    #[must_use]
    fn floor(self) -> Self;
    /// Rounds x up to an integer.
    #[must_use]
    fn ceil(self) -> Self;
    /// Rounds x to the nearest integer, halves away from zero.
    #[must_use]
    fn round(self) -> Self;
    /// Rounds x to the nearest integer, halves to even.
    #[must_use]
    fn round_ties_even(self) -> Self;
    /// Rounds x towards zero.
    #[must_use]
    fn trunc(self) -> Self;
    /// Returns the magnitude of `self` with the sign of `sign`.
    #[must_use]
    fn copysign(self, sign: Self) -> Self;
    /// Computes `self * a + b` with one rounding.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Returns this number; its error bound, if it has one, also holds for the same operations in
    /// another order.
    #[must_use]
    #[inline(always)]
    fn or_reordered(self, _other: impl FnOnce() -> Self) -> Self {
        self
    }
}

/// The most rows or columns that are searched by one selection each.
const MOST_SELECTIONS: usize = 16;

/// Returns the entry of a table in this row and column; NaN if there is none.
#[inline(always)]
fn gather_entry<L: Lane, const COLUMNS: usize, const ROWS: usize>(
    table: &[[L; COLUMNS]; ROWS],
    row: L::U32,
    column: L::U32,
) -> L {
    let splat = |n: usize| L::splat_u32(u32::try_from(n).unwrap_or(u32::MAX));
    let nan = L::splat(f64::NAN);
    // The j-particle is the same for all elements of a vector, so they often look up one column or
    // one row.
    if ROWS <= MOST_SELECTIONS
        && let Some(column) = L::uniform(column)
    {
        let mut found = nan;
        for (k, entries) in table.iter().enumerate() {
            let entry = if let Some(entry) = entries.get(column as usize) { *entry } else { nan };
            found = L::select(L::eq_u32(row, splat(k)), entry, found);
        }
        return found;
    }
    if COLUMNS <= MOST_SELECTIONS
        && let Some(row) = L::uniform(row)
    {
        let mut found = nan;
        if let Some(entries) = table.get(row as usize) {
            for (k, entry) in entries.iter().enumerate() {
                found = L::select(L::eq_u32(column, splat(k)), *entry, found);
            }
        }
        return found;
    }
    let inside = L::lt_u32(row, splat(ROWS)) & L::lt_u32(column, splat(COLUMNS));
    let index = L::add_u32(L::mul_u32(row, splat(COLUMNS)), column);
    L::gather(table.as_flattened(), L::select_u32(inside, index, splat(usize::MAX)))
}
