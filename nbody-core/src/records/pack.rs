//! Conversion of records to and from the words of buffers.
//!
//! A record reads and writes its numbers as 64-bit words: the bits of an `f64`, which holds every
//! real exactly, or an integer. Only this is compiled for each record type; the conversion to
//! other precisions and layouts follows from the [`Field`]s.

use std::ops::Range;

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::numeric::scalar::Scalar;
use crate::parallel;
use crate::records::numbers::{Number, Wide, numbers};
use crate::records::record;
use crate::records::record::Record;
pub use crate::records::record::{dim, position};
use crate::records::rows::{Once, RowReader, Rows, WriteRows};

/// Fewer numbers than this are converted by a single thread.
const SERIAL: usize = 1 << 16;
/// Number of records that a thread converts at a time.
const CHUNK: usize = 1 << 12;
/// Number of records in a batch. The words of a batch stay in the cache while each column is
/// converted.
const BATCH: usize = 1 << 8;

/// Returns the number of words of a record in `S`: one for each number, and two for coordinates in
/// mixed precision.
pub const fn words<S: Scalar>(fields: &[Field]) -> usize {
    record::words(fields, S::COORDINATE_WORDS)
}

/// Returns the numbers of the records row by row, as 64-bit words.
pub fn rows(records: &dyn Rows) -> Vec<u64> {
    let records = &Once::of(records);
    let mut rows = vec![0; records.count() * record::dim(records.fields())];
    records.write(0..records.count(), &mut rows);
    rows
}

/// Returns the result without any pair, as 64-bit words.
pub fn nothing(fields: &[Field]) -> Vec<u64> {
    let mut words = Vec::new();
    for kind in fields.iter().map(|field| field.kind) {
        match kind {
            FieldKind::Min => words.push(f64::INFINITY.to_bits()),
            FieldKind::Max => words.push(f64::NEG_INFINITY.to_bits()),
            FieldKind::Nearest(n) => {
                words.resize(words.len() + n, f64::INFINITY.to_bits());
                words.resize(words.len() + n, u32::MAX.into());
            }
            FieldKind::ArgMin => words.extend([f64::INFINITY.to_bits(), u32::MAX.into()]),
            FieldKind::ArgMax => words.extend([f64::NEG_INFINITY.to_bits(), u32::MAX.into()]),
            _ => words.resize(words.len() + kind.components(), 0),
        }
    }
    words
}

/// Returns a record that was computed from NaN, as 64-bit words: NaN, and 2³² − 1 for integers.
pub fn spoilt(fields: &[Field]) -> Vec<u64> {
    numbers(fields).map(Number::spoilt).collect()
}

/// Returns whether a record was computed from NaN, as [`spoilt`] is.
pub fn is_spoilt(fields: &[Field], row: &[u64]) -> bool {
    let is_nan = |word: u64| f64::from_bits(word).is_nan();
    numbers(fields).zip(row).all(|(number, &word)| match number {
        Number::Index => word == number.spoilt(),
        Number::Real | Number::Coordinate => is_nan(word),
    })
}

/// Returns whether each number of a record is an integer.
pub fn are_integers(fields: &[Field]) -> impl Iterator<Item = bool> {
    numbers(fields).map(|number| number == Number::Index)
}

/// Converts rows of 64-bit words to rows of [`words`] in `S`, their reals rounded to nearest.
pub fn convert<S: Scalar>(fields: &[Field], rows: &[u64]) -> Vec<S::Word> {
    let row = words::<S>(fields);
    let mut words = vec![S::Word::default(); rows.len() / record::dim(fields).max(1) * row];
    round::<S>(fields, rows, &mut words);
    words
}

