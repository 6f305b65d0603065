//! A vector register of numbers as a [`Lane`].

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign,
};

use fearless_simd::prelude::*;

use super::hardware::Hardware;
use super::kind::Kind;
use super::lanes::{Lanes, Word};
use super::series::{Series, coefficient};
use crate::{FieldKind, Lane, Scalar};

/// As many numbers as a register of this hardware holds, in fast mathematics.
#[derive(Clone, Copy, Debug)]
pub struct Wide<S: Hardware, T: Kind<S>>(pub T::Real, PhantomData<S>);

/// The integers beside them, of the same width; 32 bits of it are used.
#[derive(Clone, Copy, Debug)]
pub struct Integers<S: Hardware, T: Kind<S>>(T::Integers, PhantomData<S>);

impl<S: Hardware, T: Kind<S>> Wide<S, T> {
    #[inline(always)]
    pub fn of(reals: T::Real) -> Self {
        Self(reals, PhantomData)
    }

    #[inline(always)]
    fn elements(element: T::Element) -> T::Real {
        T::Real::splat(S::here(), element)
    }

    /// A function of each element by itself.
    #[inline(never)]
    pub fn each(self, function: fn(T::Element) -> T::Element) -> Self {
        Self::of(T::Real::from_fn(S::here(), |k| function(self.0[k])))
    }

    #[inline(never)]
    pub fn each_two(self, other: Self, function: fn(T::Element, T::Element) -> T::Element) -> Self {
        Self::of(T::Real::from_fn(S::here(), |k| function(self.0[k], other.0[k])))
    }

    /// Whether there are estimates to refine.
    const ESTIMATES: bool = T::TERMS > 0;

    /// An error of an estimate, or another number where the estimate is zero or infinite, and its
    /// error is not a number.
    #[inline(always)]
    fn number(self) -> Self {
        let other = Self::splat(2.0);
        if S::MIN_SKIPS_NAN { Self::of(self.0.min(other.0)) } else { self.min(other) }
    }

    /// `self * (1 - error)^-exponent` for the small error of an estimate, whose size `self` is of.
    #[inline(always)]
    fn refined(self, error: Self, exponent: f64) -> Self {
        let error = error.number();
        let mut series = Self::splat(coefficient(exponent, T::TERMS));
        for term in (1..T::TERMS).rev() {
            series = Self::splat(coefficient(exponent, term)).plus_product(series, error);
        }
        self.plus_product(self * error, series)
    }
}

impl<S: Hardware, T: Kind<S>> Default for Wide<S, T> {
    #[inline(always)]
    fn default() -> Self {
        Self::splat(0.0)
    }
}

impl<S: Hardware, T: Kind<S>> PartialEq for Wide<S, T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0.simd_eq(other.0).all_true()
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident),*) => {
        $(impl<S: Hardware, T: Kind<S>> $trait for Wide<S, T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::of($trait::$method(self.0, other.0))
            }
        }
        impl<S: Hardware, T: Kind<S>> $assign for Wide<S, T> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = $trait::$method(*self, other);
            }
        })*
    };
}
operators!(Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign);

impl<S: Hardware, T: Kind<S>> Div for Wide<S, T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        if Self::ESTIMATES { self * other.recip() } else { Self::of(self.0 / other.0) }
    }
}

impl<S: Hardware, T: Kind<S>> DivAssign for Wide<S, T> {
    #[inline(always)]
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl<S: Hardware, T: Kind<S>> Neg for Wide<S, T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(-self.0)
    }
}

impl<S: Hardware, T: Kind<S>> Integers<S, T> {
    #[inline(always)]
    fn of(integers: T::Integers) -> Self {
        Self(integers, PhantomData)
    }

    /// Modulo 2³².
    #[inline(always)]
    fn wrapped(integers: T::Integers) -> Self {
        Self(integers & Self::splat(u32::MAX).0, PhantomData)
    }

    #[inline(always)]
    fn splat(value: u32) -> Self {
        Self::of(T::Integers::splat(S::here(), T::Scalar::word_from_u32(value)))
    }
}

impl<S: Hardware, T: Kind<S>> Default for Integers<S, T> {
    #[inline(always)]
    fn default() -> Self {
        Self::splat(0)
    }
}

macro_rules! bitwise {
    ($($trait:ident $method:ident),*) => {
        $(impl<S: Hardware, T: Kind<S>> $trait for Integers<S, T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::of($trait::$method(self.0, other.0))
            }
        })*
    };
}
bitwise!(BitAnd bitand, BitOr bitor, BitXor bitxor);

