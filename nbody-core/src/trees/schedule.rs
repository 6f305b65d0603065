//! Trees: each group of i-particles meets itself, if i and j are one set, and then the particles
//! and far particles of its walk, bag by bag.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::law::loops::{PairSetting, View};
use crate::memory::columns::Columns;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::numeric::simd::level::Best;
use crate::options::Accumulation;
use crate::order::GROUP;
use crate::pairs::schedule::{Job, Schedule};
use crate::parallel;
use crate::ranks::dealt::Dealt;
use crate::trees::walk::{CellTree, Walked};

/// Groups that a thread evaluates at a time.
const GROUPS: usize = 16;
const BLOCKS: usize = GROUP / LINE;

/// The tree of an evaluation, and the i-particles in the order of its curve.
pub(crate) struct Walks<'a> {
    pub tree: &'a CellTree,
    /// The positions of the i-particles, wrapped into a periodic box.
    pub positions: &'a [[f64; 3]],
    /// i- and j-particles are one set.
    pub one_set: bool,
    /// The groups of this rank, and the rows of their sums.
    pub dealt: Dealt,
    pub rank: usize,
    /// Whether the results of each group are wanted; `None` if all are.
    pub wanted: Option<Vec<bool>>,
    /// The binary logarithm of the greatest permitted error of each group, if cells are opened by
    /// estimates of errors.
    pub most: Option<&'a [f32]>,
    /// Number of cells tested.
    pub tested: AtomicU64,
    /// Number of pairs evaluated.
    pub evaluations: AtomicU64,
}

/// The bag and the sums of a group.
struct WalkWork<W> {
    walked: Walked,
    bag: Vec<Line<W>>,
    sums: Vec<Line<W>>,
    /// The rounding errors of the sums, if the sums are compensated.
    lost: Vec<Line<W>>,
    best: Best,
}

impl Walks<'_> {
    /// Returns the group with these rows, if this rank is to walk for it.
    fn group_of_rows(&self, rows: usize, mine: &Range<usize>) -> Option<usize> {
        let row = rows * GROUP;
        let group = self.dealt.place(row).filter(|_| mine.contains(&row))? / GROUP;
        self.wanted.as_ref().is_none_or(|wanted| wanted[group]).then_some(group)
    }
}

