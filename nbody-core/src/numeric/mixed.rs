//! Mixed precision: `f32` with double-single positions.

use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::scalar::integers_of;
use crate::numeric::spline::Cubic;

/// An `f32` whose [coordinates](Lane::Coordinate) are [`DoubleSingle`], so that the difference of
/// two positions is as accurate far from the origin as near it.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Mixed(pub f32);

/// A double-single number: the unevaluated sum of two `f32`, which holds 48 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleSingle<L = f32> {
    /// The number rounded to `f32`.
    pub hi: L,
    /// The rounding error of `hi`, rounded to `f32`.
    pub lo: L,
}

impl From<f64> for DoubleSingle {
    #[inline(always)]
    fn from(value: f64) -> Self {
        let hi = value as f32;
        let lo = (value - f64::from(hi)) as f32;
        // The rounding error of an infinity is zero.
        Self { hi, lo: if hi.is_finite() { lo } else { 0.0 } }
    }
}

impl From<DoubleSingle> for f64 {
    #[inline(always)]
    fn from(DoubleSingle { hi, lo }: DoubleSingle) -> Self {
        Self::from(hi) + Self::from(lo)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident),*) => {
        $(impl $trait for Mixed {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self($trait::$method(self.0, other.0))
            }
        }
        impl $assign for Mixed {
            fn $assign_method(&mut self, other: Self) {
                $assign::$assign_method(&mut self.0, other.0);
            }
        })*
    };
}
operators!(Add add AddAssign add_assign, Sub sub SubAssign sub_assign,
    Mul mul MulAssign mul_assign, Div div DivAssign div_assign);

impl Neg for Mixed {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Mixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Implements functions by delegation to `f32`.
macro_rules! delegate {
    (unary: $($unary:ident)*; binary: $($binary:ident)*; comparisons: $($comparison:ident)*) => {
        $(fn $unary(self) -> Self {
            Self(Lane::$unary(self.0))
        })*
        $(fn $binary(self, other: Self) -> Self {
            Self(Lane::$binary(self.0, other.0))
        })*
        $(fn $comparison(a: Self, b: Self) -> bool {
            <f32 as Lane>::$comparison(a.0, b.0)
        })*
    };
}

impl Lane for Mixed {
    const ROUNDOFF: f64 = f32::ROUNDOFF;
    type Mask = bool;
    type U32 = u32;
    type Coordinate = DoubleSingle;
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
        cubics[(Self::to_u32(index) as usize).min(cubics.len() - 1)]
    }

