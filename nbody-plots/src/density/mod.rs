//! Images of the density: mass projected onto a plane, on a logarithmic colour scale, with the time,
//! a scale bar and the colours.

mod labels;

use std::io::Write;

use plotters::style::RGBColor;
use plotters::style::colors::colormaps::{ColorMap as _, ViridisRGB};

use crate::Error;

/// Pixels of the density along each axis.
const SIDE: u16 = 512;
const SIZE: usize = SIDE as usize;
/// Pixels of the strip on the right, with the colours.
const STRIP: u16 = 96;
const WIDTH: usize = SIZE + STRIP as usize;
/// The number of colours of the density; then come the colours of the labels and of the strip.
const COLOURS: u8 = 254;
const WHITE: u8 = COLOURS;
const BLACK: u8 = COLOURS + 1;
/// Fraction of the total mass in a pixel of the brightest colour.
const BRIGHTEST: f64 = 1e-3;
/// Width of the spot of a particle among `MANY`, and of the largest spots, in pixels.
const NARROW: f64 = 0.7;
const WIDE: f64 = 3.0;
const MANY: f64 = 1e5;
/// The density of a single particle at its place, in units of the darkest density.
const SINGLE: f64 = 4.0;

/// The square region of a plane that an image shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Its centre.
    pub centre: [f64; 2],
    /// Half the length of its sides.
    pub half: f64,
}

/// Texts of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// The text in the upper left corner, such as the time.
    pub title: String,
    /// The unit of the length of the scale bar, which may be empty.
    pub unit: String,
    /// The text in the lower right corner, such as the names of the axes.
    pub plane: String,
}

/// A mass and its place on the plane of an image.
pub type Mass = (f64, [f64; 2]);

/// The spot that a particle is spread over: the same weights along both axes, with a sum of one.
struct Spot {
    weights: Vec<f64>,
}

/// The colours of masses in a pixel.
struct Scale {
    /// The mass of the darkest colour.
    least: f64,
    /// The logarithm of the greatest mass in units of the least.
    range: f64,
}

impl Spot {
    /// Returns the spot of one of `n` particles: fewer are larger, so that they can be seen.
    fn of(n: usize) -> Self {
        let width = (NARROW * (MANY / n.max(1) as f64).powf(0.2)).clamp(NARROW, WIDE);
        let reach = (2.0 * width).round() as i32;
        let weight = |k: i32| (-0.5 * (f64::from(k) / width).powi(2)).exp();
        let weights: Vec<_> = (-reach..=reach).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        Self { weights: weights.into_iter().map(|weight| weight / sum).collect() }
    }

    /// Returns the weights with their distance from the centre.
    fn weights(&self) -> impl Iterator<Item = (f64, f64)> {
        let reach = (self.weights.len() / 2) as f64;
        self.weights.iter().enumerate().map(move |(k, &weight)| (k as f64 - reach, weight))
    }

    fn peak(&self) -> f64 {
        let middle = self.weights[self.weights.len() / 2];
        middle * middle
    }
}

impl Scale {
    fn of(masses: &[Mass], spot: &Spot) -> Self {
        let mass: f64 = masses.iter().map(|it| it.0).sum();
        let n = masses.len().max(1) as f64;
        let least = spot.peak() / SINGLE * mass / n;
        Self { least, range: (BRIGHTEST * mass / least).max(SINGLE * SINGLE).ln() }
    }

    /// Returns the palette index of a mass in a pixel.
    #[expect(clippy::cast_sign_loss, reason = "casts saturate")]
    fn colour(&self, mass: f64) -> u8 {
        // Most pixels have no mass.
        let height = if mass > 0.0 { (mass / self.least).ln() / self.range } else { 0.0 };
        (f64::from(COLOURS - 1) * height.min(1.0)) as u8
    }
}

impl View {
    /// Writes an image as PNG: x to the right, y upwards. All images of a run have the same
    /// colours: from a single particle, a dark one, to a thousandth of the mass in a pixel.
    pub fn write(&self, masses: &[Mass], texts: &Texts, to: impl Write) -> Result<(), Error> {
        let mut encoder = png::Encoder::new(to, WIDTH as u32, SIZE as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette());
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(Error::new)?;
        writer.write_image_data(&self.pixels(masses, texts)).map_err(Error::new)?;
        writer.finish().map_err(Error::new)
    }

