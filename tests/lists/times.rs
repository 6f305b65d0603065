//! Times of the parts of an evaluation by lists.

use nbody::lists::NeighbourTimes;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody_interactions::lennard_jones::Atom;

use super::devices::lennard_jones;

/// Times are those of the parts that ran, and to measure them changes no result.
#[test]
fn only_parts_that_ran_took_time() {
    let devices = nbody_tests::all_devices();
    let domain = Domain::periodic([1.0; 3]).unwrap();
    for device in &devices {
        let mut engine = ShortRange::new(device, lennard_jones()).unwrap();
        let new = || {
            Neighbours::with_options(
                device,
                Skin::Length(0.0625),
                Options::default().domain(domain),
            )
            .unwrap()
        };
        let (mut near, mut plain) = (new(), new());
        near.set_timed(true);
        assert_eq!(near.stats().unwrap().times, Some(NeighbourTimes::default()));
        let mut atoms: Vec<Atom> = uniform(500, 7);
        let mut out = [engine.results(500).unwrap(), engine.results(500).unwrap()];
        let mut before = NeighbourTimes::default();
        for (step, is_rebuilt) in [true, false, true, false].into_iter().enumerate() {
            // Every other step by more than half of the skin.
            atoms[77].pos.y += if step == 2 { 0.25 } else { 1.0 / 128.0 };
            let particles = near.upload(&atoms).unwrap();
            for (near, out) in [&mut near, &mut plain].into_iter().zip(&mut out) {
                near.update(&particles, &[&engine]).unwrap();
                engine.evaluate_over(near, &particles, out).unwrap();
                engine.add_over(near, &particles, out).unwrap();
            }
            let [found, expected] = out.each_ref().map(|out| out.download::<f64>().unwrap());
            assert!(found == expected, "{device}, {step}");
            assert!(near.to_csr().unwrap() == plain.to_csr().unwrap(), "{device}, {step}");
            assert_eq!(plain.stats().unwrap().times, None);
            let stats = near.stats().unwrap();
            let now = stats.times.unwrap();
            assert_eq!([now.rebuilds, now.updates], [stats.rebuilds, step as u64 + 1]);
            assert_eq!(now.evaluations, 2 * now.updates);
            let ran = [now.look > before.look, now.pack > before.pack, now.force > before.force];
            assert_eq!(ran, [true; 3], "{device}, {step}: {now:?}");
            let built = [now.rebuilds > before.rebuilds, now.order > before.order];
            assert_eq!(built, [is_rebuilt; 2], "{device}, {step}: {now:?}");
            assert_eq!(now.list > before.list, is_rebuilt, "{device}, {step}: {now:?}");
            before = now;
        }
        atoms[33].pos.x = f64::NAN;
        let bad = near.upload(&atoms).unwrap();
        assert!(near.update(&bad, &[&engine]).is_err(), "{device}");
        assert_eq!(near.stats().unwrap().times, Some(before), "{device}: an update that failed");
        near.set_timed(true);
        assert_eq!(near.stats().unwrap().times, Some(NeighbourTimes::default()));
        near.set_timed(false);
        assert_eq!(near.stats().unwrap().times, None);
    }
}
