//! Figures: curves over two axes.

use plotters::prelude::*;

use crate::axis::{Axis, Extent};
use crate::curve::{Curve, Style};
use crate::names::{self, Name};
use crate::overlap::{self, Coordinates};
use crate::rows::{Row, Rows};
use crate::sheet::{self, Area, Error, FONT, LINE, MARGIN, Place, SMALL, Sheet, WIDTH};

/// Height of the chart, of the numbers and the name below it, and width to its left, in pixels.
const CHART: u32 = 400;
pub const BELOW: u32 = 48;
const BESIDE: u32 = 76;
/// Space between a point and its label.
const OFFSET: Place = (6, -9);
/// Height of the font of labels of points.
const TINY: u32 = 13;
const BAND: RGBColor = RGBColor(226, 226, 226);

/// Two values at each x.
type Band = Vec<(f64, [f64; 2])>;

/// Curves over two axes, with a title, a caption, and a name beside each curve.
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    /// Paragraphs below the title.
    pub caption: Vec<String>,
    x: Axis,
    y: Axis,
    /// Its curves.
    pub curves: Vec<Curve>,
    band: Option<(String, Band)>,
}

impl Figure {
    /// Creates a figure without curves.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let title = title.into();
        Self { title, caption: Vec::new(), x, y, curves: Vec::new(), band: None }
    }

    /// Adds a paragraph to the caption.
    #[must_use]
    pub fn caption(mut self, text: impl Into<String>) -> Self {
        self.caption.push(text.into());
        self
    }

    /// Adds a curve.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curves.push(curve);
        self
    }

    /// Adds curves.
    #[must_use]
    pub fn curves(mut self, curves: impl IntoIterator<Item = Curve>) -> Self {
        self.curves.extend(curves);
        self
    }

    /// Adds a grey band below the curves, between two values at each x.
    #[must_use]
    pub fn band(mut self, name: impl Into<String>, band: Band) -> Self {
        self.band = Some((name.into(), band));
        self
    }

    /// Draws the figure as SVG. If the points are all at one chosen x, each is a row.
    pub fn svg(mut self) -> Result<String, Error> {
        if let Some(x) = self.only_x() {
            return self.into_rows(x).svg();
        }
        let last = |curve: &Curve| curve.points.last().map_or(0.0, |point| point.1);
        // Names are in the order of the right ends; points are on top of lines.
        self.curves.sort_by(|a, b| last(b).total_cmp(&last(a)));
        let drawing = Drawing::new(&self);
        if drawing.styles.iter().any(|style| style.layer > 0) {
            self.caption.push("Where curves coincide, the lower one is a halo.".to_owned());
        }
        let height = CHART.max(names::height(self.curves.len() + 1)) + BELOW + MARGIN;
        sheet::draw(&self.title, &self.caption, height, |area, sheet| drawing.draw(area, sheet))
    }

    /// Returns the x of all points, if it is the same and was chosen, and there are several curves.
    fn only_x(&self) -> Option<f64> {
        let mut all = self.curves.iter().flat_map(|it| &it.points).map(|point| point.0);
        let first = all.next()?;
        let is_one = self.x.is_at_values() && self.curves.len() > 1 && all.all(|x| x == first);
        is_one.then_some(first)
    }

    /// Returns the same as rows, the largest at the top.
    fn into_rows(self, x: f64) -> Rows {
        let place = format!("{}: {}", self.x.name, crate::plain(x));
        let row = |curve: &Curve| {
            let value = curve.points.first().map_or(f64::NAN, |point| point.1);
            Row::new(curve.name.clone()).mark("", value)
        };
        let mut curves = self.curves;
        curves.sort_by(|a, b| b.points[0].1.total_cmp(&a.points[0].1));
        let rows = curves.iter().map(row);
        let start = Rows::new(self.title, self.y);
        self.caption.into_iter().fold(start, Rows::caption).caption(place).rows(rows)
    }
}

/// A figure with the coordinates and styles of its curves.
struct Drawing {
    x: Axis,
    y: Axis,
    extents: [Extent; 2],
    curves: Vec<Curve>,
    points: Vec<Coordinates>,
    models: Vec<Coordinates>,
    styles: Vec<Style>,
    band: Vec<[(f64, f64); 2]>,
    band_name: String,
}

