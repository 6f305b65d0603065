//! Evaluations again: the same results, or those of other parameters, particles and boxes.

use nbody::prelude::*;
use nbody_interactions::gravity::Gravity;
use nbody_tests::bodies::{GRAVITY, bodies};

#[test]
fn parameters_change_without_a_new_program() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let before = direct.evaluate_self(&bodies(2)).unwrap();
        direct.set_parameters(Gravity { eps2: 100.0 });
        assert_eq!(direct.parameters().eps2, 100.0);
        let after = direct.evaluate_self(&bodies(2)).unwrap();
        assert!(after[0].pot.abs() < 0.5 * before[0].pot.abs(), "{device}");
    }
}

#[test]
fn a_device_that_was_trimmed_computes_as_before() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let first = direct.evaluate_self(&bodies(300)).unwrap();
        device.trim().unwrap();
        assert_eq!(first, direct.evaluate_self(&bodies(300)).unwrap(), "{device}");
    }
}

#[test]
fn results_are_the_same_in_every_run() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let first = direct.evaluate_self(&bodies(1500)).unwrap();
        assert_eq!(first, direct.evaluate_self(&bodies(1500)).unwrap(), "{device}");
        let mut again = AllPairs::new(&device, GRAVITY).unwrap();
        assert_eq!(first, again.evaluate_self(&bodies(1500)).unwrap(), "{device}");
    }
}

#[test]
fn a_repeated_evaluation_follows_changes() {
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, GRAVITY).unwrap();
        let particles = direct.upload(&bodies(300)).unwrap();
        let (mut out, mut other) = (direct.results(300).unwrap(), direct.results(300).unwrap());
        let mut evaluate = |direct: &mut AllPairs<Gravity>| {
            // Often enough that a GPU records a graph and replays it.
            for _ in 0..6 {
                direct.evaluate_self_into(&particles, &particles, &mut out).unwrap();
            }
            out.download::<f64>().unwrap()
        };
        let before = evaluate(&mut direct);
        direct.set_parameters(Gravity { eps2: 0.5 });
        let softer = evaluate(&mut direct);
        assert!(softer[7].pot > before[7].pot, "{device}");
        direct.set_domain(Domain::periodic([1.0; 3]).unwrap()).unwrap();
        let periodic = evaluate(&mut direct);
        assert_ne!(periodic[7].acc, softer[7].acc, "{device}");
        direct.evaluate_into(&particles, &particles, &mut other).unwrap();
        let with_itself = other.download::<f64>().unwrap();
        assert!(with_itself[7].pot < periodic[7].pot, "{device}");
        assert_eq!(periodic, evaluate(&mut direct), "{device}");
    }
}
