//! Records as rows of 64-bit words.

use std::ops::Range;
use std::slice;

use crate::error::Error;
use crate::field::Field;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::scalar::Scalar;
use crate::records::record::{self, Record, dim};

/// Records of any type.
pub trait Rows: Sync {
    /// Returns the number of records.
    fn count(&self) -> usize;
    /// Returns the fields of a record.
    fn fields(&self) -> &'static [Field];
    /// Writes the numbers of some records row by row, as 64-bit words.
    fn write(&self, records: Range<usize>, rows: &mut [u64]);
}

impl<P> Rows for &[P]
where
    P: Record,
    P::Lane: Scalar,
{
    fn count(&self) -> usize {
        self.len()
    }

    fn fields(&self) -> &'static [Field] {
        // Engines rely on the layout of the host's records.
        const { assert!(record::has_layout_of_host::<P>(), "a wrong `unsafe impl Record`") }
        P::FIELDS
    }

    #[inline(never)]
    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        // The length of a row is known, so that the compiler drops the checks of the writer.
        let mut rest = rows;
        for record in &self[records] {
            let (row, others) = rest.split_at_mut(P::DIM);
            record.write(&mut RowWriter(row.iter_mut()));
            rest = others;
        }
    }
}

/// Records whose number and fields were read once: other code may answer differently each time.
#[derive(Clone, Copy)]
pub struct Once<'a> {
    rows: &'a dyn Rows,
    count: usize,
    fields: &'static [Field],
}

impl<'a> Once<'a> {
    /// Reads the number and the fields of records.
    pub fn of(rows: &'a dyn Rows) -> Self {
        Self { rows, count: rows.count(), fields: rows.fields() }
    }
}

impl Rows for Once<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        self.rows.write(records, rows);
    }
}

/// Records that own their words: rows of 64-bit words.
#[derive(Clone, Debug)]
pub struct OwnedRows {
    fields: &'static [Field],
    words: Vec<u64>,
}

impl OwnedRows {
    /// Creates records of these fields from words, row by row. Refuses words whose last row is not
    /// whole.
    pub fn new(fields: &'static [Field], words: Vec<u64>) -> Result<Self, Error> {
        let (found, record) = (words.len(), dim(fields));
        // Records without numbers have no words.
        let is_whole = found.checked_rem(record).map_or(found == 0, |rest| rest == 0);
        if is_whole { Ok(Self { fields, words }) } else { Err(Error::PartOfRow { found, record }) }
    }

    /// Returns the words, row by row.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl Rows for OwnedRows {
    fn count(&self) -> usize {
        // The words of a record without numbers are empty; they count as one record.
        self.words.len().checked_div(dim(self.fields)).unwrap_or(1)
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        let numbers = dim(self.fields);
        rows.copy_from_slice(&self.words[records.start * numbers..records.end * numbers]);
    }
}

/// A function that writes the numbers of a range of records row by row, as 64-bit words.
pub type WriteRows<'a> = dyn Fn(Range<usize>, &mut [u64]) + Sync + 'a;

/// Writer of rows of 64-bit words.
struct RowWriter<'a>(slice::IterMut<'a, u64>);

impl RowWriter<'_> {
    #[inline]
    fn put(&mut self, word: u64) {
        *self.0.next().expect("a word for each number") = word;
    }
}

impl<R: Scalar> Writer<R> for RowWriter<'_> {
    fn real(&mut self, value: R) {
        self.put(value.to_f64().to_bits());
    }
    fn index(&mut self, value: u32) {
        self.put(value.into());
    }
    fn coordinate(&mut self, value: R::Coordinate) {
        self.put(R::coordinate_to_f64(value).to_bits());
    }
}

/// Reader of rows of 64-bit words.
pub(crate) struct RowReader<'a>(pub slice::Iter<'a, u64>);

impl RowReader<'_> {
    #[inline]
    fn take(&mut self) -> u64 {
        *self.0.next().expect("a word for each number")
    }
}

impl<R: Scalar> Reader<R> for RowReader<'_> {
    fn real(&mut self) -> R {
        R::from_f64(f64::from_bits(self.take()))
    }
    fn index(&mut self) -> u32 {
        self.take() as u32
    }
    fn coordinate(&mut self) -> R::Coordinate {
        R::coordinate(f64::from_bits(self.take()))
    }
}
