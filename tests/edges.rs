//! Pairs at a cutoff, roots and quotients of extreme numbers: on every device, in every precision.

use nbody::prelude::*;
use nbody::{Case, Interaction};
use nbody_tests::lists::Lists;

/// Number of particles within a cutoff.
#[nbody::interaction]
mod counted {
    pub struct Counted {
        pub reach: Real,
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
            self.reach
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

/// Roots and quotients of the numbers of i and j.
#[nbody::interaction]
mod quotients {
    pub struct Quotients;
    pub struct Number {
        pub x: Real,
    }
    pub struct Found {
        pub root: Real,
        pub square: Real,
        pub fifth: Real,
        pub quotient: Real,
        pub scaled: Vector<2>,
    }

    impl Interaction for Quotients {
        type I = Number;
        type J = Number;
        type F = Found;

        fn pair(&self, i: &Number, j: &Number, f: &mut Found) {
            f.root += j.x.rsqrt();
            f.square += j.x.rsqrt().powi(2);
            f.fifth += j.x.rsqrt().powi(5);
            let mut quotient = i.x / j.x;
            quotient /= 3.0;
            f.quotient += quotient;
            f.scaled += Vector::new(i.x, 1.0) / j.x;
        }
    }
}
use quotients::{Number, Quotients};

/// Sums of numbers of j, of those within a reach and of all.
#[nbody::interaction]
mod sums {
    pub struct Summed {
        pub reach: Real,
    }
    pub struct Total;
    pub struct Term {
        pub pos: Point,
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    impl Interaction for Summed {
        type I = Term;
        type J = Term;
        type F = Sum;

        fn cutoff(&self, _i: &Term, _j: &Term) -> Real {
            self.reach
        }

        fn pair(&self, _i: &Term, j: &Term, f: &mut Sum) {
            f.sum += j.x;
        }
    }

    impl Interaction for Total {
        type I = Term;
        type J = Term;
        type F = Sum;

