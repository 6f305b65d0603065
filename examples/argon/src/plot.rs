//! Plots as SVG.

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

/// A line through points, and the name of each axis.
pub struct Plot<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    pub points: &'a [(f64, f64)],
    /// A published value, with its source.
    pub published: (&'a str, &'a [(f64, f64)]),
}

impl Plot<'_> {
    /// Writes the plot to a file.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let mut text = String::new();
        self.draw_on(&SVGBackend::with_string(&mut text, (900, 560)).into_drawing_area())?;
        Ok(replace(path, &text)?)
    }

    fn draw_on(&self, root: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error>> {
        let all = || self.points.iter().chain(self.published.1);
        let right = all().map(|point| point.0).fold(0.0, f64::max);
        let top = all().map(|point| point.1).fold(0.0, f64::max);
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(root)
            .margin(16)
            .caption(self.title, ("sans-serif", 20))
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..right, 0.0..1.08 * top)?;
        chart.configure_mesh().x_desc(self.x).y_desc(self.y).light_line_style(WHITE).draw()?;
        let (blue, red) = (RGBColor(0, 114, 178), RGBColor(213, 94, 0));
        let line = LineSeries::new(self.points.iter().copied(), blue.stroke_width(2));
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], blue.stroke_width(2));
        chart.draw_series(line)?.label("measured").legend(sample);
        let (name, published) = self.published;
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], red.stroke_width(2));
        if let [point] = published {
            let mark = std::iter::once(Circle::new(*point, 5, red.filled()));
            chart.draw_series(mark)?.label(name).legend(sample);
        } else {
            let line = LineSeries::new(published.iter().copied(), red.stroke_width(2));
            chart.draw_series(line)?.label(name).legend(sample);
        }
        chart.configure_series_labels().border_style(BLACK.mix(0.3)).draw()?;
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
