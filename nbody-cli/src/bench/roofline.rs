//! Roofline plot of the interactions.
//!
//! An all-pairs kernel reads little memory, so bandwidth is no bound: on a GPU its roof is the
//! issue limit, on a CPU the measured peak of multiply-adds. So the plot is a roofline turned on
//! its side: a row for each interaction, the one with the fewest operations of a pair at the top,
//! and flop/s along the row.

use std::path::Path;

use nbody::cuda::Properties;
use nbody::cuda::sass::issue_limit;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::head::Head;
use super::measure::Measurement;
use crate::plots::{self, Area, COLOURS, Drawn, FONT, LEGEND, WIDTH};
use crate::ticks::{self, Axis};

/// Height of a row, in pixels.
const ROW: u32 = 24;
/// Height of the axis and the margins, in pixels.
const BESIDES: u32 = 84;
/// Lower end of the axis of rows; the first row is at 1.
const BOTTOM: f64 = 0.4;
const GREY: RGBColor = RGBColor(150, 150, 150);

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;

struct Plot<'a> {
    chosen: Vec<&'a Measurement>,
    /// Interactions, with the operations of a pair.
    rows: Vec<(&'a str, u32)>,
    devices: Vec<&'a str>,
}

/// Plots each interaction and device at the largest N.
pub fn draw(path: &Path, head: &Head, measurements: &[Measurement]) -> Drawn {
    let largest = measurements.iter().map(|each| each.size.n).max().unwrap_or(0);
    let plot = Plot::new(measurements.iter().filter(|each| each.size.n == largest).collect());
    let title = format!("Operations per second at N = {largest}: {}", head.place(measurements));
    let mut caption = vec![
        head.numerics(),
        "Operations: those of an ordered pair, in brackets, times N², also where the symmetric \
         schedule saves some."
            .to_owned(),
    ];
    if plot.chosen.iter().any(|each| each.limits().is_some()) {
        caption.push(
            "Roof: the issue limit of the machine code; where that branches, a range from all \
             branches to the shortest path."
                .to_owned(),
        );
    }
    if plot.peaks().next().is_some() {
        caption.push(
            "Roof of a CPU: multiply-adds alone, two operations each, on all threads, as measured \
             in this run."
                .to_owned(),
        );
    }
    let rows = plot.rows.len().max(4) as u32;
    let height = plots::head_height(&caption) + ROW * rows + BESIDES;
    plots::write(path, (WIDTH, height), |root| {
        let (left, right) = plots::head(root, &title, &caption)?.split_horizontally(WIDTH - LEGEND);
        plot.chart(&left)?;
        plot.legend(&right)
    })
}

impl<'a> Plot<'a> {
    fn new(mut chosen: Vec<&'a Measurement>) -> Self {
        chosen.sort_by_key(|each| each.operations);
        let (mut rows, mut devices) = (Vec::new(), Vec::new());
        for each in &chosen {
            let row = (each.interaction, each.operations);
            if !rows.contains(&row) {
                rows.push(row);
            }
            if !devices.contains(&&each.device[..]) {
                devices.push(&each.device);
            }
        }
        Self { chosen, rows, devices }
    }

    fn colour(&self, device: &str) -> RGBColor {
        let at = self.devices.iter().position(|found| *found == device);
        COLOURS[at.unwrap_or(0) % COLOURS.len()]
    }

    /// Returns the CPUs, each with the largest of its measured peaks, since other processes may
    /// have slowed some measurements.
    fn peaks(&self) -> impl Iterator<Item = (&'a str, f64)> {
        self.devices.iter().filter_map(|&device| {
            let of_device = self.chosen.iter().filter(|each| each.device == device);
            let peak = of_device.filter_map(|each| each.peak).reduce(f64::max)?;
            Some((device, peak))
        })
    }

    /// Returns the y coordinate of a measurement.
    fn row(&self, each: &Measurement) -> f64 {
        let at = self.rows.iter().position(|&(name, _)| name == each.interaction);
        (self.rows.len() - at.unwrap_or(0)) as f64
    }

