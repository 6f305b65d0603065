//! Given pairs that are refused: of other particles, and at positions that are not finite.

use nbody::prelude::*;
use nbody::{Csr, Skin};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::Everywhere;

use super::UNIFORM;
use crate::plain::evaluate;

/// Positions of given pairs are looked at by each update, as those of pairs that are found.
#[test]
fn given_pairs_of_refused_positions_are_not_evaluated() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut everywhere = ShortRange::new(device, Everywhere).unwrap();
        let pairs = [[0, 1], [1, 2]];
        let mut near = Neighbours::new(device, Csr::from_pairs(3, &pairs).unwrap()).unwrap();
        let mut balls = Random(1).balls(3);
        let good = near.upload(&balls).unwrap();
        balls[1].pos.y = f64::NAN;
        let bad = near.upload(&balls).unwrap();
        balls[1].pos.y = 0.0;
        let elsewhere = near.upload(&balls).unwrap();
        for first in [true, false] {
            let refused = near.update(&bad, &[&everywhere]);
            let refused = refused.and_then(|()| near.update(&good, &[&everywhere])).unwrap_err();
            let message = refused.to_string();
            assert!(message.contains("particles[1]"), "{device}, {first}: {message}");
            near.update(&good, &[&everywhere]).unwrap();
            evaluate(&mut everywhere, &near, &good, Sources::Same(&good)).unwrap();
        }
        let refused = near.update_with(&good, Sources::Same(&elsewhere), &[&everywhere]);
        let refused = refused.and_then(|()| near.rebuilds().map(|_| ())).unwrap_err();
        assert!(refused.to_string().contains("different positions"), "{device}: {refused}");
    }
}

#[test]
fn rows_and_pairs_of_other_particles_are_refused() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(other_particles_are_refused_on);
}

fn other_particles_are_refused_on(device: &Device) {
    let csr =
        |offsets: &[u64], indices: &[u32]| Csr { offsets: offsets.into(), indices: indices.into() };
    let refused = |csr: Csr| Neighbours::new(device, csr).unwrap_err().to_string();
    let offsets = |what: &str| format!("{what}; offsets ascend from 0 to the number of indices");
    assert_eq!(refused(csr(&[1, 2], &[0, 0])), offsets("offsets[0] is 1, expected 0"));
    assert_eq!(refused(csr(&[0, 2, 1, 3], &[0; 3])), offsets("offsets[2] is 1, expected 2 to 3"));
    assert_eq!(refused(csr(&[0, 2, 4, 3], &[0; 3])), offsets("offsets[2] is 4, expected 2 to 3"));
    assert_eq!(refused(csr(&[0, 2], &[0; 3])), offsets("offsets[1] is 2, expected 3"));
    assert_eq!(refused(csr(&[0], &[0; 3])), offsets("offsets[0] is 0, expected 3"));
    assert_eq!(
        refused(csr(&[], &[])),
        "no offsets, expected one for each particle and the end; for no particles give one, 0"
    );
    for n in [usize::MAX, 1 << 60, (1 << 27) + 1] {
        let error = Csr::from_pairs(n, &[]).unwrap_err().to_string();
        let message = "particles, expected at most 134217728; upload fewer at a time";
        assert_eq!(error, format!("{n} {message}"));
    }
    let error = Csr::from_pairs(3, &[[0, 1], [3, 1]]).unwrap_err();
    let names = |what: &str, found: u32, n: usize| {
        format!("{what} names particle {found} of {n}; indices of particles begin with 0")
    };
    assert_eq!(error.to_string(), names("pairs[1]", 3, 3));

    let mut uniform = ShortRange::new(device, UNIFORM).unwrap();
    let mut near = Neighbours::new(device, csr(&[0, 1, 3], &[1, 0, 4])).unwrap();
    let [two, five] = [2, 5].map(|n| near.upload(&Random(1).balls(n)).unwrap());
    let error = near.update(&two, &[&uniform]).unwrap_err().to_string();
    assert_eq!(error, names("indices[2]", 4, 2));
    let error = near.update(&five, &[&uniform]).unwrap_err().to_string();
    assert_eq!(error, "rows: found 2, expected 5; give one for each particle");
    near.update_with(&two, Sources::Others(&five), &[&uniform]).unwrap();

    let mut near = Neighbours::new(device, Skin::Auto).unwrap();
    near.exclude(&[[0, 1], [1, 4]]);
    let error = near.update(&two, &[&uniform]).unwrap_err().to_string();
    assert_eq!(error, names("excluded pairs[1]", 4, 2));
    near.update_with(&two, Sources::Others(&five), &[&uniform]).unwrap();
    let error = near.update_with(&five, Sources::Others(&two), &[&uniform]).unwrap_err();
    assert_eq!(error.to_string(), names("excluded pairs[1]", 4, 2));
    let message =
        evaluate(&mut uniform, &near, &five, Sources::Others(&two)).unwrap_err().to_string();
    assert_eq!(message, "5 i-particles given to neighbour lists of 2; update them for these");
}
