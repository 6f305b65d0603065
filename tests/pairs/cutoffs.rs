//! Pairs at a cutoff, on every device and in every precision.

use nbody::prelude::*;

use super::functions::engines;

/// Number of particles within a cutoff.
#[nbody::interaction]
mod counted {
    pub struct Counted {
        pub reach: Real,
        pub unit: Real,
    }
    pub struct Place {
        pub pos: Point,
    }
    pub struct Found {
        pub count: Count,
        pub total: Real,
    }

    impl Interaction for Counted {
        type I = Place;
        type J = Place;
        type F = Found;
        const SELF_PAIRS: bool = true;

        fn cutoff(&self, _i: &Place, _j: &Place) -> Real {
            self.reach * self.unit
        }

        fn pair(&self, _i: &Place, _j: &Place, f: &mut Found) {
            f.count += 1;
            f.total += 1.0;
        }
    }
}
use counted::{Counted, Found, Place};

/// Distances below a cutoff, computed in several ways, and functions that are singular at it.
#[nbody::interaction]
mod singular {
    pub struct Singular {
        pub reach: Real,
    }
    pub struct Place {
        pub pos: Point,
    }
    pub struct Found {
        pub pairs: Count,
        /// Number of pairs whose distance is not less than the cutoff.
        pub beyond: Count,
        pub sum: Real,
    }

    impl Interaction for Singular {
        type I = Place;
        type J = Place;
        type F = Found;

        fn cutoff(&self, _i: &Place, _j: &Place) -> Real {
            self.reach
        }

        fn pair(&self, i: &Place, j: &Place, f: &mut Found) {
            let d = i.pos - j.pos;
            let r = d.norm();
            let r2 = d.norm2();
            let reach2 = self.reach * self.reach;
            f.pairs += 1;
            if !(r < self.reach && r2.sqrt() < self.reach && r2 * r2.rsqrt() < self.reach) {
                f.beyond += 1;
            }
            if !(r2 < reach2 && r / self.reach < 1.0 && r2 / reach2 < 1.0) {
                f.beyond += 1;
            }
            f.sum += (1.0 / (r - self.reach)).exp();
            f.sum += (1.0 - r / self.reach).ln() + (1.0 - r2 / reach2).sqrt();
            f.sum += (reach2 - r2).rsqrt();
        }
    }
}
use singular::Singular;

/// Returns a lattice of spacing 1/8 twice, so that many pairs are exactly at a cutoff, and some at
/// distance zero.
fn lattice() -> Vec<Place> {
    let axis = || (0..7).map(|k| f64::from(k) / 8.0);
    let points = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
    let places = points.map(|[x, y, z]| Place { pos: Point::new(x, y, z) });
    places.clone().chain(places).collect()
}

fn check_counts(reach: f64, options: Options) {
    let places = lattice();
    let difference = |a: f64, b: f64| match options.domain {
        Domain::Periodic(_) => (a - b) - (a - b).round(),
        _ => a - b,
    };
    let r2 =
        |i: &Place, j: &Place| (0..3).map(|c| difference(i.pos[c], j.pos[c]).powi(2)).sum::<f64>();
    let is_beyond = |i: &Place, j: &Place| r2(i, j) >= reach * reach;
    let expected = places.iter().map(|i| {
        let count = places.iter().filter(|j| !is_beyond(i, j)).count() as u32;
        Found { count, total: f64::from(count) }
    });
    let expected: Vec<Found> = expected.collect();
    // A parameter that is NaN is refused; a cutoff may be ∞ · 0.
    let law = if reach.is_nan() {
        Counted { reach: f64::INFINITY, unit: 0.0 }
    } else {
        Counted { reach, unit: 1.0 }
    };
    for (name, mut direct) in engines(law, options) {
        let found: Vec<Found> = direct.evaluate_self(&places).unwrap();
        assert_eq!(found, expected, "{reach}: {name}");
    }
}

