//! The sheet of a plot: its title, its caption, and styles that all plots share. Text is written as
//! text elements, which need no fonts here.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use crate::curve::{Shape, Style};

/// A plot or an image could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the picture cannot be drawn: {0}")]
pub struct Error(String);

impl Error {
    pub(crate) fn new(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Width of a plot, in pixels.
pub const WIDTH: u32 = 960;
/// Space on all sides of a sheet.
pub const MARGIN: u32 = 16;
/// Height of a line of text.
pub const LINE: u32 = 18;
pub const FONT: &str = "sans-serif";
/// Heights of fonts in units of 1/1.24 pixels, which plotters takes.
pub const SMALL: u32 = 15;
const TITLE: u32 = 22;
/// Approximate width of a letter in percent of the height of its font, in the same units.
const LETTER: u32 = 45;

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
pub const GREY: RGBColor = RGBColor(150, 150, 150);
const LINES: RGBColor = RGBColor(210, 210, 210);

/// The whole sheet, in pixels from its upper left corner.
pub struct Sheet<'a, 'b>(&'a Area<'b>);

/// A place on a sheet.
pub type Place = (i32, i32);

impl Sheet<'_, '_> {
    /// Draws a line through places.
    pub fn line(&self, places: Vec<Place>, style: &Style) -> Result<(), Error> {
        let (dash, gap) = style.dash;
        if places.len() < 2 {
            return Ok(());
        }
        let drawn = if gap == 0 {
            self.0.draw(&PathElement::new(places, style.stroke))
        } else {
            self.0.draw(&DashedPathElement::new(places, dash, gap, style.stroke))
        };
        drawn.map_err(Error::new)
    }

    /// Draws the mark of a style at a place.
    pub fn mark(&self, at: Place, style: &Style) -> Result<(), Error> {
        let (size, fill) = (style.size(), style.stroke.filled());
        match style.shape {
            None => Ok(()),
            Some(Shape::Circle) => self.0.draw(&Circle::new(at, size, fill)),
            Some(shape) => {
                let corners = shape.corners(size.cast_signed());
                let places: Vec<_> = corners.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
                self.0.draw(&Polygon::new(places, fill))
            }
        }
        .map_err(Error::new)
    }

    /// Fills a polygon.
    pub fn fill(&self, places: Vec<Place>, colour: RGBColor) -> Result<(), Error> {
        self.0.draw(&Polygon::new(places, colour.filled())).map_err(Error::new)
    }

    /// Writes a text whose left end is at a place.
    pub fn text(&self, (x, y): Place, text: &str, font: u32) -> Result<(), Error> {
        let half = (0.4 * f64::from(font)) as i32;
        let text = Text::new(text.to_owned(), (x, y - half), (FONT, font));
        self.0.draw(&text).map_err(Error::new)
    }
}

/// Returns the style of the lines at ticks, and between them.
pub fn grid() -> [ShapeStyle; 2] {
    [LINES.stroke_width(1), LINES.mix(0.4).stroke_width(1)]
}

/// Returns the approximate width of a text, in pixels.
pub fn width(text: &str, font: u32) -> u32 {
    (LETTER * font * text.chars().count() as u32).div_ceil(100)
}

/// Draws a sheet with a body of this height. The body is drawn by its own area, and in pixels of the
/// whole sheet.
pub fn draw(
    title: &str,
    caption: &[String],
    height: u32,
    body: impl FnOnce(&Area, &Sheet) -> Result<(), Error>,
) -> Result<String, Error> {
    let caption: Vec<_> = caption.iter().flat_map(|it| wrapped(it)).collect();
    let head = MARGIN + 28 + LINE * caption.len() as u32;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, head + height)).into_drawing_area();
        root.fill(&WHITE).map_err(Error::new)?;
        let (top, rest) = root.split_vertically(head);
        let at = |x: u32, y: u32| (x.cast_signed(), y.cast_signed());
        let title = Text::new(title.to_owned(), at(MARGIN, MARGIN), (FONT, TITLE));
        top.draw(&title).map_err(Error::new)?;
        for (k, line) in caption.into_iter().enumerate() {
            let style = (FONT, SMALL).into_font().color(&BLACK.mix(0.7));
            let place = at(MARGIN, MARGIN + 28 + LINE * k as u32);
            top.draw(&Text::new(line, place, style)).map_err(Error::new)?;
        }
        body(&rest, &Sheet(&root))?;
        root.present().map_err(Error::new)?;
    }
    Ok(text)
}

/// Breaks a text into lines that fit the sheet.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if width(line, SMALL) + width(word, SMALL) + 2 * MARGIN < WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_are_broken_at_spaces() {
        let text = "many words ".repeat(40);
        let lines = wrapped(text.trim_end());
        assert!((3..=5).contains(&lines.len()), "{lines:?}");
        assert!(lines.iter().all(|line| width(line, SMALL) <= WIDTH - 2 * MARGIN), "{lines:?}");
        assert_eq!(lines.join(" "), text.trim_end());
        assert_eq!(wrapped(""), [""]);
    }
}
