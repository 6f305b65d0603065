//! States of lists, which another run continues from.

use nbody::lists::{HasCutoff, ListState};
use nbody::prelude::*;
use nbody::{Neighbours, ShortRange, Skin};

use super::grains::Random;
use super::grains::grains::{Grain, Greater, Radii, Uniform};

/// Within the margin, and then beyond, where the device builds the lists and the host does not know yet.
#[test]
fn states_have_the_cutoffs_and_the_box_that_lists_were_built_with() {
    let devices = nbody_tests::all_devices();
    let mut expected = None;
    for device in &devices {
        let of_lengths = |[x, _, z]: [f64; 3]| Domain::periodic([x, f64::INFINITY, z]).unwrap();
        let greater = ShortRange::new(device, Greater).unwrap();
        let mut lengths = [2.0, 1.0, 2.5];
        let new = |lengths| {
            Neighbours::with_options(
                device,
                Skin::Length(0.04),
                Options::default().domain(of_lengths(lengths)),
            )
            .unwrap()
        };
        let update = |near: &mut Neighbours, grains: &[Grain], cutoff: f64| {
            let uniform = ShortRange::new(device, Uniform { cutoff }).unwrap();
            let particles = near.upload(grains).unwrap();
            near.update(&particles, &[&greater, &uniform]).unwrap();
        };
        let mut near = new(lengths);
        let mut grains = Random(40).grains(300);
        update(&mut near, &grains, 0.1);
        let mut found = Vec::new();
        for (cutoff, moved) in [(0.11, 0.0), (0.12, 0.05)] {
            for axis in [0, 2] {
                lengths[axis] *= 0.999;
                for grain in &mut grains {
                    grain.pos[axis] *= 0.999;
                }
            }
            for grain in &mut grains {
                grain.h *= 1.001;
            }
            grains[5].pos.y += moved;
            near.set_domain(of_lengths(lengths)).unwrap();
            update(&mut near, &grains, cutoff);
            let (csr, state) = (near.to_csr().unwrap(), near.state().unwrap().unwrap());
            let rebuilds = near.rebuilds().unwrap();
            assert_eq!(rebuilds, if moved > 0.0 { 2 } else { 1 }, "{device}");
            assert_eq!(state.domain == near.domain(), rebuilds == 2, "{device}");
            assert!(near.state().unwrap() == Some(state.clone()), "{device}");
            let mut again = new(lengths);
            again.restore(&state).unwrap();
            update(&mut again, &grains, cutoff);
            assert_eq!(again.rebuilds().unwrap(), 1, "{device}");
            assert!(again.to_csr().unwrap() == csr, "{device}");
            // The entries of the build are known since the update.
            let state = ListState { room: [0; 2], ..state };
            let again = ListState { room: [0; 2], ..again.state().unwrap().unwrap() };
            assert!(again == state, "{device}");
            found.push((csr, state));
        }
        let expected = expected.get_or_insert_with(|| found.clone());
        assert!(found == *expected, "{device}");
    }
}

#[test]
fn states_of_other_interactions_are_refused() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let radii = ShortRange::new(device, Radii).unwrap();
        let uniform = ShortRange::new(device, Uniform { cutoff: 0.1 }).unwrap();
        let mut near = Neighbours::new(device, Skin::Auto).unwrap();
        let particles = near.upload(&Random(41).grains(50)).unwrap();
        near.update(&particles, &[&radii]).unwrap();
        let state = near.state().unwrap().unwrap();
        let short = |mut state: ListState| {
            state.numbers[0][0].pop();
            state
        };
        for (state, of) in [
            (state.clone(), [&uniform as &dyn HasCutoff].as_slice()),
            (state.clone(), &[&radii, &uniform]),
            (short(state.clone()), &[&radii]),
            (ListState { numbers: Default::default(), ..state.clone() }, &[&radii]),
        ] {
            near.restore(&state).unwrap();
            let error = near.update(&particles, of).unwrap_err().to_string();
            assert!(error.contains("of lists"), "{device}: {error}");
        }
        near.restore(&state).unwrap();
        near.update(&particles, &[&radii]).unwrap();
    }
}
