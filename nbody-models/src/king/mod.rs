//! The King model.

mod profile;

use self::profile::Profile;
use crate::isotropic::speed;
use crate::random::Random;
use crate::{Error, Particle, Snapshot, room_for};

const LOWEST: f64 = 0.1;
const HIGHEST: f64 = 16.0;

/// Samples a King model of `n` equal masses in standard units, its centre of mass at rest at the
/// origin (King 1966, Astron. J. 71, 64), for a dimensionless central potential `w0` from 0.1 to
/// 16.
///
/// The distribution function is exp((ψ − v²/2) / σ²) − 1 where it is positive, and ψ the
/// potential relative to the edge; `w0` is ψ / σ² at the centre. A larger `w0` gives a higher
/// concentration: the ratio of the radii of the edge and of the core is 4.7 for 3, 18 for 6, 132
/// for 9. The potential is integrated from Poisson's equation.
///
/// The same seed gives the same particles on every machine. The energy is -1/4 up to the noise of
/// sampling, of order 1/√n; [`Snapshot::virialise`] makes it exact.
pub fn king(n: usize, w0: f64, seed: u64) -> Result<Snapshot, Error> {
    if n == 0 {
        return Err(Error::TooFew { what: "a King model", found: n, expected: 1 });
    }
    if !(LOWEST..=HIGHEST).contains(&w0) {
        let what = "the central potential of a King model";
        return Err(Error::OutOfRange { what, found: w0, low: LOWEST, high: HIGHEST });
    }
    let mut particles = room_for(n, "a King model", n)?;
    let profile = Profile::new(w0);
    let mut random = Random::new(seed);
    let mass = 1.0 / n as f64;
    particles.extend((0..n).map(|_| particle(&mut random, &profile, mass)));
    let mut snapshot = Snapshot { time: 0.0, particles };
    snapshot.centre();
    Ok(snapshot)
}

fn particle(random: &mut Random, profile: &Profile, mass: f64) -> Particle {
    let (radius, depth) = profile.at(1.0 - random.uniform());
    let escape = (2.0 * depth).sqrt();
    let weight = |q: f64| q * q * libm::expm1(depth * (1.0 - q * q));
    let speed = escape * speed(random, weight);
    let (length, velocity) = profile.units();
    Particle {
        mass,
        pos: random.direction().map(|x| x * radius * length),
        vel: random.direction().map(|x| x * speed * velocity),
    }
}
