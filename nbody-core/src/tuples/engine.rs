//! Evaluates tuples of particles, on any device.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use crate::domain::Domain;
use crate::error::Error;
use crate::law::program::ParticleProgram;
use crate::memory::buffer::Buffer;
use crate::numeric::precision::Precision;
use crate::pairs::sources::Store;
use crate::records::rows::Rows;
use crate::tuples::list::TupleList;

/// Evaluates tuples of particles by one program.
///
/// Particles and results are bound to the records of the program by the names of their fields:
/// buffers may have more.
pub trait Tuples: Any + fmt::Debug + Send + Sync {
    /// Returns the program.
    fn program(&self) -> &'static ParticleProgram;

    /// Sets the parameters; nothing is compiled again.
    ///
    /// NaN is refused, also by every evaluation until other parameters are set.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Returns the domain of the particles.
    fn domain(&self) -> Domain;

    /// Sets the domain of the particles.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Replaces the tuples and their records, which are kept in `f64`: one for each tuple, or none
    /// if the program has none. If they are refused, the old ones stay.
    fn set(&mut self, list: TupleList, records: &dyn Rows) -> Result<(), Error>;

    /// Returns the number of tuples.
    fn len(&self) -> usize;

    /// Returns whether there are no tuples.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Allocates the results of `n` particles, set to the result without any tuple.
    fn results(&self, n: usize, precision: Precision) -> Result<Box<dyn Buffer>, Error>;

    /// Evaluates the tuples, and stores the sums of each particle. Fields of `out` that the program
    /// does not have stay.
    fn evaluate(
        &mut self,
        particles: &dyn Buffer,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error>;

    /// Measures the time of one evaluation on the device.
    fn time(
        &mut self,
        particles: &dyn Buffer,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<Duration, Error>;
}
