//! What every vector register offers: the operations that [`Lane`](crate::Lane) is made of, each an
//! instruction or a few.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

use bytemuck::Pod;

use super::lanes::LINE;
use crate::Scalar;

/// A vector register of numbers.
///
/// The registers of a level are private to the crate, and are named only where
/// [`SimdLevel::is_available`](crate::SimdLevel::is_available) has found its instructions, so that
/// their functions need no proof of it.
pub trait Vector:
    Pod
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
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
    type Element: Scalar;
    type Mask: Mask;
    type Integers: Integers<Mask = Self::Mask>;

    /// How many elements it has.
    const WIDTH: usize = size_of::<Self>() / size_of::<Self::Element>();
    /// How many vectors the registers hold.
    const REGISTERS: usize;
    /// How many terms of a series refine the estimates to the precision of their type; 0 where
    /// there are no estimates.
    const TERMS: usize = 0;
    /// Whether a sum takes a mask.
    const MASKS: bool = false;

    /// Runs a function, all of which is inlined, with the instructions of the level.
    fn vectorize<R>(f: impl FnOnce() -> R) -> R;

    fn splat(value: f64) -> Self;
    fn broadcast(element: Self::Element) -> Self;

    fn lt(a: Self, b: Self) -> Self::Mask;
    fn le(a: Self, b: Self) -> Self::Mask;
    fn eq(a: Self, b: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// a b + c, with one rounding.
    fn mul_add(a: Self, b: Self, c: Self) -> Self;
    /// a b - c, with one rounding.
    fn mul_sub(a: Self, b: Self, c: Self) -> Self;
    /// c - a b, with one rounding.
    fn neg_mul_add(a: Self, b: Self, c: Self) -> Self;
    /// a / b, rounded as in IEEE arithmetic.
    fn divide(a: Self, b: Self) -> Self;
    fn sqrt(x: Self) -> Self;
    fn abs(x: Self) -> Self;
    fn floor(x: Self) -> Self;
    fn ceil(x: Self) -> Self;
    fn trunc(x: Self) -> Self;
    fn round_ties_even(x: Self) -> Self;
    fn copysign(x: Self, sign: Self) -> Self;
    /// The smaller; of a number and NaN, the number.
    fn min(a: Self, b: Self) -> Self;
    /// The larger; of a number and NaN, the number.
    fn max(a: Self, b: Self) -> Self;
    /// The smaller; of what is not a number and a number, the number.
    fn min_with_number(x: Self, number: Self) -> Self;
    /// About 1/√x.
    #[inline(always)]
    fn rsqrt_estimate(x: Self) -> Self {
        x
    }
    /// About 1/x.
    #[inline(always)]
    fn recip_estimate(x: Self) -> Self {
        x
    }

    /// The bits of the numbers.
    fn bits(x: Self) -> Self::Integers;
    /// The numbers of these bits.
    fn from_bits(bits: Self::Integers) -> Self;
    /// Integers below 2³² as numbers.
    fn from_integers(integers: Self::Integers) -> Self;

    /// The sum of all elements, in pairs.
    fn sum(x: Self) -> Self::Element;
    /// All elements in one, by an operation on two in which their order does not matter.
    fn fold(x: Self, of_two: impl Fn(Self, Self) -> Self) -> Self::Element;
    /// The smallest element that is a number.
    fn smallest(x: Self) -> Self::Element;
    /// The largest element that is a number.
    fn largest(x: Self) -> Self::Element;
}

/// The unsigned integers beside the numbers of a vector, of the same width.
///
/// As elements of a lane they have 32 bits, whatever their width.
pub trait Integers:
    Pod
    + Debug
    + Default
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    type Mask;

    fn splat(value: u32) -> Self;
    /// The first of them, below 2³².
    fn first(x: Self) -> u32;
    /// Modulo 2³².
    #[inline(always)]
    fn wrapped(x: Self) -> Self {
        x
    }
    /// The product of integers below 2³², whose last 32 bits are right.
    fn product(a: Self, b: Self) -> Self;
    fn shl(x: Self, bits: u32) -> Self;
    fn shr(x: Self, bits: u32) -> Self;
    /// Whether a < b, of integers below 2³².
    fn lt(a: Self, b: Self) -> Self::Mask;
    /// Whether a ≤ b, of integers below 2³².
    fn le(a: Self, b: Self) -> Self::Mask;
    fn eq(a: Self, b: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// A truth value for each element.
pub trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    fn splat(value: bool) -> Self;
    /// Whether one is true.
    fn any(self) -> bool;
    /// Whether all are true.
    fn all(self) -> bool;
}

