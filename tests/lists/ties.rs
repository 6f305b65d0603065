//! The first of equal values counts in lists, as over all pairs.

use nbody::prelude::*;
use nbody::{ArgMax, ArgMin, Engine, Nearest, Store};
use nbody_tests::lists::over_lists;

/// Extremes within a reach; most are shared by several particles.
#[nbody::interaction]
mod ties {
    pub struct Ties {
        pub reach: Real,
    }
    pub struct Site {
        pub pos: Point,
        pub tag: Real,
    }
    pub struct Firsts {
        pub sum: Real,
        pub nearest: ArgMin<Real>,
        pub lowest: ArgMin<Real>,
        pub highest: ArgMax<Real>,
        pub low: Nearest<3>,
        pub least: Min<Real>,
        pub count: Count,
    }

    impl Interaction for Ties {
        type I = Site;
        type J = Site;
        type F = Firsts;

        fn cutoff(&self, _i: &Site, _j: &Site) -> Real {
            self.reach
        }

        fn pair(&self, i: &Site, j: &Site, f: &mut Firsts) {
            let r2 = (j.pos - i.pos).norm2();
            f.sum += r2;
            f.nearest.min(r2);
            if j.tag < 3.0 {
                f.lowest.min(j.tag / (j.tag - 2.0));
                f.highest.max(0.0 - j.tag / (j.tag - 2.0));
                f.low.insert(j.tag / (j.tag - 2.0));
            }
            f.least.min(r2);
            f.count += 1;
        }
    }
}
use ties::{Firsts, Site, Ties};

/// Returns the sites of a lattice, generated along x, then y, then z, and numbered in another
/// order.
fn sites(side: usize) -> Vec<Site> {
    // Infinity, NaN, zeros of both signs and equal values.
    let tags = [2.0, 1.0, 0.0, -0.0, 5.0, f64::NAN, 1.0];
    let n = side * side * side;
    let site = |k: usize| {
        let at = k * 7 % n;
        let [x, y, z] = [at % side, at / side % side, at / side / side].map(|x| x as f64);
        Site { pos: Point::new(x, y, z), tag: tags[k * k % 7] }
    };
    (0..n).map(site).collect()
}

/// Inserts a value after all that are not greater.
fn insert(low: &mut Nearest<3>, value: f64, index: u32) {
    let place = low.values.iter().position(|other| value < *other);
    if let Some(place) = place {
        for k in (place + 1..3).rev() {
            (low.values[k], low.indices[k]) = (low.values[k - 1], low.indices[k - 1]);
        }
        (low.values[place], low.indices[place]) = (value, index);
    }
}

/// Returns the least values of both.
fn both(a: Nearest<3>, b: Nearest<3>) -> [u32; 3] {
    let of = |it: Nearest<3>| it.values.into_iter().zip(it.indices);
    let mut all: Vec<_> = of(a).chain(of(b)).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    [0, 1, 2].map(|k| all[k].1)
}

/// Searches the particles in the order of their indices.
fn firsts(i: &Site, j: &[Site], skip: Option<usize>, reach: f64) -> Firsts {
    let mut found = Firsts::default();
    let take = |least: &mut ArgMin, value: f64, index: u32| {
        if value < least.value {
            *least = ArgMin { value, index };
        }
    };
    for (k, j) in j.iter().enumerate() {
        let r2: f64 = (0..3).map(|c| (j.pos[c] - i.pos[c]).powi(2)).sum();
        if Some(k) == skip || r2 >= reach * reach {
            continue;
        }
        found.sum += r2;
        take(&mut found.nearest, r2, k as u32);
        if j.tag < 3.0 {
            let value = j.tag / (j.tag - 2.0);
            take(&mut found.lowest, value, k as u32);
            insert(&mut found.low, value, k as u32);
            if -value > found.highest.value {
                found.highest = ArgMax { value: 0.0 - value, index: k as u32 };
            }
        }
        found.least = found.least.min(r2);
        found.count += 1;
    }
    found
}

/// Returns ways to compute in lists: on the CPU each choice occurs with every other choice.
fn list_options() -> Vec<Options> {
    let orders = [None, Some(SummationOrder { bag: 5, splits: 3 })];
    let mut all = Vec::new();
    for &precision in Precision::ALL {
        for &accumulation in Accumulation::ALL {
            for &math in Math::ALL {
                let options = Options::default().precision(precision).math(math);
                all.extend(orders.map(|order| options.accumulation(accumulation).order(order)));
            }
        }
    }
    all
}

