//! Errors of models and their files.

use std::fmt;

/// A model that cannot be sampled, or a file that cannot be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Too few particles for the model.
    #[error("{found} particles: {what} needs at least {expected}")]
    TooFew {
        /// The model.
        what: &'static str,
        /// Number of particles.
        found: usize,
        /// Smallest number of particles.
        expected: usize,
    },
    /// More particles than fit into memory.
    #[error("{found} particles: {what} of so many does not fit into memory, expected fewer")]
    TooMany {
        /// The model.
        what: &'static str,
        /// Number of particles.
        found: usize,
    },
    /// A list whose length is not the number of particles.
    #[error("{found} {what} for {expected} particles: expected one for each")]
    Count {
        /// Entries of the list.
        what: &'static str,
        /// Number of entries.
        found: usize,
        /// Number of particles.
        expected: usize,
    },
    /// A parameter of a model outside its range.
    #[error("{what} is {found}, expected a number from {low} to {high}")]
    OutOfRange {
        /// The parameter.
        what: &'static str,
        /// Its value.
        found: f64,
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
    },
    /// The energies do not allow the scaling to virial equilibrium, or to another virial ratio.
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
    /// Syntax error in a line of a file.
    #[error("line {line}: found {found}, expected {expected}")]
    Syntax {
        /// Line number, from 1.
        line: u64,
        /// Text in the file.
        found: String,
        /// The text that the format expects there.
        expected: String,
    },
    /// An HDF5 file that is damaged, or of another layout.
    #[error("{place}: found {found}, expected {expected}")]
    Layout {
        /// The group, attribute or table.
        place: String,
        /// Its content.
        found: String,
        /// The content that the layout demands there.
        expected: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action}: {source}")]
    Io {
        /// The failed action.
        action: &'static str,
        /// Cause of the failure.
        source: std::io::Error,
    },
}

/// Prints the message, since a `main` that returns an error prints its `Debug` form.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nbody_core::explain(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debug_form_of_an_error_is_its_message() {
        let error = Error::TooFew { what: "a Plummer sphere", found: 1, expected: 2 };
        assert_eq!(format!("{error:?}"), "1 particles: a Plummer sphere needs at least 2");
        let source = std::io::Error::other("the disk is full");
        let error = Error::Io { action: "write CSV", source };
        assert_eq!(format!("{error:?}"), "cannot write CSV: the disk is full");
    }
}
