//! The uniform sphere compared with its density.

use nbody_models::{Error, Particle, Snapshot, uniform_sphere};

use crate::norm;

const N: usize = 80_000;

/// Requires that a number of the particles is uniform from 0 to 1: each of `parts` equal parts has
/// its share of the particles, within five standard deviations.
fn assert_uniform(snapshot: &Snapshot, parts: u32, number: impl Fn(&Particle) -> f64) {
    let [n, parts_f64] = [snapshot.particles.len() as f64, f64::from(parts)];
    let (mean, limit) = (n / parts_f64, 5.0 * (n * (parts_f64 - 1.0)).sqrt() / parts_f64);
    for part in 0..parts {
        let is_in = |p: &&Particle| (parts_f64 * number(p)).floor() == f64::from(part);
        let count = snapshot.particles.iter().filter(is_in).count();
        assert!((count as f64 - mean).abs() < limit, "part {part}: {count}, not {mean} ± {limit}");
    }
}

#[test]
fn shells_of_equal_volume_have_equal_counts() {
    assert_uniform(&uniform_sphere(N, 1).unwrap(), 10, |p| norm(p.pos).powi(3));
}

#[test]
fn octants_have_equal_counts() {
    let octant = |p: &Particle| {
        let halves = p.pos.map(|x| f64::from(u8::from(x > 0.0)));
        halves[0] / 2.0 + halves[1] / 4.0 + halves[2] / 8.0
    };
    assert_uniform(&uniform_sphere(N, 2).unwrap(), 8, octant);
}

#[test]
fn directions_are_uniform() {
    // The area of a sphere between two parallel planes is proportional to their distance
    // (Archimedes).
    let snapshot = uniform_sphere(N, 3).unwrap();
    for axis in 0..3 {
        assert_uniform(&snapshot, 10, |p| 0.5 + 0.5 * p.pos[axis] / norm(p.pos));
    }
}

#[test]
fn particles_rest_in_the_unit_sphere_with_equal_masses() {
    let snapshot = uniform_sphere(1000, 4).unwrap();
    assert_eq!(snapshot.particles.len(), 1000);
    assert!((snapshot.mass() - 1.0).abs() < 1e-12);
    for particle in &snapshot.particles {
        assert!(norm(particle.pos) <= 1.0, "{particle:?}");
        assert_eq!((particle.mass, particle.vel), (1e-3, [0.0; 3]));
    }
}

#[test]
fn the_centre_of_mass_is_near_the_origin() {
    // The variance of a coordinate is 1/5.
    let snapshot = uniform_sphere(N, 5).unwrap();
    let limit = 5.0 / (5.0 * N as f64).sqrt();
    for c in 0..3 {
        let mean: f64 = snapshot.particles.iter().map(|p| p.mass * p.pos[c]).sum();
        assert!(mean.abs() < limit, "{mean}");
    }
}

#[test]
fn a_seed_gives_the_same_particles_on_every_platform() {
    assert_eq!(uniform_sphere(100, 7).unwrap(), uniform_sphere(100, 7).unwrap());
    assert_ne!(uniform_sphere(100, 7).unwrap(), uniform_sphere(100, 8).unwrap());
    // Recorded bits: a change of the recipe or of its random numbers fails here.
    let first = uniform_sphere(2, 1).unwrap().particles[0];
    assert_eq!(first.pos.map(f64::to_bits), FIRST, "{:x?}", first.pos.map(f64::to_bits));
}

const FIRST: [u64; 3] = [0xbfe4_2883_9005_88c2, 0x3fc2_8e0e_2ec9_60ec, 0xbfd6_d555_264d_ef53];

#[test]
fn impossible_models_are_refused() {
    let refused = uniform_sphere(0, 1);
    assert!(matches!(refused, Err(Error::TooFew { found: 0, expected: 1, .. })));
    let mut cold = uniform_sphere(10, 1).unwrap();
    assert!(matches!(cold.virialise(), Err(Error::NotBound { .. })));
}

#[test]
fn more_particles_than_fit_into_memory_are_refused() {
    for n in [1 << 48, usize::MAX / 100, usize::MAX] {
        let message = uniform_sphere(n, 1).unwrap_err().to_string();
        assert!(
            message.contains("a uniform sphere of so many does not fit into memory"),
            "{message}"
        );
    }
}
