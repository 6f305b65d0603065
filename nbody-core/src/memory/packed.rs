//! Particles in the words of a precision.

use std::ops::Range;

use crate::error::Error;
use crate::field::Field;
use crate::memory::columns::Columns;
use crate::numeric::mixed::Mixed;
use crate::numeric::precision::Precision;
use crate::records::pack;
use crate::records::rows::{OwnedRows, Rows};

/// Particles or parameters in the words of a precision, as structure of arrays.
#[derive(Clone, Debug)]
pub(crate) enum Packed {
    Bits32(Columns<u32>),
    Bits64(Columns<u64>),
}

impl Packed {
    pub fn pack(records: &dyn Rows, precision: Precision) -> Result<Self, Error> {
        Ok(match precision {
            Precision::Single => Self::Bits32(Columns::pack::<f32>(records)?),
            Precision::Double => Self::Bits64(Columns::pack::<f64>(records)?),
            Precision::Mixed => Self::Bits32(Columns::pack::<Mixed>(records)?),
        })
    }

    /// Packs parameters; if `widened`, mixed precision becomes `f64`.
    pub fn of_parameters(
        row: &OwnedRows,
        precision: Precision,
        widened: bool,
    ) -> Result<Self, Error> {
        Ok(match precision {
            Precision::Single => Self::Bits32(Columns::of_parameters::<f32>(row)?),
            Precision::Double => Self::Bits64(Columns::of_parameters::<f64>(row)?),
            Precision::Mixed if widened => {
                let fields = row.fields();
                let rounded = pack::convert::<Mixed>(fields, row.words());
                let mut words = vec![0; row.words().len()];
                pack::rows_of_records::<Mixed>(&rounded, fields, 0..1, &mut words);
                Self::Bits64(Columns::of_parameters::<f64>(&OwnedRows::new(fields, words)?)?)
            }
            Precision::Mixed => Self::Bits32(Columns::of_parameters::<Mixed>(row)?),
        })
    }

    /// Allocates `n` records of these fields.
    pub fn zeros(n: usize, fields: &[Field], precision: Precision) -> Result<Self, Error> {
        Ok(match precision {
            Precision::Single => Self::Bits32(Columns::zeros(n, pack::words::<f32>(fields))?),
            Precision::Double => Self::Bits64(Columns::zeros(n, pack::words::<f64>(fields))?),
            Precision::Mixed => Self::Bits32(Columns::zeros(n, pack::words::<Mixed>(fields))?),
        })
    }

    /// Adds records of the same type at the end.
    pub fn append(&mut self, records: &dyn Rows, precision: Precision) -> Result<(), Error> {
        match (self, precision) {
            (Self::Bits64(columns), _) => columns.append::<f64>(records),
            (Self::Bits32(columns), Precision::Mixed) => columns.append::<Mixed>(records),
            (Self::Bits32(columns), _) => columns.append::<f32>(records),
        }
    }

    /// Appends zeros up to this number of records, with memory for twice as many if it grows.
    pub fn extend(&mut self, n: usize) -> Result<(), Error> {
        match self {
            Self::Bits32(columns) => columns.extend(n),
            Self::Bits64(columns) => columns.extend(n),
        }
    }

    /// Appends copies of all records of the same type and precision, with memory for twice as many if
    /// it grows.
    pub fn extend_from(&mut self, others: &Self) -> Result<(), Error> {
        match (self, others) {
            (Self::Bits32(columns), Self::Bits32(others)) => columns.extend_from(others),
            (Self::Bits64(columns), Self::Bits64(others)) => columns.extend_from(others),
            _ => unreachable!("of one precision"),
        }
    }

    /// Copies the records with these indices, in memory of records that are no longer needed.
    pub fn gather(&self, indices: &[u32], spare: Option<Self>) -> Result<Self, Error> {
        Ok(match (self, spare) {
            (Self::Bits32(columns), Some(Self::Bits32(spare))) => {
                Self::Bits32(columns.gather(indices, Some(spare))?)
            }
            (Self::Bits64(columns), Some(Self::Bits64(spare))) => {
                Self::Bits64(columns.gather(indices, Some(spare))?)
            }
            (Self::Bits32(columns), _) => Self::Bits32(columns.gather(indices, None)?),
            (Self::Bits64(columns), _) => Self::Bits64(columns.gather(indices, None)?),
        })
    }

    /// Keeps the first `n` records.
    pub fn keep(&mut self, n: usize) {
        match self {
            Self::Bits32(columns) => columns.keep(n),
            Self::Bits64(columns) => columns.keep(n),
        }
    }

    /// Copies a range of records.
    pub fn part(&self, range: Range<usize>) -> Result<Self, Error> {
        Ok(match self {
            Self::Bits32(columns) => Self::Bits32(columns.part(range)?),
            Self::Bits64(columns) => Self::Bits64(columns.part(range)?),
        })
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bits32(columns) => columns.len(),
            Self::Bits64(columns) => columns.len(),
        }
    }

    /// Returns the same records in `f64`; 32-bit records must be of mixed precision.
    pub fn widened(&self, fields: &'static [Field]) -> Result<Self, Error> {
        match self {
            Self::Bits32(columns) => Ok(Self::Bits64(columns.widened(fields)?)),
            Self::Bits64(columns) => Ok(Self::Bits64(columns.clone())),
        }
    }
}