/// Writes the records row by row, their reals rounded to the nearest `S`, to the first of these
/// words. Refuses integers that need more than 32 bits.
///
/// # Panics
///
/// If there are fewer words than the records need.
pub fn pack_into<S: Scalar>(records: &dyn Rows, words: &mut [S::Word]) -> Result<(), Error> {
    let records = &Once::of(records);
    let fields = records.fields();
    let row = crate::records::pack::words::<S>(fields);
    let n = records.count();
    assert!(words.len() >= n * row, "{} words for {n} records of {row}", words.len());
    if row == 0 {
        return Ok(());
    }
    let words = &mut words[..n * row];
    let wide = Wide::new("particles");
    parallel::each_chunk(words, chunk(n, row) * row, &|first, words| {
        let first = first / row;
        let range = first..first + words.len() / row;
        // In double precision, the words of rows are the words of the buffer.
        if let Some(words) = as_rows::<S>(words) {
            records.write(range, words);
            return wide.look(fields, words, first);
        }
        in_batches(records, range, &mut |begin, rows| {
            let words = &mut words[(begin - first) * row..];
            if round::<S>(fields, rows, words) {
                wide.look(fields, rows, begin);
            }
        });
    });
    wide.check()
}

/// Returns `n` records, whose numbers `write` writes.
pub fn unpack<P>(n: usize, write: &WriteRows) -> Vec<P>
where
    P: Record,
    P::Lane: Scalar,
{
    let mut records = vec![P::default(); n];
    parallel::each_chunk(&mut records, chunk(n, P::DIM), &|first, records| {
        let range = first..first + records.len();
        batches_of(write, P::DIM, range, &mut |begin, rows| {
            let count = rows.len() / P::DIM.max(1);
            read(rows, &mut records[begin - first..][..count]);
        });
    });
    records
}

/// Returns the record of these 64-bit words.
///
/// # Panics
///
/// If there are fewer words than the record needs.
pub fn record<P>(row: &[u64]) -> P
where
    P: Record,
    P::Lane: Scalar,
{
    P::read(&mut RowReader(row.iter()))
}

/// Writes row by row the numbers of some of `n` records that are a structure of arrays: component
/// `c` of record `k` is `words[c * n + k]`.
///
/// # Panics
///
/// If there are fewer words than the records need, or rows of another length.
pub fn rows_of_columns<S: Scalar>(
    words: &[S::Word],
    n: usize,
    fields: &[Field],
    records: Range<usize>,
    rows: &mut [u64],
) {
    let dim = record::dim(fields);
    assert!(rows.len() == records.len() * dim, "{} words for rows of {dim}", rows.len());
    for (c, number) in numbers(fields).enumerate() {
        let pairs = words[c * n..][..n][records.clone()].iter().zip(rows.chunks_exact_mut(dim));
        match number {
            Number::Index => pairs.for_each(|(word, row)| row[c] = S::word_to_u32(*word).into()),
            Number::Real | Number::Coordinate => {
                pairs.for_each(|(word, row)| row[c] = S::from_word(*word).to_f64().to_bits());
            }
        }
    }
}

/// Writes row by row the numbers of some records that are an array of structs: record `k` begins
/// with `records[k * words]`, where `words` is the number that [`words`] returns for `S`.
///
/// # Panics
///
/// If there are fewer words than the records need, or rows of another length.
pub fn rows_of_records<S: Scalar>(
    records: &[S::Word],
    fields: &[Field],
    range: Range<usize>,
    rows: &mut [u64],
) {
    let (dim, words) = (record::dim(fields), words::<S>(fields));
    assert!(rows.len() == range.len() * dim, "{} words for rows of {dim}", rows.len());
    if dim == 0 {
        return;
    }
    let (records, mut first) = (&records[range.start * words..range.end * words], 0);
    for (c, number) in numbers(fields).enumerate() {
        let pairs = records.chunks_exact(words).zip(rows.chunks_exact_mut(dim));
        match number {
            Number::Index => {
                pairs.for_each(|(record, row)| row[c] = S::word_to_u32(record[first]).into());
            }
            Number::Real => pairs.for_each(|(record, row)| {
                row[c] = S::from_word(record[first]).to_f64().to_bits();
            }),
            Number::Coordinate => pairs.for_each(|(record, row)| {
                let mut words = record[first..].iter();
                let next = || *words.next().expect("a word for each part");
                row[c] = S::coordinate_to_f64(S::coordinate_from_words(next)).to_bits();
            }),
        }
        first += number.words::<S>();
    }
}

