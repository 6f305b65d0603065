//! Hard binaries: bound pairs whose binding energy is at least kT.

use nbody::Vector;
use nbody::models::{Particle, Snapshot};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Limit of the number of compared pairs, which only particles almost at rest exceed: each particle
/// is then compared with its neighbours along x.
const MOST: usize = 400_000_000;

/// Two particles, each the most strongly bound partner of the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binary {
    /// The indices of the particles in the snapshot, from 0.
    pub particles: [usize; 2],
    pub masses: [f64; 2],
    pub semi_major_axis: f64,
    pub eccentricity: f64,
    /// The binding energy, positive, and in units of kT.
    pub energy: f64,
    pub hardness: f64,
}

impl Binary {
    pub fn numbers(&self) -> [f64; 6] {
        let &Self { masses: [a, b], semi_major_axis, eccentricity, energy, hardness, .. } = self;
        [a, b, semi_major_axis, eccentricity, energy, hardness]
    }
}

/// Finds the hard binaries (Heggie 1975): their binding energy, without softening, is at least kT,
/// two thirds of the mean kinetic energy of a particle in the frame of the centre of mass. Units have
/// G = 1.
pub fn hard_binaries(snapshot: &Snapshot, kinetic: f64) -> Vec<Binary> {
    let all = &snapshot.particles;
    let temperature = 2.0 / 3.0 * kinetic / all.len() as f64;
    if !(temperature > 0.0 && temperature.is_finite()) {
        return Vec::new();
    }
    let mut order: Vec<_> = all.iter().map(|it| it.pos[0]).enumerate().collect();
    order.par_sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let most = MOST / all.len();
    // Each pair is found by the heavier particle, or by the first of equal ones along x.
    let bonds_of = |at: usize| {
        let (first, x) = order[at];
        let one = &all[first];
        // The kinetic energy of the motion about each other only weakens the bond.
        let reach = one.mass * one.mass / temperature;
        let is_near = move |other: &&(usize, f64)| (other.1 - x).abs() <= reach;
        let after = order[at + 1..].iter().take(most).take_while(is_near);
        let before = order[..at].iter().rev().take(most).take_while(is_near);
        let after = after.filter(|other| all[other.0].mass <= one.mass);
        let before = before.filter(|other| all[other.0].mass < one.mass);
        let bond = move |&(other, _): &(usize, f64)| (energy(one, &all[other]), [first, other]);
        // Coincident particles, of a softened run, have no orbit.
        let is_hard = |(energy, _): &(f64, _)| -energy >= temperature && energy.is_finite();
        after.chain(before).map(bond).filter(is_hard)
    };
    let bonds: Vec<_> = (0..order.len()).into_par_iter().flat_map_iter(bonds_of).collect();
    let mut strongest = vec![(0.0, usize::MAX); all.len()];
    for (energy, [a, b]) in bonds {
        for (one, other) in [(a, b), (b, a)] {
            if energy < strongest[one].0 {
                strongest[one] = (energy, other);
            }
        }
    }
    let partner = |(first, &(_, second)): (usize, &(f64, usize))| {
        let is_mutual = first < second && strongest.get(second).is_some_and(|it| it.1 == first);
        is_mutual.then_some((first, second))
    };
    let pairs = strongest.iter().enumerate().filter_map(partner);
    pairs.map(|pair| binary(all, pair, temperature)).collect()
}

/// Returns the energy of the motion of two particles about each other, negative if they are bound.
fn energy(a: &Particle, b: &Particle) -> f64 {
    let mass = a.mass + b.mass;
    let [d, v] = relative(a, b);
    if a.mass * b.mass == 0.0 {
        return 0.0;
    }
    0.5 * a.mass * b.mass / mass * v.norm2() - a.mass * b.mass / d.norm()
}

/// Returns the position and the velocity of a particle relative to another one.
fn relative(a: &Particle, b: &Particle) -> [Vector; 2] {
    [(a.pos, b.pos), (a.vel, b.vel)].map(|(a, b)| Vector(a) - Vector(b))
}

