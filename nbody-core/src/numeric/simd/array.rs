//! Arrays of 128 bits, which the compiler maps to vector registers on processors with NEON.

use std::fmt::Debug;
use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Sub};

use bytemuck::{Pod, Zeroable};

use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::vector::{Integers, Mask, Vector, extremes, operators};

/// An array of numbers, integers or truth values.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Array<E, const N: usize>([E; N]);

impl<E: Copy, const N: usize> Array<E, N> {
    #[inline(always)]
    fn map<R>(self, function: impl Fn(E) -> R) -> Array<R, N> {
        Array(self.0.map(function))
    }

    #[inline(always)]
    fn zip<F: Copy, R>(self, other: Array<F, N>, function: impl Fn(E, F) -> R) -> Array<R, N> {
        Array(std::array::from_fn(|k| function(self.0[k], other.0[k])))
    }
}

impl<const N: usize> Array<bool, N> {
    #[inline(always)]
    fn select<E: Copy>(self, yes: Array<E, N>, no: Array<E, N>) -> Array<E, N> {
        Array(std::array::from_fn(|k| if self.0[k] { yes.0[k] } else { no.0[k] }))
    }
}

/// Implements operators element by element.
macro_rules! elementwise {
    ($($trait:ident $method:ident),*) => {
        $(impl<E: Copy + $trait<Output = E>, const N: usize> $trait for Array<E, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, $trait::$method)
            }
        })*
    };
}
elementwise!(Add add, Sub sub, Mul mul, BitAnd bitand, BitOr bitor, BitXor bitxor);

impl<E: Copy + Neg<Output = E>, const N: usize> Neg for Array<E, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(Neg::neg)
    }
}

impl<const N: usize> Not for Array<bool, N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map(Not::not)
    }
}

impl<E: Default + Copy, const N: usize> Default for Array<E, N> {
    #[inline(always)]
    fn default() -> Self {
        Self([E::default(); N])
    }
}

impl<const N: usize> Mask for Array<bool, N> {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        Self([value; N])
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.into_iter().fold(false, BitOr::bitor)
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0.into_iter().fold(true, BitAnd::bitand)
    }
}