#[test]
fn a_pair_at_the_cutoff_contributes_nothing() {
    // Cutoffs with no pairs, some and all; with a small and a large part of a bag.
    for reach in [0.0, -0.0, 0.125, -0.25, 0.375, 0.875, f64::INFINITY, f64::NAN] {
        check_counts(reach, Options::default());
    }
}

#[test]
fn a_pair_at_the_cutoff_contributes_nothing_in_any_schedule_and_order() {
    let ways = [
        Options::default().pairs(Pairs::Symmetric),
        Options::default().accumulation(Accumulation::Compensated),
        Options::default().domain(Domain::periodic([1.0; 3]).unwrap()),
        Options::default().order(SummationOrder { bag: 100, splits: 3 }),
        // A bag larger than the lists of hits.
        Options::default().order(SummationOrder { bag: 600, splits: 1 }),
    ];
    for (options, reach) in ways.into_iter().flat_map(|it| [0.0, 0.25].map(|reach| (it, reach))) {
        check_counts(reach, options);
    }
}

/// Returns particles on a sphere about the first one, at `radius` within 40 units of `roundoff`.
fn sphere(n: usize, radius: f64, roundoff: f64) -> Vec<singular::Place> {
    let uniform: Vec<singular::Place> = nbody::models::uniform(2 * n, 1);
    let (directions, distances) = uniform.split_at(n);
    let places = directions.iter().zip(distances).map(|(direction, distance)| {
        let direction = [0, 1, 2].map(|c| direction.pos[c] - 0.5);
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = radius / length * (1.0 + 80.0 * roundoff * (distance.pos[0] - 0.5));
        let [x, y, z] = direction.map(|x| x * scale);
        singular::Place { pos: Point::new(x, y, z) }
    });
    let centre = singular::Place { pos: Point::new(0.0, 0.0, 0.0) };
    std::iter::once(centre).chain(places).collect()
}

#[test]
fn distances_within_a_cutoff_are_less_however_they_are_computed() {
    let ways = [
        Options::default(),
        Options::default().pairs(Pairs::Symmetric),
        Options::default().accumulation(Accumulation::Compensated),
        Options::default().domain(Domain::periodic([64.0; 3]).unwrap()),
    ];
    for way in ways {
        for (name, mut direct) in engines(Singular { reach: 1.0 }, way) {
            for reach in [0.1, 0.3, 1.0, 1.37, 2.5, 3.999_999_9, 7.77] {
                check_singular(&name, &mut direct, reach);
            }
        }
    }
}

fn check_singular(name: &str, direct: &mut AllPairs<Singular>, reach: f64) {
    let is_double = direct.options().precision == Precision::Double;
    let roundoff = if is_double { f64::EPSILON / 2.0 } else { f64::from(f32::EPSILON) / 2.0 };
    // Round the cutoff to the precision, so that it is known exactly.
    let reach = if is_double { reach } else { f64::from(reach as f32) };
    let places = sphere(300, reach, roundoff);
    direct.set_parameters(Singular { reach });
    let found = direct.evaluate_self(&places).unwrap();
    for (k, (i, found)) in places.iter().zip(&found).enumerate() {
        let singular::Found { pairs, beyond, sum } = *found;
        assert_eq!(beyond, 0, "{name}: {reach}: particle {k}");
        assert!(sum.is_finite(), "{name}: {reach}: {sum}, particle {k}");
        let distances = places.iter().enumerate().filter(|&(l, _)| l != k);
        let distances = distances.map(|(_, j)| {
            let d = [0, 1, 2].map(|c| i.pos[c] - j.pos[c]);
            d.iter().map(|x| x * x).sum::<f64>().sqrt() / reach
        });
        let nearer = |than: f64| distances.clone().filter(|&r| r < than).count() as u32;
        let [fewest, most] = [1.0 - 40.0 * roundoff, 1.0 + 8.0 * roundoff].map(nearer);
        assert!((fewest..=most).contains(&pairs), "{name}: {reach}: {fewest} {pairs} {most}");
    }
}
