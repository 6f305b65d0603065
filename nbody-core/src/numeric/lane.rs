//! The numbers that an interaction computes with.
//!
//! Generated code is generic over a [`Lane`]: one `f32`, one `f64`, or a vector of them. A
//! comparison gives a mask, and a choice is a [`Lane::select`], so that the same code serves
//! one particle and a register full of particles.

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

/// A number, or several that one instruction works on.
///
/// Every operation is the IEEE one of the underlying scalar, element by element, unless its
/// description says otherwise. Vectors take reciprocals, roots and quotients from the processor's
/// estimates, refined to within two roundings.
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
    /// The integers that go with this lane: types, flags and ids of particles.
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

    /// A coordinate of a position: the lane itself, or numbers that hold more of its digits. Pairs
    /// take differences of them, and nothing else.
    type Coordinate: Copy + Debug + Default + PartialEq + Send + Sync;

    /// The coordinate, in every element, rounded to what the lane holds of positions.
    fn coordinate(value: f64) -> Self::Coordinate;
    /// [`Lane::select`] of coordinates.
    fn select_coordinate(
        mask: Self::Mask,
        yes: Self::Coordinate,
        no: Self::Coordinate,
    ) -> Self::Coordinate;
    /// From b to a.
    fn difference(a: Self::Coordinate, b: Self::Coordinate) -> Self;
    /// From the nearest image of b to a, in a periodic box of this length and its inverse; zeros
    /// leave space open.
    fn nearest_difference(
        a: Self::Coordinate,
        b: Self::Coordinate,
        length: Self::Coordinate,
        inverse: Self,
    ) -> Self;

    /// The constant, in every element, rounded to the precision of the lane.
    fn splat(value: f64) -> Self;
    /// The integer constant, in every element.
    fn splat_u32(value: u32) -> Self::U32;
    /// The truth value, in every element.
    fn splat_mask(value: bool) -> Self::Mask;

    /// `a < b`.
    fn lt(a: Self, b: Self) -> Self::Mask;
    /// `a <= b`.
    fn le(a: Self, b: Self) -> Self::Mask;
    /// `a == b`.
    fn eq(a: Self, b: Self) -> Self::Mask;
    /// `yes` where the mask holds, `no` elsewhere; both are computed, and neither disturbs
    /// the other, even when it is not a number.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Whether the mask holds anywhere.
    fn any(mask: Self::Mask) -> bool;
    /// The entry of this index; NaN where the index is beyond the end.
    fn gather(entries: &[Self], index: Self::U32) -> Self;
    /// Adds a term to the sum of this index, if there is one, each element to its own.
    fn scatter(sums: &mut [Self], index: Self::U32, term: Self);
    /// The integer, if it is the same in all elements and there are several.
    #[inline(always)]
    fn uniform(_integers: Self::U32) -> Option<u32> {
        None
    }

    /// `self + a * b`, with two roundings in scalars, and in vectors with one or two, whichever is faster.
    #[must_use]
    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self + a * b
    }
    /// `self - a * b`, rounded as [`plus_product`](Self::plus_product) is.
    #[must_use]
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self - a * b
    }
    /// `self * a - b`, rounded as [`plus_product`](Self::plus_product) is.
    #[must_use]
    #[inline(always)]
    fn times_minus(self, a: Self, b: Self) -> Self {
        self * a - b
    }
    /// `self + term` where the mask holds, and `self` elsewhere, but that a negative zero may become a
    /// positive one: in the fewest instructions.
    #[must_use]
    #[inline(always)]
    fn plus_where(self, mask: Self::Mask, term: Self) -> Self {
        self + Self::select(mask, term, Self::default())
    }
    /// `self - term` where the mask holds, and `self` elsewhere.
    #[must_use]
    #[inline(always)]
    fn minus_where(self, mask: Self::Mask, term: Self) -> Self {
        self - Self::select(mask, term, Self::default())
    }
    /// Whether sums of products may be summed in another order.
    const REORDERS: bool = false;

    /// How far below the square of a reach those of distances end, in roundoffs of it. Pairs compute
    /// distances with roundings of their own, and these, their squares and their quotients by the
    /// reach are to stay below it: `within_reach` in `prelude.cuh` has the same.
    ///
    /// Correctly rounded, a root is less than the reach where its square is by two; and two roundings
    /// are in what it is compared with.
    const MARGIN: f64 = 4.0;
    /// Whether a distance of this square is less than `reach` by a [margin](Self::MARGIN), or is not a
    /// number.
    #[inline(always)]
    fn within_reach(reach: Self, square: Self) -> Self::Mask {
        !Self::le(reach * reach * Self::splat(1.0 - Self::MARGIN * Self::ROUNDOFF), square)
    }

    /// `a < b`, of integers.
    fn lt_u32(a: Self::U32, b: Self::U32) -> Self::Mask;
    /// `a <= b`, of integers.
    fn le_u32(a: Self::U32, b: Self::U32) -> Self::Mask;
    /// `a == b`, of integers.
    fn eq_u32(a: Self::U32, b: Self::U32) -> Self::Mask;
    /// [`Lane::select`] of integers.
    fn select_u32(mask: Self::Mask, yes: Self::U32, no: Self::U32) -> Self::U32;
    /// `a + b`, modulo 2³².
    fn add_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// `a - b`, modulo 2³².
    fn sub_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// `a * b`, modulo 2³².
    fn mul_u32(a: Self::U32, b: Self::U32) -> Self::U32;
    /// The integer as a real number, rounded to the precision of the lane.
    fn from_u32(a: Self::U32) -> Self;

    /// Square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
    /// 1/√x: one correctly rounded square root and one correctly rounded division.
    #[must_use]
    #[inline(always)]
    fn rsqrt(self) -> Self {
        Self::splat(1.0) / self.sqrt()
    }
    /// self/√xᴺ, as `self * x.rsqrt().powi(N)` has it.
    #[must_use]
    #[inline(always)]
    fn times_rsqrt_powi<const N: i32>(self, x: Self) -> Self {
        self * x.rsqrt().powi(N)
    }
    /// 1/x, correctly rounded.
    #[must_use]
    #[inline(always)]
    fn recip(self) -> Self {
        Self::splat(1.0) / self
    }
    /// x to an integer power, by repeated squaring; `x.powi(0)` is 1.
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
    /// x to a real power.
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
    /// The angle of the point (x, self), in radians, in (−π, π].
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
    /// Complementary error function, 1 − erf x without the cancellation.
    #[must_use]
    fn erfc(self) -> Self;
    /// Absolute value.
    #[must_use]
    fn abs(self) -> Self;
    /// The smaller of two; of a number and NaN, the number.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The larger of two; of a number and NaN, the number.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// `self.max(low).min(high)`.
    #[must_use]
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
    /// The largest integer not above x.
    #[must_use]
    fn floor(self) -> Self;
    /// The smallest integer not below x.
    #[must_use]
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from zero.
    #[must_use]
    fn round(self) -> Self;
    /// The nearest integer, halves to the even one.
    #[must_use]
    fn round_ties_even(self) -> Self;
    /// The integer part, towards zero.
    #[must_use]
    fn trunc(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    #[must_use]
    fn copysign(self, sign: Self) -> Self;
    /// `self * a + b` with one rounding.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
}
