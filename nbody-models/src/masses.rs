//! Masses of stars.

use crate::random::{Random, Stream};
use crate::{Error, Snapshot, room_for};

const LOWEST: f64 = 0.01;
const HIGHEST: f64 = 1000.0;

/// The initial mass function of stars: the number of stars in an interval of mass is proportional
/// to m^(−α) dm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassFunction {
    /// α = 2.35 (Salpeter 1955, Astrophys. J. 121, 161).
    Salpeter,
    /// α = 0.3 below 0.08 solar masses, 1.3 from there to 0.5, and 2.3 above (Kroupa 2001, Mon.
    /// Not. R. Astron. Soc. 322, 231, equation 2).
    Kroupa,
}

/// A power law of a mass function.
struct Part {
    least: f64,
    most: f64,
    /// The exponent of the number of stars below a mass, 1 − α.
    exponent: f64,
    /// Expected number of stars, up to a factor common to all parts.
    weight: f64,
}

impl MassFunction {
    /// Samples the masses of `n` stars between two limits, from 0.01 to 1000 solar masses, in
    /// solar masses. The same seed gives the same masses on every machine, independent of the
    /// positions and velocities of a model of the same seed.
    pub fn sample(self, n: usize, limits: [f64; 2], seed: u64) -> Result<Vec<f64>, Error> {
        let parts = self.parts(limits)?;
        let whole: f64 = parts.iter().map(|part| part.weight).sum();
        let mut masses = room_for(n, "a list of masses", n)?;
        let mut random = Random::of(seed, Stream::Masses);
        masses.extend((0..n).map(|_| mass(&parts, whole * random.uniform())));
        Ok(masses)
    }

    /// Returns the power laws between two limits.
    fn parts(self, [least, most]: [f64; 2]) -> Result<Vec<Part>, Error> {
        check("the least mass of a mass function", least, LOWEST, HIGHEST)?;
        check("the greatest mass of a mass function", most, least, HIGHEST)?;
        let laws: &[(f64, f64)] = match self {
            Self::Salpeter => &[(HIGHEST, 2.35)],
            Self::Kroupa => &[(0.08, 0.3), (0.5, 1.3), (HIGHEST, 2.3)],
        };
        let (mut parts, mut begin, mut factor) = (Vec::new(), least, 1.0);
        for (k, &(end, slope)) in laws.iter().enumerate() {
            let end = end.min(most);
            if end > begin || parts.is_empty() && k + 1 == laws.len() {
                let exponent = 1.0 - slope;
                let below = |m: f64| libm::pow(m, exponent) / exponent;
                let weight = factor * (below(end) - below(begin));
                parts.push(Part { least: begin, most: end, exponent, weight });
                begin = end;
            }
            // The law continues where the next one begins.
            if let Some((_, next)) = laws.get(k + 1) {
                factor *= libm::pow(laws[k].0, next - slope);
            }
        }
        Ok(parts)
    }
}

/// Returns the mass below which there is this weight of stars.
fn mass(parts: &[Part], mut below: f64) -> f64 {
    let last = parts.len() - 1;
    for part in &parts[..last] {
        if below < part.weight {
            return part.mass(below);
        }
        below -= part.weight;
    }
    parts[last].mass(below)
}

impl Part {
    /// Inverts the number of stars below a mass.
    fn mass(&self, below: f64) -> f64 {
        let [low, high] = [self.least, self.most].map(|m| libm::pow(m, self.exponent));
        let share = if self.weight > 0.0 { below / self.weight } else { 0.0 };
        let mass = libm::pow(low + share * (high - low), 1.0 / self.exponent);
        mass.clamp(self.least, self.most)
    }
}

fn check(what: &'static str, found: f64, low: f64, high: f64) -> Result<(), Error> {
    if (low..=high).contains(&found) {
        return Ok(());
    }
    Err(Error::OutOfRange { what, found, low, high })
}

impl Snapshot {
    /// Sets the masses to these ones, scaled to a total of 1, and moves the centre of mass to
    /// rest at the origin. Positions and velocities are otherwise kept, so that mass does not
    /// depend on place; [`virialise`](Self::virialise) restores the energy.
    ///
    /// There is a mass for each particle, finite and not negative, and their total is positive.
    pub fn set_masses(&mut self, masses: &[f64]) -> Result<(), Error> {
        let (what, found) = ("masses", masses.len());
        let expected = self.particles.len();
        if found != expected {
            return Err(Error::Count { what, found, expected });
        }
        for &mass in masses {
            check("the mass of a particle", mass, 0.0, f64::MAX)?;
        }
        let total: f64 = masses.iter().sum();
        check("the total mass", total, f64::MIN_POSITIVE, f64::MAX)?;
        for (particle, mass) in self.particles.iter_mut().zip(masses) {
            particle.mass = mass / total;
        }
        self.centre();
        Ok(())
    }
}
