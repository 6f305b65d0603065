//! Particles as structure of arrays, in blocks.

use std::ops::Range;

use crate::error::Error;
use crate::field::{Field, FieldKind, cubics_of_spline};
use crate::numeric::mixed::Mixed;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line, lines_of_cubics};
use crate::numeric::space::wrap_coordinate;
use crate::parallel;
use crate::records::binding::Binding;
use crate::records::numbers::{Number, Wide};
use crate::records::pack;
use crate::records::rows::{Once, OwnedRows, Rows};

/// Records in blocks of [`LINE`], with one line for each number of a record; the last block is
/// padded with zeros. The numbers of a record are close in memory, and each number of consecutive
/// records is contiguous.
#[derive(Clone, Debug)]
pub(crate) struct Columns<W> {
    lines: Vec<Line<W>>,
    /// Number of records.
    n: usize,
    /// Words of a record: lines of a block.
    words: usize,
}

/// Returns the number of lines of parameters with these fields, with `per_coordinate` for each
/// coordinate of a position.
pub(crate) const fn lines_of_parameters(fields: &[Field], per_coordinate: usize) -> usize {
    let (mut lines, mut k) = (0, 0);
    while k < fields.len() {
        lines += match fields[k].kind {
            FieldKind::Spline(knots) => lines_of_cubics(cubics_of_spline(knots)),
            FieldKind::Splines(n, knots) => lines_of_cubics(n * cubics_of_spline(knots)),
            FieldKind::Point(n) => n * per_coordinate,
            kind => kind.components(),
        };
        k += 1;
    }
    lines
}

impl<W: bytemuck::Pod + Send + Sync> Columns<W> {
    /// Allocates `n` records of `words` words.
    pub fn zeros(n: usize, words: usize) -> Result<Self, Error> {
        let mut columns = Self { lines: Vec::new(), n: 0, words };
        columns.grow(n)?;
        Ok(columns)
    }

    /// Appends zeros up to this number of records.
    fn grow(&mut self, n: usize) -> Result<(), Error> {
        let bytes = self.words.saturating_mul(size_of::<W>());
        let refusal = || Error::OutOfMemory { n, bytes };
        let count = n.div_ceil(LINE).checked_mul(self.words).ok_or_else(refusal)?;
        let more = count.saturating_sub(self.lines.len());
        self.lines.try_reserve_exact(more).map_err(|_| refusal())?;
        self.lines.resize(count, Line([W::zeroed(); LINE]));
        self.n = n;
        Ok(())
    }

    /// Appends zeros up to this number of records. Memory that must grow is at least doubled.
    pub fn extend(&mut self, n: usize) -> Result<(), Error> {
        let lines = n.div_ceil(LINE).saturating_mul(self.words);
        if lines > self.lines.capacity() {
            let bytes = self.words.saturating_mul(size_of::<W>());
            let more = lines - self.lines.len();
            self.lines.try_reserve(more).map_err(|_| Error::OutOfMemory { n, bytes })?;
        }
        self.grow(n)
    }

    /// Keeps the first `n` records, at most all.
    pub fn keep(&mut self, n: usize) {
        self.n = n.min(self.n);
        self.lines.truncate(self.n.div_ceil(LINE) * self.words);
        self.pad();
    }

    pub fn len(&self) -> usize {
        self.n
    }

    /// Returns the number of words of a record, which is the number of lines of a block.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the lines, block by block.
    pub fn lines(&self) -> &[Line<W>] {
        &self.lines
    }

    pub fn lines_mut(&mut self) -> &mut [Line<W>] {
        &mut self.lines
    }

