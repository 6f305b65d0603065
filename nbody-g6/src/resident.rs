//! The j-particles on the device.

use nbody::prelude::*;
use nbody::{Error, Particles};

use crate::law::{Predict, Source, State};
use crate::sources::{Changes, Sources};

/// The first j-particles at their own times, and predicted to the time of the evaluation.
#[derive(Debug)]
pub struct Resident {
    predict: PerParticle<Predict>,
    states: Particles<State>,
    /// Whether the states are the particles of the host, apart from later changes.
    is_complete: bool,
    predicted: Particles<Source>,
    /// The time to which the states are predicted.
    time: Option<f64>,
    /// The identities of the particles.
    ids: Vec<u32>,
}

impl Resident {
    /// Creates memory without particles.
    pub fn new(device: &Device, precision: Precision) -> Result<Self, Error> {
        Ok(Self {
            predict: PerParticle::new(device, Predict { time: 0.0 })?,
            states: device.upload::<State>(&[], Precision::Double)?,
            is_complete: false,
            predicted: device.upload::<Source>(&[], precision)?,
            time: None,
            ids: Vec::new(),
        })
    }

    /// Returns the predicted particles.
    pub fn predicted(&self) -> &Particles<Source> {
        &self.predicted
    }

    /// Returns the identities of the particles.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Sends the changes of the first `nj` particles, and predicts these particles.
    pub fn bring(&mut self, from: &mut Sources, nj: usize, time: f64) -> Result<(), crate::Error> {
        from.check(nj)?;
        let n = self.states.len();
        let Changes { addresses, states } = from.changes();
        if self.is_complete && nj == n && addresses.iter().all(|&address| (address as usize) < n) {
            self.write(addresses, states)?;
        } else if self.is_complete && nj >= n {
            let replaced = addresses.iter().copied().filter(|&address| (address as usize) < n);
            let addresses: Vec<_> = replaced.chain(n as u32..nj as u32).collect();
            from.settle();
            let state = |&address: &u32| from.settled()[address as usize];
            self.write(&addresses, &addresses.iter().map(state).collect::<Vec<_>>())?;
        } else {
            from.settle();
            self.replace(&from.settled()[..nj])?;
        }
        self.predict(time)?;
        Ok(())
    }

    /// Sends all particles.
    fn replace(&mut self, states: &[State]) -> Result<(), Error> {
        self.is_complete = false;
        self.time = None;
        self.states.replace(states)?;
        self.ids.clear();
        self.ids.extend(states.iter().map(|state| state.id));
        self.is_complete = true;
        Ok(())
    }

    /// Sends the particles at these addresses.
    fn write(&mut self, addresses: &[u32], states: &[State]) -> Result<(), Error> {
        if addresses.is_empty() {
            return Ok(());
        }
        // After a failure the host no longer knows which particles the device has.
        self.is_complete = false;
        self.time = None;
        self.states.write_at(addresses, states)?;
        self.ids.resize(self.states.len(), 0);
        for (&address, state) in addresses.iter().zip(states) {
            self.ids[address as usize] = state.id;
        }
        self.is_complete = true;
        Ok(())
    }

    fn predict(&mut self, time: f64) -> Result<(), Error> {
        if self.time == Some(time) {
            return Ok(());
        }
        self.time = None;
        if self.predicted.len() != self.states.len() {
            self.predicted.untyped_mut().resize(self.states.len())?;
        }
        self.predict.set_parameters(Predict { time });
        self.predict.update(&mut self.predicted, &self.states)?;
        self.time = Some(time);
        Ok(())
    }
}
