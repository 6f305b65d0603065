//! Refinement of estimates by the binomial series of (1 - error)^-exponent.

/// The largest number of terms of a series.
pub const MOST_TERMS: usize = 3;

/// The largest error of the square of an estimate in `f64`, which is accurate to 14 bits.
const LARGEST_ERROR: f64 = 1.0 / 8192.0;

/// Constants of (1 - error)^-exponent in `f32`, to second order, as a completed square: `factor *
/// ((error + shift)² + rest)`. It takes two fused operations with `shifted = one_and_shift - x *
/// square`, where `x` times the square of its estimate is 1 - error.
///
/// The factor is a power of two, so that products with it are exact. `f32` represents the other
/// constants exactly, since their errors would be relative errors of every result. For an exponent
/// of 3/2 the second-order term is 2 error² instead of 15/8 error²; the difference is at most half
/// a unit in the last place.
#[derive(Clone, Copy, Debug)]
pub struct Square {
    pub factor: f64,
    pub one_and_shift: f64,
    pub rest: f64,
}

impl Square {
    /// Returns the constants of an exponent of 1 or 3/2.
    pub const fn new(exponent: f64) -> Self {
        let factor = if exponent > 1.0 { 2.0 } else { 1.0 };
        let shift = exponent / (2.0 * factor);
        Self { factor, one_and_shift: 1.0 + shift, rest: 1.0 / factor - shift * shift }
    }
}

/// Returns the coefficients of a series with `terms` terms after the 1. The last coefficient but
/// one compensates for most of the first omitted term (economization): a quarter remains, since
/// the error is at most [`LARGEST_ERROR`].
pub const fn economized(exponent: f64, terms: usize) -> [f64; MOST_TERMS + 1] {
    let mut all = coefficients(exponent);
    if terms > 1 {
        all[terms - 1] += coefficient(exponent, terms + 1) * LARGEST_ERROR * LARGEST_ERROR;
    }
    all
}

/// Returns the coefficients of 1, error, error², ...
pub const fn coefficients(exponent: f64) -> [f64; MOST_TERMS + 1] {
    let mut all = [1.0; MOST_TERMS + 1];
    let mut term = 1;
    while term <= MOST_TERMS {
        all[term] = coefficient(exponent, term);
        term += 1;
    }
    all
}

/// Returns the coefficient of error^term.
const fn coefficient(exponent: f64, term: usize) -> f64 {
    let (mut product, mut k) = (1.0, 0);
    while k < term {
        product *= (exponent + k as f64) / (k + 1) as f64;
        k += 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_powers() {
        let error = 1e-4_f64;
        for exponent in [0.5, 1.5, 2.0, 3.0, 8.0] {
            for terms in 1..=MOST_TERMS {
                let series = economized(exponent, terms);
                let sum = series[..=terms].iter().rev().fold(0.0, |sum, c| sum * error + c);
                let next = coefficient(exponent, terms + 1) * error.powf((terms + 1) as f64);
                let deviation = sum - (1.0 - error).powf(-exponent);
                assert!(deviation.abs() < 2.0 * next + 1e-15, "{exponent} {terms}: {deviation:e}");
            }
        }
    }

    #[test]
    fn squares_are_powers_and_their_constants_are_exact() {
        for exponent in [1.0, 1.5] {
            let Square { factor, one_and_shift, rest } = Square::new(exponent);
            for constant in [factor, one_and_shift, rest] {
                assert_eq!(f64::from(constant as f32), constant);
            }
            let power = |error: f64| factor * ((error + one_and_shift - 1.0).powi(2) + rest);
            assert_eq!(power(0.0), 1.0);
            // The estimates of AVX2 have errors of up to 1.5 * 2^-12, their squares of twice that.
            for error in [7.4e-4_f64, -7.4e-4, 1e-4] {
                let deviation = power(error) - (1.0 - error).powf(-exponent);
                assert!(deviation.abs() < 7e-8, "{exponent} {error}: {deviation:e}");
            }
        }
    }
}
