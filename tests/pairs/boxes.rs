//! Periodic boxes of all pairs: changed lengths, and lengths that a precision cannot represent.

use nbody::prelude::*;
use nbody_interactions::gravity::{Body, Gravity};

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
