//! Rows of columns.

use std::ops::Range;
use std::slice;

use nbody::law::Field;
use nbody::untyped::Rows;

use super::fields::{names, width};
use super::place::Place;
use crate::failure::Failure;

/// Records of columns. Every number of a record belongs to a column.
pub struct ColumnRows<'a> {
    /// The number of records.
    pub n: usize,
    /// The fields of a record.
    pub fields: &'static [Field],
    /// A column for each number.
    pub places: &'a [Place<'a>],
}

/// Refuses columns that leave out a field.
pub fn check_whole(fields: &'static [Field], places: &[Place]) -> Result<(), Failure> {
    let missing = |number: &usize| !places.iter().any(|place| place.numbers.contains(number));
    if (0..width(fields)).any(|number| missing(&number)) {
        let found: Vec<_> = places.iter().map(|place| format!("`{}`", place.name)).collect();
        let found = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
        return Err(Failure::argument(format!(
            "columns {found}, expected {}; give one for each field",
            names(fields)
        )));
    }
    Ok(())
}

impl Rows for ColumnRows<'_> {
    fn count(&self) -> usize {
        self.n
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        // The memory of the caller ends there.
        assert!(records.end <= self.n, "records {records:?} of {}", self.n);
        let width = width(self.fields).max(1);
        for place in self.places {
            for (record, row) in records.clone().zip(rows.chunks_exact_mut(width)) {
                for (component, word) in row[place.numbers.clone()].iter_mut().enumerate() {
                    *word = place.word(record, component);
                }
            }
        }
    }
}

/// Rows of one field of a particle, which has one column.
pub struct FieldRows<'a> {
    /// The number of records.
    pub n: usize,
    /// The column of the field.
    pub place: &'a Place<'a>,
}

impl Rows for FieldRows<'_> {
    fn count(&self) -> usize {
        self.n
    }

    fn fields(&self) -> &'static [Field] {
        slice::from_ref(self.place.field)
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        // The memory of the caller ends there.
        assert!(records.end <= self.n, "records {records:?} of {}", self.n);
        let width = self.place.numbers.len().max(1);
        for (record, row) in records.zip(rows.chunks_exact_mut(width)) {
            for (component, word) in row.iter_mut().enumerate() {
                *word = self.place.word(record, component);
            }
        }
    }
}

/// Replaces words of rows by records of columns.
pub fn replace(rows: &mut [u64], width: usize, places: &[Place]) {
    for (record, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
        for place in places {
            for (component, word) in row[place.numbers.clone()].iter_mut().enumerate() {
                *word = place.word(record, component);
            }
        }
    }
}
