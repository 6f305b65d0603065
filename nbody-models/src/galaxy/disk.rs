//! The disk.

use std::f64::consts::PI;

use super::component::Component;
use super::profile::{total_shell, total_within};
use super::table::Table;
use crate::Particle;
use crate::random::Random;

/// Scale height.
const HEIGHT: f64 = 0.1;
/// The parameter of Toomre (1964, Astrophys. J. 139, 1217), at the radius where it is smallest.
const Q: f64 = 1.5;
const Q_RADIUS: f64 = 2.0;

/// An exponential disk in the potential of the galaxy; its scale length is 1.
pub(super) struct Disk {
    greatest_speed: Table,
    /// Radial velocity dispersion at the centre.
    central_dispersion: f64,
}

/// Mean velocity and dispersions at a radius.
struct Motion {
    mean: f64,
    radial: f64,
    tangential: f64,
    vertical: f64,
}

impl Disk {
    pub fn new() -> Self {
        let angular = (total_within(Q_RADIUS) / Q_RADIUS).sqrt() / Q_RADIUS;
        let epicyclic = 2.0 * angular * epicycle_ratio(Q_RADIUS);
        let dispersion = Q * 3.36 * surface_density(Q_RADIUS) / epicyclic;
        let central_dispersion = dispersion * libm::exp(0.5 * Q_RADIUS);
        Self { greatest_speed: Table::greatest_speed(), central_dispersion }
    }

    /// Samples a particle.
    pub fn particle(&self, random: &mut Random, mass: f64) -> Particle {
        let (radius, z) = (radius(random), height(random));
        let [cos, sin] = random.plane_direction();
        let motion = self.motion(radius);
        let greatest = self.greatest_speed.at((radius * radius + z * z).sqrt());
        loop {
            let v = motion.radial * random.normal();
            let w = motion.mean + motion.tangential * random.normal();
            let vz = motion.vertical * random.normal();
            if v * v + w * w + vz * vz <= greatest * greatest {
                let vel = [v * cos - w * sin, v * sin + w * cos, vz];
                return Particle { mass, pos: [radius * cos, radius * sin, z], vel };
            }
        }
    }

    fn motion(&self, radius: f64) -> Motion {
        let ratio = epicycle_ratio(radius);
        let radial = self.central_dispersion * libm::exp(-0.5 * radius);
        // The Jeans equation: the disk's density and its radial variance both fall as exp(-R).
        let drift = radial * radial * (1.0 - ratio * ratio - 2.0 * radius);
        let mean = (total_within(radius) / radius + drift).max(0.0).sqrt();
        let vertical = vertical_variance(radius).sqrt();
        Motion { mean, radial, tangential: radial * ratio, vertical }
    }
}

/// Samples the distance from the axis from R exp(−R), the density of the sum of two exponentially
/// distributed numbers.
fn radius(random: &mut Random) -> f64 {
    loop {
        let (u, v) = (1.0 - random.uniform(), 1.0 - random.uniform()); // above 0
        let radius = -libm::log(u * v);
        if radius > 0.0 && radius < Component::Disk.end() {
            return radius;
        }
    }
}

/// Samples the height over the plane from sech²(z/z₀), whose integral is tanh(z/z₀).
fn height(random: &mut Random) -> f64 {
    let height = HEIGHT * libm::atanh(random.uniform());
    if random.below(2) == 0 { height } else { -height }
}

fn surface_density(radius: f64) -> f64 {
    Component::Disk.whole_mass() * libm::exp(-radius) / (2.0 * PI)
}

/// Returns the epicyclic frequency in units of twice the angular frequency.
fn epicycle_ratio(radius: f64) -> f64 {
    0.5 * (1.0 + total_shell(radius) / total_within(radius)).sqrt()
}

/// Returns the vertical velocity variance by the virial theorem: the mean of z times the vertical
/// attraction. The attraction of the disk is 2πΣ tanh(z/z₀); the attraction of the bulge and the
/// halo is proportional to z near the plane. The mean of z² is π² z₀² / 12.
fn vertical_variance(radius: f64) -> f64 {
    let distance = (radius * radius + HEIGHT * HEIGHT).sqrt();
    let spheres = Component::Bulge.mass_within(distance) + Component::Halo.mass_within(distance);
    let attraction = spheres / (distance * distance * distance);
    PI * surface_density(radius) * HEIGHT + PI * PI / 12.0 * HEIGHT * HEIGHT * attraction
}
