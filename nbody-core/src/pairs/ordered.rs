//! Every ordered pair: the schedule of the GPU, with vectors of i-particles in place of threads.
//!
//! Each j-particle in turn is broadcast to every element of a vector, and acts on all vectors of
//! i-particles that the registers hold at once. Each i-particle sums in the order of the
//! j-particles, so that the order depends neither on the instructions nor on the number of threads.

use std::ops::Range;

use crate::law::loops::View;
use crate::memory::columns::Columns;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::Line;
use crate::options::Accumulation;
use crate::pairs::schedule::{Job, Schedule};

/// Lines of particles in an i-block, the task of a thread.
const LINES: usize = 4;

/// Every ordered pair, in a [`SummationOrder`](crate::options::SummationOrder).
#[derive(Clone, Copy, Default)]
pub(crate) struct OrderedPairs {
    /// The index in its set of the first i-particle.
    pub first: usize,
}

impl Schedule for OrderedPairs {
    fn run<S: Scalar>(&self, job: &Job<'_, S>, out: &mut Columns<u64>) {
        job.ordered(self.first, out);
    }
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates every ordered pair; the splits of the j-particles are merged in order. `first` is
    /// the index in its set of the first i-particle.
    pub(crate) fn ordered(&self, first: usize, out: &mut Columns<u64>) {
        let nj = self.j.len();
        let split = self.order.bags_per_split(nj).saturating_mul(self.order.bag);
        let folding = self.setting.folding;
        self.each_block(out, LINES, |i, out| {
            self.i_block((first, i.clone()), 0..nj.min(split), out);
            for start in (0..nj).step_by(split).skip(1) {
                let mut part = out.to_vec();
                folding.begin(&mut part);
                let j = start..nj.min(start.saturating_add(split));
                self.i_block((first, i.clone()), j, &mut part);
                folding.fold_blocks::<f64>(&part, out);
            }
        });
    }

    /// Adds to `out` the effect of a range of j-particles, a whole number of bags, on a block of
    /// i-particles. `first` is the index in its set of the first i-particle of all.
    pub(crate) fn i_block(
        &self,
        (first, i): (usize, Range<usize>),
        j: Range<usize>,
        out: &mut [Line<u64>],
    ) {
        let width = self.loops.width;
        let compensated = self.accumulation == Accumulation::Compensated;
        let mut next = i.start;
        while next < i.end {
            let room = (i.end - next) / width;
            let several = !compensated && room >= self.loops.vectors;
            let vectors = if several { self.loops.vectors } else { 1 };
            let of_i = View { first, ..self.i_view(next..next + width) };
            self.sum_bags((next - i.start, vectors), j.clone(), out, |bag, sums, lost| {
                if compensated {
                    self.loops.one(self.setting, &of_i, &self.j_view(bag), sums, lost);
                } else {
                    self.bag((first, next), vectors, several, bag, sums);
                }
            });
            next += vectors * width;
        }
    }

    /// Adds the effect of a bag on some vectors of i-particles.
    fn bag(
        &self,
        (first, i): (usize, usize),
        vectors: usize,
        several: bool,
        bag: Range<usize>,
        sums: &mut [Line<S::Word>],
    ) {
        let (width, words) = (self.loops.width, self.nothing.len());
        let skips_self = self.setting.skips_self;
        let several_at_once = |j: Range<usize>, sums: &mut [Line<S::Word>]| {
            if several && !j.is_empty() {
                let i = View { first, ..self.i_view(i..i + vectors * width) };
                self.loops.several(self.setting, &i, &self.j_view(j), sums);
            }
        };
        // The particles of the bag that are among these i-particles.
        let clamp = |k: usize| if skips_self { k.clamp(bag.start, bag.end) } else { bag.end };
        let own = first + i..first + i + vectors * width;
        let own = if several { clamp(own.start)..clamp(own.end) } else { bag.clone() };
        several_at_once(bag.start..own.start, sums);
        for vector in (0..vectors).filter(|_| !own.is_empty()) {
            let sums = &mut sums[vector * words..][..words];
            let i = i + vector * width;
            let i = View { first, ..self.i_view(i..i + width) };
            self.loops.one(self.setting, &i, &self.j_view(own.clone()), sums, None);
        }
        several_at_once(own.end..bag.end, sums);
    }
}
