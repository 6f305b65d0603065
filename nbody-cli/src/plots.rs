//! Plots in SVG. Text is written as text elements, which need no fonts here.

use std::borrow::Cow;
use std::error::Error;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use crate::files;
use crate::ticks::{self, Axis};

/// Width of a plot, in pixels.
pub const WIDTH: u32 = 1280;
/// Width of the legend on the right, in pixels.
pub const LEGEND: u32 = 380;
/// Height of a line of text, in pixels.
const LINE: u32 = 18;
pub const FONT: &str = "sans-serif";

/// Colours for all kinds of colour vision (Okabe & Ito 2008), without the yellow, which is faint
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
/// Lengths of dash and gap in pixels; the next pair each time the colours repeat.
const DASHES: [(i32, i32); 4] = [(1, 0), (9, 5), (3, 4), (16, 8)];
/// Lengths of dash and gap for the curve of a model.
const DASHES_OF_MODEL: (i32, i32) = (6, 4);

/// Width of a line, in pixels.
const THIN: u32 = 2;
/// Additional width, in pixels, for each line that would hide it.
const WIDER: u32 = 3;
/// Largest number of lines that widen another.
const MOST_LAYERS: u32 = 4;
/// Approximate height of charts, in pixels.
const HEIGHT: f64 = 400.0;

#[derive(Clone, Copy)]
enum Scale {
    Linear,
    Logarithmic,
}

impl Scale {
    /// Returns the coordinate of a value.
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Logarithmic => value.log10(),
        }
    }
}

/// Lines with a legend beside them. The vertical axis is logarithmic.
pub struct Figure {
    pub title: String,
    /// Lines of the caption.
    pub caption: Vec<String>,
    pub x: Cow<'static, str>,
    pub y: Cow<'static, str>,
    pub lines: Vec<Line>,
}

/// A line through points, sorted by x.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Curve of a model, drawn dashed in place of the line through the points.
    pub model: Option<Vec<(f64, f64)>>,
}

/// Result of drawing.
pub type Drawn = Result<(), Box<dyn Error>>;
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

impl Figure {
    /// Writes the figure to a file, with a logarithmic horizontal axis.
    pub fn log_log(self, path: &Path) -> Drawn {
        self.write(path, Scale::Logarithmic)
    }

    /// Writes the figure to a file, with a linear horizontal axis.
    pub fn semi_log(self, path: &Path) -> Drawn {
        self.write(path, Scale::Linear)
    }