        fn pair(&self, i: &Term, j: &Term, f: &mut Sum) {
            f.sum += j.x * (1.0 + (i.pos - j.pos).norm2());
        }
    }
}
use sums::{Summed, Term, Total};

/// Engines on every device with these options, in every precision and mathematics, with their names.
fn engines<X: Interaction>(
    interaction: X,
    options: Options,
) -> impl Iterator<Item = (String, AllPairs<X>)> {
    let numerics = Precision::ALL.iter().flat_map(move |&precision| {
        [Math::Fast, Math::Exact].map(|math| options.precision(precision).math(math))
    });
    nbody_tests::all_devices().into_iter().flat_map(move |device| {
        numerics.clone().map(move |options| {
            let name = format!("{device}, {options}");
            (name, AllPairs::with_options(&device, interaction, options).unwrap())
        })
    })
}

/// A lattice of spacing 1/8, twice, so that many pairs are exactly at a cutoff, and some at distance
/// zero.
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
    for (name, mut direct) in engines(Counted { reach }, options) {
        let found: Vec<Found> = direct.evaluate_self(&places).unwrap();
        assert_eq!(found, expected, "{reach}: {name}");
    }
}

#[test]
fn a_pair_at_the_cutoff_contributes_nothing() {
    // Cutoffs with no pairs, some and all; a few of a bag and most of it.
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

/// Particles on a sphere about the first of them, at this radius up to 40 units of `roundoff`.
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
    direct.set_interaction(Singular { reach });
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

#[test]
fn roots_and_quotients_are_right_to_the_last_places() {
    for (name, mut direct) in engines(Quotients, Options::default()) {
        let Options { precision, .. } = direct.options();
        let (ulp, exponent) = if precision == Precision::Double {
            (f64::EPSILON, 200)
        } else {
            (2_f64.powi(-23), 24)
        };
        for x in [1.0, 1.5, 3.0, 2_f64.powi(exponent), 1.75 * 2_f64.powi(-exponent), 0.7, 1e-3] {
            let found = direct.evaluate(&[Number { x: 5.0 }], &[Number { x }]).unwrap()[0];
            // Rounded to the precision.
            let x = if precision == Precision::Double { x } else { f64::from(x as f32) };
            let near = |found: f64, expected: f64, ulps: f64| {
                assert!((found / expected - 1.0).abs() < ulps * ulp, "{x}: {found} {name}");
            };
            near(found.root, x.sqrt().recip(), 3.0);
            near(found.square, x.recip(), 6.0);
            near(found.fifth, (x * x * x.sqrt()).recip(), 14.0);
            near(found.quotient, 5.0 / x / 3.0, 4.0);
            near(found.scaled[0], 5.0 / x, 3.0);
            near(found.scaled[1], x.recip(), 3.0);
        }
    }
}

#[test]
fn compensated_sums_of_infinite_terms_are_infinite() {
    let options = Options::default().accumulation(Accumulation::Compensated);
    for (name, mut direct) in engines(Quotients, options) {
        let number = |x| Number { x };
        let mut found = |j: &[f64]| {
            let j: Vec<Number> = j.iter().copied().map(number).collect();
            direct.evaluate(&[number(-1.0)], &j).unwrap()[0]
        };
        let mixed = found(&[1.0, 0.0, 2.0]);
        assert_eq!([mixed.root, mixed.scaled[1]], [f64::INFINITY; 2], "{name}");
        assert_eq!([mixed.quotient, mixed.scaled[0]], [f64::NEG_INFINITY; 2], "{name}");
        // Infinities of both signs, and NaN.
        assert!(found(&[0.0, -0.0]).quotient.is_nan(), "{name}");
        assert!(found(&[1.0, f64::NAN, 2.0]).root.is_nan(), "{name}");
        assert!(found(&[1.0, 4.0]).root == 1.5, "{name}");
    }
}

/// Rounding errors of sums of equal terms have one sign, and so do the errors of adding these up: for
/// the first of these terms they would reach six roundoffs.
#[test]
fn compensated_sums_of_many_terms_are_within_their_bounds() {
    const N: usize = 1 << 16;
    let reach = Summed { reach: 1.0 };
    let terms: [fn(usize) -> f64; 3] = [
        |_| 16_465_439.0 / 8_388_608.0,
        |k| 0.1 * (k % 7) as f64,
        |k| [3e4, 0.1, -3e4, 0.3][k % 4],
    ];
    let order = SummationOrder::default();
    for (turn, term) in terms.into_iter().enumerate() {
        let place = |x: f64| Term { pos: Point::new(0.25, 0.25, 0.5), x };
        let j: Vec<Term> = (0..N).map(|k| place(term(k))).collect();
        let near = Case::two_sets(&reach, Domain::Open, vec![place(1.0)], j.clone());
        let all = Case::two_sets(&Total, Domain::Open, vec![place(1.0)], j);
        for device in Device::all() {
            for (way, math) in [Math::Exact, Math::Fast].into_iter().enumerate() {
                let options = Options::default().accumulation(Accumulation::Compensated).math(math);
                let options = options.precision(Precision::ALL[(turn + way) % 3]);
                let check = |engine: &mut dyn FnMut(&Options) -> nbody::Report| {
                    for options in [options, options.order(order)] {
                        let report = engine(&options);
                        assert!(report.passes(), "{device}, {options:?}, {turn}: {report}");
                    }
                };
                check(&mut |options| {
                    let mut direct = AllPairs::with_options(&device, Total, *options).unwrap();
                    all.check(&mut direct, options).unwrap()
                });
                // The emulator would build lists and trees for minutes.
                if !device.is_cpu() && device.properties().is_none() {
                    continue;
                }
                check(&mut |options| {
                    near.check(&mut Lists::new(&device, reach, *options, Skin::Auto), options)
                        .unwrap()
                });
                let opening = Opening::theta(1e-3);
                check(&mut |options| {
                    let mut tree = Tree::with_options(&device, Total, opening, *options).unwrap();
                    all.check(&mut tree, options).unwrap()
                });
            }
        }
    }
}

#[test]
fn roots_of_zero_infinity_and_negative_numbers_are_those_of_ieee() {
    for (name, mut direct) in engines(Quotients, Options::default()) {
        let Options { precision, .. } = direct.options();
        let mut found = |x| direct.evaluate(&[Number { x: 1.0 }], &[Number { x }]).unwrap()[0];
        let (zero, infinite, none) = (found(0.0), found(f64::INFINITY), found(-1.0));
        assert_eq!([zero.root, zero.square, zero.fifth], [f64::INFINITY; 3], "{name}");
        assert_eq!([infinite.root, infinite.square, infinite.fifth], [0.0; 3], "{name}");
        assert_eq!([infinite.quotient, infinite.scaled[0]], [0.0; 2], "{name}");
        assert!([none.root, none.square, none.fifth].iter().all(|x| x.is_nan()), "{name}");
        if precision == Precision::Double {
            // The power overflows, and the root does not; for seeds that are too small, too large and
            // exact.
            for x in [1.0, 1.1, 1.3, 1.5, 1.7, 1.9] {
                let large = found(x * 2_f64.powi(-440));
                assert_eq!(large.fifth, f64::INFINITY, "{x}: {name}");
                assert!(large.square.is_finite() && large.root.is_finite(), "{x}: {name}");
            }
        }
    }
}
