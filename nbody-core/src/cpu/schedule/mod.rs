//! Schedules: which pairs are evaluated, in which order, on which thread, and where the sums go. Each is
//! one file; the loops that they call, and the folding of sums, do not depend on the schedule.

mod list;
mod listed_bag;
mod ordered;
mod symmetric;
mod tree;

use std::ops::Range;

use super::columns::Columns;
use super::loops::{Loops, Setting, View};
pub(super) use list::{Listing, Placed};
pub(super) use tree::Walks;

use crate::numeric::simd::{LINE, Line};
use crate::{Accumulation, Law, Options, Scalar, SummationOrder};

/// The schedules of the CPU.
#[derive(Clone, Copy)]
pub(super) enum Schedule<'a> {
    /// Every ordered pair, in a [`SummationOrder`].
    Ordered,
    /// Both directions of every pair of one set at once.
    Symmetric,
    /// The pairs of neighbour lists, of particles in their order.
    List(&'a Listing<'a>),
    /// The pairs of the walks of a tree, of particles in its order.
    Tree(&'a Walks<'a>),
}

impl Schedule<'_> {
    /// Chooses the schedule for `n` i-particles; if `one_set`, they are also the j-particles.
    pub fn choose(options: &Options, law: &Law, n: usize, one_set: bool) -> Self {
        if one_set && symmetric::is_chosen(options, law, n) {
            Self::Symmetric
        } else {
            Self::Ordered
        }
    }
}

/// One evaluation, for a schedule to carry out.
pub(super) struct Job<'a, S: Scalar> {
    pub loops: &'a Loops<S::Word>,
    pub setting: &'a Setting<'a, S::Word>,
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
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates pairs by a schedule, or by ordered pairs if the law has no loops for it.
    pub fn evaluate(&self, schedule: Schedule<'_>, out: &mut Columns<u64>) {
        match (schedule, self.loops.symmetric) {
            (Schedule::Symmetric, Some(pairs)) => self.symmetric(pairs, out),
            (Schedule::List(listing), _) => self.listed(listing, out),
            (Schedule::Tree(walks), _) => self.walks(walks, out),
            _ => self.ordered(out),
        }
    }

    /// Returns some i-particles, a whole number of vectors.
    fn i_view(&self, range: Range<usize>) -> View<'_, S::Word> {
        View { lines: self.i.lines(), first: 0, range }
    }

    /// Returns some j-particles.
    fn j_view(&self, range: Range<usize>) -> View<'_, S::Word> {
        View { lines: self.j.lines(), first: 0, range }
    }

    /// Returns the bags of a range; the last one may be shorter.
    fn bags(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<S> {
        let (end, bag) = (range.end, self.order.bag);
        range.step_by(bag).map(move |start| start..end.min(start.saturating_add(bag)))
    }

    /// Sets the sums of `count` i-particles, and their rounding errors, to the result without any
    /// pair.
    fn begin_sums(&self, count: usize, sums: [&mut Vec<Line<S::Word>>; 2]) {
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
    fn end_bag(
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
    fn fold_with_lost(
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
    fn fold(&self, i: usize, sums: &mut [Line<S::Word>], out: &mut [Line<u64>]) {
        let (width, words) = (self.loops.width, self.nothing.len().max(1));
        for (k, sums) in sums.chunks_mut(words).enumerate() {
            let i = i + k * width;
            let out = &mut out[i / LINE * words..];
            self.setting.folding.fold::<S>(width, sums, i % LINE, out);
            sums.copy_from_slice(self.nothing);
        }
    }
}
