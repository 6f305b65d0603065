//! The Hernquist sphere compared with its profile and its velocity dispersion.

use nbody_models::{Error, hernquist};

use crate::{assert_centred, assert_dispersion, assert_distributed, digest, norm};

/// Returns the velocity variance along an axis (Hernquist 1990, equation 10), with a = 1.
fn variance(r: f64) -> f64 {
    let logarithm = 12.0 * r * (1.0 + r).powi(3) * ((1.0 + r) / r).ln();
    let polynomial = 25.0 + 52.0 * r + 42.0 * r * r + 12.0 * r * r * r;
    (logarithm - r / (1.0 + r) * polynomial) / 12.0
}

#[test]
fn the_profile_and_the_dispersion_are_hernquists() {
    let snapshot = hernquist(40_000, 1).unwrap();
    assert_centred(&snapshot);
    let radii = snapshot.particles.iter().map(|p| 3.0 * norm(p.pos));
    assert_distributed("radii", radii, |r| (r / (1.0 + r)).powi(2) / 0.99);
    // The last shell is left out: there the formula loses its digits.
    let mut inner = snapshot.clone();
    inner.particles.retain(|p| 3.0 * norm(p.pos) < 30.0);
    assert_dispersion(&inner, 12, |r| 3.0 * variance(3.0 * r));
}

#[test]
fn energies_are_of_standard_units() {
    // The truncation leaves out 1% of the mass, and a little of the energies.
    let snapshot = hernquist(8000, 3).unwrap();
    let [kinetic, potential] = [snapshot.kinetic_energy(), snapshot.potential_energy()];
    assert!((kinetic - 0.25).abs() < 0.015, "{kinetic}");
    assert!((potential + 0.5).abs() < 0.025, "{potential}");
}

#[test]
fn a_seed_gives_the_same_particles_on_every_platform() {
    assert_ne!(hernquist(100, 7).unwrap(), hernquist(100, 8).unwrap());
    let found = digest(&hernquist(100, 1).unwrap());
    assert_eq!(found, DIGEST, "{found:x}");
}

const DIGEST: u64 = 0x0f01_6731_670d_f2d2;

#[test]
fn impossible_models_are_refused() {
    assert!(matches!(hernquist(0, 1), Err(Error::TooFew { found: 0, expected: 1, .. })));
    let message = hernquist(usize::MAX, 1).unwrap_err().to_string();
    assert!(message.contains("a Hernquist sphere of so many does not fit"), "{message}");
}