    /// Returns the lines of these blocks; none if there are no lines.
    pub fn blocks(&self, blocks: Range<usize>) -> &[Line<W>] {
        if self.lines.is_empty() {
            return &[];
        }
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

    /// Converts bound numbers of some blocks to `f64`, exactly.
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

    /// Writes bound numbers of some records in `f64`, one record after another, exactly.
    #[inline(always)]
    pub fn wide_rows<S: Scalar<Word = W>>(
        &self,
        binding: &Binding,
        records: Range<usize>,
        rows: &mut [u64],
    ) {
        let dim = binding.places().len();
        if dim == 0 {
            return;
        }
        let mut reals = binding.places().iter().map(|place| !place.is_integer());
        let is_real =
            binding.is_whole() && S::COORDINATE_WORDS == 1 && reals.all(|is_real| is_real);
        let mut block = vec![Line([0; LINE]); dim];
        let (mut next, mut rest) = (records.start, rows);
        while next < records.end {
            let from = &self.lines[next / LINE * self.words..][..self.words];
            let count = (records.end - next).min(LINE - next % LINE);
            let (rows, others) = rest.split_at_mut(count * dim);
            if !(is_real
                && (transpose_real::<3, S>(from, rows) || transpose_real::<4, S>(from, rows)))
            {
                widen::<S>(binding, from, &mut block);
                transpose(&block, next % LINE, rows);
            }
            (next, rest) = (next + count, others);
        }
    }

    /// Copies a range of records.
    pub fn part(&self, range: Range<usize>) -> Result<Self, Error> {
        let mut part = Self::zeros(range.len(), self.words)?;
        if range.start.is_multiple_of(LINE) {
            let lines = part.lines.len();
            part.lines.copy_from_slice(&self.lines[range.start / LINE * self.words..][..lines]);
            part.pad();
        } else {
            let indices: Vec<_> = range.map(|index| index as u32).collect();
            part.arrange(self, &indices);
        }
        Ok(part)
    }

    /// Copies records to the places from `begin` on.
    pub fn set_part(&mut self, begin: usize, part: &Self) {
        let indices: Vec<_> = (begin..begin + part.n).map(|index| index as u32).collect();
        self.scatter(part, &indices);
    }

    /// Appends copies of records with the same number of words. Memory that must grow is at least doubled.
    pub fn extend_from(&mut self, others: &Self) -> Result<(), Error> {
        let begin = self.n;
        self.extend(begin + others.n)?;
        self.set_part(begin, others);
        Ok(())
    }

    /// Copies the records with these indices, in memory of records that are no longer needed.
    pub fn gather(&self, indices: &[u32], spare: Option<Self>) -> Result<Self, Error> {
        let mut lines = spare.map(|spare| spare.lines).unwrap_or_default();
        lines.clear();
        let mut part = Self { lines, n: 0, words: self.words };
        part.grow(indices.len())?;
        part.arrange(self, indices);
        Ok(part)
    }

    /// Copies the bound numbers of the records with these indices. If only `others` than
    /// coordinates are wanted, coordinates are left at 0; if nothing else is bound, there are no
    /// lines.
    pub fn bound<S: Scalar<Word = W>>(
        &self,
        binding: &Binding,
        others: bool,
        indices: &[u32],
    ) -> Result<Self, Error> {
        let from = binding.places().iter().flat_map(|place| {
            let is_left = others && place.number == Number::Coordinate;
            place.words::<S>().map(move |word| (word, is_left))
        });
        let from: Vec<_> = from.collect();
        if from.iter().all(|(_, is_left)| *is_left) {
            return Ok(Self { lines: Vec::new(), n: indices.len(), words: from.len() });
        }
        let mut part = Self::zeros(indices.len(), from.len())?;
        let words = from.len().max(1);
        let chunk = pack::chunk(indices.len(), words).div_ceil(LINE) * words;
        parallel::each_chunk(&mut part.lines, chunk, &|first, lines| {
            let indices = indices[first / words * LINE..].chunks(LINE);
            for (lines, indices) in lines.chunks_mut(words).zip(indices) {
                for (k, &index) in indices.iter().enumerate() {
                    let record = &self.lines[index as usize / LINE * self.words..][..self.words];
                    let copied = lines.iter_mut().zip(&from).filter(|(_, (_, is_left))| !is_left);
                    for (line, &(word, _)) in copied {
                        line.0[k] = record[word].0[index as usize % LINE];
                    }
                }
            }
        });
        Ok(part)
    }

    /// Returns the records with these terms added to their coordinates, a term for each number, in
    /// `f64`; the sums are rounded to the nearest `S`.
    pub fn displaced<S: Scalar<Word = W>>(
        &self,
        binding: &Binding,
        terms: &[f64],
    ) -> Result<Self, Error> {
        let mut moved = self.part(0..self.n)?;
        let numbers = binding.places().iter().zip(terms);
        let numbers: Vec<_> = numbers.filter(|(_, term)| **term != 0.0).collect();
        for block in moved.lines.chunks_mut(self.words.max(1)) {
            for &(place, term) in &numbers {
                let lines = &mut block[place.words::<S>()];
                for k in 0..LINE {
                    let mut words = lines.iter().map(|line| line.0[k]);
                    let next = || words.next().expect("a line for each word of a coordinate");
                    let x = S::coordinate_to_f64(S::coordinate_from_words(next));
                    let mut lines = lines.iter_mut();
                    S::coordinate_to_words(S::coordinate(x + term), |word| {
                        lines.next().expect("a line for each word of a coordinate").0[k] = word;
                    });
                }
            }
        }
        moved.pad();
        Ok(moved)
    }

    /// Copies the records of `part` to these indices.
    pub fn scatter(&mut self, part: &Self, indices: &[u32]) {
        for (k, &index) in indices.iter().enumerate() {
            let (from, to) = (k / LINE * self.words, index as usize / LINE * self.words);
            for word in 0..self.words {
                self.lines[to + word].0[index as usize % LINE] =
                    part.lines[from + word].0[k % LINE];
            }
        }
    }

    /// Replaces the words of all records from `first` on by all words of the same number of records.
    pub fn set_words(&mut self, first: usize, part: &Self) {
        assert!(part.n == self.n && first + part.words <= self.words, "words of each record");
        let from = part.lines.chunks(part.words.max(1));
        for (block, from) in self.lines.chunks_mut(self.words.max(1)).zip(from) {
            block[first..][..from.len()].copy_from_slice(from);
        }
    }

    /// Copies in `f64` the coordinates of the records with these indices, at most a block.
    pub fn coordinates<S: Scalar<Word = W>>(
        &self,
        binding: &Binding,
        indices: &[u32],
        to: &mut [[f64; LINE]; 3],
    ) {
        for (along, place) in to.iter_mut().zip(binding.places()) {
            let (first, words) = (place.word::<S>(), place.number.words::<S>());
            for (x, &index) in along.iter_mut().zip(indices) {
                let (block, at) = (index as usize / LINE, index as usize % LINE);
                let mut lines = self.lines[block * self.words + first..][..words].iter();
                let next = || lines.next().expect("a line for each word of a coordinate").0[at];
                *x = S::coordinate_to_f64(S::coordinate_from_words(next));
            }
        }
    }

    /// Copies the records at these places, one for each record.
    pub fn arrange(&mut self, from: &Self, places: &[u32]) {
        let words = self.words.max(1);
        let chunk = pack::chunk(self.n, words).div_ceil(LINE) * words;
        parallel::each_chunk(&mut self.lines, chunk, &|first, lines| {
            let places = places[first / words * LINE..].chunks(LINE);
            for (lines, places) in lines.chunks_mut(words).zip(places) {
                for (k, &place) in places.iter().enumerate() {
                    let record = &from.lines[place as usize / LINE * words..][..words];
                    for (to, from) in lines.iter_mut().zip(record) {
                        to.0[k] = from.0[place as usize % LINE];
                    }
                }
            }
        });
    }

    /// Returns the words of a record, in order.
    fn record(&self, k: usize) -> impl Iterator<Item = W> {
        self.lines[k / LINE * self.words..]
            .iter()
            .take(self.words)
            .map(move |line| line.0[k % LINE])
    }

    /// Packs the records, their reals rounded to the nearest `S`.
    pub fn pack<S: Scalar<Word = W>>(records: &dyn Rows) -> Result<Self, Error> {
        let records = Once::of(records);
        let mut columns = Self::zeros(0, pack::words::<S>(records.fields()))?;
        columns.append::<S>(&records)?;
        Ok(columns)
    }

    /// Packs parameters: a line for each number, whose first element it is. The numbers of splines
    /// are dense. Refuses integers that need more than 32 bits.
    pub fn of_parameters<S: Scalar<Word = W>>(row: &OwnedRows) -> Result<Self, Error> {
        let fields = row.fields();
        let wide = Wide::new("parameters");
        wide.look(fields, row.words(), 0);
        wide.check()?;
        let numbers = pack::convert::<S>(fields, row.words());
        let words = lines_of_parameters(fields, S::COORDINATE_WORDS);
        let (mut lines, mut rest) = (Vec::with_capacity(words), &numbers[..]);
        for field in fields {
            let (of_field, others) = rest.split_at(pack::words::<S>(std::slice::from_ref(field)));
            let is_dense = matches!(field.kind, FieldKind::Spline(_) | FieldKind::Splines(..));
            for numbers in of_field.chunks(if is_dense { LINE } else { 1 }) {
                let mut line = Line([W::zeroed(); LINE]);
                line.0[..numbers.len()].copy_from_slice(numbers);
                lines.push(line);
            }
            rest = others;
        }
        Ok(Self { lines, n: 1, words })
    }

    /// Adds records at the end, their reals rounded to the nearest `S`. Refuses integers that need more than 32 bits.
    pub fn append<S: Scalar<Word = W>>(&mut self, records: &dyn Rows) -> Result<(), Error> {
        let records = &Once::of(records);
        let (begin, fields, words) = (self.n, records.fields(), self.words.max(1));
        let wide = Wide::new("particles");
        self.grow(begin + records.count())?;
        let n = self.n;
        let chunk = pack::chunk(records.count(), words).div_ceil(LINE) * words;
        let whole = begin / LINE;
        parallel::each_chunk(&mut self.lines[whole * self.words..], chunk, &|first, lines| {
            let first = (whole + first / words) * LINE;
            let end = n.min(first + lines.len() / words * LINE);
            let range = first.max(begin) - begin..end.max(begin) - begin;
            let mut rounded = Vec::new();
            pack::in_batches(records, range, &mut |batch, rows| {
                let before = begin + batch - first;
                rounded.resize(rows.len() / pack::dim(fields).max(1) * words, W::zeroed());
                if pack::round::<S>(fields, rows, &mut rounded) {
                    wide.look(fields, rows, batch);
                }
                for (k, record) in (before..).zip(rounded.chunks_exact(words)) {
                    for (line, word) in lines[k / LINE * words..].iter_mut().zip(record) {
                        line.0[k % LINE] = *word;
                    }
                }
            });
        });
        wide.check()
    }
}

impl Columns<u32> {
    /// Returns the same records in `f64`: a double-single coordinate becomes one number, and other
    /// reals are unchanged.
    pub fn widened(&self, fields: &'static [Field]) -> Result<Columns<u64>, Error> {
        let dim = pack::dim(fields);
        if self.lines.is_empty() {
            return Ok(Columns { lines: Vec::new(), n: self.n, words: dim });
        }
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

/// Writes in `f64` all records of a block, if a record has `D` real numbers and the rows are as long: the
/// compiler makes shuffles of vectors of it.
#[inline(always)]
fn transpose_real<const D: usize, S: Scalar>(block: &[Line<S::Word>], rows: &mut [u64]) -> bool {
    let rows = rows.as_chunks_mut::<D>().0.try_into();
    let (Ok(block), Ok(rows)) = (<&[_; D]>::try_from(block), rows) else { return false };
    let rows: &mut [[u64; D]; LINE] = rows;
    for (k, row) in rows.iter_mut().enumerate() {
        for (word, line) in row.iter_mut().zip(block) {
            *word = S::from_word(line.0[k]).to_f64().to_bits();
        }
    }
    true
}

/// Writes records of a block, one after another, from the record at place `at` on.
#[inline(always)]
fn transpose(block: &[Line<u64>], at: usize, rows: &mut [u64]) {
    for (c, line) in block.iter().enumerate() {
        let cells = rows[c..].iter_mut().step_by(block.len());
        cells.zip(&line.0[at..]).for_each(|(cell, word)| *cell = *word);
    }
}

/// Converts numbers of a block to `f64`, exactly; integers are unchanged.
#[inline(always)]
pub(crate) fn widen<S: Scalar>(binding: &Binding, from: &[Line<S::Word>], to: &mut [Line<u64>]) {
    for (to, place) in to.iter_mut().zip(binding.places()) {
        let lines = &from[place.word::<S>()..][..place.number.words::<S>()];
        to.0 = match place.number {
            Number::Index => lines[0].0.map(|word| S::word_to_u32(word).into()),
            Number::Real => lines[0].0.map(|word| S::from_word(word).to_f64().to_bits()),
            Number::Coordinate if lines.len() == 1 => {
                lines[0].0.map(|word| S::from_word(word).to_f64().to_bits())
            }
            Number::Coordinate => std::array::from_fn(|k| {
                let mut words = lines.iter().map(|line| line.0[k]);
                let next = || words.next().expect("a line for each word of a coordinate");
                S::coordinate_to_f64(S::coordinate_from_words(next)).to_bits()
            }),
        };
    }
}

/// Rounds the numbers of a block that have `changed` to the nearest `S`; the others keep their
/// bits. Coordinates are wrapped into a box of these `lengths`, one for each number; 0 leaves a
/// number unwrapped.
pub(crate) fn narrow<S: Scalar>(
    binding: &Binding,
    changed: &[bool],
    lengths: &[f64],
    from: &[Line<u64>],
    to: &mut [Line<S::Word>],
) {
    let numbers = from.iter().zip(binding.places()).zip(changed.iter().zip(lengths));
    for ((from, place), (changed, &length)) in numbers {
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
                    let coordinate = wrap_coordinate::<S>(f64::from_bits(word), length);
                    S::coordinate_to_words(coordinate, |word| {
                        lines.next().expect("a line for each word of a coordinate").0[k] = word;
                    });
                }
            }
        }
    }
}

impl Columns<u64> {
    /// Returns `n` records of `words` words in these lines, block by block.
    pub fn of_lines(lines: Vec<Line<u64>>, n: usize, words: usize) -> Self {
        assert_eq!(lines.len(), n.div_ceil(LINE) * words, "a line for each word of a block");
        Self { lines, n, words }
    }

    /// Repeats the record with these words.
    pub fn filled(n: usize, row: &[u64]) -> Result<Self, Error> {
        let mut columns = Self::zeros(n, row.len())?;
        for block in columns.lines.chunks_mut(row.len().max(1)) {
            for (line, word) in block.iter_mut().zip(row) {
                *line = Line([*word; LINE]);
            }
        }
        Ok(columns)
    }

    /// Replaces all records by these words, one record after another.
    pub fn set_rows(&mut self, rows: &[u64]) {
        let words = self.words.max(1);
        for (k, row) in rows.chunks_exact(words).enumerate() {
            for (line, word) in self.lines[k / LINE * words..].iter_mut().zip(row) {
                line.0[k % LINE] = *word;
            }
        }
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

#[cfg(test)]
mod tests;
