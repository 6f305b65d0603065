//! The orbit on which two galaxies meet.

use nbody::models::{Particle, Snapshot};

/// A parabolic orbit of two masses in the plane z = 0, counterclockwise, with G = 1.
#[derive(Clone, Copy, Debug)]
pub struct Orbit {
    /// Initial distance, while the masses approach.
    pub separation: f64,
    /// Smallest distance for point masses.
    pub pericentre: f64,
}

impl Orbit {
    /// Returns position and velocity of the centres of two masses, with their common centre of
    /// mass at rest at the origin.
    pub fn centres(self, masses: [f64; 2]) -> [Centre; 2] {
        let mass = masses[0] + masses[1];
        let (r, q) = (self.separation, self.pericentre);
        // On a parabola the distance is r = 2q / (1 + cos ν), with the pericentre q at the angle ν
        // = 0; before the pericentre ν is negative.
        let cos = 2.0 * q / r - 1.0;
        let sin = -(1.0 - cos * cos).max(0.0).sqrt();
        // With energy 0, the pericentre q requires the angular momentum h = √(2 M q) per unit of
        // reduced mass. The velocity is then M/h (−sin ν, 1 + cos ν). Its square is 2 M/r, so that
        // the kinetic energy cancels the potential energy.
        let speed = (mass / (2.0 * q)).sqrt();
        let pos = [r * cos, r * sin, 0.0];
        let vel = [-speed * sin, speed * (1.0 + cos), 0.0];
        // The distance of each mass from the origin is proportional to the other mass.
        [-masses[1] / mass, masses[0] / mass]
            .map(|part| Centre { pos: pos.map(|x| part * x), vel: vel.map(|v| part * v) })
    }
}

/// Motion of the centre of a galaxy.
#[derive(Clone, Copy, Debug)]
pub struct Centre {
    pub pos: [f64; 3],
    pub vel: [f64; 3],
}

impl Centre {
    /// Moves a galaxy from rest at the origin to this position and velocity.
    pub fn carry(self, galaxy: &mut Snapshot) {
        for Particle { pos, vel, .. } in &mut galaxy.particles {
            for c in 0..3 {
                pos[c] += self.pos[c];
                vel[c] += self.vel[c];
            }
        }
    }
}

/// Rotates the positions and velocities of a galaxy about the x axis by an angle in degrees.
pub fn incline(galaxy: &mut Snapshot, degrees: f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let turn = |[x, y, z]: [f64; 3]| [x, cos * y - sin * z, sin * y + cos * z];
    for particle in &mut galaxy.particles {
        particle.pos = turn(particle.pos);
        particle.vel = turn(particle.vel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORBIT: Orbit = Orbit { separation: 20.0, pericentre: 4.0 };
    const MASSES: [f64; 2] = [1.5, 0.5];

    /// Returns the relative position and velocity of the centres.
    fn relative(orbit: Orbit) -> [[f64; 3]; 2] {
        let [a, b] = orbit.centres(MASSES);
        [[0, 1, 2].map(|c| b.pos[c] - a.pos[c]), [0, 1, 2].map(|c| b.vel[c] - a.vel[c])]
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_energy_is_zero_and_the_pericentre_as_given() {
        let [pos, vel] = relative(ORBIT);
        let (mass, distance) = (MASSES[0] + MASSES[1], dot(pos, pos).sqrt());
        assert!((distance - ORBIT.separation).abs() < 1e-12, "{distance}");
        let energy = 0.5 * dot(vel, vel) - mass / distance;
        assert!(energy.abs() < 1e-12, "{energy}");
        // For any orbit, the semi-latus rectum p and the eccentricity e give the pericentre p / (1
        // + e).
        let h = pos[0] * vel[1] - pos[1] * vel[0];
        let (p, e) = (h * h / mass, (1.0 + 2.0 * energy * h * h / (mass * mass)).sqrt());
        assert!(h > 0.0 && (p / (1.0 + e) - ORBIT.pericentre).abs() < 1e-12, "{p} {e}");
        assert!(dot(pos, vel) < 0.0, "they approach");
    }

    #[test]
    fn masses_that_begin_at_the_pericentre_move_across_the_line_between_them() {
        let [pos, vel] = relative(Orbit { separation: 4.0, ..ORBIT });
        assert!(pos[0] == 4.0 && dot(pos, vel).abs() < 1e-12, "{pos:?} {vel:?}");
        assert!((vel[1] - 1.0).abs() < 1e-12, "{vel:?}");
    }

    #[test]
    fn the_centre_of_mass_is_at_rest_at_the_origin() {
        let [a, b] = ORBIT.centres(MASSES);
        for c in 0..3 {
            assert!((MASSES[0] * a.pos[c] + MASSES[1] * b.pos[c]).abs() < 1e-12, "{a:?} {b:?}");
            assert!((MASSES[0] * a.vel[c] + MASSES[1] * b.vel[c]).abs() < 1e-12, "{a:?} {b:?}");
        }
    }

    #[test]
    fn an_inclined_galaxy_turns_with_its_velocities() {
        let star = Particle { mass: 1.0, pos: [1.0, 2.0, 0.0], vel: [-2.0, 1.0, 0.0] };
        let mut galaxy = Snapshot { time: 0.0, particles: vec![star] };
        incline(&mut galaxy, 90.0);
        let Particle { pos, vel, .. } = galaxy.particles[0];
        for (found, expected) in [(pos, [1.0, 0.0, 2.0]), (vel, [-2.0, 0.0, 1.0])] {
            assert!((0..3).all(|c| (found[c] - expected[c]).abs() < 1e-15), "{found:?}");
        }
    }
}
