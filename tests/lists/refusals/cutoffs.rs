//! Refused cutoffs: without bounds, and of half of the box.

use nbody::Skin;
use nbody::prelude::*;

use crate::grains::grains::{ByType, Greater};
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
            assert!(error.contains("half"), "{h} in {length}: {error}");
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
