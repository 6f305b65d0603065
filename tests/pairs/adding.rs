//! Evaluations that add to existing results, on every device.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{ArgMax, ArgMin, Error, Nearest};

#[nbody::interaction]
mod layers {
    pub struct Inner {
        pub radius2: Real,
    }
    pub struct Outer {
        pub radius2: Real,
    }
    pub struct Place {
        pub pos: Point,
    }
    pub struct Sums {
        pub push: Vector,
        pub farthest: ArgMax<Real>,
        pub nearest: ArgMin<Real>,
        pub near: Nearest<2>,
        pub count: Count,
    }

    impl Interaction for Inner {
        type I = Place;
        type J = Place;
        type F = Sums;

        fn pair(&self, i: &Place, j: &Place, f: &mut Sums) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            f.push += d;
            f.farthest.max(r2);
            f.nearest.min(r2);
            f.near.insert(r2);
            if r2 < self.radius2 {
                f.count += 1;
            }
        }
    }

    impl Interaction for Outer {
        type I = Place;
        type J = Place;
        type F = Sums;

        fn pair(&self, i: &Place, j: &Place, f: &mut Sums) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            f.push -= r2 * d;
            f.farthest.max(0.5 * r2);
            f.nearest.min(0.75 * r2);
            f.near.insert(0.75 * r2);
            if r2 > self.radius2 {
                f.count += 1;
            }
        }
    }
}
use layers::{Inner, Outer, Place, Sums};

/// Springs, whose forces obey Newton's third law.
#[nbody::interaction]
mod forces {
    pub struct Spring {
        pub stiffness: Real,
    }
    pub struct Body {
        pub pos: Point,
    }
    pub struct Force {
        pub force: Vector,
    }

    impl Interaction for Spring {
        type I = Body;
        type J = Body;
        type F = Force;

        fn pair(&self, i: &Body, j: &Body, f: &mut Force) {
            f.force += self.stiffness * (j.pos - i.pos);
        }
    }
}
use forces::{Body, Force, Spring};

/// Merges two results in the precision of the results.
fn merged(a: &Sums, b: &Sums, single: bool) -> Sums {
    let round = |x: f64| if single { f64::from(x as f32) } else { x };
    let least: ArgMin = if b.nearest.value < a.nearest.value { b.nearest } else { a.nearest };
    let of = |it: &Sums| it.near.values.into_iter().zip(it.near.indices);
    let mut all: Vec<(f64, u32)> = of(a).chain(of(b)).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let near = Nearest { values: [all[0].0, all[1].0], indices: [all[0].1, all[1].1] };
    let greatest: ArgMax =
        if b.farthest.value > a.farthest.value { b.farthest } else { a.farthest };
    Sums {
        push: Vector::new(
            round(a.push.x + b.push.x),
            round(a.push.y + b.push.y),
            round(a.push.z + b.push.z),
        ),
        farthest: greatest,
        nearest: least,
        near,
        count: a.count + b.count,
    }
}

#[test]
fn engines_of_two_interactions_add_to_one_buffer() {
    let devices = nbody_tests::all_devices();
    let (i, j) = (uniform::<Place>(37, 1), uniform::<Place>(700, 2));
    for device in &devices {
        for accumulation in [Accumulation::Direct, Accumulation::BlockedF64] {
            let options = Options::default().accumulation(accumulation);
            let inner = Inner { radius2: 0.25 };
            let outer = Outer { radius2: 0.5 };
            let mut inner = AllPairs::with_options(device, inner, options).unwrap();
            let mut outer = AllPairs::with_options(device, outer, options).unwrap();
            let expected: Vec<_> = {
                let [a, b] = [inner.evaluate(&i, &j).unwrap(), outer.evaluate(&i, &j).unwrap()];
                let single = accumulation == Accumulation::Direct;
                a.iter().zip(&b).map(|(a, b)| merged(a, b, single)).collect()
            };
            let (i, j) = (inner.upload(&i).unwrap(), inner.upload(&j).unwrap());
            let mut out = inner.results(i.len()).unwrap();
            // Often enough that a GPU replays graphs, both for replacing and for adding.
            for _ in 0..6 {
                inner.evaluate_into(&i, &j, &mut out).unwrap();
                outer.add_into(&i, &j, &mut out).unwrap();
                let found: Vec<Sums> = out.download().unwrap();
                assert_eq!(found, expected, "{device}, {accumulation}");
            }
        }
    }
}

