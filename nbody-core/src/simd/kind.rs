//! The numbers of a vector: [`Precision`](crate::Precision), as a type.

use std::fmt::Debug;

use fearless_simd::prelude::*;

use super::hardware::Hardware;
use super::wide::Wide;
use crate::{Lane, Scalar};

/// The numbers of a vector of this hardware, and what coordinates are made of.
pub trait Kind<S: Hardware>: Copy + Debug + Send + Sync + 'static {
    /// What memory holds.
    type Scalar: Scalar<Word: SimdIntElement>;
    type Element: Scalar<Word = <Self::Scalar as Scalar>::Word> + SimdFloatElement;
    type Real: SimdFloat<S, Element = Self::Element, Mask = Self::Mask>;
    type Mask: SimdMask<S> + Select<Self::Real> + Select<Self::Integers>;
    type Integers: SimdInt<S, Element = <Self::Scalar as Scalar>::Word, Mask = Self::Mask>;
    type Coordinate: Copy + Debug + Default + PartialEq + Send + Sync;

    /// How many terms of a series refine an estimate; 0 where there are none.
    const TERMS: usize;

    fn reals(integers: Self::Integers) -> Self::Real;
    /// The bits of the numbers.
    fn bits(x: Self::Real) -> Self::Integers;
    /// The numbers of these bits.
    fn from_bits(bits: Self::Integers) -> Self::Real;
    /// An estimate of 1/√x.
    fn rsqrt(x: Self::Real) -> Self::Real;
    /// An estimate of 1/x.
    fn recip(x: Self::Real) -> Self::Real;

    fn coordinate(value: f64) -> Self::Coordinate;
    fn coordinate_from(next: impl FnMut() -> Wide<S, Self>) -> Self::Coordinate;
    fn select_coordinate(
        mask: Self::Mask,
        yes: Self::Coordinate,
        no: Self::Coordinate,
    ) -> Self::Coordinate;
    fn difference(a: Self::Coordinate, b: Self::Coordinate) -> Wide<S, Self>;
    fn nearest_difference(
        a: Self::Coordinate,
        b: Self::Coordinate,
        length: Self::Coordinate,
        inverse: Wide<S, Self>,
    ) -> Wide<S, Self>;
}

/// `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Single;
/// `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Double;
macro_rules! numbers {
    (f32 in $scalar:ty) => {
        numbers!(@$scalar, f32, f32s, mask32s, u32s);
        const TERMS: usize = S::TERMS_F32;

        #[inline(always)]
        fn rsqrt(x: S::f32s) -> S::f32s {
            S::rsqrt_f32(x)
        }
        #[inline(always)]
        fn recip(x: S::f32s) -> S::f32s {
            S::recip_f32(x)
        }
    };
    (f64 in $scalar:ty) => {
        numbers!(@$scalar, f64, f64s, mask64s, u64s);
        const TERMS: usize = S::TERMS_F64;

        #[inline(always)]
        fn rsqrt(x: S::f64s) -> S::f64s {
            S::rsqrt_f64(x)
        }
        #[inline(always)]
        fn recip(x: S::f64s) -> S::f64s {
            S::recip_f64(x)
        }
    };
    (@$scalar:ty, $element:ident, $reals:ident, $masks:ident, $integers:ident) => {
        type Scalar = $scalar;
        type Element = $element;
        type Real = S::$reals;
        type Mask = S::$masks;
        type Integers = S::$integers;

        #[inline(always)]
        fn reals(integers: S::$integers) -> S::$reals {
            S::$reals::float_from(integers)
        }
        #[inline(always)]
        fn bits(x: S::$reals) -> S::$integers {
            x.bitcast()
        }
        #[inline(always)]
        fn from_bits(bits: S::$integers) -> S::$reals {
            bits.bitcast()
        }
    };
}

macro_rules! own_coordinates {
    () => {
        type Coordinate = Wide<S, Self>;

        #[inline(always)]
        fn coordinate(value: f64) -> Wide<S, Self> {
            Wide::splat(value)
        }
        #[inline(always)]
        fn coordinate_from(mut next: impl FnMut() -> Wide<S, Self>) -> Wide<S, Self> {
            next()
        }
        #[inline(always)]
        fn select_coordinate(
            mask: Self::Mask,
            yes: Wide<S, Self>,
            no: Wide<S, Self>,
        ) -> Wide<S, Self> {
            Wide::select(mask, yes, no)
        }
        #[inline(always)]
        fn difference(a: Wide<S, Self>, b: Wide<S, Self>) -> Wide<S, Self> {
            a - b
        }
        #[inline(always)]
        fn nearest_difference(
            a: Wide<S, Self>,
            b: Wide<S, Self>,
            length: Wide<S, Self>,
            inverse: Wide<S, Self>,
        ) -> Wide<S, Self> {
            let d = a - b;
            d.minus_product(length, (d * inverse).round_ties_even())
        }
    };
}

impl<S: Hardware> Kind<S> for Single {
    numbers!(f32 in f32);
    own_coordinates!();
}

impl<S: Hardware> Kind<S> for Double {
    numbers!(f64 in f64);
    own_coordinates!();
}