impl Schedule for &Walks<'_> {
    fn run<S: Scalar>(&self, job: &Job<'_, S>, out: &mut Columns<u64>) {
        job.walks(self, out);
    }
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates the walk of each group of this rank.
    pub(crate) fn walks(&self, walks: &Walks, out: &mut Columns<u64>) {
        let lines = BLOCKS * self.nothing.len().max(1);
        let mine = walks.dealt.shares().range(walks.rank);
        parallel::each_chunk(out.lines_mut(), GROUPS * lines, &|first, out| {
            let (walked, bag, sums, lost) = Default::default();
            let mut work = WalkWork { walked, bag, sums, lost, best: Best::new() };
            for (k, out) in (first / lines..).zip(out.chunks_mut(lines)) {
                if self.interrupt.is_set() {
                    return;
                }
                if let Some(group) = walks.group_of_rows(k, &mine) {
                    self.walk_of_group(walks, group, &mut work, out);
                }
            }
        });
    }

    fn walk_of_group(
        &self,
        walks: &Walks,
        group: usize,
        work: &mut WalkWork<S::Word>,
        out: &mut [Line<u64>],
    ) {
        let begin = group * GROUP;
        let particles = begin..self.i.len().min(begin + GROUP);
        let of_group = walks
            .tree
            .group(&walks.positions[particles.clone()], walks.most.map(|most| most[group]));
        let own = if walks.one_set { particles.clone() } else { 0..0 };
        let without = own.start as u32..own.end as u32;
        walks.tree.walk(&of_group, without, &mut work.walked, work.best);
        self.setting.folding.begin(out);
        self.begin_sums(particles.len(), [&mut work.sums, &mut work.lost]);
        for bag in self.bags(own) {
            let mut sums = std::mem::take(&mut work.sums);
            let mut lost = std::mem::take(&mut work.lost);
            let j = self.j_view(bag);
            self.bag_of_group(self.setting, particles.clone(), &j, &mut sums, &mut lost, out);
            (work.sums, work.lost) = (sums, lost);
        }
        let setting = PairSetting { skips_self: false, ..*self.setting };
        let WalkWork { walked, bag, sums, lost, .. } = &mut *work;
        for entries in walked.entries().chunks(self.order.bag) {
            self.fill(entries, bag);
            let j = View { lines: bag, first: 0, range: 0..entries.len() };
            self.bag_of_group(&setting, particles.clone(), &j, sums, lost, out);
        }
        let meeting = walked.entries().len() + if walks.one_set { particles.len() } else { 0 };
        walks.evaluations.fetch_add((meeting * particles.len()) as u64, Ordering::Relaxed);
        walks.tested.fetch_add(std::mem::take(&mut walked.tested), Ordering::Relaxed);
        self.end_bag(true, &mut work.sums, &mut work.lost, out);
    }

    /// Copies j-particles into a bag.
    fn fill(&self, entries: &[u32], bag: &mut Vec<Line<S::Word>>) {
        let (lines, words) = (self.j.lines(), self.j.words());
        let needed = entries.len().div_ceil(LINE) * words;
        bag.resize(bag.len().max(needed), Line([S::Word::default(); LINE]));
        match words {
            3 => copy::<_, 3>(lines, entries, bag),
            4 => copy::<_, 4>(lines, entries, bag),
            5 => copy::<_, 5>(lines, entries, bag),
            7 => copy::<_, 7>(lines, entries, bag),
            _ => {
                for (to, entries) in bag.chunks_mut(words.max(1)).zip(entries.chunks(LINE)) {
                    for (k, &entry) in entries.iter().enumerate() {
                        let from = &lines[entry as usize / LINE * words..][..words];
                        for (to, from) in to.iter_mut().zip(from) {
                            to.0[k] = from.0[entry as usize % LINE];
                        }
                    }
                }
            }
        }
    }

    /// Adds the effect of a bag on the particles of a group to their sums.
    fn bag_of_group(
        &self,
        setting: &PairSetting<'_, S::Word>,
        particles: Range<usize>,
        j: &View<'_, S::Word>,
        sums: &mut [Line<S::Word>],
        lost: &mut [Line<S::Word>],
        out: &mut [Line<u64>],
    ) {
        let (width, words) = (self.loops.width, self.nothing.len());
        let is_compensated = self.accumulation == Accumulation::Compensated;
        let vectors = particles.len().div_ceil(width);
        let takes_several = !is_compensated && !setting.skips_self && !j.range.is_empty();
        let mut vector = 0;
        while vector < vectors {
            let i = particles.start + vector * width;
            let count = match vectors - vector {
                left if !takes_several || left == 1 => 1,
                left if left >= self.loops.vectors => self.loops.vectors,
                _ => 2,
            };
            let of_vectors = vector * words..(vector + count) * words;
            let sums = &mut sums[of_vectors.clone()];
            let i = self.i_view(i..i + count * width);
            if count > 1 {
                self.loops.several(setting, &i, j, sums);
            } else {
                let lost = is_compensated.then(|| &mut lost[of_vectors]);
                self.loops.one(setting, &i, j, sums, lost);
            }
            vector += count;
        }
        self.end_bag(false, sums, lost, out);
    }
}

/// Copies records of `N` words to the blocks of a bag. The number of words is known to the
/// compiler.
fn copy<W: Copy, const N: usize>(lines: &[Line<W>], entries: &[u32], bag: &mut [Line<W>]) {
    let (blocks, _) = lines.as_chunks::<N>();
    let (bag, _) = bag.as_chunks_mut::<N>();
    for (to, entries) in bag.iter_mut().zip(entries.chunks(LINE)) {
        for (k, &entry) in entries.iter().enumerate().take(LINE) {
            let from = &blocks[entry as usize / LINE];
            for word in 0..N {
                to[word].0[k] = from[word].0[entry as usize % LINE];
            }
        }
    }
}
