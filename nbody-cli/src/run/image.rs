//! Images of the density: the mass projected onto the xy plane, on a logarithmic colour scale.

use std::error::Error;
use std::io::Write;

use nbody::models::Snapshot;
use plotters::style::RGBColor;
use plotters::style::colors::colormaps::{ColorMap as _, ViridisRGB};
use serde::{Deserialize, Serialize};

/// Pixels along each axis.
const SIZE: usize = 512;
/// Weights of a pixel and its neighbours along an axis, among which the mass of a particle is
/// spread.
const SPREAD: [f64; 3] = [0.25, 0.5, 0.25];
/// Fraction of the total mass in a pixel of the brightest colour.
const BRIGHTEST: f64 = 1e-3;

/// The square region that all images of a run show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub centre: [f64; 2],
    /// Half the length of its sides.
    pub half: f64,
}

impl View {
    /// Writes an image as PNG: x to the right, y upwards. All images of a run have the same
    /// colours: from a single particle, the darkest, to a thousandth of the mass in a pixel.
    pub fn write(&self, snapshot: &Snapshot, to: impl Write) -> Result<(), Box<dyn Error>> {
        let mut encoder = png::Encoder::new(to, SIZE as u32, SIZE as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(palette());
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.colours(snapshot))?;
        Ok(writer.finish()?)
    }

    /// Returns the palette index of each pixel, row by row from the top.
    fn colours(&self, snapshot: &Snapshot) -> Vec<u8> {
        let mass = snapshot.mass();
        let least = SPREAD[0] * SPREAD[0] * mass / snapshot.particles.len().max(1) as f64;
        let range = (BRIGHTEST * mass / least).max(16.0).ln();
        // Most pixels have no mass.
        let height = |mass: f64| if mass > 0.0 { (mass / least).ln() / range } else { 0.0 };
        self.masses(snapshot).into_iter().map(|mass| colour(height(mass))).collect()
    }

    /// Returns the mass in each pixel.
    fn masses(&self, snapshot: &Snapshot) -> Vec<f64> {
        let mut masses = vec![0.0; SIZE * SIZE];
        let pixels_per_length = SIZE as f64 / (2.0 * self.half);
        for particle in &snapshot.particles {
            let column = (particle.pos[0] - self.centre[0] + self.half) * pixels_per_length;
            let row = (self.half - particle.pos[1] + self.centre[1]) * pixels_per_length;
            for (down, weight) in (-1_i8..=1).zip(SPREAD) {
                let Some(row) = pixel(row + f64::from(down)) else { continue };
                for (along, other) in (-1_i8..=1).zip(SPREAD) {
                    if let Some(column) = pixel(column + f64::from(along)) {
                        masses[row * SIZE + column] += weight * other * particle.mass;
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

/// Returns the palette index for a height from 0, the darkest, to 1, the brightest.
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
    use nbody::models::Particle;

    use super::*;

    fn snapshot(places: &[[f64; 2]]) -> Snapshot {
        let particle =
            |&[x, y]: &[f64; 2]| Particle { mass: 1.0, pos: [x, y, 7.0], ..Particle::default() };
        Snapshot { time: 0.0, particles: places.iter().map(particle).collect() }
    }

    fn view() -> View {
        View { centre: [1.0, 0.0], half: 2.0 }
    }

    #[test]
    fn masses_are_where_the_particles_are() {
        let at = |place: [f64; 2]| {
            let masses = view().masses(&snapshot(&[place]));
            let most = masses.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
            (most.0 % SIZE, most.0 / SIZE, masses.iter().sum::<f64>())
        };
        assert_eq!(at([1.0, 0.0]), (SIZE / 2, SIZE / 2, 1.0));
        assert_eq!(at([2.99, 0.0]), (SIZE - 2, SIZE / 2, 1.0));
        assert_eq!(at([1.0, 1.99]), (SIZE / 2, 1, 1.0));
        // Part of the mass is beyond the edge.
        assert_eq!(at([1.0, -2.0 + 1e-9]), (SIZE / 2, SIZE - 1, 0.75));
        for far in [[3.1, 0.0], [1.0, -2.1], [f64::MAX, 0.0], [-1e300, 1e300]] {
            assert_eq!(at(far).2, 0.0, "{far:?}");
        }
    }

    #[test]
    fn more_mass_is_brighter() {
        let many = [&[[0.0, 0.0]; 3][..], &[[2.0, 0.0]; 200]].concat();
        let colours = view().colours(&snapshot(&many));
        let at = |column: usize, row: usize| colours[row * SIZE + column];
        let (none, three, most) = (at(0, 0), at(SIZE / 4, SIZE / 2), at(3 * SIZE / 4, SIZE / 2));
        assert!(none == 0 && none < three && three < most, "{none} {three} {most}");
        assert_eq!(colours.len(), SIZE * SIZE);
        let brightness: Vec<_> = palette().chunks(3).map(|rgb| u32::from(rgb[1])).collect();
        assert!(brightness.len() == 256 && brightness.is_sorted(), "{brightness:?}");
    }
}
