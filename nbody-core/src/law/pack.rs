//! Records as words: the layouts of buffers.
//!
//! A record gives and takes its numbers as words of `f64`, which holds each of them exactly: one for
//! a number, the bits of a real or an integer. That alone is compiled for each record; what the words
//! are in other precisions and other layouts, its [`Field`]s say.

use std::ops::Range;
use std::slice;

use super::record;
pub use super::record::dim;
use crate::{Field, FieldKind, Reader, Record, Scalar, Writer, parallel};

/// Numbers that one thread converts faster than it wakes others.
const SERIAL: usize = 1 << 16;
/// Records that a thread converts at a time.
const CHUNK: usize = 1 << 12;
/// Records whose numbers are near enough to be gone through several times.
const NEAR: usize = 1 << 8;

/// Records of any type.
pub trait Rows: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// What each of them is made of.
    fn fields(&self) -> &'static [Field];
    /// Writes the numbers of some records, one behind another, as words of `f64`.
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
        // What an engine takes for the host's records must be as long.
        const { assert!(record::is_laid_out_as_its_host::<P>(), "a wrong `unsafe impl Record`") }
        P::FIELDS
    }

    #[inline(never)]
    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        let mut cells = Cells(rows.iter_mut());
        for record in &self[records] {
            record.write(&mut cells);
        }
    }
}

/// Writes the numbers of the records of a range, one behind another, as words of `f64`.
pub type WriteRows<'a> = dyn Fn(Range<usize>, &mut [u64]) + Sync + 'a;

/// The words of a record in `S`: one for each number, and more for coordinates in mixed precision.
pub const fn words<S: Scalar>(fields: &[Field]) -> usize {
    record::words(fields, S::COORDINATE_WORDS)
}

/// The numbers of the records, one behind another, as words of `f64`.
pub fn rows(records: &dyn Rows) -> Vec<u64> {
    let mut rows = vec![0; records.count() * record::dim(records.fields())];
    records.write(0..records.count(), &mut rows);
    rows
}

/// What no pair gives, as words of `f64`.
pub fn nothing(fields: &[Field]) -> Vec<u64> {
    let mut words = Vec::new();
    for kind in fields.iter().map(|field| field.kind) {
        match kind {
            FieldKind::Min => words.push(f64::INFINITY.to_bits()),
            FieldKind::Max => words.push(f64::NEG_INFINITY.to_bits()),
            FieldKind::ArgMin => words.extend([f64::INFINITY.to_bits(), u32::MAX.into()]),
            _ => words.resize(words.len() + kind.components(), 0),
        }
    }
    words
}

/// The records row by row, [`words`] each, their reals rounded to the nearest `S`.
pub fn convert<S: Scalar>(fields: &[Field], rows: &[u64]) -> Vec<S::Word> {
    let row = words::<S>(fields);
    let mut words = vec![S::Word::default(); rows.len() / record::dim(fields).max(1) * row];
    each_word::<S>(fields, rows, |k, c, word| words[k * row + c] = word);
    words
}

/// The records row by row, their reals rounded to the nearest `S`, in the first of these words. What
/// finds no room is left out.
pub fn pack_into<S: Scalar>(records: &dyn Rows, words: &mut [S::Word]) {
    let fields = records.fields();
    let row = self::words::<S>(fields).max(1);
    let n = records.count().min(words.len() / row);
    let words = &mut words[..n * row];
    parallel::each_chunk(words, chunk(n, row) * row, &|first, words| {
        let first = first / row;
        near(records, first..first + words.len() / row, &mut |begin, rows| {
            let words = &mut words[(begin - first) * row..];
            each_word::<S>(fields, rows, |k, c, word| words[k * row + c] = word);
        });
    });
}

/// So many records, whose numbers a function writes.
pub fn unpack<P>(n: usize, write: &WriteRows) -> Vec<P>
where
    P: Record,
    P::Lane: Scalar,
{
    let mut records = vec![P::default(); n];
    parallel::each_chunk(&mut records, chunk(n, P::DIM), &|first, records| {
        read(&written(write, first..first + records.len(), P::DIM), records);
    });
    records
}

