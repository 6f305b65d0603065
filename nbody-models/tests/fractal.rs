//! Fractal clusters compared with their dimension.

use nbody_models::{Error, Particle, Snapshot, fractal};

/// Samples a cluster and requires that all of its numbers are finite.
fn finite(n: usize, dimension: f64, seed: u64) -> Snapshot {
    let snapshot = fractal(n, dimension, seed).unwrap();
    assert_eq!(snapshot.particles.len(), n);
    for particle in &snapshot.particles {
        let finite = particle.pos.iter().chain(&particle.vel).all(|x| x.is_finite());
        assert!(finite && particle.mass.is_finite(), "{particle:?}");
    }
    snapshot
}

fn norm(pos: [f64; 3]) -> f64 {
    (pos[0] * pos[0] + pos[1] * pos[1] + pos[2] * pos[2]).sqrt()
}

/// Returns the correlation dimension of a cluster: the slope of the logarithm of the number of
/// pairs within a distance over the logarithm of the distance.
fn correlation_dimension(snapshot: &Snapshot) -> f64 {
    let limits = [0.1, 0.4];
    let mut counts = [0.0; 2];
    for (k, a) in snapshot.particles.iter().enumerate() {
        for b in &snapshot.particles[..k] {
            let distance = norm([0, 1, 2].map(|c| a.pos[c] - b.pos[c]));
            for (count, limit) in counts.iter_mut().zip(limits) {
                *count += f64::from(u8::from(distance < limit));
            }
        }
    }
    assert!(counts[0] > 10.0, "{counts:?}");
    (counts[1] / counts[0]).ln() / (limits[1] / limits[0]).ln()
}

#[test]
fn the_correlation_dimension_is_the_one_asked_for() {
    let seeds = 12;
    let mean = |dimension: f64| {
        let found = |seed| correlation_dimension(&finite(400, dimension, seed));
        (0..seeds).map(found).sum::<f64>() / seeds as f64
    };
    let dimensions = [1.6, 2.2, 3.0];
    let found = dimensions.map(mean);
    for (dimension, found) in dimensions.into_iter().zip(found) {
        assert!((found - dimension).abs() < 0.25, "{dimension}: {found}");
    }
    assert!(found.is_sorted_by(|a, b| a + 0.4 < *b), "{found:?}");
}

#[test]
fn particles_rest_in_the_unit_sphere_with_equal_masses() {
    for dimension in [1.0, 1.6, 3.0] {
        let snapshot = finite(1000, dimension, 1);
        assert!((snapshot.mass() - 1.0).abs() < 1e-12);
        for particle in &snapshot.particles {
            assert!(norm(particle.pos) <= 1.0, "{particle:?}");
            assert_eq!((particle.mass, particle.vel), (1e-3, [0.0; 3]));
        }
    }
}

#[test]
fn the_highest_dimension_fills_the_sphere() {
    // Half of the mass of a uniform sphere is within ∛½; the faces of the cube, which touch the
    // sphere, are a little thinner.
    let snapshot = finite(4000, 3.0, 1);
    let radius = snapshot.lagrangian_radii(&[0.5])[0];
    assert!((radius - 0.5_f64.cbrt()).abs() < 0.05, "{radius}");
    // Each octant has a share of about 1/8; the first shifts thin some.
    for octant in 0..8 {
        let is_in = |p: &&Particle| (0..3).all(|c| (p.pos[c] > 0.0) == (octant >> c & 1 == 1));
        let count = snapshot.particles.iter().filter(is_in).count();
        assert!((250..800).contains(&count), "octant {octant}: {count} of 4000");
    }
}

#[test]
fn particles_are_in_random_order() {
    // Neighbours in memory are not neighbours in space.
    let particles = finite(2000, 3.0, 1).particles;
    let distance = |pair: &[Particle]| norm([0, 1, 2].map(|c| pair[0].pos[c] - pair[1].pos[c]));
    let mean = particles.windows(2).map(distance).sum::<f64>() / 1999.0;
    assert!(mean > 0.9, "{mean}");
}

#[test]
fn all_particles_are_apart() {
    let mut particles = finite(2000, 1.0, 3).particles;
    particles.sort_by(|a, b| a.pos[0].total_cmp(&b.pos[0]));
    assert!(particles.windows(2).all(|pair| pair[0].pos != pair[1].pos));
}

#[test]
fn clusters_that_die_out_are_replaced() {
    // At the lowest dimension a cube stays without children with probability (3/4)^8.
    for seed in 0..100 {
        for n in [1, 2, 50] {
            let snapshot = finite(n, 1.0, seed);
            assert!((snapshot.mass() - 1.0).abs() < 1e-12);
            assert!(snapshot.particles.iter().all(|particle| norm(particle.pos) <= 1.0));
        }
    }
}

#[test]
fn a_seed_gives_the_same_particles_on_every_platform() {
    assert_eq!(fractal(100, 1.6, 7).unwrap(), fractal(100, 1.6, 7).unwrap());
    assert_ne!(fractal(100, 1.6, 7).unwrap(), fractal(100, 1.6, 8).unwrap());
    // Recorded bits: a change of the recipe or of its random numbers fails here.
    let first = fractal(2, 1.6, 1).unwrap().particles[0];
    assert_eq!(first.pos.map(f64::to_bits), FIRST, "{:x?}", first.pos.map(f64::to_bits));
}

const FIRST: [u64; 3] = [0x3fc3_1bdf_ac35_95fc, 0xbfd2_64cd_9f3a_da00, 0xbfe9_44cb_2401_a404];

#[test]
fn impossible_models_are_refused() {
    assert!(matches!(fractal(0, 1.6, 1), Err(Error::TooFew { found: 0, expected: 1, .. })));
    for dimension in [0.999, 3.001, -2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = fractal(10, dimension, 1).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { low: 1.0, high: 3.0, .. }), "{error}");
        assert!(error.to_string().contains("dimension"), "{error}");
    }
    assert!(matches!(finite(10, 1.6, 1).virialise(), Err(Error::NotBound { .. })));
}

#[test]
fn more_particles_than_fit_into_memory_are_refused() {
    for n in [1 << 48, usize::MAX / 100, usize::MAX] {
        let message = fractal(n, 1.6, 1).unwrap_err().to_string();
        assert!(
            message.contains("a fractal cluster of so many does not fit into memory"),
            "{message}"
        );
    }
}
