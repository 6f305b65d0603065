//! Rows of a described record in the memory of a device.

use std::any::Any;
use std::fmt;
use std::ops::Range;

use crate::error::Error;
use crate::field::Field;
use crate::numeric::precision::Precision;
use crate::records::rows::{Rows, WriteRows};

/// Rows of a described record in the memory of a device: particles or results.
pub trait Buffer: Any + fmt::Debug + Send + Sync {
    /// Returns the fields of a row.
    fn fields(&self) -> &'static [Field];

    /// Returns the number of rows.
    fn len(&self) -> usize;

    /// Returns whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the name of the device, for messages.
    fn device(&self) -> String {
        "another device".to_owned()
    }

    /// Returns the precision.
    fn precision(&self) -> Precision;

    /// Reads rows, after all earlier work on the device; `take` receives a function that writes
    /// them.
    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error>;

    /// Reads one field of all rows; an error if there is no field of this name and type.
    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error>;

    /// Replaces one field of all particles or results by rows of this field alone, rounded to the
    /// precision of the buffer. Other fields keep their bits. The contents are unchanged if the rows are
    /// refused: another field, another number of rows.
    fn write_field(&mut self, rows: &dyn Rows) -> Result<(), Error>;

    /// Resizes; values are unspecified until an evaluation replaces them. A smaller number keeps
    /// the memory.
    fn resize(&mut self, n: usize) -> Result<(), Error>;

    /// Replaces all particles by these rows, whose number may be another. A smaller number keeps the
    /// memory. The particles are unchanged if the rows are refused.
    fn replace(&mut self, rows: &dyn Rows) -> Result<(), Error>;

    /// Replaces the particles at these addresses, one for each row. Addresses behind the end append
    /// particles: the buffer then has twice the memory if it needs more. The particles are
    /// unchanged if the rows are refused: an address that is given twice, an address behind the end
    /// without rows for all addresses before it, another record, another number of rows.
    fn write_at(&mut self, addresses: &[u32], rows: &dyn Rows) -> Result<(), Error>;

    /// Appends copies of all particles of another buffer of this device, record and precision, without
    /// the host: the buffer then has twice the memory if it needs more. The particles are unchanged if
    /// the others are refused.
    fn append(&mut self, others: &dyn Buffer) -> Result<(), Error>;

    /// Keeps the first `n` rows, at most all, with their values. The memory stays.
    fn keep(&mut self, n: usize) -> Result<(), Error>;

    /// Replaces all results by these rows, whose number may be another, rounded to the precision of
    /// the buffer. Refuses particles.
    fn write_results(&mut self, rows: &dyn Rows) -> Result<(), Error>;
}
