//! Titles and captions of the plots, and the plot of speed.

use nbody::Options;
use nbody_plots::{Axis, Curve, Figure};

use super::measure::Measurement;

/// Properties of the run, for the titles and captions of all plots.
pub struct Head<'a> {
    pub day: &'a str,
    pub options: Options,
}

impl Head<'_> {
    /// Formats devices and day, for a title.
    pub fn place(&self, measurements: &[Measurement]) -> String {
        let mut devices: Vec<_> = measurements.iter().map(|each| &each.device[..]).collect();
        devices.sort_unstable();
        devices.dedup();
        format!("{}, {}", devices.join(" and "), self.day)
    }

    /// Formats the options, for a caption.
    pub fn numerics(&self) -> String {
        let Options { precision, accumulation, math, pairs, .. } = self.options;
        format!(
            "{precision} precision, {accumulation} accumulation, {math} mathematics, pairs {pairs}"
        )
    }

    /// Names the pairs of an evaluation.
    pub fn pairs(measurements: &[&Measurement]) -> &'static str {
        let has_few = |each: &&Measurement| each.size.i.is_some();
        match (measurements.iter().any(has_few), measurements.iter().all(has_few)) {
            (false, _) => "All N² ordered pairs of N particles count",
            (_, true) => "All pairs of the i-particles with N j-particles count",
            _ => "All N² ordered pairs, or all pairs of the i-particles with N j-particles, count",
        }
    }

    /// Plots pairs per second against N, with a curve for each interaction and device.
    pub fn speed(&self, measurements: &[Measurement]) -> Figure {
        let several = measurements.iter().any(|each| each.device != measurements[0].device);
        let point = |each: &Measurement| {
            let on = if several { format!(", {}", each.device) } else { String::new() };
            let few = each.size.i.map_or_else(String::new, |i| format!(", {i} i-particles"));
            let name = format!("{}{few}{on}", each.interaction);
            (name, (each.size.n as f64, each.pairs_per_second()))
        };
        let has_few = measurements.iter().any(|each| each.size.i.is_some());
        let n = if has_few { "j-particles N" } else { "particles N" };
        Figure::new(
            format!("Ordered pairs per second: {}", self.place(measurements)),
            Axis::logarithmic(n).at_values(),
            Axis::logarithmic("ordered pairs per second").prefixed(""),
        )
        .caption(self.numerics())
        .caption(format!(
            "{}, also those beyond a cutoff; uniform particles. Kernel time, median of the runs.",
            Self::pairs(&measurements.iter().collect::<Vec<_>>())
        ))
        .curves(Curve::by_name(measurements.iter().map(point)))
    }
}