    /// Returns the flop/s of one operation in every issue slot, for each kind of GPU.
    fn slots(&self) -> Vec<f64> {
        let of = |gpu: &Properties| issue_limit(gpu.multiprocessors, gpu.hertz, 1.0);
        let mut all: Vec<_> =
            self.chosen.iter().filter_map(|each| each.properties.as_ref().map(of)).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    fn chart(&self, area: &Area) -> Drawn {
        let roofs = self.chosen.iter().filter_map(|each| roof(each)).flatten();
        let slots = self.slots();
        let fused = slots.iter().map(|slots| 2.0 * slots);
        let peaks = self.peaks().map(|(_, peak)| peak);
        let x = ticks::of_decades(
            self.chosen.iter().map(|each| each.flops()).chain(roofs).chain(fused).chain(peaks),
        );
        let top = self.rows.len() as f64 + 0.6;
        let rows = (1..=self.rows.len()).map(|row| row as f64).collect();
        let y = Axis { range: BOTTOM..top, ticks: rows };
        let label = |row: &f64| {
            let mut found = (1..).zip(self.rows.iter().rev());
            let found = found.find(|&(at, _)| f64::from(at) == row.round());
            found.map_or(String::new(), |(_, (name, count))| format!("{name} ({count})"))
        };
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(230)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc("operations per second")
            .x_label_formatter(&|x| ticks::power(*x))
            .y_label_formatter(&label)
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let line = |x: f64| [(x.log10(), BOTTOM), (x.log10(), top)];
        for (device, peak) in self.peaks() {
            let style = self.colour(device).stroke_width(2);
            chart.draw_series(DashedLineSeries::new(line(peak), 6, 4, style))?;
        }
        for slots in slots {
            let style = BLACK.stroke_width(1);
            chart.draw_series(LineSeries::new(line(slots), style))?;
            chart.draw_series(DashedLineSeries::new(line(2.0 * slots), 6, 4, style))?;
        }
        self.marks(&mut chart)
    }

    /// Draws the roofs, and the measurements on top of them.
    fn marks(&self, chart: &mut Chart) -> Drawn {
        for each in &self.chosen {
            let y = self.row(each);
            if let Some([all, least]) = roof(each) {
                let ends = [(all.log10(), y), (least.log10(), y)];
                chart.draw_series([PathElement::new(ends, GREY.stroke_width(4))])?;
                let marks = ends.map(|end| {
                    let mark = [(0, -6), (0, 6)];
                    EmptyElement::at(end) + PathElement::new(mark, GREY.stroke_width(2))
                });
                chart.draw_series(marks)?;
            }
            let at = (each.flops().log10(), y);
            chart.draw_series([Circle::new(at, 5, self.colour(&each.device).filled())])?;
        }
        Ok(())
    }

    fn legend(&self, area: &Area) -> Drawn {
        let mut lines = 0;
        let mut text = |text: &str| {
            lines += 1;
            let y = plots::down(lines);
            area.draw(&Text::new(text.to_owned(), (48, y - 6), (FONT, 13)))?;
            Ok::<i32, Box<dyn std::error::Error>>(y)
        };
        for device in &self.devices {
            let y = text(device)?;
            area.draw(&Circle::new((23, y), 5, self.colour(device).filled()))?;
        }
        for (device, peak) in self.peaks() {
            let y =
                text(&format!("{device}: multiply-adds alone, {}", ticks::power(peak.log10())))?;
            let style = self.colour(device).stroke_width(2);
            area.draw(&DashedPathElement::new([(6, y), (40, y)], 6, 4, style))?;
        }
        if self.chosen.iter().any(|each| each.limits().is_some()) {
            let y = text("roof of its machine code")?;
            area.draw(&PathElement::new([(6, y), (40, y)], GREY.stroke_width(4)))?;
        }
        if !self.slots().is_empty() {
            let y = text("an operation in every issue slot")?;
            area.draw(&PathElement::new([(6, y), (40, y)], BLACK.stroke_width(1)))?;
            let y = text("a fused multiply-add in every slot")?;
            let style = BLACK.stroke_width(1);
            area.draw(&DashedPathElement::new([(6, y), (40, y)], 6, 4, style))?;
        }
        Ok(())
    }
}

/// Returns the flop/s at the limits of a measurement.
fn roof(each: &Measurement) -> Option<[f64; 2]> {
    each.limits().map(|limits| limits.map(|limit| limit * f64::from(each.operations)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::Size;
    use crate::bench::measure::tests::sample;
    use nbody::Options;

    #[test]
    fn rows_are_sorted_by_operations_and_roofs_are_drawn() {
        let other = Measurement { interaction: "neighbours", operations: 10, ..sample() };
        let small = Measurement { interaction: "small", size: Size { i: None, n: 10 }, ..sample() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roofline.svg");
        let head = Head { day: "2026-11-21", options: Options::default() };
        draw(&path, &head, &[sample(), other.clone(), small]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let words =
            ["gravity (20)", "neighbours (10)", "roof of its machine code", "fused multiply-add"];
        assert!(words.iter().all(|words| text.contains(words)), "{text}");
        assert!(!text.contains("small"), "{text}");
        assert!(!text.contains("multiply-adds alone"), "{text}");
        let two = [sample(), other];
        let plot = Plot::new(two.iter().collect());
        assert_eq!(plot.rows, [("neighbours", 10), ("gravity", 20)]);
        assert!(plot.row(&two[1]) > plot.row(&two[0]));
    }

    #[test]
    fn the_roof_of_a_cpu_is_its_measured_peak() {
        let cpu = |peak| Measurement {
            device: "cpu".to_owned(),
            properties: None,
            slots: None,
            peak: Some(peak),
            ..sample()
        };
        let all = [cpu(2e14), sample(), cpu(5e14)];
        let plot = Plot::new(all.iter().collect());
        assert_eq!(plot.peaks().collect::<Vec<_>>(), [("cpu", 5e14)]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roofline.svg");
        let head = Head { day: "2026-11-21", options: Options::default() };
        draw(&path, &head, &all).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("cpu: multiply-adds alone, 500 T"), "{text}");
        assert!(text.contains("as measured in this run"), "{text}");
    }
}
