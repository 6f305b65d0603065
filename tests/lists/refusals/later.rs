//! Refusals that a GPU may tell of later: lists and results stay as they are.

use nbody::Error;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody_interactions::lennard_jones::{Atom, LennardJones};

use crate::devices::lennard_jones;

#[test]
fn bad_input_is_refused() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let engine = &mut ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let mut out = engine.results(40).unwrap();
        let mut atoms: Vec<Atom> = uniform(40, 5);
        let particles = near.upload(&atoms).unwrap();
        let error = |result: Result<(), Error>| result.unwrap_err().to_string();
        let refusal = error(engine.evaluate_over(&near, &particles, &mut out));
        assert!(refusal.starts_with("neighbour lists that are not built"), "{refusal}");
        near.update(&particles, &[&*engine]).unwrap();
        engine.evaluate_over(&near, &particles, &mut out).unwrap();
        let before = out.download::<f64>().unwrap();

        atoms[33].pos.y = f64::NAN;
        let bad = near.upload(&atoms).unwrap();
        // A GPU tells it at the next update at the latest.
        let result = near.update(&bad, &[&*engine]);
        let result = result.and_then(|()| near.update(&particles, &[&*engine]));
        let refusal = error(result);
        assert!(
            refusal.contains("particles[33]") && refusal.contains("finite"),
            "{device}: {refusal}"
        );
        // The lists of the good ones are as before.
        engine.evaluate_over(&near, &particles, &mut out).unwrap();
        near.update(&particles, &[&*engine]).unwrap();

        let other = LennardJones { cutoff: 0.5, ..lennard_jones() };
        let mut other = ShortRange::new(device, other).unwrap();
        let refusal = error(other.evaluate_over(&near, &particles, &mut out));
        assert!(refusal.contains("other interactions"), "{device}: {refusal}");
        let fewer = near.upload(&atoms[..39]).unwrap();
        let refusal = error(engine.evaluate_over(&near, &fewer, &mut out));
        assert!(refusal.contains("39"), "{device}: {refusal}");
        let double = device.upload(&atoms, Precision::Double).unwrap();
        let refusal = error(near.update(&double, &[&*engine]));
        assert!(refusal.contains("double"), "{device}: {refusal}");
        near.set_domain(Domain::periodic([0.5; 3]).unwrap()).unwrap();
        let refusal = error(near.update(&particles, &[&*engine]));
        assert!(refusal.contains("half"), "{device}: {refusal}");
        let refusal = error(engine.evaluate_over(&near, &particles, &mut out));
        assert!(refusal.starts_with("neighbour lists that are not built"), "{device}: {refusal}");
        let after = out.download::<f64>().unwrap();
        assert!(before == after, "{device}: results of a refused evaluation");
    }
    let gravity = nbody_interactions::gravity::Gravity { eps2: 1.0 };
    for device in &devices {
        let without = ShortRange::new(device, gravity).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let bodies: Vec<nbody_interactions::gravity::Body> = uniform(5, 1);
        let bodies = near.upload(&bodies).unwrap();
        let refusal = near.update(&bodies, &[&without]).unwrap_err().to_string();
        assert!(refusal.starts_with("`gravity` has no cutoff"), "{device}: {refusal}");
        let periodic = Options::default().domain(Domain::periodic([1.0; 3]).unwrap());
        let mut boxed = ShortRange::with_options(device, lennard_jones(), periodic).unwrap();
        let (atoms, mut out) =
            (near.upload::<Atom>(&[Atom::default(); 3]).unwrap(), boxed.results(3).unwrap());
        let refusal = boxed.evaluate_over(&near, &atoms, &mut out).unwrap_err();
        assert!(refusal.to_string().starts_with("neighbour lists in another space"), "{refusal}");
        let refusal = Neighbours::new(device, Skin::Length(-1.0)).unwrap_err();
        assert!(refusal.to_string().contains("skin of -1"), "{device}: {refusal}");
    }
}

#[test]
fn refused_positions_leave_results_as_they_are() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let mut atoms: Vec<Atom> = uniform(50, 5);
        let good = near.upload(&atoms).unwrap();
        near.update(&good, &[&engine]).unwrap();
        let mut out = engine.results(50).unwrap();
        engine.add_over(&near, &good, &mut out).unwrap();
        let before = out.download::<f64>().unwrap();
        atoms[7].pos.x = f64::INFINITY;
        let bad = near.upload(&atoms).unwrap();
        // A GPU may know it later only.
        if near.update(&bad, &[&engine]).is_ok() {
            engine.add_over(&near, &bad, &mut out).unwrap();
            assert!(near.update(&good, &[&engine]).is_err(), "{device}");
        }
        assert!(out.download::<f64>().unwrap() == before, "{device}");
        let fewer = near.upload(&atoms[10..]).unwrap();
        near.update(&fewer, &[&engine]).unwrap();
    }
}

#[test]
fn two_buffers_of_one_set_have_the_same_positions() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let engine = ShortRange::new(device, lennard_jones()).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let mut atoms: Vec<Atom> = uniform(50, 5);
        let (i, same) = (near.upload(&atoms).unwrap(), near.upload(&atoms).unwrap());
        near.update_with(&i, Sources::Same(&same), &[&engine]).unwrap();
        atoms[9].pos.z += 0.5;
        let other = near.upload(&atoms).unwrap();
        let result = near.update_with(&i, Sources::Same(&other), &[&engine]);
        let result = result.and_then(|()| near.update_with(&i, Sources::Same(&same), &[&engine]));
        let refusal = result.unwrap_err().to_string();
        assert!(refusal.contains("different positions"), "{device}: {refusal}");
    }
}

/// The host waits for the look of an evaluation of slices, also when the lists exist.
#[test]
fn evaluations_of_slices_return_their_own_errors() {
    for device in &nbody_tests::all_devices() {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let good: Vec<Atom> = uniform(50, 5);
        let expected = engine.evaluate_self::<f64>(&good).unwrap();
        let mut bad = good.clone();
        bad[7].pos = Point::new(f64::NAN, 0.0, 0.0);
        let error = engine.evaluate_self::<f64>(&bad).unwrap_err();
        assert!(matches!(error, Error::NotFinite { index: 7, .. }), "{device}: {error}");
        assert_eq!(engine.evaluate_self::<f64>(&good).unwrap(), expected, "{device}");
    }
}
