//! Values in rows, one below another, over one axis.

use plotters::prelude::*;

use crate::Error;
use crate::axis::{Axis, Extent};
use crate::curve::{Curve, Style};
use crate::figure::BELOW;
use crate::names::{self, Name};
use crate::sheet::{self, Area, FONT, GREY, MARGIN, SMALL, Sheet, WIDTH, width};

/// Height of a row, in pixels.
const ROW: u32 = 24;
/// Lower end of the axis of rows; the last row is at 1.
const BOTTOM: f64 = 0.4;
/// Widest column of names of rows.
const WIDEST: u32 = 260;

/// A row: values with the names of their kinds, and a range that bounds them.
#[derive(Clone, Debug)]
pub struct Row {
    name: String,
    marks: Vec<(String, f64)>,
    range: Option<[f64; 2]>,
}

/// A vertical line through all rows.
#[derive(Clone, Debug)]
pub struct Wall {
    /// Its name.
    pub name: String,
    /// Its place on the axis.
    pub at: f64,
    /// Whether it is dashed.
    pub is_dashed: bool,
    /// The kind of values whose colour it has; black without one.
    pub kind: Option<String>,
}

/// Rows over one axis, with a title and a caption.
#[derive(Clone, Debug)]
pub struct Rows {
    title: String,
    caption: Vec<String>,
    x: Axis,
    all: Vec<Row>,
    walls: Vec<Wall>,
    ranges: String,
}

impl Row {
    /// Creates a row without values.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), marks: Vec::new(), range: None }
    }

    /// Adds a value of a kind, which the legend names.
    #[must_use]
    pub fn mark(mut self, kind: impl Into<String>, value: f64) -> Self {
        self.marks.push((kind.into(), value));
        self
    }

    /// Draws a bar between two values.
    #[must_use]
    pub fn range(self, ends: Option<[f64; 2]>) -> Self {
        Self { range: ends, ..self }
    }
}

impl Rows {
    /// Creates a plot without rows.
    pub fn new(title: impl Into<String>, x: Axis) -> Self {
        let (title, ranges) = (title.into(), String::new());
        Self { title, caption: Vec::new(), x, all: Vec::new(), walls: Vec::new(), ranges }
    }

    /// Adds a paragraph to the caption.
    #[must_use]
    pub fn caption(mut self, text: impl Into<String>) -> Self {
        self.caption.push(text.into());
        self
    }

    /// Adds rows, from the top.
    #[must_use]
    pub fn rows(mut self, rows: impl IntoIterator<Item = Row>) -> Self {
        self.all.extend(rows);
        self
    }

    /// Adds vertical lines.
    #[must_use]
    pub fn walls(mut self, walls: impl IntoIterator<Item = Wall>) -> Self {
        self.walls.extend(walls);
        self
    }

    /// Names the ranges of rows.
    #[must_use]
    pub fn ranges(self, name: impl Into<String>) -> Self {
        Self { ranges: name.into(), ..self }
    }

    /// Draws the rows as SVG.
    pub fn svg(self) -> Result<String, Error> {
        let legend = names::height(self.names().len());
        let height = (ROW * self.all.len() as u32).max(legend) + BELOW + MARGIN;
        sheet::draw(&self.title, &self.caption, height, |area, sheet| self.draw(area, sheet))
    }

    /// Returns the kinds of values, in the order of the rows.
    fn kinds(&self) -> Vec<&str> {
        let mut kinds = Vec::new();
        for (kind, _) in self.all.iter().flat_map(|row| &row.marks) {
            if !kinds.contains(&&kind[..]) {
                kinds.push(&kind[..]);
            }
        }
        kinds
    }

    /// Returns the style of values of a kind.
    fn style(&self, kind: &str) -> Style {
        let at = self.kinds().iter().position(|found| *found == kind).unwrap_or(0);
        Curve::points("", Vec::new()).style(at, 0)
    }

    /// Returns the style of a wall.
    fn wall(&self, wall: &Wall) -> Style {
        let plain = wall.kind.as_deref().map_or_else(Style::black, |kind| self.style(kind));
        let dash = if wall.is_dashed { (6, 4) } else { (1, 0) };
        Style { dash, shape: None, ..plain }
    }

