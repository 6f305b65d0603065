//! Arrangements of points.

use std::f64::consts::{PI, TAU};

/// Returns nearly uniform points on the unit sphere, each for the same area (the Fibonacci
/// lattice; González 2010, Math. Geosci. 42, 49).
pub fn sphere(n: usize) -> Vec<[f64; 3]> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let point = |k: usize| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
        let (rho, angle) = ((1.0 - z * z).sqrt(), golden * k as f64);
        [rho * angle.cos(), rho * angle.sin(), z]
    };
    (0..n).map(point).collect()
}

/// Returns the points of a cubic lattice of unit spacing within a radius, shifted by `shift` along
/// each axis.
pub fn cubic(radius: f64, shift: f64) -> Vec<[f64; 3]> {
    let n = radius.ceil() as i32 + 1;
    let along = || (-n..=n).map(|k| f64::from(k) + shift);
    let mut points = Vec::new();
    for x in along() {
        for y in along() {
            points.extend(along().map(|z| [x, y, z]).filter(|&p| norm(p) < radius));
        }
    }
    points
}

/// Returns the points of a face-centred cubic lattice of unit nearest-neighbour distance within a
/// radius, except the origin.
pub fn face_centred(radius: f64) -> Vec<[f64; 3]> {
    // Every second point of a cubic lattice, scaled.
    let scale = 0.5_f64.sqrt();
    let even = |p: &[f64; 3]| (p[0] + p[1] + p[2]).rem_euclid(2.0) == 0.0;
    let points = cubic(radius / scale, 0.0).into_iter().filter(|p| even(p) && norm(*p) > 0.5);
    points.map(|p| p.map(|x| x * scale)).collect()
}

/// Returns the `l`-th quasi-random number of particle `k`, in (−1, 1).
pub fn disorder(k: usize, l: usize) -> f64 {
    2.0 * ((12.9898 * k as f64 + 78.233 * l as f64).sin() * 43_758.545_3).fract().abs() - 1.0
}

/// Returns evenly spaced angles around a circle.
pub fn circle(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(move |k| TAU * (k as f64 + 0.5) / n as f64)
}

pub fn norm(p: [f64; 3]) -> f64 {
    p.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the gradient of a function, by central differences.
pub fn gradient(f: impl Fn([f64; 3]) -> f64, at: [f64; 3]) -> [f64; 3] {
    const STEP: f64 = 1e-4;
    std::array::from_fn(|k| {
        let moved = |by: f64| {
            let mut p = at;
            p[k] += by;
            f(p)
        };
        (moved(STEP) - moved(-STEP)) / (2.0 * STEP)
    })
}
