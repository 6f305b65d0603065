//! The leapfrog scheme.

use nbody::{AllPairs, Interaction, Particles, PerParticle, Precision};

use crate::Error;
use crate::forces::Forces;
use crate::motion::Motion;
use crate::programs::{Drift, Energies};

/// The leapfrog scheme with a shared step, kick-drift-kick: velocity Verlet (Verlet 1967; Swope et al.
/// 1982). It is of second order, symplectic, and symmetric in time.
///
/// The state is kept in `f64` on the device of the engine, whatever its precision; forces are
/// evaluated in that.
#[derive(Debug)]
pub struct Leapfrog<X: Interaction> {
    forces: Forces<X>,
    motions: Particles<Motion>,
    drift: PerParticle<Drift>,
    begin: f64,
    step: f64,
    steps: u64,
}

impl<X: Interaction<J = <X as Interaction>::I>> Leapfrog<X> {
    /// Begins at this time with particles of one type in these motions, and evaluates their forces.
    pub fn new(
        engine: AllPairs<X>,
        particles: &[X::I],
        motions: &[Motion],
        begin: f64,
        step: f64,
    ) -> Result<Self, Error> {
        Self::with_sources(engine, particles, particles, motions, begin, step)
    }
}

impl<X: Interaction> Leapfrog<X> {
    /// Begins with particles given as i-particles and as j-particles in the same order.
    pub fn with_sources(
        engine: AllPairs<X>,
        i: &[X::I],
        j: &[X::J],
        motions: &[Motion],
        begin: f64,
        step: f64,
    ) -> Result<Self, Error> {
        check_step(step)?;
        let mut forces = Forces::new(engine, i, j, motions)?;
        let device = forces.engine().device().clone();
        let motions = device.upload(motions, Precision::Double)?;
        forces.evaluate(&motions)?;
        let drift = PerParticle::new(&device, Drift { dt: step })?;
        Ok(Self { forces, motions, drift, begin, step, steps: 0 })
    }

    /// Advances by one step.
    pub fn advance(&mut self) -> Result<(), Error> {
        let Self { forces, motions, drift, step, .. } = self;
        forces.kick(motions, 0.5 * *step)?;
        drift.update(motions, ())?;
        forces.evaluate(motions)?;
        forces.kick(motions, 0.5 * *step)?;
        self.steps += 1;
        Ok(())
    }

    /// Returns the time.
    pub fn time(&self) -> f64 {
        self.begin + self.steps as f64 * self.step
    }

    /// Returns the step.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Changes the step from now on; a negative one goes back in time.
    pub fn set_step(&mut self, step: f64) -> Result<(), Error> {
        check_step(step)?;
        (self.begin, self.steps, self.step) = (self.time(), 0, step);
        self.drift.set_parameters(Drift { dt: step });
        Ok(())
    }

    /// Returns the energies. The results of the interaction must have a field `pot: Real`: the
    /// potential per unit mass where they are accelerations (`acc`), an energy where they are forces
    /// (`force`).
    pub fn energies(&mut self) -> Result<Energies, Error> {
        self.forces.energies(&self.motions)
    }

    /// Returns the motions of all particles, from which another run continues to the last bit.
    pub fn motions(&self) -> Result<Vec<Motion>, Error> {
        Ok(self.motions.download()?)
    }
}

fn check_step(step: f64) -> Result<(), Error> {
    if step.is_finite() && step != 0.0 { Ok(()) } else { Err(Error::Step { step }) }
}
