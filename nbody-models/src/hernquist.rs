//! The Hernquist model.

use crate::isotropic::speed;
use crate::random::Random;
use crate::{Error, Particle, Snapshot, room_for};

/// Mass fraction at which the sphere is truncated, at 198.5 scale radii.
const MASS_FRACTION: f64 = 0.99;
/// The scale radius in standard units: the potential energy of the whole sphere is -1/6 in its own.
const SCALE: f64 = 1.0 / 3.0;

/// Samples a Hernquist sphere of `n` equal masses in standard units, its centre of mass at rest
/// at the origin (Hernquist 1990, Astrophys. J. 356, 359): of density 1 / (r (r + a)³), with the
/// isotropic velocities of its distribution function (equation 17), truncated at the radius that
/// encloses 99% of the mass. The scale radius a is 1/3.
///
/// The same seed gives the same particles on every machine. The energy is -1/4 up to the
/// truncation and the noise of sampling; [`Snapshot::virialise`] makes it exact.
pub fn hernquist(n: usize, seed: u64) -> Result<Snapshot, Error> {
    if n == 0 {
        return Err(Error::TooFew { what: "a Hernquist sphere", found: n, expected: 1 });
    }
    let mut particles = room_for(n, "a Hernquist sphere", n)?;
    let mut random = Random::new(seed);
    let mass = 1.0 / n as f64;
    particles.extend((0..n).map(|_| particle(&mut random, mass)));
    let mut snapshot = Snapshot { time: 0.0, particles };
    snapshot.centre();
    Ok(snapshot)
}

fn particle(random: &mut Random, mass: f64) -> Particle {
    // In the model's own units: scale radius 1, G = M = 1. Inverts M(r) = r² / (r + 1)².
    let root = (MASS_FRACTION * (1.0 - random.uniform())).sqrt(); // above 0
    let radius = root / (1.0 - root);
    let depth = 1.0 - root; // 1 / (1 + radius)
    let weight = |q: f64| q * q * distribution(depth * (1.0 - q * q));
    let speed = (2.0 * depth).sqrt() * speed(random, weight);
    Particle {
        mass,
        pos: random.direction().map(|x| x * radius * SCALE),
        vel: random.direction().map(|x| x * speed / SCALE.sqrt()),
    }
}

/// Returns the density in phase space at a binding energy, up to a factor (equation 17).
fn distribution(energy: f64) -> f64 {
    let rest = 1.0 - energy;
    let (q, root) = (energy.sqrt(), rest.sqrt());
    let polynomial = (1.0 - 2.0 * energy) * (8.0 * energy * energy - 8.0 * energy - 3.0);
    (3.0 * libm::asin(q) + q * root * polynomial) / (rest * rest * root)
}
