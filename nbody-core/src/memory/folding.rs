//! Backup accumulators, into which bags are folded.

use crate::field::{Field, FieldKind, MOST_NEAREST};
use crate::memory::columns::Columns;
use crate::numeric::precision::Precision;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::parallel;
use crate::records::pack;

/// Blocks of results that a thread merges at a time.
const CHUNK: usize = 64;

/// Folding of results into backup accumulators, number by number.
#[derive(Clone, Debug)]
pub(crate) struct Folding {
    /// The result without any pair, in `f64`.
    nothing: Vec<u64>,
    kinds: Vec<FieldKind>,
    /// The first numbers of extremes that keep indices.
    indexed: Vec<usize>,
    /// Whether each number is such an index.
    are_indices: Vec<bool>,
    /// The precision of the backup accumulators.
    precision: Precision,
}

impl Folding {
    /// Creates the folding of results of these fields into backup accumulators of this precision.
    pub fn new(fields: &[Field], precision: Precision) -> Self {
        let nothing = pack::nothing(fields);
        let kinds = fields.iter().flat_map(|field| {
            let count = field.kind.components();
            std::iter::repeat_n(field.kind, count)
        });
        let kinds: Vec<_> = kinds.collect();
        let (mut indexed, mut are_indices) = (Vec::new(), Vec::new());
        for kind in fields.iter().map(|field| field.kind) {
            indexed.extend(kind.keeps_index().then_some(are_indices.len()));
            are_indices.extend((0..kind.components()).map(|c| kind.is_index(c)));
        }
        Self { nothing, kinds, indexed, are_indices, precision }
    }

    /// Returns the result without any pair, in `S`, a line for each number.
    pub fn nothing<S: Scalar>(&self) -> Vec<Line<S::Word>> {
        let words = self.nothing.iter().enumerate().map(|(c, &word)| match self.kinds[c] {
            FieldKind::Count | FieldKind::Counts(_) | FieldKind::U32 => {
                S::word_from_u32(word as u32)
            }
            _ if self.are_indices[c] => S::word_from_u32(word as u32),
            _ => S::from_f64(f64::from_bits(word)).to_word(),
        });
        words.map(|word| Line([word; LINE])).collect()
    }

    /// Returns the operation of each number of a result.
    pub fn kinds(&self) -> &[FieldKind] {
        &self.kinds
    }

    /// Sets every particle of some blocks to the result without any pair.
    pub fn begin(&self, blocks: &mut [Line<u64>]) {
        for block in blocks.chunks_mut(self.kinds.len().max(1)) {
            for (line, &nothing) in block.iter_mut().zip(&self.nothing) {
                *line = Line([nothing; LINE]);
            }
        }
    }

    /// Sets NaN among the rounding errors of compensated sums to zero: the sum is then itself
    /// infinite or NaN.
    pub fn only_numbers<S: Scalar>(&self, lost: &mut [Line<S::Word>]) {
        for block in lost.chunks_mut(self.kinds.len().max(1)) {
            for (line, _) in block.iter_mut().zip(&self.kinds).filter(|(_, kind)| kind.is_sum()) {
                for word in &mut line.0 {
                    if S::from_word(*word).to_f64().is_nan() {
                        *word = S::from_f64(0.0).to_word();
                    }
                }
            }
        }
    }

    /// Folds results into the results of the same particles.
    pub fn merge(&self, from: &Columns<u64>, into: &mut Columns<u64>) {
        let words = self.kinds.len().max(1);
        parallel::each_chunk(into.lines_mut(), CHUNK * words, &|first, into| {
            let from = from.lines()[first..].chunks(words);
            for (from, into) in from.zip(into.chunks_mut(words)) {
                self.fold::<f64>(LINE, from, 0, into);
            }
        });
    }

    /// Folds sums of whole blocks into the backup accumulators of the same blocks.
    pub fn fold_blocks<S: Scalar>(&self, current: &[Line<S::Word>], backup: &mut [Line<u64>]) {
        let words = self.kinds.len().max(1);
        for (current, backup) in current.chunks(words).zip(backup.chunks_mut(words)) {
            self.fold::<S>(LINE, current, 0, backup);
        }
    }

    /// Folds the first elements of these lines into the backup accumulators from `at` on.
    #[inline(always)]
    pub fn fold<S: Scalar>(
        &self,
        width: usize,
        current: &[Line<S::Word>],
        at: usize,
        backup: &mut [Line<u64>],
    ) {
        // The compiler knows the number of elements.
        match width {
            1 => self.fold_array::<S, 1>(current, at, backup),
            2 => self.fold_array::<S, 2>(current, at, backup),
            4 => self.fold_array::<S, 4>(current, at, backup),
            8 => self.fold_array::<S, 8>(current, at, backup),
            _ => self.fold_array::<S, LINE>(current, at, backup),
        }
    }

