//! Periodic boxes of all pairs: changed lengths, lengths that a precision cannot represent, and laws
//! that have no points.

use nbody::check::{self, Case, ErrorBounds};
use nbody::prelude::*;
use nbody::{Csr, Error, Interaction};
use nbody_interactions::gravity::{Body, Gravity};
use vectors::{Apart, OfSources, Phase, Place, Site};

#[test]
fn boxes_come_and_go_and_change_their_lengths() {
    let at = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let gravity = Gravity { eps2: 0.0 };
    let devices = nbody_tests::all_devices();
    for device in devices {
        let mut direct = AllPairs::new(&device, gravity).unwrap();
        let mut pot = |domain| {
            direct.set_domain(domain).unwrap();
            assert_eq!(direct.options().domain, domain);
            direct.evaluate_self(&[at(0.0), at(4.0)]).unwrap()[0].pot
        };
        assert_eq!(pot(Domain::Open), -0.25, "{device}");
        assert_eq!(pot(Domain::periodic([5.0; 3]).unwrap()), -1.0, "{device}");
        assert_eq!(pot(Domain::periodic([4.5; 3]).unwrap()), -2.0, "{device}");
        assert_eq!(pot(Domain::periodic([f64::INFINITY, 1.0, 1.0]).unwrap()), -0.25, "{device}");
        assert_eq!(pot(Domain::Open), -0.25, "{device}");
    }
}

#[test]
fn boxes_that_the_precision_cannot_hold_are_refused() {
    let at = |x: f64| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let gravity = Gravity { eps2: 0.0 };
    let devices = nbody_tests::all_devices();
    for (device, &precision) in
        devices.iter().flat_map(|it| Precision::ALL.iter().map(move |p| (it, p)))
    {
        let options = Options::default().precision(precision);
        let mut direct = AllPairs::with_options(device, gravity, options).unwrap();
        for length in [1e-300, 1e-39, 1e38, 1e300] {
            let domain = Domain::periodic([1.0, length, 1.0]).unwrap();
            let options = options.domain(domain);
            let made = AllPairs::with_options(device, gravity, options).map(|_| ());
            let set = direct.set_domain(domain);
            if precision == Precision::Double {
                made.and(set).unwrap();
                assert_eq!(direct.options().domain, domain);
                direct.set_domain(Domain::Open).unwrap();
                continue;
            }
            for refused in [made, set] {
                let error = refused.unwrap_err().to_string();
                let box_length = format!("periodic box of length {length:e} along y: expected");
                let range = format!("in {precision} precision");
                let names_both = error.starts_with(&box_length) && error.contains(&range);
                assert!(names_both, "{device}: {error}");
            }
        }
        // Restore the previous space.
        assert_eq!(direct.options().domain, Domain::Open);
        let fields = direct.evaluate_self(&[at(0.0), at(4.0)]).unwrap();
        assert_eq!(fields[0].pot, -0.25, "{device}, {precision}");
    }
    assert!(Domain::periodic([1e-320, 1.0, 1.0]).is_err());
}

#[nbody::interaction]
mod vectors {
    /// A particle whose position is no point.
    pub struct Place {
        pub pos: Vector,
    }
    pub struct Site {
        pub pos: Point,
        pub weight: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    pub struct Apart;
    impl Interaction for Apart {
        type I = Place;
        type J = Place;
        type F = Sum;
        fn pair(&self, i: &Place, j: &Place, f: &mut Sum) {
            f.sum += (j.pos - i.pos).norm();
        }
    }

    pub struct OfSources;
    impl Interaction for OfSources {
        type I = Site;
        type J = Place;
        type F = Sum;
        fn pair(&self, i: &Site, j: &Place, f: &mut Sum) {
            f.sum += i.weight * j.pos.norm();
        }
    }

