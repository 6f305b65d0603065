//! Refinement of estimates: the binomial series of (1 - error)^-exponent.

/// The most terms of a series.
pub const MOST_TERMS: usize = 3;

/// The largest error of the square of an estimate in `f64`, which has 14 bits.
const LARGEST_ERROR: f64 = 1.0 / 8192.0;

/// The series as `factor * (error^terms + ... + constants[1] * error + constants[0])`, which takes
/// one operation less than with a factor for each term.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    pub factor: f64,
    pub constants: [f64; MOST_TERMS],
}

impl Series {
    /// The series of so many terms behind the 1. In `f32` the factor and the last constant are
    /// rounded to numbers whose product is 1: errors of theirs would be those of every result.
    pub const fn new(exponent: f64, terms: usize, single: bool) -> Self {
        let mut factor = coefficient(exponent, terms);
        if single {
            factor = unbiased(factor, terms == 1);
        }
        let mut constants = [0.0; MOST_TERMS];
        let mut term = 0;
        while term < terms {
            constants[term] = coefficient(exponent, term) / factor;
            term += 1;
        }
        if !single && terms > 1 {
            // What follows is a quarter as large if the term before the last takes some of it:
            // the error squared is at most this.
            let next = coefficient(exponent, terms + 1) * LARGEST_ERROR * LARGEST_ERROR;
            constants[terms - 1] += next / factor;
        }
        Self { factor, constants }
    }
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

/// A factor near this one, in `f32`, whose product with its rounded inverse is 1 to 30 bits. It is
/// that of the smallest term, which needs fewer digits. With one term, the inverse is added to 1
/// before it is rounded.
const fn unbiased(factor: f64, plus_one: bool) -> f64 {
    let one = if plus_one { 1.0 } else { 0.0 };
    let mut bits = (factor as f32).to_bits();
    let mut tries = 0;
    while tries < 1000 {
        let factor = f32::from_bits(bits) as f64;
        let inverse = (one + 1.0 / factor) as f32 as f64 - one;
        let off = factor * inverse - 1.0;
        if off < 1e-9 && off > -1e-9 {
            return factor;
        }
        bits += 1;
        tries += 1;
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_powers() {
        for (exponent, terms, single) in [
            (0.5, 1, true),
            (1.5, 1, true),
            (1.5, 2, true),
            (3.0, 3, true),
            (0.5, 3, false),
            (1.5, 3, false),
            (8.0, 3, false),
        ] {
            let Series { factor, constants } = Series::new(exponent, terms, single);
            let error = 1e-4_f64;
            let sum = (0..terms).rev().fold(1.0, |sum, term| sum * error + constants[term]);
            let next = coefficient(exponent, terms + 1) * error.powf((terms + 1) as f64);
            let off = factor * sum - (1.0 - error).powf(-exponent);
            let rounding = if single { 3e-8 } else { 1e-15 };
            assert!(off.abs() < 2.0 * next + rounding, "{exponent} {terms} {single}: {off:e}");
        }
    }

    #[test]
    fn constants_in_f32_have_no_bias() {
        for exponent in 1..=16 {
            for terms in 1..=MOST_TERMS {
                let Series { factor, constants } =
                    Series::new(0.5 * f64::from(exponent), terms, true);
                let one = if terms == 1 { 1.0 } else { 0.0 };
                let last = f64::from((one + constants[0]) as f32) - one;
                let off = f64::from(factor as f32) * last - 1.0;
                assert!(off.abs() < 1e-9, "{exponent}/2, {terms} terms: {off:e}");
            }
        }
    }
}
