//! No particles, coincident particles, and numbers that are infinite, NaN or beyond the range of
//! the precision.

use nbody::prelude::*;
use nbody_interactions::gravity::{Body, Field, Gravity};
use nbody_interactions::lennard_jones::{Atom, LennardJones};
use nbody_tests::bodies::{GRAVITY, bodies};

#[test]
fn no_particles_give_no_results_and_no_sources_give_zeros() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        assert_eq!(direct.evaluate(&bodies(0), &bodies(5)).unwrap(), [], "{device}");
        assert_eq!(direct.evaluate(&bodies(0), &bodies(0)).unwrap(), [], "{device}");
        assert_eq!(direct.evaluate_self(&bodies(0)).unwrap(), [], "{device}");
        let zeros = direct.evaluate(&bodies(3), &bodies(0)).unwrap();
        assert_eq!(zeros, [Field::default(); 3], "{device}");
        assert_eq!(direct.evaluate_self(&bodies(1)).unwrap(), [Field::default()], "{device}");
    }
}

#[test]
fn an_evaluation_without_sources_clears_the_results() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let (i, none) = (direct.upload(&bodies(4)).unwrap(), direct.upload(&bodies(0)).unwrap());
        let mut out = direct.results(4).unwrap();
        direct.evaluate_into(&i, &i, &mut out).unwrap();
        direct.evaluate_into(&i, &none, &mut out).unwrap();
        let fields: Vec<Field> = out.download().unwrap();
        assert_eq!(fields, [Field::default(); 4], "{device}");
    }
}

#[test]
fn non_finite_inputs_give_non_finite_results() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        for value in [f64::NAN, f64::INFINITY, f64::MAX] {
            let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
            let mut targets = bodies(300);
            targets[7].pos = Point::new(value, 0.0, 0.0);
            let is_finite = |field: &Field| field.acc.0.iter().all(|acc| acc.is_finite());
            let fields = direct.evaluate(&targets, &bodies(300)).unwrap();
            for (k, field) in fields.iter().enumerate() {
                assert_eq!(is_finite(field), k != 7, "{device}: {value}, particle {k}: {field:?}");
            }
            // It acts on all particles, and every result shows it.
            let fields = direct.evaluate_self(&targets).unwrap();
            assert_eq!(fields.len(), 300);
            for (k, field) in fields.iter().enumerate() {
                assert!(!is_finite(field), "{device}: {value}, particle {k}: {field:?}");
            }
        }
    }
}

#[test]
fn a_cutoff_does_not_hide_nan() {
    let devices = nbody_tests::all_devices();
    let law = LennardJones { sigma2: [[0.01; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff: 0.25 };
    let mut atoms: Vec<Atom> = nbody::models::uniform(300, 1);
    atoms[7].pos = Point::new(0.5, f64::NAN, 0.5);
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let options = Options::default().precision(precision);
        let mut direct = AllPairs::with_options(device, law, options).unwrap();
        let forces = direct.evaluate_self(&atoms).unwrap();
        assert!(forces.iter().all(|force| force.pot.is_nan()), "{device}, {precision}");
    }
}

#[test]
fn coincident_particles_without_softening_do_not_meet_themselves() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, Gravity { eps2: 0.0 }).unwrap();
        let fields = direct.evaluate_self(&bodies(300)).unwrap();
        assert!(fields.iter().all(|field| field.pot.is_finite()), "{device}");
    }
}

#[test]
fn positions_beyond_the_range_of_the_precision_are_at_infinity() {
    let at = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let devices = nbody_tests::all_devices();
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let options = Options::default().precision(precision);
        let mut direct = AllPairs::with_options(device, Gravity { eps2: 1.0 }, options).unwrap();
        let mut found = |x| direct.evaluate(&[at(0.0)], &[at(x)]).unwrap()[0];
        let (far, infinite) = (found(1e60), found(f64::INFINITY));
        assert!(infinite.acc.x.is_nan(), "{device}, {precision}: {infinite:?}");
        if precision == Precision::Double {
            assert!((far.acc.x / 1e-120 - 1.0).abs() < 1e-14, "{device}: {far:?}");
        } else {
            assert!(
                far.acc.x.is_nan() && far.pot == infinite.pot,
                "{device}, {precision}: {far:?}"
            );
        }
    }
}
