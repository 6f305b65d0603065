//! Axes of plots.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// Largest number of ticks.
const MOST: usize = 12;

/// An axis with its ticks.
#[derive(Clone)]
pub struct Axis {
    range: Range<f64>,
    /// Distance along the axis, up to a factor and an offset.
    scale: fn(f64) -> f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// Creates a linear axis from 0 with ticks at multiples of 1, 2 or 5 times a power of ten.
    pub fn linear(end: f64) -> Self {
        let least = end / MOST as f64;
        let decade = 10_f64.powf(least.log10().floor());
        let step = [1.0, 2.0, 5.0].map(|x| x * decade).into_iter().find(|step| *step >= least);
        let step = step.unwrap_or(10.0 * decade);
        let ticks = (0..=MOST).map(|k| k as f64 * step).filter(|tick| *tick <= end);
        Self { ticks: ticks.collect(), range: 0.0..end, scale: |x| x }
    }

    /// Creates a logarithmic axis with ticks at 1, 2 and 5 times powers of ten, or only at powers
    /// of ten if these would be too many.
    pub fn logarithmic(range: Range<f64>) -> Self {
        let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
        let ticks = |of: &[f64]| {
            let ticks = (first..=last).flat_map(|k| of.iter().map(move |x| x * 10_f64.powi(k)));
            // Include ticks at the ends of the range despite rounding errors.
            let near = range.start * (1.0 - 1e-9)..range.end * (1.0 + 1e-9);
            ticks.filter(|tick| near.contains(tick)).collect::<Vec<_>>()
        };
        let many = ticks(&[1.0, 2.0, 5.0]);
        let ticks = if many.len() <= MOST { many } else { ticks(&[1.0]) };
        Self { range, scale: f64::log10, ticks }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (begin, end): (i32, i32)) -> i32 {
        let [first, last, at] = [self.range.start, self.range.end, *value].map(self.scale);
        begin + ((at - first) / (last - first) * f64::from(end - begin)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Formats the number of a tick without its rounding error.
pub fn label(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e4).contains(&x.abs()) {
        return format!("{x:.0e}");
    }
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| label(*tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Axis::linear(0.62)).join(" "), "0 0.1 0.2 0.3 0.4 0.5 0.6");
        assert_eq!(labels(&Axis::linear(20.0)).join(" "), "0 2 4 6 8 10 12 14 16 18 20");
        let radii = Axis::logarithmic(0.1..10.0);
        assert_eq!(labels(&radii).join(" "), "0.1 0.2 0.5 1 2 5 10");
        let wide = Axis::logarithmic(3e-9..2e-4);
        assert_eq!(labels(&wide).join(" "), "1e-8 1e-7 1e-6 1e-5 1e-4");
    }

    #[test]
    fn values_lie_where_the_scale_has_them() {
        assert_eq!(Axis::linear(8.0).map(&2.0, (10, 50)), 20);
        assert_eq!(Axis::logarithmic(0.1..10.0).map(&1.0, (100, 0)), 50);
    }
}
