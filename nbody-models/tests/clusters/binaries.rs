//! Binaries compared with the orbits that they are sampled from.

use nbody_models::{Binaries, Error, Particle, Snapshot, plummer};

use crate::{assert_centred, assert_distributed, cross, digest, dot, norm};

const LEAST: f64 = 1e-5;
const MOST: f64 = 1e-2;

fn orbits() -> Binaries {
    Binaries { least: LEAST, most: MOST }
}

/// The orbit of a pair of stars, from their positions and velocities.
struct Orbit {
    axis: f64,
    eccentricity: f64,
    /// The direction of the angular momentum.
    normal: [f64; 3],
    /// The direction of the pericentre.
    apse: [f64; 3],
    /// Mean anomaly, as a share of the period.
    phase: f64,
}

impl Orbit {
    fn of(first: &Particle, second: &Particle) -> Self {
        let d = [0, 1, 2].map(|c| second.pos[c] - first.pos[c]);
        let v = [0, 1, 2].map(|c| second.vel[c] - first.vel[c]);
        let (mass, r) = (first.mass + second.mass, norm(d));
        let axis = 1.0 / (2.0 / r - dot(v, v) / mass);
        let momentum = cross(d, v);
        // The Laplace-Runge-Lenz vector.
        let turned = cross(v, momentum);
        let apse = [0, 1, 2].map(|c| turned[c] / mass - d[c] / r);
        let eccentricity = norm(apse);
        let cos = (1.0 - r / axis) / eccentricity;
        let sin = dot(d, v) / (eccentricity * (mass * axis).sqrt());
        let anomaly = sin.atan2(cos) - eccentricity * sin;
        let phase = (anomaly / std::f64::consts::TAU).rem_euclid(1.0);
        let normal = momentum.map(|x| x / norm(momentum));
        Self { axis, eccentricity, normal, apse: apse.map(|x| x / eccentricity), phase }
    }
}

fn pairs(n: usize, shares: &[f64]) -> (Snapshot, Snapshot) {
    let whole = plummer(n, 4).unwrap();
    let mut divided = whole.clone();
    orbits().divide(&mut divided, shares, 4).unwrap();
    (whole, divided)
}

#[test]
fn orbits_have_their_distributions() {
    let n = 10_000;
    let shares: Vec<f64> = (0..n).map(|k| (k % 10) as f64 / 10.0).collect();
    let (whole, divided) = pairs(n, &shares);
    let orbits: Vec<_> =
        divided.particles.as_chunks().0.iter().map(|[a, b]| Orbit::of(a, b)).collect();
    assert_eq!(orbits.len(), n);
    let of = |what: &str, of: fn(&Orbit) -> f64, cumulative: fn(f64) -> f64| {
        assert_distributed(what, orbits.iter().map(of), cumulative);
    };
    of("semi-major axes", |it| it.axis, |a| (a / LEAST).ln() / (MOST / LEAST).ln());
    of("eccentricities", |it| it.eccentricity, |e| e * e);
    of("phases", |it| it.phase, |phase| phase);
    of("normals, x", |it| it.normal[0], |x| 0.5 + 0.5 * x);
    of("normals, z", |it| it.normal[2], |x| 0.5 + 0.5 * x);
    of("apses, y", |it| it.apse[1], |x| 0.5 + 0.5 * x);
    of("apses, z", |it| it.apse[2], |x| 0.5 + 0.5 * x);
    // Large and small axes have the same eccentricities and phases.
    let wide = || orbits.iter().filter(|it| it.axis > 1e-3);
    assert_distributed("wide", wide().map(|it| it.eccentricity), |e| e * e);
    let eccentric = orbits.iter().filter(|it| it.eccentricity > 0.8);
    assert_distributed("phases of eccentric orbits", eccentric.map(|it| it.phase), |x| x);
    assert_eq!(whole.particles.len(), n);
}

#[test]
fn the_centre_of_mass_of_a_binary_is_the_particle() {
    let shares = [0.0, 0.5, 0.25, 1.0];
    let (whole, divided) = pairs(7, &shares);
    assert_centred(&divided);
    assert_eq!(divided.particles.len(), 11);
    assert_eq!(divided.particles[8..], whole.particles[4..]);
    for (k, share) in shares.into_iter().enumerate() {
        let [a, b] = [divided.particles[2 * k], divided.particles[2 * k + 1]];
        assert_eq!(b.mass, share * whole.particles[k].mass);
        for c in 0..3 {
            let of = |x: f64, y: f64| (1.0 - share) * x + share * y;
            let whole = whole.particles[k];
            assert!((a.mass + b.mass - whole.mass).abs() < 1e-16);
            assert!((of(a.pos[c], b.pos[c]) - whole.pos[c]).abs() < 1e-15);
            assert!((of(a.vel[c], b.vel[c]) - whole.vel[c]).abs() < 1e-13);
        }
    }
}

#[test]
fn a_seed_gives_the_same_orbits_on_every_platform() {
    let (_, divided) = pairs(20, &[0.5; 10]);
    let found = digest(&divided);
    assert_eq!(found, DIGEST, "{found:x}");
}

const DIGEST: u64 = 0x9a96_4bc9_7f77_8c81;

#[test]
fn impossible_orbits_are_refused() {
    let whole = plummer(3, 1).unwrap();
    for (least, most) in [
        (0.0, 1.0),
        (-1.0, 1.0),
        (1.0, 0.5),
        (f64::NAN, 1.0),
        (0.1, f64::NAN),
        (1.0, f64::INFINITY),
    ] {
        let mut divided = whole.clone();
        let refused = Binaries { least, most }.divide(&mut divided, &[0.5], 1);
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{least} {most}");
        assert_eq!(divided, whole);
    }
    let mut divided = whole.clone();
    let refused = orbits().divide(&mut divided, &[0.5; 4], 1);
    assert!(matches!(refused, Err(Error::TooFew { found: 3, expected: 4, .. })));
    for share in [-0.1, 1.1, f64::NAN] {
        let refused = orbits().divide(&mut divided, &[0.5, share], 1);
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{share}");
    }
    assert_eq!(divided, whole);
    let extreme = Binaries { least: f64::MIN_POSITIVE, most: f64::MAX };
    extreme.divide(&mut divided, &[0.5; 3], 1).unwrap();
    assert_eq!(divided.particles.len(), 6);
}
