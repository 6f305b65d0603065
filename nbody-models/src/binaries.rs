//! Binary stars.

use crate::random::{Random, Stream};
use crate::{Error, Particle, Snapshot, room_for};

/// The orbits of binary stars: semi-major axes uniform in the logarithm (Öpik 1924, Publ. Tartu
/// Obs. 25, 6), thermal eccentricities, of density 2e (Jeans 1919, Mon. Not. R. Astron. Soc. 79,
/// 408), and orientations and phases at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binaries {
    /// Least semi-major axis, positive, in the units of the snapshot.
    pub least: f64,
    /// Greatest semi-major axis, not below the least.
    pub most: f64,
}

impl Binaries {
    /// Divides the first particles of a snapshot, one for each of these shares, into two stars
    /// about their centre of mass; the share of the mass of a particle that the second star has is
    /// from 0 to 1. The stars of a binary come one after the other, before all other particles.
    ///
    /// The kinetic and the potential energy of the orbits come on top of the energies of the
    /// snapshot: scale it before. For G = 1. The same seed gives the same orbits on every machine,
    /// independent of the positions and velocities of a model of the same seed.
    pub fn divide(&self, snapshot: &mut Snapshot, shares: &[f64], seed: u64) -> Result<(), Error> {
        self.check(snapshot, shares)?;
        let count = snapshot.particles.len();
        let stars = count + shares.len();
        let mut particles = room_for(stars, "a cluster with binaries", stars)?;
        let mut random = Random::of(seed, Stream::Binaries);
        for (whole, &share) in snapshot.particles.iter().zip(shares) {
            particles.extend(self.stars(&mut random, whole, share));
        }
        particles.extend_from_slice(&snapshot.particles[shares.len()..]);
        snapshot.particles = particles;
        Ok(())
    }

    fn check(&self, snapshot: &Snapshot, shares: &[f64]) -> Result<(), Error> {
        let out = |what, found, low, high| Err(Error::OutOfRange { what, found, low, high });
        if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&self.least) {
            let what = "the least semi-major axis";
            return out(what, self.least, f64::MIN_POSITIVE, f64::MAX);
        }
        if !(self.least..f64::INFINITY).contains(&self.most) {
            return out("the greatest semi-major axis", self.most, self.least, f64::MAX);
        }
        let (found, expected) = (snapshot.particles.len(), shares.len());
        if found < expected {
            return Err(Error::TooFew { what: "a particle for each binary", found, expected });
        }
        let mut shares = shares.iter();
        match shares.find(|share| !(0.0..=1.0).contains(*share)) {
            Some(&share) => out("the share of the second star", share, 0.0, 1.0),
            None => Ok(()),
        }
    }

    /// Samples the two stars of a binary.
    fn stars(&self, random: &mut Random, whole: &Particle, share: f64) -> [Particle; 2] {
        let range = libm::log(self.most) - libm::log(self.least);
        let axis = self.least * libm::exp(range * random.uniform());
        let (pos, vel) = orbit(random, axis.clamp(self.least, self.most), whole.mass);
        let star = |mass: f64, lever: f64| Particle {
            mass,
            pos: [0, 1, 2].map(|c| whole.pos[c] + lever * pos[c]),
            vel: [0, 1, 2].map(|c| whole.vel[c] + lever * vel[c]),
        };
        let second = share * whole.mass;
        [star(whole.mass - second, -share), star(second, 1.0 - share)]
    }
}

/// Samples the position and the velocity of the second star relative to the first, for this
/// semi-major axis and total mass.
fn orbit(random: &mut Random, axis: f64, mass: f64) -> ([f64; 3], [f64; 3]) {
    let eccentricity = random.uniform().sqrt();
    let [cos, sin] = anomaly(random, eccentricity);
    let (major, minor) = plane(random);
    let ratio = (1.0 - eccentricity * eccentricity).sqrt();
    let speed = (mass / axis).sqrt() / (1.0 - eccentricity * cos);
    let (x, y) = (axis * (cos - eccentricity), axis * ratio * sin);
    let (vx, vy) = (-speed * sin, speed * ratio * cos);
    let of = |x: f64, y: f64| [0, 1, 2].map(|c| x * major[c] + y * minor[c]);
    (of(x, y), of(vx, vy))
}

/// Samples cosine and sine of the eccentric anomaly E at a random time. By Kepler's equation the
/// time spent in an interval of E is proportional to 1 − e cos E.
fn anomaly(random: &mut Random, eccentricity: f64) -> [f64; 2] {
    loop {
        let [cos, sin] = random.plane_direction();
        if random.uniform() * (1.0 + eccentricity) < 1.0 - eccentricity * cos {
            return [cos, sin];
        }
    }
}

/// Samples two perpendicular directions.
fn plane(random: &mut Random) -> ([f64; 3], [f64; 3]) {
    let first = random.direction();
    loop {
        let other = random.direction();
        let along: f64 = (0..3).map(|c| first[c] * other[c]).sum();
        let across = [0, 1, 2].map(|c| other[c] - along * first[c]);
        let length = (across[0] * across[0] + across[1] * across[1] + across[2] * across[2]).sqrt();
        // Near the first direction rounding errors would tilt the plane.
        if length > 1e-3 {
            return (first, across.map(|x| x / length));
        }
    }
}
