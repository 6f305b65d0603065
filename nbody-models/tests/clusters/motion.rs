//! Rotation, velocities of cold models, and virial ratios.

use nbody_models::{Error, Particle, Snapshot, plummer, uniform_sphere};

use crate::{assert_centred, assert_distributed, digest, dot, mean, norm};

/// Returns the velocity about the z axis.
fn about_axis(particle: &Particle) -> f64 {
    let Particle { pos: [x, y, _], vel: [vx, vy, _], .. } = *particle;
    (x * vy - y * vx) / (x * x + y * y).sqrt()
}

fn momentum(snapshot: &Snapshot) -> [f64; 3] {
    let of = |p: &Particle| crate::cross(p.pos, p.vel).map(|x| p.mass * x);
    let sum = |c: usize| snapshot.particles.iter().map(|p| of(p)[c]).sum();
    [0, 1, 2].map(sum)
}

#[test]
fn rotation_changes_the_sense_of_motion_alone() {
    let n = 40_000;
    let still = plummer(n, 1).unwrap();
    let modulus = mean(still.particles.iter().map(|p| about_axis(p).abs()));
    let [lx, ly, lz] = momentum(&still);
    assert!([lx, ly, lz].iter().all(|l| l.abs() < 0.01), "{lx} {ly} {lz}");
    for share in [0.0, 0.3, 1.0] {
        let mut turning = still.clone();
        turning.rotate(share, 1).unwrap();
        let speed = mean(turning.particles.iter().map(about_axis));
        assert!((speed - share * modulus).abs() < 5.0 * modulus / (n as f64).sqrt(), "{speed}");
        let reflected = turning.particles.iter().zip(&still.particles).filter(|(a, b)| {
            let is_kept = a == b;
            assert!(a.pos == b.pos && a.vel[2] == b.vel[2] && a.mass == b.mass);
            assert!((norm(a.vel) - norm(b.vel)).abs() < 1e-14);
            assert!((dot(a.pos, a.vel) - dot(b.pos, b.vel)).abs() < 1e-13);
            assert!(is_kept || about_axis(a) > 0.0 && about_axis(b) < 0.0);
            !is_kept
        });
        let (found, expected) = (reflected.count() as f64, 0.5 * share * n as f64);
        assert!((found - expected).abs() <= 5.0 * expected.sqrt(), "{found}");
        // The angular momentum of a sphere of isotropic velocities: share times the mean of
        // |x vy − y vx|, whose distribution is that about any axis.
        let any =
            mean(still.particles.iter().map(|p| (p.pos[1] * p.vel[2] - p.pos[2] * p.vel[1]).abs()));
        let [lx, ly, lz] = momentum(&turning);
        assert!(
            (lz - share * any).abs() < 0.01 && lx.abs() < 0.01 && ly.abs() < 0.01,
            "{lz} {any}"
        );
    }
    let mut turning = still.clone();
    turning.rotate(1.0, 1).unwrap();
    assert!(turning.particles.iter().all(|p| about_axis(p) >= 0.0));
}

#[test]
fn rotation_out_of_range_is_refused_and_the_axis_is_no_fault() {
    let mut snapshot = plummer(10, 1).unwrap();
    for share in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(snapshot.rotate(share, 1), Err(Error::OutOfRange { .. })), "{share}");
    }
    snapshot.particles[3].pos = [0.0; 3];
    snapshot.rotate(1.0, 1).unwrap();
    assert!(snapshot.particles.iter().all(|p| p.vel.iter().all(|v| v.is_finite())));
}

#[test]
fn cold_models_get_a_normal_distribution() {
    let mut snapshot = uniform_sphere(20_000, 1).unwrap();
    let cold = snapshot.clone();
    snapshot.heat(1);
    assert_centred(&snapshot);
    // Compares |v|² along two axes, which is distributed exponentially with the mean 2.
    let square = |p: &Particle| p.vel[0] * p.vel[0] + p.vel[1] * p.vel[1];
    assert_distributed("squares", snapshot.particles.iter().map(square), |x| {
        1.0 - (-x / 2.0).exp()
    });
    let third = mean(snapshot.particles.iter().map(|p| p.vel[2] * p.vel[2]));
    assert!((third - 1.0).abs() < 0.05, "{third}");
    // Independent of the places that the same seed gave.
    let product = mean(snapshot.particles.iter().map(|p| dot(p.pos, p.vel)));
    assert!(product.abs() < 0.03, "{product}");
    let shift = |k: usize| snapshot.particles[k].pos[0] - cold.particles[k].pos[0];
    assert!((shift(1) - shift(2)).abs() < 1e-14);
}

#[test]
fn virial_ratios_are_exact() {
    let sampled = plummer(500, 1).unwrap();
    for ratio in [0.0, 0.1, 0.5, 2.0] {
        let mut scaled = sampled.clone();
        scaled.virialise_to(ratio, sampled.potential_energy()).unwrap();
        let [kinetic, potential] = [scaled.kinetic_energy(), scaled.potential_energy()];
        assert!((potential + 0.5).abs() < 1e-12, "{ratio}: {potential}");
        assert!((kinetic - 0.5 * ratio).abs() < 1e-12, "{ratio}: {kinetic}");
    }
    let mut half = sampled.clone();
    half.virialise_to(0.5, sampled.potential_energy()).unwrap();
    let mut whole = sampled.clone();
    whole.virialise().unwrap();
    assert_eq!(half, whole);
    for ratio in [-0.1, f64::NAN, f64::INFINITY] {
        let refused = whole.virialise_to(ratio, -0.5);
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{ratio}");
    }
    let mut cold = uniform_sphere(10, 1).unwrap();
    let potential = cold.potential_energy();
    assert!(matches!(cold.virialise_to(0.1, potential), Err(Error::NotBound { .. })));
    cold.virialise_to(0.0, potential).unwrap();
    assert!((cold.potential_energy() + 0.5).abs() < 1e-12);
}

#[test]
fn a_seed_gives_the_same_motion_on_every_platform() {
    let mut snapshot = plummer(100, 1).unwrap();
    snapshot.rotate(0.5, 1).unwrap();
    let turned = digest(&snapshot);
    snapshot.heat(1);
    let found = [turned, digest(&snapshot)];
    assert_eq!(found, DIGESTS, "{found:x?}");
}

const DIGESTS: [u64; 2] = [0x41fc_bde2_2ed9_60be, 0x325b_bcf7_6ae8_662e];
