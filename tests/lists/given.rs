//! Lists of pairs that the caller gives, against plain loops.

use std::time::Duration;

use nbody::lists::HasCutoff;
use nbody::prelude::*;
use nbody::{Csr, Skin};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_tests::bodies::{GRAVITY, bodies};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Either, Everywhere, Uniform};

use super::plain::{boxes, devices_and_ways, distance, evaluate, plain_loop, rows};

#[test]
fn rows_are_evaluated_within_the_cutoff_if_there_is_one() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(rows_are_evaluated_on);
}

fn rows_are_evaluated_on(device: &Device) {
    let mut everywhere = ShortRange::new(device, Everywhere).unwrap();
    let mut uniform = ShortRange::new(device, Uniform { cutoff: 0.75 }).unwrap();
    let mut either = ShortRange::new(device, Either { factor: 6.0 }).unwrap();
    let mut hits = 0;
    for (k, n) in [0, 1, 31, 32, 33, 300].into_iter().enumerate() {
        for lengths in boxes() {
            let mut random = Random(k as u64);
            let (mut i, j) = (random.balls(n), random.balls(2 * n));
            let domain = Domain::periodic(lengths).unwrap();
            for (one_set, given) in
                [(true, rows(&mut random, n, n)), (false, rows(&mut random, n, 2 * n))]
            {
                let mut near = Neighbours::with_options(
                    device,
                    given.clone(),
                    Options::default().domain(domain),
                )
                .unwrap();
                for step in 0..3 {
                    let sources = if one_set { &i } else { &j };
                    let [a, b] = [&i, sources].map(|balls| near.upload(balls).unwrap());
                    let all: [&dyn HasCutoff; 3] = [&everywhere, &uniform, &either];
                    let j = if one_set { Sources::Same(&a) } else { Sources::Others(&b) };
                    near.update_with(&a, j, &all).unwrap();
                    let times = |k: usize, l: usize| {
                        let is_self = one_set && k == l;
                        let times = given.row(k).iter().filter(|&&it| it as usize == l).count();
                        if is_self { 0 } else { times as u32 }
                    };
                    let within = |k: usize, l: usize, cutoff: f64| {
                        u32::from(distance(&i[k], &sources[l], lengths) < cutoff)
                    };
                    let expected = plain_loop(&i, sources, times);
                    assert_eq!(evaluate(&mut everywhere, &near, &a, j).unwrap(), expected);
                    let expected = plain_loop(&i, sources, |k, l| times(k, l) * within(k, l, 0.75));
                    assert_eq!(
                        evaluate(&mut uniform, &near, &a, j).unwrap(),
                        expected,
                        "step {step}"
                    );
                    hits += expected.iter().map(|it| it[0]).sum::<i64>();
                    let expected = plain_loop(&i, sources, |k, l| {
                        times(k, l) * within(k, l, 6.0 * i[k].h.max(sources[l].h))
                    });
                    assert_eq!(evaluate(&mut either, &near, &a, j).unwrap(), expected);
                    // The cutoff of an interaction has no effect on given pairs.
                    let mut wide = ShortRange::new(device, Uniform { cutoff: 100.0 }).unwrap();
                    let expected = plain_loop(&i, sources, times);
                    assert_eq!(evaluate(&mut wide, &near, &a, j).unwrap(), expected);
                    for ball in &mut i {
                        ball.pos.x += random.around(300);
                        ball.pos.z += random.around(300);
                    }
                }
            }
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn rows_in_open_space_have_the_same_bits_on_every_device() {
    let devices = nbody_tests::all_devices();
    let stars = bodies(300);
    let given = rows(&mut Random(3), stars.len(), stars.len());
    for &precision in Precision::ALL {
        let options = Options::default().precision(precision).math(Math::Exact);
        let found = devices.iter().map(|device| {
            let lists = Neighbours::with_options(device, given.clone(), options).unwrap();
            let engine = ShortRange::with_options(device, GRAVITY, options).unwrap();
            engine.with_lists(lists).evaluate_self(&stars).unwrap()
        });
        let found: Vec<_> = found.collect();
        for (device, results) in devices.iter().zip(&found) {
            assert!(*results == found[0], "{device} in {precision}");
        }
    }
}

/// Bonds of a rotating ring, in every precision: forces equal a plain loop, and images are found
/// again only after a particle has moved by about a quarter of the box.
#[test]
fn bonds_act_both_ways_and_follow_their_images() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(bonds_act_on);
}

fn bonds_act_on(device: &Device) {
    const N: usize = 40;
    let bonds: Vec<_> = (0..N as u32).map(|k| [k, (k + 1) % N as u32]).collect();
    let at = |k: usize, turn: f64| {
        let angle = (k as f64 / N as f64 + turn) * std::f64::consts::TAU;
        let pos = Point::new(angle.cos(), 3.9 + angle.sin(), 0.1 * (k % 2) as f64);
        Body { pos, mass: 1.0 + k as f64 }
    };
    let law = Gravity { eps2: 0.01 };
    for lengths in [[f64::INFINITY; 3], [4.0; 3]] {
        let domain = Domain::periodic(lengths).unwrap();
        for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
            let rows = Csr::from_pairs(N, &bonds).unwrap();
            let mut near = Neighbours::with_options(
                device,
                rows,
                Options::default().precision(precision).domain(domain),
            )
            .unwrap();
            let options = Options::default().precision(precision);
            let mut engine = ShortRange::with_options(device, law, options).unwrap();
            for step in 0..32 {
                let bodies: Vec<_> = (0..N).map(|k| at(k, f64::from(step) / 32.0)).collect();
                let particles = near.upload(&bodies).unwrap();
                near.update(&particles, &[&engine]).unwrap();
                let mut out = engine.results(N).unwrap();
                engine.evaluate_over(&near, &particles, &mut out).unwrap();
                let found = out.download::<f64>().unwrap();
                for (k, found) in found.iter().enumerate() {
                    let neighbours = [bodies[(k + 1) % N], bodies[(k + N - 1) % N]];
                    let expected = nbody::check::reference::<_, f64>(
                        &law,
                        domain,
                        &bodies[k..=k],
                        &neighbours,
                    )
                    .unwrap();
                    let error = (found.acc - expected[0].acc).norm() / expected[0].acc.norm();
                    let most = if precision == Precision::Double { 1e-12 } else { 1e-5 };
                    assert!(error < most, "{precision} step {step}, particle {k}: {error:e}");
                }
            }
            // In one turn, each particle moves beyond a quarter of the box from its place a few
            // times. A GPU finds images at each evaluation.
            let stats = near.stats().unwrap();
            let finds_images = near.device().is_cpu() && lengths[0].is_finite();
            let rebuilds = if finds_images { 4..=8 } else { 1..=1 };
            assert!(rebuilds.contains(&stats.rebuilds), "{stats:?}");
            assert!((stats.neighbours - 2.0).abs() < 1e-12, "{stats:?}");
        }
    }
    let mut near =
        Neighbours::new(device, Csr::from_pairs(3, &[[2, 0], [1, 1], [2, 0]]).unwrap()).unwrap();
    let mut everywhere = ShortRange::new(device, Everywhere).unwrap();
    let balls = near.upload(&Random(1).balls(3)).unwrap();
    assert_eq!(near.to_csr().unwrap(), None);
    near.set_timed(true);
    near.update(&balls, &[&everywhere]).unwrap();
    near.update(&balls, &[&everywhere]).unwrap();
    let expected = Csr { offsets: vec![0, 1, 1, 2], indices: vec![2, 0] };
    assert_eq!(near.to_csr().unwrap(), Some(expected), "ascending, each once, without itself");
    let found = evaluate(&mut everywhere, &near, &balls, Sources::Same(&balls)).unwrap();
    assert_eq!(found.iter().map(|it| it[0]).collect::<Vec<_>>(), [2, 0, 2]);
    let times = near.stats().unwrap().times.unwrap();
    assert_eq!([times.updates, times.rebuilds, times.evaluations], [2, 1, 1]);
    let took = [times.look, times.force, times.order, times.list].map(|it| it > Duration::ZERO);
    // A GPU neither sorts particles nor finds entries for given pairs.
    let is_on_cpu = near.device().is_cpu();
    assert_eq!(took, [true, true, is_on_cpu, is_on_cpu], "{times:?}");
}

#[test]
fn rows_that_are_not_there_are_empty() {
    let csr =
        |offsets: &[u64], indices: &[u32]| Csr { offsets: offsets.into(), indices: indices.into() };
    let good = csr(&[0, 2, 2, 3], &[4, 5, 6]);
    assert_eq!([0, 1, 2].map(|k| good.row(k)), [&[4, 5][..], &[], &[6]]);
    for malformed in [csr(&[], &[1]), csr(&[0], &[1]), csr(&[2, 1], &[1; 3]), csr(&[1, 9], &[1; 3])]
    {
        assert!(malformed.check().is_err());
        for k in [0, 1, 2, usize::MAX - 1, usize::MAX] {
            assert_eq!(malformed.row(k), [0; 0], "{malformed:?}");
        }
    }
    assert_eq!(csr(&[0, u64::MAX, 1], &[1]).row(0), [0; 0]);
}

/// Returns rows in which each particle has every j-particle, and has the first group and itself
/// twice.
fn twice(i: usize, j: usize) -> Csr {
    const GROUP: usize = 32;
    let mut rows = Csr { offsets: vec![0], indices: Vec::new() };
    for k in 0..i as u32 {
        rows.indices.extend((0..j as u32).chain(0..j.min(GROUP) as u32));
        // Index k then needs two entries: one for all particles of its group, one for k alone.
        rows.indices.extend((GROUP as u32..j as u32).contains(&k).then_some(k));
        rows.offsets.push(rows.indices.len() as u64);
    }
    rows
}

/// Given, found and excluded pairs, in every way to sum: no excluded pair acts.
#[test]
fn only_the_pairs_of_lists_act_in_every_way_to_sum() {
    let devices = devices_and_ways();
    for (device, ways) in &devices {
        for (turn, &options) in ways.iter().enumerate() {
            // A CUDA program is compiled for each space; the CPU code handles every space.
            let all = [[f64::INFINITY; 3], [2.0; 3]];
            let of_turn = if device.is_cpu() { 0..2 } else { turn % 2..turn % 2 + 1 };
            for lengths in &all[of_turn] {
                only_pairs_of_lists_act(device, options, *lengths);
            }
        }
    }
}

fn only_pairs_of_lists_act(device: &Device, options: Options, lengths: [f64; 3]) {
    const N: [usize; 2] = [71, 40];
    let domain = Domain::periodic(lengths).unwrap();
    let mut everywhere = ShortRange::with_options(device, Everywhere, options).unwrap();
    let mut uniform = ShortRange::with_options(device, Uniform { cutoff: 0.5 }, options).unwrap();
    let mut random = Random(5);
    let (i, j) = (random.balls(N[0]), random.balls(N[1]));
    let mut pairs = |count: usize| -> Vec<[u32; 2]> {
        (0..count).map(|_| [random.below(N[1] as u64) as u32, random.below(40) as u32]).collect()
    };
    // Pairs that the lists exclude, and pairs that one of the interactions excludes.
    let left_out = [pairs(300), pairs(300)];
    everywhere.exclude(&left_out[1]);
    uniform.exclude(&left_out[1]);
    for one_set in [true, false] {
        let sources = if one_set { &i } else { &j };
        let given =
            [rows(&mut Random(6), N[0], sources.len()), twice(N[0], sources.len())].map(Some);
        for given in given.into_iter().chain([None]) {
            let near = match given.clone() {
                Some(rows) => Neighbours::with_options(device, rows, options.domain(domain)),
                None => Neighbours::with_options(device, Skin::Auto, options.domain(domain)),
            };
            let mut near = near.unwrap();
            near.exclude(&left_out[0]);
            let [a, b] = [&i, sources].map(|balls| near.upload(balls).unwrap());
            let of_j = if one_set { Sources::Same(&a) } else { Sources::Others(&b) };
            if given.is_some() {
                near.update_with(&a, of_j, &[&everywhere, &uniform]).unwrap();
            } else {
                near.update_with(&a, of_j, &[&uniform]).unwrap();
            }
            let times = |k: usize, l: usize| {
                let is_left_out = left_out.iter().flatten().any(|&[a, b]| {
                    let [a, b] = [a, b].map(|it| it as usize);
                    (a, b) == (k, l) || one_set && (b, a) == (k, l)
                });
                let count = |rows: &Csr| rows.row(k).iter().filter(|&&it| it as usize == l).count();
                let times = given.as_ref().map_or(1, count) as u32;
                if is_left_out || one_set && k == l { 0 } else { times }
            };
            let what = format!("{device} {options:?} {lengths:?} {one_set} {}", given.is_some());
            if given.is_some() {
                let expected = plain_loop(&i, sources, times);
                let found = evaluate(&mut everywhere, &near, &a, of_j).unwrap();
                assert_eq!(found, expected, "{what}");
            }
            let within = |k, l| u32::from(distance(&i[k], &sources[l], lengths) < 0.5);
            let expected = plain_loop(&i, sources, |k, l| times(k, l) * within(k, l));
            assert_eq!(evaluate(&mut uniform, &near, &a, of_j).unwrap(), expected, "{what}");
        }
    }
}
