//! Statistics by counting pairs.

use nbody::check::reference;
use nbody::prelude::*;
use nbody::{AllPairs, Domain, Options, PairTotals};
use nbody_interactions::kolmogorov_smirnov::{KolmogorovSmirnov, Sample, Threshold};
use nbody_interactions::neighbours::{Neighbours, Place};
use nbody_interactions::radial_distribution::{BINS, Centre, RadialDistribution};

use crate::near;
use crate::shapes::{face_centred, norm};

/// Returns two samples with repeated values, exact in `f32`.
fn samples(n: [usize; 2]) -> [Vec<f64>; 2] {
    let value = |k: usize, scale: f64| (scale * ((k * k + 7 * k) as f64).sin() * 32.0).round();
    [(0..n[0]).map(|k| value(k, 1.0)).collect(), (0..n[1]).map(|k| value(k + 500, 1.2)).collect()]
}

fn sorted_sample(sample: &[f64]) -> Vec<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Computes the statistic from sorted samples, times n₁ n₂.
fn sorted(samples: &[Vec<f64>; 2]) -> usize {
    let [a, b] = samples.each_ref().map(|sample| sorted_sample(sample));
    let (mut k, mut l, mut largest) = (0, 0, 0);
    while k < a.len() && l < b.len() {
        let x = a[k].min(b[l]);
        k += a[k..].iter().take_while(|y| **y == x).count();
        l += b[l..].iter().take_while(|y| **y == x).count();
        largest = largest.max((k * b.len()).abs_diff(l * a.len()));
    }
    largest
}

/// The Kolmogorov-Smirnov statistic from pair counts equals the statistic of the sorted samples
/// exactly, in every precision and accumulation.
///
/// Fails with `j.x >= i.x`, with `f.first` in both branches and with counts that go up by 2.
#[test]
fn kolmogorov_smirnov_equals_the_sorted_computation() {
    for n in [[1, 1], [100, 37], [700, 900]] {
        let samples = samples(n);
        let places: Vec<_> = samples.iter().flatten().map(|&x| Threshold { x }).collect();
        let values = samples.iter().zip(0..);
        let values: Vec<_> = values
            .flat_map(|(sample, k)| sample.iter().map(move |&x| Sample { x, sample: k }))
            .collect();
        for precision in [Precision::Single, Precision::Double] {
            let options = Options::default().precision(precision);
            let mut direct =
                AllPairs::with_options(&Device::cpu(), KolmogorovSmirnov, options).unwrap();
            let counts = direct.evaluate::<f64>(&places, &values).unwrap();
            let sorted_first = sorted_sample(&samples[0]);
            for (place, counts) in places.iter().zip(&counts) {
                let not_above = sorted_first.partition_point(|&x| x <= place.x);
                assert_eq!(counts.first as usize, not_above, "at {}", place.x);
            }
            let difference = counts.iter().map(|counts| {
                (counts.first as usize * n[1]).abs_diff(counts.second as usize * n[0])
            });
            assert_eq!(difference.max(), Some(sorted(&samples)), "{n:?}");
        }
    }
}

/// A face-centred cubic lattice has 12 neighbours at distance 1, 6 more at √2 and 24 at √3.
///
/// Fails with `f.nearest.min(-r2)`, with `r2 > self.radius2` and with counts that go up by 2.
#[test]
fn neighbours_in_a_lattice() {
    let mut points = face_centred(4.0);
    // Move one neighbour towards the centre, so that it is the nearest.
    let moved = points.iter().position(|p| norm(*p) < 1.01).unwrap();
    points[moved] = points[moved].map(|x| 0.875 * x);
    let places: Vec<_> = points.iter().map(|p| Place { pos: Point(*p) }).collect();
    let origin = [Place { pos: Point::new(0.0, 0.0, 0.0) }];
    for (radius, count) in [(0.5, 0), (0.9, 1), (1.1, 12), (1.5, 18), (1.8, 42)] {
        let neighbours = Neighbours { radius2: radius * radius };
        let found = reference::<_, f64>(&neighbours, Domain::Open, &origin, &places).unwrap()[0];
        assert_eq!(found.count, count, "within {radius}");
        assert_eq!(found.nearest.index as usize, moved);
        near(found.nearest.value.sqrt(), 0.875, 1.0, 1e-12);
    }
}

/// Returns positions of an ideal gas in the unit cube, in multiples of 2⁻¹⁰, by a generator of Knuth
/// (The Art of Computer Programming 2, section 3.3.4).
fn ideal_gas(n: usize) -> Vec<[i32; 3]> {
    let mut state = 1_u64;
    let mut coordinate = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 54) as i32
    };
    (0..n).map(|_| [(); 3].map(|()| coordinate())).collect()
}

/// Pairs by distance equal the counts of a plain loop over integers, exactly, for two sets and for
/// one, in a periodic box and in open space; and an ideal gas has the pairs of a uniform density.
#[test]
fn pairs_by_distance_equal_a_plain_loop_and_an_ideal_gas() {
    const UNITS: i32 = 1024;
    let gas = ideal_gas(1500);
    let centre = |p: &[i32; 3]| Centre { pos: Point(p.map(|x| f64::from(x) / f64::from(UNITS))) };
    let centres: Vec<Centre> = gas.iter().map(centre).collect();
    // The radius is half of the box: 512 units, and bins of two units.
    let law = RadialDistribution { per_length: 2.0 * f64::from(BINS) };
    for domain in [Domain::Open, Domain::periodic([1.0; 3]).unwrap()] {
        let mut expected = [[0_u32; BINS as usize]; 2];
        for (k, i) in gas.iter().enumerate() {
            for (l, j) in gas.iter().enumerate().filter(|(l, _)| *l != k) {
                let difference = |c: usize| {
                    let d = (j[c] - i[c]).abs();
                    if domain == Domain::Open { d } else { d.min(UNITS - d) }
                };
                let square = [0, 1, 2].map(|c| difference(c).pow(2)).into_iter().sum::<i32>();
                // The bin k of whole numbers with (2 k)² ≤ square < (2 k + 2)².
                let bin = (square / 4).isqrt() as usize;
                if let Some(count) = expected[0].get_mut(bin) {
                    *count += 1;
                    expected[1][bin] += u32::from(k < 700 && l >= 700);
                }
            }
        }
        for precision in [Precision::Single, Precision::Double] {
            let options = Options::default().precision(precision).domain(domain).math(Math::Exact);
            let mut totals = PairTotals::with_options(&Device::cpu(), law, options).unwrap();
            let one = totals.total_self::<f64>(&centres).unwrap();
            let two = totals.total::<f64>(&centres[..700], &centres[700..]).unwrap();
            assert_eq!([one.pairs, two.pairs], expected, "{domain:?} {precision}");
        }
        if domain != Domain::Open {
            let n = gas.len() as f64;
            // In bins of two units a few distances are more frequent: take eight at a time.
            for (k, counts) in expected[0].chunks_exact(8).enumerate().skip(2) {
                let volume =
                    |k: usize| (k as f64 / 64.0).powi(3) * 4.0 / 3.0 * core::f64::consts::PI;
                let mean = n * (n - 1.0) * (volume(k + 1) - volume(k));
                let found = f64::from(counts.iter().sum::<u32>());
                // Both directions of a pair are one event: the variance of their number is doubled.
                near(found, mean, 5.0 * (2.0 * mean).sqrt(), 1.0);
            }
        }
    }
}
