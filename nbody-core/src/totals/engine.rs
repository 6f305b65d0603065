//! Engines of one result over all pairs.

use std::any::Any;
use std::fmt;

use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::memory::buffer::Buffer;
use crate::options::{Accumulation, Options};
use crate::pairs::sources::Sources;
use crate::totals::total::PairTotal;

/// The most that one pair may add to counts: far below a `u32`, in which blocks count.
const MOST_COUNTED: u32 = 1024;

/// Evaluates the sum of the results of all i-particles over all pairs.
pub trait PairTotals: Any + fmt::Debug + Send {
    /// Returns the law.
    fn law(&self) -> &'static Law;

    /// Returns the options; see [`options_of_totals`].
    fn options(&self) -> Options;

    /// Returns the parameters, one row.
    fn parameters(&self) -> &[u64];

    /// Sets the parameters, one row.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Sets the domain of the particles.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Returns the total over the pairs of all i-particles with these j-particles; with
    /// [`Sources::First`] as with [`Sources::Same`].
    fn total(&mut self, i: &dyn Buffer, j: Sources<'_, dyn Buffer>) -> Result<PairTotal, Error>;
}

/// Returns the options of totals: a total has too many terms for running sums of bags in the
/// precision of the pair, so that these are added up in `f64`, unless sums are compensated.
pub fn options_of_totals(options: Options) -> Options {
    match options.accumulation {
        Accumulation::Compensated => options,
        _ => options.accumulation(Accumulation::BlockedF64),
    }
}

/// Returns the most that one pair adds to counts; an error if it is not known, or too much for
/// blocks to count.
pub fn most_counted(law: &Law) -> Result<u32, Error> {
    let most = law.most_counted.filter(|most| *most <= MOST_COUNTED);
    most.ok_or(Error::UnboundedCounts { law: law.name, limit: MOST_COUNTED })
}
