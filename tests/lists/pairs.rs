//! The pairs and the figures of neighbour lists, against a double loop.

use nbody::lists::{HasCutoff, NeighbourStats};
use nbody::prelude::*;
use nbody::{Csr, Neighbours, ShortRange, Skin, Store};
use nbody_tests::contacts::contact::{Ball, Either, Gather, Nearest, Uniform};
use nbody_tests::contacts::{Random, UNIT};

const SKIN: f64 = 0.0625;

/// Returns the j-particles within reach of each i-particle.
fn double_loop(
    i: &[Ball],
    j: &[Ball],
    one_set: bool,
    lengths: [f64; 3],
    reach: &dyn Fn(&Ball, &Ball) -> f64,
) -> Csr {
    let mut csr = Csr { offsets: vec![0], indices: Vec::new() };
    for (k, a) in i.iter().enumerate() {
        for (l, b) in j.iter().enumerate().filter(|&(l, _)| !one_set || k != l) {
            let d = [0, 1, 2].map(|axis| {
                let (d, length) = (b.pos[axis] - a.pos[axis], lengths[axis]);
                if length.is_finite() { d - length * (d / length).round() } else { d }
            });
            let reach = reach(a, b);
            if d.iter().map(|d| d * d).sum::<f64>() <= reach * reach {
                csr.indices.push(l as u32);
            }
        }
        csr.offsets.push(csr.indices.len() as u64);
    }
    csr
}

type Reach = fn(&Ball, &Ball) -> f64;

#[test]
fn rows_are_the_neighbours_within_reach() {
    let uniform = ShortRange::new(&Device::cpu(), Uniform { cutoff: 0.25 }).unwrap();
    let gather = ShortRange::new(&Device::cpu(), Gather { factor: 2.0 }).unwrap();
    let either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    let each: [(Vec<&dyn HasCutoff>, Reach); 4] = [
        (vec![&uniform], |_, _| 0.25 + SKIN),
        (vec![&gather], |a, _| 2.0 * a.h + SKIN),
        (vec![&either], |a, b| 2.0 * a.h.max(b.h) + SKIN),
        (vec![&gather, &uniform], |a, _| 0.25_f64.max(2.0 * a.h) + SKIN),
    ];
    let boxes = [[f64::INFINITY; 3], [2.0; 3], [2.0, f64::INFINITY, 4.0]];
    for (turn, (interactions, reach)) in each.into_iter().enumerate() {
        for (k, n) in [0, 1, 2, 31, 32, 33, 300].into_iter().enumerate() {
            let lengths = boxes[(turn + k) % boxes.len()];
            let domain = Domain::periodic(lengths).unwrap();
            let mut random = Random(k as u64);
            let (i, j) = (random.balls(n), random.balls(2 * n + 1));
            let mut near = Neighbours::with_options(
                &Device::cpu(),
                Skin::Length(SKIN),
                Options::default().domain(domain),
            )
            .unwrap();
            assert_eq!(near.to_csr().unwrap(), None);
            let (a, b) = (near.upload(&i).unwrap(), near.upload(&j).unwrap());
            near.update(&a, &interactions).unwrap();
            let expected = double_loop(&i, &i, true, lengths, &reach);
            assert_eq!(near.to_csr().unwrap().as_ref(), Some(&expected), "{n} self, turn {turn}");
            check_stats(&near.stats().unwrap(), &expected, 1);
            near.update_with(&a, Sources::Others(&b), &interactions).unwrap();
            let expected = double_loop(&i, &j, false, lengths, &reach);
            assert_eq!(
                near.to_csr().unwrap().as_ref(),
                Some(&expected),
                "{n} x {}, turn {turn}",
                j.len()
            );
            check_stats(&near.stats().unwrap(), &expected, 2);
            near.rebuild();
            assert_eq!(near.to_csr().unwrap(), None);
            assert_eq!((near.stats().unwrap().rebuilds, near.stats().unwrap().particles), (2, 0));
        }
    }
}

