//! Schedules: which pairs are evaluated, in which order, on which thread, and where the sums go.
//! Each is one file; the loops that they call, and the folding of sums, do not depend on the
//! schedule.
//!
//! Loops take a view of i-particles and a view of j-particles: blocks of columns, a range of
//! these, and the index of the first particle in its set. A view may be of the set or of a copy of
//! a part of it, so that a list can gather its j-particles into a buffer.

use std::ops::Range;

use crate::interrupt::Interrupt;
use crate::law::interaction::Law;
use crate::law::loops::{Loops, PairSetting, View};
use crate::memory::columns::Columns;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::options::{Accumulation, Options, SummationOrder};
use crate::parallel;

/// Decides which pairs meet, in which order and on which thread, and where the sums go.
pub(crate) trait Schedule: Copy + Sync {
    /// Returns the summation order for `n` i-particles, where the schedule has one of its own.
    fn order(&self, _law: &Law, _options: Options, _n: usize) -> Option<SummationOrder> {
        None
    }

    /// Evaluates the pairs.
    fn run<S: Scalar>(&self, job: &Job<'_, S>, out: &mut Columns<u64>);
}

/// One evaluation, for a schedule to carry out.
pub(crate) struct Job<'a, S: Scalar> {
    pub loops: &'a Loops<S::Word>,
    pub setting: &'a PairSetting<'a, S::Word>,
    pub i: &'a Columns<S::Word>,
    pub j: &'a Columns<S::Word>,
    pub order: SummationOrder,
    pub accumulation: Accumulation,
    /// Sums are folded after each bag, not only after the last.
    pub folds_each_bag: bool,
    /// Sums over all pairs are folded after this many bags, if this accumulation folds before the
    /// last bag.
    pub bags_per_fold: usize,
    /// The result without any pair, a line for each number.
    pub nothing: &'a [Line<S::Word>],
    /// Once it is set, tasks that have not begun do nothing.
    pub interrupt: Interrupt,
}

impl<S: Scalar> Job<'_, S> {
    /// Returns some i-particles, a whole number of vectors.
    pub fn i_view(&self, range: Range<usize>) -> View<'_, S::Word> {
        View { lines: self.i.lines(), first: 0, range }
    }

    /// Returns some j-particles.
    pub fn j_view(&self, range: Range<usize>) -> View<'_, S::Word> {
        View { lines: self.j.lines(), first: 0, range }
    }

    /// Returns the bags of a range; the last one may be shorter.
    pub fn bags(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<S> {
        let (end, bag) = (range.end, self.order.bag);
        range.step_by(bag).map(move |start| start..end.min(start.saturating_add(bag)))
    }

    /// Shares out blocks of so many lines of i-particles among threads. The task gets the
    /// i-particles of a block, which are whole vectors, and their results, set to the result
    /// without any pair.
    pub fn each_block(
        &self,
        out: &mut Columns<u64>,
        lines: usize,
        task: impl Fn(Range<usize>, &mut [Line<u64>]) + Sync,
    ) {
        let words = self.nothing.len().max(1);
        parallel::each_chunk(out.lines_mut(), lines * words, &|first, out| {
            if self.interrupt.is_set() {
                return;
            }
            self.setting.folding.begin(out);
            task(self.i_range(first / words * LINE, out), out);
        });
    }

    /// Returns the i-particles of these results, whole vectors from `begin` on.
    pub fn i_range(&self, begin: usize, out: &[Line<u64>]) -> Range<usize> {
        let end = begin + out.len() / self.nothing.len().max(1) * LINE;
        begin..end.min(self.i.len().next_multiple_of(self.loops.width))
    }

    /// Sums the effect of a range of j-particles bag by bag, and folds the sums into `out` after
    /// the bags that the accumulation demands. `first` is the place of the i-particles in `out`.
    /// `add` adds the effect of a bag to the sums, and for compensated sums their rounding errors
    /// to the numbers beside them.
    pub fn sum_bags(
        &self,
        (first, vectors): (usize, usize),
        j: Range<usize>,
        out: &mut [Line<u64>],
        mut add: impl FnMut(Range<usize>, &mut [Line<S::Word>], Option<&mut [Line<S::Word>]>),
    ) {
        let compensated = self.accumulation == Accumulation::Compensated;
        let mut sums = self.nothing.repeat(vectors);
        let mut lost = self.nothing.repeat(vectors);
        let mut bags = (1..).zip(self.bags(j)).peekable();
        while let Some((number, bag)) = bags.next() {
            add(bag, &mut sums, compensated.then_some(&mut lost));
            let is_folded = self.folds_each_bag && number % self.bags_per_fold == 0;
            if is_folded || bags.peek().is_none() {
                self.fold_with_lost(first, &mut sums, &mut lost, out);
            }
        }
    }

    /// Sets the sums of `count` i-particles, and their rounding errors, to the result without any
    /// pair.
    pub fn begin_sums(&self, count: usize, sums: [&mut Vec<Line<S::Word>>; 2]) {
        let vectors = count.div_ceil(self.loops.width);
        for sums in sums {
            sums.clear();
            for _ in 0..vectors {
                sums.extend_from_slice(self.nothing);
            }
        }
    }

    /// Folds the sums of i-particles after a bag or after the last one, depending on the
    /// accumulation.
    pub fn end_bag(
        &self,
        is_last: bool,
        sums: &mut [Line<S::Word>],
        lost: &mut [Line<S::Word>],
        out: &mut [Line<u64>],
    ) {
        if self.folds_each_bag != is_last {
            self.fold_with_lost(0, sums, lost, out);
        }
    }

    /// Folds sums as [`fold`](Self::fold) does; with their rounding errors if they are
    /// compensated.
    pub fn fold_with_lost(
        &self,
        i: usize,
        sums: &mut [Line<S::Word>],
        lost: &mut [Line<S::Word>],
        out: &mut [Line<u64>],
    ) {
        self.fold(i, sums, out);
        if self.accumulation == Accumulation::Compensated {
            self.setting.folding.only_numbers::<S>(lost);
            self.fold(i, lost, out);
        }
    }

    /// Folds the sums of vectors of i-particles into `out`, from `i` on, and resets them.
    pub fn fold(&self, i: usize, sums: &mut [Line<S::Word>], out: &mut [Line<u64>]) {
        let (width, words) = (self.loops.width, self.nothing.len().max(1));
        for (k, sums) in sums.chunks_mut(words).enumerate() {
            let i = i + k * width;
            let out = &mut out[i / LINE * words..];
            self.setting.folding.fold::<S>(width, sums, i % LINE, out);
            sums.copy_from_slice(self.nothing);
        }
    }
}
