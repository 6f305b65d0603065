//! Pairs that are left out of lists, of all interactions or of one, against plain loops.

use nbody::{Csr, Skin};
use nbody::prelude::*;
use nbody_tests::contacts::contact::{Either, Everywhere, Uniform};
use nbody_tests::contacts::{Random, UNIT};

use super::plain::{boxes, distance, evaluate, plain_loop};

const UNIFORM: Uniform = Uniform { cutoff: 0.25 };

#[test]
fn pairs_that_are_left_out_do_not_act() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(pairs_are_left_out_on);
}

fn pairs_are_left_out_on(device: &Device) {
    let mut uniform = ShortRange::new(device, UNIFORM).unwrap();
    let mut either = ShortRange::new(device, Either { factor: 2.0 }).unwrap();
    for (k, n) in [2, 33, 300].into_iter().enumerate() {
        for lengths in boxes() {
            let domain = Domain::periodic(lengths).unwrap();
            let mut random = Random(k as u64);
            let (mut i, j) = (random.balls(n), random.balls(2 * n));
            for one_set in [true, false] {
                let mut near = Neighbours::with_options(
                    device,
                    Skin::Length(64.0 * UNIT),
                    Options::default().domain(domain),
                )
                .unwrap();
                let mut excluded = Vec::new();
                for step in 0..4 {
                    let sources = if one_set { &i } else { &j };
                    let [a, b] = [&i, sources].map(|balls| near.upload(balls).unwrap());
                    let j = if one_set { Sources::Same(&a) } else { Sources::Others(&b) };
                    if step == 1 {
                        // Half of the pairs that are found, some of them twice, and others.
                        let csr = near.to_csr().unwrap().unwrap();
                        for k in 0..n {
                            let row = csr.row(k).iter().filter(|_| random.below(2) == 0);
                            excluded.extend(row.map(|&l| [k as u32, l]));
                        }
                        excluded.extend([[0, n as u32 - 1], [1, 0], [1, 1]]);
                        near.exclude(&excluded);
                        let sources = &mut uniform;
                        let message = evaluate(sources, &near, &a, j).unwrap_err().to_string();
                        assert!(message.ends_with("update them first"), "{message}");
                    }
                    near.update_with(&a, j, &[&uniform, &either]).unwrap();
                    let is_excluded = |k: usize, l: usize| {
                        let [k, l] = [k as u32, l as u32];
                        excluded.contains(&[k, l]) || one_set && excluded.contains(&[l, k])
                    };
                    let acts = |k: usize, l: usize, cutoff: f64| {
                        let is_near = distance(&i[k], &sources[l], lengths) < cutoff;
                        let is_self = one_set && k == l;
                        u32::from(is_near && !is_self && !is_excluded(k, l))
                    };
                    let expected = plain_loop(&i, sources, |k, l| acts(k, l, 0.25));
                    assert_eq!(
                        evaluate(&mut uniform, &near, &a, j).unwrap(),
                        expected,
                        "step {step}"
                    );
                    let expected =
                        plain_loop(&i, sources, |k, l| acts(k, l, 2.0 * i[k].h.max(sources[l].h)));
                    assert_eq!(evaluate(&mut either, &near, &a, j).unwrap(), expected);
                    let csr = near.to_csr().unwrap().unwrap();
                    let left =
                        (0..n).flat_map(|k| csr.row(k).iter().map(move |&l| (k, l as usize)));
                    assert!(left.into_iter().all(|(k, l)| !is_excluded(k, l)));
                    for ball in &mut i {
                        ball.pos.y += random.around(40);
                    }
                }
                let [before, after] = [near.to_csr().unwrap().unwrap(), {
                    near.exclude(&[]);
                    let a = near.upload(&i).unwrap();
                    let b = near.upload(&j).unwrap();
                    let j = if one_set { Sources::Same(&a) } else { Sources::Others(&b) };
                    near.update_with(&a, j, &[&uniform, &either]).unwrap();
                    near.to_csr().unwrap().unwrap()
                }];
                assert!(n < 300 || before.indices.len() < after.indices.len());
            }
        }
    }
}