/// Functions that vector instructions have, and those of `functions`.
macro_rules! functions {
    (vectors: $($vector:ident)*; others: $($name:ident $other:ident),*) => {
        $(#[inline(always)]
        fn $vector(self) -> Self {
            Self::of(self.0.$vector())
        })*
        $(#[inline(always)]
        fn $name(self) -> Self {
            self.$other()
        })*
    };
}

impl<S: Hardware, T: Kind<S>> Lane for Wide<S, T> {
    type Mask = T::Mask;
    type U32 = Integers<S, T>;
    type Coordinate = T::Coordinate;
    const REORDERS: bool = true;

    functions! {
        vectors: abs floor ceil round_ties_even trunc;
        others: exp exp_of, ln ln_of, cbrt cbrt_of, sin sin_of, cos cos_of, tan tan_of, asin asin_of,
            acos acos_of, atan atan_of, sinh sinh_of, cosh cosh_of, tanh tanh_of, erf erf_of,
            erfc erfc_of, round round_of
    }

    #[inline(always)]
    fn coordinate(value: f64) -> Self::Coordinate {
        T::coordinate(value)
    }
    #[inline(always)]
    fn select_coordinate(
        mask: T::Mask,
        yes: Self::Coordinate,
        no: Self::Coordinate,
    ) -> Self::Coordinate {
        T::select_coordinate(mask, yes, no)
    }
    #[inline(always)]
    fn difference(a: Self::Coordinate, b: Self::Coordinate) -> Self {
        T::difference(a, b)
    }
    #[inline(always)]
    fn nearest_difference(
        a: Self::Coordinate,
        b: Self::Coordinate,
        length: Self::Coordinate,
        inverse: Self,
    ) -> Self {
        T::nearest_difference(a, b, length, inverse)
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::of(Self::elements(T::Element::from_f64(value)))
    }
    #[inline(always)]
    fn splat_u32(value: u32) -> Self::U32 {
        Integers::splat(value)
    }
    #[inline(always)]
    fn splat_mask(value: bool) -> T::Mask {
        T::Mask::splat(S::here(), value)
    }
    #[inline(always)]
    fn lt(a: Self, b: Self) -> T::Mask {
        a.0.simd_lt(b.0)
    }
    #[inline(always)]
    fn le(a: Self, b: Self) -> T::Mask {
        a.0.simd_le(b.0)
    }
    #[inline(always)]
    fn eq(a: Self, b: Self) -> T::Mask {
        a.0.simd_eq(b.0)
    }
    #[inline(always)]
    fn select(mask: T::Mask, yes: Self, no: Self) -> Self {
        Self::of(mask.select(yes.0, no.0))
    }
    #[inline(always)]
    fn any(mask: T::Mask) -> bool {
        mask.any_true()
    }
    #[inline(always)]
    fn gather(entries: &[Self], index: Self::U32) -> Self {
        let entry = |k: usize| {
            let index = T::Scalar::word_to_u32(index.0[k]) as usize;
            entries.get(index).map_or(T::Element::from_f64(f64::NAN), |entry| entry.0[k])
        };
        Self::of(T::Real::from_fn(S::here(), entry))
    }

    #[inline(always)]
    fn uniform(integers: Self::U32) -> Option<u32> {
        let first = integers.0[0];
        let same = integers.0.simd_eq(T::Integers::splat(S::here(), first)).all_true();
        same.then(|| T::Scalar::word_to_u32(first))
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        Self::of(a.0.mul_add(b.0, self.0))
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        Self::of((-a.0).mul_add(b.0, self.0))
    }
    #[inline(always)]
    fn times_minus(self, a: Self, b: Self) -> Self {
        Self::of(self.0.mul_sub(a.0, b.0))
    }

