//! The types of the numbers of a record.

use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::numeric::scalar::Scalar;
use crate::records::record::dim;

/// The type of a number of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Real,
    Index,
    Coordinate,
}

impl Number {
    /// Returns the number of words it takes in `S`.
    pub const fn words<S: Scalar>(self) -> usize {
        match self {
            Self::Coordinate => S::COORDINATE_WORDS,
            Self::Real | Self::Index => 1,
        }
    }

    /// Returns the number that stands for one computed from NaN: NaN, or the greatest integer.
    pub const fn spoilt(self) -> u64 {
        match self {
            Self::Real | Self::Coordinate => f64::NAN.to_bits(),
            Self::Index => u32::MAX as u64,
        }
    }
}

/// Returns the types of the numbers of a record.
pub(crate) fn numbers(fields: &[Field]) -> impl Iterator<Item = Number> + Clone {
    numbers_of_kinds(fields.iter().map(|field| field.kind))
}

/// Returns the types of the numbers of fields of these types.
pub(crate) fn numbers_of_kinds(
    kinds: impl Iterator<Item = FieldKind> + Clone,
) -> impl Iterator<Item = Number> + Clone {
    let each = |kind: FieldKind| {
        (0..kind.components()).map(move |c| match kind {
            FieldKind::U32 | FieldKind::Count | FieldKind::Counts(_) => Number::Index,
            kind if kind.is_index(c) => Number::Index,
            FieldKind::Point(_) => Number::Coordinate,
            _ => Number::Real,
        })
    };
    kinds.flat_map(each)
}

/// Returns the axis of each number of a record that is a coordinate, and `None` for others.
pub fn axes(fields: &[Field]) -> impl Iterator<Item = Option<usize>> + Clone {
    let each = |field: &Field| {
        let kind = field.kind;
        (0..kind.components()).map(move |k| matches!(kind, FieldKind::Point(_)).then_some(k % 3))
    };
    fields.iter().flat_map(each)
}

/// Returns for each number of a record the component of a vector along its axis, 0 for all but
/// coordinates.
pub fn along_axes(fields: &[Field], vector: [f64; 3]) -> impl Iterator<Item = f64> + Clone {
    axes(fields).map(move |axis| axis.map_or(0.0, |axis| vector[axis]))
}

/// The first integer among records that needs more than 32 bits.
pub(crate) struct Wide {
    what: &'static str,
    first: Mutex<Option<(usize, Field, u64)>>,
}

impl Wide {
    /// Returns none, among these records.
    pub fn new(what: &'static str) -> Self {
        Self { what, first: Mutex::new(None) }
    }

    /// Looks at rows; `first` is the index of the first record.
    pub fn look(&self, fields: &[Field], rows: &[u64], first: usize) {
        let each =
            || fields.iter().flat_map(|field| (0..field.kind.components()).map(move |_| field));
        let numbers = each().zip(numbers(fields)).enumerate();
        for (c, (field, _)) in numbers.filter(|(_, (_, number))| *number == Number::Index) {
            let column = rows.chunks_exact(dim(fields)).map(|row| row[c]);
            let wide = column.enumerate().find(|(_, word)| *word > u32::MAX.into());
            let Some((k, word)) = wide else { continue };
            let mut known = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            if known.is_none_or(|(index, ..)| first + k < index) {
                *known = Some((first + k, *field, word));
            }
        }
    }

    /// Refuses the integer, if there is one.
    pub fn check(self) -> Result<(), Error> {
        let first = self.first.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some((index, field, found)) = first else { return Ok(()) };
        Err(Error::WideInteger { what: self.what, index, field, found })
    }
}