macro_rules! integers {
    ($($word:ident $n:literal),*) => {
        $(impl Integers for Array<Wrapping<$word>, $n> {
            type Mask = Array<bool, $n>;
            const WIDTH: usize = $n;

            #[inline(always)]
            fn splat(value: u32) -> Self {
                Self([Wrapping(value.into()); $n])
            }
            #[inline(always)]
            fn first(x: Self) -> u32 {
                x.0[0].0 as u32
            }
            #[inline(always)]
            fn wrapped(x: Self) -> Self {
                x & Self::splat(u32::MAX)
            }
            #[inline(always)]
            fn product(a: Self, b: Self) -> Self {
                a * b
            }
            #[inline(always)]
            fn high(a: Self, b: Self) -> Self {
                let wide = |x: Wrapping<$word>| u64::from(x.0);
                a.zip(b, |a, b| Wrapping(((wide(a) * wide(b)) >> u32::BITS) as $word))
            }
            #[inline(always)]
            fn shl(x: Self, bits: u32) -> Self {
                x.map(|x| x << bits as usize)
            }
            #[inline(always)]
            fn shr(x: Self, bits: u32) -> Self {
                x.map(|x| x >> bits as usize)
            }
            #[inline(always)]
            fn shl_each(x: Self, bits: Self) -> Self {
                x.zip(bits, |x, bits| x << bits.0 as usize)
            }
            #[inline(always)]
            fn shr_each(x: Self, bits: Self) -> Self {
                x.zip(bits, |x, bits| x >> bits.0 as usize)
            }
            #[inline(always)]
            fn lt(a: Self, b: Self) -> Self::Mask {
                a.zip(b, |a, b| a < b)
            }
            #[inline(always)]
            fn le(a: Self, b: Self) -> Self::Mask {
                a.zip(b, |a, b| a <= b)
            }
            #[inline(always)]
            fn eq(a: Self, b: Self) -> Self::Mask {
                a.zip(b, |a, b| a == b)
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
        })*
    };
}
integers!(u32 4, u64 2);

// SAFETY: all bit patterns are valid for numbers and integers, and arrays have no padding.
#[allow(unsafe_code)]
unsafe impl<E: Zeroable, const N: usize> Zeroable for Array<E, N> {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl<E: Pod, const N: usize> Pod for Array<E, N> {}

/// Implements functions element by element.
macro_rules! functions {
    (unary: $($unary:ident)*; binary: $($binary:ident)*; comparisons: $($comparison:ident)*) => {
        $(#[inline(always)]
        fn $unary(x: Self) -> Self {
            x.map(Lane::$unary)
        })*
        $(#[inline(always)]
        fn $binary(a: Self, b: Self) -> Self {
            a.zip(b, Lane::$binary)
        })*
        $(#[inline(always)]
        fn $comparison(a: Self, b: Self) -> Self::Mask {
            a.zip(b, <Self::Element as Lane>::$comparison)
        })*
    };
}

macro_rules! numbers {
    ($($scalar:ident $word:ident $n:literal),*) => {
        $(impl Vector for Array<$scalar, $n> {
            type Element = $scalar;
            type Mask = Array<bool, $n>;
            type Integers = Array<Wrapping<$word>, $n>;
            const REGISTERS: usize = 32;

            functions! {
                unary: sqrt abs floor ceil trunc round_ties_even;
                binary: copysign min max;
                comparisons: lt le eq
            }
            extremes!($scalar);

            #[inline(always)]
            fn vectorize<R>(f: impl FnOnce() -> R) -> R {
                f()
            }
            #[inline(always)]
            fn splat(value: f64) -> Self {
                Self([$scalar::from_f64(value); $n])
            }
            #[inline(always)]
            fn broadcast(element: $scalar) -> Self {
                Self([element; $n])
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                mask.select(yes, no)
            }
            #[inline(always)]
            fn mul_add(a: Self, b: Self, c: Self) -> Self {
                Self(std::array::from_fn(|k| Lane::mul_add(a.0[k], b.0[k], c.0[k])))
            }
            #[inline(always)]
            fn mul_sub(a: Self, b: Self, c: Self) -> Self {
                Vector::mul_add(a, b, -c)
            }
            #[inline(always)]
            fn neg_mul_add(a: Self, b: Self, c: Self) -> Self {
                Vector::mul_add(-a, b, c)
            }
            #[inline(always)]
            fn divide(a: Self, b: Self) -> Self {
                a.zip(b, std::ops::Div::div)
            }
            #[inline(always)]
            fn min_with_number(x: Self, number: Self) -> Self {
                Vector::min(x, number)
            }
            #[inline(always)]
            fn bits(x: Self) -> Self::Integers {
                x.map(|x| Wrapping(x.to_word()))
            }
            #[inline(always)]
            fn from_bits(bits: Self::Integers) -> Self {
                bits.map(|bits| $scalar::from_word(bits.0))
            }
            #[inline(always)]
            fn from_integers(integers: Self::Integers) -> Self {
                integers.map(|integer| $scalar::from_u32(integer.0 as u32))
            }
            #[inline(always)]
            fn sum(x: Self) -> $scalar {
                Self::fold(x, Add::add)
            }
            #[inline(always)]
            fn fold(mut x: Self, operation: impl Fn(Self, Self) -> Self) -> $scalar {
                let mut distance = 1;
                while distance < $n {
                    x = operation(x, Array(std::array::from_fn(|k| x.0[k ^ distance])));
                    distance *= 2;
                }
                x.0[0]
            }
        }
        operators!(Array<$scalar, $n>);)*
    };
}
numbers!(f32 u32 4, f64 u64 2);
