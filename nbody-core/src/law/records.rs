//! Refuses fields of tables that a declaration cannot have.

use std::ops::RangeInclusive;

use crate::error::Error;
use crate::field::{FieldKind, MOST_KNOTS, MOST_NEAREST};

/// The longest array, as in declarations.
const LONGEST: usize = 4096;

/// The numbers of knots of a spline.
const KNOTS: RangeInclusive<usize> = 2..=4096;
/// The record that may have splines.
const PARAMETERS: &str = "parameters";

/// The use of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Parameters and particles.
    Input,
    /// Results and totals.
    Output,
    /// Results that a program reads, or other particles.
    Either,
}

/// A refused part of a table: its name, its value and the expected one.
pub(super) struct Refusal {
    pub part: String,
    pub found: String,
    pub expected: String,
}

impl Refusal {
    pub fn new(part: impl Into<String>, found: impl Into<String>, expected: &str) -> Self {
        Self { part: part.into(), found: found.into(), expected: expected.to_owned() }
    }

    /// Returns the error of the table of this name.
    pub fn of(self, table: &str) -> Error {
        let Self { part, found, expected } = self;
        Error::LawTable { law: table.to_owned(), part, found, expected }
    }
}

/// Refuses fields whose types or names the record cannot have.
pub(super) fn check(
    record: &str,
    usage: Use,
    fields: &[(String, FieldKind)],
) -> Result<(), Refusal> {
    for (k, (name, kind)) in fields.iter().enumerate() {
        let part = format!("field {k} of {record}");
        let (is_known, expected) = match *kind {
            FieldKind::Point(_) if usage == Use::Output => (false, "a type of results"),
            FieldKind::Vector(n) | FieldKind::Point(n) => {
                ((1..=3).contains(&n), "one to three components")
            }
            FieldKind::Tensor(n) => ((1..=3).contains(&n), "one to three dimensions"),
            FieldKind::Array(n) => ((1..=LONGEST).contains(&n), "1 to 4096 numbers"),
            FieldKind::Nearest(n) if !(1..=MOST_NEAREST).contains(&n) => (false, "1 to 16 values"),
            FieldKind::Counts(n) if !(1..=LONGEST).contains(&n) => (false, "1 to 4096 numbers"),
            FieldKind::Spline(n) => {
                let is_parameter = record == PARAMETERS;
                let expected = if is_parameter { "2 to 4096 knots" } else { "a type of particles" };
                (is_parameter && KNOTS.contains(&n), expected)
            }
            FieldKind::Splines(..) if record != PARAMETERS => (false, "a type of particles"),
            FieldKind::Splines(n, knots) => (
                KNOTS.contains(&knots) && (1..=MOST_KNOTS / knots).contains(&n),
                "at least one spline, 2 to 4096 knots each, at most 262144 in all",
            ),
            FieldKind::Real => (true, ""),
            FieldKind::U32 => (usage != Use::Output, "a type of results"),
            FieldKind::Min
            | FieldKind::Max
            | FieldKind::ArgMin
            | FieldKind::ArgMax
            | FieldKind::Nearest(_)
            | FieldKind::Count
            | FieldKind::Counts(_) => (usage != Use::Input, "a type of particles"),
        };
        if !is_known {
            return Err(Refusal::new(part, format!("`{name}: {kind}`"), expected));
        }
        text(&part, name)?;
        if name.is_empty() || fields[..k].iter().any(|(other, _)| other == name) {
            return Err(Refusal::new(part, format!("named `{name}`"), "a name of its own"));
        }
    }
    Ok(())
}

/// Refuses a text that compilers would cut off.
pub(super) fn text(part: &str, text: &str) -> Result<(), Refusal> {
    match text.find('\0') {
        Some(at) => Err(Refusal::new(part, format!("a text with a NUL at byte {at}"), "none")),
        None => Ok(()),
    }
}
