//! Refusals of lists on every device: with the messages of the CPU.

use nbody::Csr;
use nbody::prelude::*;
use nbody::{Error, Particles, Results, Skin};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_interactions::lennard_jones::Atom;
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Either, Near, Uniform};
use nbody_tests::points::points::NearCentre;

use super::UNIFORM;

/// Pairs that are found have positions relative to others, and a fixed point has not.
#[test]
fn a_point_among_the_parameters_is_refused_where_pairs_are_found() {
    for device in &nbody_tests::all_devices() {
        let centre = Point::new(1.0, 2.0, 3.0);
        let mut engine = ShortRange::new(device, NearCentre { cutoff: 0.25, centre }).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let anchors = Random(1).anchors(50);
        let there = near.upload(&anchors).unwrap();
        let message = "`near_centre` has a point among its parameters, and neighbour lists know \
                       positions relative to others alone; give the pairs of the lists, or \
                       evaluate all pairs";
        assert_eq!(near.update(&there, &[&engine]).unwrap_err().to_string(), message, "{device}");
        let error = engine.evaluate_self::<f64>(&anchors).unwrap_err();
        assert_eq!(error.to_string(), message, "{device}");
    }
}

/// Nothing says what their reach is, and which point is the position. Lists that there are stay.
#[test]
fn lists_of_no_interaction_are_refused() {
    for device in &nbody_tests::all_devices() {
        let uniform = ShortRange::new(device, UNIFORM).unwrap();
        let found = Neighbours::new(device, Skin::Auto).unwrap();
        let given =
            Neighbours::new(device, Csr::from_pairs(50, &[[0, 1], [3, 40]]).unwrap()).unwrap();
        for mut near in [found, given] {
            let balls = near.upload(&Random(1).balls(50)).unwrap();
            for expected in [None, Some(1)] {
                let two = near.update_with(&balls, Sources::Others(&balls), &[]);
                for error in [near.update(&balls, &[]), two] {
                    let message = "neighbour lists updated for no interaction; give those that are \
                                   evaluated over them";
                    assert_eq!(error.unwrap_err().to_string(), message, "{device}");
                }
                assert_eq!(near.to_csr().unwrap().is_some(), expected.is_some(), "{device}");
                assert_eq!(near.rebuilds().unwrap(), expected.unwrap_or(0), "{device}");
                near.update(&balls, &[&uniform]).unwrap();
            }
        }
    }
}