impl Drawing {
    fn new(figure: &Figure) -> Self {
        let Figure { x, y, curves, band, .. } = figure;
        let coordinates = |points: &[(f64, f64)]| -> Coordinates {
            points.iter().filter_map(|p| Some((x.coordinate(p.0)?, y.coordinate(p.1)?))).collect()
        };
        let points: Vec<_> = curves.iter().map(|it| coordinates(&it.points)).collect();
        let model = |it: &Curve| it.model.as_deref().map_or_else(Vec::new, coordinates);
        let models: Vec<_> = curves.iter().map(model).collect();
        let (band_name, band) = band.clone().unwrap_or_default();
        let side = |at: f64, bound: f64| Some((x.coordinate(at)?, y.coordinate(bound)?));
        let both = |&(at, [low, high]): &(f64, [f64; 2])| Some([side(at, low)?, side(at, high)?]);
        let band: Vec<_> = band.iter().filter_map(both).collect();
        let all = || points.iter().chain(&models).flatten().chain(band.iter().flatten());
        // Ticks at values are at the points alone.
        let xs = if x.is_at_values() {
            points.iter().flatten().map(|p| p.0).collect()
        } else {
            all().map(|p| p.0).collect()
        };
        let extents = [x.extent(xs), y.extent(all().map(|p| p.1).collect())];
        // Points and models may lie on lines.
        let joined = |(curve, points): (&Curve, &Coordinates)| {
            if curve.may_cover() { points.clone() } else { Vec::new() }
        };
        let lines: Vec<_> = curves.iter().zip(&points).map(joined).collect();
        let layers = overlap::layers(&lines, extents[1].width() / f64::from(CHART));
        let measured = curves.iter().scan(0, |count, curve| {
            let k = *count;
            *count += usize::from(!curve.is_model);
            Some(k)
        });
        let styles = curves.iter().zip(measured).zip(layers);
        let styles = styles.map(|((curve, k), layer)| curve.style(k, layer)).collect();
        let (x, y, curves) = (x.clone(), y.clone(), curves.clone());
        Self { x, y, extents, curves, points, models, styles, band, band_name }
    }

    fn draw(&self, area: &Area, sheet: &Sheet) -> Result<(), Error> {
        let named = self.curves.iter().map(|it| &it.name[..]).chain([&self.band_name[..]]);
        let is_named = self.curves.len() > 1 || !self.band.is_empty();
        let right = if is_named { names::column(named) } else { MARGIN };
        let (left, _) = area.split_horizontally(WIDTH - right);
        let [x, y] = self.extents.clone();
        let mut chart = ChartBuilder::on(&left)
            .margin_left(MARGIN)
            .margin_bottom(MARGIN / 2)
            .x_label_area_size(BELOW)
            .y_label_area_size(BESIDE)
            .build_cartesian_2d(x, y)
            .map_err(Error::new)?;
        let [bold, light] = sheet::grid();
        chart
            .configure_mesh()
            .x_desc(&*self.x.name)
            .y_desc(&*self.y.name)
            .x_label_formatter(&|x| self.x.label(*x))
            .y_label_formatter(&|y| self.y.label(*y))
            .label_style((FONT, SMALL))
            .axis_desc_style((FONT, SMALL + 1))
            .bold_line_style(bold)
            .light_line_style(light)
            .draw()
            .map_err(Error::new)?;
        let at = |point: &(f64, f64)| chart.backend_coord(point);
        let (xs, ys) = chart.plotting_area().get_pixel_range();
        self.draw_band(sheet, at)?;
        let mut order: Vec<_> = self.styles.iter().enumerate().collect();
        order.sort_by_key(|(k, _)| self.curves[*k].depth());
        for (k, style) in order {
            let (points, model) = (&self.points[k], &self.models[k]);
            let curve = if self.curves[k].model.is_some() { model } else { points };
            if self.curves[k].has_line {
                sheet.line(curve.iter().map(at).collect(), style)?;
            }
            points.iter().try_for_each(|point| sheet.mark(at(point), style))?;
        }
        self.draw_labels(sheet, at)?;
        if !is_named {
            return Ok(());
        }
        let mut all = Vec::new();
        for ((curve, points), style) in self.curves.iter().zip(&self.points).zip(&self.styles) {
            let (end, style) = (points.last().map(at), style.clone());
            if !curve.name.is_empty() {
                all.push(Name { text: &curve.name, style, end, has_line: curve.has_line });
            }
        }
        names::draw(sheet, &all, xs.end, [ys.start, ys.end])?;
        self.name_band(sheet, xs.end, ys.end)
    }

    fn draw_band(&self, sheet: &Sheet, at: impl Fn(&(f64, f64)) -> Place) -> Result<(), Error> {
        if self.band.is_empty() {
            return Ok(());
        }
        let upper = self.band.iter().map(|it| at(&it[1]));
        let lower = self.band.iter().rev().map(|it| at(&it[0]));
        sheet.fill(upper.chain(lower).collect(), BAND)
    }

    /// Names the band in the lower right corner.
    fn name_band(&self, sheet: &Sheet, left: i32, bottom: i32) -> Result<(), Error> {
        if self.band.is_empty() {
            return Ok(());
        }
        let (x, y) = (left + 22, bottom + LINE.cast_signed());
        sheet.fill(vec![(x, y - 6), (x + 30, y - 6), (x + 30, y + 6), (x, y + 6)], BAND)?;
        sheet.text((x + 38, y), &self.band_name, SMALL)
    }

    /// Labels the points, where labels do not cover one another.
    fn draw_labels(&self, sheet: &Sheet, at: impl Fn(&(f64, f64)) -> Place) -> Result<(), Error> {
        let mut taken: Vec<Place> = Vec::new();
        for (points, curve) in self.points.iter().zip(&self.curves) {
            for (point, label) in points.iter().zip(&curve.labels) {
                let (x, y) = at(point);
                let place = (x + OFFSET.0, y + OFFSET.1);
                let width = sheet::width(label, TINY).cast_signed();
                let is_free = |it: &Place| {
                    (it.0 - place.0).abs() > width || (it.1 - place.1).abs() > TINY.cast_signed()
                };
                if taken.iter().all(is_free) {
                    sheet.text(place, label, TINY)?;
                    taken.push(place);
                }
            }
        }
        Ok(())
    }
}
