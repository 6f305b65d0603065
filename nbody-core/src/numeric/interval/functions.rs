//! Functions in IEEE arithmetic alone, so that bounds are the same numbers on every engine. Their
//! errors are far below the widening of bounds.

use crate::numeric::interval::constants::{
    GREATEST, LN_2, LN_2_HIGH, LN_2_LOW, LOG2_E, SMALL, SMALLEST, SQRT_2,
};
use crate::numeric::interval::primitives::{
    choose, copysign_of, exponent_of, fabs, fmin, infinite, is_nan, mantissa_of, number_of,
    power_of_two, rint_of,
};
use crate::numeric::shared::shared;

shared! {
    /// Returns eˣ.
    fn exp_of(x: f64) -> f64 {
        if (is_nan(x) || x == infinite()) return x;
        let limited = fmin(x, GREATEST);
        if (limited < 1.0 - GREATEST) return choose(limited == -infinite(), 0.0, SMALLEST);
        let power = rint_of(limited * LOG2_E);
        let rest = (limited - power * LN_2_HIGH) - power * LN_2_LOW;
        fold sum = 1.0, n from 13 to 1 => 1.0 + sum * rest / number_of(n);
        sum * power_of_two(power)
    }

    /// Returns the natural logarithm of a number that is not negative: ln m = 2 artanh s.
    fn ln_of(x: f64) -> f64 {
        if (x < SMALLEST) return -infinite();
        if (x == infinite()) return x;
        let is_large = mantissa_of(x) > SQRT_2;
        let m = choose(is_large, mantissa_of(x) * 0.5, mantissa_of(x));
        let power = choose(is_large, exponent_of(x) + 1.0, exponent_of(x));
        let s = (m - 1.0) / (m + 1.0);
        fold sum = 0.0, n from 11 to 0 => 1.0 / number_of(2 * n + 1) + s * s * sum;
        power * LN_2 + 2.0 * s * sum
    }

    /// Returns a power of a number that is not negative.
    fn powf_of(x: f64, exponent: f64) -> f64 {
        if (exponent == 0.0) return 1.0;
        exp_of(exponent * ln_of(x))
    }

    /// Returns the cube root.
    fn cbrt_of(x: f64) -> f64 {
        copysign_of(exp_of(ln_of(fabs(x)) / 3.0), x)
    }

    /// Returns the hyperbolic sine.
    fn sinh_of(x: f64) -> f64 {
        if (fabs(x) < SMALL) return x + x * x * x / 6.0;
        (exp_of(x) - exp_of(-x)) * 0.5
    }

    /// Returns the hyperbolic cosine.
    fn cosh_of(x: f64) -> f64 {
        (exp_of(x) + exp_of(-x)) * 0.5
    }

    /// Returns the hyperbolic tangent.
    fn tanh_of(x: f64) -> f64 {
        if (fabs(x) < SMALL) return x - x * x * x / 3.0;
        1.0 - 2.0 / (exp_of(2.0 * x) + 1.0)
    }
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
            near(exp_of(x), x.exp(), ("exp", x));
            near(cbrt_of(x), x.cbrt(), ("cbrt", x));
            near(sinh_of(x), x.sinh(), ("sinh", x));
            near(cosh_of(x), x.cosh(), ("cosh", x));
            near(tanh_of(x), x.tanh(), ("tanh", x));
            let (large, factor) = ((7.7 * x).exp(), 1.0 + x * 1e-8);
            near(ln_of(large), large.ln(), ("ln", large));
            near(ln_of(factor), factor.ln(), ("ln", factor));
            near(powf_of(large, 0.37), large.powf(0.37), ("powf", large));
        }
        let infinite = f64::INFINITY;
        let found = [exp_of(infinite), exp_of(-infinite), ln_of(infinite)];
        assert_eq!(found, [infinite, 0.0, infinite]);
        assert_eq!([ln_of(0.0), cbrt_of(0.0), tanh_of(-infinite)], [-infinite, 0.0, -1.0]);
        let found = [powf_of(0.0, 0.0), powf_of(0.0, 2.0), powf_of(2.0, infinite)];
        assert_eq!(found, [1.0, 0.0, infinite]);
        assert_eq!([sinh_of(-infinite), cosh_of(-infinite)], [-infinite, infinite]);
    }
}