/// Name of a refusal, and the evaluation that is refused.
type Refusal = (&'static str, fn(&Device) -> Result<(), Error>);

/// Lists of one hundred balls, updated for an engine with results.
fn good_on(device: &Device) -> (Neighbours, ShortRange<Uniform>, Results<Near>) {
    let engine = ShortRange::new(device, UNIFORM).unwrap();
    let mut near = Neighbours::new(device, Skin::Auto).unwrap();
    let balls = near.upload(&Random(1).balls(100)).unwrap();
    near.update(&balls, &[&engine]).unwrap();
    let out = engine.results(100).unwrap();
    (near, engine, out)
}

fn balls_of(near: &Neighbours, n: usize) -> Particles<Ball> {
    near.upload(&Random(1).balls(n)).unwrap()
}

const REFUSALS: [Refusal; 14] = [
    ("lists that are not built", |device| {
        let (_, mut engine, mut out) = good_on(device);
        let near = Neighbours::new(device, Skin::Auto)?;
        engine.evaluate_over(&near, &balls_of(&near, 100), &mut out)
    }),
    ("another box", |device| {
        let (mut near, mut engine, mut out) = good_on(device);
        near.set_domain(Domain::periodic([4.0; 3])?)?;
        engine.evaluate_over(&near, &balls_of(&near, 100), &mut out)
    }),
    ("other parameters", |device| {
        let (near, mut engine, mut out) = good_on(device);
        engine.set_parameters(Uniform { cutoff: 0.5 });
        engine.evaluate_over(&near, &balls_of(&near, 100), &mut out)
    }),
    ("fewer results", |device| {
        let (near, mut engine, _) = good_on(device);
        let mut fewer = engine.results(99)?;
        engine.evaluate_over(&near, &balls_of(&near, 100), &mut fewer)
    }),
    ("fewer particles", |device| {
        let (near, mut engine, _) = good_on(device);
        let mut fewer = engine.results(99)?;
        engine.evaluate_over(&near, &balls_of(&near, 99), &mut fewer)
    }),
    ("two sets", |device| {
        let (near, mut engine, mut out) = good_on(device);
        let (i, j) = (balls_of(&near, 100), balls_of(&near, 100));
        engine.evaluate_over_with(&near, &i, Sources::Others(&j), &mut out, nbody::Store::Add)
    }),
    ("other j-particles", |device| {
        let (mut near, mut engine, mut out) = good_on(device);
        let (i, j) = (balls_of(&near, 100), balls_of(&near, 30));
        near.update_with(&i, Sources::Others(&j), &[&engine])?;
        engine.evaluate_over_with(&near, &i, Sources::Others(&i), &mut out, nbody::Store::Replace)
    }),
    ("another precision", |device| {
        let (mut near, engine, _) = good_on(device);
        let double = device.upload(&Random(1).balls(100), Precision::Double)?;
        near.update(&double, &[&engine])
    }),
    ("lists of a set at two places", |device| {
        let (mut near, engine, _) = good_on(device);
        let (all, fewer) = (balls_of(&near, 100), balls_of(&near, 99));
        near.update_with(&all, Sources::Same(&fewer), &[&engine])
    }),
    ("no cutoff", |device| {
        let gravity = ShortRange::new(device, Gravity { eps2: 0.25 })?;
        let mut near = Neighbours::new(device, Skin::Auto)?;
        let bodies = near.upload::<Body>(&[])?;
        near.update(&bodies, &[&gravity])
    }),
    ("an unbounded cutoff", |device| {
        let (mut near, mut engine, _) = good_on(device);
        engine.set_parameters(Uniform { cutoff: f64::INFINITY });
        let balls = balls_of(&near, 100);
        near.update(&balls, &[&engine])
    }),
    ("a cutoff beyond half a box", |device| {
        let (mut near, engine, _) = good_on(device);
        near.set_domain(Domain::periodic([4.0, 0.5, f64::INFINITY])?)?;
        let balls = balls_of(&near, 100);
        near.update(&balls, &[&engine])
    }),
    ("no such field", |device| {
        let (mut near, _, _) = good_on(device);
        let either = ShortRange::new(device, Either { factor: 2.0 })?;
        let atoms = near.upload(&[Atom::<f64>::default(); 3])?;
        near.update(&atoms, &[&either])
    }),
    ("a box of the interaction", |device| {
        let (near, _, mut out) = good_on(device);
        let balls = balls_of(&near, 100);
        let options = Options::default().domain(Domain::periodic([2.0; 3])?);
        let mut engine = ShortRange::with_options(device, UNIFORM, options)?;
        engine.evaluate_over(&near, &balls, &mut out)
    }),
];

/// Every device refuses what the CPU refuses, with the same message, but for the names of devices.
#[test]
fn devices_refuse_what_the_cpu_refuses() {
    for device in nbody_tests::cuda_devices() {
        let differ = REFUSALS.iter().filter_map(|(what, refused)| {
            let message =
                |on: &Device| refused(on).map_or_else(|it| it.to_string(), |()| "none".into());
            let [found, expected] = [message(&device), message(&Device::cpu())];
            assert_ne!(expected, "none", "{what}");
            // Messages on precisions name the engine on the CPU, and the device elsewhere.
            let precisions = |message: &str| {
                let parts = message.split(" in ").skip(1).map(|it| it.split(' ').next());
                parts.map(|it| it.map(str::to_owned)).collect::<Vec<_>>()
            };
            let is_same = found == expected
                || *what == "another precision"
                    && precisions(&found) == precisions(&expected)
                    && precisions(&found).len() == 2;
            (!is_same).then(|| format!("{what}: {found}\n  cpu: {expected}"))
        });
        let differ: Vec<_> = differ.collect();
        assert!(differ.is_empty(), "{device}: {}", differ.join("\n"));
    }
}
