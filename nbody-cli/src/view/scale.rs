//! Scales of the colours.

use serde::Serialize;

/// Ratio of the ends above which a scale is logarithmic.
const RATIO: f64 = 4.0;
/// Greatest ratio of the ends where a fraction of the values is beyond them: particles at a centre
/// have tiny radii, which would take most colours.
const WIDEST: f64 = 1e4;
/// Number of values that the ends are taken from.
const SAMPLE: usize = 1 << 20;

/// A scale from 0, the first colour, to 1, the last one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scale {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
    /// Whether some values are below and above the ends, and have their colours.
    pub beyond: [bool; 2],
}

impl Scale {
    /// Returns a scale on which all values lie but for a fraction at both ends, so that a few
    /// extreme ones do not take all colours.
    pub fn new(values: &[f64], beyond: f64) -> Self {
        let stride = values.len().div_ceil(SAMPLE).max(1);
        let mut sorted: Vec<_> = values.iter().copied().step_by(stride).collect();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
        let Some(last) = sorted.len().checked_sub(1) else {
            return Self { low: 0.0, high: 0.0, logarithmic: false, beyond: [false; 2] };
        };
        #[expect(clippy::cast_sign_loss, reason = "a fraction of a length")]
        let skipped = (beyond * last as f64) as usize;
        let (mut low, mut high) = (sorted[skipped], sorted[last - skipped]);
        if low == high {
            (low, high) = (least, most);
        }
        let logarithmic = low > 0.0 && high / RATIO > low;
        if logarithmic && beyond > 0.0 {
            low = low.max(high / WIDEST);
        }
        Self { low, high, logarithmic, beyond: [least < low, most > high] }
    }

    /// Returns the place of a value from 0 to 1; the middle if all values are equal.
    pub fn place(&self, value: f64) -> f64 {
        let &Self { low, high, logarithmic, .. } = self;
        if low >= high {
            return 0.5;
        }
        let place = if logarithmic {
            (value.ln() - low.ln()) / (high.ln() - low.ln())
        } else {
            // Halves, since the difference of huge numbers would overflow.
            (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
        };
        // Zero has no logarithm, and subnormal halves may be equal.
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_from_zero_to_one() {
        let scale = Scale::new(&[1.0, 100.0, 10.0], 0.0);
        assert!(scale.logarithmic && (scale.place(10.0) - 0.5).abs() < 1e-15);
        assert_eq!([0.0, 1.0, 100.0, 1e9].map(|v| scale.place(v)), [0.0, 0.0, 1.0, 1.0]);
        let scale = Scale::new(&[0.0, 8.0], 0.0);
        assert_eq!((scale.logarithmic, scale.place(2.0)), (false, 0.25));
        for values in [&[][..], &[3.0], &[0.0; 4], &[5e-324, 0.0], &[-f64::MAX, f64::MAX]] {
            let scale = Scale::new(values, 0.005);
            for value in [0.0, 3.0, -f64::MAX, f64::MAX, 5e-324] {
                let place = scale.place(value);
                assert!((0.0..=1.0).contains(&place), "{value} at {place} of {scale:?}");
            }
        }
    }

    #[test]
    fn a_few_extremes_do_not_take_the_colours() {
        let mut values: Vec<_> = (0..1000).map(|k| 1.0 + f64::from(k) / 1000.0).collect();
        values.push(1e9);
        let scale = Scale::new(&values, 0.005);
        assert!(scale.high < 2.0 && scale.beyond == [true, true], "{scale:?}");
        let tiny = Scale::new(&[1e-20, 0.5, 1.0], 0.005);
        assert_eq!((tiny.low, tiny.high, tiny.beyond), (1e-4, 1.0, [true, false]));
        assert_eq!(Scale::new(&[1e-20, 1.0], 0.0).low, 1e-20);
        // Without a spread of the others, they do.
        let scale = Scale::new(&[&[1.0; 1000][..], &[1e3]].concat(), 0.005);
        assert_eq!((scale.low, scale.high, scale.beyond), (1.0, 1e3, [false, false]));
    }
}
