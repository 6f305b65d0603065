//! Plain loops over pairs of balls, and the ways to sum of each device.

use nbody::cpu::SimdLevel;
use nbody::prelude::*;
use nbody::{Accumulation, Csr, Error, Interaction, Math, Particles, Store};
use nbody_tests::contacts::Random;
use nbody_tests::contacts::contact::{Ball, Near};

pub fn boxes() -> [[f64; 3]; 3] {
    [[f64::INFINITY; 3], [2.0; 3], [2.0, f64::INFINITY, 4.0]]
}

/// Returns the distance of the nearest images.
pub fn distance(a: &Ball, b: &Ball, lengths: [f64; 3]) -> f64 {
    let along = |axis: usize| {
        let (d, length) = (b.pos[axis] - a.pos[axis], lengths[axis]);
        if length.is_finite() { d - length * (d / length).round() } else { d }
    };
    [0, 1, 2].map(along).iter().map(|d| d * d).sum::<f64>().sqrt()
}

/// Returns the counts and the sums of masses for each i-particle over some pairs with j-particles.
pub fn plain_loop(i: &[Ball], j: &[Ball], acts: impl Fn(usize, usize) -> u32) -> Vec<[i64; 2]> {
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

pub fn evaluate<X>(
    engine: &mut ShortRange<X>,
    near: &Neighbours,
    i: &Particles<Ball>,
    j: Sources<'_, Particles<Ball>>,
) -> Result<Vec<[i64; 2]>, Error>
where
    X: Interaction<I = Ball, J = Ball, F = Near>,
{
    let mut out = engine.results(i.len()).unwrap();
    engine.evaluate_over_with(near, i, j, &mut out, Store::Replace)?;
    let out = out.download::<f64>().unwrap();
    Ok(out.iter().map(|near| [near.count.into(), near.mass as i64]).collect())
}

/// Returns rows of a few random particles, some of them twice.
pub fn rows(random: &mut Random, i: usize, j: usize) -> Csr {
    let mut rows = Csr { offsets: vec![0], indices: Vec::new() };
    for _ in 0..i {
        for _ in 0..random.below(if j == 0 { 1 } else { 9 }) {
            rows.indices.push(random.below(j as u64) as u32);
        }
        rows.offsets.push(rows.indices.len() as u64);
    }
    rows
}

/// Summation orders: the engine's own, and orders with bags that lists do not fill.
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

/// Returns a few ways that together contain every choice.
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

/// Returns the CPU at every level of vector instructions, with every way to sum shared out among
/// the levels, and the other devices with some ways.
pub fn devices_and_ways() -> Vec<(Device, Vec<Options>)> {
    let levels: Vec<_> = SimdLevel::available().collect();
    // Each level gets every precision, accumulation and order.
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
