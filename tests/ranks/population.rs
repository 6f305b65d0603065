//! Particles appended and removed over ranks: every rank has the same particles as a device alone, and
//! what the ranks have distributed follows.

use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Domain, Error};
use nbody_mpi::{Error as RankError, threads};
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::Uniform;
use nbody_tests::particle_programs::{Body, Drift, Runner};

use super::{distributed, over};

/// Returns marks of the particles that stay.
fn marks(n: usize, stays: impl Fn(usize) -> bool) -> Vec<Runner> {
    let mark = |k| Runner { active: stays(k).into(), id: k as u32, ..Runner::default() };
    (0..n).map(mark).collect()
}

/// Returns the particles that stay.
fn kept<P: Clone>(all: &[P], stays: impl Fn(usize) -> bool) -> Vec<P> {
    let stay = all.iter().enumerate().filter(|(k, _)| stays(*k));
    stay.map(|(_, it)| it.clone()).collect()
}

/// The particles of lists are distributed before each change.
#[test]
fn lists_over_ranks_notice_other_particles() {
    let law = Uniform { cutoff: 0.25 };
    for device in nbody_tests::all_devices() {
        for (ranks, &precision) in [1, 2, 3].into_iter().zip(Precision::ALL) {
            threads(ranks, |all| {
                let device = over(all, &device);
                let options = Options::default().precision(precision);
                let mut lists = Neighbours::with_options(&device, Skin::Auto, options).unwrap();
                let mut near = ShortRange::with_options(&device, law, options).unwrap();
                let (mut all, more) = (Random(1).balls(300), Random(2).balls(77));
                let mut balls = device.upload(&all, precision).unwrap();
                let mut out = near.results(0).unwrap();
                let mut compare = |lists: &mut Neighbours, balls: &_, all: &[_]| {
                    lists.update(balls, &[&near]).unwrap();
                    out.resize(all.len()).unwrap();
                    near.evaluate_over(lists, balls, &mut out).unwrap();
                    let expected = nbody::check::reference_self(&law, Domain::Open, all, all);
                    let (found, expected) = (out.download::<f64>().unwrap(), expected.unwrap());
                    assert!(found == expected, "{device}, {} in {precision}", all.len());
                };
                let mut selection = Selection::new(&device).unwrap();
                for turn in 0..3 {
                    compare(&mut lists, &balls, &all);
                    // The others are distributed, too.
                    let others = device.upload(&more, precision).unwrap();
                    compare(&mut lists, &others, &more);
                    balls.append(&others).unwrap();
                    all.extend_from_slice(&more);
                    compare(&mut lists, &balls, &all);
                    let stays = |k: usize| (k + turn) * k % 5 != 1;
                    let marks = device.upload(&marks(all.len(), stays), precision).unwrap();
                    let count = selection.select(&marks, "active").unwrap();
                    selection.keep(count, &mut balls).unwrap();
                    all = kept(&all, stays);
                }
                compare(&mut lists, &balls, &all);
                let found = balls.download().unwrap();
                assert!(found == all, "{device} in {precision}");
            });
        }
    }
}

#[test]
fn trees_over_ranks_notice_other_particles() {
    threads(3, |all| {
        let device = distributed(all, &Device::cpu());
        let options = Options::default().precision(Precision::Double);
        let mut tree = Tree::with_options(&device, GRAVITY, Opening::theta(0.4), options).unwrap();
        let all = bodies(900);
        let mut stars = device.upload(&all[..800], Precision::Double).unwrap();
        let mut out = tree.results(0).unwrap();
        let mut compare = |stars: &_, all: &[_]| {
            out.resize(all.len()).unwrap();
            tree.evaluate_self_into(stars, stars, &mut out).unwrap();
            let expected = nbody::check::reference_self(&GRAVITY, Domain::Open, all, all).unwrap();
            for (found, expected) in out.download::<f64>().unwrap().iter().zip(&expected) {
                assert!((found.pot / expected.pot - 1.0).abs() < 1e-3, "{found:?} {expected:?}");
            }
        };
        compare(&stars, &all[..800]);
        stars.append(&device.upload(&all[800..], Precision::Double).unwrap()).unwrap();
        compare(&stars, &all);
        let stays = |k: usize| k % 3 == 1;
        let marks = device.upload(&marks(900, stays), Precision::Double).unwrap();
        let mut selection = Selection::new(&device).unwrap();
        let count = selection.select(&marks, "active").unwrap();
        selection.keep(count, &mut stars).unwrap();
        compare(&stars, &kept(&all, stays));
    });
}

