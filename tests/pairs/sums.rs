//! Compensated sums: infinite terms, and many terms.

use nbody::check::Case;
use nbody::prelude::*;
use nbody_tests::lists::over_lists;

use super::functions::engines;
use super::functions::quotients::{Number, Quotients};

/// Sums of numbers of j, over j-particles within a reach and over all.
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

/// Rounding errors of sums of equal terms have one sign, and so have the errors of adding up these
/// sums: for the first of these terms they would reach six roundoffs.
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
        let near = Case::two_sets(&reach, Domain::Open, vec![place(1.0)], j.clone()).unwrap();
        let all = Case::two_sets(&Total, Domain::Open, vec![place(1.0)], j).unwrap();
        for device in Device::all() {
            for (way, math) in [Math::Exact, Math::Fast].into_iter().enumerate() {
                let options = Options::default().accumulation(Accumulation::Compensated).math(math);
                let options = options.precision(Precision::ALL[(turn + way) % 3]);
                let check = |engine: &mut dyn FnMut(&Options) -> nbody::check::Report| {
                    for options in [options, options.order(order)] {
                        let report = engine(&options);
                        assert!(report.passes(), "{device}, {options:?}, {turn}: {report}");
                    }
                };
                check(&mut |options| {
                    let mut direct = AllPairs::with_options(&device, Total, *options).unwrap();
                    all.check(&mut direct).unwrap()
                });
                // The emulator would take minutes to build lists and trees.
                if !device.is_cpu() && device.properties().is_none() {
                    continue;
                }
                check(&mut |options| {
                    near.check(&mut over_lists(&device, reach, *options, Skin::Auto)).unwrap()
                });
                let opening = Opening::theta(1e-3);
                check(&mut |options| {
                    let mut tree = Tree::with_options(&device, Total, opening, *options).unwrap();
                    all.check(&mut tree).unwrap()
                });
            }
        }
    }
}
