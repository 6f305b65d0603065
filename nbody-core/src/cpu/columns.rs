//! Particles as structure of arrays, in blocks.

use rayon::prelude::*;

use crate::pack::{self, Cells, Words};
use crate::simd::{LINE, Line};
use crate::{Error, Record, Scalar};

/// Blocks that a thread converts at a time.
const CHUNK: usize = 1 << 8;

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

    /// These records in `S`, their reals rounded to nearest.
    pub fn pack<P, S>(records: &[P]) -> Result<Self, Error>
    where
        P: Record,
        P::Lane: Scalar,
        S: Scalar<Word = W>,
    {
        let words = pack::words::<P, S>();
        let mut columns = Self::zeros(records.len(), words)?;
        columns.each_block(&|block, lines| {
            for (k, record) in records.iter().skip(block * LINE).take(LINE).enumerate() {
                let mut lines = lines.iter_mut();
                let push = |word| {
                    if let Some(line) = lines.next() {
                        line.0[k] = word;
                    }
                };
                record.write(&mut Cells::<S, _>::new(push));
            }
        });
        Ok(columns)
    }

    /// Writes the lines of each block, several at a time.
    fn each_block(&mut self, write: &(dyn Fn(usize, &mut [Line<W>]) + Sync)) {
        let words = self.words.max(1);
        let chunks = self.lines.par_chunks_mut(CHUNK * words).enumerate();
        chunks.for_each(|(chunk, lines)| {
            for (block, lines) in lines.chunks_mut(words).enumerate() {
                write(chunk * CHUNK + block, lines);
            }
        });
    }

    /// So many of the default record in `S`.
    pub fn filled<P, S>(n: usize) -> Result<Self, Error>
    where
        P: Record<Lane = f64>,
        S: Scalar<Word = W>,
    {
        let one = Self::pack::<P, S>(&[P::default()])?;
        let mut columns = Self::zeros(n, one.words)?;
        for block in columns.lines.chunks_mut(one.words.max(1)) {
            for (line, number) in block.iter_mut().zip(&one.lines) {
                *line = Line([number.0[0]; LINE]);
            }
        }
        Ok(columns)
    }

    /// The records, whose reals are `S` here.
    pub fn unpack<P, S>(&self) -> Vec<P>
    where
        P: Record,
        P::Lane: Scalar,
        S: Scalar<Word = W>,
    {
        let record = |k: usize| {
            let mut lines = self.lines[k / LINE * self.words..].iter();
            let next = || lines.next().map_or(W::zeroed(), |line| line.0[k % LINE]);
            P::read(&mut Words::<S, _>::new(next))
        };
        (0..self.n).into_par_iter().with_min_len(CHUNK * LINE).map(record).collect()
    }
}
