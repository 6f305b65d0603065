//! Selections of particles on every device, compared with plain loops over records.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{PerParticle, Selection};
use nbody_tests::particle_programs::{Advance, Announce, Mark, Runner};

/// Fields and parameters of other names; one of them, `new`, is a word of C++.
#[nbody::interaction]
mod turns {
    pub struct Player {
        pub turn: u32,
        pub x: Real,
        pub out: u32,
    }
    pub struct Tell {
        pub first: u32,
        pub unit: Real,
        pub new: u32,
    }

    impl Update for Tell {
        type P = Player;
        fn update(&self, p: &mut Player) {
            p.x += self.unit * self.new as Real + 100.0 * self.first as Real;
        }
    }
}

const SIZES: [usize; 8] = [0, 1, 2, 16, 255, 257, 1000, 70_001];

/// Returns particles; about one in `every` takes part.
pub fn runners(n: usize, every: usize) -> Vec<Runner> {
    let mut runners = uniform::<Runner>(n, 1);
    for (k, runner) in runners.iter_mut().enumerate() {
        runner.active = u32::from(every > 0 && k * k % every == 0);
        runner.id = k as u32;
    }
    runners
}

/// Returns the number of particles that take part, and these particles followed by the others.
fn ordered(runners: &[Runner]) -> (usize, Vec<Runner>) {
    let active = runners.iter().filter(|runner| runner.active != 0);
    let others = runners.iter().filter(|runner| runner.active == 0);
    (active.clone().count(), active.chain(others).copied().collect())
}

/// Rounds particles as a buffer does.
fn rounded(device: &Device, runners: &[Runner], precision: Precision) -> Vec<Runner> {
    device.upload(runners, precision).unwrap().download().unwrap()
}

#[test]
fn particles_that_take_part_come_first() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut selection = Selection::new(device).unwrap();
        for (k, n) in SIZES.into_iter().enumerate() {
            for every in [0, 1, 3] {
                let precision = Precision::ALL[k % Precision::ALL.len()];
                let runners = rounded(device, &runners(n, every), precision);
                let from = device.upload(&runners, precision).unwrap();
                let mut to = device.upload::<Runner>(&[], precision).unwrap();
                let (active, expected) = ordered(&runners);
                assert_eq!(
                    selection.select(&from, "active").unwrap(),
                    active,
                    "{device}, {n}, {every}"
                );
                assert_eq!(selection.len(), n);
                for count in [active, n] {
                    selection.gather(count, &from, &mut to).unwrap();
                    let found = to.download().unwrap();
                    assert!(found == expected[..count], "{device}, {n}, {every}, {count}");
                }
            }
        }
    }
}

#[test]
fn selected_particles_are_updated() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut advance = PerParticle::new(device, Advance { dt: 0.5 }).unwrap();
        let mut mark = PerParticle::new(device, Mark).unwrap();
        let mut selection = Selection::new(device).unwrap();
        for n in SIZES {
            let runners = runners(n, 3);
            let mut particles = device.upload(&runners, Precision::Double).unwrap();
            let active = selection.select(&particles, "active").unwrap();
            // The second particles have the same indices as the first.
            let others = device.upload(&runners, Precision::Double).unwrap();
            advance.update_selected(&selection, active, &mut particles, &others).unwrap();
            for (before, after) in runners.iter().zip(particles.download().unwrap()) {
                let factor = if before.active == 0 { 0.0 } else { 0.5 };
                assert_eq!(after, Runner { x: before.x + factor * before.x, ..*before });
            }
            // Copies change, and the particles stay.
            let particles = device.upload(&runners, Precision::Double).unwrap();
            let mut copies = device.upload::<Runner>(&[], Precision::Double).unwrap();
            for count in [active, n] {
                mark.update_copies(&selection, count, &particles, &mut copies, &others).unwrap();
                let copy = |it: &Runner| Runner { x: it.id.into(), ..*it };
                let expected: Vec<_> = ordered(&runners).1[..count].iter().map(copy).collect();
                assert!(copies.download().unwrap() == expected, "{device}, {count} of {n}");
            }
            assert!(particles.download().unwrap() == runners, "{device}, {n}");
        }
    }
}

