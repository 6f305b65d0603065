//! Statistics by counting pairs.

use nbody::check::reference;
use nbody::prelude::*;
use nbody::{AllPairs, Domain, Options};
use nbody_interactions::kolmogorov_smirnov::{KolmogorovSmirnov, Sample, Threshold};
use nbody_interactions::neighbours::{Neighbours, Place};

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
