//! Frames of the film: the density of the stars on a logarithmic colour scale.

use std::io::Write;

use plotters::style::RGBColor;
use plotters::style::colors::colormaps::{ColorMap as _, ViridisRGB};

/// Pixels along each axis.
const SIZE: usize = 512;
/// Weights by which a star is spread over a pixel and its neighbours along an axis.
const SPREAD: [f64; 3] = [0.25, 0.5, 0.25];
/// Fraction of the stars in one pixel that gets the brightest colour.
const BRIGHTEST: f64 = 1e-2;
/// Distance from the centres of the galaxies to the edge of the image in scale lengths, with room
/// for tails.
const MARGIN: f64 = 8.0;

/// Square of the plane that all frames show, centred on the centre of mass.
pub struct View {
    /// Half the length of its sides.
    half: f64,
}

impl View {
    /// Returns the view for galaxies that begin at this distance.
    pub fn of(separation: f64) -> Self {
        Self { half: 0.5 * separation + MARGIN }
    }

    /// Writes a frame as PNG: x to the right, y upwards. Colours mean the same in all frames.
    pub fn write(&self, stars: &[[f64; 2]], to: impl Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(to, SIZE as u32, SIZE as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette());
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.colours(stars))?;
        writer.finish()
    }

    /// Returns the colours of the pixels, row by row from the top, as indices of the palette. The
    /// darkest colour stands for the edge of a single star.
    fn colours(&self, stars: &[[f64; 2]]) -> Vec<u8> {
        let least = SPREAD[0] * SPREAD[0];
        let range = (BRIGHTEST * stars.len() as f64 / least).max(16.0).ln();
        self.counts(stars).into_iter().map(|count| colour((count / least).ln() / range)).collect()
    }

    /// Returns the number of stars in each pixel.
    fn counts(&self, stars: &[[f64; 2]]) -> Vec<f64> {
        let mut counts = vec![0.0; SIZE * SIZE];
        let pixels_per_length = SIZE as f64 / (2.0 * self.half);
        for [x, y] in stars {
            let column = (self.half + x) * pixels_per_length;
            let row = (self.half - y) * pixels_per_length;
            for (down, weight) in (-1_i8..=1).zip(SPREAD) {
                let Some(row) = pixel(row + f64::from(down)) else { continue };
                for (along, other) in (-1_i8..=1).zip(SPREAD) {
                    if let Some(column) = pixel(column + f64::from(along)) {
                        counts[row * SIZE + column] += weight * other;
                    }
                }
            }
        }
        counts
    }
}

/// Returns the pixel of a coordinate, if it is in the image.
#[expect(clippy::cast_sign_loss, reason = "casts saturate")]
fn pixel(coordinate: f64) -> Option<usize> {
    (0.0..SIZE as f64).contains(&coordinate).then_some(coordinate as usize)
}

/// Returns the index of a colour on a scale from the darkest, 0, to the brightest, 1.
#[expect(clippy::cast_sign_loss, reason = "casts saturate")]
fn colour(height: f64) -> u8 {
    (255.0 * height) as u8
}

/// Returns red, green and blue of all colours.
fn palette() -> Vec<u8> {
    let colour = |index: u8| {
        let RGBColor(r, g, b) = ViridisRGB.get_color(f32::from(index) / 255.0);
        [r, g, b]
    };
    (0..=255).flat_map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_are_where_they_belong() {
        let at = |star: [f64; 2]| {
            let counts = View { half: 2.0 }.counts(&[star]);
            let most = counts.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
            (most.0 % SIZE, most.0 / SIZE, counts.iter().sum::<f64>())
        };
        assert_eq!(at([0.0, 0.0]), (SIZE / 2, SIZE / 2, 1.0));
        assert_eq!(at([1.99, 0.0]), (SIZE - 2, SIZE / 2, 1.0));
        assert_eq!(at([0.0, 1.99]), (SIZE / 2, 1, 1.0));
        for far in [[2.1, 0.0], [0.0, -2.1], [f64::MAX, 0.0], [f64::NAN, 0.0]] {
            assert_eq!(at(far).2, 0.0, "{far:?}");
        }
    }

    #[test]
    fn more_stars_are_brighter() {
        let stars = [&[[-1.0, 0.0]; 3][..], &[[1.0, 0.0]; 200]].concat();
        let colours = View { half: 2.0 }.colours(&stars);
        let at = |column: usize, row: usize| colours[row * SIZE + column];
        let (none, three, most) = (at(0, 0), at(SIZE / 4, SIZE / 2), at(3 * SIZE / 4, SIZE / 2));
        assert!(none == 0 && none < three && three < most, "{none} {three} {most}");
    }
}
