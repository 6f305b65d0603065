//! Errors of trees: their scaling with the angle and the tolerance, and comparison with published
//! trees.

use nbody::check::{compare, reference, reference_self};
use nbody::law::{Reader, Record};
use nbody::prelude::*;
use nbody::{Error, Expansion, Interaction, Opening, Tree};
use nbody_interactions::gravity::{self, Gravity};
use nbody_interactions::hermite::Hermite;
use nbody_interactions::yukawa::Yukawa;
use nbody_tests::charged::{kinds, planar, plasma, spline};
use nbody_tests::inputs::{Digits, Inputs, Random, sets};
use nbody_tests::spheres::{bodies_of, errors_of_first};
use nbody_tests::ways::bits;

use super::bodies::{GRAVITY, bodies, errors, evaluate};
use super::charges::{Check, check_all};

/// Random particles whose numbers have both signs, except for coordinates.
struct Signed(Random);

impl Reader<f64> for Signed {
    fn real(&mut self) -> f64 {
        self.0.real() - 0.125
    }

    fn index(&mut self) -> u32 {
        self.0.index()
    }

    fn coordinate(&mut self) -> f64 {
        self.0.coordinate()
    }
}

fn signed<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    let mut random = Signed(Random::new(Inputs::Uniform, Digits::All, seed));
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// Checks that errors scale with the angle as the order of the far particles predicts.
struct Orders {
    signs: bool,
}

impl Orders {
    /// Returns the number of random sets: with charges of both signs, a few large cells dominate
    /// the errors.
    fn seeds(&self) -> u64 {
        if self.signs { 4 } else { 1 }
    }

    fn sets<X: Interaction>(&self, seed: u64) -> (Vec<X::I>, Vec<X::J>) {
        const N: usize = 3000;
        if self.signs {
            (signed(N, 2 * seed + 1), signed(N, 2 * seed + 2))
        } else {
            sets(N, Inputs::Uniform, Digits::All)
        }
    }

    /// Returns the errors of each field at each angle.
    fn errors<X: Interaction>(&self, x: X, expansion: Expansion, seed: u64) -> [Vec<f64>; 4] {
        let (i, j) = self.sets::<X>(seed);
        let expected = reference::<X, f64>(&x, Domain::Open, &i, &j).unwrap();
        let options = Options::default().precision(Precision::Double);
        ANGLES.map(|theta| {
            let opening = Opening::theta(theta).expansion(expansion);
            errors::<X::F>(&evaluate(x.clone(), opening, options, (&i, &j, false)).0, &expected)
        })
    }

    /// Returns the smallest exponent with which errors may scale with the angle.
    fn least<X: Interaction>(&self, expansion: Expansion) -> f64 {
        let is_of_one_sign = !self.signs && X::LAW.charges.unwrap().products.len() == 1;
        match expansion {
            Expansion::Monopole if is_of_one_sign => 1.7,
            // With charges of both signs, dipoles remain.
            Expansion::Monopole => 0.8,
            Expansion::Second => 2.4,
        }
    }
}

impl Check for Orders {
    fn check<X: Interaction>(&mut self, x: X) {
        for expansion in [Expansion::Monopole, Expansion::Second] {
            let seeds = 0..self.seeds();
            let all: Vec<_> = seeds.map(|seed| self.errors(x.clone(), expansion, seed)).collect();
            for (k, field) in X::F::FIELDS.iter().enumerate() {
                let of_field = std::array::from_fn(|angle| mean(all.iter().map(|it| it[angle][k])));
                let slope = slope(&of_field);
                let charges = X::LAW.charges.unwrap();
                let told = charges.error_order(&charges.sums[k], expansion, !self.signs);
                let least = self.least::<X>(expansion).max(f64::from(told) - 0.6);
                let is_good = slope >= least && of_field[3] < 0.15;
                let name = X::LAW.name;
                assert!(is_good, "{name} {} {expansion} {slope:.2} {of_field:?}", field.name);
            }
        }
    }
}

const ANGLES: [f64; 4] = [0.9, 0.7, 0.5, 0.35];

/// Fits the exponent with which errors scale with the angle.
fn slope(errors: &[f64; 4]) -> f64 {
    let [x, y] = [ANGLES.map(f64::ln), errors.map(f64::ln)];
    let mean = |x: &[f64; 4]| x.iter().sum::<f64>() / 4.0;
    let [x, y] = [x, y].map(|along| along.map(|value| value - mean(&along)));
    let product = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(&x, &y) / product(&x, &x)
}

/// Returns the geometric mean.
fn mean(errors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = errors.len() as f64;
    (errors.map(f64::ln).sum::<f64>() / n).exp()
}

#[test]
fn errors_fall_with_the_angle_as_the_order_says() {
    check_all(Orders { signs: false });
}

#[test]
fn errors_of_both_signs_fall_with_the_angle_as_the_order_says() {
    check_all(Orders { signs: true });
}

/// Checks that the errors of results are close to the tolerance.
struct Relative;

impl Check for Relative {
    fn check<X: Interaction>(&mut self, x: X) {
        const N: usize = 3000;
        let (i, j) = sets::<X::I, X::J>(N, Inputs::Dense, Digits::All);
        let expected = reference::<X, f64>(&x, Domain::Open, &i, &j).unwrap();
        let options = Options::default().precision(Precision::Double);
        let refused = Tree::new(&Device::cpu(), x.clone(), Opening::relative(0.01)).err();
        if let Some(Error::NoEstimate { law }) = refused {
            assert!(["plasma", "kinds", "currents"].contains(&law), "{law}");
            return;
        }
        for expansion in [Expansion::Monopole, Expansion::Second] {
            let at = |share: f64| {
                let opening = Opening::relative(share).expansion(expansion);
                let (found, report) = evaluate(x.clone(), opening, options, (&i, &j, false));
                let first = errors::<X::F>(&found, &expected)[0];
                (first, report.evaluations_per_target())
            };
            let [(rough, few), (fine, many)] = [3e-2, 1e-4].map(at);
            let name = X::LAW.name;
            assert!(fine < 2e-3 && fine < rough, "{name} {expansion}: {rough:e} {fine:e}");
            assert!(few < many && many <= 3000.0, "{name} {expansion}: {few} {many}");
        }
    }
}

