//! Tests whether a precision resolves the pairs of particles, by the digits of their positions and
//! by its range.

use std::cmp::Ordering;

use nbody::Precision;
use nbody::models::{Particle, Snapshot};
use rayon::prelude::*;

/// Least softened distance of a pair, in units of the rounding errors of positions: the force
/// between two particles this close has errors of some percent.
const LEAST: f64 = 64.0;
/// Range of distances whose powers are representable in `f32`.
const RANGE: [f64; 2] = [1e-10, 1e12];
/// A direction along which the places of lattices differ.
const DIRECTION: [f64; 3] = [0.613_7, 0.531_9, 0.583_3];
/// Limit of the number of tested particles within the rounding errors of another one along the
/// direction.
const MOST: usize = 10_000;

/// The first particles that a precision does not resolve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unheld {
    /// Two particles whose positions are rounded too coarsely for their distance.
    Pair { first: usize, second: usize, distance: f64 },
    /// A particle whose distance is out of range.
    Far { index: usize, distance: f64 },
}

/// Returns particles that a precision does not resolve, in a system with mass and size of about
/// one.
pub fn unheld(snapshot: &Snapshot, eps: f64, precision: Precision) -> Option<Unheld> {
    let (rounding, [least, most]) = match precision {
        Precision::Single => (f64::exp2(-24.0), RANGE),
        Precision::Mixed => (f64::exp2(-48.0), RANGE),
        Precision::Double => return None,
    };
    let far = snapshot.particles.iter().position(|it| extent(it) > most);
    if let Some(index) = far {
        return Some(Unheld::Far { index, distance: extent(&snapshot.particles[index]) });
    }
    let along = |it: &Particle| (0..3).map(|c| it.pos[c] * DIRECTION[c]).sum::<f64>();
    let mut sorted: Vec<_> =
        snapshot.particles.iter().enumerate().map(|(k, it)| (along(it), k)).collect();
    sorted.par_sort_by(|a, b| a.0.total_cmp(&b.0));
    for (at, &(place, k)) in sorted.iter().enumerate() {
        let reach = (LEAST * rounding * extent(&snapshot.particles[k])).max(least);
        if eps >= reach {
            continue;
        }
        let is_near = |other: &&(f64, usize)| (other.0 - place).abs() <= reach;
        let after = sorted[at + 1..].iter().take(MOST).take_while(is_near);
        let before = sorted[..at].iter().rev().take(MOST).take_while(is_near);
        for &(_, other) in after.chain(before) {
            let distance = distance(&snapshot.particles, k, other);
            // Particles at the same place coincide in every precision.
            if distance > 0.0 && distance.hypot(eps) < reach {
                let (first, second) = (k.min(other), k.max(other));
                return Some(Unheld::Pair { first, second, distance });
            }
        }
    }
    None
}

/// Returns two particles at the same place, at least one of them with mass: without softening the
/// force there is infinite or missing.
pub fn together(snapshot: &Snapshot) -> Option<(usize, usize)> {
    let place = |k: &usize| snapshot.particles[*k].pos;
    let mass = |k: usize| snapshot.particles[k].mass;
    let mut sorted: Vec<_> = (0..snapshot.particles.len()).collect();
    // Zeros of both signs are the same place; the heaviest particle comes first.
    let key = |k: &usize| place(k).map(|x| x + 0.0);
    sorted.sort_by(|a, b| {
        let of_place = key(a).into_iter().zip(key(b)).map(|(x, y)| x.total_cmp(&y));
        let of_place = of_place.fold(Ordering::Equal, Ordering::then);
        of_place.then(mass(*b).total_cmp(&mass(*a))).then(a.cmp(b))
    });
    let is_together = |pair: &&[usize]| place(&pair[0]) == place(&pair[1]) && mass(pair[0]) > 0.0;
    let pair = sorted.windows(2).find(is_together)?;
    Some((pair[0].min(pair[1]), pair[0].max(pair[1])))
}

