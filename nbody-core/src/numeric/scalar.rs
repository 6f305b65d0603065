//! Scalars: the number types of stored particles, which are lanes of one element.

use std::fmt::{Debug, Display};

use crate::numeric::lane::Lane;
use crate::numeric::spline::Cubic;

/// A lane of one element, in which particles are stored: `f32`, `f64` or
/// [`Mixed`](crate::numeric::mixed::Mixed).
pub trait Scalar: Lane<Mask = bool, U32 = u32> + bytemuck::Pod + PartialOrd + Display {
    /// The unsigned integer of the same width: the element type of buffers.
    type Word: bytemuck::Pod + Default + Debug + Send + Sync;
    /// The type's name in CUDA C++.
    const CUDA: &'static str;

    /// Rounds to the nearest number of this type.
    fn from_f64(value: f64) -> Self;
    /// Converts to `f64`, exactly.
    fn to_f64(self) -> f64;
    /// Returns the bits of the number.
    fn to_word(self) -> Self::Word;
    /// Returns the number with these bits.
    fn from_word(word: Self::Word) -> Self;
    /// Converts an integer field to a word.
    fn word_from_u32(value: u32) -> Self::Word;
    /// Converts a word to an integer field.
    fn word_to_u32(word: Self::Word) -> u32;

    /// The number of words of a coordinate.
    const COORDINATE_WORDS: usize;
    /// Converts a coordinate to `f64`, exactly.
    fn coordinate_to_f64(coordinate: Self::Coordinate) -> f64;
    /// Calls a function with the words of a coordinate, in order.
    fn coordinate_to_words(coordinate: Self::Coordinate, to: impl FnMut(Self::Word));
    /// Returns the coordinate made of the words that `next` returns, in order.
    fn coordinate_from_words(next: impl FnMut() -> Self::Word) -> Self::Coordinate;
}

/// Implements the coordinates of a lane as the lane itself.
macro_rules! own_coordinates {
    () => {
        type Coordinate = Self;

        #[inline(always)]
        fn coordinate(value: f64) -> Self {
            Self::splat(value)
        }
        #[inline(always)]
        fn select_coordinate(mask: Self::Mask, yes: Self, no: Self) -> Self {
            Self::select(mask, yes, no)
        }
        #[inline(always)]
        fn difference(a: Self, b: Self) -> Self {
            a - b
        }
        #[inline(always)]
        fn nearest_difference(a: Self, b: Self, length: Self, inverse: Self) -> Self {
            let d = a - b;
            d - length * (d * inverse).round_ties_even()
        }
        #[inline(always)]
        fn apart(a: Self, b: Self) -> Self {
            a - b
        }
        #[inline(always)]
        fn without(d: Self, n: Self, length: Self) -> Self {
            d - length * n
        }
        #[inline(always)]
        fn rounded(d: Self) -> Self {
            d
        }
    };
}
pub(crate) use own_coordinates;

