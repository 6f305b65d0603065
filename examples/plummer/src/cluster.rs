//! A cluster of stars in motion.

use nbody::models::{Particle, Snapshot};
use nbody::{AllPairs, Device, Options, Precision};
use nbody_integrate::{BlockHermite, Error, HermiteOptions, Integrator, Motion, Steps};
use nbody_interactions::hermite::Hermite;

/// Accuracy of the time steps: Aarseth's eta.
const ETA: f64 = 0.02;
/// Largest time step; smaller steps are this divided by powers of two.
pub const LARGEST: f64 = 0.125;

/// Stars that attract each other. Each star has its own time step.
pub struct Cluster {
    run: BlockHermite,
}

/// Integrals of motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Integrals {
    pub kinetic: f64,
    pub potential: f64,
    pub momentum: [f64; 3],
    pub angular_momentum: [f64; 3],
}

impl Cluster {
    /// Begins at time 0 with the stars of a snapshot and a softening length.
    pub fn new(device: &Device, snapshot: &Snapshot, eps: f64) -> Result<Self, Error> {
        let motion = |star: &Particle| Motion::new(star.pos, star.vel, star.mass);
        let motions: Vec<_> = snapshot.particles.iter().map(motion).collect();
        // Positions as pairs of f32, so that distances of close stars are exact; sums in f64.
        let options = Options::default().precision(Precision::Mixed);
        let engine = AllPairs::with_options(device, Hermite { eps2: eps * eps }, options)?;
        let steps = HermiteOptions::default().eta(ETA).largest(LARGEST);
        Ok(Self { run: BlockHermite::new(engine, &motions, steps)? })
    }

    /// Takes all block steps up to this time.
    pub fn advance_to(&mut self, time: f64) -> Result<(), Error> {
        self.run.advance_to(time)
    }

    /// Returns the number of block steps so far, and of the steps of single stars in them.
    pub fn steps(&self) -> Steps {
        self.run.steps()
    }

    /// Returns the stars at the time of the last block step, or at a later time before the next
    /// one.
    pub fn snapshot(&self, time: f64) -> Result<Snapshot, Error> {
        let star = |it: &Motion| Particle { mass: it.mass, pos: it.pos.0, vel: it.vel.0 };
        let particles = self.run.motions_at(time)?.iter().map(star).collect();
        Ok(Snapshot { time, particles })
    }

    /// Returns the integrals of motion at the time of the last block step.
    pub fn integrals(&mut self) -> Result<Integrals, Error> {
        let energies = self.run.energies()?;
        let (kinetic, potential) = (energies.kinetic, energies.potential);
        let mut integrals = Integrals { kinetic, potential, ..Integrals::default() };
        for Motion { pos, vel, mass } in self.run.motions()? {
            for c in 0..3 {
                let (a, b) = ((c + 1) % 3, (c + 2) % 3);
                integrals.momentum[c] += mass * vel.0[c];
                integrals.angular_momentum[c] += mass * (pos.0[a] * vel.0[b] - pos.0[b] * vel.0[a]);
            }
        }
        Ok(integrals)
    }

    /// Returns the time steps of the stars, largest first, each with its number of stars.
    pub fn step_counts(&self) -> Result<Vec<(f64, usize)>, Error> {
        let mut steps = self.run.time_steps()?;
        steps.sort_by(|a, b| b.total_cmp(a));
        Ok(steps.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect())
    }
}

impl Integrals {
    /// Returns the total energy.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Returns −2 T / W, which is 1 in virial equilibrium.
    pub fn virial_ratio(&self) -> f64 {
        -2.0 * self.kinetic / self.potential
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a circular binary of two stars of mass 1/2 at this distance, together with others.
    fn binary(distance: f64, eps: f64, others: &[Particle]) -> Cluster {
        let star = |sign: f64| Particle {
            mass: 0.5,
            pos: [0.5 * sign * distance, 0.0, 0.0],
            vel: [0.0, 0.5 * sign / distance.sqrt(), 0.0],
        };
        let particles = [&[star(1.0), star(-1.0)], others].concat();
        Cluster::new(&Device::cpu(), &Snapshot { time: 0.0, particles }, eps).unwrap()
    }

    #[test]
    fn a_circular_binary_keeps_its_integrals() {
        let mut binary = binary(1.0, 0.0, &[]);
        for _ in 0..2 {
            let found = binary.integrals().unwrap();
            assert!((found.energy() + 0.125).abs() < 1e-6, "{found:?}");
            assert!((found.virial_ratio() - 1.0).abs() < 1e-4, "{found:?}");
            let [x, y, z] = found.angular_momentum;
            assert!(x == 0.0 && y == 0.0 && (z - 0.25).abs() < 1e-6, "{found:?}");
            assert!(found.momentum.iter().all(|p| p.abs() < 1e-12), "{found:?}");
            binary.advance_to(1.0).unwrap();
        }
        let star = binary.snapshot(1.0).unwrap().particles[0];
        assert!((star.pos[0] - 0.5 * f64::cos(1.0)).abs() < 1e-4, "{star:?}");
    }

    #[test]
    fn potentials_are_softened() {
        let found = binary(1.0, 0.75, &[]).integrals().unwrap();
        assert!((found.potential + 0.2).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_close_binary_has_shorter_steps_than_a_far_star() {
        let far = Particle { mass: 1e-3, pos: [0.0, 100.0, 0.0], vel: [0.0; 3] };
        let mut triple = binary(0.1, 0.0, &[far]);
        triple.advance_to(0.5).unwrap();
        assert_eq!(triple.step_counts().unwrap(), [(0.125, 1), (1.0 / 256.0, 2)]);
        let Steps { steps, particle_steps } = triple.steps();
        assert!((128..192).contains(&steps), "{steps}");
        // The far star is active in few blocks.
        assert!((1..20).contains(&(particle_steps - 2 * steps)), "{steps} {particle_steps}");
    }
}
