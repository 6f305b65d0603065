//! Particles as structure of arrays, in blocks.

use std::ops::Range;

use crate::numeric::simd::{LINE, Line};
use crate::pack::{self, Rows};
use crate::{DoubleSingle, Error, Field, FieldKind, Scalar, parallel};

/// Records in blocks of [`LINE`], with a line for each number of a record; the last block is padded
/// with zeros. All numbers of a record are close in memory, and the records of a vector are
/// contiguous.
#[derive(Clone, Debug)]
pub(crate) struct Columns<W> {
    lines: Vec<Line<W>>,
    /// Number of records.
    n: usize,
    /// Words of a record: lines of a block.
    words: usize,
}

impl<W: bytemuck::Pod + Send + Sync> Columns<W> {
    /// Allocates records of this many words.
    fn zeros(n: usize, words: usize) -> Result<Self, Error> {
        let bytes = words.saturating_mul(size_of::<W>());
        let refusal = || Error::OutOfMemory { n, bytes };
        let count = n.div_ceil(LINE).checked_mul(words).ok_or_else(refusal)?;
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(|_| refusal())?;
        lines.resize(count, Line([W::zeroed(); LINE]));
        Ok(Self { lines, n, words })
    }

    pub fn len(&self) -> usize {
        self.n
    }

    /// The words of a record, and so the lines of a block.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The lines, block by block.
    pub fn lines(&self) -> &[Line<W>] {
        &self.lines
    }

    pub fn lines_mut(&mut self) -> &mut [Line<W>] {
        &mut self.lines
    }

    /// The words of a record, in order.
    fn record(&self, k: usize) -> impl Iterator<Item = W> {
        self.lines[k / LINE * self.words..]
            .iter()
            .take(self.words)
            .map(move |line| line.0[k % LINE])
    }

    /// The records, their reals rounded to the nearest `S`.
    pub fn pack<S: Scalar<Word = W>>(records: &dyn Rows) -> Result<Self, Error> {
        let (n, fields) = (records.count(), records.fields());
        let mut columns = Self::zeros(n, pack::words::<S>(fields))?;
        let words = columns.words.max(1);
        let chunk = pack::chunk(n, words).div_ceil(LINE) * words;
        parallel::each_chunk(&mut columns.lines, chunk, &|first, lines| {
            let first = first / words * LINE;
            let end = n.min(first + lines.len() / words * LINE);
            pack::in_batches(records, first..end, &mut |begin, rows| {
                let lines = &mut lines[(begin - first) / LINE * words..];
                pack::each_word::<S>(fields, rows, |k, c, word| {
                    lines[k / LINE * words + c].0[k % LINE] = word;
                });
            });
        });
        Ok(columns)
    }
}

impl Columns<u32> {
    /// The same records in `f64`: double-single positions become one number, and other reals are
    /// unchanged.
    pub fn widened(&self, fields: &'static [Field]) -> Result<Columns<u64>, Error> {
        Columns::pack::<f64>(&Widened { columns: self, fields })
    }
}

/// Records of mixed precision.
struct Widened<'a> {
    columns: &'a Columns<u32>,
    fields: &'static [Field],
}

impl Rows for Widened<'_> {
    fn count(&self) -> usize {
        self.columns.n
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        let mut rows = rows.iter_mut();
        for k in records {
            let mut words = self.columns.record(k);
            let mut next = || words.next().unwrap_or_default();
            for kind in self.fields.iter().map(|field| field.kind) {
                for (_, cell) in (0..kind.components()).zip(&mut rows) {
                    *cell = match kind {
                        FieldKind::U32 => next().into(),
                        FieldKind::Point(_) => {
                            let [hi, lo] = [next(), next()].map(f32::from_bits);
                            f64::from(DoubleSingle { hi, lo }).to_bits()
                        }
                        _ => f64::from(f32::from_bits(next())).to_bits(),
                    };
                }
            }
        }
    }
}

impl Columns<u64> {
    /// Repeats the record of these words.
    pub fn filled(n: usize, row: &[u64]) -> Result<Self, Error> {
        let mut columns = Self::zeros(n, row.len())?;
        for block in columns.lines.chunks_mut(row.len().max(1)) {
            for (line, word) in block.iter_mut().zip(row) {
                *line = Line([*word; LINE]);
            }
        }
        Ok(columns)
    }

    /// Writes the words of some records, one after another.
    pub fn rows(&self, records: Range<usize>, rows: &mut [u64]) {
        for (k, row) in records.zip(rows.chunks_exact_mut(self.words.max(1))) {
            for (cell, word) in row.iter_mut().zip(self.record(k)) {
                *cell = word;
            }
        }
    }
}
