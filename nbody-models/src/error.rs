//! What can go wrong with models and their files.

use std::fmt;

/// A model that cannot be made, or a file that cannot be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Too few particles for what is asked.
    #[error("{found} particles: {what} needs at least {expected}")]
    TooFew {
        /// What was asked for.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// The energies do not allow the scaling to virial equilibrium.
    #[error(
        "kinetic energy {kinetic:e} and potential energy {potential:e} cannot be scaled to virial \
         equilibrium: expected finite energies, the first above zero and the second below"
    )]
    NotBound {
        /// The kinetic energy.
        kinetic: f64,
        /// The potential energy.
        potential: f64,
    },
    /// A line of a file is not what belongs there.
    #[error("line {line}: found {found}, expected {expected}")]
    Syntax {
        /// The line, from 1.
        line: u64,
        /// What is there.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// The message: what a `main` that returns it prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nbody_core::explain(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_see_of_an_error_is_its_message() {
        let error = Error::TooFew { what: "a Plummer sphere", found: 1, expected: 2 };
        assert_eq!(format!("{error:?}"), "1 particles: a Plummer sphere needs at least 2");
        let source = std::io::Error::other("the disk is full");
        let error = Error::Io { action: "write CSV", source };
        assert_eq!(format!("{error:?}"), "cannot write CSV: the disk is full");
    }
}
