//! Programs per particle on every device, compared bit for bit with plain loops over records.

use nbody::law::DoubleSingle;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{ArgMax, ArgMin, Particles, Results};
use nbody_tests::particle_programs::{
    Body, Drift, Energy, Field, Kick, Pull, Relax, Spread, Star, Total,
};

const SIZES: [usize; 9] = [0, 1, 2, 15, 16, 17, 255, 256, 257];

/// More particles than 256 blocks of 256 hold: merging their totals takes another level of blocks.
const MANY: usize = 65_536 + 300;

/// Calls a function with every device, precision and number of particles; with many particles,
/// only one precision for each device.
fn for_each(check: impl Fn(&Device, Precision, usize)) {
    let devices = nbody_tests::all_devices();
    for (d, device) in devices.iter().enumerate() {
        for (k, &precision) in Precision::ALL.iter().enumerate() {
            for n in SIZES {
                check(device, precision, n);
            }
            if (d + k) % Precision::ALL.len() == 0 {
                check(device, precision, MANY);
            }
        }
    }
}

/// Rounds a number to a precision.
fn real(x: f64, precision: Precision) -> f64 {
    if precision == Precision::Double { x } else { f64::from(x as f32) }
}

fn reals<const N: usize>(x: [f64; N], precision: Precision) -> [f64; N] {
    x.map(|x| real(x, precision))
}

/// Rounds a coordinate to a precision.
fn position(x: Point, precision: Precision) -> Point {
    Point(x.0.map(|x| match precision {
        Precision::Mixed => DoubleSingle::from(x).into(),
        _ => real(x, precision),
    }))
}

fn rounded(body: Body, precision: Precision) -> Body {
    Body {
        pos: position(body.pos, precision),
        vel: Vector(reals(body.vel.0, precision)),
        mass: real(body.mass, precision),
        kind: body.kind,
        table: reals(body.table, precision),
    }
}

fn rounded_star(star: Star, precision: Precision) -> Star {
    Star {
        flag: star.flag,
        weight: real(star.weight, precision),
        pos: position(star.pos, precision),
    }
}

/// Returns bodies whose reals have all digits of `f64`, so that the order of a sum matters.
pub fn bodies(n: usize) -> Vec<Body> {
    let mut bodies = uniform::<Body>(n, 1);
    for body in &mut bodies {
        let reals = [&mut body.pos.0, &mut body.vel.0, &mut body.table];
        for x in reals.into_iter().flatten().chain([&mut body.mass]) {
            *x = (*x - 0.25) / 3.0;
        }
    }
    bodies
}

pub fn stars(n: usize) -> Vec<Star> {
    let mut stars = uniform::<Star>(n, 2);
    for (k, star) in stars.iter_mut().enumerate() {
        star.flag = (k % 3 == 0).into();
        star.weight = (star.weight + 0.5) / 3.0;
    }
    stars
}

/// Evaluates results for these bodies, in single or double precision.
pub fn field(
    device: &Device,
    bodies: &[Body],
    precision: Precision,
) -> (Results<Field>, Vec<Field>) {
    let accumulation = match precision {
        Precision::Single => Accumulation::Direct,
        _ => Accumulation::BlockedF64,
    };
    let options = Options::default().accumulation(accumulation);
    let mut pull = AllPairs::with_options(device, Pull { eps2: 0.25 }, options).unwrap();
    let [i, j] = [bodies, &self::bodies(3)].map(|it| pull.upload(it).unwrap());
    let mut out = pull.results(bodies.len()).unwrap();
    pull.evaluate_into(&i, &j, &mut out).unwrap();
    let records = out.download().unwrap();
    (out, records)
}

fn download(device: &Device, bodies: &Particles<Body>) -> Vec<Body> {
    let all = bodies.download().unwrap();
    assert_eq!(all.len(), bodies.len());
    for range in [0..all.len(), all.len() / 3..all.len() / 2, all.len()..all.len()] {
        let found = bodies.download_range(range.clone()).unwrap();
        assert_eq!(found, all[range.clone()], "{device}, {range:?}");
    }
    all
}

/// Compares records bit for bit.
fn same(device: &Device, precision: Precision, found: &[Body], expected: &[Body]) {
    let bits = |body: &Body| {
        let [pos, vel, table] = [body.pos.0, body.vel.0, body.table].map(|x| x.map(f64::to_bits));
        (pos, vel, body.mass.to_bits(), body.kind, table)
    };
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(bits(found), bits(expected), "{device}, {precision}, body {k}");
    }
    assert_eq!(found.len(), expected.len(), "{device}, {precision}");
}

