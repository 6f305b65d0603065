//! Every ordered pair: the scheme of the GPU, with vectors of i-particles for its threads.
//!
//! The j-particles stream by, one after another in every element of a vector, and meet as many
//! vectors of i-particles as the registers hold. Each i-particle sums in the order of the
//! j-particles, so that neither the instructions nor the number of threads show in the order.

use std::ops::Range;

use super::columns::Columns;
use super::loops::{Loops, Sets};
use super::sums::Folding;
use crate::numeric::simd::{LINE, Line};
use crate::{Accumulation, Scalar, SummationOrder, parallel};

/// What the tiles of an evaluation share.
pub(crate) struct Job<'a, S: Scalar> {
    pub loops: &'a Loops<S::Word>,
    pub sets: &'a Sets<'a, S::Word>,
    /// i-particles.
    pub n: usize,
    /// j-particles in a bag.
    pub bag: usize,
    pub accumulation: Accumulation,
    pub folding: &'a Folding,
    /// What no pair gives, one line for each number.
    pub nothing: &'a [Line<S::Word>],
}

/// Blocks of i-particles that a thread takes at a time.
const TILE: usize = 4;

impl<S: Scalar> Job<'_, S> {
    /// Evaluates all pairs with `nj` j-particles: both directions of a pair at once, or every
    /// ordered pair in the order of a summation order.
    pub fn evaluate(&self, nj: usize, order: SummationOrder, both: bool, out: &mut Columns<u64>) {
        match self.loops.both {
            Some(loop_of_both) if both => self.symmetric(loop_of_both, out),
            _ => {
                let split = order.bags_per_split(nj).saturating_mul(order.bag);
                self.splits(nj, split, out);
            }
        }
    }

    /// Evaluates every ordered pair; the splits of the j-particles are merged in order.
    fn splits(&self, nj: usize, split: usize, out: &mut Columns<u64>) {
        let words = self.nothing.len().max(1);
        parallel::each_chunk(out.lines_mut(), TILE * words, &|first, out| {
            let first = first / words;
            self.folding.begin(out);
            self.tile(first, 0..nj.min(split), out);
            for start in (0..nj).step_by(split).skip(1) {
                let mut part = out.to_vec();
                self.folding.begin(&mut part);
                self.tile(first, start..nj.min(start.saturating_add(split)), &mut part);
                self.folding.fold_blocks::<f64>(&part, out);
            }
        });
    }

    /// Adds to `out` what the j-particles of a range, a whole number of bags, do to the i-particles
    /// of some blocks, of which `first` is the first.
    pub fn tile(&self, first: usize, j: Range<usize>, out: &mut [Line<u64>]) {
        let (width, words) = (self.loops.width, self.nothing.len());
        let begin = first * LINE;
        let end = begin + out.len() / words.max(1) * LINE;
        let end = end.min(self.n.next_multiple_of(width));
        let compensated = self.accumulation == Accumulation::Compensated;
        let mut i = begin;
        while i < end {
            let room = (end - i) / width;
            let several = !compensated && room >= self.loops.vectors;
            let vectors = if several { self.loops.vectors } else { 1 };
            let mut sums = self.nothing.repeat(vectors);
            let mut lost = self.nothing.to_vec();
            for bag in bags(j.clone(), self.bag) {
                if compensated {
                    (self.loops.one)(self.sets, i, bag, &mut sums, Some(&mut lost));
                } else {
                    self.bag(i, vectors, several, bag, &mut sums);
                }
                if self.accumulation.folds_each_bag() {
                    self.fold(i - begin, &mut sums, out);
                }
            }
            if !self.accumulation.folds_each_bag() {
                self.fold(i - begin, &mut sums, out);
            }
            if compensated {
                self.folding.only_numbers::<S>(&mut lost);
                self.fold(i - begin, &mut lost, out);
            }
            i += vectors * width;
        }
    }

    /// Adds what a bag does to some vectors of i-particles.
    fn bag(
        &self,
        i: usize,
        vectors: usize,
        several: bool,
        bag: Range<usize>,
        sums: &mut [Line<S::Word>],
    ) {
        let (width, words) = (self.loops.width, self.nothing.len());
        // Which of the bag are among these i-particles.
        let clamp =
            |k: usize| if self.sets.skips_self { k.clamp(bag.start, bag.end) } else { bag.end };
        let own = if several { clamp(i)..clamp(i + vectors * width) } else { bag.clone() };
        if several && own.start > bag.start {
            (self.loops.several)(self.sets, i, bag.start..own.start, sums);
        }
        for vector in 0..vectors {
            let sums = &mut sums[vector * words..][..words];
            (self.loops.one)(self.sets, i + vector * width, own.clone(), sums, None);
        }
        if several && bag.end > own.end {
            (self.loops.several)(self.sets, i, own.end..bag.end, sums);
        }
    }

    /// Folds the sums of vectors of i-particles, the first of which is that of `out` at `i`, and
    /// begins them again.
    pub fn fold(&self, i: usize, sums: &mut [Line<S::Word>], out: &mut [Line<u64>]) {
        let (width, words) = (self.loops.width, self.nothing.len().max(1));
        for (k, sums) in sums.chunks_mut(words).enumerate() {
            let i = i + k * width;
            self.folding.fold::<S>(width, sums, i % LINE, &mut out[i / LINE * words..]);
            sums.copy_from_slice(self.nothing);
        }
    }
}

/// The bags of a range, the last one shorter.
pub(crate) fn bags(range: Range<usize>, bag: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(bag).map(move |start| start..end.min(start.saturating_add(bag)))
}
