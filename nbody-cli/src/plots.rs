//! Plots as SVG. Their text is text, so that no fonts are needed to draw them.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use crate::ticks::{self, Axis};

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

/// How wide a line is, and how much wider for each that would hide it, in pixels.
const THIN: u32 = 2;
const WIDER: u32 = 3;
const MOST_LAYERS: u32 = 4;
/// About how high charts are, in pixels.
const HEIGHT: f64 = 400.0;

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
        if self.layers().iter().any(|layer| *layer > 0) {
            self.notes.push("Where lines coincide, those below are drawn wider.".to_owned());
        }
        let below = head_height(&self.notes);
        let height = (below + 480).max(below + LINE * (self.lines.len() as u32 + 2));
        write(path, (WIDTH, height), |root| {
            let body = head(root, &self.title, &self.notes)?;
            let (left, right) = body.split_horizontally(WIDTH - LEGEND);
            self.chart(&left)?;
            self.legend(&right)
        })
    }

    fn x_axis(&self) -> Axis {
        ticks::of_values(self.lines.iter().flat_map(|line| &line.points).map(|point| point.0))
    }

    fn y_axis(&self) -> Axis {
        ticks::of_decades(self.lines.iter().flat_map(|line| &line.points).map(|point| point.1))
    }

    /// How each line is drawn.
    fn styles(&self) -> Vec<Style> {
        self.layers().into_iter().enumerate().map(|(k, layer)| Style::new(k, layer)).collect()
    }

    /// How many others lie on each line. It is drawn before these and so much wider, so that all are
    /// seen where lines coincide.
    fn layers(&self) -> Vec<u32> {
        let Range { start, end } = self.y_axis().range;
        let lines: Vec<_> = self.lines.iter().map(Line::logarithms).collect();
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

    fn chart(&self, area: &Area) -> Drawn {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(self.x_axis(), self.y_axis())?;
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
        for (line, style) in self.lines.iter().zip(self.styles()) {
            let Style { dash: (dash, gap), stroke, dot } = style;
            let points = line.logarithms();
            if gap == 0 {
                chart.draw_series(LineSeries::new(points.clone(), stroke))?;
            } else {
                chart.draw_series(DashedLineSeries::new(points.clone(), dash, gap, stroke))?;
            }
            let dots = points.into_iter().map(|point| Circle::new(point, dot, stroke.filled()));
            chart.draw_series(dots)?;
        }
        Ok(())
    }

    fn legend(&self, area: &Area) -> Drawn {
        for (k, (line, style)) in self.lines.iter().zip(self.styles()).enumerate() {
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
    /// The points on logarithmic axes, where what is no number, or zero, has no place.
    fn logarithms(&self) -> Vec<(f64, f64)> {
        let points = self.points.iter().map(|&(x, y)| (x.log10(), y.log10()));
        points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
    }
}

/// Whether two lines have a piece in common, or a point where one of them is no more than that.
fn coincide(a: &[(f64, f64)], b: &[(f64, f64)], near: f64) -> bool {
    let meets = |&(x, y): &(f64, f64)| b.iter().any(|&(u, v)| u == x && (v - y).abs() < near);
    if a.len() == 1 || b.len() == 1 {
        return a.iter().any(meets);
    }
    a.windows(2).any(|piece| piece.iter().all(meets))
}

/// How wide a line is on which so many others lie.
fn width(layer: u32) -> u32 {
    THIN + WIDER * layer
}

/// How a line is drawn.
struct Style {
    /// Of a dash and of a gap.
    dash: (i32, i32),
    stroke: ShapeStyle,
    /// The radius of its points.
    dot: u32,
}

impl Style {
    /// That of the line of this number, on which so many others lie.
    fn new(k: usize, layer: u32) -> Self {
        Self {
            dash: DASHES[k / COLOURS.len() % DASHES.len()],
            stroke: COLOURS[k % COLOURS.len()].stroke_width(width(layer)),
            dot: 3 + 2 * layer,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(lines: &[&[(f64, f64)]]) -> Figure {
        let lines = lines.iter().zip(["a", "b", "c", "d"]);
        let line = |(points, name): (&&[(f64, f64)], &str)| Line {
            name: name.to_owned(),
            points: points.to_vec(),
        };
        let (title, notes) = (String::new(), Vec::new());
        Figure { title, notes, x: "x", y: "y", lines: lines.map(line).collect() }
    }

    #[test]
    fn lines_that_coincide_are_nested() {
        let layers = |lines: &[&[(f64, f64)]]| figure(lines).layers();
        let (low, high) = ([(1.0, 1.0), (10.0, 2.0), (100.0, 4.0)], [(1.0, 100.0), (10.0, 200.0)]);
        // From 10 on like `low`, and near it.
        let joins = [(1.0, 50.0), (10.0, 2.001), (100.0, 4.001)];
        let crosses = [(1.0, 100.0), (10.0, 2.0), (100.0, 0.1)];
        assert_eq!(layers(&[&low, &high, &crosses]), [0, 0, 0]);
        assert_eq!(layers(&[&low, &high, &joins, &low]), [2, 0, 1, 0]);
        assert_eq!(layers(&[&high, &low, &low, &low]), [0, 2, 1, 0]);
        // Points have nothing else to be seen by.
        assert_eq!(layers(&[&low[..1], &low, &high[..1]]), [1, 0, 0]);
        assert_eq!(layers(&[&[], &[(1.0, f64::NAN)], &low]), [0, 0, 0]);
    }

    #[test]
    fn what_is_hidden_is_drawn_first_and_wider() {
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
}
