//! Vector registers as [`Lane`]s in exact mathematics: the operations that are the same on every engine
//! have the bits of scalars.
#![allow(unsafe_code)]

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::TransparentWrapper;

use crate::field::FieldKind;
use crate::numeric::lane::Lane;
use crate::numeric::scalar::own_coordinates;
use crate::numeric::simd::lanes::{Lanes, Line};
use crate::numeric::simd::vector::Vector;
use crate::numeric::spline::Cubic;

/// A register whose products are rounded before they are added, and whose quotients and roots are
/// correctly rounded. Functions that are no instruction are polynomials, as in fast mathematics.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Exact<V>(V);

// SAFETY: the struct is transparent, and every register is valid.
unsafe impl<V> TransparentWrapper<V> for Exact<V> {}

/// Implements operators by instructions.
macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assigned:ident: $operation:expr;)*) => {
        $(impl<V: Vector<Element = f64>> $trait for Exact<V> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self($operation(self.0, other.0))
            }
        }

        impl<V: Vector<Element = f64>> $assign for Exact<V> {
            #[inline(always)]
            fn $assigned(&mut self, other: Self) {
                *self = self.$method(other);
            }
        })*
    };
}
operators! {
    Add add AddAssign add_assign: Add::add;
    Sub sub SubAssign sub_assign: Sub::sub;
    Mul mul MulAssign mul_assign: Mul::mul;
    Div div DivAssign div_assign: V::divide;
}

impl<V: Vector<Element = f64>> Neg for Exact<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// Implements functions of numbers, comparisons, and functions of integers.
macro_rules! functions {
    (
        unary: $($unary:ident)*; binary: $($binary:ident)*; comparisons: $($comparison:ident)*;
        integers: $($of_integers:ident($($a:ident: $of:ident)*) $out:ident;)*
    ) => {
        $(#[inline(always)]
        fn $unary(self) -> Self {
            Self(Lane::$unary(self.0))
        })*
        $(#[inline(always)]
        fn $binary(self, other: Self) -> Self {
            Self(Lane::$binary(self.0, other.0))
        })*
        $(#[inline(always)]
        fn $comparison(a: Self, b: Self) -> V::Mask {
            Lane::$comparison(a.0, b.0)
        })*
        $(#[inline(always)]
        fn $of_integers($($a: V::$of),*) -> V::$out {
            <V as Lane>::$of_integers($($a),*)
        })*
    };
}

impl<V: Vector<Element = f64>> Lane for Exact<V> {
    const ROUNDOFF: f64 = <f64 as Lane>::ROUNDOFF;
    type Mask = V::Mask;
    type U32 = V::Integers;
    type Element = f64;

    own_coordinates!();

    functions! {
        unary: sqrt abs floor ceil round trunc round_ties_even cbrt exp ln sin cos tan asin acos
            atan sinh cosh tanh erf erfc;
        binary: copysign min max powf atan2;
        comparisons: lt le eq;
        integers:
            lt_u32(a: Integers b: Integers) Mask;
            le_u32(a: Integers b: Integers) Mask;
            eq_u32(a: Integers b: Integers) Mask;
            select_u32(mask: Mask yes: Integers no: Integers) Integers;
            add_u32(a: Integers b: Integers) Integers;
            sub_u32(a: Integers b: Integers) Integers;
            mul_u32(a: Integers b: Integers) Integers;
            div_u32(a: Integers b: Integers) Integers;
            rem_u32(a: Integers b: Integers) Integers;
            shl_u32(a: Integers b: Integers) Integers;
            shr_u32(a: Integers b: Integers) Integers;
            ones_u32(a: Integers) Integers;
            high_u32(a: Integers b: Integers) Integers;
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(Vector::splat(value))
    }
    #[inline(always)]
    fn splat_u32(value: u32) -> V::Integers {
        V::splat_u32(value)
    }
    #[inline(always)]
    fn splat_mask(value: bool) -> V::Mask {
        V::splat_mask(value)
    }
    #[inline(always)]
    fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Self(Vector::select(mask, yes.0, no.0))
    }
    #[inline(always)]
    fn any(mask: V::Mask) -> bool {
        V::any(mask)
    }
    #[inline(always)]
    fn of_element(number: f64) -> Self {
        Self(V::of_element(number))
    }
    #[inline(always)]
    fn to_element(self) -> f64 {
        self.0.to_element()
    }
    #[inline(always)]
    fn cubic(cubics: &[Cubic<f64>], index: Self) -> [Self; 4] {
        Lane::cubic(cubics, index.0).map(Self)
    }
    #[inline(always)]
    fn gather(entries: &[Self], index: V::Integers) -> Self {
        Self(Lane::gather(Self::peel_slice(entries), index))
    }
    #[inline(always)]
    fn scatter(sums: &mut [Self], index: V::Integers, term: Self) {
        Lane::scatter(Self::peel_slice_mut(sums), index, term.0);
    }
    #[inline(always)]
    fn scatter_u32(counts: &mut [V::Integers], index: V::Integers, term: V::Integers) {
        V::scatter_u32(counts, index, term);
    }
    #[inline(always)]
    fn from_u32(a: V::Integers) -> Self {
        Self(V::from_u32(a))
    }
    #[inline(always)]
    fn to_u32(a: Self) -> V::Integers {
        V::to_u32(a.0)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self(Vector::mul_add(self.0, a.0, b.0))
    }
}

impl<V: Vector<Element = f64>> Lanes for Exact<V> {
    type Scalar = f64;
    const WIDTH: usize = V::WIDTH;
    const REGISTERS: usize = V::REGISTERS;

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        <V as Vector>::vectorize(f)
    }
    #[inline(always)]
    fn load(line: &Line<u64>, at: usize) -> Self {
        Self(V::load(line, at))
    }
    #[inline(always)]
    fn load_u32(line: &Line<u64>, at: usize) -> V::Integers {
        V::load_u32(line, at)
    }
    #[inline(always)]
    fn broadcast(word: u64) -> Self {
        Self(Lanes::broadcast(word))
    }
    #[inline(always)]
    fn store(self, line: &mut Line<u64>) {
        self.0.store(line);
    }
    #[inline(always)]
    fn store_u32(integers: V::Integers, line: &mut Line<u64>) {
        V::store_u32(integers, line);
    }
    #[inline(always)]
    fn count_from(first: u32) -> V::Integers {
        V::count_from(first)
    }
    #[inline(always)]
    fn reduce(self, kind: FieldKind) -> u64 {
        self.0.reduce(kind)
    }
    #[inline(always)]
    fn coordinate_from(mut next: impl FnMut() -> Self) -> Self {
        next()
    }
}
