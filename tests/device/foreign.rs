//! Particles, results, lists and selections of another device are refused.

use nbody::prelude::*;
use nbody::{Error, PerParticle, Selection, Skin, Store};
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::Uniform;
use nbody_tests::particle_programs::{Body as Moving, Mark, Relax, Runner, Star};

/// Lists, selections, programs per particle and trees refuse operands of another device.
#[test]
fn everything_of_another_device_is_refused() {
    let devices = nbody_tests::all_devices();
    let mut turns = 0;
    for (here, there) in devices.iter().flat_map(|here| devices.iter().map(move |it| (here, it))) {
        if here.name() != there.name() {
            lists_of_another_device_are_refused(here, there);
            programs_of_another_device_are_refused(here, there);
            turns += 1;
        }
    }
    assert!(turns >= 2, "the CPU and the emulator, both ways");
}

/// Checks that an operation is refused because an operand belongs to another device.
fn is_foreign<T>(done: Result<T, Error>, of: &str) {
    let error = done.map(|_| ()).expect_err(of);
    assert!(matches!(error, Error::ForeignBuffer { .. }), "{of}: {error}");
}

fn lists_of_another_device_are_refused(here: &Device, there: &Device) {
    let law = Uniform { cutoff: 0.25 };
    let balls = Random(1).balls(50);
    let make = |device: &Device| {
        let engine = ShortRange::new(device, law).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let particles = near.upload(&balls).unwrap();
        near.update(&particles, &[&engine]).unwrap();
        let out = engine.results(50).unwrap();
        (engine, near, particles, out)
    };
    let (mut engine, mut near, particles, mut out) = make(here);
    let (their_engine, their_near, their_particles, mut their_out) = make(there);
    let of = format!("{there} to {here}");
    is_foreign(engine.evaluate_over(&their_near, &particles, &mut out), &of);
    is_foreign(engine.add_over(&their_near, &their_particles, &mut out), &of);
    is_foreign(engine.evaluate_over(&near, &their_particles, &mut out), &of);
    is_foreign(engine.evaluate_over(&near, &particles, &mut their_out), &of);
    is_foreign(engine.time_over(&their_near, &particles, &mut out), &of);
    for (i, j) in [(&particles, &their_particles), (&their_particles, &particles)] {
        let others = Sources::Others(j);
        is_foreign(near.update_with(i, others, &[&engine]), &of);
        is_foreign(engine.evaluate_over_with(&near, i, others, &mut out, Store::Replace), &of);
    }
    is_foreign(near.update(&their_particles, &[&engine]), &of);
    // Lists read only the cutoff of an interaction, so the device of its engine does not matter.
    near.update(&particles, &[&their_engine]).unwrap();
    engine.evaluate_over(&near, &particles, &mut out).unwrap();
    let found = out.download::<f64>().unwrap();
    assert_eq!(
        found,
        nbody::check::reference_self(&law, Domain::Open, &balls, &balls).unwrap(),
        "{of}"
    );
}

fn programs_of_another_device_are_refused(here: &Device, there: &Device) {
    let of = format!("{there} to {here}");
    let upload = |device: &Device| {
        let stars = device.upload(&nbody::models::uniform::<Star>(9, 1), Precision::Single);
        let bodies = device.upload(&nbody::models::uniform::<Moving>(9, 2), Precision::Single);
        (bodies.unwrap(), stars.unwrap())
    };
    let (mut ours, stars) = upload(here);
    let (mut theirs, their_stars) = upload(there);
    let mut relax = PerParticle::new(here, Relax { rate: 0.5 }).unwrap();
    is_foreign(relax.update(&mut theirs, &their_stars), &of);
    is_foreign(relax.update(&mut ours, &their_stars), &of);
    is_foreign(relax.update(&mut theirs, &stars), &of);
    relax.update(&mut ours, &stars).unwrap();
    let runners = |device: &Device| {
        device.upload(&nbody::models::uniform::<Runner>(9, 1), Precision::Single).unwrap()
    };
    let (mut ours, mut theirs) = (runners(here), runners(there));
    let [mut selection, mut of_theirs] = [here, there].map(|it| Selection::new(it).unwrap());
    is_foreign(selection.select(&theirs, "active"), &of);
    is_foreign(selection.seek_soonest(&theirs, "due", 0), &of);
    let count = selection.select(&ours, "active").unwrap();
    of_theirs.select(&theirs, "active").unwrap();
    is_foreign(selection.gather(count, &theirs, &mut ours), &of);
    is_foreign(selection.gather(count, &ours, &mut theirs), &of);
    let mut mark = PerParticle::new(here, Mark).unwrap();
    let (second, other) = (runners(here), runners(there));
    is_foreign(mark.update_selected(&of_theirs, count, &mut ours, &second), &of);
    is_foreign(mark.update_selected(&selection, count, &mut theirs, &second), &of);
    is_foreign(mark.update_selected(&selection, count, &mut ours, &other), &of);
    is_foreign(mark.update_copies(&selection, count, &theirs, &mut ours, &second), &of);
    is_foreign(mark.update_copies(&selection, count, &second, &mut theirs, &second), &of);
    is_foreign(mark.update_copies(&of_theirs, count, &second, &mut ours, &second), &of);
    let tree = |device: &Device| Tree::new(device, GRAVITY, Opening::theta(0.7)).unwrap();
    let (mut tree, their_tree) = (tree(here), tree(there));
    let (own, other) = (tree.upload(&bodies(9)).unwrap(), their_tree.upload(&bodies(9)).unwrap());
    let (mut out, mut their_out) = (tree.results(9).unwrap(), their_tree.results(9).unwrap());
    is_foreign(tree.evaluate_into(&own, &other, &mut out), &of);
    is_foreign(tree.evaluate_into(&other, &own, &mut out), &of);
    is_foreign(tree.evaluate_into(&own, &own, &mut their_out), &of);
}

/// The memory of an emulator is the memory of the process, so another emulator can use it.
#[test]
fn two_emulators_are_one_device() {
    let [one, other] = [0; 2].map(|_| nbody_tests::emulator());
    let law = Uniform { cutoff: 0.25 };
    let balls = Random(1).balls(50);
    let mut engine = ShortRange::new(&one, law).unwrap();
    let mut near = Neighbours::new(&other, Skin::Auto).unwrap();
    let particles = one.upload(&balls, Precision::Single).unwrap();
    let mut out = engine.results(50).unwrap();
    near.update(&particles, &[&engine]).unwrap();
    engine.evaluate_over(&near, &particles, &mut out).unwrap();
    let found = out.download::<f64>().unwrap();
    assert_eq!(found, nbody::check::reference_self(&law, Domain::Open, &balls, &balls).unwrap());
}
