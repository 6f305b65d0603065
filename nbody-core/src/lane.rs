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
/// description says otherwise.
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
        + Debug
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
    fn rsqrt(self) -> Self {
        Self::splat(1.0) / self.sqrt()
    }
    /// 1/x, correctly rounded.
    #[must_use]
    fn recip(self) -> Self {
        Self::splat(1.0) / self
    }
    /// x to an integer power, by repeated squaring; `x.powi(0)` is 1.
    #[must_use]
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

/// A lane of one element: `f32` or `f64`, what particles are stored in.
pub trait Scalar:
    Lane<Mask = bool, U32 = u32> + bytemuck::Pod + PartialOrd + std::fmt::Display
{
    /// The unsigned integer of the same width: what buffers are made of.
    type Word: bytemuck::Pod + Default + Debug + Send + Sync;
    /// The type's name in CUDA C++.
    const CUDA: &'static str;
    /// The unit roundoff: half the distance from 1 to the next number.
    const ROUNDOFF: f64;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// The same number, exactly.
    fn to_f64(self) -> f64;
    /// The bits of the number.
    fn to_word(self) -> Self::Word;
    /// The number of these bits.
    fn from_word(word: Self::Word) -> Self;
    /// An integer field, widened to a word.
    fn word_from_u32(value: u32) -> Self::Word;
    /// The integer field in a word.
    fn word_to_u32(word: Self::Word) -> u32;

    /// The words of a coordinate.
    const COORDINATE_WORDS: usize;
    /// The same coordinate, exactly.
    fn coordinate_to_f64(coordinate: Self::Coordinate) -> f64;
    /// Gives the words of a coordinate, one after another.
    fn coordinate_to_words(coordinate: Self::Coordinate, to: impl FnMut(Self::Word));
    /// Takes the words of a coordinate, one after another.
    fn coordinate_from_words(from: impl FnMut() -> Self::Word) -> Self::Coordinate;
}

/// The coordinates of a lane that are lanes themselves.
macro_rules! own_coordinates {
    () => {
        type Coordinate = Self;

        fn coordinate(value: f64) -> Self {
            Self::splat(value)
        }
        fn select_coordinate(mask: Self::Mask, yes: Self, no: Self) -> Self {
            Self::select(mask, yes, no)
        }
        fn difference(a: Self, b: Self) -> Self {
            a - b
        }
        fn nearest_difference(a: Self, b: Self, length: Self, inverse: Self) -> Self {
            let d = a - b;
            d - length * (d * inverse).round_ties_even()
        }
    };
}
pub(crate) use own_coordinates;

/// The integers of a lane of one element, and their operations: those of this scalar.
macro_rules! integers_of {
    ($scalar:ident) => {
        integers_of! { $scalar:
            splat_u32(value: u32) -> u32;
            splat_mask(value: bool) -> bool;
            any(mask: bool) -> bool;
            lt_u32(a: u32, b: u32) -> bool;
            le_u32(a: u32, b: u32) -> bool;
            eq_u32(a: u32, b: u32) -> bool;
            select_u32(mask: bool, yes: u32, no: u32) -> u32;
            add_u32(a: u32, b: u32) -> u32;
            sub_u32(a: u32, b: u32) -> u32;
            mul_u32(a: u32, b: u32) -> u32;
        }
    };
    ($scalar:ident: $($name:ident($($a:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(fn $name($($a: $ty),*) -> $out {
            <$scalar as Lane>::$name($($a),*)
        })*
    };
}
pub(crate) use integers_of;

macro_rules! scalar {
    ($real:ident, $word:ident, $erf:path, $erfc:path) => {
        impl Lane for $real {
            type Mask = bool;
            type U32 = u32;

            own_coordinates!();

            fn splat(value: f64) -> Self {
                value as Self
            }
            fn splat_u32(value: u32) -> u32 {
                value
            }
            fn splat_mask(value: bool) -> bool {
                value
            }
            fn lt(a: Self, b: Self) -> bool {
                a < b
            }
            fn le(a: Self, b: Self) -> bool {
                a <= b
            }
            #[allow(clippy::float_cmp)]
            fn eq(a: Self, b: Self) -> bool {
                a == b
            }
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
            fn any(mask: bool) -> bool {
                mask
            }
            fn gather(entries: &[Self], index: u32) -> Self {
                entries.get(index as usize).copied().unwrap_or(Self::NAN)
            }
            fn lt_u32(a: u32, b: u32) -> bool {
                a < b
            }
            fn le_u32(a: u32, b: u32) -> bool {
                a <= b
            }
            fn eq_u32(a: u32, b: u32) -> bool {
                a == b
            }
            fn select_u32(mask: bool, yes: u32, no: u32) -> u32 {
                if mask { yes } else { no }
            }
            fn add_u32(a: u32, b: u32) -> u32 {
                a.wrapping_add(b)
            }
            fn sub_u32(a: u32, b: u32) -> u32 {
                a.wrapping_sub(b)
            }
            fn mul_u32(a: u32, b: u32) -> u32 {
                a.wrapping_mul(b)
            }
            #[allow(clippy::cast_lossless)]
            fn from_u32(a: u32) -> Self {
                a as Self
            }
            fn powf(self, exponent: Self) -> Self {
                $real::powf(self, exponent)
            }
            fn atan2(self, x: Self) -> Self {
                $real::atan2(self, x)
            }
            fn erf(self) -> Self {
                $erf(self)
            }
            fn erfc(self) -> Self {
                $erfc(self)
            }
            fn min(self, other: Self) -> Self {
                $real::min(self, other)
            }
            fn max(self, other: Self) -> Self {
                $real::max(self, other)
            }
            fn copysign(self, sign: Self) -> Self {
                $real::copysign(self, sign)
            }
            fn mul_add(self, a: Self, b: Self) -> Self {
                $real::mul_add(self, a, b)
            }
            scalar!(@unary $real: sqrt cbrt exp ln sin cos tan asin acos atan sinh cosh tanh abs floor ceil round round_ties_even trunc);
        }

        impl Scalar for $real {
            type Word = $word;
            const CUDA: &'static str = scalar!(@cuda $real);
            const ROUNDOFF: f64 = $real::EPSILON as f64 / 2.0;

            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn to_word(self) -> $word {
                self.to_bits()
            }
            fn from_word(word: $word) -> Self {
                Self::from_bits(word)
            }
            fn word_from_u32(value: u32) -> $word {
                value.into()
            }
            fn word_to_u32(word: $word) -> u32 {
                word as u32
            }

            const COORDINATE_WORDS: usize = 1;

            fn coordinate_to_f64(coordinate: Self) -> f64 {
                coordinate.into()
            }
            fn coordinate_to_words(coordinate: Self, mut to: impl FnMut($word)) {
                to(coordinate.to_bits());
            }
            fn coordinate_from_words(mut from: impl FnMut() -> $word) -> Self {
                Self::from_bits(from())
            }
        }
    };
    (@unary $real:ident: $($name:ident)*) => {
        $(fn $name(self) -> Self {
            $real::$name(self)
        })*
    };
    (@cuda f32) => { "float" };
    (@cuda f64) => { "double" };
}

scalar!(f32, u32, libm::erff, libm::erfcf);
scalar!(f64, u64, libm::erf, libm::erfc);
