//! The Plummer model.

use std::f64::consts::{PI, SQRT_2};

use crate::random::Random;
use crate::{Error, Particle, Snapshot, room_for};

/// Mass fraction at which the sphere is truncated, at 38.7 scale radii.
const MASS_FRACTION: f64 = 0.999;

/// Samples a Plummer sphere of `n` equal masses in standard units, its centre of mass at rest at
/// the origin: the recipe of Aarseth, Hénon & Wielen (1974, A&A 37, 183), truncated at the radius
/// that encloses 99.9% of the mass.
///
/// The same seed gives the same particles on every machine. The energy is -1/4 up to the noise of
/// sampling, of order 1/√n; [`Snapshot::virialise`] makes it exact.
pub fn plummer(n: usize, seed: u64) -> Result<Snapshot, Error> {
    if n == 0 {
        return Err(Error::TooFew { what: "a Plummer sphere", found: n, expected: 1 });
    }
    let mut random = Random::new(seed);
    let mass = 1.0 / n as f64;
    let mut particles = room_for(n, "a Plummer sphere", n)?;
    particles.extend((0..n).map(|_| particle(&mut random, mass)));
    let mut snapshot = Snapshot { time: 0.0, particles };
    snapshot.centre();
    Ok(snapshot)
}

fn particle(random: &mut Random, mass: f64) -> Particle {
    // In the model's own units: scale radius 1, G = M = 1.
    let fraction = 1.0 - random.uniform(); // above 0
    let root = libm::cbrt(MASS_FRACTION * fraction);
    let radius = root / (1.0 - root * root).sqrt();
    let escape = SQRT_2 / libm::sqrt(libm::sqrt(1.0 + radius * radius));
    let speed = speed_fraction(random) * escape;
    // The scale radius is 3π/16 in standard units.
    let scale = 3.0 * PI / 16.0;
    Particle {
        mass,
        pos: random.direction().map(|x| x * radius * scale),
        vel: random.direction().map(|x| x * speed / scale.sqrt()),
    }
}

/// Samples the speed in units of the escape speed from q² (1 − q²)^(7/2), by rejection.
fn speed_fraction(random: &mut Random) -> f64 {
    loop {
        let (q, y) = (random.uniform(), 0.1 * random.uniform());
        let rest = 1.0 - q * q;
        if y < q * q * rest * rest * rest * rest.sqrt() {
            return q;
        }
    }
}