    delegate! {
        unary: sqrt rsqrt recip cbrt exp ln sin cos tan asin acos atan sinh cosh tanh erf erfc abs
            floor ceil round round_ties_even trunc;
        binary: powf atan2 min max copysign;
        comparisons: lt le eq
    }
    integers_of!(f32);

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(value as f32)
    }
    #[inline(always)]
    fn from_u32(a: u32) -> Self {
        Self(f32::from_u32(a))
    }
    #[inline(always)]
    fn to_u32(a: Self) -> u32 {
        f32::to_u32(a.0)
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn gather(entries: &[Self], index: u32) -> Self {
        entries.get(index as usize).copied().unwrap_or(Self(f32::NAN))
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
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(self.0.mul_add(a.0, b.0))
    }

    #[inline(always)]
    fn coordinate(value: f64) -> DoubleSingle {
        value.into()
    }
    #[inline(always)]
    fn select_coordinate(mask: bool, yes: DoubleSingle, no: DoubleSingle) -> DoubleSingle {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn difference(a: DoubleSingle, b: DoubleSingle) -> Self {
        Self(difference(a, b))
    }

    #[inline(always)]
    fn nearest_difference(
        a: DoubleSingle,
        b: DoubleSingle,
        length: DoubleSingle,
        inverse: Self,
    ) -> Self {
        Self(nearest_difference(a, b, length, inverse.0))
    }

    #[inline(always)]
    fn apart(a: DoubleSingle, b: DoubleSingle) -> DoubleSingle {
        apart(a, b)
    }
    #[inline(always)]
    fn without(d: DoubleSingle, n: Self, length: DoubleSingle) -> DoubleSingle {
        without(d, n.0, length)
    }
    #[inline(always)]
    fn rounded(d: DoubleSingle) -> Self {
        Self(d.hi + d.lo)
    }
}

/// Returns the displacement a - b.
#[inline(always)]
pub(crate) fn difference<L: Lane>(a: DoubleSingle<L>, b: DoubleSingle<L>) -> L {
    // If the result cancels, the first difference is exact (Sterbenz 1974).
    (a.hi - b.hi) + (a.lo - b.lo)
}

/// Returns the displacement from the nearest image of b to a.
#[inline(always)]
pub(crate) fn nearest_difference<L: Lane>(
    a: DoubleSingle<L>,
    b: DoubleSingle<L>,
    length: DoubleSingle<L>,
    inverse: L,
) -> L {
    let DoubleSingle { hi: d, lo: rest } = apart(a, b);
    let lengths = -((d + rest) * inverse).round_ties_even();
    lengths.mul_add(length.hi, d) + lengths.mul_add(length.lo, rest)
}

/// Returns the displacement a - b as a number and its rest.
#[inline(always)]
fn apart<L: Lane>(a: DoubleSingle<L>, b: DoubleSingle<L>) -> DoubleSingle<L> {
    let d = a.hi - b.hi;
    // The rounding error of d (Knuth's two-sum) matters if multiples of the length cancel most of
    // d.
    let back = d - a.hi;
    let lost = (a.hi - (d - back)) - (b.hi + back);
    DoubleSingle { hi: d, lo: lost + (a.lo - b.lo) }
}

/// Subtracts `n` lengths from a displacement and keeps the rounding errors in its rest.
#[inline(always)]
fn without<L: Lane>(d: DoubleSingle<L>, n: L, length: DoubleSingle<L>) -> DoubleSingle<L> {
    let hi = (-n).mul_add(length.hi, d.hi);
    // The step from d to hi and its rounding error; the step differs from -n times the length by
    // the rounding error of hi. No product is rounded alone, so that contraction changes nothing.
    let step = hi - d.hi;
    let back = step - hi;
    let lost = (hi - (step - back)) - (d.hi + back);
    let error = n.mul_add(length.hi, step) + lost;
    DoubleSingle { hi, lo: (-n).mul_add(length.lo, d.lo - error) }
}

impl Scalar for Mixed {
    type Word = u32;
    const CUDA: &'static str = f32::CUDA;
    const COORDINATE_WORDS: usize = 2;

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self(value as f32)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.0.into()
    }
    #[inline(always)]
    fn to_word(self) -> u32 {
        self.0.to_bits()
    }
    #[inline(always)]
    fn from_word(word: u32) -> Self {
        Self(f32::from_bits(word))
    }
    #[inline(always)]
    fn word_from_u32(value: u32) -> u32 {
        value
    }
    #[inline(always)]
    fn word_to_u32(word: u32) -> u32 {
        word
    }
    #[inline(always)]
    fn coordinate_to_f64(coordinate: DoubleSingle) -> f64 {
        coordinate.into()
    }
    #[inline(always)]
    fn coordinate_to_words(DoubleSingle { hi, lo }: DoubleSingle, mut to: impl FnMut(u32)) {
        to(hi.to_bits());
        to(lo.to_bits());
    }
    #[inline(always)]
    fn coordinate_from_words(mut next: impl FnMut() -> u32) -> DoubleSingle {
        let hi = f32::from_bits(next());
        DoubleSingle { hi, lo: f32::from_bits(next()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pairs of coordinates in an interval around 0, with more digits than `f32` holds.
    fn pairs(length: f64) -> impl Iterator<Item = (f64, f64)> {
        (1..5000).map(move |k| {
            let a = (f64::from(k) * 0.618_033_988_749_894_9).fract();
            let b = (f64::from(k) * 0.414_213_562_373_095_1).fract();
            (length * (a - 0.5), length * (b - 0.5))
        })
    }

    #[test]
    fn differences_far_from_the_origin_are_rounded_once_or_twice() {
        for (a, b) in pairs(2.0).map(|(a, b)| (1e5 + a, 1e5 + b)) {
            let d = Mixed::difference(a.into(), b.into()).to_f64();
            let error = (d - (a - b)).abs();
            assert!(error <= 1.5 * f32::ROUNDOFF * (a - b).abs() + 1e5 * 1e-14, "{a} {b}: {d}");
        }
    }

    #[test]
    fn differences_to_the_nearest_image_keep_their_digits() {
        // Positions inside and outside a box, some at opposite faces, and far from the origin.
        let length = 0.7;
        let inverse = Mixed((1.0 / length) as f32);
        let far = pairs(1.0).map(|(a, b)| (1e6 + a, 1e6 + b));
        for (a, b) in pairs(5.0).chain(far) {
            let d = a - b - length * ((a - b) / length).round_ties_even();
            if d.abs() > 0.4999 * length {
                continue; // Either image will do.
            }
            let found = Mixed::nearest_difference(a.into(), b.into(), length.into(), inverse);
            let error = (found.to_f64() - d).abs();
            assert!(
                error <= 2.0 * f32::ROUNDOFF * d.abs() + a.abs().max(1.0) * 1e-14,
                "{a} {b}: {found} {d}"
            );
        }
    }

    #[test]
    fn infinities_and_nan_are_kept() {
        assert_eq!(DoubleSingle::from(1e300), DoubleSingle { hi: f32::INFINITY, lo: 0.0 });
        assert!(f64::from(DoubleSingle::from(f64::NAN)).is_nan());
        assert!(Mixed::difference(f64::NAN.into(), 1.0.into()).0.is_nan());
    }
}
