//! Profiles of a cluster, and their scatter between spheres of random stars.

use nbody::models::{Error, Snapshot, plummer};

use crate::model::volume;

/// Number of random spheres.
const SPHERES: u64 = 32;
/// Largest number of stars in each sphere.
const MOST_STARS: usize = 1024;

/// Stars in spherical shells about the origin, as means over snapshots.
pub struct Shells {
    /// Radii of the shells: the first shell lies between the first two.
    edges: Vec<f64>,
    /// Mass in each shell, and mass times squared velocity.
    mass: Vec<f64>,
    square: Vec<f64>,
    snapshots: u32,
}

impl Shells {
    /// Creates empty shells between these ascending radii.
    pub fn new(edges: Vec<f64>) -> Self {
        let zeros = vec![0.0; edges.len().saturating_sub(1)];
        Self { edges, mass: zeros.clone(), square: zeros, snapshots: 0 }
    }

    /// Adds a snapshot.
    pub fn add(&mut self, snapshot: &Snapshot) {
        let square = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
        for star in &snapshot.particles {
            let radius = square(star.pos).sqrt();
            let outer = self.edges.partition_point(|edge| *edge <= radius);
            if (1..self.edges.len()).contains(&outer) {
                self.mass[outer - 1] += star.mass;
                self.square[outer - 1] += star.mass * square(star.vel);
            }
        }
        self.snapshots += 1;
    }

    /// Returns the same shells for a single snapshot.
    pub fn of_one(&self, snapshot: &Snapshot) -> Self {
        let mut shells = Self::new(self.edges.clone());
        shells.add(snapshot);
        shells
    }

    /// Returns the inner and outer radius of each shell.
    pub fn radii(&self) -> impl Iterator<Item = [f64; 2]> {
        self.edges.windows(2).map(|edges| [edges[0], edges[1]])
    }

    /// Returns the density of each shell.
    pub fn density(&self) -> Vec<f64> {
        let density = |([inner, outer], mass): ([f64; 2], &f64)| {
            mass / f64::from(self.snapshots) / volume(inner, outer)
        };
        self.radii().zip(&self.mass).map(density).collect()
    }

    /// Returns the velocity dispersion of each shell along one axis; NaN where there are no stars.
    pub fn dispersion(&self) -> Vec<f64> {
        let dispersion = |(square, mass): (&f64, &f64)| (square / mass / 3.0).sqrt();
        self.square.iter().zip(&self.mass).map(dispersion).collect()
    }
}

/// Samples a Plummer sphere in virial equilibrium. A seed always gives the same stars.
pub fn sphere(stars: usize, seed: u64) -> Result<Snapshot, Error> {
    let mut sphere = plummer(stars, seed)?;
    sphere.virialise()?;
    Ok(sphere)
}

/// Random spheres, for the scatter of measured values due to the choice of stars.
pub struct RandomSpheres {
    spheres: Vec<Snapshot>,
    /// Factor from the scatter of these spheres to the scatter of spheres with the wanted number
    /// of stars.
    factor: f64,
}

impl RandomSpheres {
    /// Samples spheres with this number of stars. If there are very many stars, samples fewer: the
    /// scatter falls with the square root of their number.
    pub fn new(stars: usize, seed: u64) -> Result<Self, Error> {
        let sampled = stars.min(MOST_STARS);
        let spheres = (0..SPHERES).map(|k| sphere(sampled, seed + k)).collect::<Result<_, _>>()?;
        Ok(Self { spheres, factor: (sampled as f64 / stars as f64).sqrt() })
    }

    /// Returns the standard deviation of each measured value.
    pub fn scatter(&self, figures: impl Fn(&Snapshot) -> Vec<f64>) -> Vec<f64> {
        let all: Vec<_> = self.spheres.iter().map(figures).collect();
        let of = |k: usize| standard_deviation(all.iter().map(|figures| figures[k]));
        (0..all[0].len()).map(|k| self.factor * of(k)).collect()
    }
}

fn standard_deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    (values.map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use nbody::models::Particle;

    use super::*;
    use crate::model;

    #[test]
    fn shells_have_the_mass_and_the_velocities_of_their_stars() {
        let star = |mass: f64, radius: f64, speed: f64| Particle {
            mass,
            pos: [0.0, -radius, 0.0],
            vel: [speed, 0.0, 0.0],
        };
        let particles = vec![star(1.0, 0.5, 9.0), star(2.0, 1.0, 3.0), star(4.0, 1.9, 0.0)];
        let mut shells = Shells::new(vec![1.0, 2.0, 3.0]);
        shells.add(&Snapshot { time: 0.0, particles });
        // A star outside all shells.
        shells.add(&Snapshot { time: 1.0, particles: vec![star(1.0, 3.0, 1.0)] });
        assert_eq!(shells.density(), [3.0 / volume(1.0, 2.0), 0.0]);
        let [first, second] = shells.dispersion()[..] else { panic!("two shells") };
        assert!((first - 1.0).abs() < 1e-12 && second.is_nan(), "{first} {second}");
        assert_eq!(shells.radii().collect::<Vec<_>>(), [[1.0, 2.0], [2.0, 3.0]]);
    }

    #[test]
    fn a_sphere_has_the_profiles_of_the_model() {
        let mut shells = Shells::new(vec![0.0, 0.5, 1.0, 2.0]);
        shells.add(&sphere(2000, 5).unwrap());
        let measured = shells.density().into_iter().zip(shells.dispersion());
        for ([inner, outer], (density, dispersion)) in shells.radii().zip(measured) {
            let expected = model::of_shell(inner, outer);
            assert!((density / expected[0] - 1.0).abs() < 0.1, "{inner}: {density} {expected:?}");
            assert!((dispersion / expected[1] - 1.0).abs() < 0.05, "{inner}: {dispersion}");
        }
    }

    #[test]
    fn the_scatter_falls_with_the_square_root_of_the_number_of_stars() {
        let of = |stars: usize| {
            let random = RandomSpheres::new(stars, 2).unwrap();
            random.scatter(|sphere| sphere.lagrangian_radii(&[0.5]))[0]
        };
        let (few, many, most) = (of(64), of(576), of(4 * MOST_STARS));
        assert!((2.0..4.5).contains(&(few / many)), "{few} {many}");
        assert!((of(MOST_STARS) / most - 2.0).abs() < 1e-12, "{most}");
        // Error of a median: √(1/4 N) over the density of radii there; it is less in virial
        // equilibrium.
        let expected = 0.5 / 0.722 / f64::sqrt(4.0 * MOST_STARS as f64);
        assert!((0.3..1.0).contains(&(most / expected)), "{most} {expected}");
    }

    #[test]
    fn the_standard_deviation_is_that_of_the_textbook() {
        let deviation = standard_deviation([1.0, 2.0, 3.0, 6.0].into_iter());
        assert!((deviation - f64::sqrt(14.0 / 3.0)).abs() < 1e-12, "{deviation}");
    }
}
