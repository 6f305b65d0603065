//! Frames of the film: the density of the stars, with the time and a scale.

use nbody_plots::density::{Mass, Texts, View};

/// Distance from the centres of the galaxies to the edge of the image in scale lengths, with room
/// for tails.
const MARGIN: f64 = 8.0;

/// Returns the square of the plane that all frames show, centred on the centre of mass, of galaxies
/// that begin at this distance.
pub fn view(separation: f64) -> View {
    View { centre: [0.0; 2], half: 0.5 * separation + MARGIN }
}

/// Draws a frame as PNG: x to the right, y upwards.
pub fn draw(view: &View, stars: &[[f64; 2]], time: f64) -> Result<Vec<u8>, nbody_plots::Error> {
    let mass = 1.0 / stars.len().max(1) as f64;
    let masses: Vec<Mass> = stars.iter().map(|&star| (mass, star)).collect();
    let title = format!("t = {}", nbody_plots::ascii(time));
    let texts = Texts { title, plane: "xy".to_owned(), ..Texts::default() };
    let mut image = Vec::new();
    view.write(&masses, &texts, &mut image)?;
    Ok(image)
}
