//! Particles and results in the memory of the CPU.

use std::any::Any;
use std::ops::Range;
use std::slice;

use super::columns::Columns;
use super::engine::{Particles, Results, check_count};
use super::evaluation::Packed;
use crate::law::binding::Binding;
use crate::pack::{self, WriteRows};
use crate::untyped::Buffer;
use crate::{Error, Field, Precision};

impl Results {
    /// Returns `n` results, each with the value without any pair.
    pub fn new(fields: &'static [Field], n: usize, precision: Precision) -> Result<Self, Error> {
        Ok(Self { columns: Columns::filled(n, &pack::nothing(fields))?, precision, fields })
    }
}

impl Buffer for Particles {
    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        Error::check_range(&rows, self.len())?;
        let binding = Binding::whole(self.fields);
        take(&|records, to| {
            let records = rows.start + records.start..rows.start + records.end;
            self.rows(&binding, records, to);
        });
        Ok(())
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let binding = Binding::new("download", slice::from_ref(field), self.fields)?;
        take(&|records, rows| self.rows(&binding, records, rows));
        Ok(())
    }

    fn resize(&mut self, n: usize) -> Result<(), Error> {
        check_count(n)?;
        self.packed = Packed::zeros(n, self.fields, self.precision)?;
        Ok(())
    }
}

impl Buffer for Results {
    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn len(&self) -> usize {
        self.columns.len()
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        Error::check_range(&rows, self.columns.len())?;
        take(&|records, to| {
            self.columns.rows(rows.start + records.start..rows.start + records.end, to);
        });
        Ok(())
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let binding = Binding::new("download", slice::from_ref(field), self.fields)?;
        let numbers = pack::dim(self.fields);
        take(&|records, rows| {
            let mut row = vec![0; numbers];
            let width = binding.places().len().max(1);
            for (record, to) in records.zip(rows.chunks_exact_mut(width)) {
                self.columns.rows(record..record + 1, &mut row);
                for (word, place) in to.iter_mut().zip(binding.places()) {
                    *word = row[place.component()];
                }
            }
        });
        Ok(())
    }

    fn resize(&mut self, n: usize) -> Result<(), Error> {
        self.columns = Columns::filled(n, &pack::nothing(self.fields))?;
        Ok(())
    }
}

/// Returns the particles if they belong to the CPU.
pub(super) fn particles<'a>(
    what: &'static str,
    buffer: &'a dyn Buffer,
) -> Result<&'a Particles, Error> {
    (buffer as &dyn Any).downcast_ref().ok_or_else(|| foreign(what))
}

/// Returns the particles for modification if they belong to the CPU.
pub(super) fn particles_mut<'a>(
    what: &'static str,
    buffer: &'a mut dyn Buffer,
) -> Result<&'a mut Particles, Error> {
    (buffer as &mut dyn Any).downcast_mut().ok_or_else(|| foreign(what))
}

/// Returns the particles if they belong to the CPU and have this record.
pub(super) fn records<'a>(
    what: &'static str,
    buffer: &'a dyn Buffer,
    fields: &'static [Field],
) -> Result<&'a Particles, Error> {
    Error::check_record(what, buffer.fields(), fields)?;
    particles(what, buffer)
}

/// Returns the results if they belong to the CPU and have this record.
pub(super) fn results<'a>(
    buffer: &'a mut dyn Buffer,
    fields: &'static [Field],
) -> Result<&'a mut Results, Error> {
    Error::check_record("results", buffer.fields(), fields)?;
    (buffer as &mut dyn Any).downcast_mut().ok_or_else(|| foreign("results"))
}

/// Returns the error for a buffer of another device.
pub(super) fn foreign(what: &'static str) -> Error {
    Error::ForeignBuffer { what, found: "another device".to_owned(), expected: "cpu".to_owned() }
}
