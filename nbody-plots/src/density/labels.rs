//! The time, the scale bar and the colours of an image.

use std::convert::Infallible;

use embedded_graphics::mono_font::MonoTextStyle;
use embedded_graphics::mono_font::ascii::FONT_8X13;
use embedded_graphics::pixelcolor::BinaryColor;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Baseline, Text};

use super::{SIDE, SIZE, STRIP, Scale, Texts, View, WHITE, WIDTH};
use crate::numbers::ascii;

/// Distance of labels from the edges, in pixels.
const MARGIN: i32 = 12;
/// The longest scale bar as a part of the side.
const LONGEST: f64 = 0.25;
/// Height of the font, and width of its letters.
const LINE: i32 = 13;
const LETTER: usize = 8;
/// Width of the bar of colours.
const BAR: i32 = 16;

/// An image whose labels are white.
struct Canvas<'a>(&'a mut [u8]);

impl OriginDimensions for Canvas<'_> {
    fn size(&self) -> Size {
        Size::new(WIDTH as u32, SIZE as u32)
    }
}

impl DrawTarget for Canvas<'_> {
    type Color = BinaryColor;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<BinaryColor>>,
    {
        for Pixel(Point { x, y }, colour) in pixels {
            let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { continue };
            if colour.is_on() && x < WIDTH && y < SIZE {
                self.0[y * WIDTH + x] = WHITE;
            }
        }
        Ok(())
    }
}

impl Canvas<'_> {
    fn text(&mut self, text: &str, x: i32, y: i32) {
        let style = MonoTextStyle::new(&FONT_8X13, BinaryColor::On);
        let Ok(_) = Text::with_baseline(text, Point::new(x, y), style, Baseline::Top).draw(self);
    }

    fn fill(&mut self, x: i32, y: i32, width: i32, height: i32) {
        let size = Size::new(width.unsigned_abs(), height.unsigned_abs());
        let style = PrimitiveStyle::with_fill(BinaryColor::On);
        let Ok(()) = Rectangle::new(Point::new(x, y), size).into_styled(style).draw(self);
    }
}

/// Draws the labels onto the pixels of an image.
pub fn draw(pixels: &mut [u8], view: &View, scale: &Scale, texts: &Texts) {
    colour_bar(pixels, scale);
    let mut canvas = Canvas(pixels);
    canvas.text(&texts.title, MARGIN, MARGIN);
    let side = 2.0 * view.half;
    let length = round_below(LONGEST * side);
    let bar = (length / side * SIZE as f64).round() as i32;
    let bottom = i32::from(SIDE) - MARGIN;
    canvas.fill(MARGIN, bottom - 2, bar, 2);
    for end in [MARGIN, MARGIN + bar - 2] {
        canvas.fill(end, bottom - 8, 2, 8);
    }
    let length = format!("{} {}", ascii(length), texts.unit);
    canvas.text(length.trim_end(), MARGIN + 8, bottom - 10 - LINE);
    let width = i32::try_from(LETTER * texts.plane.len()).unwrap_or(0);
    canvas.text(&texts.plane, i32::from(SIDE) - MARGIN - width, bottom - LINE);
    let area = (side / SIZE as f64).powi(2);
    labels_of_colours(&mut canvas, scale, area);
}

/// Returns the row of the bar of colours for a part of its height.
fn row(part: f64) -> i32 {
    let (top, bottom) = (MARGIN + 3 * LINE, i32::from(SIDE) - MARGIN);
    bottom - 1 - (part * f64::from(bottom - 1 - top)).round() as i32
}

/// Draws the bar of colours.
fn colour_bar(pixels: &mut [u8], scale: &Scale) {
    let [top, bottom] = [row(1.0), row(0.0)];
    for y in top..=bottom {
        let part = f64::from(bottom - y) / f64::from(bottom - top);
        let colour = scale.colour(scale.least * (part * scale.range).exp());
        let begin = y.unsigned_abs() as usize * WIDTH + SIZE + MARGIN.unsigned_abs() as usize;
        pixels[begin..begin + BAR.unsigned_abs() as usize].fill(colour);
    }
}

/// Labels the powers of ten of the surface density.
fn labels_of_colours(canvas: &mut Canvas<'_>, scale: &Scale, area: f64) {
    let left = i32::from(SIDE) + MARGIN;
    canvas.text("mass per", left, MARGIN);
    canvas.text("area", left, MARGIN + LINE);
    let least = scale.least / area;
    let (first, last) = (least.log10(), (least.ln() + scale.range) / std::f64::consts::LN_10);
    let step = ((last - first) / 8.0).ceil().max(1.0);
    let mut power = (first / step).ceil() * step;
    while power <= last {
        let y = row((power - first) / (last - first));
        canvas.fill(left + BAR, y, 4, 1);
        let label = power_of_ten(power);
        let room = i32::from(STRIP) - MARGIN - BAR - 6;
        if label.len() * LETTER <= room.unsigned_abs() as usize {
            canvas.text(&label, left + BAR + 6, y - LINE / 2);
        }
        power += step;
    }
}

/// Formats a power of ten with a whole exponent.
fn power_of_ten(exponent: f64) -> String {
    // The sum rids zero of its sign.
    format!("1e{:.0}", exponent + 0.0)
}

/// Returns the greatest of 1, 2 and 5 times a power of ten up to this number.
fn round_below(x: f64) -> f64 {
    let power = 10_f64.powf(x.log10().floor());
    let factor = [5.0, 2.0].into_iter().find(|factor| factor * power <= x).unwrap_or(1.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_ten_have_whole_exponents() {
        assert_eq!([-3.0, -0.0, 12.0].map(power_of_ten), ["1e-3", "1e0", "1e12"]);
    }

    #[test]
    fn scale_bars_have_round_lengths() {
        let cases = [(1.0, 1.0), (1.9, 1.0), (2.0, 2.0), (0.99, 0.5), (7e20, 5e20), (3e-9, 2e-9)];
        for (x, expected) in cases {
            assert!((round_below(x) / expected - 1.0).abs() < 1e-12, "{x}: {}", round_below(x));
        }
    }
}
