//! Buffers and fields that programs per particle, selections and downloads refuse.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::untyped::Beside;
use nbody::{Error, Measure, PerParticle, Selection, Update};
use nbody_tests::particle_programs::{Drift, Energy, Kick, Mark, Relax, Runner, Star};

use super::programs::{bodies, field, stars};
use super::selection::runners;

#[test]
fn wrong_buffers_are_refused_and_nothing_is_changed() {
    let devices = nbody_tests::all_devices();
    for (k, device) in devices.iter().enumerate() {
        let other = &devices[(k + 1) % devices.len()];
        let start = bodies(5);
        let mut bodies = device.upload(&start, Precision::Double).unwrap();
        let mut theirs = other.upload(&start, Precision::Double).unwrap();
        let mut kick = PerParticle::new(device, Kick { dt: 0.5 }).unwrap();
        let mut drift = PerParticle::new(device, Drift { dt: 0.5 }).unwrap();
        let mut relax = PerParticle::new(device, Relax { rate: 0.5 }).unwrap();
        let mut energy = PerParticle::new(device, Energy { scale: 0.5 }).unwrap();

        let (four, _) = field(device, &start[..4], Precision::Single);
        let message = kick.update(&mut bodies, &four).unwrap_err().to_string();
        assert_eq!(message, "results: found 4, expected 5; give one for each particle", "{device}");
        let few = device.upload(&stars(6), Precision::Double).unwrap();
        let message = relax.update(&mut bodies, &few).unwrap_err().to_string();
        let expected = "second particles: found 6, expected 5; give one for each particle";
        assert_eq!(message, expected, "{device}");
        let message = energy.measure(&bodies, (&few, &four)).unwrap_err().to_string();
        assert_eq!(message, expected, "{device}");

        let is_foreign = |error: Error| {
            assert!(matches!(error, Error::ForeignBuffer { .. }), "{device}: {error}");
        };
        let (elsewhere, _) = field(other, &start, Precision::Single);
        is_foreign(kick.update(&mut bodies, &elsewhere).unwrap_err());
        is_foreign(drift.update(&mut theirs, ()).unwrap_err());
        let distant = other.upload(&stars(5), Precision::Double).unwrap();
        is_foreign(relax.update(&mut bodies, &distant).unwrap_err());
        let (near, _) = field(device, &start, Precision::Single);
        is_foreign(energy.measure(&bodies, (&distant, &near)).unwrap_err());

        for (range, message) in [
            (3..6, "particles 3..6 asked for, found 5; give a range within 0..5"),
            (6..6, "particles 6..6 asked for, found 5; give a range within 0..5"),
            #[allow(clippy::reversed_empty_ranges)]
            (4..3, "particles 4..3 asked for, found 5; give a range within 0..5"),
        ] {
            let error = bodies.download_range(range).unwrap_err();
            assert_eq!(error.to_string(), message, "{device}");
        }
        for bodies in [bodies, theirs] {
            assert_eq!(bodies.download().unwrap(), start, "{device}");
        }
        let box_ = Domain::periodic([1e-300, 1.0, 1.0]).unwrap();
        drift.set_domain(box_).unwrap();
        assert_eq!(drift.domain(), box_);
    }
}

#[test]
fn wrong_buffers_are_refused() {
    let devices = nbody_tests::all_devices();
    // Another handle of the same device accepts its particles.
    for (device, other) in devices.iter().zip(nbody_tests::all_devices()) {
        let five = other.upload(&runners(5, 1), Precision::Single).unwrap();
        let mut selection = Selection::new(device).unwrap();
        assert_eq!(selection.select(&five, "active").unwrap(), 5);
    }
    for device in &devices {
        let mut selection = Selection::new(device).unwrap();
        let mut four = device.upload(&runners(4, 1), Precision::Single).unwrap();
        let five = device.upload(&runners(5, 1), Precision::Single).unwrap();
        selection.select(&five, "active").unwrap();
        let mut out = device.upload::<Runner>(&[], Precision::Single).unwrap();
        assert!(selection.gather(4, &four, &mut out).is_err(), "{device}");
        assert!(selection.gather(6, &five, &mut out).is_err(), "{device}");
        let mut double = device.upload::<Runner>(&[], Precision::Double).unwrap();
        assert!(selection.gather(4, &five, &mut double).is_err(), "{device}");
        let mut mark = PerParticle::new(device, Mark).unwrap();
        assert!(mark.update_selected(&selection, 4, &mut four, &five).is_err(), "{device}");
        let six = device.upload(&runners(6, 1), Precision::Single).unwrap();
        let copied = mark.update_copies(&selection, 5, &six, &mut out, &five);
        assert!(copied.is_err() && out.is_empty(), "{device}");
        let copied = mark.update_copies(&selection, 5, &five, &mut double, &five);
        assert!(copied.is_err() && double.is_empty(), "{device}");
        let untold =
            mark.update_copies_due("due", &selection, 5, &five, &mut out, &five).unwrap_err();
        assert!(untold.to_string().contains("`due: u32`"), "{untold}");
        let bodies = device
            .upload(&uniform::<nbody_tests::particle_programs::Body>(3, 1), Precision::Single);
        let error = selection.select(&bodies.unwrap(), "active").unwrap_err().to_string();
        assert!(error.starts_with("no field `active: u32`, found "), "{error}");
    }
}

