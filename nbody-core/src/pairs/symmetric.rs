//! Both directions of a pair at once, by Newton's third law or a parity like it: (i, j) and (j, i)
//! are evaluated together.
//!
//! The particles are divided into i-blocks. In a pair of blocks, one block provides vectors of
//! i-particles, whose sums are in memory. The other provides j-particles, a few at a time, whose
//! sums stay in registers until they have acted on the whole first block. Pairs of blocks are in
//! round-robin order: in a round each block has at most one partner.
//!
//! No thread waits for another. Each takes the next pair of blocks and sums their effects on each
//! other into parts of its own. Parts are added to the results of a block in the order of the
//! rounds, so that the order of all sums is the same for every number of threads; an early part is
//! kept until its turn. This is rare unless a thread is delayed, and then the kept parts take at
//! most the memory of two copies of the results.

use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::law::interaction::Law;
use crate::law::loops::CANDIDATES;
use crate::memory::columns::Columns;
use crate::memory::folding::Folding;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::options::{Accumulation, Options, Pairs};
use crate::pairs::schedule::{Job, Schedule};
use crate::parallel;

/// Numbers of particles of the largest and of the smallest i-block.
const LARGEST: usize = 512;
const SMALLEST: usize = 128;
/// The smallest vectors have two elements.
const _: () = assert!(LARGEST / 2 <= CANDIDATES, "a block has more vectors than candidates");
/// Number of blocks whose pairs occupy many threads.
const BLOCKS: usize = 32;

/// Smallest number of particles for which symmetric pairs are faster than ordered ones. It is the
/// same for any number of threads, so that results do not depend on that number. With fewer
/// particles there are too few pairs of blocks for all threads.
const FEWEST: usize = BLOCKS * SMALLEST;

/// Both directions of every pair of one set at once, or ordered pairs where the law has no loops
/// for both.
#[derive(Clone, Copy)]
pub(crate) struct SymmetricPairs;

impl Schedule for SymmetricPairs {
    fn run<S: Scalar>(&self, job: &Job<'_, S>, out: &mut Columns<u64>) {
        if job.loops.has_symmetric() { job.symmetric(out) } else { job.ordered(0, out) }
    }
}

/// Tests whether this schedule is chosen for one set of `n` particles, if the law has loops for
/// it.
pub(crate) fn is_chosen(options: &Options, law: &Law, n: usize) -> bool {
    let &Options { pairs, order, accumulation, .. } = options;
    let possible = order.is_none() && accumulation != Accumulation::Compensated;
    // With a cutoff most pairs are likely to be beyond it, and the cutoff filter is faster for
    // ordered pairs.
    let pays = n >= FEWEST && !law.cutoff;
    possible && (pairs == Pairs::Symmetric || pairs == Pairs::Auto && pays)
}

/// Returns the number of particles of an i-block.
fn block_of(n: usize) -> usize {
    (n / BLOCKS / LINE * LINE).clamp(SMALLEST, LARGEST)
}

/// The pairs of blocks in the order of their rounds, by the circle method: one block is fixed, the
/// others rotate around it.
#[derive(Clone, Copy)]
struct RoundRobin {
    blocks: usize,
    /// Number of blocks, rounded up to an even number: the partner of the added block pauses.
    players: usize,
}

impl RoundRobin {
    fn new(blocks: usize) -> Self {
        Self { blocks, players: blocks.next_multiple_of(2) }
    }

    /// Returns the number of pairs: each block with itself, and the pairs of all rounds.
    fn count(self) -> usize {
        self.blocks + self.players.saturating_sub(1) * (self.players / 2)
    }

    /// Returns the round and the two blocks, the lower one first. In round 0 each block meets
    /// itself.
    fn meeting(self, index: usize) -> (usize, [usize; 2]) {
        let Some(index) = index.checked_sub(self.blocks) else { return (0, [index; 2]) };
        let tables = self.players / 2;
        let (round, table) = (1 + index / tables, index % tables);
        let circle = self.players - 1;
        let one = if table == 0 { circle } else { (round + table) % circle };
        let other = (round + circle - table) % circle;
        (round, [one.min(other), one.max(other)])
    }
}

/// The results of a block, to which a part is added in each round.
struct Sums<'a> {
    results: &'a mut [Line<u64>],
    /// The round whose part is added next.
    round: usize,
    /// Parts of later rounds.
    early: Vec<(usize, Vec<Line<u64>>)>,
}

impl Sums<'_> {
    /// Adds the part of a round, or keeps it until all earlier parts have been added.
    fn add(&mut self, folding: &Folding, round: usize, part: &mut Vec<Line<u64>>) {
        if round != self.round {
            self.early.push((round, mem::take(part)));
            return;
        }
        self.fold(folding, part);
        while let Some(next) = self.early.iter().position(|(round, _)| *round == self.round) {
            let (_, part) = self.early.swap_remove(next);
            self.fold(folding, &part);
        }
    }

    fn fold(&mut self, folding: &Folding, part: &[Line<u64>]) {
        folding.fold_blocks::<f64>(part, self.results);
        self.round += 1;
    }
}