#[test]
fn exact_sums_are_added_alike_on_every_device() {
    let devices = nbody_tests::all_devices();
    let (i, j) = (uniform::<Place>(130, 5), uniform::<Place>(700, 6));
    let order = SummationOrder { bag: 64, splits: 3 };
    let options = Options::default().math(Math::Exact).order(order);
    let mut expected: Option<Vec<Sums>> = None;
    for device in &devices {
        let mut inner = AllPairs::with_options(device, Inner { radius2: 0.25 }, options).unwrap();
        let (i, j) = (inner.upload(&i).unwrap(), inner.upload(&j).unwrap());
        let mut out = inner.results(130).unwrap();
        for _ in 0..3 {
            inner.add_into(&i, &j, &mut out).unwrap();
        }
        let found: Vec<Sums> = out.download().unwrap();
        assert_eq!(&found, expected.get_or_insert_with(|| found.clone()), "{device}");
    }
}

#[test]
fn both_directions_at_once_are_added() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        // Several launches in the emulator; each writes some of the results.
        for n in [1, 300, 2000] {
            let bodies = uniform::<Body>(n, 3);
            let options = Options::default().pairs(Pairs::Symmetric);
            let spring = Spring { stiffness: 2.0 };
            let mut direct = AllPairs::with_options(device, spring, options).unwrap();
            let once: Vec<Force> = direct.evaluate_self(&bodies).unwrap();
            let bodies = direct.upload(&bodies).unwrap();
            let mut out = direct.results(n).unwrap();
            for _ in 0..3 {
                direct.add_self_into(&bodies, &bodies, &mut out).unwrap();
            }
            let found: Vec<Force> = out.download().unwrap();
            for (found, once) in found.iter().zip(&once) {
                let rest = (found.force - 3.0 * once.force).norm2().sqrt();
                assert!(rest <= 1e-12 * n as f64, "{device}, {n}: {found:?}");
                assert!(n == 1 || once.force.norm2() > 0.0, "{device}, {n}");
            }
        }
    }
}

#[test]
fn no_particles_add_nothing_and_refusals_change_nothing() {
    let devices = nbody_tests::all_devices();
    let places = uniform::<Place>(5, 4);
    for device in &devices {
        let mut direct = AllPairs::new(device, Inner { radius2: 0.25 }).unwrap();
        let expected: Vec<Sums> = direct.evaluate_self(&places).unwrap();
        let i = direct.upload(&places).unwrap();
        let none = direct.upload(&places[..0]).unwrap();
        let few = direct.upload(&places[..4]).unwrap();
        let mut out = direct.results(5).unwrap();
        direct.evaluate_self_into(&i, &i, &mut out).unwrap();
        direct.add_into(&i, &none, &mut out).unwrap();
        let error = direct.add_into(&few, &i, &mut out).unwrap_err();
        let message = "results: found 5, expected 4";
        assert!(error.to_string().contains(message), "{device}: {error}");
        let double = Options::default().precision(Precision::Double);
        let mut double = AllPairs::with_options(device, Inner { radius2: 0.25 }, double).unwrap();
        assert!(double.add_into(&i, &i, &mut out).is_err(), "{device}: particles in f32");
        let other = devices.iter().find(|other| other.name() != device.name());
        let mut other = AllPairs::new(other.unwrap(), Inner { radius2: 0.25 }).unwrap();
        let error = other.add_into(&i, &i, &mut out).unwrap_err();
        assert!(matches!(error, Error::ForeignBuffer { .. }), "{device}: {error}");
        let found: Vec<Sums> = out.download().unwrap();
        assert_eq!(found, expected, "{device}");
    }
}