    #[inline(always)]
    fn fold_array<S: Scalar, const N: usize>(
        &self,
        current: &[Line<S::Word>],
        at: usize,
        backup: &mut [Line<u64>],
    ) {
        let count = self.kinds.len();
        assert!(current.len() >= count && backup.len() >= count, "a line for each number");
        assert!(N <= LINE && at <= LINE - N, "{N} elements of a line from {at} on");
        for (c, kind) in self.kinds.iter().enumerate() {
            let sums = elements_mut::<_, N>(&mut backup[c].0, at);
            let terms = elements::<_, N>(&current[c].0);
            match kind {
                FieldKind::Count | FieldKind::Counts(_) | FieldKind::U32 => {
                    each(sums, terms, |a, b| u64::from((a as u32).wrapping_add(S::word_to_u32(b))));
                }
                // As the kernels compare: NaN is ignored, and of two zeros the first one stays.
                FieldKind::Min => reals::<S, N>(sums, terms, |a, b| if b < a { b } else { a }),
                FieldKind::Max => reals::<S, N>(sums, terms, |a, b| if b > a { b } else { a }),
                // The index is folded with its value.
                FieldKind::ArgMin | FieldKind::ArgMax | FieldKind::Nearest(_) => {}
                // A sum of two `f32`, rounded to `f64` and then to `f32`, equals the sum rounded
                // once.
                _ if self.precision == Precision::Single => {
                    reals::<S, N>(sums, terms, |a, b| f64::from((a + b) as f32));
                }
                _ => reals::<S, N>(sums, terms, |a, b| a + b),
            }
        }
        for &first in &self.indexed {
            let kind = self.kinds[first];
            let n = kind.components();
            let (mut terms, mut sums) = ([0; 2 * MOST_NEAREST], [0; 2 * MOST_NEAREST]);
            for k in 0..N {
                for c in 0..n {
                    let word = current[first + c].0[k];
                    terms[c] = if kind.is_index(c) {
                        S::word_to_u32(word).into()
                    } else {
                        S::from_word(word).to_f64().to_bits()
                    };
                    sums[c] = backup[first + c].0[at + k];
                }
                kind.merge(&terms[..n], &mut sums[..n]);
                for (line, sum) in backup[first..first + n].iter_mut().zip(sums) {
                    line.0[at + k] = sum;
                }
            }
        }
    }
}

/// Folds rows of results, such as totals of measures, into the rows of the same particles. The
/// results have these fields and backup accumulators of this precision.
pub fn fold_rows(fields: &[Field], precision: Precision, from: &[u64], into: &mut [u64]) {
    let folding = Folding::new(fields, precision);
    let words = folding.kinds.len().max(1);
    let line = |word: &u64| Line([*word; LINE]);
    for (from, into) in from.chunks_exact(words).zip(into.chunks_exact_mut(words)) {
        let from: Vec<_> = from.iter().map(line).collect();
        let mut sums: Vec<_> = into.iter().map(line).collect();
        folding.fold::<f64>(1, &from, 0, &mut sums);
        for (word, sum) in into.iter_mut().zip(sums) {
            *word = sum.0[0];
        }
    }
}

/// Returns the first elements of a line.
#[inline(always)]
fn elements<W, const N: usize>(line: &[W; LINE]) -> &[W; N] {
    line.first_chunk().expect("a vector has no more elements than a line")
}

/// Returns the elements of a line from `at` on.
#[inline(always)]
fn elements_mut<W, const N: usize>(line: &mut [W; LINE], at: usize) -> &mut [W; N] {
    line[at..].first_chunk_mut().expect("a vector is in one line")
}

#[inline(always)]
fn reals<S: Scalar, const N: usize>(
    sums: &mut [u64; N],
    terms: &[S::Word; N],
    fold: impl Fn(f64, f64) -> f64,
) {
    each(sums, terms, |a, b| fold(f64::from_bits(a), S::from_word(b).to_f64()).to_bits());
}

#[inline(always)]
fn each<W: Copy, const N: usize>(
    sums: &mut [u64; N],
    terms: &[W; N],
    fold: impl Fn(u64, W) -> u64,
) {
    for k in 0..N {
        sums[k] = fold(sums[k], terms[k]);
    }
}
