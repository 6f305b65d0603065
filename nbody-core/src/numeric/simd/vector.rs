//! Operations of vector registers, of one or a few instructions each, from which
//! [`Lane`] is built.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

use bytemuck::Pod;

use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::LINE;
use crate::numeric::spline::Cubic;

/// A vector register of numbers.
///
/// The registers of a level are private to the crate. They are used only after
/// [`SimdLevel::is_available`](crate::numeric::simd::level::SimdLevel::is_available) has found the
/// instructions of the level, so that their functions are safe.
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

    /// Number of elements.
    const WIDTH: usize = size_of::<Self>() / size_of::<Self::Element>();
    /// Number of vector registers.
    const REGISTERS: usize;
    /// Number of terms of the series that refines estimates to the precision of the element; 0
    /// without estimates.
    const TERMS: usize = 0;
    /// Whether additions take a mask.
    const MASKS: bool = false;

    /// Runs a function, which must be inlined, with the instructions of the level.
    fn vectorize<R>(f: impl FnOnce() -> R) -> R;

    fn splat(value: f64) -> Self;
    fn broadcast(element: Self::Element) -> Self;

    fn lt(a: Self, b: Self) -> Self::Mask;
    fn le(a: Self, b: Self) -> Self::Mask;
    fn eq(a: Self, b: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Computes a b + c with one rounding.
    fn mul_add(a: Self, b: Self, c: Self) -> Self;
    /// Computes a b - c with one rounding.
    fn mul_sub(a: Self, b: Self, c: Self) -> Self;
    /// Computes c - a b with one rounding.
    fn neg_mul_add(a: Self, b: Self, c: Self) -> Self;
    /// Computes a / b, correctly rounded.
    fn divide(a: Self, b: Self) -> Self;
    fn sqrt(x: Self) -> Self;
    fn abs(x: Self) -> Self;
    fn floor(x: Self) -> Self;
    fn ceil(x: Self) -> Self;
    fn trunc(x: Self) -> Self;
    fn round_ties_even(x: Self) -> Self;
    fn copysign(x: Self, sign: Self) -> Self;
    /// Returns the smaller number; if one is NaN, the other.
    fn min(a: Self, b: Self) -> Self;
    /// Returns the larger number; if one is NaN, the other.
    fn max(a: Self, b: Self) -> Self;
    /// Returns the smaller number; `number` if `x` is NaN. Only `x` may be NaN.
    fn min_with_number(x: Self, number: Self) -> Self;
    /// Estimates 1/√x.
    #[inline(always)]
    fn rsqrt_estimate(x: Self) -> Self {
        x
    }
    /// Estimates 1/x.
    #[inline(always)]
    fn recip_estimate(x: Self) -> Self {
        x
    }

    /// Returns the bits of the numbers.
    fn bits(x: Self) -> Self::Integers;
    /// Returns the numbers with these bits.
    fn from_bits(bits: Self::Integers) -> Self;
    /// Converts integers below 2³² to numbers.
    fn from_integers(integers: Self::Integers) -> Self;

    /// Returns for each element the cubic of this index, a whole number; for NaN, negative numbers and
    /// numbers beyond the end, any cubic. There is at least one.
    #[inline(always)]
    fn cubic(cubics: &[Cubic<Self::Element>], index: Self) -> [Self; 4] {
        let mut indices = [Self::Element::default(); LINE];
        write(&mut indices, index);
        let mut found = [[Self::Element::default(); LINE]; 4];
        for k in 0..Self::WIDTH {
            let cubic = cubics
                [(<Self::Element as Lane>::to_u32(indices[k]) as usize).min(cubics.len() - 1)];
            for (found, number) in found.iter_mut().zip(cubic) {
                found[k] = number;
            }
        }
        found.map(|numbers| read(&numbers, 0))
    }

    /// Returns the sum of all elements, added pairwise.
    fn sum(x: Self) -> Self::Element;
    /// Reduces all elements to one by a commutative operation.
    fn fold(x: Self, operation: impl Fn(Self, Self) -> Self) -> Self::Element;
    /// Returns the smallest element that is a number.
    fn smallest(x: Self) -> Self::Element;
    /// Returns the largest element that is a number.
    fn largest(x: Self) -> Self::Element;
}

/// The bytes of an element below 2³², which come first on the processors that have vectors.
const LOW: usize = size_of::<u32>();

