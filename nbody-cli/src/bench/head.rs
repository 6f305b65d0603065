//! Titles and captions of the plots, and the plot of speed.

use nbody::Options;

use super::measure::Measurement;
use crate::plots::{Figure, Line};

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

    /// Plots pairs per second against N, with a line for each interaction and device.
    pub fn speed(&self, measurements: &[Measurement]) -> Figure {
        let mut lines: Vec<Line> = Vec::new();
        let several = measurements.iter().any(|each| each.device != measurements[0].device);
        for each in measurements {
            let on = if several { format!(", {}", each.device) } else { String::new() };
            let few = each.size.i.map_or_else(String::new, |i| format!(", {i} i-particles"));
            let name = format!("{}{few}{on}", each.interaction);
            let point = (each.size.n as f64, each.pairs_per_second());
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push(point),
                None => lines.push(Line::new(name, vec![point])),
            }
        }
        Figure {
            title: format!("Ordered pairs per second: {}", self.place(measurements)),
            caption: vec![
                self.numerics(),
                "All N² ordered pairs of N uniform particles count, also those beyond a cutoff. \
                 Kernel time, median of the runs."
                    .to_owned(),
            ],
            x: "particles N".into(),
            y: "ordered pairs per second".into(),
            lines,
        }
    }
}