/// A program runs on the particles that there are, and a retained field decides alike on every rank.
#[test]
fn programs_over_ranks_notice_other_particles() {
    for device in nbody_tests::all_devices() {
        let alone = |device: &Device| {
            let mut drift = PerParticle::new(device, Drift { dt: 0.5 }).unwrap();
            let mut all = uniform::<Body>(257, 1);
            for (k, body) in all.iter_mut().enumerate() {
                body.kind = u32::from(k % 4 != 2);
            }
            let mut bodies = device.upload(&all, Precision::Mixed).unwrap();
            let others = device.upload(&all[..31], Precision::Mixed).unwrap();
            let mut selection = Selection::new(device).unwrap();
            let mut counts = Vec::new();
            for _ in 0..3 {
                drift.update(&mut bodies, ()).unwrap();
                bodies.append(&others).unwrap();
                drift.update(&mut bodies, ()).unwrap();
                counts.push(selection.retain(&mut bodies, "kind").unwrap());
            }
            (counts, bodies.download().unwrap())
        };
        let expected = alone(&device);
        for found in threads(3, |all| alone(&over(all, &device))) {
            assert!(found == expected, "{device}");
        }
    }
}

/// A change that one rank refuses or makes otherwise is made on no rank.
#[test]
fn changes_that_ranks_do_not_agree_on_change_nothing() {
    for device in nbody_tests::all_devices() {
        let refused = threads(3, |all| {
            let (rank, precision) = (all.rank(), Precision::Single);
            let plain = device.clone();
            let device = over(all, &device);
            let all = marks(300, |k| k % 3 == 0);
            let mut particles = device.upload(&all, precision).unwrap();
            let others = [7, 5].map(|n| device.upload(&all[..n], precision).unwrap());
            let single = plain.upload(&all[..7], precision).unwrap();
            let foreign = particles.append(&single).unwrap_err();
            assert!(matches!(foreign, Error::ForeignBuffer { .. }), "{foreign}");
            let appended = particles.append(&others[usize::from(rank == 1)]).unwrap_err();
            assert!(particles.download().unwrap() == all);
            let mut selection = Selection::new(&device).unwrap();
            assert_eq!(selection.select(&particles, "active"), Ok(100));
            let kept = selection.keep(100 + rank, &mut particles).unwrap_err();
            let beyond = selection.keep(if rank == 2 { 301 } else { 300 }, &mut particles);
            let beyond = beyond.unwrap_err();
            assert!(particles.download().unwrap() == all);
            // All stay on some ranks, and not on one.
            let mut alike = device.upload(&marks(9, |_| true), precision).unwrap();
            alike.write_at(&[4], &marks(1, |_| rank != 1)).unwrap();
            let retained = selection.retain(&mut alike, "active").unwrap_err();
            assert_eq!(alike.download().unwrap().len(), 9);
            // The ranks go on together.
            particles.append(&others[0]).unwrap();
            assert_eq!(selection.retain(&mut particles, "active"), Ok(103));
            assert_eq!(particles.len(), 103);
            [appended, kept, beyond, retained]
        });
        for error in refused.iter().flatten() {
            let found = error.device::<RankError>();
            let is_of_ranks =
                matches!(found, Some(RankError::Diverged { .. } | RankError::OtherRank { .. }));
            assert!(is_of_ranks || matches!(error, Error::OutOfRange { .. }), "{device}: {error}");
        }
    }
}
