//! Charts as SVG.

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::axis::{Axis, label};

/// Colours for all kinds of colour vision (Okabe & Ito 2008).
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
];
const MODEL: RGBColor = RGBColor(90, 90, 90);
const BAND: RGBColor = RGBColor(225, 225, 225);
const FONT: &str = "sans-serif";

/// Points of a line.
pub type Points = Vec<(f64, f64)>;

/// Measured points and curves of the model, with a legend.
pub struct Chart {
    pub title: String,
    /// Names of the axes, with their units.
    pub x: (&'static str, Axis),
    pub y: (&'static str, Axis),
    /// Measured points, each set with a name: drawn as marks or as lines.
    pub measured: Vec<(String, Points)>,
    pub lines: bool,
    /// Curves of the model.
    pub model: Vec<Points>,
    /// Scatter about the model: the lower and upper value at each x.
    pub scatter: Vec<(f64, [f64; 2])>,
    pub legend: bool,
}

impl Chart {
    /// Writes the chart to a file.
    pub fn write(self, path: &Path) -> Result<(), Box<dyn Error>> {
        let mut text = String::new();
        self.draw_on(&SVGBackend::with_string(&mut text, (900, 560)).into_drawing_area())?;
        Ok(replace(path, &text)?)
    }

    fn draw_on(self, root: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error>> {
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(root)
            .margin(16)
            .caption(self.title, (FONT, 20))
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(self.x.1, self.y.1)?;
        if !self.scatter.is_empty() {
            let upper = self.scatter.iter().map(|&(x, [_, upper])| (x, upper));
            let lower = self.scatter.iter().rev().map(|&(x, [lower, _])| (x, lower));
            let area = Polygon::new(upper.chain(lower).collect::<Vec<_>>(), BAND.filled());
            let sample = |(x, y)| Rectangle::new([(x, y - 5), (x + 20, y + 5)], BAND.filled());
            chart.draw_series([area])?.label("scatter between random spheres (1 σ)").legend(sample);
        }
        chart
            .configure_mesh()
            .x_desc(self.x.0)
            .y_desc(self.y.0)
            .x_label_formatter(&|x| label(*x))
            .y_label_formatter(&|y| label(*y))
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (k, curve) in self.model.into_iter().enumerate() {
            let style = MODEL.stroke_width(2);
            let series = chart.draw_series(DashedLineSeries::new(curve, 8, 5, style))?;
            if k == 0 {
                let dash = move |x, y| PathElement::new([(x, y), (x + 8, y)], style);
                let sample = move |(x, y)| EmptyElement::at((x, y)) + dash(0, 0) + dash(13, 0);
                series.label("Plummer's model").legend(sample);
            }
        }
        for ((name, points), colour) in self.measured.into_iter().zip(COLOURS.iter().cycle()) {
            if self.lines {
                let style = colour.stroke_width(2);
                let sample = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style);
                chart.draw_series(LineSeries::new(points, style))?.label(name).legend(sample);
            } else {
                let mark = |point| Circle::new(point, 4, colour.filled());
                let sample = move |(x, y)| Circle::new((x + 10, y), 4, colour.filled());
                chart.draw_series(points.into_iter().map(mark))?.label(name).legend(sample);
            }
        }
        if self.legend {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::LowerLeft)
                .label_font((FONT, 14))
                .background_style(WHITE.mix(0.9))
                .border_style(BLACK.mix(0.3))
                .draw()?;
        }
        Ok(root.present()?)
    }
}

/// Replaces a file atomically: the text is first written to another file beside it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    fs::write(&part, text)?;
    fs::rename(part, path)
}
