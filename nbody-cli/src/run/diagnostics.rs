//! The state of all particles in a few numbers.

use nbody::Vector;
use nbody::models::{Particle, Snapshot};
use serde::{Deserialize, Serialize};

use super::binaries::{Binary, hard_binaries};
use super::units::Units;
use crate::centre;

/// Measured quantities of particles, in the units of the files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    pub momentum: [f64; 3],
    /// About the centre of mass, in its frame.
    pub angular_momentum: [f64; 3],
    pub centre_of_mass: [f64; 3],
    pub density_centre: [f64; 3],
    /// The radius about the density centre that contains half of the mass.
    pub half_mass_radius: f64,
    pub binaries: Vec<Binary>,
}

impl Diagnostics {
    /// Measures particles, in the units of a run, at this time of the files.
    pub fn new(inner: &Snapshot, units: &Units, time: f64) -> Self {
        let (length, mass) = (units.length(), units.mass());
        let (speed, whole) = (units.velocity(), inner.mass() * mass);
        let (origin, drift) = units.origin(time);
        let place = |at: [f64; 3]| [0, 1, 2].map(|c| at[c] * length + origin[c]);
        let found = Self::within(inner);
        let binary = |it: &Binary| Binary {
            masses: it.masses.map(|it| it * mass),
            semi_major_axis: it.semi_major_axis * length,
            energy: it.energy * units.energy(),
            ..*it
        };
        Self {
            momentum: [0, 1, 2].map(|c| found.momentum[c] * mass * speed + whole * drift[c]),
            angular_momentum: found.angular_momentum.map(|l| l * mass * length * speed),
            centre_of_mass: place(found.centre_of_mass),
            density_centre: place(found.density_centre),
            half_mass_radius: found.half_mass_radius * length,
            binaries: found.binaries.iter().map(binary).collect(),
        }
    }

    /// Measures particles in units with G = 1.
    fn within(snapshot: &Snapshot) -> Self {
        let all = &snapshot.particles;
        let mass = snapshot.mass();
        let sum = |of: fn(&Particle) -> [f64; 3]| {
            [0, 1, 2].map(|c| all.iter().map(|it| it.mass * of(it)[c]).sum::<f64>())
        };
        let momentum = sum(|it| it.vel);
        let centre_of_mass = sum(|it| it.pos).map(|x| x / mass);
        let velocity = momentum.map(|p| p / mass);
        let (mut angular_momentum, mut kinetic) = (Vector([0.0; 3]), 0.0);
        for it in all {
            let v = Vector(it.vel) - Vector(velocity);
            angular_momentum += it.mass * (Vector(it.pos) - Vector(centre_of_mass)).cross(v);
            kinetic += 0.5 * it.mass * v.norm2();
        }
        let density_centre = centre::of_density(all);
        Self {
            momentum,
            angular_momentum: angular_momentum.0,
            centre_of_mass,
            density_centre,
            half_mass_radius: snapshot.lagrangian_radii_about(density_centre, &[0.5])[0],
            binaries: hard_binaries(snapshot, kinetic),
        }
    }

    /// Returns whether all numbers are finite.
    pub fn is_valid(&self) -> bool {
        let vectors =
            [self.momentum, self.angular_momentum, self.centre_of_mass, self.density_centre];
        let numbers = vectors.as_flattened().iter().chain([&self.half_mass_radius]);
        let of_binaries = self.binaries.iter().flat_map(Binary::numbers);
        numbers.copied().chain(of_binaries).all(f64::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use nbody::models::plummer;

    use super::*;

    #[test]
    fn a_moving_sphere_with_a_distant_body_has_its_centre_and_its_moments() {
        let mut snapshot = plummer(20_000, 1).unwrap();
        let still = Diagnostics::within(&snapshot);
        let (place, speed) = ([3.0, -2.0, 1.0], [0.5, 0.0, -1.0]);
        for it in &mut snapshot.particles {
            it.pos = [0, 1, 2].map(|c| it.pos[c] + place[c]);
            it.vel = [0, 1, 2].map(|c| it.vel[c] + speed[c]);
        }
        let moving = Diagnostics::within(&snapshot);
        let near = |a: [f64; 3], b: [f64; 3], error: f64| {
            assert!((Vector(a) - Vector(b)).norm() < error, "{a:?}, expected {b:?}");
        };
        near(moving.momentum, speed, 1e-12);
        near(moving.centre_of_mass, place, 1e-12);
        near(moving.angular_momentum, still.angular_momentum, 1e-12);
        near(moving.density_centre, place, 0.05);
        // The half-mass radius of a Plummer sphere is 0.7686 in N-body units.
        assert!((moving.half_mass_radius - 0.7686).abs() < 0.02, "{moving:?}");
        let far = Particle { mass: 0.1, pos: [1e4, 0.0, 0.0], vel: [0.0; 3] };
        snapshot.particles.push(far);
        let found = Diagnostics::within(&snapshot);
        assert!(found.centre_of_mass[0] > 900.0, "{found:?}");
        near(found.density_centre, place, 0.05);
        assert!(found.is_valid());
    }

    #[test]
    fn few_and_massless_particles_have_a_centre() {
        let at = |x: f64, mass: f64| Particle { mass, pos: [x, 0.0, 0.0], vel: [0.0, x, 0.0] };
        let snapshot =
            |particles: &[Particle]| Snapshot { time: 0.0, particles: particles.to_vec() };
        let found = Diagnostics::within(&snapshot(&[at(1.0, 3.0)]));
        assert_eq!((found.density_centre, found.half_mass_radius), ([1.0, 0.0, 0.0], 0.0));
        let mut many = vec![at(7.0, 0.0); 50];
        many.extend([at(1.0, 1.0), at(3.0, 1.0)]);
        let found = Diagnostics::within(&snapshot(&many));
        assert_eq!(found.centre_of_mass, [2.0, 0.0, 0.0]);
        assert_eq!(found.angular_momentum, [0.0, 0.0, 2.0]);
        assert!(found.is_valid(), "{found:?}");
    }
}