#[test]
fn kicks_read_results() {
    for_each(|device, precision, n| {
        let start = bodies(n);
        for of_results in [Precision::Single, Precision::Double] {
            let (results, fields) = field(device, &start, of_results);
            let mut bodies = device.upload(&start, precision).unwrap();
            assert_eq!(bodies.precision(), precision);
            let mut kick = PerParticle::new(device, Kick { dt: 0.1 }).unwrap();
            let mut expected: Vec<_> = start.iter().map(|it| rounded(*it, precision)).collect();
            for dt in [0.1, -0.03] {
                kick.set_parameters(Kick { dt });
                assert_eq!(kick.parameters().dt, dt);
                kick.update(&mut bodies, &results).unwrap();
                for (body, field) in expected.iter_mut().zip(&fields) {
                    body.vel += dt * field.acc;
                    body.kind = field.near;
                    *body = rounded(*body, precision);
                }
            }
            same(device, precision, &download(device, &bodies), &expected);
            if n > 2 {
                assert!(fields.iter().any(|field| field.near > 0), "a count is read");
            }
        }
    });
}

#[test]
fn drifts_keep_both_parts_of_positions() {
    for_each(|device, precision, n| {
        // Far from the origin, where one `f32` cannot resolve a step.
        let mut start = bodies(n);
        for body in &mut start {
            body.pos.x += 1e4;
        }
        let mut bodies = device.upload(&start, precision).unwrap();
        let dt = 1e-5;
        let mut drift = PerParticle::new(device, Drift { dt }).unwrap();
        let steps = if n == MANY { 2 } else { 10 };
        let mut expected: Vec<_> = start.iter().map(|it| rounded(*it, precision)).collect();
        for _ in 0..steps {
            drift.update(&mut bodies, ()).unwrap();
            for body in &mut expected {
                body.pos += dt * body.vel;
                *body = rounded(*body, precision);
            }
        }
        let found = download(device, &bodies);
        same(device, precision, &found, &expected);
        if precision != Precision::Single {
            for (found, start) in found.iter().zip(&start) {
                let moved = found.pos.x - start.pos.x - f64::from(steps) * dt * start.vel.x;
                assert!(moved.abs() < 1e-9 * f64::from(steps), "{device}, {precision}: {moved}");
            }
        }
    });
}

#[test]
fn updates_read_second_particles_in_a_box() {
    let domain = Domain::periodic([1.0, 0.75, f64::INFINITY]).unwrap();
    let lengths = [1.0, 0.75];
    for_each(|device, precision, n| {
        let (start, others) = (bodies(n), stars(n));
        // Combine each precision with itself and with one other.
        let next = match precision {
            Precision::Single => Precision::Mixed,
            Precision::Mixed => Precision::Double,
            Precision::Double => Precision::Single,
        };
        for of_stars in [precision, next] {
            let mut bodies = device.upload(&start, precision).unwrap();
            let stars = device.upload(&others, of_stars).unwrap();
            let mut expected: Vec<_> = start.iter().map(|it| rounded(*it, precision)).collect();
            let mut relax = PerParticle::new(device, Relax { rate: 0.3 }).unwrap();
            for periodic in [false, true] {
                relax.set_domain(if periodic { domain } else { Domain::Open }).unwrap();
                relax.update(&mut bodies, &stars).unwrap();
                for (body, star) in expected.iter_mut().zip(&others) {
                    let star = rounded_star(*star, of_stars);
                    let mut d = star.pos - body.pos;
                    for (d, length) in d.0.iter_mut().zip(lengths).filter(|_| periodic) {
                        *d -= length * (*d * (1.0 / length)).round_ties_even();
                    }
                    body.vel += 0.3 / star.weight.sqrt() * d;
                    body.mass -= star.weight / 3.0;
                    body.table[1] = d.norm2();
                    body.pos -= 0.3 * d;
                    if star.flag == 1 {
                        body.kind += 3;
                    }
                    *body = rounded(*body, precision);
                }
            }
            same(device, precision, &download(device, &bodies), &expected);
        }
    });
}

