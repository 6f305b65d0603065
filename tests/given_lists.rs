//! Lists of pairs that the caller gives, and pairs that are left out of lists, against plain loops.

use std::time::Duration;

use nbody::prelude::*;
use nbody::{
    Accumulation, Csr, Error, ErrorBounds, HasCutoff, Interaction, Math, Particles, Record,
    SimdLevel, Skin, Store, compare, reference,
};
use nbody_interactions::gravity::{Body, Gravity};
use nbody_tests::contacts::contact::{Ball, Either, Everywhere, Near, Uniform};
use nbody_tests::contacts::{Random, UNIT};
use nbody_tests::points::points::{
    Atom, ByAnchor, ByBare, ByCentre, ByFlat, ByMoved, ByPlane, FromPlaceless, Moved, NearCentre,
};

const UNIFORM: Uniform = Uniform { cutoff: 0.25 };

fn boxes() -> [[f64; 3]; 3] {
    [[f64::INFINITY; 3], [2.0; 3], [2.0, f64::INFINITY, 4.0]]
}

/// Returns the distance of the nearest images.
fn distance(a: &Ball, b: &Ball, lengths: [f64; 3]) -> f64 {
    let along = |axis: usize| {
        let (d, length) = (b.pos[axis] - a.pos[axis], lengths[axis]);
        if length.is_finite() { d - length * (d / length).round() } else { d }
    };
    [0, 1, 2].map(along).iter().map(|d| d * d).sum::<f64>().sqrt()
}

/// Returns the counts and the sums of masses for each i-particle over some pairs with j-particles.
fn plain_loop(i: &[Ball], j: &[Ball], acts: impl Fn(usize, usize) -> u32) -> Vec<[i64; 2]> {
    let mut sums = vec![[0, 0]; i.len()];
    for (k, sum) in sums.iter_mut().enumerate() {
        for (l, b) in j.iter().enumerate() {
            let times = i64::from(acts(k, l));
            sum[0] += times;
            sum[1] += times * b.mass as i64;
        }
    }
    sums
}

fn evaluate<X>(
    engine: &mut ShortRange<X>,
    near: &Neighbours,
    i: &Particles<Ball>,
    j: Sources<'_, Particles<Ball>>,
) -> Result<Vec<[i64; 2]>, Error>
where
    X: Interaction<I = Ball, J = Ball, F = Near>,
{
    let mut out = engine.results(i.len()).unwrap();
    engine.evaluate_with(near, i, j, &mut out, Store::Replace)?;
    let out = engine.download::<f64>(&out).unwrap();
    Ok(out.iter().map(|near| [near.count.into(), near.mass as i64]).collect())
}

/// Returns rows of a few random particles, some of them twice.
fn rows(random: &mut Random, i: usize, j: usize) -> Csr {
    let mut rows = Csr { offsets: vec![0], indices: Vec::new() };
    for _ in 0..i {
        for _ in 0..random.below(if j == 0 { 1 } else { 9 }) {
            rows.indices.push(random.below(j as u64) as u32);
        }
        rows.offsets.push(rows.indices.len() as u64);
    }
    rows
}

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
                let mut near = Neighbours::from_csr(device, domain, given.clone()).unwrap();
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
                    // Parameters of a cutoff make no difference to pairs that are given.
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

