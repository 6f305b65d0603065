//! What can go wrong with models and their files.

/// A model that cannot be made, or a file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
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
