//! The uniform sphere.

use crate::random::Random;
use crate::{Error, Particle, Snapshot, room_for};

/// Samples `n` equal masses of a sphere of uniform density about the origin.
///
/// All velocities are zero: the sphere is cold, and [`Snapshot::virialise`] refuses it. The total
/// mass is 1 and the unit of length is the radius of the sphere; these are not standard units. The
/// centre of mass is at rest, but at the origin only up to the noise of sampling, of order 1/√n;
/// [`Snapshot::centre`] moves it there. The same seed gives the same particles on every machine.
pub fn uniform_sphere(n: usize, seed: u64) -> Result<Snapshot, Error> {
    if n == 0 {
        return Err(Error::TooFew { what: "a uniform sphere", found: n, expected: 1 });
    }
    let mut random = Random::new(seed);
    let mass = 1.0 / n as f64;
    let mut particle = || Particle { mass, pos: position(&mut random), ..Particle::default() };
    let mut particles = room_for(n, "a uniform sphere", n)?;
    particles.extend((0..n).map(|_| particle()));
    Ok(Snapshot { time: 0.0, particles })
}

/// Samples a point uniformly in the unit sphere: its volume within the radius r is r³.
fn position(random: &mut Random) -> [f64; 3] {
    let radius = libm::cbrt(random.uniform());
    random.direction().map(|x| x * radius)
}
