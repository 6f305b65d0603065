//! Axes: their scale, their ticks, and the numbers at the ticks.

use std::borrow::Cow;
use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, KeyPointWeight, Ranged};

use crate::numbers;

/// The largest number of ticks whose labels do not overlap.
const MOST: u8 = 9;
/// The largest number of decades with unlabelled lines between them.
const DECADES: i32 = 8;
/// Space beside the outermost points, as a part of the axis.
const ROOM: f64 = 0.04;

/// An axis of a plot: its name, with the unit if there is one, and its scale.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(crate) name: Cow<'static, str>,
    scale: Scale,
    unit: Option<&'static str>,
    at_values: bool,
    within: Option<Range<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Linear,
    Logarithmic,
}

impl Axis {
    /// Creates a linear axis.
    pub fn linear(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name.into(), Scale::Linear)
    }

    /// Creates a logarithmic axis. Points that are not positive are left out.
    pub fn logarithmic(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name.into(), Scale::Logarithmic)
    }

    fn new(name: Cow<'static, str>, scale: Scale) -> Self {
        Self { name, scale, unit: None, at_values: false, within: None }
    }

    /// Puts ticks at the values of the points, as far as there is room, for values that were chosen,
    /// such as numbers of particles; otherwise ticks are at round numbers.
    #[must_use]
    pub fn at_values(self) -> Self {
        Self { at_values: true, ..self }
    }

    /// Labels ticks with SI prefixes and this unit, which may be empty: `20 ms`, `5 G`.
    #[must_use]
    pub fn prefixed(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Shows this range and leaves out points beyond it; otherwise an axis shows all points.
    #[must_use]
    pub fn within(self, range: Range<f64>) -> Self {
        Self { within: Some(range), ..self }
    }

    /// Returns whether ticks are at the values of the points.
    pub(crate) fn is_at_values(&self) -> bool {
        self.at_values
    }

    /// Returns the coordinate of a value: its exponent on a logarithmic axis. Values that cannot be
    /// shown have none.
    pub(crate) fn coordinate(&self, value: f64) -> Option<f64> {
        let is_inside = self.within.as_ref().is_none_or(|it| (it.start..=it.end).contains(&value));
        let at = match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => value.log10(),
        };
        (is_inside && at.is_finite()).then_some(at)
    }

    /// Formats the number at a coordinate.
    pub(crate) fn label(&self, at: f64) -> String {
        let value = match self.scale {
            Scale::Linear => at,
            Scale::Logarithmic => 10_f64.powf(at),
        };
        match self.unit {
            Some(unit) => numbers::prefixed(value, unit),
            None => numbers::plain(value),
        }
    }

    /// Returns the extent that shows these coordinates.
    pub(crate) fn extent(&self, mut sorted: Vec<f64>) -> Extent {
        sorted.retain(|x| x.is_finite());
        sorted.sort_by(f64::total_cmp);
        let range = match &self.within {
            Some(range) => {
                let ends = [range.start, range.end].map(|it| self.coordinate(it).unwrap_or(0.0));
                ends[0]..ends[1].max(ends[0] + f64::MIN_POSITIVE)
            }
            None => around(&sorted, self.scale),
        };
        let (ticks, minor) = match self.scale {
            _ if self.at_values => (apart(sorted, &range), Vec::new()),
            Scale::Linear => (round(&range), Vec::new()),
            Scale::Logarithmic => decades(&range),
        };
        Extent { range, ticks, minor }
    }
}

/// The part of an axis that is shown, in coordinates, with its ticks.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    pub range: Range<f64>,
    pub ticks: Vec<f64>,
    /// Lines without labels.
    minor: Vec<f64>,
}

impl Extent {
    /// Creates an extent of this range with a tick at each of these coordinates.
    pub fn of_ticks(range: Range<f64>, ticks: Vec<f64>) -> Self {
        Self { range, ticks, minor: Vec::new() }
    }

    pub fn width(&self) -> f64 {
        self.range.end - self.range.start
    }
}