/// Bonds of a ring that turns, in every precision: forces of a plain loop, and no images found anew until
/// a particle has moved by about a quarter of the box.
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
            let mut near =
                Neighbours::from_csr_with_precision(device, domain, rows, precision).unwrap();
            let options = Options::default().precision(precision);
            let mut engine = ShortRange::with_options(device, law, options).unwrap();
            let mut particles = near.upload::<Body>(&[]).unwrap();
            for step in 0..32 {
                let bodies: Vec<_> = (0..N).map(|k| at(k, f64::from(step) / 32.0)).collect();
                particles = near.upload(&bodies).unwrap();
                near.update(&particles, &[&engine]).unwrap();
                let mut out = engine.results(N).unwrap();
                engine.evaluate_into(&near, &particles, &mut out).unwrap();
                let found = engine.download::<f64>(&out).unwrap();
                for (k, found) in found.iter().enumerate() {
                    let neighbours = [bodies[(k + 1) % N], bodies[(k + N - 1) % N]];
                    let expected =
                        nbody::reference::<_, f64>(&law, domain, &bodies[k..=k], &neighbours);
                    let error = (found.acc - expected[0].acc).norm() / expected[0].acc.norm();
                    let most = if precision == Precision::Double { 1e-12 } else { 1e-5 };
                    assert!(error < most, "{precision} step {step}, particle {k}: {error:e}");
                }
            }
            // Turning once, each particle is beyond a quarter of the box from its place a few times. A GPU
            // finds images at each evaluation.
            let stats = near.stats().unwrap();
            let finds_images = matches!(particles, Particles::Cpu(_)) && lengths[0].is_finite();
            let rebuilds = if finds_images { 4..=8 } else { 1..=1 };
            assert!(rebuilds.contains(&stats.rebuilds), "{stats:?}");
            assert!((stats.neighbours - 2.0).abs() < 1e-12, "{stats:?}");
        }
    }
    let mut near =
        Neighbours::from_pairs(device, Domain::Open, 3, &[[2, 0], [1, 1], [2, 0]]).unwrap();
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
    // A GPU neither orders particles nor finds entries.
    let is_on_cpu = matches!(balls, Particles::Cpu(_));
    assert_eq!(took, [true, true, is_on_cpu, is_on_cpu], "{times:?}");
}

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
                let mut near = Neighbours::new(device, domain, Skin::Length(64.0 * UNIT)).unwrap();
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
        let mut near = Neighbours::new(device, domain, Skin::Length(64.0 * UNIT)).unwrap();
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

/// Positions of given pairs are looked at by each update, as those of pairs that are found.
#[test]
fn given_pairs_of_refused_positions_are_not_evaluated() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        let mut everywhere = ShortRange::new(device, Everywhere).unwrap();
        let pairs = [[0, 1], [1, 2]];
        let mut near = Neighbours::from_pairs(device, Domain::Open, 3, &pairs).unwrap();
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
fn given_pairs_are_left_out_too() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(given_pairs_are_left_out_on);
}