/// Writes the numbers of some of `n` records that lie as structure of arrays: component `c` of record
/// `k` is `words[c * n + k]`. What is missing reads as zero.
pub fn rows_of_columns<S: Scalar>(
    words: &[S::Word],
    n: usize,
    fields: &[Field],
    records: Range<usize>,
    rows: &mut [u64],
) {
    let dim = record::dim(fields);
    for (c, number) in numbers(fields).enumerate() {
        let column = words.get(c * n + records.start..).unwrap_or_default();
        for (word, row) in column.iter().zip(rows.chunks_exact_mut(dim)) {
            row[c] = match number {
                Number::Index => S::word_to_u32(*word).into(),
                Number::Real | Number::Coordinate => S::from_word(*word).to_f64().to_bits(),
            };
        }
    }
}

/// The same records in another scalar, their reals rounded to nearest.
pub fn cast<P, Q>(particles: &[P]) -> Vec<Q>
where
    P: Record,
    P::Lane: Scalar,
    Q: Record<Host = P::Host>,
    Q::Lane: Scalar,
{
    unpack(particles.len(), &|records, rows| particles.write(records, rows))
}

/// The reals of the records, and their integers as reals, row by row.
pub(crate) fn flatten<P>(records: &[P]) -> Vec<f64>
where
    P: Record,
    P::Lane: Scalar,
{
    let kinds = numbers(P::FIELDS).cycle();
    let number = |(word, number)| match number {
        Number::Index => word as f64,
        Number::Real | Number::Coordinate => f64::from_bits(word),
    };
    rows(&records).into_iter().zip(kinds).map(number).collect()
}

/// How many records of so many numbers a thread converts at a time.
pub(crate) fn chunk(n: usize, numbers: usize) -> usize {
    if n * numbers < SERIAL { n } else { CHUNK }
}

/// Gives the numbers of some records to a function, those of a few at a time, with the first's number.
pub(crate) fn near(records: &dyn Rows, range: Range<usize>, take: &mut dyn FnMut(usize, &[u64])) {
    let dim = record::dim(records.fields());
    let mut rows = vec![0; range.len().min(NEAR) * dim];
    for begin in range.clone().step_by(NEAR) {
        let few = begin..range.end.min(begin + NEAR);
        let rows = &mut rows[..few.len() * dim];
        records.write(few, rows);
        take(begin, rows);
    }
}

/// What a number of a record is.
#[derive(Clone, Copy)]
enum Number {
    Real,
    Index,
    Coordinate,
}

/// What the numbers of a record are.
fn numbers(fields: &[Field]) -> impl Iterator<Item = Number> + Clone {
    let each = |field: &Field| {
        let kind = field.kind;
        (0..kind.components()).map(move |c| match kind {
            FieldKind::U32 | FieldKind::Count => Number::Index,
            FieldKind::ArgMin if c == 1 => Number::Index,
            FieldKind::Point(_) => Number::Coordinate,
            _ => Number::Real,
        })
    };
    fields.iter().flat_map(each)
}

/// Gives each word in `S` of some records to a function, with the numbers of its record and of the
/// word in it: number by number, so that nothing is decided for each of them.
#[inline(always)]
pub(crate) fn each_word<S: Scalar>(
    fields: &[Field],
    rows: &[u64],
    mut put: impl FnMut(usize, usize, S::Word),
) {
    let (dim, mut first) = (record::dim(fields), 0);
    for (c, number) in numbers(fields).enumerate() {
        let column = rows.chunks_exact(dim).map(|row| row[c]).enumerate();
        match number {
            Number::Real => {
                for (k, word) in column {
                    put(k, first, S::from_f64(f64::from_bits(word)).to_word());
                }
            }
            Number::Index => {
                for (k, word) in column {
                    put(k, first, S::word_from_u32(word as u32));
                }
            }
            Number::Coordinate => {
                for (k, word) in column {
                    let mut w = first;
                    S::coordinate_to_words(S::coordinate(f64::from_bits(word)), |word| {
                        put(k, w, word);
                        w += 1;
                    });
                }
                first += S::COORDINATE_WORDS - 1;
            }
        }
        first += 1;
    }
}