/// Merges totals in a tree of blocks of 256.
fn merged<T: Copy>(totals: &[T], nothing: T, merge: impl Fn(T, T) -> T + Copy) -> T {
    let block = |block: &[T]| {
        let mut block = block.to_vec();
        block.resize(256, nothing);
        for half in [128, 64, 32, 16, 8, 4, 2, 1] {
            for k in 0..half {
                block[k] = merge(block[k], block[k + half]);
            }
        }
        block[0]
    };
    let blocks: Vec<_> = totals.chunks(256).map(block).collect();
    match *blocks {
        [] => nothing,
        [total] => total,
        _ => merged(&blocks, nothing, merge),
    }
}

fn merge(mut total: Total, part: Total) -> Total {
    total.kinetic += part.kinetic;
    total.momentum += part.momentum;
    total.least = total.least.min(part.least);
    total.most = total.most.max(part.most);
    total.count += part.count;
    let ArgMin { value, index } = part.slowest;
    let first = value == total.slowest.value && index < total.slowest.index;
    if value < total.slowest.value || first {
        total.slowest = part.slowest;
    }
    let ArgMax { value, index } = part.fastest;
    let first = value == total.fastest.value && index < total.fastest.index;
    if value > total.fastest.value || first {
        total.fastest = part.fastest;
    }
    total
}

#[test]
fn measures_merge_totals_in_a_fixed_order() {
    for_each(|device, precision, n| {
        let mut start = bodies(n);
        // Several bodies have the smallest value; the first one counts.
        for body in &mut start {
            body.table[2] = (16.0 * body.table[2]).floor();
        }
        let others = stars(n);
        let (results, fields) = field(device, &start, Precision::Double);
        let bodies = device.upload(&start, precision).unwrap();
        let stars = device.upload(&others, Precision::Mixed).unwrap();
        let mut energy = PerParticle::new(device, Energy { scale: 0.5 }).unwrap();
        let found = energy.measure(&bodies, (&stars, &results)).unwrap();
        let mut totals = Vec::new();
        for (k, ((body, star), field)) in start.iter().zip(&others).zip(&fields).enumerate() {
            let body = rounded(*body, precision);
            let star = rounded_star(*star, Precision::Mixed);
            let mut total = Total::default();
            total.kinetic += 0.5 * body.mass * body.vel.norm2() + field.pot;
            total.momentum += body.mass * (body.pos - star.pos);
            total.least = body.vel.x;
            total.most = field.acc.y;
            if star.flag == 1 {
                total.count += 1;
                let (value, index) = (body.table[2], k as u32);
                total.slowest = ArgMin { value, index };
                total.fastest = ArgMax { value, index };
            }
            totals.push(total);
        }
        assert_eq!(found, merged(&totals, Total::default(), merge), "{device}, {precision}, {n}");
        // Scratch memory is reused, and the particles are unchanged.
        assert_eq!(energy.measure(&bodies, (&stars, &results)).unwrap(), found);
        let unchanged: Vec<_> = start.iter().map(|it| rounded(*it, precision)).collect();
        same(device, precision, &download(device, &bodies), &unchanged);
        assert!(n < 2 || found.count < n as u32 && found.slowest.index % 3 == 0, "{found:?}");
    });
}

/// Lengths from the nearest particles.
#[nbody::interaction]
mod lengths {
    pub struct Close;
    pub struct Smooth {
        pub scale: Real,
    }
    pub struct Drop {
        pub pos: Point,
        pub length: Real,
        pub sum: Real,
        pub near: u32,
    }
    pub struct Found {
        pub count: Count,
        pub few: Nearest<3>,
    }
    impl Interaction for Close {
        type I = Drop;
        type J = Drop;
        type F = Found;
        fn pair(&self, i: &Drop, j: &Drop, f: &mut Found) {
            f.count += j.near - i.near;
            f.few.insert((i.pos - j.pos).norm2());
        }
    }
    impl Update for Smooth {
        type P = Drop;
        type F = Found;
        fn update(&self, p: &mut Drop, f: &Found) {
            p.length = self.scale * f.few.values[2].sqrt();
            p.near = f.count;
            for k in 0..3 {
                p.sum += f.few.values[k];
                p.near += f.few.indices[k] * (k + 2);
            }
        }
    }
}
use lengths::{Close, Drop, Found, Smooth};