fn binary(all: &[Particle], (first, second): (usize, usize), temperature: f64) -> Binary {
    let (a, b) = (&all[first], &all[second]);
    let energy = -energy(a, b);
    let semi_major_axis = 0.5 * a.mass * b.mass / energy;
    let [d, v] = relative(a, b);
    let rest = d.cross(v).norm2() / ((a.mass + b.mass) * semi_major_axis);
    Binary {
        particles: [first, second],
        masses: [a.mass, b.mass],
        semi_major_axis,
        eccentricity: (1.0 - rest).max(0.0).sqrt(),
        energy,
        hardness: energy / temperature,
    }
}

#[cfg(test)]
mod tests {
    use nbody::models::plummer;

    use super::*;

    /// Returns two bodies at the pericentre of an orbit, about this place.
    fn orbit(masses: [f64; 2], a: f64, e: f64, place: f64) -> [Particle; 2] {
        let mass = masses[0] + masses[1];
        let (distance, speed) = (a * (1.0 - e), (mass / a * (1.0 + e) / (1.0 - e)).sqrt());
        [1.0, -1.0].map(|sign: f64| {
            let (own, other) = if sign > 0.0 { (0, 1) } else { (1, 0) };
            let part = sign * masses[other] / mass;
            Particle {
                mass: masses[own],
                pos: [place + part * distance, place, place],
                vel: [0.0, part * speed, 0.0],
            }
        })
    }

    #[test]
    fn orbits_are_found_with_their_elements() {
        let mut snapshot = plummer(300, 1).unwrap();
        let (a, e) = ([1e-4, 3e-4], [0.3, 0.9]);
        let of = |k: usize| orbit([2e-3, 1e-3], a[k], e[k], 0.1 + k as f64);
        snapshot.particles.splice(100..100, of(0));
        snapshot.particles.extend(of(1));
        let kinetic = snapshot.kinetic_energy();
        let found = hard_binaries(&snapshot, kinetic);
        let pairs: Vec<_> = found.iter().map(|it| it.particles).collect();
        assert_eq!(pairs, [[100, 101], [302, 303]], "{found:?}");
        for (k, it) in found.iter().enumerate() {
            let energy = 0.5 * 2e-6 / a[k];
            let expected = [a[k], e[k], energy, energy * 1.5 * 304.0 / kinetic];
            let values = [it.semi_major_axis, it.eccentricity, it.energy, it.hardness];
            for (value, expected) in values.into_iter().zip(expected) {
                assert!((value / expected - 1.0).abs() < 1e-9, "{it:?}");
            }
            assert_eq!(it.masses, [2e-3, 1e-3]);
        }
    }

    #[test]
    fn soft_unbound_and_cold_pairs_are_none() {
        let snapshot = |particles: &[[Particle; 2]]| Snapshot {
            time: 0.0,
            particles: particles.as_flattened().to_vec(),
        };
        let pairs = [orbit([1.0, 1.0], 1.0, 0.5, 0.0), orbit([1.0, 1.0], 2.0, 0.0, 99.0)];
        assert_eq!(hard_binaries(&snapshot(&pairs), 1.0).len(), 2);
        // A kT of 0.3 lies between the binding energies 0.5 and 0.25.
        let hard = hard_binaries(&snapshot(&pairs), 1.8);
        assert_eq!(hard.iter().map(|it| it.particles).collect::<Vec<_>>(), [[0, 1]]);
        assert!(hard_binaries(&snapshot(&pairs), 0.0).is_empty());
        let mut fast = pairs;
        fast.as_flattened_mut().iter_mut().for_each(|it| it.vel = it.vel.map(|v| 3.0 * v));
        assert!(hard_binaries(&snapshot(&fast), 1.0).is_empty());
        let same = pairs.map(|[a, b]| [a, Particle { pos: a.pos, ..b }]);
        assert!(hard_binaries(&snapshot(&same), 1.0).is_empty());
        let massless = pairs.map(|pair| pair.map(|it| Particle { mass: 0.0, ..it }));
        assert!(hard_binaries(&snapshot(&massless), 1.0).is_empty());
    }
}
