//! Refused cutoffs: without bounds, and of half of the box.

use nbody::Skin;
use nbody::prelude::*;

use crate::grains::grains::{ByType, Greater, Uniform};
use crate::grains::{ALONE, Lists, Random, engines};

/// Within the skin, cutoffs may not grow to half of the box, nor may the box shrink to twice the
/// cutoff.
#[test]
fn cutoffs_of_half_of_the_box_are_refused_within_the_skin() {
    let devices = nbody_tests::all_devices();
    let law = [engines(&devices, Greater)];
    let cube = |length| Domain::periodic([length; 3]).unwrap();
    let mut grains = Random(10).grains(60);
    for grain in &mut grains {
        grain.h = 0.4375;
    }
    for (h, length, refused) in
        [(0.4375, 1.875, false), (0.45, 2.0, false), (0.5, 2.0, true), (0.4375, 1.625, true)]
    {
        let mut lists = Lists::new(&devices, cube(2.0), Skin::Length(1.0));
        assert_eq!(lists.update(&grains, ALONE, &law), Ok(1));
        for near in &mut lists.0 {
            near.set_domain(cube(length)).unwrap();
        }
        let mut now = grains.clone();
        for grain in &mut now {
            grain.pos = nbody::Point(grain.pos.0.map(|x| x * length / 2.0));
        }
        now[3].h = h;
        let updated = lists.update(&now, ALONE, &law);
        if refused {
            let error = updated.unwrap_err();
            let expected = format!(
                "the cutoff of `greater` is up to {} in a periodic box of length {length} along x: \
                 expected less than half of the length; take a larger box or a shorter cutoff, or \
                 evaluate all pairs, which have all images",
                2.0 * h
            );
            assert_eq!(error, expected);
        } else {
            assert_eq!(updated, Ok(1), "{h} in {length}");
        }
    }
}

#[test]
fn cutoffs_without_bounds_are_refused() {
    let devices = nbody_tests::all_devices();
    let by_type = engines(&devices, ByType { cutoffs: [0.1, 0.2, 0.3] });
    let law = [engines(&devices, Greater), by_type];
    let mut lists = Lists::new(&devices, Domain::Open, Skin::Auto);
    let good = Random(4).grains(200);
    assert_eq!(lists.update(&good, ALONE, &law), Ok(1));
    for (h, kind, named) in
        [(f64::NAN, 0, "greater"), (f64::INFINITY, 0, "greater"), (0.1, 3, "by_type")]
    {
        let mut bad = good.clone();
        (bad[77].h, bad[77].kind) = (h, kind);
        let error = lists.update(&bad, ALONE, &law).unwrap_err();
        assert!(error.contains(named), "{error}");
    }
    assert_eq!(lists.update(&good, ALONE, &law), Ok(2));
    let mut lists = Lists::new(&devices, Domain::periodic([2.0; 3]).unwrap(), Skin::Auto);
    assert_eq!(lists.update(&good, ALONE, &law), Ok(1));
    let mut bad = good.clone();
    bad[3].h = 0.625;
    let error = lists.update(&bad, ALONE, &law).unwrap_err();
    assert!(error.contains("1.25"), "{error}");
    assert_eq!(lists.update(&good, ALONE, &law), Ok(2));
}

/// The message names the interactions that may have the cutoff, and rounds it.
#[test]
fn cutoffs_of_half_of_the_box_are_named() {
    let devices = nbody_tests::all_devices();
    let by_type = |cutoff| engines(&devices, ByType { cutoffs: [0.1, 0.2, cutoff] });
    let mut grains = Random(4).grains(200);
    let expected = |laws: &str, cutoff: f64| {
        format!(
            "the cutoff of {laws} is up to {cutoff} in a periodic box of length 1 along x: expected \
             less than half of the length; take a larger box or a shorter cutoff, or \
             evaluate all pairs, which have all images"
        )
    };
    let new = || Lists::new(&devices, Domain::periodic([1.0; 3]).unwrap(), Skin::Auto);
    grains[3].h = 0.3;
    let error = new().update(&grains, ALONE, &[engines(&devices, Greater)]).unwrap_err();
    assert_eq!(error, expected("`greater`", 0.6));
    let both = [engines(&devices, Greater), by_type(0.3)];
    let error = new().update(&grains, ALONE, &both).unwrap_err();
    assert_eq!(error, expected("`greater` or `by_type`", 0.6));
    let uniform = engines(&devices, Uniform { cutoff: 0.7 });
    let all = [engines(&devices, Greater), uniform, by_type(0.3)];
    let error = new().update(&grains, ALONE, &all).unwrap_err();
    assert_eq!(error, expected("`uniform`", 0.7));
}