#[test]
fn the_first_of_equal_values_counts_in_lists() {
    for device in nbody_tests::all_devices() {
        let ways = list_options();
        let some = if device.is_cpu() { 1 } else { 7 };
        for (turn, &options) in ways.iter().step_by(some).enumerate() {
            let reach = [1.5, 1.0625, 2.5][turn % 3];
            let mut lists = over_lists(&device, Ties { reach }, options, Skin::Length(0.25));
            for side in [2, 5] {
                let sites = sites(side);
                let search = |(k, i)| firsts(i, &sites, Some(k), reach);
                let expected: Vec<_> = sites.iter().enumerate().map(search).collect();
                let place = lists.upload(&sites).unwrap();
                let mut out = lists.results(sites.len()).unwrap();
                lists.evaluate_self_into(&place, &place, &mut out).unwrap();
                let found: Vec<Firsts> = out.download().unwrap();
                assert_eq!(found, expected, "{device}, {options:?}, {side}");

                // The added particles have the same values with other indices.
                let others: Vec<Site> = sites.iter().rev().copied().collect();
                let search = |i| firsts(i, &others, None, reach);
                let added: Vec<_> = sites.iter().map(search).collect();
                let j = lists.upload(&others).unwrap();
                let mut second = over_lists(&device, Ties { reach }, options, Skin::Auto);
                second.evaluate_with(&place, Sources::Others(&j), &mut out, Store::Add).unwrap();
                let found: Vec<Firsts> = out.download().unwrap();
                for (k, found) in found.iter().enumerate() {
                    let first = |a: ArgMin, b: ArgMin| {
                        let is_first = b.value < a.value || b.value == a.value && b.index < a.index;
                        if is_first { b } else { a }
                    };
                    let (a, b) = (&expected[k], &added[k]);
                    let negative = |it: ArgMax| ArgMin { value: -it.value, index: it.index };
                    let index = [found.nearest.index, found.lowest.index, found.highest.index];
                    let expected = [
                        first(a.nearest, b.nearest),
                        first(a.lowest, b.lowest),
                        first(negative(a.highest), negative(b.highest)),
                    ];
                    assert_eq!(index, expected.map(|it| it.index), "{device}, {options:?}, {k}");
                    let low = both(a.low, b.low);
                    assert_eq!(found.low.indices, low, "{device}, {options:?}, {k}");
                }
            }
        }
    }
}

#[test]
fn the_first_of_equal_values_counts_in_given_lists() {
    let sites = sites(3);
    let n = sites.len();
    let pairs: Vec<[u32; 2]> = (0..n as u32)
        .flat_map(|i| (i + 1..n as u32).map(move |j| [i, j]))
        .filter(|[i, j]| (i * 5 + j * 3) % 4 != 0)
        .collect();
    let exact = Options::default().math(Math::Exact);
    let devices = nbody_tests::all_devices();
    for (device, options) in devices.iter().flat_map(|device| {
        let some = vec![Options::default(), exact];
        let ways = if device.is_cpu() { list_options() } else { some };
        ways.into_iter().map(move |options| (device, options))
    }) {
        let law = Ties { reach: 100.0 };
        let mut engine = ShortRange::with_options(device, law, options).unwrap();
        let rows = nbody::Csr::from_pairs(n, &pairs).unwrap();
        let precision = options.precision;
        let mut near =
            nbody::Neighbours::with_options(device, rows, Options::default().precision(precision))
                .unwrap();
        let place = near.upload(&sites).unwrap();
        near.update(&place, &[&engine]).unwrap();
        let mut out = engine.results(n).unwrap();
        engine.evaluate_over(&near, &place, &mut out).unwrap();
        let found: Vec<Firsts> = out.download().unwrap();
        for (k, found) in found.iter().enumerate() {
            let acts = |&l: &usize| {
                let pair = [k.min(l) as u32, k.max(l) as u32];
                k != l && pairs.contains(&pair)
            };
            let of_pair =
                |l: usize| (0..3).map(|c| (sites[l].pos[c] - sites[k].pos[c]).powi(2)).sum::<f64>();
            let nearest = (0..n).filter(acts).min_by(|&a, &b| of_pair(a).total_cmp(&of_pair(b)));
            let index = nearest.map_or(u32::MAX, |l| l as u32);
            assert_eq!(found.nearest.index, index, "{device}, {options:?}, {k}");
            let count = (0..n).filter(acts).count();
            assert_eq!(found.count as usize, count, "{device}, {options:?}, {k}");
        }
    }
}
