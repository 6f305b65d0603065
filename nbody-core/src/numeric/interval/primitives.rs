//! Operations that differ between Rust and C; `interval.cuh` has their counterparts.

use crate::numeric::interval::values::{Integers, Interval, Truth};

/// The greatest integer.
pub const MOST: u32 = u32::MAX;

/// Returns the bounds of a number.
pub fn interval(lo: f64, hi: f64, may_be_nan: bool) -> Interval {
    Interval { lo, hi, may_be_nan }
}

/// Returns the bounds of an integer.
pub fn integers(lo: u32, hi: u32) -> Integers {
    Integers { lo, hi }
}

/// Returns the outcome of a condition.
pub fn truth(may_hold: bool, may_fail: bool) -> Truth {
    Truth { may_hold, may_fail }
}

/// Returns `yes` if the condition holds, else `no`.
pub fn choose<T>(condition: bool, yes: T, no: T) -> T {
    if condition { yes } else { no }
}

/// Returns an infinite number.
pub fn infinite() -> f64 {
    f64::INFINITY
}

/// Tests for NaN.
pub fn is_nan(x: f64) -> bool {
    x.is_nan()
}

/// Returns the number rounded to `f32`.
pub fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Converts a number to the nearest 32-bit integer towards 0; NaN to 0.
#[allow(clippy::cast_sign_loss, reason = "a cast takes the nearest integer")]
pub fn saturated(x: f64) -> u32 {
    x as u32
}

/// Returns the integer as a number.
pub fn number_of(n: u32) -> f64 {
    n.into()
}

/// Returns an integer of 64 bits.
pub fn wide(n: u32) -> u64 {
    n.into()
}

/// Returns a sum modulo 2³².
pub fn sum_of(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// Returns a difference modulo 2³².
pub fn difference_of(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b)
}

/// Returns a product modulo 2³².
pub fn product_of(a: u32, b: u32) -> u32 {
    a.wrapping_mul(b)
}

/// Returns a quotient; the greatest integer for a division by 0.
pub fn quotient_of(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(MOST)
}

/// Returns a remainder; the dividend for a division by 0.
pub fn remainder_of(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(a)
}

/// Returns the number of leading zeros of an integer other than 0.
pub fn leading_zeros(n: u32) -> u32 {
    n.leading_zeros()
}

/// Returns the number of bits that are set.
pub fn ones_of(n: u32) -> u32 {
    n.count_ones()
}

/// Returns the upper half of a product.
pub fn high_of(a: u32, b: u32) -> u32 {
    ((wide(a) * wide(b)) >> u32::BITS) as u32
}

/// The bits of the fraction of an `f64`, and the exponent field of 1.
const FRACTION: u32 = 52;
const BIAS: i64 = 1023;

/// Returns 2 to the power of a whole number; the result is a normal number.
#[allow(clippy::cast_sign_loss, reason = "the exponents of normal numbers")]
pub fn power_of_two(exponent: f64) -> f64 {
    f64::from_bits(((exponent as i64 + BIAS) as u64) << FRACTION)
}

/// Returns the exponent of a normal number.
pub fn exponent_of(x: f64) -> f64 {
    ((x.to_bits() >> FRACTION).cast_signed() - BIAS) as f64
}

/// Returns the mantissa of a normal number, from 1 to 2.
pub fn mantissa_of(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & ((1 << FRACTION) - 1) | 1.0_f64.to_bits())
}

macro_rules! methods {
    ($($name:ident $method:ident($($argument:ident),*);)*) => {
        $(
            /// Calls the function of this name.
            pub fn $name(x: f64 $(, $argument: f64)*) -> f64 {
                x.$method($($argument),*)
            }
        )*
    };
}
methods! {
    fabs abs();
    fmin min(y);
    fmax max(y);
    sqrt_of sqrt();
    floor_of floor();
    ceil_of ceil();
    round_of round();
    rint_of round_ties_even();
    trunc_of trunc();
    copysign_of copysign(y);
}
