//! Plummer's model (1911) in standard units: G = 1, total mass 1, energy −1/4.

use std::f64::consts::PI;

/// Scale radius a.
pub const SCALE: f64 = 3.0 * PI / 16.0;

/// Returns the density at a radius.
pub fn density(r: f64) -> f64 {
    3.0 / (4.0 * PI * SCALE.powi(3)) * (1.0 + (r / SCALE).powi(2)).powf(-2.5)
}

/// Returns the velocity dispersion along one axis at a radius.
pub fn dispersion(r: f64) -> f64 {
    (1.0 / (6.0 * r.hypot(SCALE))).sqrt()
}

/// Returns the mass within a radius.
pub fn mass(r: f64) -> f64 {
    (r / r.hypot(SCALE)).powi(3)
}

/// Returns the radius of the sphere that contains this mass.
pub fn radius(mass: f64) -> f64 {
    SCALE / (mass.powf(-2.0 / 3.0) - 1.0).sqrt()
}

/// Returns the density of a shell, and the velocity dispersion of its stars.
pub fn of_shell(inner: f64, outer: f64) -> [f64; 2] {
    let mass = mass(outer) - mass(inner);
    [mass / volume(inner, outer), ((second_moment(outer) - second_moment(inner)) / mass).sqrt()]
}

/// Returns the integral of dispersion² over the mass within a radius.
fn second_moment(r: f64) -> f64 {
    let angle = (r / SCALE).atan();
    (angle / 8.0 - (4.0 * angle).sin() / 32.0) / (2.0 * SCALE)
}

/// Returns the volume of a shell.
pub fn volume(inner: f64, outer: f64) -> f64 {
    4.0 / 3.0 * PI * (outer.powi(3) - inner.powi(3))
}

/// Time in which a star crosses the cluster (Heggie & Mathieu 1986).
pub const CROSSING_TIME: f64 = 2.0 * std::f64::consts::SQRT_2;

/// Returns the half-mass relaxation time of this many stars (Spitzer 1987), in which encounters
/// change the energies of stars; with ln(0.11 N) by Giersz & Heggie (1994).
pub fn relaxation_time(stars: f64) -> f64 {
    0.138 * stars * radius(0.5).powf(1.5) / (0.11 * stars).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_those_of_standard_units() {
        // Sums over thin shells: the mass, the kinetic energy, and the half-mass radius.
        let step = 1e-3;
        let radii = (0..100_000).map(|k| (f64::from(k) + 0.5) * step);
        let (mut within, mut kinetic, mut half) = (0.0, 0.0, 0.0);
        for r in radii {
            let mass = 4.0 * PI * r * r * step * density(r);
            within += mass;
            kinetic += 1.5 * mass * dispersion(r).powi(2);
            half = if within < 0.5 { r } else { half };
        }
        assert!((within - mass(100.0)).abs() < 1e-6, "{within}");
        assert!((kinetic - 0.25).abs() < 1e-6, "{kinetic}");
        assert!((half - radius(0.5)).abs() < 2.0 * step && (half - 0.769).abs() < 2e-3, "{half}");
    }

    #[test]
    fn means_of_thin_shells_are_the_profiles() {
        for r in [0.01, 0.5, 3.0] {
            let [mean, speed] = of_shell(r, r + 1e-5);
            assert!((mean / density(r) - 1.0).abs() < 1e-3, "{r}: {mean}");
            assert!((speed / dispersion(r) - 1.0).abs() < 1e-3, "{r}: {speed}");
        }
        // 3/2 dispersion², averaged over all stars, is the kinetic energy.
        assert!((1.5 * of_shell(0.0, 1e9)[1].powi(2) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn a_radius_contains_its_mass() {
        for fraction in [0.01, 0.1, 0.5, 0.99] {
            assert!((mass(radius(fraction)) - fraction).abs() < 1e-12, "{fraction}");
        }
    }

    #[test]
    fn more_stars_take_longer_to_relax() {
        // Binney & Tremaine 2008, equation 7.108: 0.17 N / ln(0.1 N) √(r³ / G M).
        let estimate = |n: f64| 0.17 * n * radius(0.5).powf(1.5) / (0.1 * n).ln();
        for n in [1e3, 1e5] {
            let ratio = relaxation_time(n) / estimate(n);
            assert!((0.7..0.9).contains(&ratio), "{ratio}");
        }
    }
}