/// Pairs that lists leave out, and those of an interaction: more than the table of a kernel has places for;
/// also in the evaluation after lists have outgrown their memory.
#[test]
fn an_interaction_leaves_out_pairs_of_its_own() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(own_pairs_are_left_out_on);
}

fn own_pairs_are_left_out_on(device: &Device) {
    const N: usize = 700;
    let mut uniform = ShortRange::new(device, UNIFORM).unwrap();
    let mut either = ShortRange::new(device, Either { factor: 2.0 }).unwrap();
    for (one_set, lengths) in [(true, [2.0; 3]), (false, [f64::INFINITY; 3]), (false, [2.0; 3])] {
        let domain = Domain::periodic(lengths).unwrap();
        let mut near = Neighbours::with_options(
            device,
            Skin::Length(64.0 * UNIT),
            Options::default().domain(domain),
        )
        .unwrap();
        let mut random = Random(9);
        let (dense, others) = (random.balls(N), random.balls(N));
        let mut sparse = dense.clone();
        for (k, ball) in sparse.iter_mut().enumerate() {
            ball.pos.x += if lengths[0].is_finite() { 0.0 } else { 4.0 * k as f64 };
        }
        let pairs = |random: &mut Random| {
            let some = (0..2 * N).map(|_| [0; 2].map(|_| random.below(N as u64) as u32));
            some.collect::<Vec<_>>()
        };
        let of_lists = pairs(&mut random);
        let mut own = pairs(&mut random);
        own.extend((0..N as u32).flat_map(|l| [[3, l], [500, l]]));
        near.exclude(&of_lists);
        uniform.exclude(&own);
        let has = |pairs: &[[u32; 2]], k: usize, l: usize| {
            let [k, l] = [k as u32, l as u32];
            pairs.contains(&[k, l]) || one_set && pairs.contains(&[l, k])
        };
        for balls in [&sparse, &dense, &dense] {
            let sources = if one_set { balls } else { &others };
            let [a, b] = [balls, sources].map(|balls| near.upload(balls).unwrap());
            let j = if one_set { Sources::Same(&a) } else { Sources::Others(&b) };
            near.update_with(&a, j, &[&uniform, &either]).unwrap();
            let acts = |k: usize, l: usize, cutoff: f64| {
                distance(&balls[k], &sources[l], lengths) < cutoff
                    && !(one_set && k == l)
                    && !has(&of_lists, k, l)
            };
            let expected =
                plain_loop(balls, sources, |k, l| u32::from(acts(k, l, 0.25) && !has(&own, k, l)));
            assert_eq!(evaluate(&mut uniform, &near, &a, j).unwrap(), expected);
            let expected = plain_loop(balls, sources, |k, l| {
                u32::from(acts(k, l, 2.0 * balls[k].h.max(sources[l].h)))
            });
            assert_eq!(evaluate(&mut either, &near, &a, j).unwrap(), expected);
        }
        uniform.exclude(&[[0, N as u32]]);
        let a = near.upload(&dense).unwrap();
        let b = near.upload(&others).unwrap();
        let j = if one_set { Sources::Same(&a) } else { Sources::Others(&b) };
        let error = evaluate(&mut uniform, &near, &a, j).unwrap_err().to_string();
        assert!(error.starts_with("excluded pairs[0] names particle 700 of 700"), "{error}");
    }
}

#[test]
fn given_pairs_are_left_out_too() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(given_pairs_are_left_out_on);
}

fn given_pairs_are_left_out_on(device: &Device) {
    let mut everywhere = ShortRange::new(device, Everywhere).unwrap();
    let pairs = [[0, 1], [1, 2], [0, 1], [2, 0]];
    let mut near = Neighbours::new(device, Csr::from_pairs(3, &pairs).unwrap()).unwrap();
    near.exclude(&[[1, 0]]);
    let balls = near.upload(&Random(1).balls(3)).unwrap();
    near.update(&balls, &[&everywhere]).unwrap();
    let found = evaluate(&mut everywhere, &near, &balls, Sources::Same(&balls)).unwrap();
    assert_eq!(found.iter().map(|it| it[0]).collect::<Vec<_>>(), [1, 1, 2]);
}