fn check_stats(stats: &NeighbourStats, pairs: &Csr, rebuilds: u64) {
    let n = pairs.offsets.len() - 1;
    let all = pairs.indices.len() as f64;
    assert_eq!((stats.rebuilds, stats.age, stats.particles), (rebuilds, 0, n));
    assert_eq!(stats.times, None);
    let mean = if n == 0 { 0.0 } else { all / n as f64 };
    assert!((stats.neighbours - mean).abs() < 1e-12, "{stats:?}, expected {mean}");
    // Every neighbour has an entry in the list of its group, and is tested.
    assert!(stats.tested >= f64::from(u8::from(all > 0.0)), "{stats:?}");
    assert!(stats.entries * n.div_ceil(32) as f64 >= all / 32.0, "{stats:?}");
    assert!(n == 0 || stats.bytes >= 28.0, "an index and a position for each: {stats:?}");
}

/// A fluid: the figures of lists that are good.
#[test]
fn figures_of_a_fluid() {
    let engine = ShortRange::new(&Device::cpu(), Uniform { cutoff: 0.25 }).unwrap();
    let domain = Domain::periodic([2.0; 3]).unwrap();
    let balls = Random(1).balls(6750);
    let mut near = Neighbours::with_options(
        &Device::cpu(),
        Skin::Length(0.03),
        Options::default().domain(domain),
    )
    .unwrap();
    let particles = near.upload(&balls).unwrap();
    for age in 0..3 {
        near.update(&particles, &[&engine]).unwrap();
        let stats = near.stats().unwrap();
        assert_eq!((stats.rebuilds, stats.age, stats.particles), (1, age, balls.len()));
        // By the density; then by measurements of groups of 32.
        let neighbours = 6750.0 / 8.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.28_f64.powi(3);
        assert!((stats.neighbours / neighbours - 1.0).abs() < 0.05, "{stats:?}, {neighbours}");
        assert!((4.0..8.0).contains(&stats.tested), "{stats:?}");
        let entries = stats.tested * stats.neighbours;
        assert!((stats.entries / entries - 1.0).abs() < 0.01, "{stats:?}");
        // Twice the positions, and the entries, also by octets.
        assert!((40.0..130.0).contains(&stats.bytes), "{stats:?}");
    }
}

/// Particles that are exactly as far from each other as lists reach, each in a group of its own.
#[test]
fn pairs_at_the_reach_are_neighbours() {
    let engine = ShortRange::new(&Device::cpu(), Uniform { cutoff: 0.25 }).unwrap();
    let ball = |x: f64| Ball { pos: Point::new(x, 0.5, 0.5), h: 0.0, mass: 1.0 };
    for length in [f64::INFINITY, 2.0] {
        let domain = Domain::periodic([length; 3]).unwrap();
        let mut near = Neighbours::with_options(
            &Device::cpu(),
            Skin::Length(SKIN),
            Options::default().domain(domain),
        )
        .unwrap();
        let i = near.upload(&[ball(0.125)]).unwrap();
        for (distance, expected) in [(0.25 + SKIN, true), (0.25 + SKIN + UNIT, false)] {
            let j = near.upload(&[ball(0.125 + distance)]).unwrap();
            near.update_with(&i, Sources::Others(&j), &[&engine]).unwrap();
            assert_eq!(near.to_csr().unwrap().unwrap().indices, vec![0; usize::from(expected)]);
            let j = near.upload(&[ball(0.125 - distance)]).unwrap();
            near.update_with(&i, Sources::Others(&j), &[&engine]).unwrap();
            assert_eq!(near.to_csr().unwrap().unwrap().indices, vec![0; usize::from(expected)]);
        }
    }
}

