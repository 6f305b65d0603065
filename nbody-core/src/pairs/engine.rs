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
use crate::ranks::shares::Shares;
use crate::state::EngineState;
use crate::state::check_state;

/// Exchanges rows of ranks after a part of an evaluation: see [`Engine::evaluate_shared`].
pub type Exchange<'a> =
    dyn FnMut(Result<(), Error>, &mut dyn Buffer, Shares) -> Result<(), Error> + 'a;

/// Evaluates the pairs of a law.
pub trait Engine: Any + fmt::Debug + Send + Sync {
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
    /// with the other ranks, which call this together. Sums have an order that follows from the
    /// numbers of all particles, so that results do not depend on the number of ranks, to the last
    /// bit.
    ///
    /// `exchange` is called after each part of the work, with its outcome. It refuses if any rank has
    /// failed, and otherwise replaces rows of the other ranks by the rows that they have; a share
    /// for one rank alone has no other rows.
    fn evaluate_shared(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        _rank: [usize; 2],
        exchange: &mut Exchange<'_>,
    ) -> Result<(), Error> {
        let done = self.evaluate(i, j, out, store);
        let shares = Shares::new(out.len(), 1);
        exchange(done, out, shares)
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
    /// depend.
    fn state(&self) -> Result<EngineState, Error> {
        Ok(EngineState::Nothing)
    }

    /// Takes the state of an engine of the same kind.
    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        check_state(state)
    }
}
