//! Trees of outliers, clusters, coincident particles, and numbers at the ends of the range.

use nbody::check::{compare, reference_self};
use nbody::prelude::*;
use nbody::{Error, Expansion, Interaction, Opening};
use nbody_interactions::gravity::{self, Gravity};
use nbody_interactions::softened::Softened;
use nbody_tests::inputs::{Digits, Inputs, particles};

use super::bodies::{GRAVITY, bodies, errors, evaluate};

#[test]
fn an_outlier_costs_the_others_nothing() {
    let mut bodies = bodies(6000, Inputs::Uniform);
    let opening = Opening::theta(0.6);
    let count = |bodies: &[gravity::Body]| {
        let (found, report) =
            evaluate(GRAVITY, opening, Options::default(), (bodies, bodies, true));
        let expected =
            reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, bodies, bodies).unwrap();
        let errors = errors(&found, &expected);
        assert!(errors.iter().all(|&error| error < 1e-3), "{errors:?}");
        report.evaluations_per_target()
    };
    let without = count(&bodies);
    bodies[77].pos = Point::new(2e6, -1e6, 0.5);
    let with = count(&bodies);
    assert!((with / without - 1.0).abs() < 0.1, "{with} instead of {without}");
}

#[test]
fn clusters_within_clusters_have_small_cells() {
    // Of the particles at each level, half are within a tenth of the distance of the other half.
    let mut bodies = bodies(8192, Inputs::Uniform);
    for (k, body) in bodies.iter_mut().enumerate() {
        let size = 10.0_f64.powf(-f64::from((k + 1).trailing_zeros()));
        body.pos = Point(body.pos.0.map(|x| size * x));
    }
    let opening = Opening::theta(0.6);
    let (_, report) = evaluate(GRAVITY, opening, Options::default(), (&bodies, &bodies, true));
    assert!(report.evaluations_per_target() < 3000.0, "{report}");
}

#[test]
fn coincident_particles_are_evaluated() {
    let mut bodies = bodies(3000, Inputs::Uniform);
    for body in &mut bodies[..2500] {
        body.pos = Point::new(0.25, 0.5, 0.75);
    }
    let opening = Opening::theta(0.5);
    let options = Options::default().precision(Precision::Double);
    let (found, report) = evaluate(GRAVITY, opening, options, (&bodies, &bodies, true));
    let expected =
        reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies).unwrap();
    let errors = errors(&found, &expected);
    assert!(errors.iter().all(|&error| error < 1e-3), "{errors:?} {report}");
}

/// Returns the largest relative error of the potentials.
fn worst_potential(x: Gravity, opening: Opening, bodies: &[gravity::Body]) -> f64 {
    let options = Options::default().precision(Precision::Double);
    let expected = reference_self::<Gravity, f64>(&x, Domain::Open, bodies, bodies).unwrap();
    let (found, _) = evaluate(x, opening, options, (bodies, bodies, true));
    let report = compare::<gravity::Field, f64>(&found, &expected, None).unwrap();
    report.fields[1].max
}

/// A cell without extent at the corner of the box of its group is at distance zero from it, up to
/// rounding.
#[test]
fn particles_at_the_corner_of_their_group_act_once() {
    for k in 0..24 {
        let mut bodies = bodies(400, Inputs::Uniform);
        let corner =
            Point(std::array::from_fn(|axis| 2.1 + f64::from(k * (axis as u32 + 1)) * 0.0137));
        bodies[..40].iter_mut().for_each(|body| body.pos = corner);
        let opening = Opening::relative(0.01);
        for opening in [opening, opening.expansion(Expansion::Monopole)] {
            let worst = worst_potential(GRAVITY, opening, &bodies);
            assert!(worst < 0.02, "{k} {opening:?} {worst:e}");
        }
    }
}

#[test]
fn tiny_and_huge_distances_lose_no_pair() {
    for scale in [1e-300, 1e-170, 1e170, 1e250] {
        let mut bodies = bodies(1500, Inputs::Uniform);
        for body in &mut bodies {
            body.pos = Point(body.pos.0.map(|x| scale * x));
        }
        for opening in [Opening::relative(0.01), Opening::theta(0.9), Opening::theta(30.0)] {
            // The potentials are dominated by the softening, or are 0.
            let worst = worst_potential(Gravity { eps2: 1.0 }, opening, &bodies);
            assert!(worst < 1e-12, "{scale:e} {opening:?} {worst:e}");
        }
    }
}

