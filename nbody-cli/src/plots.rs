//! Plots as SVG. Their text is text, so that no fonts are needed to draw them.

use std::error::Error;
use std::path::Path;

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use crate::ticks;

/// The width of a plot, that of a legend at its right, and the height of a line of text, in pixels.
pub const WIDTH: u32 = 1280;
pub const LEGEND: u32 = 380;
const LINE: u32 = 18;
pub const FONT: &str = "sans-serif";

/// Colours that most people can tell apart (Okabe & Ito 2008), but for the yellow, which is faint
/// on white.
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];
/// Dashes and gaps in pixels, one after the other as the colours repeat.
const DASHES: [(i32, i32); 4] = [(1, 0), (9, 5), (3, 4), (16, 8)];

/// Lines on logarithmic axes, with a legend beside them.
pub struct Figure {
    pub title: String,
    /// What one must know to read it, a line each.
    pub notes: Vec<String>,
    pub x: &'static str,
    pub y: &'static str,
    pub lines: Vec<Line>,
}

/// A line, by its points in the order of x.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// What comes of drawing.
pub type Drawn = Result<(), Box<dyn Error>>;
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

impl Figure {
    /// Writes it to a file.
    pub fn log_log(mut self, path: &Path) -> Drawn {
        for line in &mut self.lines {
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let last = |line: &Line| line.points.last().map_or(0.0, |point| point.1);
        // The legend has the order of the lines at their right ends.
        self.lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
        let below = head_height(&self.notes);
        let height = (below + 480).max(below + LINE * (self.lines.len() as u32 + 2));
        write(path, (WIDTH, height), |root| {
            let body = head(root, &self.title, &self.notes)?;
            let (left, right) = body.split_horizontally(WIDTH - LEGEND);
            self.chart(&left)?;
            self.legend(&right)
        })
    }

    fn chart(&self, area: &Area) -> Drawn {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = ticks::of_values(points().map(|point| point.0));
        let y = ticks::of_decades(points().map(|point| point.1));
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_label_formatter(&|x| ticks::whole(*x))
            .y_label_formatter(&|y| ticks::power(*y))
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (k, line) in self.lines.iter().enumerate() {
            // What is no number, or zero, has no place on such axes.
            let points = line.points.iter().map(|&(x, y)| (x.log10(), y.log10()));
            let points: Vec<_> = points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
            let (dash, gap, style) = style(k);
            if gap == 0 {
                chart.draw_series(LineSeries::new(points.clone(), style))?;
            } else {
                chart.draw_series(DashedLineSeries::new(points.clone(), dash, gap, style))?;
            }
            let dots = points.into_iter().map(|point| Circle::new(point, 3, style.filled()));
            chart.draw_series(dots)?;
        }
        Ok(())
    }

    fn legend(&self, area: &Area) -> Drawn {
        for (k, line) in self.lines.iter().enumerate() {
            let y = down(k + 1);
            let (dash, gap, style) = style(k);
            let ends = [(6, y), (40, y)];
            if gap == 0 {
                area.draw(&PathElement::new(ends.to_vec(), style))?;
            } else {
                area.draw(&DashedPathElement::new(ends, dash, gap, style))?;
            }
            area.draw(&Circle::new((23, y), 3, style.filled()))?;
            area.draw(&Text::new(line.name.clone(), (48, y - 6), (FONT, 13)))?;
        }
        Ok(())
    }
}

/// The dash, the gap and the style of the line of this number.
fn style(k: usize) -> (i32, i32, ShapeStyle) {
    let (dash, gap) = DASHES[k / COLOURS.len() % DASHES.len()];
    (dash, gap, COLOURS[k % COLOURS.len()].stroke_width(2))
}

/// Draws a file of this size, on white.
pub fn write(path: &Path, size: (u32, u32), draw: impl FnOnce(&Area) -> Drawn) -> Drawn {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        root.present()?;
    }
    Ok(std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?)
}

/// How far down so many lines of text reach.
pub fn down(lines: usize) -> i32 {
    i32::try_from(lines).unwrap_or(i32::MAX).saturating_mul(LINE.cast_signed())
}

/// How far down a title and its notes reach.
pub fn head_height(notes: &[String]) -> u32 {
    44 + LINE * notes.len() as u32
}

/// Writes a title and notes, and leaves the rest.
pub fn head<'a>(
    root: &Area<'a>,
    title: &str,
    notes: &[String],
) -> Result<Area<'a>, Box<dyn Error>> {
    let (head, body) = root.split_vertically(head_height(notes));
    head.draw(&Text::new(title.to_owned(), (16, 12), (FONT, 20)))?;
    for (k, note) in notes.iter().enumerate() {
        let y = 40 + down(k);
        head.draw(&Text::new(
            note.clone(),
            (16, y),
            (FONT, 13).into_font().color(&BLACK.mix(0.7)),
        ))?;
    }
    Ok(body)
}