/// Buffers for the sums of a thread, reused from one pair of blocks to the next.
struct Workspace<W> {
    i_sums: Vec<Line<W>>,
    j_sums: Vec<Line<W>>,
    parts: [Vec<Line<u64>>; 2],
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates both directions of every pair of one set.
    pub(crate) fn symmetric(&self, out: &mut Columns<u64>) {
        let (n, words) = (out.len(), out.words().max(1));
        let folding = self.setting.folding;
        let block = block_of(n);
        let range = |k: usize| k * block..n.min((k + 1) * block);
        let blocks = out.lines_mut().chunks_mut(block / LINE * words).map(|results| {
            folding.begin(results);
            Mutex::new(Sums { results, round: 0, early: Vec::new() })
        });
        let blocks: Vec<_> = blocks.collect();
        let robin = RoundRobin::new(blocks.len());
        let next = AtomicUsize::new(0);
        parallel::each(parallel::threads().min(robin.count()), &|_| {
            let mut space = Workspace {
                i_sums: Vec::new(),
                j_sums: Vec::new(),
                parts: [Vec::new(), Vec::new()],
            };
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= robin.count() || self.interrupt.is_set() {
                    break;
                }
                let (round, [first, second]) = robin.meeting(index);
                if first == second {
                    self.own(range(first), &mut space);
                } else if second < blocks.len() {
                    self.meet([range(first), range(second)], &mut space);
                } else {
                    space.parts[0].clear();
                }
                let count = if first == second { 1 } else { 2 };
                for (block, part) in [first, second].into_iter().zip(&mut space.parts).take(count) {
                    if let Some(sums) = blocks.get(block) {
                        let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
                        sums.add(folding, round, part);
                    }
                }
            }
        });
    }

    /// Sums the effects of the particles of a block on one another.
    fn own(&self, range: Range<usize>, space: &mut Workspace<S::Word>) {
        let part = &mut space.parts[0];
        self.begin(range.len(), part);
        self.i_block((0, self.i_range(range.start, part)), range, part);
    }

    /// Begins a part for this many particles with the result without any pair.
    fn begin(&self, particles: usize, part: &mut Vec<Line<u64>>) {
        part.resize(particles.div_ceil(LINE) * self.nothing.len(), Line([0; LINE]));
        self.setting.folding.begin(part);
    }

    /// Sums the effects of the particles of two blocks on one another; the first block is full.
    fn meet(&self, [i, j]: [Range<usize>; 2], space: &mut Workspace<S::Word>) {
        let words = self.nothing.len();
        let Workspace { i_sums, j_sums, parts: [i_part, j_part] } = space;
        self.begin(i.len(), i_part);
        self.begin(j.len(), j_part);
        for (sums, vectors) in
            [(&mut *i_sums, i.len() / self.loops.width), (&mut *j_sums, j.len().div_ceil(LINE))]
        {
            sums.clear();
            (0..vectors).for_each(|_| sums.extend_from_slice(self.nothing));
        }
        let i = self.i_view(i);
        for bag in self.bags(j.clone()) {
            let j_sums = &mut j_sums[(bag.start - j.start) / LINE * words..];
            self.loops.symmetric(self.setting, &i, &self.j_view(bag), i_sums, j_sums);
            if self.folds_each_bag {
                self.fold(0, i_sums, i_part);
            }
        }
        if !self.folds_each_bag {
            self.fold(0, i_sums, i_part);
        }
        self.setting.folding.fold_blocks::<S>(j_sums, j_part);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_two_blocks_meet_once_and_no_block_twice_in_a_round() {
        for blocks in 0..20 {
            let robin = RoundRobin::new(blocks);
            let mut met = HashSet::new();
            let mut rounds = vec![0; blocks];
            for index in 0..robin.count() {
                let (round, pair) = robin.meeting(index);
                assert!(met.insert(pair), "{pair:?} of {blocks} again");
                for (k, block) in pair.into_iter().enumerate() {
                    if block < blocks && (k == 0 || pair[0] != pair[1]) {
                        // Its parts are in the order of rounds, one for each.
                        assert_eq!(rounds[block], round, "{block} of {blocks}");
                        rounds[block] += 1;
                    }
                }
            }
            met.retain(|pair| pair[1] < blocks);
            assert_eq!(met.len(), blocks * (blocks + 1) / 2);
        }
    }

    #[test]
    fn parts_are_added_in_the_order_of_rounds_whenever_they_come() {
        let fields = [crate::field::Field { name: "", kind: crate::field::FieldKind::Real }];
        let folding = Folding::new(&fields, crate::numeric::precision::Precision::Double);
        // This sum depends on the order.
        let parts = [1e16, 1.0, -1e16, 3.0];
        let expected = parts.iter().fold(0.0, |sum, part| sum + part);
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1], [1, 2, 3, 0]] {
            let mut results = [Line([0_u64; LINE])];
            let mut sums = Sums { results: &mut results, round: 0, early: Vec::new() };
            for round in order {
                let part: f64 = parts[round];
                sums.add(&folding, round, &mut vec![Line([part.to_bits(); LINE])]);
            }
            assert!(sums.round == 4 && sums.early.is_empty());
            assert_eq!(results[0].0.map(f64::from_bits), [expected; LINE], "{order:?}");
        }
    }
}
