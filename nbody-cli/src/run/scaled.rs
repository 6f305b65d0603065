//! A simulation in its own units, with an interface in the units of the files.

use nbody::Device;
use nbody::models::Snapshot;
use nbody_integrate::Energies;

use super::error::Error;
use super::settings::Settings;
use super::simulation::{Simulation, State};
use super::units::Units;

/// A simulation with its units. Times and energies are given in units of the files, energies in
/// the frame of the run.
pub struct Scaled {
    simulation: Simulation,
    pub units: Units,
}

impl Scaled {
    /// Begins with particles in the units of the simulation.
    pub fn new(
        device: &Device,
        settings: &Settings,
        units: Units,
        inner: &Snapshot,
    ) -> Result<Self, Error> {
        let simulation = Simulation::new(device, &settings.in_units(&units), inner);
        Ok(Self { simulation: simulation.map_err(|source| scaled(&units, source))?, units })
    }

    pub fn resume(
        device: &Device,
        settings: &Settings,
        units: Units,
        state: &State,
    ) -> Result<Self, Error> {
        let simulation = Simulation::resume(device, &settings.in_units(&units), state);
        Ok(Self { simulation: simulation.map_err(|source| scaled(&units, source))?, units })
    }

    /// Advances by one step, and returns the number of particles that it advanced.
    pub fn advance(&mut self) -> Result<u64, Error> {
        self.simulation.advance().map_err(|source| scaled(&self.units, source))
    }

    /// Returns the number of pairs of the last step, if it is less than all.
    pub fn evaluated_pairs(&self) -> Result<Option<u64>, Error> {
        self.simulation.evaluated_pairs().map_err(|source| scaled(&self.units, source))
    }

    pub fn wait(&mut self) -> Result<(), Error> {
        self.simulation.wait().map_err(|source| scaled(&self.units, source))
    }

    pub fn time(&self) -> f64 {
        self.simulation.time() * self.units.time()
    }

    /// Returns the length of the next step.
    pub fn step(&self) -> f64 {
        self.simulation.step() * self.units.time()
    }

    pub fn ends_by(&self, time: f64) -> bool {
        self.simulation.ends_by(time / self.units.time())
    }

    /// Returns the particles at a time within the next step, in the units of the simulation.
    pub fn inner(&self, time: f64) -> Result<Snapshot, Error> {
        let snapshot = self.simulation.snapshot(time / self.units.time());
        snapshot
            .map_err(|source| Error::Lost { time, source: Box::new(scaled(&self.units, source)) })
    }

    pub fn energies(&mut self) -> Result<Energies, Error> {
        let energies = self.simulation.energies().map_err(|source| scaled(&self.units, source))?;
        Ok(self.units.energies(energies))
    }

    pub fn state(&self) -> Result<State, Error> {
        self.simulation.state().map_err(|source| scaled(&self.units, source))
    }
}

/// Adds the units of its numbers to an error.
fn scaled(units: &Units, source: nbody_integrate::Error) -> Error {
    let units = if units.are_of_files() {
        String::new()
    } else {
        let (length, time) = (units.length(), units.time());
        format!("; lengths here are in units of {length:e}, times in units of {time:e}")
    };
    Error::Integration { source, units }
}
