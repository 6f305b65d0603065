//! Particles at one time.

use rayon::prelude::*;

use crate::Error;

/// A point mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Particle {
    /// Mass.
    pub mass: f64,
    /// Position.
    pub pos: [f64; 3],
    /// Velocity.
    pub vel: [f64; 3],
}

/// Particles at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The time.
    pub time: f64,
    /// The particles.
    pub particles: Vec<Particle>,
}

impl Snapshot {
    /// Returns the total mass.
    pub fn mass(&self) -> f64 {
        self.particles.iter().map(|particle| particle.mass).sum()
    }

    /// Returns the kinetic energy.
    pub fn kinetic_energy(&self) -> f64 {
        self.particles.iter().map(|particle| 0.5 * particle.mass * square(particle.vel)).sum()
    }

    /// Returns the potential energy, for G = 1 and without softening, by direct summation in O(n²)
    /// time.
    pub fn potential_energy(&self) -> f64 {
        let terms: Vec<f64> =
            self.particles.par_iter().enumerate().map(|(k, a)| self.binding(k, a)).collect();
        terms.into_iter().sum()
    }

    /// Returns the potential energy of a particle in the field of the particles before it.
    fn binding(&self, k: usize, a: &Particle) -> f64 {
        let term = |b: &Particle| {
            let d = [0, 1, 2].map(|c| a.pos[c] - b.pos[c]);
            -a.mass * b.mass / square(d).sqrt()
        };
        self.particles[..k].iter().map(term).sum()
    }

    /// Returns the Lagrangian radii: the radii of spheres about the centre of mass that contain
    /// these fractions of the mass, which must ascend. Masses must not be negative.
    pub fn lagrangian_radii(&self, fractions: &[f64]) -> Vec<f64> {
        self.lagrangian_radii_about(self.mean(|particle| particle.pos), fractions)
    }

    /// Returns the radii of spheres about a point that contain these fractions of the mass, as
    /// [`lagrangian_radii`](Self::lagrangian_radii) does.
    pub fn lagrangian_radii_about(&self, centre: [f64; 3], fractions: &[f64]) -> Vec<f64> {
        let distance = |p: &Particle| square([0, 1, 2].map(|c| p.pos[c] - centre[c])).sqrt();
        let mut shells: Vec<_> = self.particles.iter().map(|p| (distance(p), p.mass)).collect();
        shells.par_sort_by(|a, b| a.0.total_cmp(&b.0));
        let mass = self.mass();
        let mut shells = shells.into_iter();
        let (mut radius, mut within) = (0.0, 0.0);
        let reach = |fraction: &f64| {
            while within < fraction * mass {
                let Some(shell) = shells.next() else { break };
                (radius, within) = (shell.0, within + shell.1);
            }
            radius
        };
        fractions.iter().map(reach).collect()
    }

    /// Returns the mean of a vector, weighted by mass.
    fn mean(&self, of: fn(&Particle) -> [f64; 3]) -> [f64; 3] {
        let mass = self.mass();
        let sum = |c: usize| self.particles.iter().map(|p| p.mass * of(p)[c]).sum::<f64>();
        [0, 1, 2].map(|c| sum(c) / mass)
    }

    /// Transforms to the frame in which the centre of mass is at rest at the origin.
    pub fn centre(&mut self) {
        let (pos, vel) = (self.mean(|p| p.pos), self.mean(|p| p.vel));
        for particle in &mut self.particles {
            for c in 0..3 {
                particle.pos[c] -= pos[c];
                particle.vel[c] -= vel[c];
            }
        }
    }

    /// Scales positions and velocities to a potential energy of -1/2 and a kinetic energy of
    /// 1/4: virial equilibrium at a total energy of -1/4. Takes O(n²) time.
    pub fn virialise(&mut self) -> Result<(), Error> {
        self.virialise_with(self.potential_energy())
    }

    /// Scales as [`virialise`](Self::virialise) does, with a known potential energy, such as from
    /// a tree.
    pub fn virialise_with(&mut self, potential: f64) -> Result<(), Error> {
        self.virialise_to(0.5, potential)
    }

    /// Scales positions to a potential energy of -1/2, so that the virial radius is 1, and
    /// velocities to a virial ratio: the kinetic energy in units of the modulus of the potential
    /// energy, at least 0. With 0.5 this is [`virialise_with`](Self::virialise_with), with 0 all
    /// particles are at rest. The argument `potential` is the potential energy before.
    pub fn virialise_to(&mut self, ratio: f64, potential: f64) -> Result<(), Error> {
        if !(ratio >= 0.0 && ratio.is_finite()) {
            let what = "the virial ratio";
            return Err(Error::OutOfRange { what, found: ratio, low: 0.0, high: f64::MAX });
        }
        let kinetic = self.kinetic_energy();
        let is_moving = kinetic > 0.0 && kinetic.is_finite() || ratio == 0.0;
        if !(is_moving && potential < 0.0 && potential.is_finite()) {
            return Err(Error::NotBound { kinetic, potential });
        }
        let length = potential / -0.5;
        let speed = if ratio > 0.0 { (0.5 * ratio / kinetic).sqrt() } else { 0.0 };
        for particle in &mut self.particles {
            particle.pos = particle.pos.map(|x| x * length);
            particle.vel = particle.vel.map(|v| v * speed);
        }
        Ok(())
    }
}

fn square(v: [f64; 3]) -> f64 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}
