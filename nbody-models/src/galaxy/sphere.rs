//! The spherical components: bulge and halo.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

use super::component::Component;
use super::profile::total_within;
use super::table::Table;
use crate::Particle;
use crate::random::Random;

/// A Hernquist sphere in the potential of the galaxy.
pub(super) struct Sphere {
    scale_length: f64,
    /// The share of a complete Hernquist sphere's mass that is within the truncation.
    share: f64,
    greatest_speed: Table,
    /// Dispersion along each axis of the Gaussian before truncation.
    dispersion: Table,
}

impl Sphere {
    pub fn new(component: Component) -> Self {
        let end = component.end();
        // The Jeans equation of an isotropic sphere: ρσ² is the integral of ρ M / r² over r.
        // `shell` is 4π r³ ρ.
        let pressure =
            Table::integral(end, |r| component.shell(r) * total_within(r) / (r * r * r * r));
        let greatest_speed = Table::greatest_speed();
        let dispersion = Table::new(end, |r| {
            let variance = pressure.at(r) * r * r * r / component.shell(r);
            widened(variance, greatest_speed.at(r))
        });
        let share = component.mass() / component.whole_mass();
        Self { scale_length: component.scale_length(), share, greatest_speed, dispersion }
    }

    /// Samples a particle.
    pub fn particle(&self, random: &mut Random, mass: f64) -> Particle {
        // Inverts M(r) = r² / (r + a)².
        let root = (self.share * (1.0 - random.uniform())).sqrt(); // above 0
        let radius = self.scale_length * root / (1.0 - root);
        let pos = random.direction().map(|x| x * radius);
        let (dispersion, greatest) = (self.dispersion.at(radius), self.greatest_speed.at(radius));
        loop {
            let vel = [0; 3].map(|_| dispersion * random.normal());
            if vel[0] * vel[0] + vel[1] * vel[1] + vel[2] * vel[2] <= greatest * greatest {
                return Particle { mass, pos, vel };
            }
        }
    }
}

/// Returns the dispersion of a Gaussian that has this variance along each axis after truncation at
/// the greatest speed; at most the greatest speed.
fn widened(variance: f64, greatest: f64) -> f64 {
    let (mut low, mut high) = (0.0, greatest);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if middle * middle * kept_variance(greatest / middle) < variance {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Returns the variance along an axis of a spatial Gaussian truncated at this many dispersions, in
/// units of its variance before truncation.
fn kept_variance(x: f64) -> f64 {
    let edge = FRAC_2_PI.sqrt() * x * libm::exp(-0.5 * x * x);
    1.0 - edge * x * x / (3.0 * (libm::erf(x * FRAC_1_SQRT_2) - edge))
}
