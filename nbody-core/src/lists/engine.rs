//! Neighbour lists, and laws over them, on any device.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::lists::Skin;
use crate::lists::csr::Csr;
use crate::lists::cutoff::Cutoff;
use crate::lists::stats::NeighbourStats;
use crate::lists::subset::Subset;
use crate::memory::buffer::Buffer;
use crate::numeric::precision::Precision;
use crate::options::Options;
use crate::pairs::sources::Sources;
use crate::pairs::sources::Store;
use crate::state::ListState;

/// Evaluates the pairs of a law over neighbour lists.
pub trait ShortRange: Any + fmt::Debug + Send + Sync {
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

    /// Replaces the excluded pairs of this law.
    fn exclude(&mut self, pairs: &[[u32; 2]]);

    /// Allocates the results of `n` i-particles, set to the result without any pair.
    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error>;

    /// Updates lists for these cutoffs, before an evaluation of this law for so many results. An
    /// engine that compiles programs compiles the program of the evaluation meanwhile.
    fn update(
        &mut self,
        lists: &mut dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
        _results: usize,
    ) -> Result<(), Error> {
        lists.update(i, j, cutoffs)
    }

    /// Evaluates the pairs of lists, and stores the sums.
    fn evaluate(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error>;

    /// Measures the time of one evaluation on the device.
    fn time(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error>;
}

/// The origin of the pairs of lists.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Pairs are found within the cutoff plus the skin.
    Found(Skin),
    /// Pairs are given by the caller.
    Given(Csr),
}

impl From<Skin> for Origin {
    fn from(skin: Skin) -> Self {
        Self::Found(skin)
    }
}

impl From<Csr> for Origin {
    fn from(rows: Csr) -> Self {
        Self::Given(rows)
    }
}

impl Origin {
    /// Refuses an invalid skin or invalid rows.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Found(skin) => skin.check(),
            Self::Given(rows) => rows.check(),
        }
    }
}

/// Neighbour lists, which several laws can share.
pub trait Neighbours: Any + fmt::Debug + Send + Sync {
    /// Returns the domain of the particles.
    fn domain(&self) -> Domain;

    /// Sets the domain of the particles, before the next update.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Returns the precision of the particles.
    fn precision(&self) -> Precision;

    /// Makes the next update build lists for the first `n` i-particles, or for all. Others share a
    /// list with them, or have none, and evaluations refuse their results.
    fn list_first(&mut self, n: Option<usize>);

    /// Replaces the excluded pairs of all laws.
    fn exclude(&mut self, pairs: &[[u32; 2]]);

    /// Returns whether the lists are of all pairs within the cutoffs, among all particles: none is
    /// given or excluded. Where the box is too short for lists, all pairs can take their place.
    fn is_unrestricted(&self) -> bool {
        false
    }

    /// Sets that the particles of the next update are a subset, or all particles. Given and excluded
    /// pairs, also of laws, name particles by their numbers among all. Returns whether the subset has
    /// all j-particles that its i-particles have given pairs with.
    fn set_subset(&mut self, subset: Option<&Subset<'_>>) -> Result<bool, Error>;

    /// Checks whether the lists are still valid for these particles and cutoffs, and rebuilds them
    /// if not.
    fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error>;

    /// Checks the particles as an update does, but builds no lists. Returns whether the lists may be
    /// valid; evaluations before [`is_valid`](Self::is_valid) tells have no meaning unless they are.
    fn look(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<bool, Error>;

    /// Waits for the last look, and returns whether the lists are valid for its particles. Lists that
    /// are not valid are built by the next update.
    fn is_valid(&mut self) -> Result<bool, Error>;

    /// Makes the next update rebuild the lists.
    fn rebuild(&mut self);

    /// Returns the number of times that the lists were built.
    fn rebuilds(&mut self) -> Result<u64, Error>;

    /// Returns figures of the lists.
    fn stats(&mut self) -> Result<NeighbourStats, Error>;

    /// Starts or stops the measurement of the times of the parts of updates and evaluations.
    fn set_timed(&mut self, is_on: bool);

    /// Returns the length that error bounds of results over these lists need
    /// ([`with_position_error`](crate::ErrorBounds::with_position_error)); 0 if the lists are not
    /// built.
    fn rounded_length(&self) -> Result<f64, Error>;

    /// Returns the j-particles of each i-particle; `None` if the lists are not built.
    fn to_csr(&self) -> Result<Option<Csr>, Error>;

    /// Returns the positions for which the lists were built; `None` if they are not built.
    fn state(&self) -> Result<Option<ListState>, Error>;

    /// Makes the next update rebuild the lists from this state, and then check whether they are
    /// still valid.
    fn restore(&mut self, state: &ListState) -> Result<(), Error>;
}