#[test]
fn another_name_or_type_is_refused() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        // The refusal does not depend on whether there are particles.
        for n in [0, 5] {
            let stars = device.upload(&uniform::<Star>(n, 1), Precision::Mixed).unwrap();
            let error = stars.download_field::<f64>("mass").unwrap_err();
            assert!(matches!(&error, Error::NoField { name, .. } if name == "mass"));
            let expected = "no field `mass`, found flag: u32, weight: Real, pos: Point; name \
                            one of these";
            assert_eq!(error.to_string(), expected, "{device}");
            let error = stars.download_field::<Vector>("pos").unwrap_err();
            assert!(matches!(&error, Error::FieldType { asked, .. } if asked == "Vector<f64, 3>"));
            let expected = "field `pos: Point` as `Vector<f64, 3>`, expected `Point<f64, 3>`; use \
                            its type, or an array of its numbers";
            assert_eq!(error.to_string(), expected, "{device}");
            assert!(stars.download_field::<f64>("flag").is_err());
            assert!(stars.download_field::<[f64; 1]>("weight").is_err());
        }
    }
}

#[nbody::interaction]
mod vectors {
    /// A particle whose position is no point.
    pub struct Place {
        pub pos: Vector,
    }
    pub struct Site {
        pub pos: Point,
    }
    pub struct Sum {
        pub sum: Real,
    }

    pub struct Move {
        pub by: Vector,
    }
    impl Update for Move {
        type P = Place;
        fn update(&self, p: &mut Place) {
            p.pos += self.by;
        }
    }
    impl Measure for Move {
        type P = Place;
        type Q = Site;
        type T = Sum;
        fn measure(&self, p: &Place, _q: &Site, t: &mut Sum) {
            t.sum += (p.pos - self.by).norm();
        }
    }
}

#[test]
fn a_box_for_a_program_without_points_is_refused() {
    let start = [vectors::Place { pos: Vector::new(0.8, 0.0, 0.0) }; 2];
    let by = Vector::new(0.5, 0.0, 0.0);
    for device in nbody_tests::all_devices() {
        let mut places = device.upload(&start, Precision::Double).unwrap();
        let sites = device
            .upload(&[vectors::Site { pos: Point::new(0.0, 0.0, 0.0) }; 2], Precision::Double)
            .unwrap();
        let mut program = PerParticle::new(&device, vectors::Move { by }).unwrap();
        program.set_domain(Domain::periodic([1.0; 3]).unwrap()).unwrap();
        let updated = program.update(&mut places, ()).map(drop);
        let measured = program.measure(&places, &sites).map(drop);
        for done in [updated, measured] {
            let error = done.unwrap_err();
            assert!(matches!(error, Error::NoPoint { name: "move", record: "P" }), "{error}");
        }
        assert_eq!(places.download().unwrap(), start, "{device}");
        program.set_domain(Domain::periodic([f64::INFINITY; 3]).unwrap()).unwrap();
        program.measure(&places, &sites).unwrap();
        program.set_domain(Domain::Open).unwrap();
        program.update(&mut places, ()).unwrap();
        program.set_wrap(true);
        for domain in [Domain::Open, Domain::periodic([1.0; 3]).unwrap()] {
            program.set_domain(domain).unwrap();
            let error = program.update(&mut places, ()).unwrap_err();
            assert!(matches!(error, Error::WrapWithoutPoint { program: "move" }), "{error}");
        }
    }
}

/// Programs that have the same parameters.
#[nbody::interaction]
mod alike {
    pub struct Step {
        pub dt: Real,
    }
    pub struct Runner {
        pub x: Real,
        pub v: Real,
    }
    pub struct Sum {
        pub x: Real,
    }

    impl Update for Step {
        type P = Runner;
        fn update(&self, p: &mut Runner) {
            p.x += self.dt * p.v;
        }
    }
    impl Measure for Step {
        type P = Runner;
        type T = Sum;
        fn measure(&self, p: &Runner, t: &mut Sum) {
            t.x += p.x;
        }
    }
}

/// Programs that have the same parameters.
#[nbody::interaction]
mod other {
    pub struct Step {
        pub dt: Real,
    }
    pub struct Runner {
        pub x: Real,
        pub v: Real,
    }

    impl Update for Step {
        type P = Runner;
        fn update(&self, p: &mut Runner) {
            p.v -= self.dt * p.x;
        }
    }
}

/// An engine without types runs any program of its parameters with the program's own kernel, and
/// refuses a program of another kind.
#[test]
fn programs_of_one_engine_are_told_apart() {
    for device in nbody_tests::all_devices() {
        let (one, two) = (<alike::Step as Update>::PROGRAM, other::Step::PROGRAM);
        let row = [0.5_f64.to_bits()];
        let mut engine = device.untyped().per_particle(one.parameters, &row).unwrap();
        let start = alike::Runner { x: 1.0, v: 2.0 };
        let mut runners = device.upload(&[start; 3], Precision::Double).unwrap();
        engine.update(one, runners.untyped_mut(), Beside::default(), None).unwrap();
        engine.update(two, runners.untyped_mut(), Beside::default(), None).unwrap();
        let expected = alike::Runner { x: 2.0, v: 1.0 };
        assert_eq!(runners.download().unwrap(), [expected; 3], "{device}");
        let measure = <alike::Step as Measure>::PROGRAM;
        let total = engine.measure(measure, runners.untyped(), Beside::default()).unwrap();
        assert_eq!(total, [6.0_f64.to_bits()], "{device}");
        let wrong = [
            engine.update(measure, runners.untyped_mut(), Beside::default(), None).unwrap_err(),
            engine.measure(one, runners.untyped(), Beside::default()).unwrap_err(),
        ];
        assert!(wrong.iter().all(|it| matches!(it, Error::WrongProgram { .. })), "{wrong:?}");
    }
}
