//! Copies of rows to columns.

use std::sync::{Mutex, PoisonError};

use nbody::law::Field;
use nbody::untyped::WriteRows;

use super::fields::width;
use super::place::Place;
use crate::failure::Failure;

/// The columns of a download.
pub struct Download<'a> {
    /// The number of records.
    pub n: usize,
    /// The fields of a record.
    pub fields: &'static [Field],
    /// The columns that are written.
    pub places: &'a [Place<'a>],
}

impl Download<'_> {
    /// Rows that are converted at a time, which stay in the cache.
    const BATCH: usize = 256;

    /// Returns the field, if the columns are one whole field.
    pub fn only_field(&self) -> Option<&'static Field> {
        match self.places {
            [place] if place.numbers.len() == place.field.kind.components() => Some(place.field),
            _ => None,
        }
    }

    /// Writes rows of the whole record, or of one field, to the columns; keeps the first failure.
    pub fn take(&self, is_field: bool, failure: &Mutex<Option<Failure>>, write: &WriteRows) {
        let width = if is_field {
            self.places.iter().map(|place| place.numbers.len()).sum()
        } else {
            width(self.fields)
        };
        let mut rows = vec![0; Self::BATCH.min(self.n) * width];
        for begin in (0..self.n).step_by(Self::BATCH) {
            let batch = begin..self.n.min(begin + Self::BATCH);
            let rows = &mut rows[..batch.len() * width];
            write(batch.clone(), rows);
            for place in self.places {
                let numbers = if is_field { 0..place.numbers.len() } else { place.numbers.clone() };
                for (record, row) in batch.clone().zip(rows.chunks_exact(width.max(1))) {
                    for (component, word) in row[numbers.clone()].iter().enumerate() {
                        if !place.put(record, component, *word) {
                            let mut known = failure.lock().unwrap_or_else(PoisonError::into_inner);
                            known.get_or_insert_with(|| {
                                let (name, kind) = (place.name, place.kind.name());
                                Failure::argument(format!(
                                    "column `{name}` of {kind}: {word} in record {record} does not fit; \
                                     use uint32_t or a wider type"
                                ))
                            });
                        }
                    }
                }
            }
        }
    }
}
