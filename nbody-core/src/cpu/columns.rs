//! Particles as structure of arrays, in blocks.

use std::ops::Range;

use crate::pack::{CHUNK, Words};
use crate::simd::{LINE, Line};
use crate::{Error, Field, FieldKind, Record, Scalar, Split, parallel, record};

/// Records in blocks of [`LINE`], in each of which every number has a line; the last block is
/// filled with zeros. All numbers of a record are near one another, and as many records as a
/// vector has elements lie in a row.
#[derive(Clone, Debug)]
pub(crate) struct Columns<W> {
    lines: Vec<Line<W>>,
    /// How many records.
    n: usize,
    /// Words of a record: lines of a block.
    words: usize,
}

impl<W: bytemuck::Pod + Send + Sync> Columns<W> {
    /// Room for so many records of so many words.
    fn zeros(n: usize, words: usize) -> Result<Self, Error> {
        let count = n.div_ceil(LINE) * words;
        let mut lines = Vec::new();
        let bytes = words * size_of::<W>();
        lines.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { n, bytes })?;
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

    /// So many records whose words `write` gives row by row, for the records of a range.
    fn from_rows(n: usize, words: usize, write: &WriteRows<W>) -> Result<Self, Error> {
        let mut columns = Self::zeros(n, words)?;
        let words = words.max(1);
        parallel::each_chunk(&mut columns.lines, CHUNK / LINE * words, &|chunk, lines| {
            let first = chunk * CHUNK;
            let records = first..n.min(first + lines.len() / words * LINE);
            let mut rows = vec![W::zeroed(); records.len() * words];
            write(records, &mut rows);
            for (k, row) in rows.chunks_exact(words).enumerate() {
                for (line, word) in lines[k / LINE * words..].iter_mut().zip(row) {
                    line.0[k % LINE] = *word;
                }
            }
        });
        Ok(columns)
    }
}

/// Writes the words of the records of a range, row by row.
type WriteRows<'a, W> = dyn Fn(Range<usize>, &mut [W]) + Sync + 'a;

/// Columns of records whose rows `write` gives. These are no generic functions, so that they are
/// compiled here and not wherever records are declared.
impl Columns<u32> {
    pub fn of_rows(n: usize, words: usize, write: &WriteRows<u32>) -> Result<Self, Error> {
        Self::from_rows(n, words, write)
    }

    /// The same records in `f64`: positions that are two `f32` become one number, and other reals
    /// stay as they are.
    pub fn widened(&self, fields: &[Field]) -> Result<Columns<u64>, Error> {
        let real = |word: u32| f64::from(f32::from_bits(word));
        Columns::<u64>::of_rows(self.n, record::words(fields, 1), &|records, rows| {
            let mut rows = rows.iter_mut();
            for k in records {
                let mut words = self.record(k);
                let mut next = || words.next().unwrap_or_default();
                for kind in fields.iter().map(|field| field.kind) {
                    for (_, cell) in (0..kind.components()).zip(&mut rows) {
                        *cell = match kind {
                            FieldKind::U32 => next().into(),
                            FieldKind::Point(_) => {
                                let [high, low] = [next(), next()].map(f32::from_bits);
                                f64::from(Split { high, low }).to_bits()
                            }
                            _ => real(next()).to_bits(),
                        };
                    }
                }
            }
        })
    }
}

impl Columns<u64> {
    pub fn of_rows(n: usize, words: usize, write: &WriteRows<u64>) -> Result<Self, Error> {
        Self::from_rows(n, words, write)
    }

    /// So many times the record of these words.
    pub fn filled(n: usize, row: &[u64]) -> Result<Self, Error> {
        let mut columns = Self::zeros(n, row.len())?;
        for block in columns.lines.chunks_mut(row.len().max(1)) {
            for (line, word) in block.iter_mut().zip(row) {
                *line = Line([*word; LINE]);
            }
        }
        Ok(columns)
    }

    /// The records, whose reals are `f64` here.
    pub fn unpack<P>(&self) -> Vec<P>
    where
        P: Record,
        P::Lane: Scalar,
    {
        let record = |k: usize| {
            let mut lines = self.lines[k / LINE * self.words..].iter();
            let next = || lines.next().map_or(0, |line| line.0[k % LINE]);
            P::read(&mut Words::<f64, _>::new(next))
        };
        parallel::map(self.n, CHUNK, &record)
    }
}