#[test]
fn updates_read_the_nearest_particles() {
    for device in &nbody_tests::all_devices() {
        for (n, accumulation) in [(2, Accumulation::Direct), (60, Accumulation::BlockedF64)] {
            let mut drops: Vec<Drop> = uniform(n, 5);
            let options = Options::default().accumulation(accumulation);
            let mut close = AllPairs::with_options(device, Close, options).unwrap();
            let uploaded = close.upload(&drops).unwrap();
            let mut out = close.results(n).unwrap();
            close.evaluate_self_into(&uploaded, &uploaded, &mut out).unwrap();
            let found: Vec<Found> = out.download().unwrap();
            let mut changed = device.upload(&drops, Precision::Double).unwrap();
            let mut smooth = PerParticle::new(device, Smooth { scale: 0.5 }).unwrap();
            smooth.update(&mut changed, &out).unwrap();
            // Integers wrap: a sum of negative ones, too.
            let near = |k: usize| drops[k].near.cast_signed();
            for (k, found) in found.iter().enumerate() {
                let sum: i32 = (0..n).map(|l| near(l) - near(k)).sum();
                assert_eq!(found.count.cast_signed(), sum, "{device}, {k}");
            }
            for (drop, found) in drops.iter_mut().zip(&found) {
                let Found { few, count } = found;
                drop.length = 0.5 * few.values[2].sqrt();
                drop.near = *count;
                for k in 0..3 {
                    drop.sum += few.values[k];
                    let index = few.indices[k].wrapping_mul(k as u32 + 2);
                    drop.near = drop.near.wrapping_add(index);
                }
            }
            assert_eq!(changed.download().unwrap(), drops, "{device}");
        }
    }
}

#[test]
fn totals_may_exceed_the_shared_memory_of_a_block() {
    let devices = nbody_tests::all_devices();
    for device in &devices {
        for n in [0, 1, 37, 600] {
            let start = stars(n);
            let stars = device.upload(&start, Precision::Double).unwrap();
            let mut spread = PerParticle::new(device, Spread { scale: 0.3 }).unwrap();
            let found = spread.measure(&stars, ()).unwrap();
            for (k, &found) in found.moments.iter().enumerate() {
                let moment = |star: &Star| (0.3 + k as f64) * star.weight;
                let moments: Vec<_> = start.iter().map(moment).collect();
                assert_eq!(found, merged(&moments, 0.0, |a, b| a + b), "{device}, {n}, {k}");
            }
        }
    }
}

#[test]
fn particles_pass_between_engines() {
    let devices = nbody_tests::all_devices();
    let start = bodies(40);
    for device in &devices {
        for &precision in Precision::ALL {
            let options = Options::default().precision(precision);
            let mut pull = AllPairs::with_options(device, Pull { eps2: 0.5 }, options).unwrap();
            let mut drift = PerParticle::new(device, Drift { dt: 0.25 }).unwrap();
            let mut uploaded = device.upload(&start, precision).unwrap();
            let mut of_engine = pull.upload(&start).unwrap();
            let mut moved: Vec<_> = start.iter().map(|it| rounded(*it, precision)).collect();
            for body in &mut moved {
                body.pos += 0.25 * body.vel;
            }
            let mut out = pull.results(40).unwrap();
            let expected: Vec<Field> = pull.evaluate_self(&moved).unwrap();
            for bodies in [&mut uploaded, &mut of_engine] {
                // Often enough that a GPU records a graph and replays it.
                for _ in 0..6 {
                    pull.evaluate_self_into(bodies, bodies, &mut out).unwrap();
                }
                drift.update(bodies, ()).unwrap();
                pull.evaluate_self_into(bodies, bodies, &mut out).unwrap();
                assert_eq!(out.download::<f64>().unwrap(), expected, "{device}, {precision}");
            }
        }
    }
}

#[test]
fn the_cpu_rounds_when_it_stores() {
    let start = bodies(30);
    let mut bodies = Device::cpu().upload(&start, Precision::Single).unwrap();
    let mut drift = PerParticle::new(&Device::cpu(), Drift { dt: 0.5 }).unwrap();
    drift.update(&mut bodies, ()).unwrap();
    let mut expected = start.clone();
    for body in &mut expected {
        *body = rounded(*body, Precision::Single);
        body.pos += 0.5 * body.vel;
        *body = rounded(*body, Precision::Single);
    }
    assert_eq!(bodies.download().unwrap(), expected);
    assert_eq!(bodies.download_range(3..17).unwrap(), expected[3..17]);
    let mut relax = PerParticle::new(&Device::cpu(), Relax { rate: 0.5 }).unwrap();
    let none = Device::cpu().upload::<Star>(&[], Precision::Single).unwrap();
    let error = relax.update(&mut bodies, &none).unwrap_err();
    let message = "second particles: found 0, expected 30; give one for each particle";
    assert_eq!(error.to_string(), message);
    assert_eq!(bodies.download().unwrap(), expected);
}