    fn write(mut self, path: &Path, scale: Scale) -> Drawn {
        for line in &mut self.lines {
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let last = |line: &Line| line.points.last().map_or(0.0, |point| point.1);
        // The legend lists the lines in the order of their right ends.
        self.lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
        if self.layers(scale).iter().any(|layer| *layer > 0) {
            self.caption.push("Where lines coincide, those below are drawn wider.".to_owned());
        }
        let below = head_height(&self.caption);
        let height = (below + 480).max(below + LINE * (self.lines.len() as u32 + 2));
        write(path, (WIDTH, height), |root| {
            let body = head(root, &self.title, &self.caption)?;
            let (left, right) = body.split_horizontally(WIDTH - LEGEND);
            self.chart(&left, scale)?;
            self.legend(&right, scale)
        })
    }

    fn x_axis(&self, scale: Scale) -> Axis {
        let values = self.lines.iter().flat_map(|line| &line.points).map(|point| point.0);
        match scale {
            Scale::Linear => ticks::of_range(values),
            Scale::Logarithmic => ticks::of_values(values),
        }
    }

    fn y_axis(&self) -> Axis {
        let models = self.lines.iter().filter_map(|line| line.model.as_ref());
        let points = self.lines.iter().map(|line| &line.points).chain(models);
        ticks::of_decades(points.flatten().map(|point| point.1))
    }

    /// Chooses the style of each line.
    fn styles(&self, scale: Scale) -> Vec<Style> {
        let mut styles: Vec<_> = self
            .layers(scale)
            .into_iter()
            .enumerate()
            .map(|(k, layer)| Style::new(k, layer))
            .collect();
        for (style, line) in styles.iter_mut().zip(&self.lines) {
            if line.model.is_some() {
                style.dash = DASHES_OF_MODEL;
            }
        }
        styles
    }

    /// Counts the lines on top of each line. A covered line is drawn first and wider, so that all
    /// are visible where lines coincide.
    fn layers(&self, scale: Scale) -> Vec<u32> {
        let Range { start, end } = self.y_axis().range;
        let lines: Vec<_> =
            self.lines.iter().map(|line| coordinates(&line.points, scale)).collect();
        let mut layers: Vec<u32> = vec![0; lines.len()];
        for k in (0..lines.len()).rev() {
            let on_top = (k + 1..lines.len()).filter(|&other| {
                let reach = f64::from(width(layers[other]) + THIN) / 2.0;
                coincide(&lines[k], &lines[other], reach / HEIGHT * (end - start))
            });
            let below = on_top.map(|other| layers[other] + 1).max();
            layers[k] = below.unwrap_or(0).min(MOST_LAYERS);
        }
        layers
    }

    fn chart(&self, area: &Area, scale: Scale) -> Drawn {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(self.x_axis(scale), self.y_axis())?;
        chart
            .configure_mesh()
            .x_desc(&*self.x)
            .y_desc(&*self.y)
            .x_label_formatter(&|x| match scale {
                Scale::Linear => ticks::plain(*x),
                Scale::Logarithmic => ticks::plain(10_f64.powf(*x)),
            })
            .y_label_formatter(&|y| ticks::power(*y))
            .label_style((FONT, 13))
            .axis_desc_style((FONT, 15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (line, style) in self.lines.iter().zip(self.styles(scale)) {
            let Style { dash: (dash, gap), stroke, dot } = style;
            let points = coordinates(&line.points, scale);
            let curve = coordinates(line.model.as_ref().unwrap_or(&line.points), scale);
            if gap == 0 {
                chart.draw_series(LineSeries::new(curve, stroke))?;
            } else {
                chart.draw_series(DashedLineSeries::new(curve, dash, gap, stroke))?;
            }
            let dots = points.into_iter().map(|point| Circle::new(point, dot, stroke.filled()));
            chart.draw_series(dots)?;
        }
        Ok(())
    }

    fn legend(&self, area: &Area, scale: Scale) -> Drawn {
        for (k, (line, style)) in self.lines.iter().zip(self.styles(scale)).enumerate() {
            let y = down(k + 1);
            let Style { dash: (dash, gap), stroke, dot } = style;
            let ends = [(6, y), (40, y)];
            if gap == 0 {
                area.draw(&PathElement::new(ends.to_vec(), stroke))?;
            } else {
                area.draw(&DashedPathElement::new(ends, dash, gap, stroke))?;
            }
            area.draw(&Circle::new((23, y), dot, stroke.filled()))?;
            area.draw(&Text::new(line.name.clone(), (48, y - 6), (FONT, 13)))?;
        }
        Ok(())
    }
}

impl Line {
    /// Returns a line without a model.
    pub fn new(name: String, points: Vec<(f64, f64)>) -> Self {
        Self { name, points, model: None }
    }
}

/// Returns the points in coordinates of the axes; the vertical axis is logarithmic. NaN,
/// infinities and, on logarithmic axes, zeros are left out.
fn coordinates(points: &[(f64, f64)], horizontal: Scale) -> Vec<(f64, f64)> {
    let points = points.iter().map(|&(x, y)| (horizontal.of(x), y.log10()));
    points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
}

/// Tests whether two lines share a segment, or a point if either line is a single point.
fn coincide(a: &[(f64, f64)], b: &[(f64, f64)], near: f64) -> bool {
    let meets = |&(x, y): &(f64, f64)| b.iter().any(|&(u, v)| u == x && (v - y).abs() < near);
    if a.len() == 1 || b.len() == 1 {
        return a.iter().any(meets);
    }
    a.windows(2).any(|piece| piece.iter().all(meets))
}

/// Returns the width of a line below this many others.
fn width(layer: u32) -> u32 {
    THIN + WIDER * layer
}

struct Style {
    /// Lengths of dash and gap.
    dash: (i32, i32),
    stroke: ShapeStyle,
    /// Radius of its points.
    dot: u32,
}

impl Style {
    /// Returns the style of line `k`, below `layer` others.
    fn new(k: usize, layer: u32) -> Self {
        Self {
            dash: DASHES[k / COLOURS.len() % DASHES.len()],
            stroke: COLOURS[k % COLOURS.len()].stroke_width(width(layer)),
            dot: 3 + 2 * layer,
        }
    }
}

/// Draws a file of this size, on a white background.
pub fn write(path: &Path, size: (u32, u32), draw: impl FnOnce(&Area) -> Drawn) -> Drawn {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        root.present()?;
    }
    files::replace(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Returns the height of this many lines of text.
pub fn down(lines: usize) -> i32 {
    i32::try_from(lines).unwrap_or(i32::MAX).saturating_mul(LINE.cast_signed())
}

/// Returns the height of a title and its caption.
pub fn head_height(caption: &[String]) -> u32 {
    44 + LINE * caption.len() as u32
}

/// Draws a title and its caption, and returns the remaining area.
pub fn head<'a>(
    root: &Area<'a>,
    title: &str,
    caption: &[String],
) -> Result<Area<'a>, Box<dyn Error>> {
    let (head, body) = root.split_vertically(head_height(caption));
    head.draw(&Text::new(title.to_owned(), (16, 12), (FONT, 20)))?;
    for (k, line) in caption.iter().enumerate() {
        let y = 40 + down(k);
        head.draw(&Text::new(
            line.clone(),
            (16, y),
            (FONT, 13).into_font().color(&BLACK.mix(0.7)),
        ))?;
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(lines: &[&[(f64, f64)]]) -> Figure {
        let lines = lines.iter().zip(["a", "b", "c", "d"]);
        let line =
            |(points, name): (&&[(f64, f64)], &str)| Line::new(name.to_owned(), points.to_vec());
        let (title, caption) = (String::new(), Vec::new());
        Figure { title, caption, x: "x".into(), y: "y".into(), lines: lines.map(line).collect() }
    }

    #[test]
    fn lines_that_coincide_are_nested() {
        let layers = |lines: &[&[(f64, f64)]]| figure(lines).layers(Scale::Logarithmic);
        let (low, high) = ([(1.0, 1.0), (10.0, 2.0), (100.0, 4.0)], [(1.0, 100.0), (10.0, 200.0)]);
        // Nearly equal to `low` from 10 on.
        let joins = [(1.0, 50.0), (10.0, 2.001), (100.0, 4.001)];
        let crosses = [(1.0, 100.0), (10.0, 2.0), (100.0, 0.1)];
        assert_eq!(layers(&[&low, &high, &crosses]), [0, 0, 0]);
        assert_eq!(layers(&[&low, &high, &joins, &low]), [2, 0, 1, 0]);
        assert_eq!(layers(&[&high, &low, &low, &low]), [0, 2, 1, 0]);
        // A single point has no visible segment.
        assert_eq!(layers(&[&low[..1], &low, &high[..1]]), [1, 0, 0]);
        assert_eq!(layers(&[&[], &[(1.0, f64::NAN)], &low]), [0, 0, 0]);
    }

    #[test]
    fn hidden_lines_are_drawn_first_and_wider() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.svg");
        let line: &[_] = &[(1.0, 1.0), (10.0, 3.0)];
        figure(&[line, line]).log_log(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().filter(|line| line.contains("polyline")).collect();
        let at = |colour: &str, width: u32| {
            let width = format!("stroke-width=\"{width}\"");
            lines.iter().position(|line| line.contains(colour) && line.contains(&width))
        };
        let (below, above) = (at("#0072B2", 5), at("#D55E00", 2));
        assert!(below.is_some() && above.is_some() && below < above, "{text}");
        assert!(text.contains("those below are drawn wider"), "{text}");
    }

    #[test]
    fn the_curve_of_a_model_is_dashed_in_place_of_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.svg");
        let polylines = |model: Option<Vec<(f64, f64)>>| {
            let mut figure = figure(&[&[(1.0, 1.0), (10.0, 3.0)]]);
            figure.lines[0].model = model;
            figure.log_log(&path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let of_line = |line: &&str| line.contains("polyline") && line.contains("#0072B2");
            let circles = text.matches("<circle").count();
            let reaches = text.lines().any(|line| line.trim() == "500");
            (text.lines().filter(of_line).count(), circles, reaches)
        };
        // The line, and its sample in the legend; dots of two points and of the legend.
        assert_eq!(polylines(None), (2, 3, false));
        let (dashes, circles, reaches) = polylines(Some(vec![(1.0, 1.0), (10.0, 600.0)]));
        assert!(dashes > 10 && circles == 3 && reaches, "{dashes} {circles} {reaches}");
    }

    #[test]
    fn a_horizontal_axis_is_linear_or_logarithmic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.svg");
        let labels = |draw: fn(Figure, &Path) -> Drawn| {
            draw(figure(&[&[(0.0, 1.0), (5.0, 3.0), (10.0, 1.0)]]), &path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            ["5", "7"].map(|tick| text.lines().any(|line| line.trim() == tick))
        };
        assert_eq!(labels(Figure::semi_log), [true, true]);
        assert_eq!(labels(Figure::log_log), [true, false]);
    }
}