/// Each mass is in the range of `f32`, but the sum over a cell need not be.
#[test]
fn sums_of_charges_beyond_the_range_are_found() {
    let gravity = Gravity { eps2: 1e26 };
    let (options, mut wrong, mut refused) = (Options::default(), 0, 0);
    for opening in [Opening::theta(0.8), Opening::theta(0.8).expansion(Expansion::Second)] {
        for mass in [1e30, 1e33, 1e34, 3e35, 1e36, 1e37, 1e38] {
            let mut bodies = bodies(1500, Inputs::Uniform);
            for body in &mut bodies {
                *body = gravity::Body { pos: Point(body.pos.0.map(|x| 1e15 * x)), mass };
            }
            let expected = reference_self(&gravity, Domain::Open, &bodies, &bodies).unwrap();
            let (found, _) = evaluate(gravity, opening, options, (&bodies, &bodies, true));
            let is_right = errors(&found, &expected).iter().all(|&error| error < 0.05);
            // An evaluation of all pairs computes no sums of masses.
            assert_eq!(nbody::check::range_self(&gravity, &options, &bodies, &bodies), Ok(()));
            let checked = nbody::check::range_tree_self(&gravity, &options, &bodies, &bodies);
            let of_two = nbody::check::range_tree(&gravity, &options, &bodies[..3], &bodies);
            assert_eq!(checked, of_two);
            assert!(is_right || checked.is_err(), "{mass:e}: {checked:?}");
            wrong += usize::from(!is_right);
            refused += usize::from(checked.is_err());
            if let Err(error) = checked {
                let message = error.to_string();
                assert!(message.contains("]: mass: Real of "), "{message}");
                assert!(message.starts_with("four times the sum up to j-particles["), "{message}");
            }
        }
    }
    assert!((2..=refused).contains(&wrong) && refused <= 8, "{wrong} wrong, {refused} refused");
    // The sum of terms is beyond the range, although the sum of masses is not.
    let near = [gravity::Body { pos: Point::default(), mass: 1.0 }];
    let far = [gravity::Body { pos: Point::new(0.5, 0.0, 0.0), mass: 2e37 }; 4];
    let gravity = Gravity { eps2: 0.0 };
    let options = options.order(SummationOrder { bag: 2, splits: 1 });
    assert_eq!(nbody::check::range(&gravity, &options, &near, &far), Ok(()));
    let found = nbody::check::range_tree(&gravity, &options, &near, &far).unwrap_err().to_string();
    assert!(found.starts_with("results[0]: acc: Vector"), "{found}");
    let softened = particles::<<Softened as Interaction>::I>(3, Inputs::Uniform, Digits::All, 9);
    let found = nbody::check::range_tree_self(&Softened, &options, &softened, &softened);
    assert!(matches!(found, Err(Error::NoTree { law: "softened", .. })), "{found:?}");
}

#[test]
fn flat_cells_of_both_signs_lose_no_digits() {
    // A plane that is not aligned with the axes.
    let charge = |(k, body): (usize, gravity::Body)| {
        let [x, y, _] = body.pos.0;
        let pos = Point::new(x, y, 0.3 * x - 0.7 * y + 0.25);
        gravity::Body { pos, mass: if k % 2 == 0 { 1.0 } else { -0.9 } }
    };
    let bodies: Vec<_> =
        bodies(6000, Inputs::Uniform).into_iter().enumerate().map(charge).collect();
    let expected =
        reference_self::<Gravity, f64>(&GRAVITY, Domain::Open, &bodies, &bodies).unwrap();
    let error = |precision| {
        let options = Options::default().precision(precision);
        let sets = (&bodies[..], &bodies[..], true);
        errors(&evaluate(GRAVITY, Opening::theta(0.5), options, sets).0, &expected)
    };
    let [single, double] = [Precision::Single, Precision::Double].map(error);
    for (single, double) in single.iter().zip(&double) {
        assert!(*double < 5e-3 && (single / double - 1.0).abs() < 0.1, "{single:e} {double:e}");
    }
}

#[test]
fn cells_of_several_images_are_opened_in_a_box() {
    let domain = Domain::periodic([2.0, 3.0, f64::INFINITY]).unwrap();
    let mut bodies = bodies(6000, Inputs::Uniform);
    for body in &mut bodies {
        body.pos[1] = 1.5 * body.pos[1] - 9.0;
    }
    let options = Options::default().domain(domain).precision(Precision::Double);
    let expected = reference_self::<Gravity, f64>(&GRAVITY, domain, &bodies, &bodies).unwrap();
    for theta in [0.8, 5.0] {
        let opening = Opening::theta(theta);
        let (found, report) = evaluate(GRAVITY, opening, options, (&bodies, &bodies, true));
        let errors = errors(&found, &expected);
        let limit = if theta < 1.0 { 5e-3 } else { 0.2 };
        assert!(errors.iter().all(|&error| error < limit), "{theta}: {errors:?} {report}");
        assert!(report.evaluations_per_target() < 5500.0, "{theta}: {report}");
    }
}

#[test]
fn charges_that_are_nan_give_nan() {
    let mut bodies = bodies(500, Inputs::Uniform);
    bodies[123].mass = f64::NAN;
    let opening = Opening::theta(0.8);
    let (found, _) = evaluate(GRAVITY, opening, Options::default(), (&bodies, &bodies, true));
    assert!(found.iter().enumerate().all(|(k, field)| k == 123 || field.pot.is_nan()));
}
