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
use crate::ranks::exchange::{Part, Team};
use crate::state::EngineState;
use crate::state::check_state;

/// Evaluates the pairs of a law.
pub trait Engine: Any + fmt::Debug + Send + Sync {
    /// Returns the engine that this engine hands its work to; `None` if it does the work itself.
    fn inner(&self) -> Option<&dyn Engine> {
        None
    }

    /// Returns the engine that this engine hands its work to, for changes.
    fn inner_mut(&mut self) -> Option<&mut dyn Engine> {
        None
    }

    /// Returns the law.
    fn law(&self) -> &'static Law;

    /// Returns the options.
    fn options(&self) -> Options;

    /// Returns the parameters of the law, one row.
    fn parameters(&self) -> &[u64];

    /// Sets the parameters of the law; nothing is compiled again.
    ///
    /// NaN is refused, also by every evaluation until other parameters are set.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Sets the domain of the particles. A box that the precision cannot represent is an error,
    /// and the domain stays.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Compiles, at the same time, the programs for `n` particles that are i- and j-particles, and for
    /// the first ones of them as i-particles, so that evaluations compile nothing. An engine that
    /// knows its programs only from the particles, or has none, does nothing.
    fn prepare(&mut self, _n: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Allocates the results of `n` i-particles, set to the result without any pair.
    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error>;

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums.
    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error>;

    /// Evaluates as [`evaluate`](Self::evaluate) does, the share of this rank, and exchanges results
    /// with the other ranks, which call this together. Sums have an order that follows from all
    /// particles, so that results do not depend on the number of ranks, to the last bit. The ranks
    /// exchange after each part of the work, at least once.
    fn evaluate_shared(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        team: &mut Team<'_, '_>,
    ) -> Result<(), Error> {
        let done = self.evaluate(i, j, out, store);
        (team.exchange)(Part::whole(done, out))
    }

    /// Returns the length that error bounds of the results need
    /// ([`with_position_error`](crate::ErrorBounds::with_position_error)): 0 if the engine takes
    /// positions as they are, as most do. Lists know theirs after an evaluation.
    fn rounded_length(&self) -> Result<f64, Error> {
        self.inner().map_or(Ok(0.0), Engine::rounded_length)
    }

    /// Returns the number of pairs that the last evaluation computed, also with far particles, if the
    /// engine counts them: trees do. Others compute each pair.
    fn evaluated_pairs(&self) -> Result<Option<u64>, Error> {
        self.inner().map_or(Ok(None), Engine::evaluated_pairs)
    }

    /// Measures the time of one evaluation on the device.
    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error>;

    /// Waits until the last evaluation is known to be accepted or refused; returns its error if it
    /// was not yet reported.
    fn settle(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns whether results depend only on the particles and the parameters, and not on earlier
    /// evaluations.
    fn is_stateless(&self) -> bool {
        true
    }

    /// Returns the state left by earlier evaluations, on which the last bits of the next results
    /// depend. Over ranks, all of them call this together.
    fn state(&self) -> Result<EngineState, Error> {
        Ok(EngineState::Nothing)
    }

    /// Takes the state of an engine of the same kind.
    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        check_state(state)
    }
}
