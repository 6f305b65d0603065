//! Axes with chosen ticks. Coordinates are exponents of ten on logarithmic axes, and the values
//! themselves on linear axes.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

pub struct Axis {
    pub range: Range<f64>,
    pub ticks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (begin, end): (i32, i32)) -> i32 {
        let along = (value - self.range.start) / (self.range.end - self.range.start);
        begin + (along * f64::from(end - begin)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Largest number of ticks whose labels do not overlap.
const MOST: usize = 12;

/// Creates an axis with ticks at the values themselves, as far as there is room.
pub fn of_values(values: impl Iterator<Item = f64>) -> Axis {
    let mut ticks: Vec<_> = values.map(f64::log10).filter(|x| x.is_finite()).collect();
    ticks.sort_by(f64::total_cmp);
    let range = around(&ticks, 0.05, 0.01);
    let apart = (range.end - range.start) / MOST as f64;
    ticks.dedup_by(|next, kept| *next - *kept < apart);
    Axis { range, ticks }
}

/// Creates a linear axis with ticks at multiples of 1, 2 or 5 times a power of ten.
pub fn of_range(values: impl Iterator<Item = f64>) -> Axis {
    let mut values: Vec<_> = values.filter(|x| x.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    // Wide enough for distinct labels, however close the values are.
    let range = around(&values, 0.03, 1e-6 * largest.max(1e-6));
    let least = (range.end - range.start) / MOST as f64;
    let decade = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|x| x * decade).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * decade);
    let first = (range.start / step).ceil();
    let ticks = (0..=MOST).map(|k| (first + k as f64) * step).filter(|tick| range.contains(tick));
    Axis { ticks: ticks.collect(), range }
}

/// Creates an axis with ticks at 1, 2 and 5 of each decade, or at each decade if these are too
/// many.
pub fn of_decades(values: impl Iterator<Item = f64>) -> Axis {
    let mut values: Vec<_> = values.map(f64::log10).filter(|x| x.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    // Wide enough for a tick, however close the values are.
    let range = around(&values, 0.08, 0.2);
    let decades = range.start.floor() as i32..=range.end.ceil() as i32;
    let ticks = |of: &'static [f64]| {
        let ticks =
            decades.clone().flat_map(move |k| of.iter().map(move |x| f64::from(k) + x.log10()));
        ticks.filter(|tick| range.contains(tick)).collect::<Vec<_>>()
    };
    let many = ticks(&[1.0, 2.0, 5.0]);
    let ticks = if many.len() <= MOST { many } else { ticks(&[1.0]) };
    Axis { range, ticks }
}

/// Pads the range of sorted values by a fraction `room` of its width, but at least by `least`.
fn around(sorted: &[f64], room: f64, least: f64) -> Range<f64> {
    let (first, last) = (sorted.first().unwrap_or(&0.0), sorted.last().unwrap_or(&0.0));
    let room = (room * (last - first)).max(least);
    first - room..last + room
}

/// Formats a number of an axis without the rounding error of its tick.
pub fn plain(number: f64) -> String {
    let rounded: f64 = format!("{number:.9e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// Formats 10^`exponent`, with an SI prefix from k to P if it is large, in scientific notation if
/// it is small.
pub fn power(exponent: f64) -> String {
    let number = 10_f64.powf(exponent);
    for (prefix, unit) in [("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)] {
        if number >= 0.9999 * unit {
            return format!("{} {prefix}", short(number / unit));
        }
    }
    if number >= 0.01 { short(number) } else { format!("{number:.0e}") }
}

/// Formats two decimals, without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_within_the_axis_and_not_too_many() {
        for values in [vec![], vec![5.0], vec![2048.0, 4096.0], vec![1e-9, 1e-3], vec![3e8, 2e12]] {
            for axis in [of_values(values.iter().copied()), of_decades(values.iter().copied())] {
                assert!(axis.range.start < axis.range.end);
                assert!(axis.ticks.iter().all(|tick| axis.range.contains(tick)), "{values:?}");
                assert!(axis.ticks.len() <= MOST + 1, "{values:?}");
            }
        }
        let sizes = of_values([2048.0, 4096.0, 2048.0].into_iter());
        let labels = |axis: Axis| axis.ticks.into_iter().map(|x| plain(10_f64.powf(x)));
        assert_eq!(labels(sizes).collect::<Vec<_>>(), ["2048", "4096"]);
        let small = of_values([0.0025, 0.04, 131_072.0].into_iter());
        assert_eq!(labels(small).collect::<Vec<_>>(), ["0.0025", "0.04", "131072"]);
        assert!(of_values([0.0, f64::NAN, f64::INFINITY].into_iter()).ticks.is_empty());
    }

    #[test]
    fn ticks_of_linear_axes_are_round_numbers() {
        let labels = |values: &[f64]| {
            let axis = of_range(values.iter().copied());
            assert!(axis.range.start < axis.range.end, "{values:?}");
            assert!(axis.ticks.iter().all(|tick| axis.range.contains(tick)), "{values:?}");
            assert!(axis.ticks.len() <= MOST + 1, "{values:?}");
            axis.ticks.into_iter().map(plain).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(&[0.0, f64::NAN, 1.0]), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
        assert_eq!(labels(&[-3.0, 17.0]), "-2 0 2 4 6 8 10 12 14 16");
        assert!(labels(&[0.25]).contains("0.25"));
        assert_eq!(labels(&[]), labels(&[0.0]));
    }

    #[test]
    fn numbers_have_si_prefixes() {
        for (number, expected) in [
            (2e12, "2 T"),
            (1e9, "1 G"),
            (5e8, "500 M"),
            (38.0, "38"),
            (0.5, "0.5"),
            (2e-7, "2e-7"),
        ] {
            assert_eq!(power(f64::log10(number)), expected);
        }
    }
}