fn given_pairs_are_left_out_on(device: &Device) {
    let mut everywhere = ShortRange::new(device, Everywhere).unwrap();
    let pairs = [[0, 1], [1, 2], [0, 1], [2, 0]];
    let mut near = Neighbours::from_pairs(device, Domain::Open, 3, &pairs).unwrap();
    near.exclude(&[[1, 0]]);
    let balls = near.upload(&Random(1).balls(3)).unwrap();
    near.update(&balls, &[&everywhere]).unwrap();
    let found = evaluate(&mut everywhere, &near, &balls, Sources::Same(&balls)).unwrap();
    assert_eq!(found.iter().map(|it| it[0]).collect::<Vec<_>>(), [1, 1, 2]);
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

#[test]
fn rows_and_pairs_of_other_particles_are_refused() {
    let devices = nbody_tests::all_devices();
    devices.iter().for_each(other_particles_are_refused_on);
}

fn other_particles_are_refused_on(device: &Device) {
    let csr =
        |offsets: &[u64], indices: &[u32]| Csr { offsets: offsets.into(), indices: indices.into() };
    let refused =
        |csr: Csr| Neighbours::from_csr(device, Domain::Open, csr).unwrap_err().to_string();
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
        let error = Neighbours::from_pairs(device, Domain::Open, n, &[]).unwrap_err().to_string();
        let message = "particles, expected at most 134217728; upload fewer at a time";
        assert_eq!(error, format!("{n} {message}"));
    }
    let error = Neighbours::from_pairs(device, Domain::Open, 3, &[[0, 1], [3, 1]]).unwrap_err();
    let names = |what: &str, found: u32, n: usize| {
        format!("{what} names particle {found} of {n}; indices of particles begin with 0")
    };
    assert_eq!(error.to_string(), names("pairs[1]", 3, 3));

    let mut uniform = ShortRange::new(device, UNIFORM).unwrap();
    let mut near = Neighbours::from_csr(device, Domain::Open, csr(&[0, 1, 3], &[1, 0, 4])).unwrap();
    let [two, five] = [2, 5].map(|n| near.upload(&Random(1).balls(n)).unwrap());
    let error = near.update(&two, &[&uniform]).unwrap_err().to_string();
    assert_eq!(error, names("indices[2]", 4, 2));
    let error = near.update(&five, &[&uniform]).unwrap_err().to_string();
    assert_eq!(error, "rows: found 2, expected 5; give one for each particle");
    near.update_with(&two, Sources::Others(&five), &[&uniform]).unwrap();

    let mut near = Neighbours::new(device, Domain::Open, Skin::Auto).unwrap();
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

/// Summation orders: that of the engine, and others with bags that lists do not fill.
const ORDERS: [Option<SummationOrder>; 3] =
    [None, Some(SummationOrder { bag: 3, splits: 2 }), Some(SummationOrder { bag: 40, splits: 1 })];

/// Returns every way to sum on the CPU.
fn every_way() -> Vec<Options> {
    let mut ways = Vec::new();
    for &precision in Precision::ALL {
        for math in [Math::Fast, Math::Exact] {
            for &accumulation in Accumulation::ALL {
                for order in ORDERS {
                    let options = Options::default().precision(precision).math(math);
                    ways.push(options.accumulation(accumulation).order(order));
                }
            }
        }
    }
    ways
}

/// Returns some ways, in which every choice occurs.
fn some_ways() -> [Options; 4] {
    let [_, few, many] = ORDERS;
    let options = Options::default();
    [
        options.math(Math::Exact),
        options.order(few).accumulation(Accumulation::Compensated).precision(Precision::Mixed),
        options.math(Math::Exact).order(many).precision(Precision::Double),
        options.accumulation(Accumulation::Direct).math(Math::Exact).precision(Precision::Mixed),
    ]
}

/// Returns devices of the CPU with every level of instructions, among which every way to sum is shared out, and
/// the others with some ways.
fn devices_and_ways() -> Vec<(Device, Vec<Options>)> {
    let levels: Vec<_> = SimdLevel::available().collect();
    // Each level has every precision, accumulation and order.
    let is_of = |n: usize, k: usize| (n + n / 3 + n / 12 + n / 24) % levels.len() == k;
    let share = |k| {
        every_way()
            .into_iter()
            .enumerate()
            .filter(|(n, _)| is_of(*n, k))
            .map(|(_, way)| way)
            .collect()
    };
    let levels = levels.iter().map(|&level| Device::cpu_with(level).unwrap());
    let on_cpu = levels.enumerate().map(|(k, device)| (device, share(k)));
    let others = nbody_tests::cuda_devices().into_iter();
    on_cpu.chain(others.map(|device| (device, some_ways().to_vec()))).collect()
}

/// Rows in which each particle has each one, and the first group and itself twice.
fn twice(i: usize, j: usize) -> Csr {
    const GROUP: usize = 32;
    let mut rows = Csr { offsets: vec![0], indices: Vec::new() };
    for k in 0..i as u32 {
        rows.indices.extend((0..j as u32).chain(0..j.min(GROUP) as u32));
        // An entry of all particles of the group of k, and one of k alone.
        rows.indices.extend((GROUP as u32..j as u32).contains(&k).then_some(k));
        rows.offsets.push(rows.indices.len() as u64);
    }
    rows
}

/// Pairs that are given, found and left out, in every way to sum: none acts that should not.
#[test]
fn only_the_pairs_of_lists_act_in_every_way_to_sum() {
    let devices = devices_and_ways();
    for (device, ways) in &devices {
        for (turn, &options) in ways.iter().enumerate() {
            // A program for each space; the CPU has all in one.
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
    // Pairs that the lists leave out, and that one of the interactions does.
    let left_out = [pairs(300), pairs(300)];
    everywhere.exclude(&left_out[1]);
    uniform.exclude(&left_out[1]);
    for one_set in [true, false] {
        let sources = if one_set { &i } else { &j };
        let given =
            [rows(&mut Random(6), N[0], sources.len()), twice(N[0], sources.len())].map(Some);
        for given in given.into_iter().chain([None]) {
            let near = match given.clone() {
                Some(rows) => {
                    Neighbours::from_csr_with_precision(device, domain, rows, options.precision)
                }
                None => Neighbours::with_precision(device, domain, Skin::Auto, options.precision),
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

/// An interaction over given rows, in one way.
struct Given<'a, X> {
    device: &'a Device,
    x: X,
    options: Options,
    domain: Domain,
}

impl<X: Interaction<I: Copy, J: Copy>> Given<'_, X> {
    fn lists(&self, rows: Csr) -> (Neighbours, ShortRange<X>) {
        let Self { device, x, options, domain } = *self;
        let near = Neighbours::from_csr_with_precision(device, domain, rows, options.precision);
        (near.unwrap(), ShortRange::with_options(device, x, options).unwrap())
    }

    /// Evaluates particles of one set, which are in a buffer of other records.
    fn check_one_set<P>(&self, particles: &[X::I], buffer: &[P])
    where
        X: Interaction<J = <X as Interaction>::I>,
        P: Record<Lane = f64, Host = P>,
    {
        let rows = rows(&mut Random(3), particles.len(), particles.len());
        let (mut near, mut engine) = self.lists(rows.clone());
        let buffer = near.upload(buffer).unwrap();
        near.update(&buffer, &[&engine]).unwrap();
        let mut out = engine.results(particles.len()).unwrap();
        engine.evaluate_into(&near, &buffer, &mut out).unwrap();
        let found = engine.download::<f64>(&out).unwrap();
        self.compare(particles, particles, |k, l| k != l, &rows, &found);
    }

    fn check_two_sets(&self, i: &[X::I], j: &[X::J]) {
        let rows = rows(&mut Random(4), i.len(), j.len());
        let (mut near, mut engine) = self.lists(rows.clone());
        let (a, b) = (near.upload(i).unwrap(), near.upload(j).unwrap());
        let of_j = Sources::Others(&b);
        near.update_with(&a, of_j, &[&engine]).unwrap();
        let mut out = engine.results(i.len()).unwrap();
        engine.evaluate_with(&near, &a, of_j, &mut out, Store::Replace).unwrap();
        let found = engine.download::<f64>(&out).unwrap();
        self.compare(i, j, |_, _| true, &rows, &found);
    }

    /// Compares results with the reference of the pairs that act.
    fn compare(
        &self,
        i: &[X::I],
        j: &[X::J],
        acts: impl Fn(usize, usize) -> bool,
        rows: &Csr,
        found: &[X::F],
    ) {
        let Self { device, x, options, domain } = self;
        let (mut expected, mut bounds) = (Vec::new(), Vec::new());
        for (k, i) in i.iter().enumerate() {
            let of_row = rows.row(k).iter().map(|&l| l as usize).filter(|&l| acts(k, l));
            let of_row: Vec<_> = of_row.map(|l| j[l]).collect();
            expected.extend(reference::<X, f64>(x, *domain, &[*i], &of_row));
            bounds.extend(ErrorBounds::new(x, *domain, &[*i], &of_row).bounds(options));
        }
        let report = compare::<X::F, f64>(found, &expected, Some(&bounds)).unwrap();
        assert!(report.passes(), "{device} {} {domain:?} {options:?}\n{report}", X::LAW.name);
    }
}

/// The second point of a particle, wherever it is in the record: its differences are those of the nearest
/// images, as over all pairs, whatever image the position has.
#[test]
fn points_beside_the_position_have_images_of_their_own() {
    let devices = devices_and_ways();
    let boxes = boxes().map(|lengths| Domain::periodic(lengths).unwrap());
    for (device, ways) in &devices {
        for (turn, &options) in ways.iter().enumerate() {
            // Few programs on other devices.
            let is_mixed = options.precision == Precision::Mixed;
            let of_turn = if device.is_cpu() { 0..3 } else { 1 + turn % 2..2 + turn % 2 };
            for &domain in &boxes[of_turn] {
                let n = [33, 70][turn % 2];
                let mut random = Random(turn as u64);
                let moved = random.moved(n);
                let atoms: Vec<_> = moved.iter().map(in_other_order).collect();
                let of_moved = Given { device, x: ByMoved, options, domain };
                of_moved.check_one_set(&moved, &moved);
                of_moved.check_one_set(&moved, &atoms);
                of_moved.check_two_sets(&moved, &random.moved(50));
                if !device.is_cpu() && !is_mixed {
                    continue;
                }
                let bare = random.bare(n);
                Given { device, x: ByBare, options, domain }.check_one_set(&bare, &bare);
                let flat = random.flat(n);
                Given { device, x: ByFlat, options, domain }.check_one_set(&flat, &flat);
                let anchors = random.anchors(40);
                Given { device, x: ByAnchor, options, domain }.check_two_sets(&moved, &anchors);
                let placeless = random.placeless(40);
                let x = FromPlaceless;
                Given { device, x, options, domain }.check_two_sets(&moved, &placeless);
                Given { device, x: ByPlane, options, domain }.check_two_sets(&moved, &flat);
                // A point that is no particle's.
                let centre = Point::new(0.75, -3.0, 40.0);
                let x = ByCentre { centre, factor: 0.5 };
                Given { device, x, options, domain }.check_one_set(&anchors, &anchors);
                let x = NearCentre { cutoff: 0.625, centre };
                Given { device, x, options, domain }.check_one_set(&anchors, &anchors);
            }
        }
    }
}

/// The number behind a point of a j-particle in a plane, where those of i have a third coordinate.
#[test]
fn what_follows_a_point_in_a_plane_is_no_coordinate() {
    let devices = devices_and_ways();
    let all =
        devices.iter().flat_map(|(device, _)| Precision::ALL.iter().map(move |&it| (device, it)));
    for (device, precision) in all {
        let mut random = Random(5);
        let (moved, mut flat) = (random.moved(3), random.flat(2));
        flat[1].weight = f64::INFINITY;
        let domain = Domain::periodic([1.0; 3]).unwrap();
        let rows = Csr { offsets: vec![0, 1, 2, 2], indices: vec![0, 1] };
        let mut near =
            Neighbours::from_csr_with_precision(device, domain, rows, precision).unwrap();
        let options = Options::default().precision(precision);
        let mut engine = ShortRange::with_options(device, ByPlane, options).unwrap();
        let (i, j) = (near.upload(&moved).unwrap(), near.upload(&flat).unwrap());
        let of_j = Sources::Others(&j);
        near.update_with(&i, of_j, &[&engine]).unwrap();
        let mut out = engine.results(3).unwrap();
        engine.evaluate_with(&near, &i, of_j, &mut out, Store::Replace).unwrap();
        let found = engine.download::<f64>(&out).unwrap();
        assert_eq!(found.iter().map(|it| it.count).collect::<Vec<_>>(), [1, 1, 0]);
        assert_eq!([0, 1, 2].map(|k| found[k].by.is_finite()), [true, false, true]);
    }
}

/// Returns an atom with the fields of a particle and others.
fn in_other_order(it: &Moved) -> Atom {
    let vel = Vector::new(0.5, 1e6, -3.0);
    Atom { kind: 7, im: it.im, was: it.was, vel, pos: it.pos }
}
