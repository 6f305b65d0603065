//! Tuples, buffers and parameters that are refused.

use nbody::cuda::{Layout, ParticleBuffers, Program};
use nbody::prelude::*;
use nbody::untyped::{self, TupleList};
use nbody::{Error, Measure as _, Store, Tuple as _};
use nbody_tests::steps::programs::Tally;
use nbody_tests::tuples::{Anchor, Bead, Bend, Counts, Link, Pin, Rod};

fn rods(n: usize) -> Vec<Rod> {
    vec![Rod { length: 1.0, k: 2.0 }; n]
}

fn message<T: std::fmt::Debug>(refused: Result<T, Error>) -> String {
    refused.unwrap_err().to_string()
}

#[test]
fn refused_tuples_leave_the_old_ones() {
    for device in nbody_tests::all_devices() {
        let beads: Vec<Bead> =
            vec![Bead::default(), Bead { pos: Point([3.0, 0.0, 0.0]), ..Bead::default() }];
        let particles = device.upload(&beads, Precision::Double).unwrap();
        let mut links = Tuples::new(&device, Link).unwrap();
        links.set(&[[0, 1]], &rods(1), 2).unwrap();
        let mut out = links.results(2, Precision::Double).unwrap();
        let refused = message(links.set(&[[0, 1], [1, 1]], &rods(2), 2));
        assert_eq!(refused, "tuple 1 names particle 1 twice; the particles of a tuple differ");
        let refused = message(links.set(&[[0, 1], [0, 2]], &rods(2), 2));
        assert_eq!(refused, "tuples[1] names particle 2 of 2; indices of particles begin with 0");
        let refused = message(links.set(&[[0, 1], [1, 0]], &rods(3), 2));
        assert_eq!(refused, "3 records for 2 tuples; give one for each tuple");
        links.evaluate_into(&particles, &mut out, Store::Replace).unwrap();
        let found: Vec<Counts> = out.download::<f64>().unwrap();
        assert_eq!((links.len(), found[0].force.x), (1, 4.0), "{device}");
    }
}

#[test]
fn refused_evaluations_leave_the_results() {
    for device in nbody_tests::all_devices() {
        let pins = [Pin { kind: 0, place: Point([1.0, 0.0, 0.0]) }];
        let parameters = Anchor { stiffness: 1.0, table: [1.0; 3] };
        let mut anchors = Tuples::new(&device, parameters).unwrap();
        anchors.set(&[[2]], &pins, 3).unwrap();
        let upload =
            |n: usize| device.upload(&vec![Bead::<f64>::default(); n], Precision::Single).unwrap();
        let mut out = anchors.results(3, Precision::Single).unwrap();
        anchors.evaluate_into(&upload(3), &mut out, Store::Replace).unwrap();
        let before = out.download::<f64>().unwrap();
        assert_eq!(before[2].force.x, 1.0);

        let refused = message(anchors.evaluate_into(&upload(4), &mut out, Store::Add));
        assert_eq!(refused, "particles of tuples: found 4, expected 3; give one for each particle");
        let mut short = anchors.results(2, Precision::Single).unwrap();
        let refused = message(anchors.evaluate_into(&upload(3), &mut short, Store::Add));
        assert_eq!(refused, "results of tuples: found 2, expected 3; give one for each particle");
        let others = device.upload(&rods(3), Precision::Single).unwrap();
        let refused = message(anchors.evaluate_by_name(&others, &mut out, Store::Add));
        assert!(refused.contains("`anchor` needs a field `pos: Point`"), "{refused}");
        let mut counts = Tuples::new(&device, Link).unwrap().results(3, Precision::Single).unwrap();
        let refused = message(anchors.evaluate_by_name(&upload(3), &mut counts, Store::Add));
        assert!(refused.contains("`anchor` needs a field `pot: Real`"), "{refused}");

        anchors.set_parameters(Anchor { stiffness: f64::NAN, ..parameters });
        let refused = message(anchors.evaluate_into(&upload(3), &mut out, Store::Add));
        assert!(refused.contains("`stiffness`"), "{refused}");
        assert_eq!(out.download::<f64>().unwrap(), before, "{device}");
        anchors.set_parameters(parameters);
        anchors.evaluate_into(&upload(3), &mut out, Store::Add).unwrap();
        assert_eq!(out.download::<f64>().unwrap()[2].force.x, 2.0, "{device}");
    }
}