/// Returns the distance of two particles; zero for two massless ones, which exert no forces on
/// each other.
fn distance(particles: &[Particle], a: usize, b: usize) -> f64 {
    let (a, b) = (&particles[a], &particles[b]);
    if a.mass == 0.0 && b.mass == 0.0 {
        return 0.0;
    }
    let [x, y, z] = [0, 1, 2].map(|c| a.pos[c] - b.pos[c]);
    x.hypot(y).hypot(z)
}

/// Returns the greatest magnitude of a coordinate.
fn extent(particle: &Particle) -> f64 {
    particle.pos.iter().fold(0.0, |most, x| x.abs().max(most))
}

#[cfg(test)]
mod tests {
    use nbody::models::plummer;

    use super::*;

    fn at(places: &[[f64; 3]]) -> Snapshot {
        let particle = |&pos: &[f64; 3]| Particle { mass: 1.0, pos, ..Particle::default() };
        Snapshot { time: 0.0, particles: places.iter().map(particle).collect() }
    }

    #[test]
    fn bodies_with_mass_are_not_at_the_place_of_others() {
        let body = |mass: f64, x: f64| Particle { mass, pos: [x, 0.0, 1.0], ..Particle::default() };
        for (bodies, expected) in [
            (&[(1.0, 1.0), (1.0, 2.0), (0.0, 3.0), (0.0, 3.0)][..], None),
            (&[(0.0, 3.0), (1.0, 2.0), (0.0, 3.0), (1.0, 3.0)], Some((0, 3))),
            (&[(1.0, 0.0), (1.0, 2.0), (1.0, -0.0)], Some((0, 2))),
            (&[], None),
        ] {
            let particles = bodies.iter().map(|&(mass, x)| body(mass, x)).collect();
            assert_eq!(together(&Snapshot { time: 0.0, particles }), expected, "{bodies:?}");
        }
    }

    #[test]
    fn pairs_need_digits_and_range() {
        let [single, mixed, double] = [Precision::Single, Precision::Mixed, Precision::Double];
        let pair = |x: f64, distance: f64| at(&[[x, 0.0, 0.0], [-1.0; 3], [x, distance, 0.0]]);
        for (snapshot, eps, fails) in [
            (plummer(1000, 1).unwrap(), 0.0, &[][..]),
            (pair(1.0, 1e-4), 0.0, &[]),
            (pair(1.0, 1e-6), 0.0, &[single]),
            (pair(1.0, 1e-6), 1e-4, &[]),
            (pair(1e6, 1.0), 0.0, &[single]),
            (pair(1.0, 1e-13), 0.0, &[single, mixed]),
            (pair(1e-12, 1e-11), 0.0, &[single, mixed]),
            (pair(1.0, 0.0), 0.0, &[]),
        ] {
            for precision in [single, mixed, double] {
                let found = unheld(&snapshot, eps, precision);
                assert_eq!(found.is_some(), fails.contains(&precision), "{precision}: {found:?}");
                if let Some(Unheld::Pair { first, second, .. }) = found {
                    assert_eq!([first, second], [0, 2], "{precision}");
                }
            }
        }
        let far = at(&[[0.0; 3], [1.0; 3], [0.0, -1e13, 0.0]]);
        let expected = Some(Unheld::Far { index: 2, distance: 1e13 });
        assert_eq!(unheld(&far, 0.0, mixed), expected);
        assert_eq!(unheld(&far, 0.0, double), None);
    }

    #[test]
    fn a_far_particle_does_not_hide_a_close_pair_nor_make_one() {
        let mut sphere = plummer(2000, 1).unwrap();
        sphere.particles.push(Particle { mass: 1e-3, pos: [1e9; 3], ..Particle::default() });
        assert_eq!(unheld(&sphere, 0.0, Precision::Single), None);
        let mut close = sphere.particles[7];
        close.pos[2] += 1e-7;
        sphere.particles.push(close);
        let found = unheld(&sphere, 0.0, Precision::Single);
        assert!(matches!(found, Some(Unheld::Pair { first: 7, second: 2001, .. })), "{found:?}");
    }
}