#[test]
fn the_soonest_particles_come_first() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut selection = Selection::new(device).unwrap();
        let mut announce = PerParticle::new(device, Announce { unit: 0.5, due: 7 }).unwrap();
        for (k, n) in SIZES.into_iter().enumerate() {
            // Times that wrap around.
            let now = u32::MAX - 5;
            let mut runners = runners(n, 1);
            for (k, runner) in runners.iter_mut().enumerate() {
                runner.due = now.wrapping_add(3 + (k * k % 7) as u32);
            }
            let precision = Precision::ALL[k % Precision::ALL.len()];
            let particles = device.upload(&runners, precision).unwrap();
            let mut copies = device.upload::<Runner>(&[], precision).unwrap();
            // An answer that was never fetched does not answer the next question.
            selection.seek_soonest(&particles, "due", now.wrapping_add(1)).unwrap();
            selection.seek_soonest(&particles, "due", now).unwrap();
            announce.update_copies_due("due", &selection, n, &particles, &mut copies, ()).unwrap();
            let (count, ticks) = selection.soonest().unwrap();
            let due = f64::from(now.wrapping_add(3)) as f32;
            let told = copies.download().unwrap();
            assert!(told.iter().all(|it| it.x as f32 == 0.5 * due), "{device}, {n}");
            announce.update_copies(&selection, n, &particles, &mut copies, ()).unwrap();
            assert!(copies.download().unwrap().iter().all(|it| it.x == 3.5), "{device}, {n}");
            assert_eq!(selection.select_soonest(&particles, "due", now).unwrap(), (count, ticks));
            // A selection without times.
            let (active, zero) =
                (selection.select(&particles, "active").unwrap(), (n > 0).then_some(0.0));
            assert_eq!(selection.soonest().unwrap(), (active, 0));
            announce.update_copies_due("due", &selection, n, &particles, &mut copies, ()).unwrap();
            assert_eq!(copies.download().unwrap().first().map(|it| it.x), zero, "{device}");
            selection.select_soonest(&particles, "due", now).unwrap();
            let is_soonest = |it: &&Runner| it.due == now.wrapping_add(3);
            let soonest: Vec<_> = runners.iter().filter(is_soonest).map(|it| it.id).collect();
            assert_eq!(
                (count, ticks),
                (soonest.len(), if n == 0 { 0 } else { 3 }),
                "{device}, {n}"
            );
            let mut first = device.upload::<Runner>(&[], precision).unwrap();
            selection.gather(count, &particles, &mut first).unwrap();
            let found: Vec<_> = first.download().unwrap().iter().map(|it| it.id).collect();
            assert!(found == soonest, "{device}, {n}");
        }
    }
}

#[test]
fn fields_and_parameters_are_told_by_name() {
    for device in nbody_tests::all_devices() {
        let player = |turn: u32, out: u32| turns::Player { turn, x: 0.0, out };
        let players = [player(7, 1), player(5, 0), player(9, 2), player(5, 3)];
        let players = device.upload(&players, Precision::Double).unwrap();
        let mut selection = Selection::new(&device).unwrap();
        assert_eq!(selection.select(&players, "out").unwrap(), 3, "{device}");
        assert_eq!(selection.select_soonest(&players, "turn", 4).unwrap(), (2, 1), "{device}");
        let mut tell =
            PerParticle::new(&device, turns::Tell { first: 2, unit: 1.0, new: 3 }).unwrap();
        let mut copies = device.upload::<turns::Player>(&[], Precision::Double).unwrap();
        for (name, x) in [("new", 205.0), ("first", 503.0)] {
            tell.update_copies_due(name, &selection, 4, &players, &mut copies, ()).unwrap();
            assert!(copies.download().unwrap().iter().all(|it| it.x == x), "{device}, {name}");
        }
        let unknown = tell.update_copies_due("unit", &selection, 4, &players, &mut copies, ());
        let expected = "no field `unit: u32`, found first: u32, new: u32; name one of these";
        assert_eq!(unknown.unwrap_err().to_string(), expected, "{device}");
        let unknown = selection.seek_soonest(&players, "due", 4).unwrap_err().to_string();
        let expected = "no field `due: u32`, found turn: u32, out: u32; name one of these";
        assert_eq!(unknown, expected, "{device}");
    }
}
