//! The j-particles of an evaluation, and the way its sums are stored.

use crate::error::Error;

/// The j-particles of an evaluation.
#[derive(Debug)]
pub enum Sources<'a, J: ?Sized> {
    /// Particles of another set.
    Others(&'a J),
    /// The set of the i-particles: i-particle k is j-particle k. If I and J are one type, it may
    /// be the same buffer.
    Same(&'a J),
    /// As `Same`, for the first `out.len()` particles (block time steps).
    First(&'a J),
}

impl<J: ?Sized> Clone for Sources<'_, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<J: ?Sized> Copy for Sources<'_, J> {}

impl<'a, J: ?Sized> Sources<'a, J> {
    /// Returns the j-particles.
    pub fn particles(self) -> &'a J {
        match self {
            Self::Others(j) | Self::Same(j) | Self::First(j) => j,
        }
    }

    /// Returns whether i and j are one set.
    pub fn is_one_set(self) -> bool {
        matches!(self, Self::Same(_) | Self::First(_))
    }

    /// Refuses numbers of i-particles, j-particles and results that do not belong together.
    pub fn check(self, [i, j, results]: [usize; 3]) -> Result<(), Error> {
        if self.is_one_set() {
            Error::check_length("j-particles of one set", j, i)?;
        }
        Error::check_results(results, i, self.is_first())
    }

    /// Returns whether only the first particles of a set may have results.
    pub fn is_first(self) -> bool {
        matches!(self, Self::First(_))
    }

    /// Returns the same relation with these particles.
    pub fn with<T: ?Sized>(self, particles: &'a T) -> Sources<'a, T> {
        match self {
            Self::Others(_) => Sources::Others(particles),
            Self::Same(_) => Sources::Same(particles),
            Self::First(_) => Sources::First(particles),
        }
    }
}

/// The way in which an evaluation stores its sums in results that already hold values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// Replaces the values.
    #[default]
    Replace,
    /// Adds to the values.
    Add,
}