    /// Returns the entries of the legend.
    fn names(&self) -> Vec<Name<'_>> {
        let entry = |text, style, has_line| Name { text, style, end: None, has_line };
        let kinds = self.kinds().into_iter().filter(|kind| !kind.is_empty());
        let mut names: Vec<_> = kinds.map(|kind| entry(kind, self.style(kind), false)).collect();
        names.extend(self.walls.iter().map(|it| entry(&it.name, self.wall(it), true)));
        if self.all.iter().any(|row| row.range.is_some()) {
            names.push(entry(&self.ranges, Style::range(), true));
        }
        names
    }

    fn draw(&self, area: &Area, sheet: &Sheet) -> Result<(), Error> {
        let names = self.names();
        let right = if names.is_empty() {
            MARGIN
        } else {
            names::column(names.iter().map(|name| name.text))
        };
        let (left, _) = area.split_horizontally(WIDTH - right);
        let marks = self.all.iter().flat_map(|row| &row.marks).map(|mark| mark.1);
        let ranges = self.all.iter().filter_map(|row| row.range).flatten();
        let values = marks.chain(ranges).chain(self.walls.iter().map(|wall| wall.at));
        let x = self.x.extent(values.filter_map(|value| self.x.coordinate(value)).collect());
        let count = self.all.len();
        let top = count as f64 + 0.6;
        let y = Extent::of_ticks(BOTTOM..top, (1..=count).map(|row| row as f64).collect());
        let longest = self.all.iter().map(|row| width(&row.name, SMALL)).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(&left)
            .margin_left(MARGIN)
            .margin_bottom(MARGIN / 2)
            .x_label_area_size(BELOW)
            .y_label_area_size((longest + MARGIN).min(WIDEST))
            .build_cartesian_2d(x, y)
            .map_err(Error::new)?;
        let [bold, light] = sheet::grid();
        let name = |at: &f64| {
            let found = (1..).zip(self.all.iter().rev()).find(|it| f64::from(it.0) == at.round());
            found.map_or_else(String::new, |(_, row)| row.name.clone())
        };
        chart
            .configure_mesh()
            .x_desc(&*self.x.name)
            .x_label_formatter(&|x| self.x.label(*x))
            .y_label_formatter(&name)
            .label_style((FONT, SMALL))
            .axis_desc_style((FONT, SMALL + 1))
            .bold_line_style(bold)
            .light_line_style(light)
            .draw()
            .map_err(Error::new)?;
        let at = |value: f64, y: f64| Some(chart.backend_coord(&(self.x.coordinate(value)?, y)));
        for wall in &self.walls {
            let ends = [BOTTOM, top].into_iter().filter_map(|y| at(wall.at, y));
            sheet.line(ends.collect(), &self.wall(wall))?;
        }
        for (k, row) in self.all.iter().enumerate() {
            let y = (count - k) as f64;
            if let Some(ends) = row.range {
                let ends: Vec<_> = ends.into_iter().filter_map(|end| at(end, y)).collect();
                for &(x, y) in &ends {
                    sheet.line(vec![(x, y - 6), (x, y + 6)], &Style::range())?;
                }
                sheet.line(ends, &Style::range())?;
            }
            for (kind, value) in &row.marks {
                at(*value, y).map_or(Ok(()), |place| sheet.mark(place, &self.style(kind)))?;
            }
        }
        let (xs, ys) = chart.plotting_area().get_pixel_range();
        names::draw(sheet, &names, xs.end, [ys.start, ys.end])
    }
}

impl Style {
    /// Returns the style of lines between curves and their names.
    pub fn thin() -> Self {
        Self { dash: (1, 0), stroke: GREY.stroke_width(1), shape: None, layer: 0 }
    }

    fn black() -> Self {
        Self { stroke: BLACK.stroke_width(1), ..Self::thin() }
    }

    fn range() -> Self {
        Self { stroke: GREY.stroke_width(4), ..Self::thin() }
    }
}
