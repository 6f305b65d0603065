//! Functions of numbers in IEEE arithmetic alone, so that bounds are the same numbers wherever they are
//! computed (`interval.cuh`). Their errors are far smaller than those that bounds are widened by.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// The bits of the fraction of a number, and the exponent of 1.
const FRACTION: u32 = 52;
const BIAS: i64 = 1023;

/// Returns eˣ.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small integer")]
pub fn exp(x: f64) -> f64 {
    // The upper bits of ln 2, whose products with small integers are exact, and the others.
    const HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xffff_ffff);
    const LOW: f64 = 4.749_325_039_031_672_6e-7;
    // Powers of 2 whose exponents are those of normal numbers.
    const MOST: f64 = 709.0;
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    // More than any `f32`, but not infinite.
    let x = x.min(MOST);
    if x < 1.0 - MOST {
        // Less than any `f32`, but not 0.
        return if x == f64::NEG_INFINITY { 0.0 } else { f64::MIN_POSITIVE };
    }
    let power = (x * LOG2_E).round_ties_even();
    let rest = (x - power * HIGH) - power * LOW;
    let mut sum = 1.0;
    for n in (1..14).rev() {
        sum = 1.0 + sum * rest / f64::from(n);
    }
    sum * f64::from_bits(((power as i64 + BIAS) as u64) << FRACTION)
}

/// Returns the natural logarithm of a number that is not negative.
pub fn ln(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    let fraction = x.to_bits() & ((1 << FRACTION) - 1);
    let mut power = (x.to_bits() >> FRACTION).cast_signed() - BIAS;
    let mut mantissa = f64::from_bits(fraction | 1.0_f64.to_bits());
    if mantissa > SQRT_2 {
        mantissa *= 0.5;
        power += 1;
    }
    // ln m = 2 artanh s.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let mut sum = 0.0;
    for n in (0..12).rev() {
        sum = 1.0 / f64::from(2 * n + 1) + s * s * sum;
    }
    power as f64 * LN_2 + 2.0 * s * sum
}

/// Returns a power of a number that is not negative.
pub fn powf(x: f64, exponent: f64) -> f64 {
    if exponent == 0.0 { 1.0 } else { exp(exponent * ln(x)) }
}

/// Returns the cube root.
pub fn cbrt(x: f64) -> f64 {
    exp(ln(x.abs()) / 3.0).copysign(x)
}

/// Numbers whose hyperbolic functions are the first terms of their series.
const SMALL: f64 = 1.0 / 4096.0;

/// Returns the hyperbolic sine.
pub fn sinh(x: f64) -> f64 {
    if x.abs() < SMALL { x + x * x * x / 6.0 } else { (exp(x) - exp(-x)) * 0.5 }
}

/// Returns the hyperbolic cosine.
pub fn cosh(x: f64) -> f64 {
    (exp(x) + exp(-x)) * 0.5
}

/// Returns the hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    if x.abs() < SMALL { x - x * x * x / 3.0 } else { 1.0 - 2.0 / (exp(2.0 * x) + 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_the_standard_library() {
        let near = |found: f64, exact: f64, what: (&str, f64)| {
            let is_near = found == exact || (found - exact).abs() <= 1e-11 * exact.abs();
            assert!(is_near, "{what:?}: {found} {exact}");
        };
        for k in -3000..=3000 {
            let x = f64::from(k) * 0.0301 + if k % 2 == 0 { 1e-9 } else { 0.0 };
            near(exp(x), x.exp(), ("exp", x));
            near(cbrt(x), x.cbrt(), ("cbrt", x));
            near(sinh(x), x.sinh(), ("sinh", x));
            near(cosh(x), x.cosh(), ("cosh", x));
            near(tanh(x), x.tanh(), ("tanh", x));
            let (large, factor) = ((7.7 * x).exp(), 1.0 + x * 1e-8);
            near(ln(large), large.ln(), ("ln", large));
            near(ln(factor), factor.ln(), ("ln", factor));
            near(powf(large, 0.37), large.powf(0.37), ("powf", large));
        }
        let infinite = f64::INFINITY;
        assert_eq!([exp(infinite), exp(-infinite), ln(infinite)], [infinite, 0.0, infinite]);
        assert_eq!([ln(0.0), cbrt(0.0), tanh(-infinite)], [-infinite, 0.0, -1.0]);
        assert_eq!([powf(0.0, 0.0), powf(0.0, 2.0), powf(2.0, infinite)], [1.0, 0.0, infinite]);
        assert_eq!([sinh(-infinite), cosh(-infinite)], [-infinite, infinite]);
    }
}
