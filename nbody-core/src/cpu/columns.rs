//! Particles as structure of arrays, in blocks.

use std::ops::Range;

use crate::law::binding::Binding;
use crate::numeric::simd::{LINE, Line};
use crate::pack::{self, Number, Rows};
use crate::{Error, Field, Mixed, Scalar, parallel};

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

    /// The lines of some blocks.
    pub fn blocks(&self, blocks: Range<usize>) -> &[Line<W>] {
        &self.lines[blocks.start * self.words..blocks.end * self.words]
    }

    /// Sets the padding of the last block to zeros again.
    pub fn pad(&mut self) {
        let padding = self.n.next_multiple_of(LINE) - self.n;
        let last = self.lines.len().saturating_sub(self.words);
        for line in &mut self.lines[last..] {
            line.0[LINE - padding..].fill(W::zeroed());
        }
    }

    /// Writes numbers of some blocks in `f64`, exactly.
    pub fn widen<S: Scalar<Word = W>>(
        &self,
        binding: &Binding,
        blocks: Range<usize>,
        to: &mut Vec<Line<u64>>,
    ) {
        let dim = binding.places().len();
        to.resize(blocks.len() * dim, Line([0; LINE]));
        let from = self.blocks(blocks).chunks(self.words.max(1));
        for (from, to) in from.zip(to.chunks_mut(dim.max(1))) {
            widen::<S>(binding, from, to);
        }
    }

    /// Copies the records of these indices.
    pub fn gather(&self, indices: &[u32]) -> Result<Self, Error> {
        let mut part = Self::zeros(indices.len(), self.words)?;
        for (k, &index) in indices.iter().enumerate() {
            let (to, from) = (k / LINE * self.words, index as usize / LINE * self.words);
            for word in 0..self.words {
                part.lines[to + word].0[k % LINE] =
                    self.lines[from + word].0[index as usize % LINE];
            }
        }
        Ok(part)
    }

    /// Copies records to these indices.
    pub fn scatter(&mut self, part: &Self, indices: &[u32]) {
        for (k, &index) in indices.iter().enumerate() {
            let (from, to) = (k / LINE * self.words, index as usize / LINE * self.words);
            for word in 0..self.words {
                self.lines[to + word].0[index as usize % LINE] =
                    part.lines[from + word].0[k % LINE];
            }
        }
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
        let dim = pack::dim(fields);
        let binding = Binding::whole(fields);
        let mut columns = Columns::<u64>::zeros(self.n, dim)?;
        let chunk = pack::chunk(self.n, dim).div_ceil(LINE);
        parallel::each_chunk(&mut columns.lines, chunk * dim, &|first, lines| {
            let from = self.lines[first / dim.max(1) * self.words..].chunks(self.words.max(1));
            for (from, to) in from.zip(lines.chunks_mut(dim.max(1))) {
                widen::<Mixed>(&binding, from, to);
            }
        });
        Ok(columns)
    }
}

/// Converts numbers of a block to `f64`, exactly; integers are unchanged.
pub(crate) fn widen<S: Scalar>(binding: &Binding, from: &[Line<S::Word>], to: &mut [Line<u64>]) {
    for (to, place) in to.iter_mut().zip(binding.places()) {
        let lines = &from[place.word::<S>()..][..place.number.words::<S>()];
        to.0 = match place.number {
            Number::Index => lines[0].0.map(|word| S::word_to_u32(word).into()),
            Number::Real => lines[0].0.map(|word| S::from_word(word).to_f64().to_bits()),
            Number::Coordinate => std::array::from_fn(|k| {
                let mut words = lines.iter().map(|line| line.0[k]);
                let next = || words.next().expect("a line for each word of a coordinate");
                S::coordinate_to_f64(S::coordinate_from_words(next)).to_bits()
            }),
        };
    }
}

/// Rounds those numbers of a block that have `changed` to the nearest `S`; the others stay.
pub(crate) fn narrow<S: Scalar>(
    binding: &Binding,
    changed: &[bool],
    from: &[Line<u64>],
    to: &mut [Line<S::Word>],
) {
    for ((from, place), changed) in from.iter().zip(binding.places()).zip(changed) {
        let lines = &mut to[place.word::<S>()..][..place.number.words::<S>()];
        match place.number {
            _ if !changed => {}
            Number::Index => lines[0].0 = from.0.map(|word| S::word_from_u32(word as u32)),
            Number::Real => {
                lines[0].0 = from.0.map(|word| S::from_f64(f64::from_bits(word)).to_word());
            }
            Number::Coordinate => {
                for (k, word) in from.0.into_iter().enumerate() {
                    let mut lines = lines.iter_mut();
                    S::coordinate_to_words(S::coordinate(f64::from_bits(word)), |word| {
                        lines.next().expect("a line for each word of a coordinate").0[k] = word;
                    });
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
