//! Conversion of records to and from the words of buffers.
//!
//! A record reads and writes its numbers as 64-bit words: the bits of an `f64`, which holds every
//! real exactly, or an integer. Only this is compiled for each record type; the conversion to
//! other precisions and layouts follows from the [`Field`]s.

use std::ops::Range;
use std::slice;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::scalar::Scalar;
use crate::parallel;
use crate::records::record;
use crate::records::record::Record;
pub use crate::records::record::{dim, position};

/// Fewer numbers than this are converted by a single thread.
const SERIAL: usize = 1 << 16;
/// Number of records that a thread converts at a time.
const CHUNK: usize = 1 << 12;
/// Number of records in a batch. The words of a batch stay in the cache while each column is
/// converted.
const BATCH: usize = 1 << 8;

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
        let mut rows = RowWriter(rows.iter_mut());
        for record in &self[records] {
            record.write(&mut rows);
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

    /// Creates one record of parameters. Refuses a row of another length, and integers that need
    /// more than 32 bits.
    pub fn one(fields: &'static [Field], row: &[u64]) -> Result<Self, Error> {
        check_parameters(fields, row)?;
        Ok(Self { fields, words: row.to_vec() })
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

/// Refuses a row of parameters of another length, and integers that need more than 32 bits.
pub fn check_parameters(fields: &[Field], row: &[u64]) -> Result<(), Error> {
    Error::check_length("numbers of a record", row.len(), dim(fields))?;
    let wide = Wide::new("parameters");
    wide.look(fields, row, 0);
    wide.check()
}

/// A function that writes the numbers of a range of records row by row, as 64-bit words.
pub type WriteRows<'a> = dyn Fn(Range<usize>, &mut [u64]) + Sync + 'a;

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
            FieldKind::ArgMin => words.extend([f64::INFINITY.to_bits(), u32::MAX.into()]),
            _ => words.resize(words.len() + kind.components(), 0),
        }
    }
    words
}

