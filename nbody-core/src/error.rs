//! What can go wrong without a GPU.

use std::fmt;

use crate::{Precision, SimdLevel};

/// An evaluation or a comparison that was refused. Nothing was computed.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two things that belong together differ in length.
    #[error("{what}: found {found}, expected {expected}; give one for each particle")]
    LengthMismatch {
        /// What has the wrong length.
        what: &'static str,
        /// The length that it has.
        found: usize,
        /// The length that it must have.
        expected: usize,
    },
    /// Particles or results of an engine of another precision.
    #[error(
        "{what} in {found} precision given to an engine in {expected} precision; make them with the \
         engine that uses them"
    )]
    PrecisionMismatch {
        /// Which of them.
        what: &'static str,
        /// Their precision.
        found: Precision,
        /// The precision that the engine has for them.
        expected: Precision,
    },
    /// More particles than can be numbered.
    #[error("{found} particles: at most {limit} can be numbered; upload fewer at a time")]
    TooManyParticles {
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Room for results that the machine does not have.
    #[error("out of memory: room for {n} results of {bytes} bytes; evaluate fewer at a time")]
    OutOfMemory {
        /// How many results.
        n: usize,
        /// The bytes of one.
        bytes: usize,
    },
    /// Records so large that no thread has the stack for them.
    #[error(
        "no threads with {bytes} bytes of stack, which such large records take; make them smaller"
    )]
    OutOfStack {
        /// The bytes that a thread needs.
        bytes: usize,
    },
    /// The name of no choice.
    #[error("`{found}`: expected {}", expected.join(", "))]
    UnknownName {
        /// The name that was given.
        found: String,
        /// The names there are.
        expected: &'static [&'static str],
    },
    /// Vector instructions that this machine does not have.
    #[error("{found}: this machine has {}", available.join(", "))]
    SimdUnavailable {
        /// The instructions that were asked for.
        found: SimdLevel,
        /// Those that there are.
        available: Vec<&'static str>,
    },
    /// A periodic box without room.
    #[error(
        "periodic box of length {found} along {axis}: lengths are positive, or infinite where the box is open"
    )]
    BoxLength {
        /// The direction: x, y or z.
        axis: &'static str,
        /// The length that was given.
        found: f64,
    },
    /// A periodic box that the precision of an engine cannot hold.
    #[error(
        "periodic box of length {found:e} along {axis}: in {precision} precision lengths are from \
         {:.2e} to {:.2e}, so that they and their inverses are numbers; choose other units or a \
         higher precision, or leave the direction open with an infinite length",
        precision.box_lengths().start(), precision.box_lengths().end()
    )]
    BoxPrecision {
        /// The direction: x, y or z.
        axis: &'static str,
        /// The length that was given.
        found: f64,
        /// The precision of the engine.
        precision: Precision,
    },
    /// A summation order that orders nothing.
    #[error("summation order of bags of {bag} in {splits} splits: both must be at least 1")]
    EmptySummationOrder {
        /// The bag that was asked for.
        bag: usize,
        /// The splits that were asked for.
        splits: usize,
    },
}

impl Error {
    /// Refuses a length other than the expected one.
    pub fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::LengthMismatch { what, found, expected }) }
    }
}

/// The message: what `fn main() -> Result<(), nbody::Error>` prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        explain(self, f)
    }
}

/// Writes the message of an error and its causes, but for those that the message tells: what people
/// read when a program ends with an error, in the place of its fields.
pub fn explain(error: &dyn std::error::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let reason = cause.to_string();
        if !text.contains(&reason) {
            text = format!("{text}\n  because: {reason}");
        }
        next = cause.source();
    }
    f.write_str(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_see_of_an_error_is_its_message() {
        let error = Error::EmptySummationOrder { bag: 0, splits: 2 };
        let message = "summation order of bags of 0 in 2 splits: both must be at least 1";
        assert_eq!(format!("{error:?}"), message);
        assert_eq!(format!("{error:#?}"), message);
        let error = Error::check_length("particles", 1, 2).unwrap_err();
        assert_eq!(format!("{error:?}"), error.to_string());
    }

    #[test]
    fn causes_are_told_once() {
        #[derive(thiserror::Error)]
        #[error("{message}")]
        struct Outer {
            message: &'static str,
            source: std::num::ParseIntError,
        }
        impl fmt::Debug for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                explain(self, f)
            }
        }
        let outer = |message| Outer { message, source: "x".parse::<u32>().unwrap_err() };
        let told = format!("{:?}", outer("no number"));
        assert_eq!(told, "no number\n  because: invalid digit found in string");
        let told = format!("{:?}", outer("no number: invalid digit found in string"));
        assert_eq!(told, "no number: invalid digit found in string");
    }
}