/// What a function writes of some records of so many numbers.
fn written(write: &WriteRows, records: Range<usize>, dim: usize) -> Vec<u64> {
    let mut rows = vec![0; records.len() * dim];
    write(records, &mut rows);
    rows
}

/// Reads records from the words of their numbers.
#[inline(never)]
fn read<P>(rows: &[u64], records: &mut [P])
where
    P: Record,
    P::Lane: Scalar,
{
    let mut words = Words(rows.iter());
    for record in records {
        *record = P::read(&mut words);
    }
}

/// Where records write their numbers, as far as there is room.
struct Cells<'a>(slice::IterMut<'a, u64>);

impl Cells<'_> {
    fn put(&mut self, word: u64) {
        if let Some(cell) = self.0.next() {
            *cell = word;
        }
    }
}

impl<R: Scalar> Writer<R> for Cells<'_> {
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

/// Where records read their numbers; what is missing reads as zero.
struct Words<'a>(slice::Iter<'a, u64>);

impl Words<'_> {
    fn take(&mut self) -> u64 {
        self.0.next().copied().unwrap_or_default()
    }
}

impl<R: Scalar> Reader<R> for Words<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mixed;

    const FIELDS: &[Field] = &[
        Field { name: "kind", kind: FieldKind::U32 },
        Field { name: "pos", kind: FieldKind::Point(2) },
        Field { name: "mass", kind: FieldKind::Real },
    ];

    fn row(kind: u32, reals: [f64; 3]) -> Vec<u64> {
        std::iter::once(kind.into()).chain(reals.map(f64::to_bits)).collect()
    }

    #[test]
    fn rows_have_the_words_of_their_precision() {
        let rows = [row(7, [1.0, 1.0 + 1e-9, 0.1]), row(8, [2.0, 3.0, 4.0])].concat();
        let [one, tenth, small] = [1.0_f32, 0.1, 1e-9].map(f32::to_bits);
        let single = convert::<f32>(FIELDS, &rows);
        assert_eq!(single[..4], [7, one, one, tenth]);
        assert_eq!(single[4..], [8, 2.0_f32.to_bits(), 3.0_f32.to_bits(), 4.0_f32.to_bits()]);
        let mixed = convert::<Mixed>(FIELDS, &rows);
        assert_eq!(mixed.len(), 2 * words::<Mixed>(FIELDS));
        assert_eq!([&mixed[..4], &mixed[5..7]].concat(), [7, one, 0, one, tenth, 8]);
        assert!(mixed[4].abs_diff(small) < 1 << 6, "what is left of 1e-9 has fewer digits");
        assert_eq!(convert::<f64>(FIELDS, &rows), rows);
    }

    #[test]
    fn columns_become_rows() {
        let columns = [7, 8, 9].into_iter().chain((0..9).map(|k| f64::from(k).to_bits()));
        let columns: Vec<u64> = columns.collect();
        let mut rows = vec![0; 8];
        rows_of_columns::<f64>(&columns, 3, FIELDS, 1..3, &mut rows);
        assert_eq!(rows, [row(8, [1.0, 4.0, 7.0]), row(9, [2.0, 5.0, 8.0])].concat());
        rows_of_columns::<f64>(&columns, 3, FIELDS, 3..3, &mut []);
    }

    #[test]
    fn no_pair_gives_zeros_and_extremes() {
        let kinds = [FieldKind::Min, FieldKind::Max, FieldKind::ArgMin, FieldKind::Vector(2)];
        let fields = kinds.map(|kind| Field { name: "", kind });
        let infinity = f64::INFINITY.to_bits();
        let expected = [infinity, f64::NEG_INFINITY.to_bits(), infinity, u32::MAX.into(), 0, 0];
        assert_eq!(nothing(&fields), expected);
    }
}
