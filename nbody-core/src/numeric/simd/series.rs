//! Refinement of estimates: the binomial series of (1 - error)^-exponent.

/// The most terms of a series.
pub const MOST_TERMS: usize = 3;

/// The largest error of the square of an estimate in `f64`, which has 14 bits.
const LARGEST_ERROR: f64 = 1.0 / 8192.0;

/// (1 - error)^-exponent in `f32`, to the second order, as a square that is completed:
/// `factor * ((error + shift)² + rest)`. With `shifted = one_and_shift - x * square`, where `x` times
/// the square of its estimate is 1 - error, it takes two fused operations.
///
/// The factor is a power of two, by which nothing is rounded, and `f32` holds the other constants
/// exactly: errors of theirs would be those of every result. For an exponent of 3/2 the term of
/// second order is 2 error² instead of 15/8 error², a difference of half a unit in the last place at
/// most.
#[derive(Clone, Copy, Debug)]
pub struct Square {
    pub factor: f64,
    pub one_and_shift: f64,
    pub rest: f64,
}

impl Square {
    /// The square of an exponent of 1 or 3/2.
    pub const fn new(exponent: f64) -> Self {
        let factor = if exponent > 1.0 { 2.0 } else { 1.0 };
        let shift = exponent / (2.0 * factor);
        Self { factor, one_and_shift: 1.0 + shift, rest: 1.0 / factor - shift * shift }
    }
}

/// The coefficients of a series of so many terms behind the 1, of which the last but one takes some
/// of the first term that is left out: a quarter of it remains, since the error is at most
/// [`LARGEST_ERROR`].
pub const fn economized(exponent: f64, terms: usize) -> [f64; MOST_TERMS + 1] {
    let mut all = coefficients(exponent);
    if terms > 1 {
        all[terms - 1] += coefficient(exponent, terms + 1) * LARGEST_ERROR * LARGEST_ERROR;
    }
    all
}

/// Of 1, error, error², ...
pub const fn coefficients(exponent: f64) -> [f64; MOST_TERMS + 1] {
    let mut all = [1.0; MOST_TERMS + 1];
    let mut term = 1;
    while term <= MOST_TERMS {
        all[term] = coefficient(exponent, term);
        term += 1;
    }
    all
}

/// Of error^term.
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
                let off = sum - (1.0 - error).powf(-exponent);
                assert!(off.abs() < 2.0 * next + 1e-15, "{exponent} {terms}: {off:e}");
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
            // The estimates of AVX2 have errors to 1.5 * 2^-12, their squares twice that.
            for error in [7.4e-4_f64, -7.4e-4, 1e-4] {
                let off = power(error) - (1.0 - error).powf(-exponent);
                assert!(off.abs() < 7e-8, "{exponent} {error}: {off:e}");
            }
        }
    }
}