#[test]
fn programs_of_another_kind_are_refused() {
    for device in nbody_tests::all_devices() {
        let on_device = device.untyped();
        let refused = message(on_device.tuples(Tally::PROGRAM, &[0]));
        assert!(refused.starts_with("`tally` is not a tuple; "), "{refused}");
        let mut programs = on_device.per_particle(Bend::PROGRAM.parameters, &[0]).unwrap();
        let mut beads = device.upload(&[Bead::<f64>::default()], Precision::Double).unwrap();
        let none = untyped::Beside::default();
        let refused = message(programs.update(Bend::PROGRAM, beads.untyped_mut(), none, None));
        assert!(refused.starts_with("`bend` is not an update; "), "{refused}");
        let refused = message(programs.measure(Bend::PROGRAM, beads.untyped(), none));
        assert!(refused.starts_with("`bend` is not a measure; "), "{refused}");
        let layout = |fields| Layout { fields, precision: Precision::Single };
        let buffers = ParticleBuffers::of(Bend::PROGRAM, [Precision::Single; 3]);
        let refused = Program::per_particle(Bend::PROGRAM, buffers, Domain::Open, false);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("`bend` is not a program per particle; "), "{refused}");
        let (p, f) = (layout(Tally::PROGRAM.p), layout(Tally::PROGRAM.total));
        let refused = Program::per_tuple(Tally::PROGRAM, p, f, Domain::Open);
        assert!(refused.unwrap_err().to_string().contains("`tally` is not a tuple; "));
        let mut tuples = on_device.tuples(Bend::PROGRAM, &[0]).unwrap();
        let list = TupleList::new(2, vec![0, 1], 2).unwrap();
        let records = untyped::OwnedRows::new(&[], Vec::new()).unwrap();
        let refused = message(tuples.set(list, &records));
        assert!(refused.starts_with("particles of a tuple: found 2, expected 3"), "{refused}");
    }
}

/// Without particles there is nothing to sum, and timing an evaluation adds its results once.
#[test]
fn evaluations_without_particles_do_nothing_and_timed_ones_count_once() {
    for device in nbody_tests::all_devices() {
        let upload = |n: usize| {
            let beads = vec![Bead::<f64> { pos: Point([3.0, 0.0, 0.0]), ..Bead::default() }; n];
            device.upload(&beads, Precision::Single).unwrap()
        };
        let parameters = Anchor { stiffness: 1.0, table: [1.0; 3] };
        let mut anchors = Tuples::new(&device, parameters).unwrap();
        let mut none = anchors.results(0, Precision::Single).unwrap();
        anchors.evaluate_into(&upload(0), &mut none, Store::Add).unwrap();
        anchors.set(&[], &[], 0).unwrap();
        anchors.evaluate_into(&upload(0), &mut none, Store::Replace).unwrap();
        assert!(none.is_empty() && anchors.is_empty());

        let pins = [Pin { kind: 0, place: Point([1.0, 0.0, 0.0]) }];
        anchors.set(&[[0]], &pins, 1).unwrap();
        let mut out = anchors.results(1, Precision::Single).unwrap();
        for k in 1..3 {
            anchors.time(&upload(1), &mut out, Store::Add).unwrap();
            let found = out.download::<f64>().unwrap();
            assert_eq!(found[0].force.x, -2.0 * f64::from(k), "{device}");
        }
    }
}