/// Implements the integers of a one-element lane, and their operations, by delegation to this
/// scalar.
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
            div_u32(a: u32, b: u32) -> u32;
            rem_u32(a: u32, b: u32) -> u32;
            shl_u32(a: u32, b: u32) -> u32;
            shr_u32(a: u32, b: u32) -> u32;
            ones_u32(a: u32) -> u32;
            high_u32(a: u32, b: u32) -> u32;
        }
    };
    ($scalar:ident: $($name:ident($($a:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(#[inline(always)]
          fn $name($($a: $ty),*) -> $out {
            <$scalar as Lane>::$name($($a),*)
        })*
    };
}
pub(crate) use integers_of;

macro_rules! scalar {
    ($real:ident, $word:ident, $erf:path, $erfc:path) => {
        impl Lane for $real {
            const ROUNDOFF: f64 = $real::EPSILON as f64 / 2.0;
            type Mask = bool;
            type U32 = u32;

            own_coordinates!();

            #[inline(always)]
            fn splat(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn splat_u32(value: u32) -> u32 {
                value
            }
            #[inline(always)]
            fn splat_mask(value: bool) -> bool {
                value
            }
            #[inline(always)]
            fn lt(a: Self, b: Self) -> bool {
                a < b
            }
            #[inline(always)]
            fn le(a: Self, b: Self) -> bool {
                a <= b
            }
            #[allow(clippy::float_cmp)]
            #[inline(always)]
            fn eq(a: Self, b: Self) -> bool {
                a == b
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }
            type Element = Self;
            #[inline(always)]
            fn of_element(number: Self) -> Self {
                number
            }
            #[inline(always)]
            fn to_element(self) -> Self {
                self
            }
            #[inline(always)]
            fn cubic(cubics: &[Cubic<Self>], index: Self) -> [Self; 4] {
                // A conversion of a number beyond integers gives the nearest one.
                cubics[(Self::to_u32(index) as usize).min(cubics.len() - 1)]
            }
            #[inline(always)]
            fn gather(entries: &[Self], index: u32) -> Self {
                entries.get(index as usize).copied().unwrap_or(Self::NAN)
            }
            #[inline(always)]
            fn scatter_u32(counts: &mut [u32], index: u32, term: u32) {
                if let Some(count) = counts.get_mut(index as usize) {
                    *count = count.wrapping_add(term);
                }
            }
            #[inline(always)]
            fn scatter(sums: &mut [Self], index: u32, term: Self) {
                if let Some(sum) = sums.get_mut(index as usize) {
                    *sum += term;
                }
            }
            #[inline(always)]
            fn lt_u32(a: u32, b: u32) -> bool {
                a < b
            }
            #[inline(always)]
            fn le_u32(a: u32, b: u32) -> bool {
                a <= b
            }
            #[inline(always)]
            fn eq_u32(a: u32, b: u32) -> bool {
                a == b
            }
            #[inline(always)]
            fn select_u32(mask: bool, yes: u32, no: u32) -> u32 {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn add_u32(a: u32, b: u32) -> u32 {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn sub_u32(a: u32, b: u32) -> u32 {
                a.wrapping_sub(b)
            }
            #[inline(always)]
            fn mul_u32(a: u32, b: u32) -> u32 {
                a.wrapping_mul(b)
            }
            #[inline(always)]
            fn div_u32(a: u32, b: u32) -> u32 {
                a.checked_div(b).unwrap_or(u32::MAX)
            }
            #[inline(always)]
            fn rem_u32(a: u32, b: u32) -> u32 {
                a.checked_rem(b).unwrap_or(a)
            }
            #[inline(always)]
            fn shl_u32(a: u32, b: u32) -> u32 {
                a.wrapping_shl(b)
            }
            #[inline(always)]
            fn shr_u32(a: u32, b: u32) -> u32 {
                a.wrapping_shr(b)
            }
            #[inline(always)]
            fn ones_u32(a: u32) -> u32 {
                a.count_ones()
            }
            #[inline(always)]
            fn high_u32(a: u32, b: u32) -> u32 {
                ((u64::from(a) * u64::from(b)) >> u32::BITS) as u32
            }
            #[allow(clippy::cast_sign_loss, reason = "a cast takes the nearest integer")]
            #[inline(always)]
            fn to_u32(a: Self) -> u32 {
                a as u32
            }
            #[allow(clippy::cast_lossless)]
            #[inline(always)]
            fn from_u32(a: u32) -> Self {
                a as Self
            }
            #[inline(always)]
            fn powf(self, exponent: Self) -> Self {
                $real::powf(self, exponent)
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                $real::atan2(self, x)
            }
            #[inline(always)]
            fn erf(self) -> Self {
                $erf(self)
            }
            #[inline(always)]
            fn erfc(self) -> Self {
                $erfc(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                $real::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                $real::max(self, other)
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                $real::copysign(self, sign)
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $real::mul_add(self, a, b)
            }
            scalar!(@unary $real: sqrt cbrt exp ln sin cos tan asin acos atan sinh cosh tanh abs floor ceil round round_ties_even trunc);
        }

        impl Scalar for $real {
            type Word = $word;
            const CUDA: &'static str = scalar!(@cuda $real);

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn to_word(self) -> $word {
                self.to_bits()
            }
            #[inline(always)]
            fn from_word(word: $word) -> Self {
                Self::from_bits(word)
            }
            #[inline(always)]
            fn word_from_u32(value: u32) -> $word {
                value.into()
            }
            #[inline(always)]
            fn word_to_u32(word: $word) -> u32 {
                word as u32
            }

            const COORDINATE_WORDS: usize = 1;

            #[inline(always)]
            fn coordinate_to_f64(coordinate: Self) -> f64 {
                coordinate.into()
            }
            #[inline(always)]
            fn coordinate_to_words(coordinate: Self, mut to: impl FnMut($word)) {
                to(coordinate.to_bits());
            }
            #[inline(always)]
            fn coordinate_from_words(mut next: impl FnMut() -> $word) -> Self {
                $real::from_bits(next())
            }
        }
    };
    (@unary $real:ident: $($name:ident)*) => {
        $(#[inline(always)]
          fn $name(self) -> Self {
            $real::$name(self)
        })*
    };
    (@cuda f32) => { "float" };
    (@cuda f64) => { "double" };
}

scalar!(f32, u32, libm::erff, libm::erfcf);
scalar!(f64, u64, libm::erf, libm::erfc);