/// Returns the records in another scalar, their reals rounded to nearest.
pub fn cast<P, Q>(particles: &[P]) -> Vec<Q>
where
    P: Record,
    P::Lane: Scalar,
    Q: Record<Host = P::Host>,
    Q::Lane: Scalar,
{
    unpack(particles.len(), &|records, rows| particles.write(records, rows))
}

/// Returns the numbers of rows of these fields as reals.
pub(crate) fn reals(fields: &[Field], rows: &[u64]) -> impl Iterator<Item = f64> {
    rows.iter().zip(numbers(fields).cycle()).map(|(&word, number)| match number {
        Number::Index => word as f64,
        Number::Real | Number::Coordinate => f64::from_bits(word),
    })
}

/// Returns the number of records, of `n` with `numbers` numbers each, that a thread converts at a
/// time.
pub(crate) fn chunk(n: usize, numbers: usize) -> usize {
    if n * numbers < SERIAL { n } else { CHUNK }
}

/// Calls a function with the rows of each batch of a range of records, and the index of the
/// batch's first record.
pub(crate) fn in_batches(
    records: &dyn Rows,
    range: Range<usize>,
    take: &mut dyn FnMut(usize, &[u64]),
) {
    let dim = record::dim(records.fields());
    batches_of(&|batch, rows| records.write(batch, rows), dim, range, take);
}

/// Calls a function as [`in_batches`] does, with rows of `dim` numbers that another function
/// writes. Not generic, so that it is compiled only once.
fn batches_of(
    write: &WriteRows,
    dim: usize,
    range: Range<usize>,
    take: &mut dyn FnMut(usize, &[u64]),
) {
    let mut rows = vec![0; range.len().min(BATCH) * dim];
    for begin in range.clone().step_by(BATCH) {
        let batch = begin..range.end.min(begin + BATCH);
        let rows = &mut rows[..batch.len() * dim];
        write(batch, rows);
        take(begin, rows);
    }
}

/// Returns words as words of rows, if they have the same bits.
fn as_rows<S: Scalar>(words: &mut [S::Word]) -> Option<&mut [u64]> {
    let is_same = size_of::<S::Word>() == size_of::<u64>();
    is_same.then(|| bytemuck::cast_slice_mut(words))
}

/// Writes rows as words in `S`, their reals rounded to nearest. Returns whether an integer needs
/// more than 32 bits; its upper bits are dropped.
pub(crate) fn round<S: Scalar>(fields: &[Field], rows: &[u64], words: &mut [S::Word]) -> bool {
    let (dim, width) = (record::dim(fields), self::words::<S>(fields));
    let (mut first, mut bits) = (0, 0);
    for (c, number) in numbers(fields).enumerate() {
        // The lengths of the chunks let the compiler drop checks of indices.
        let pairs = rows.chunks_exact(dim).zip(words.chunks_exact_mut(width));
        match number {
            Number::Real => {
                for (row, words) in pairs {
                    words[first] = S::from_f64(f64::from_bits(row[c])).to_word();
                }
            }
            Number::Index => {
                for (row, words) in pairs {
                    bits |= row[c];
                    words[first] = S::word_from_u32(row[c] as u32);
                }
            }
            Number::Coordinate => {
                for (row, words) in pairs {
                    let mut words = words[first..].iter_mut();
                    S::coordinate_to_words(S::coordinate(f64::from_bits(row[c])), |word| {
                        *words.next().expect("a word for each part") = word;
                    });
                }
            }
        }
        first += number.words::<S>();
    }
    bits > u32::MAX.into()
}

/// Reads records from rows of their numbers.
#[inline(never)]
fn read<P>(rows: &[u64], records: &mut [P])
where
    P: Record,
    P::Lane: Scalar,
{
    // The length of a row is known, so that the compiler drops the checks of the reader.
    let mut rest = rows;
    for record in records {
        let (row, others) = rest.split_at(P::DIM);
        *record = P::read(&mut RowReader(row.iter()));
        rest = others;
    }
}

#[cfg(test)]
mod tests;