#[test]
fn errors_fall_with_their_greatest_share_of_the_results() {
    check_all(Relative);
}

#[test]
fn the_last_results_are_those_that_errors_are_shares_of() {
    let bodies = bodies(3000, Inputs::Dense);
    let opening = Opening::relative(3e-3);
    let mut tree = Tree::new(&Device::cpu(), GRAVITY, opening).unwrap();
    let first = tree.evaluate_self::<f64>(&bodies).unwrap();
    let second = tree.evaluate_self::<f64>(&bodies).unwrap();
    let third = tree.evaluate_self::<f64>(&bodies).unwrap();
    // The scale of the first evaluation has errors of its own.
    let changes = [errors(&first, &second)[0], errors(&second, &third)[0]];
    assert!(changes[1] <= changes[0] && changes[0] < 1e-3, "{changes:?}");
    let mut other = Tree::new(&Device::cpu(), GRAVITY, opening).unwrap();
    assert_eq!(bits(&other.evaluate_self::<f64>(&bodies).unwrap()), bits(&first));
    // Changing the interaction resets the scale.
    let weak = Gravity { eps2: 1e8 };
    tree.set_parameters(weak);
    let found = bits(&tree.evaluate_self::<f64>(&bodies).unwrap());
    let mut other = Tree::new(&Device::cpu(), weak, opening).unwrap();
    assert_eq!(bits(&other.evaluate_self::<f64>(&bodies).unwrap()), found);
    tree.set_parameters(GRAVITY);
    // Changing the number of particles resets the scale.
    let few = tree.evaluate_self::<f64>(&bodies[..2000]).unwrap();
    let mut other = Tree::new(&Device::cpu(), GRAVITY, opening).unwrap();
    assert_eq!(bits(&other.evaluate_self::<f64>(&bodies[..2000]).unwrap()), bits(&few));
}

fn harmonic_distance<X: Interaction>(x: X) -> f64 {
    Tree::new(&Device::cpu(), x, Opening::theta(0.6)).unwrap().harmonic_distance()
}

#[test]
fn interactions_are_harmonic_beyond_their_softening() {
    assert!(harmonic_distance(Gravity { eps2: 0.0 }) < 1e-12);
    for eps in [0.125, 1.0, 32.0] {
        let distance = harmonic_distance(Gravity { eps2: eps * eps });
        assert!((2.0 * eps..20.0 * eps).contains(&distance), "{distance} for {eps}");
    }
    assert!((0.25..=1.0).contains(&harmonic_distance(spline::SplineSoftened { radius: 0.25 })));
    assert!(harmonic_distance(planar::Planar { core2: 0.0 }) < 1e-12);
    // Far away, the Yukawa field is zero, which is harmonic.
    assert!(harmonic_distance(Yukawa { kappa: 1.0 }) > 500.0);
    assert_eq!(harmonic_distance(Hermite { eps2: 0.0 }), f64::INFINITY);
    assert_eq!(harmonic_distance(plasma::Plasma), f64::INFINITY);
    // A kernel that is harmonic for one kind need not be so for others.
    assert_eq!(harmonic_distance(kinds::Kinds { eps2: [0.0, 1.0, 1.0, 1.0] }), f64::INFINITY);
    // The result does not depend on the unit of length.
    for kappa in [1e-25, 1e25] {
        assert!(harmonic_distance(Yukawa { kappa }) > 500.0 / kappa, "{kappa}");
    }
}

#[test]
fn plummer_spheres_have_the_errors_that_are_published_for_octrees() {
    let n = 20_000;
    let bodies = bodies_of(&nbody::models::plummer(n, 1).unwrap());
    let x = Gravity { eps2: 0.0 };
    let expected = reference_self::<Gravity, f64>(&x, Domain::Open, &bodies, &bodies).unwrap();
    let error = |expansion, theta| {
        let opening = Opening::theta(theta).expansion(expansion);
        let (found, _) = evaluate(x, opening, Options::default(), (&bodies, &bodies, true));
        compare::<gravity::Field, f64>(&found, &expected, None).unwrap().fields[0].rms
    };
    // Groups have smaller errors than walks of single particles.
    assert!((1e-4..2.5e-3).contains(&error(Expansion::Monopole, 0.6)));
    assert!((1e-5..1e-3).contains(&error(Expansion::Second, 0.6)));
}

#[test]
fn uniform_spheres_have_the_stated_errors_and_evaluations() {
    // The mean of so many errors is known to 5 %; almost every one of these bodies is in a
    // different group.
    const TARGETS: usize = 256;
    const GROUP: f64 = 32.0;
    let bodies = bodies_of(&nbody::models::uniform_sphere(1_000_000, 1).unwrap());
    let x = Gravity { eps2: 0.0 };
    let mut tree = Tree::new(&Device::cpu(), x, Opening::theta(0.6)).unwrap();
    let mean = errors_of_first(&mut tree, x, &bodies, TARGETS).unwrap().mean;
    // The report counts the evaluations of all bodies in these groups.
    let evaluations = tree.report().unwrap().evaluations_per_target() / GROUP;
    assert!(mean <= 8e-4 && evaluations <= 6000.0, "{mean:e}, {evaluations} evaluations");
}
