//! Models of star clusters compared with their known profiles, and with the distributions of masses,
//! orbits and velocities.

mod binaries;
mod hernquist;
mod king;
mod masses;
mod motion;
mod uniform;

use nbody_models::Snapshot;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|c| a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3])
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Requires that numbers have this cumulative distribution: the Kolmogorov-Smirnov statistic is
/// below its critical value at the 1% level, 1.63/√n.
fn assert_distributed(
    what: &str,
    values: impl IntoIterator<Item = f64>,
    cumulative: impl Fn(f64) -> f64,
) {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    assert!(n > 1000.0, "{what}");
    for (k, &value) in values.iter().enumerate() {
        let apart = (cumulative(value) - (k as f64 + 0.5) / n).abs();
        assert!(apart < 1.63 / n.sqrt(), "{what}: {apart} at {value}");
    }
}

/// Requires that the mean square of the velocity along each axis, and along the radius, is a
/// function of the radius: within 4 standard deviations in shells of equal numbers of particles.
fn assert_dispersion(snapshot: &Snapshot, shells: usize, variance: impl Fn(f64) -> f64) {
    let mut particles = snapshot.particles.clone();
    particles.sort_by(|a, b| norm(a.pos).total_cmp(&norm(b.pos)));
    let count = particles.len() / shells;
    for shell in particles.chunks_exact(count) {
        let expected = mean(shell.iter().map(|p| variance(norm(p.pos))));
        let radial = mean(shell.iter().map(|p| (dot(p.pos, p.vel) / norm(p.pos)).powi(2)));
        let axes = [0, 1, 2].map(|c| mean(shell.iter().map(|p| p.vel[c] * p.vel[c])));
        let (within, radius) = (4.0 * (2.0 / count as f64).sqrt(), norm(shell[0].pos));
        for found in axes.into_iter().chain([radial]) {
            let error = found / expected - 1.0;
            assert!(error.abs() < within, "from {radius}: {found}, expected {expected}");
        }
    }
}

/// Requires that the total mass is 1, and that the centre of mass rests at the origin.
fn assert_centred(snapshot: &Snapshot) {
    assert!((snapshot.mass() - 1.0).abs() < 1e-11);
    for c in 0..3 {
        let pos: f64 = snapshot.particles.iter().map(|p| p.mass * p.pos[c]).sum();
        let vel: f64 = snapshot.particles.iter().map(|p| p.mass * p.vel[c]).sum();
        assert!(pos.abs() < 1e-13 && vel.abs() < 1e-13, "{pos} {vel}");
    }
}

/// Returns a digest of all bits of a snapshot: a change of a recipe or of its random numbers
/// changes it.
fn digest(snapshot: &Snapshot) -> u64 {
    let particles = snapshot.particles.iter();
    let numbers = particles.flat_map(|p| [p.mass].into_iter().chain(p.pos).chain(p.vel));
    numbers.fold(0_u64, |digest, x| digest.rotate_left(5) ^ x.to_bits())
}