/// The vector that holds the element at `at`, of those that these elements make in order.
#[inline(always)]
pub fn read<E: Pod, V: Pod>(elements: &[E; LINE], at: usize) -> V {
    let width = const {
        assert!(size_of::<V>() <= size_of::<[E; LINE]>());
        assert!(size_of::<V>().is_multiple_of(size_of::<E>()));
        size_of::<V>() / size_of::<E>()
    };
    let first = at / width * width;
    assert!(first <= LINE - width);
    // SAFETY: so many elements are there, and any bits are a vector.
    unsafe { elements.as_ptr().add(first).cast::<V>().read_unaligned() }
}

/// Writes a vector to the first of these elements.
#[inline(always)]
pub fn write<E: Pod, V: Pod>(elements: &mut [E; LINE], vector: V) {
    const { assert!(size_of::<V>() <= size_of::<[E; LINE]>()) };
    // SAFETY: so many elements are there, and any bits are elements.
    unsafe { elements.as_mut_ptr().cast::<V>().write_unaligned(vector) }
}

/// A type that is a register, with the operators that are an instruction.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    ($name:ident($register:ident): $($trait:ident $method:ident $instruction:ident),*) => {
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(pub(super) $register);

        // SAFETY: any bits are a register, all of them are of the elements, and it holds no
        // pointer.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $name {}

        impl Default for $name {
            #[inline(always)]
            fn default() -> Self {
                // SAFETY: any bits are a register.
                const { unsafe { std::mem::zeroed() } }
            }
        }

        $(impl std::ops::$trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see `instructions!`.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        })*
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use register;

/// Functions that are instructions of a level.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($(fn $name:ident($($x:ident: $type:ty),*) -> $result:ty { $($body:tt)* })*) => {
        $(#[inline(always)]
        fn $name($($x: $type),*) -> $result {
            // SAFETY: the registers of a level are named only where `is_available` has found that
            // the processor has its instructions: see `Vector`.
            unsafe { $($body)* }
        })*
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use instructions;

/// What the processor must have for a level, and a function with these instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! level {
    ($vectorize:ident: $($feature:tt)*) => {
        /// Whether the processor has the instructions of this level.
        pub fn is_available() -> bool {
            $(std::arch::is_x86_feature_detected!($feature))&&*
        }

        /// Runs a function, all of which is inlined, with the instructions of this level.
        $(#[target_feature(enable = $feature)])*
        #[inline]
        fn $vectorize<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use level;

/// Functions of all elements. They are needed at the ends of loops if at all, and compiled once.
macro_rules! extremes {
    ($element:ty) => {
        #[inline(never)]
        fn smallest(x: Self) -> $element {
            Self::vectorize(
                #[inline(always)]
                || Self::fold(x, <Self as Vector>::min),
            )
        }
        #[inline(never)]
        fn largest(x: Self) -> $element {
            Self::vectorize(
                #[inline(always)]
                || Self::fold(x, <Self as Vector>::max),
            )
        }
    };
}
pub(super) use extremes;

/// The operators of numbers that follow from others.
macro_rules! operators {
    (@assign $name:ty: $($assign:ident $method:ident $operator:tt),*) => {
        $(impl std::ops::$assign for $name {
            #[inline(always)]
            fn $method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        })*
    };
    ($($name:ty),*) => {
        $(operators!(@assign $name:
            AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign /);

        impl std::ops::Div for $name {
            type Output = Self;
            #[allow(clippy::suspicious_arithmetic_impl)]
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if const { Self::TERMS > 0 } {
                    self * crate::Lane::recip(other)
                } else {
                    Vector::divide(self, other)
                }
            }
        }

        impl PartialEq for $name {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool {
                Mask::all(Vector::eq(*self, *other))
            }
        })*
    };
}
pub(super) use operators;
