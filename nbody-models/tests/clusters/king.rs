//! King models compared with a direct integration of Poisson's equation, whose density is a
//! numerical integral over the distribution function.

use nbody_models::{Error, king};

use crate::{assert_centred, assert_dispersion, assert_distributed, digest, norm};

/// Returns the density and the velocity variance along an axis at a depth, for σ = 1.
fn moments(depth: f64) -> [f64; 2] {
    let parts = 100;
    let greatest = (2.0 * depth.max(0.0)).sqrt();
    let (mut density, mut square) = (0.0, 0.0);
    for k in 0..=parts {
        let v = greatest * f64::from(k) / f64::from(parts);
        let simpson = if k == 0 || k == parts { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
        let weight = simpson * v * v * ((depth - 0.5 * v * v).exp() - 1.0);
        (density, square) = (density + weight, square + weight * v * v / 3.0);
    }
    [density * greatest, square / density]
}

/// Radius, depth and mass in units of the core radius and σ.
struct Truth {
    points: Vec<[f64; 3]>,
    energy: f64,
}

impl Truth {
    /// Integrates by the midpoint method in steps of the radius, from the centre to the edge.
    fn new(w0: f64) -> Self {
        let central = moments(w0)[0];
        let slope = |r: f64, depth: f64, mass: f64| {
            let density = if depth > 0.0 { moments(depth)[0] / central } else { 0.0 };
            [-mass / (r * r), 9.0 * r * r * density]
        };
        let (mut r, mut depth, mut mass, mut energy) = (1e-3, w0 - 1.5e-6, 3e-9, 0.0);
        let mut points = vec![[r, depth, mass]];
        while depth > 0.0 {
            let h = 0.004 * r.max(0.1);
            let [dw, dm] = slope(r, depth, mass);
            let [dw, dm] = slope(r + 0.5 * h, depth + 0.5 * h * dw, mass + 0.5 * h * dm);
            energy -= h * dm * (mass + 0.5 * h * dm) / (r + 0.5 * h);
            (r, depth, mass) = (r + h, depth + h * dw, mass + h * dm);
            points.push([r, depth, mass]);
        }
        Self { points, energy }
    }

    fn mass(&self) -> f64 {
        self.points.last().unwrap()[2]
    }

    fn edge(&self) -> f64 {
        self.points.last().unwrap()[0]
    }

    /// Returns the length of standard units: the potential energy is -1/2 in these.
    fn length(&self) -> f64 {
        self.mass().powi(2) / (-2.0 * self.energy)
    }

    /// Interpolates depth and mass.
    fn at(&self, radius: f64) -> [f64; 2] {
        let next = self.points.partition_point(|p| p[0] < radius).clamp(1, self.points.len() - 1);
        let (a, b) = (self.points[next - 1], self.points[next]);
        let part = (radius - a[0]) / (b[0] - a[0]);
        [1, 2].map(|k| a[k] + part * (b[k] - a[k]))
    }
}

#[test]
fn profiles_and_dispersions_are_kings() {
    // Concentrations, the logarithms of edge over core radius, that are often tabulated; the last
    // model is beyond the tables.
    for (w0, concentration) in [(1.0, 0.296), (3.0, 0.672), (6.0, 1.255), (9.0, 2.120)] {
        let truth = Truth::new(w0);
        assert!((truth.edge().log10() - concentration).abs() < 3e-3, "{w0}: {}", truth.edge());
        let snapshot = king(20_000, w0, 1).unwrap();
        assert_centred(&snapshot);
        let length = truth.length();
        let radii: Vec<_> = snapshot.particles.iter().map(|p| norm(p.pos) * length).collect();
        let furthest = radii.iter().copied().fold(0.0, f64::max);
        assert!(furthest < 1.02 * truth.edge(), "{w0}: {furthest}, not {}", truth.edge());
        assert_distributed("radii", radii, |r| truth.at(r)[1] / truth.mass());
        let square = truth.mass() / length;
        assert_dispersion(&snapshot, 10, |r| moments(truth.at(r * length)[0])[1] / square);
    }
}

#[test]
fn energies_are_of_standard_units() {
    for w0 in [0.1, 6.0, 16.0] {
        let snapshot = king(4000, w0, 2).unwrap();
        let [kinetic, potential] = [snapshot.kinetic_energy(), snapshot.potential_energy()];
        assert!((kinetic - 0.25).abs() < 0.01, "{w0}: {kinetic}");
        assert!((potential + 0.5).abs() < 0.02, "{w0}: {potential}");
    }
}

#[test]
fn a_seed_gives_the_same_particles_on_every_platform() {
    assert_eq!(king(100, 6.0, 7).unwrap(), king(100, 6.0, 7).unwrap());
    assert_ne!(king(100, 6.0, 7).unwrap(), king(100, 6.0, 8).unwrap());
    let found = digest(&king(100, 6.0, 1).unwrap());
    assert_eq!(found, DIGEST, "{found:x}");
}

const DIGEST: u64 = 0x65e7_861c_575f_219a;

#[test]
fn impossible_models_are_refused() {
    assert!(matches!(king(0, 6.0, 1), Err(Error::TooFew { found: 0, expected: 1, .. })));
    for w0 in [0.0, -1.0, 0.09, 16.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(king(10, w0, 1), Err(Error::OutOfRange { .. })), "{w0}");
    }
    let message = king(usize::MAX, 6.0, 1).unwrap_err().to_string();
    assert!(message.contains("a King model of so many does not fit into memory"), "{message}");
    for n in 1..10 {
        assert_eq!(king(n, 0.1, 1).unwrap().particles.len(), n);
    }
}