    /// Returns the palette index of each pixel, row by row from the top.
    fn pixels(&self, masses: &[Mass], texts: &Texts) -> Vec<u8> {
        let spot = Spot::of(masses.len());
        let scale = Scale::of(masses, &spot);
        let mut pixels = vec![BLACK; WIDTH * SIZE];
        let rows = pixels.chunks_exact_mut(WIDTH);
        for (row, masses) in rows.zip(self.masses(masses, &spot).chunks_exact(SIZE)) {
            for (pixel, &mass) in row.iter_mut().zip(masses) {
                *pixel = scale.colour(mass);
            }
        }
        labels::draw(&mut pixels, self, &scale, texts);
        pixels
    }

    /// Returns the mass in each pixel.
    fn masses(&self, of: &[Mass], spot: &Spot) -> Vec<f64> {
        let mut masses = vec![0.0; SIZE * SIZE];
        let pixels_per_length = SIZE as f64 / (2.0 * self.half);
        for (mass, [x, y]) in of {
            let column = (x - self.centre[0] + self.half) * pixels_per_length;
            let row = (self.half - y + self.centre[1]) * pixels_per_length;
            for (down, weight) in spot.weights() {
                let Some(row) = pixel(row + down) else { continue };
                for (along, other) in spot.weights() {
                    if let Some(column) = pixel(column + along) {
                        masses[row * SIZE + column] += weight * other * mass;
                    }
                }
            }
        }
        masses
    }
}

/// Returns the pixel of a coordinate; `None` outside of the image.
#[expect(clippy::cast_sign_loss, reason = "casts saturate")]
fn pixel(coordinate: f64) -> Option<usize> {
    (0.0..SIZE as f64).contains(&coordinate).then_some(coordinate as usize)
}

/// Returns red, green and blue of all colours.
fn palette() -> Vec<u8> {
    let colour = |index: u8| {
        let RGBColor(r, g, b) = ViridisRGB.get_color(f32::from(index) / f32::from(COLOURS - 1));
        [r, g, b]
    };
    let labels = [[255; 3], [0; 3]];
    (0..COLOURS).map(colour).chain(labels).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masses(places: &[[f64; 2]]) -> Vec<Mass> {
        places.iter().map(|&place| (1.0, place)).collect()
    }

    fn view() -> View {
        View { centre: [1.0, 0.0], half: 2.0 }
    }

    #[test]
    fn masses_are_where_the_particles_are() {
        for n in [1, 1000, 1_000_000] {
            let spot = Spot::of(n);
            let at = |place: [f64; 2]| {
                let found = view().masses(&masses(&[place]), &spot);
                let most = found.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
                (most.0 % SIZE, most.0 / SIZE, found.iter().sum::<f64>())
            };
            let whole = |(column, row, mass): (usize, usize, f64)| {
                assert!((mass - 1.0).abs() < 1e-12, "{mass}");
                (column, row)
            };
            assert_eq!(whole(at([1.0, 0.0])), (SIZE / 2, SIZE / 2));
            assert_eq!(whole(at([2.9, 0.0])), (SIZE - 13, SIZE / 2));
            assert_eq!(whole(at([1.0, 1.9])), (SIZE / 2, 12));
            // Part of the mass is beyond the edge.
            let (column, row, mass) = at([1.0, -2.0 + 1e-9]);
            assert!((column, row) == (SIZE / 2, SIZE - 1) && (0.5..0.8).contains(&mass), "{mass}");
            for far in [[3.2, 0.0], [1.0, -2.2], [f64::MAX, 0.0], [-1e300, 1e300]] {
                assert_eq!(at(far).2, 0.0, "{far:?}");
            }
        }
    }

    #[test]
    fn more_mass_is_brighter_and_single_bodies_can_be_seen() {
        let texts = Texts::default();
        let many = [&[[0.0, 0.0]; 3][..], &[[2.0, 0.0]; 200]].concat();
        let pixels = view().pixels(&masses(&many), &texts);
        let at = |pixels: &[u8], column: usize, row: usize| pixels[row * WIDTH + column];
        let three = at(&pixels, SIZE / 4, SIZE / 2);
        let (none, most) = (at(&pixels, SIZE / 2, 64), at(&pixels, 3 * SIZE / 4, SIZE / 2));
        assert!(none == 0 && none < three && three < most, "{none} {three} {most}");
        assert_eq!(pixels.len(), WIDTH * SIZE);
        for n in [1, 3, 1000] {
            let places: Vec<_> = (0..n).map(|k| [f64::from(k % 40) * 0.05, 0.5]).collect();
            let pixels = view().pixels(&masses(&places), &texts);
            assert!(at(&pixels, SIZE / 4, 3 * SIZE / 8) >= COLOURS / 4, "{n}");
        }
        let palette = palette();
        assert_eq!(palette.len(), 3 * 256);
        let green = palette[..3 * usize::from(COLOURS)].chunks(3).map(|rgb| rgb[1]);
        assert!(green.is_sorted());
    }
}