/// One cutoff is far greater than the others, among so many particles that boxes have boxes above them.
#[test]
fn one_large_cutoff_among_many() {
    const N: usize = 2500;
    let either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    for large in [0, 777, N - 1] {
        let mut balls = Random(3).balls(N);
        for ball in &mut balls {
            ball.h = 1.0 / 64.0;
        }
        balls[large].h = 0.25;
        let mut near = Neighbours::new(&Device::cpu(), Skin::Length(SKIN)).unwrap();
        near.update(&near.upload(&balls).unwrap(), &[&either]).unwrap();
        let reach = |a: &Ball, b: &Ball| 2.0 * a.h.max(b.h) + SKIN;
        let expected = double_loop(&balls, &balls, true, [f64::INFINITY; 3], &reach);
        assert_eq!(near.to_csr().unwrap(), Some(expected));
    }
}

/// A few cutoffs that are far greater than the others do not choose the skin.
#[test]
fn a_few_large_cutoffs_make_few_lists_longer() {
    const N: usize = 20_000;
    let either = ShortRange::new(&Device::cpu(), Either { factor: 2.0 }).unwrap();
    let mut entries = Vec::new();
    for large in [0, 1, 5] {
        let mut balls = Random(4).balls(N);
        for (k, ball) in balls.iter_mut().enumerate() {
            ball.h = if k < large { 0.25 } else { 1.0 / 32.0 };
        }
        let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
        near.update(&near.upload(&balls).unwrap(), &[&either]).unwrap();
        entries.push(near.stats().unwrap().entries);
    }
    assert!(entries[1] < 1.1 * entries[0] && entries[2] < 1.6 * entries[0], "{entries:?}");
}

#[test]
fn the_nearest_has_the_index_of_the_caller() {
    let mut engine = ShortRange::new(&Device::cpu(), Nearest { cutoff: 0.25 }).unwrap();
    let balls = Random(5).balls(200);
    let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    let particles = near.upload(&balls).unwrap();
    near.update(&particles, &[&engine]).unwrap();
    let mut out = engine.results(balls.len()).unwrap();
    engine.evaluate_over(&near, &particles, &mut out).unwrap();
    for (k, found) in out.download::<f64>().unwrap().iter().enumerate() {
        let distance2 = |l: usize| (balls[l].pos - balls[k].pos).norm2();
        let near = (0..balls.len()).filter(|&l| l != k && distance2(l) < 0.25 * 0.25);
        let nearest = near.min_by(|&a, &b| distance2(a).total_cmp(&distance2(b)));
        let nearest = nearest.map_or(u32::MAX, |l| l as u32);
        assert_eq!(found.nearest.index, nearest, "of particle {k}");
    }
}

#[test]
fn evaluations_add_to_results() {
    let mut engine = ShortRange::new(&Device::cpu(), Nearest { cutoff: 0.25 }).unwrap();
    let [i, mut j] = [6, 7].map(|seed| Random(seed).balls(100));
    let mut near = Neighbours::new(&Device::cpu(), Skin::Auto).unwrap();
    let mut out = engine.results(i.len()).unwrap();
    let particles = near.upload(&i).unwrap();
    let mut all = Vec::new();
    for step in 0..3 {
        let others = near.upload(&j).unwrap();
        let sources = Sources::Others(&others);
        near.update_with(&particles, sources, &[&engine]).unwrap();
        let mut fresh = engine.results(i.len()).unwrap();
        engine.evaluate_over_with(&near, &particles, sources, &mut fresh, Store::Replace).unwrap();
        engine.evaluate_over_with(&near, &particles, sources, &mut out, Store::Add).unwrap();
        all.push(fresh.download::<f64>().unwrap());
        for (k, found) in out.download::<f64>().unwrap().iter().enumerate() {
            let count: u32 = all.iter().map(|fresh| fresh[k].count).sum();
            let nearest = all.iter().map(|fresh| fresh[k].nearest.value);
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            assert_eq!(found.count, count, "step {step}, particle {k}");
            assert_eq!(found.nearest.value.to_bits(), nearest.to_bits(), "step {step}, {k}");
        }
        for ball in &mut j {
            ball.pos.x = 2.0 - ball.pos.x;
        }
    }
}