    /// A sum over plane waves: j-particles are at no place.
    pub struct Phase {
        pub origin: Point,
    }
    impl Interaction for Phase {
        type I = Site;
        type J = Place;
        type F = Sum;
        fn pair(&self, i: &Site, j: &Place, f: &mut Sum) {
            f.sum += j.pos.dot(i.pos - self.origin);
        }
    }
}

const PLACE: Place = Place { pos: Vector([0.0; 3]) };

#[track_caller]
fn is_refused<T>(done: Result<T, Error>, name: &str, record: &str) {
    let error = done.err().expect("a box without effect");
    assert!(matches!(error, Error::NoPoint { .. }), "{error}");
    let expected = format!(
        "`{name}` has no Point in {record}: a periodic box has no effect; declare positions as \
         Point, or leave the space open"
    );
    assert_eq!(error.to_string(), expected);
}

/// Refuses the box at creation and afterwards, on a device.
fn refuses_a_box<X: Interaction>(device: &Device, x: X, record: &str) {
    let (name, boxed) = (X::LAW.name, Domain::periodic([f64::INFINITY, 1.0, 1.0]).unwrap());
    let options = Options::default().domain(boxed);
    is_refused(AllPairs::with_options(device, x.clone(), options), name, record);
    is_refused(ShortRange::with_options(device, x.clone(), options), name, record);
    let mut direct = AllPairs::new(device, x.clone()).unwrap();
    is_refused(direct.set_domain(boxed), name, record);
    assert_eq!(direct.options().domain, Domain::Open);
    let mut listed = ShortRange::new(device, x.clone()).unwrap();
    is_refused(listed.set_domain(boxed), name, record);
    assert_eq!(listed.options().domain, Domain::Open);
    // A box that is open in every direction changes nothing for any law.
    let open = Domain::periodic([f64::INFINITY; 3]).unwrap();
    direct.set_domain(open).unwrap();
    AllPairs::with_options(device, x, Options::default().domain(open)).unwrap();
}

#[test]
fn a_box_for_a_law_without_points_is_refused() {
    for device in nbody_tests::all_devices() {
        refuses_a_box(&device, Apart, "I");
        refuses_a_box(&device, OfSources, "J");
    }
    let (i, boxed) = ([PLACE], Domain::periodic([1.0; 3]).unwrap());
    let options = Options::default().domain(boxed);
    is_refused(check::reference::<_, f64>(&Apart, boxed, &i, &i), "apart", "I");
    is_refused(check::reference_self::<_, f64>(&Apart, boxed, &i, &i), "apart", "I");
    is_refused(check::reference_sample::<_, f64>(&Apart, boxed, &i, &i, &[0]), "apart", "I");
    is_refused(check::reference_self_sample::<_, f64>(&Apart, boxed, &i, &i, &[0]), "apart", "I");
    is_refused(ErrorBounds::new(&Apart, boxed, &i, &i), "apart", "I");
    is_refused(ErrorBounds::one_set(&Apart, boxed, &i, &i), "apart", "I");
    is_refused(Case::two_sets(&Apart, boxed, i.to_vec(), i.to_vec()), "apart", "I");
    is_refused(Case::one_set(&Apart, boxed, i.to_vec(), i.to_vec()), "apart", "I");
    is_refused(check::range(&Apart, &options, &i, &i), "apart", "I");
    is_refused(check::range_self(&Apart, &options, &i, &i), "apart", "I");
}

#[test]
fn given_lists_in_a_box_refuse_a_law_without_points() {
    for device in nbody_tests::all_devices() {
        let options = Options::default().domain(Domain::periodic([1.0; 3]).unwrap());
        let pairs = || Csr::from_pairs(2, &[[0, 1]]).unwrap();
        let mut near = Neighbours::with_options(&device, pairs(), options).unwrap();
        let places = near.upload(&[PLACE; 2]).unwrap();
        let mut apart = ShortRange::new(&device, Apart).unwrap();
        is_refused(near.update(&places, &[&apart]), "apart", "I");
        let mut out = apart.results(2).unwrap();
        is_refused(apart.evaluate_over(&near, &places, &mut out), "apart", "I");
        near.set_domain(Domain::Open).unwrap();
        near.update(&places, &[&apart]).unwrap();
        apart.evaluate_over(&near, &places, &mut out).unwrap();
    }
}

/// The second point of a difference may be a parameter.
#[test]
fn a_box_has_an_effect_by_points_among_the_parameters() {
    let boxed = Domain::periodic([1.0; 3]).unwrap();
    let wave = Place { pos: Vector::new(1.0, 0.0, 0.0) };
    let site = Site { pos: Point::new(0.75, 0.0, 0.0), weight: 1.0 };
    let phase = Phase { origin: Point::new(0.0, 0.0, 0.0) };
    for device in nbody_tests::all_devices() {
        let options = Options::default().domain(boxed);
        let mut direct = AllPairs::with_options(&device, phase, options).unwrap();
        assert_eq!(direct.evaluate(&[site], &[wave]).unwrap()[0].sum, -0.25, "{device}");
    }
}
