//! Evaluates the pairs of a law, on any device.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::memory::buffer::Buffer;
use crate::options::Options;
use crate::pairs::sources::Sources;
use crate::pairs::sources::Store;
use crate::state::EngineState;
use crate::state::check_state;

/// Evaluates the pairs of a law.
pub trait Engine: Any + fmt::Debug + Send + Sync {
    /// Returns the law.
    fn law(&self) -> &'static Law;

    /// Returns the options.
    fn options(&self) -> Options;

    /// Returns the parameters of the law, one row.
    fn parameters(&self) -> &[u64];

    /// Sets the parameters of the law; nothing is compiled again.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Sets the domain of the particles. A box that the precision cannot represent is an error, and the domain stays.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Allocates the results of `n` i-particles, with the values of no pair.
    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error>;

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums.
    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error>;

    /// Measures the time of one evaluation on the device.
    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error>;

    /// Waits until it is known whether the last evaluation was refused, and returns its error if it was not yet known.
    fn settle(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns whether results depend on the particles and the parameters alone, and on no evaluation before.
    fn is_stateless(&self) -> bool {
        true
    }

    /// Returns the state that comes from evaluations before, and on which the next results depend in their last bits.
    fn state(&self) -> Result<EngineState, Error> {
        Ok(EngineState::Nothing)
    }

    /// Takes the state that an engine of the same kind had.
    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        check_state(state)
    }
}
