//! Numbers of options. Parsers refuse numbers out of range, and name the range.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

/// The greatest number of ranks, which are threads of this process.
pub const RANKS: u64 = 1024;

/// The greatest number of iterations of a step, as of the integrators.
const ITERATIONS: u32 = 1000;

/// Numbers whose squares neither vanish nor overflow, also where they are multiplied by one another.
const SQUARED: RangeInclusive<f64> = 1e-150..=1e150;
const LIMITS: &str = "1e-150 to 1e150, so that its square is a number too";

/// Parses a number of particles, which must be positive and fit into memory: `10000`, `1e4`.
pub fn particles(text: &str) -> Result<NonZeroUsize, String> {
    let number = whole(text).and_then(|number| NonZeroUsize::new(saturated(number)));
    let number =
        number.ok_or("expected a whole number of particles, 1 or more, such as 10000 or 1e4")?;
    // The least memory that a command needs per particle: position, velocity and mass.
    let reserved = Vec::<[f64; 7]>::new().try_reserve_exact(number.get());
    reserved.map_err(|_| "so many particles do not fit into memory".to_owned())?;
    Ok(number)
}

/// Parses a number of particles that can be in virial equilibrium.
pub fn sphere(text: &str) -> Result<u32, String> {
    let number = whole(text).and_then(|number| u32::try_from(number).ok());
    number.filter(|number| *number >= 2).ok_or_else(|| {
        format!("expected a whole number of particles from 2 to {}, such as 10000 or 1e4", u32::MAX)
    })
}

/// Parses a number of ranks or GPUs.
pub fn ranks(text: &str) -> Result<NonZeroUsize, String> {
    let number = whole(text).filter(|number| *number <= RANKS);
    let number = number.and_then(|number| NonZeroUsize::new(saturated(number)));
    number.ok_or_else(|| format!("expected a whole number from 1 to {RANKS}"))
}

/// Returns a parser of numbers in this range.
pub fn within(
    range: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = finite(text).filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
    }
}

/// Parses a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    within(0.0..=1.0)(text)
}

/// Parses a finite number of zero or more.
pub fn zero_or_more(text: &str) -> Result<f64, String> {
    let number = finite(text).filter(|number| *number >= 0.0);
    number.ok_or_else(|| "expected a number of zero or more".to_owned())
}

/// Parses a softening length: zero, or a length with a square.
pub fn softening(text: &str) -> Result<f64, String> {
    let length = finite(text).filter(|length| *length == 0.0 || SQUARED.contains(length));
    // Zero has no sign.
    length.map(f64::abs).ok_or_else(|| format!("expected a length of zero, or from {LIMITS}"))
}

/// Parses a positive number with a square.
pub fn positive(text: &str) -> Result<f64, String> {
    let number = finite(text).filter(|number| SQUARED.contains(number));
    number.ok_or_else(|| format!("expected a positive number, from {LIMITS}"))
}

/// Parses a time, which may be negative.
pub fn time(text: &str) -> Result<f64, String> {
    let time = finite(text).filter(|time| time.abs() <= *SQUARED.end());
    time.ok_or_else(|| "expected a finite time, from -1e150 to 1e150".to_owned())
}

/// Parses a number of iterations of a step.
pub fn iterations(text: &str) -> Result<u32, String> {
    let number = whole(text).and_then(|number| u32::try_from(number).ok());
    let number = number.filter(|number| (1..=ITERATIONS).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {ITERATIONS}"))
}

/// Parses two positive numbers, the first not above the second: `0.1,100`.
pub fn limits(text: &str) -> Result<[f64; 2], String> {
    let limits = text.split_once(',').and_then(|(least, most)| {
        let [least, most] = [finite(least)?, finite(most)?];
        (0.0 < least && least <= most).then_some([least, most])
    });
    limits.ok_or_else(|| {
        "expected the least and the greatest as two positive numbers, such as 0.1,100".to_owned()
    })
}

/// Parses the limits of the masses of stars.
pub fn masses(text: &str) -> Result<[f64; 2], String> {
    let limits = limits(text)?;
    if limits.iter().all(|mass| (0.01..=1000.0).contains(mass)) {
        return Ok(limits);
    }
    Err("expected masses from 0.01 to 1000".to_owned())
}

/// Parses a whole number, `10000` or `1e4`; the greatest integer stands for greater ones.
#[expect(clippy::cast_sign_loss, reason = "casts saturate, and negative numbers are refused")]
fn whole(text: &str) -> Option<u64> {
    let integer = text.trim().parse().ok();
    integer.or_else(|| {
        let number = finite(text)?;
        (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
    })
}

fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_numbers_are_numbers() {
        for (text, expected) in [
            ("0", (Ok(0.0), false)),
            ("-0", (Ok(0.0), false)),
            ("1e-150", (Ok(1e-150), true)),
            ("1e150", (Ok(1e150), true)),
            ("9e-151", (Err(()), false)),
            ("1.1e150", (Err(()), false)),
            ("1e300", (Err(()), false)),
            ("-1", (Err(()), false)),
            ("nan", (Err(()), false)),
        ] {
            let found = (softening(text).map_err(drop), positive(text).is_ok());
            assert_eq!(found, expected, "{text}");
        }
        assert!(softening("-0").unwrap().is_sign_positive());
        for (text, is_time) in [("-3", true), ("1e150", true), ("1e151", false), ("inf", false)] {
            assert_eq!(time(text).is_ok(), is_time, "{text}");
        }
    }

    #[test]
    fn whole_numbers_may_have_exponents() {
        let found = ["16", "1e4", "2.5e3", "1e300", "0"].map(whole);
        assert_eq!(found, [16, 10_000, 2500, u64::MAX, 0].map(Some));
        for text in ["", "-1", "1.5", "1e-1", "nan", "inf", "1e999", "0x10", "1_000"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