/// A vector of unsigned integers, as wide as the numbers of a vector.
///
/// As integers of a lane they have 32 bits, whatever their width.
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
    /// The number of elements.
    const WIDTH: usize;

    fn splat(value: u32) -> Self;
    /// Returns the first element, below 2³².
    fn first(x: Self) -> u32;
    /// Reduces modulo 2³².
    #[inline(always)]
    fn wrapped(x: Self) -> Self {
        x
    }
    /// Multiplies integers below 2³²; the product is correct modulo 2³².
    fn product(a: Self, b: Self) -> Self;
    /// Multiplies integers below 2³², and returns the upper 32 of the 64 bits.
    fn high(a: Self, b: Self) -> Self;
    fn shl(x: Self, bits: u32) -> Self;
    fn shr(x: Self, bits: u32) -> Self;
    /// Shifts each element by its own number of bits, below 32.
    fn shl_each(x: Self, bits: Self) -> Self;
    fn shr_each(x: Self, bits: Self) -> Self;
    /// Calls a function with each element of both, for want of an instruction.
    #[inline(always)]
    fn each(mut a: Self, b: Self, function: impl Fn(u32, u32) -> u32) -> Self {
        let (of_a, of_b) = (bytemuck::bytes_of_mut(&mut a), bytemuck::bytes_of(&b));
        let width = const { size_of::<Self>() / Self::WIDTH };
        for (a, b) in of_a.chunks_exact_mut(width).zip(of_b.chunks_exact(width)) {
            let read = |bytes: &[u8]| bytemuck::pod_read_unaligned::<u32>(&bytes[..LOW]);
            let result = function(read(a), read(b));
            a[..LOW].copy_from_slice(&result.to_ne_bytes());
        }
        a
    }
    /// Compares integers below 2³²: a < b.
    fn lt(a: Self, b: Self) -> Self::Mask;
    /// Compares integers below 2³²: a ≤ b.
    fn le(a: Self, b: Self) -> Self::Mask;
    fn eq(a: Self, b: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// A truth value for each element.
pub trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    fn splat(value: bool) -> Self;
    /// Returns whether any element is true.
    fn any(self) -> bool;
    /// Returns whether all elements are true.
    fn all(self) -> bool;
}

/// Reads the vector that contains the element `at`, from an array of consecutive vectors.
#[inline(always)]
pub fn read<E: Pod, V: Pod>(elements: &[E; LINE], at: usize) -> V {
    let width = const {
        assert!(size_of::<V>() <= size_of::<[E; LINE]>());
        assert!(size_of::<V>().is_multiple_of(size_of::<E>()));
        size_of::<V>() / size_of::<E>()
    };
    let first = at / width * width;
    assert!(first <= LINE - width);
    // SAFETY: the assertions say that the elements exist, and all bit patterns are valid vectors.
    unsafe { elements.as_ptr().add(first).cast::<V>().read_unaligned() }
}

/// Writes a vector to the first elements.
#[inline(always)]
pub fn write<E: Pod, V: Pod>(elements: &mut [E; LINE], vector: V) {
    const { assert!(size_of::<V>() <= size_of::<[E; LINE]>()) };
    // SAFETY: the assertion says that the elements exist, and all bit patterns are valid elements.
    unsafe { elements.as_mut_ptr().cast::<V>().write_unaligned(vector) }
}

/// Defines the type of a register, with the operators that are single instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    ($name:ident($register:ident): $($trait:ident $method:ident $instruction:ident),*) => {
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(pub(crate) $register);

        // SAFETY: all bit patterns are valid, the elements leave no padding, and there is no
        // pointer.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $name {}

        impl Default for $name {
            #[inline(always)]
            fn default() -> Self {
                // SAFETY: all bit patterns are valid.
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
pub(crate) use register;

/// Defines functions with instructions of a level.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($(fn $name:ident($($x:ident: $type:ty),*) -> $result:ty { $($body:tt)* })*) => {
        $(#[inline(always)]
        fn $name($($x: $type),*) -> $result {
            // SAFETY: the registers of a level are used only after `is_available` has found its
            // instructions: see `Vector`.
            unsafe { $($body)* }
        })*
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use instructions;

/// Defines the CPU features of a level: their detection, and a function compiled with them.
#[cfg(target_arch = "x86_64")]
macro_rules! level {
    ($vectorize:ident: $($feature:tt)*) => {
        /// Returns whether the CPU has the instructions of this level.
        pub fn is_available() -> bool {
            $(std::arch::is_x86_feature_detected!($feature))&&*
        }

        /// Runs a function, which must be inlined, with the instructions of this level.
        $(#[target_feature(enable = $feature)])*
        #[inline]
        fn $vectorize<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use level;

/// Defines the extremes of all elements. They are not inlined, since they are only used after
/// loops.
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
pub(crate) use extremes;

/// Implements division, equality and assignment by the other operators.
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
                    self * crate::numeric::lane::Lane::recip(other)
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
pub(crate) use operators;