    #[inline(always)]
    fn lt_u32(a: Self::U32, b: Self::U32) -> T::Mask {
        a.0.simd_lt(b.0)
    }
    #[inline(always)]
    fn le_u32(a: Self::U32, b: Self::U32) -> T::Mask {
        a.0.simd_le(b.0)
    }
    #[inline(always)]
    fn eq_u32(a: Self::U32, b: Self::U32) -> T::Mask {
        a.0.simd_eq(b.0)
    }
    #[inline(always)]
    fn select_u32(mask: T::Mask, yes: Self::U32, no: Self::U32) -> Self::U32 {
        Integers::of(mask.select(yes.0, no.0))
    }
    #[inline(always)]
    fn add_u32(a: Self::U32, b: Self::U32) -> Self::U32 {
        Integers::wrapped(a.0 + b.0)
    }
    #[inline(always)]
    fn sub_u32(a: Self::U32, b: Self::U32) -> Self::U32 {
        Integers::wrapped(a.0 - b.0)
    }
    #[inline(always)]
    fn mul_u32(a: Self::U32, b: Self::U32) -> Self::U32 {
        Integers::wrapped(a.0 * b.0)
    }
    #[inline(always)]
    fn from_u32(a: Self::U32) -> Self {
        Self::of(T::reals(a.0))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::of(self.0.sqrt())
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        if !Self::ESTIMATES {
            return Self::of(Self::splat(1.0).0 / self.0.sqrt());
        }
        let y = Self::of(T::rsqrt(self.0));
        y.refined(Self::splat(1.0).minus_product(self * y, y), 0.5)
    }
    #[inline(always)]
    fn times_rsqrt_powi<const N: i32>(self, x: Self) -> Self {
        // What the series leaves out grows with the power.
        if !Self::ESTIMATES || !(2..=4).contains(&N) {
            return self * x.rsqrt().powi(N);
        }
        let Series { factor, constants } =
            const { Series::new(0.5 * N as f64, T::TERMS, size_of::<T::Element>() == 4) };
        let y = Self::of(T::rsqrt(x.0));
        let square = y * y;
        let series = if T::TERMS == 1 {
            Self::splat(1.0 + constants[0]).minus_product(x, square).number()
        } else {
            let error = Self::splat(1.0).minus_product(x, square).number();
            let mut sum = error + Self::splat(constants[T::TERMS - 1]);
            for term in (0..T::TERMS - 1).rev() {
                sum = Self::splat(constants[term]).plus_product(sum, error);
            }
            sum
        };
        // Not `self * factor`, which may be rounded the same way for all particles.
        self * ((y.powi(N) * series) * Self::splat(factor))
    }
    #[inline(always)]
    fn recip(self) -> Self {
        if !Self::ESTIMATES {
            return Self::of(Self::splat(1.0).0 / self.0);
        }
        let y = Self::of(T::recip(self.0));
        y.refined(Self::splat(1.0).minus_product(self, y), 1.0)
    }
    #[inline(always)]
    fn powf(self, exponent: Self) -> Self {
        self.powf_of(exponent)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        self.atan2_of(x)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::of(self.0.min_precise(other.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::of(self.0.max_precise(other.0))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self::of(self.0.copysign(sign.0))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::of(self.0.mul_add_precise(a.0, b.0))
    }
}

impl<S: Hardware, T: Kind<S>> Lanes for Wide<S, T> {
    type Scalar = T::Scalar;
    const WIDTH: usize = T::Real::LEN;
    const REGISTERS: usize = S::REGISTERS;

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        S::here().vectorize(f)
    }
    #[inline(always)]
    fn load(words: &[Word<Self>]) -> Self {
        Self::of(T::Real::from_slice(S::here(), bytemuck::cast_slice(words)))
    }
    #[inline(always)]
    fn load_u32(words: &[Word<Self>]) -> Self::U32 {
        Integers::of(T::Integers::from_slice(S::here(), words))
    }
    #[inline(always)]
    fn broadcast(word: Word<Self>) -> Self {
        Self::of(Self::elements(T::Element::from_word(word)))
    }
    #[inline(always)]
    fn store(self, words: &mut [Word<Self>]) {
        self.0.store_slice(bytemuck::cast_slice_mut(words));
    }
    #[inline(always)]
    fn store_u32(integers: Self::U32, words: &mut [Word<Self>]) {
        integers.0.store_slice(words);
    }
    #[inline(always)]
    fn count_from(first: u32) -> Self::U32 {
        let integer = |k: usize| T::Scalar::word_from_u32(first.wrapping_add(k as u32));
        Integers::of(T::Integers::from_fn(S::here(), integer))
    }
    #[inline(always)]
    fn reduce(self, kind: FieldKind) -> Word<Self> {
        let element = match kind {
            FieldKind::Min => self.0.reduce_min_precise(),
            FieldKind::Max => self.0.reduce_max_precise(),
            _ => self.0.reduce_sum(),
        };
        element.to_word()
    }
    #[inline(always)]
    fn coordinate_from(next: impl FnMut() -> Self) -> Self::Coordinate {
        T::coordinate_from(next)
    }
}
