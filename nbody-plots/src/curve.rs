//! Curves, and the styles that tell them apart.

use plotters::prelude::*;
use plotters::style::colors::colormaps::ViridisRGB;

use crate::sheet::COLOURS;

/// Above this number of points a line has no marks.
const CROWDED: usize = 60;
/// Lengths of dash and gap in pixels; the next pair each time the colours repeat.
const DASHES: [(i32, i32); 4] = [(1, 0), (9, 5), (3, 4), (16, 8)];
/// Lengths of dash and gap of models.
const OF_MODELS: (i32, i32) = (6, 4);
/// Width of a line, and additional width for each line that would hide it, in pixels.
pub const THIN: u32 = 2;
const WIDER: u32 = 4;
/// Largest part of the colours of a sequence: the last ones are faint on white.
const FAINT: f32 = 0.88;

/// Points with a name, in the order in which a line joins them.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name, which stands beside its right end; an empty one is left out.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// The curve of a model, in place of the line through the points.
    pub model: Option<Vec<(f64, f64)>>,
    pub(crate) labels: Vec<String>,
    pub(crate) has_line: bool,
    has_marks: bool,
    pub(crate) is_model: bool,
    sequence: Option<f32>,
    group: Option<usize>,
}

impl Curve {
    /// Creates a line through points, with marks unless they are many.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        let has_marks = points.len() <= CROWDED;
        Self {
            name: name.into(),
            points,
            model: None,
            labels: Vec::new(),
            has_line: true,
            has_marks,
            is_model: false,
            sequence: None,
            group: None,
        }
    }

    /// Creates points without a line.
    pub fn points(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { has_line: false, has_marks: true, ..Self::line(name, points) }
    }

    /// Creates the curve of a model: dashed, in grey.
    pub fn model(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { has_marks: false, is_model: true, ..Self::line(name, points) }
    }

    /// Adds the curve of a model, dashed, in place of the line through the points.
    #[must_use]
    pub fn with_model(self, model: Vec<(f64, f64)>) -> Self {
        Self { model: Some(model), has_line: true, has_marks: true, ..self }
    }

    /// Labels the points.
    #[must_use]
    pub fn labelled(self, labels: Vec<String>) -> Self {
        Self { labels, ..self }
    }

    /// Colours the curve by its place in a sequence, from 0, dark, to 1, light.
    #[must_use]
    pub fn at(self, place: f64) -> Self {
        Self { sequence: Some(place as f32), ..self }
    }

    /// Leaves the points of the line without marks.
    #[must_use]
    pub fn without_marks(self) -> Self {
        Self { has_marks: false, ..self }
    }

    /// Gives the curve the colour and the marks of the `k`-th group of curves.
    #[must_use]
    pub fn of_group(self, k: usize) -> Self {
        Self { group: Some(k), ..self }
    }

    /// Joins named points to lines, one for each name in the order of the first points, with
    /// the points of a line sorted by x.
    pub fn by_name(points: impl IntoIterator<Item = (String, (f64, f64))>) -> Vec<Self> {
        let unlabelled = points.into_iter().map(|(name, point)| (name, point, String::new()));
        let mut curves = Self::by_name_in_order(unlabelled);
        for curve in &mut curves {
            curve.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        curves
    }

    /// Joins named points, each with a label, to lines, one for each name in the order of the first
    /// points, in the order of the points.
    pub fn by_name_in_order(
        points: impl IntoIterator<Item = (String, (f64, f64), String)>,
    ) -> Vec<Self> {
        let mut curves: Vec<Self> = Vec::new();
        for (name, point, label) in points {
            let at = curves.iter().position(|found| found.name == name).unwrap_or_else(|| {
                curves.push(Self::line(name, Vec::new()));
                curves.len() - 1
            });
            let curve = &mut curves[at];
            curve.points.push(point);
            curve.labels.push(label);
            curve.has_marks = curve.points.len() <= CROWDED;
        }
        curves
    }

    /// Returns whether the curve is a line that may hide another.
    pub(crate) fn may_cover(&self) -> bool {
        self.has_line && !self.is_model
    }

    /// Returns a number that is greater for curves on top of others.
    pub(crate) fn depth(&self) -> u8 {
        if self.is_model { 0 } else { 1 + u8::from(!self.has_line) }
    }

    /// Returns the style of this curve, the `k`-th, below `layer` others.
    pub(crate) fn style(&self, k: usize, layer: u32) -> Style {
        let k = self.group.unwrap_or(k);
        let colour = match self.sequence {
            Some(place) => {
                let RGBColor(r, g, b) = ViridisRGB.get_color(FAINT * place.clamp(0.0, 1.0));
                RGBColor(r, g, b)
            }
            None if self.is_model => RGBColor(90, 90, 90),
            None => COLOURS[k % COLOURS.len()],
        };
        let dash = match &self.model {
            Some(_) => OF_MODELS,
            None if self.is_model => OF_MODELS,
            None if self.sequence.is_some() => DASHES[0],
            None => DASHES[k / COLOURS.len() % DASHES.len()],
        };
        // Lines below others are halos around them.
        let opacity = if layer > 0 { 0.45 } else { 1.0 };
        let shape = if self.has_marks { Some(Shape::of(k)) } else { None };
        Style { dash, stroke: colour.mix(opacity).stroke_width(width(layer)), shape, layer }
    }
}

/// Returns the width of a line below this many others.
pub fn width(layer: u32) -> u32 {
    THIN + WIDER * layer
}

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Shape {
    fn of(k: usize) -> Self {
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond][k % 4]
    }

    /// Returns the corners of the mark about its centre.
    pub fn corners(self, size: i32) -> Vec<(i32, i32)> {
        match self {
            // Not a polygon.
            Self::Circle => Vec::new(),
            Self::Square => vec![(-size, -size), (size, -size), (size, size), (-size, size)],
            Self::Triangle => vec![(0, -size - 1), (size + 1, size), (-size - 1, size)],
            Self::Diamond => {
                let size = size + 1;
                vec![(0, -size), (size, 0), (0, size), (-size, 0)]
            }
        }
    }
}

/// The style of a curve.
#[derive(Clone)]
pub struct Style {
    /// Lengths of dash and gap.
    pub dash: (i32, i32),
    pub stroke: ShapeStyle,
    pub shape: Option<Shape>,
    pub layer: u32,
}

impl Style {
    /// Returns the half of the size of marks, in pixels.
    pub fn size(&self) -> u32 {
        3 + 2 * self.layer
    }
}