impl Ranged for Extent {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (begin, end): (i32, i32)) -> i32 {
        begin + ((value - self.range.start) / self.width() * f64::from(end - begin)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        match hint.weight() {
            KeyPointWeight::Bold => self.ticks.clone(),
            KeyPointWeight::Any => self.minor.clone(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Pads the range of sorted coordinates. It is wide enough for distinct labels, however close the
/// coordinates are.
fn around(sorted: &[f64], scale: Scale) -> Range<f64> {
    let (first, last) = (sorted.first().unwrap_or(&0.0), sorted.last().unwrap_or(&0.0));
    let least = match scale {
        Scale::Linear => 2e-6 * first.abs().max(last.abs()).max(1e-6),
        Scale::Logarithmic => 0.3,
    };
    let room = (ROOM * (last - first)).max(0.5 * (least - (last - first)));
    first - room..last + room
}

/// Returns the coordinates that are far enough from one another.
fn apart(mut sorted: Vec<f64>, range: &Range<f64>) -> Vec<f64> {
    let least = (range.end - range.start) / f64::from(MOST) * 0.75;
    sorted.retain(|at| range.contains(at));
    sorted.dedup_by(|next, kept| *next - *kept < least);
    sorted
}

/// Returns the multiples of 1, 2 or 5 times a power of ten in a range.
fn round(range: &Range<f64>) -> Vec<f64> {
    let least = (range.end - range.start) / f64::from(MOST);
    let decade = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|x| x * decade).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * decade);
    let first = (range.start / step).ceil();
    let ticks = (0..=MOST).map(|k| (first + f64::from(k)) * step);
    ticks.filter(|tick| range.contains(tick)).collect()
}

/// Returns ticks of a logarithmic axis, and lines without labels: 1, 2 and 5 of each decade, decades
/// alone if there are many, and multiples of a round number within a part of a decade.
fn decades(range: &Range<f64>) -> (Vec<f64>, Vec<f64>) {
    let within = |of: &[f64], each: i32| -> Vec<f64> {
        let decades = (range.start.floor() as i32..=range.end.ceil() as i32)
            .filter(|k| k.rem_euclid(each) == 0);
        let ticks = decades.flat_map(|k| of.iter().map(move |x| f64::from(k) + x.log10()));
        ticks.filter(|tick| range.contains(tick)).collect()
    };
    let between = || within(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1);
    let fine = within(&[1.0, 2.0, 5.0], 1);
    if fine.len() < 3 {
        let values = 10_f64.powf(range.start)..10_f64.powf(range.end);
        return (round(&values).into_iter().map(f64::log10).collect(), Vec::new());
    }
    if fine.len() <= usize::from(MOST) {
        return (fine, Vec::new());
    }
    let count = (range.end - range.start).ceil() as i32;
    let minor = if count <= DECADES { between() } else { Vec::new() };
    (within(&[1.0], 1 + (count - 1) / i32::from(MOST)), minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64]) -> String {
        let extent = axis.extent(values.iter().filter_map(|it| axis.coordinate(*it)).collect());
        let Range { start, end } = extent.range;
        assert!(start < end, "{values:?}");
        assert!(extent.ticks.iter().all(|tick| extent.range.contains(tick)), "{values:?}");
        assert!(extent.ticks.len() <= usize::from(MOST) + 1, "{values:?}");
        let labels: Vec<_> = extent.ticks.iter().map(|tick| axis.label(*tick)).collect();
        assert!(labels.windows(2).all(|it| it[0] != it[1]), "{labels:?}");
        labels.join(" ")
    }

    #[test]
    fn ticks_of_linear_axes_are_round_numbers() {
        let axis = Axis::linear("time");
        assert_eq!(labels(&axis, &[0.0, f64::NAN, 1.0]), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(labels(&axis, &[-3.0, 17.0]), "0 5 10 15");
        assert!(labels(&axis, &[0.25]).contains("0.25"));
        assert_eq!(labels(&axis, &[]), labels(&axis, &[0.0]));
        assert_eq!(labels(&Axis::linear("r").within(0.0..0.62), &[]), "0 0.1 0.2 0.3 0.4 0.5 0.6");
    }

    #[test]
    fn ticks_of_logarithmic_axes_are_round_numbers() {
        let axis = Axis::logarithmic("radius");
        assert_eq!(labels(&axis, &[0.1, 1.0, 10.0]), "0.1 0.2 0.5 1 2 5 10");
        assert_eq!(labels(&axis, &[0.21, 0.33]), "0.2 0.25 0.3 0.35");
        assert_eq!(labels(&axis, &[3e-9, 2e-4]), "10⁻⁸ 10⁻⁷ 10⁻⁶ 10⁻⁵ 10⁻⁴");
        assert_eq!(labels(&axis, &[0.0, -1.0, f64::INFINITY]), labels(&axis, &[1.0]));
        let wide = labels(&axis, &[1e-40, 1.0]);
        assert!(wide.split(' ').count() >= 4, "{wide}");
        let ends = Axis::logarithmic("r").within(0.1..10.0);
        assert_eq!((ends.coordinate(0.09), ends.coordinate(10.0)), (None, Some(1.0)));
    }

    #[test]
    fn ticks_at_values_have_room() {
        let axis = Axis::logarithmic("N").at_values();
        assert_eq!(labels(&axis, &[2048.0, 4096.0, 2048.0]), "2048 4096");
        assert_eq!(labels(&axis, &[2048.0, 2100.0, 65536.0]), "2048 65536");
        let seconds = Axis::logarithmic("time").prefixed("s");
        assert_eq!(labels(&seconds, &[0.005, 0.04]), "5 ms 10 ms 20 ms");
    }
}