/// Converts rows of 64-bit words to rows of [`words`] in `S`, their reals rounded to nearest.
pub fn convert<S: Scalar>(fields: &[Field], rows: &[u64]) -> Vec<S::Word> {
    let row = words::<S>(fields);
    let mut words = vec![S::Word::default(); rows.len() / record::dim(fields).max(1) * row];
    each_word::<S>(fields, rows, |k, c, word| words[k * row + c] = word);
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
        in_batches(records, first..first + words.len() / row, &mut |begin, rows| {
            let words = &mut words[(begin - first) * row..];
            if each_word::<S>(fields, rows, |k, c, word| words[k * row + c] = word) {
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
        read(&rows_from(write, first..first + records.len(), P::DIM), records);
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
        let column = &words[c * n..][..n][records.clone()];
        for (word, row) in column.iter().zip(rows.chunks_exact_mut(dim)) {
            row[c] = match number {
                Number::Index => S::word_to_u32(*word).into(),
                Number::Real | Number::Coordinate => S::from_word(*word).to_f64().to_bits(),
            };
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
    for (k, row) in range.zip(rows.chunks_exact_mut(dim.max(1))) {
        let mut words = records[k * words..][..words].iter();
        let mut next = || *words.next().expect("a word for each number");
        for (cell, number) in row.iter_mut().zip(numbers(fields)) {
            *cell = match number {
                Number::Index => S::word_to_u32(next()).into(),
                Number::Real => S::from_word(next()).to_f64().to_bits(),
                Number::Coordinate => {
                    S::coordinate_to_f64(S::coordinate_from_words(&mut next)).to_bits()
                }
            };
        }
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

/// Returns the numbers of the records as reals, row by row.
pub(crate) fn flatten<P>(records: &[P]) -> Vec<f64>
where
    P: Record,
    P::Lane: Scalar,
{
    reals(P::FIELDS, &rows(&records)).collect()
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
    let mut rows = vec![0; range.len().min(BATCH) * dim];
    for begin in range.clone().step_by(BATCH) {
        let batch = begin..range.end.min(begin + BATCH);
        let rows = &mut rows[..batch.len() * dim];
        records.write(batch, rows);
        take(begin, rows);
    }
}

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
            FieldKind::U32 | FieldKind::Count => Number::Index,
            FieldKind::ArgMin if c == 1 => Number::Index,
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

/// Calls `put(record, word of the record, value)` for each word in `S` of these rows. Converts
/// column by column, so that it branches on the type of a number only once for all records. Returns
/// whether an integer needs more than 32 bits; its upper bits are dropped.
#[inline(always)]
pub(crate) fn each_word<S: Scalar>(
    fields: &[Field],
    rows: &[u64],
    mut put: impl FnMut(usize, usize, S::Word),
) -> bool {
    let (dim, mut first, mut bits) = (record::dim(fields), 0, 0);
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
                    bits |= word;
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
    bits > u32::MAX.into()
}

/// Returns the rows of `dim` numbers that a function writes. Not generic, unlike its caller, so
/// that it is compiled only once.
fn rows_from(write: &WriteRows, records: Range<usize>, dim: usize) -> Vec<u64> {
    let mut rows = vec![0; records.len() * dim];
    write(records, &mut rows);
    rows
}

/// Reads records from rows of their numbers.
#[inline(never)]
fn read<P>(rows: &[u64], records: &mut [P])
where
    P: Record,
    P::Lane: Scalar,
{
    let mut rows = RowReader(rows.iter());
    for record in records {
        *record = P::read(&mut rows);
    }
}

/// Writer of rows of 64-bit words.
struct RowWriter<'a>(slice::IterMut<'a, u64>);

impl RowWriter<'_> {
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
struct RowReader<'a>(slice::Iter<'a, u64>);

impl RowReader<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::buffers::Particles;
    use crate::memory::columns::Columns;
    use crate::numeric::mixed::Mixed;
    use crate::numeric::precision::Precision;

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
        assert!(mixed[4].abs_diff(small) < 1 << 6, "the lo part of 1 + 1e-9 has fewer digits");
        assert_eq!(convert::<f64>(FIELDS, &rows), rows);
    }

    #[test]
    fn coordinates_have_axes() {
        let axes: Vec<_> = axes(FIELDS).collect();
        assert_eq!(axes, [None, Some(0), Some(1), None]);
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
    fn records_become_rows() {
        let rows = [row(7, [1.0, 1.0 + 1e-9, 0.5]), row(8, [2.0, 3.0, 4.0])].concat();
        let read = |range: Range<usize>| {
            let mut found = vec![0; 4 * range.len()];
            let words = convert::<Mixed>(FIELDS, &rows);
            rows_of_records::<Mixed>(&words, FIELDS, range.clone(), &mut found);
            let mut twice = vec![0; 4 * range.len()];
            rows_of_records::<f64>(&rows, FIELDS, range, &mut twice);
            (found, twice)
        };
        let (mixed, double) = read(0..2);
        assert_eq!(double, rows);
        let second = f64::from_bits(mixed[2]);
        assert!(
            second != 1.0 && (second - (1.0 + 1e-9)).abs() < 1e-15,
            "both parts of a coordinate"
        );
        assert_eq!([&mixed[..2], &mixed[3..]].concat(), [&rows[..2], &rows[3..]].concat());
        assert_eq!(read(1..2), (rows[4..].to_vec(), rows[4..].to_vec()));
    }

    /// Two records of `FIELDS`.
    struct Two;

    impl Rows for Two {
        fn count(&self) -> usize {
            2
        }
        fn fields(&self) -> &'static [Field] {
            FIELDS
        }
        fn write(&self, _: Range<usize>, rows: &mut [u64]) {
            rows.chunks_exact_mut(4).for_each(|to| to.copy_from_slice(&row(7, [1.0, 2.0, 3.0])));
        }
    }

    #[test]
    fn records_fill_the_first_words() {
        let mut words = [9; 11];
        pack_into::<f64>(&Two, &mut words).unwrap();
        let row = row(7, [1.0, 2.0, 3.0]);
        assert_eq!(words.to_vec(), [row.clone(), row, vec![9; 3]].concat());
    }

    #[test]
    #[should_panic(expected = "7 words for 2 records of 4")]
    fn records_are_not_cut_off() {
        let _ = pack_into::<f64>(&Two, &mut [0; 7]);
    }

    #[test]
    fn integers_of_more_than_32_bits_are_refused() {
        const WIDE: u64 = u32::MAX as u64 + 1;
        let field = FIELDS[0];
        let rows = |n: usize, wide: &[usize]| {
            let mut rows = row(u32::MAX, [1.0, 2.0, 3.0]).repeat(n);
            for &k in wide {
                rows[4 * k] = WIDE + k as u64;
            }
            OwnedRows::new(FIELDS, rows).unwrap()
        };
        // More than one thread converts.
        for (n, wide) in [(3, &[][..]), (3, &[1, 2]), (50_000, &[49_000, 20_000, 30_000])] {
            let expected = wide.iter().min().map_or(Ok(()), |&index| {
                let found = WIDE + index as u64;
                Err(Error::WideInteger { what: "particles", index, field, found })
            });
            let rows = rows(n, wide);
            assert_eq!(pack_into::<f32>(&rows, &mut vec![0; 4 * n]), expected);
            assert_eq!(Columns::pack::<f32>(&rows).map(|_| ()), expected);
            assert_eq!(Columns::pack::<f64>(&rows).map(|_| ()), expected);
        }
        let mut parameters = row(0, [f64::NAN; 3]);
        assert_eq!(check_parameters(FIELDS, &parameters), Ok(()));
        parameters[0] = WIDE;
        let error = OwnedRows::one(FIELDS, &parameters).unwrap_err();
        assert_eq!(
            error.to_string(),
            "parameters[0]: kind: u32 of 4294967296, expected at most 4294967295; give integers of 32 bits"
        );
    }

    #[test]
    fn rows_are_whole() {
        let found = |fields, n| OwnedRows::new(fields, vec![0; n]).map(|rows| rows.count());
        assert_eq!([found(FIELDS, 0), found(FIELDS, 8), found(&[], 0)], [Ok(0), Ok(2), Ok(1)]);
        assert_eq!(found(FIELDS, 7), Err(Error::PartOfRow { found: 7, record: 4 }));
        assert_eq!(found(&[], 1), Err(Error::PartOfRow { found: 1, record: 0 }));
    }

    /// Records whose number and fields differ at each call.
    #[derive(Default)]
    struct Restless(std::sync::atomic::AtomicUsize);

    impl Restless {
        fn next(&self) -> usize {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
        }
    }

    impl Rows for Restless {
        fn count(&self) -> usize {
            2 + self.next()
        }
        fn fields(&self) -> &'static [Field] {
            &FIELDS[..4 - self.next().clamp(1, 3)]
        }
        fn write(&self, _: Range<usize>, rows: &mut [u64]) {
            rows.fill(7);
        }
    }

    #[test]
    fn fields_and_numbers_of_records_are_read_once() {
        let rows = Restless::default();
        let once = Once::of(&rows);
        assert_eq!((once.count(), once.fields(), once.fields()), (2, FIELDS, FIELDS));
        let rows = Restless::default();
        let mut words = vec![0; 8];
        pack_into::<f64>(&rows, &mut words).unwrap();
        assert_eq!(words, [7; 8]);
        let particles = Particles::pack(&Restless::default(), Precision::Single).unwrap();
        assert_eq!((particles.len(), particles.fields), (2, FIELDS));
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
