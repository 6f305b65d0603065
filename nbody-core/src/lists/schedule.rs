//! Neighbour lists: each group of i-particles meets the j-particles of its list, bag by bag and
//! split by split.
//!
//! Positions are relative to the centre of the group, computed in `f64` and then rounded, for the
//! image that the list names. Such positions have more digits than absolute ones, and pairs need
//! no search for the nearest image. If a law has other points, all points stay absolute, since the
//! image belongs to the first point alone.

use crate::law::interaction::Law;
use crate::law::loops::View;
use crate::lists::bag::{Bag, GroupTargets};
use crate::lists::bags;
use crate::lists::bags::Bags;
use crate::lists::cpu::octets::Octet;
use crate::lists::listing::Listing;
use crate::memory::columns::Columns;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::numeric::simd::level::Best;
use crate::options::Accumulation;
use crate::options::{Options, SummationOrder};
use crate::order::GROUP;
use crate::pairs::schedule::{Job, Schedule};
use crate::parallel;

/// Groups that a thread evaluates at a time.
const GROUPS: usize = 16;
const BLOCKS: usize = GROUP / LINE;

/// The i-particles of a group, a bag of the j-particles that act on them, and their sums.
struct ListWork<W> {
    targets: GroupTargets<W>,
    bag: Bag<W>,
    sums: Vec<Line<W>>,
    /// The rounding errors of the sums, if the sums are compensated.
    lost: Vec<Line<W>>,
    best: Best,
}

impl Schedule for &Listing<'_> {
    fn order(&self, law: &Law, options: Options, n: usize) -> Option<SummationOrder> {
        self.is_interleaved.then(|| bags::order(law, options, n))
    }

    fn run<S: Scalar>(&self, job: &Job<'_, S>, out: &mut Columns<u64>) {
        job.listed(self, out);
    }
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates the pairs of lists.
    pub(crate) fn listed(&self, listing: &Listing, out: &mut Columns<u64>) {
        let lines = BLOCKS * self.nothing.len().max(1);
        parallel::each_chunk(out.lines_mut(), GROUPS * lines, &|first, out| {
            let mut work = ListWork {
                targets: GroupTargets::new(),
                bag: Bag::new::<S>(listing, self.j.words(), self.setting.skips_self),
                sums: Vec::new(),
                lost: Vec::new(),
                best: Best::new(),
            };
            for (group, out) in (first / lines..).zip(out.chunks_mut(lines)) {
                if listing.wants(group) && !self.interrupt.is_set() {
                    self.group(listing, group, &mut work, out);
                }
            }
        });
    }

    /// Evaluates the list of a group.
    fn group(
        &self,
        listing: &Listing,
        group: usize,
        work: &mut ListWork<S::Word>,
        out: &mut [Line<u64>],
    ) {
        let (begin, end) = (group * GROUP, self.i.len().min((group + 1) * GROUP));
        let blocks = self.i.blocks(begin / LINE..end.div_ceil(LINE));
        let of_group = (group, end - begin);
        work.best.run(
            #[inline(always)]
            || work.targets.take::<S>(listing, of_group, (blocks, self.i.words())),
        );
        self.setting.folding.begin(out);
        if listing.is_interleaved {
            self.interleaved(listing, work, out);
        } else {
            self.by_octets(listing, work, out);
        }
    }

    /// Evaluates the list of a group in bags of consecutive octets.
    fn by_octets(&self, listing: &Listing, work: &mut ListWork<S::Word>, out: &mut [Line<u64>]) {
        let group = work.targets.group;
        self.begin_sums(work.targets.count, [&mut work.sums, &mut work.lost]);
        let mut octets = listing.octets.of_group(group);
        let mut index = listing.lists.range(group).start;
        while !octets.is_empty() {
            let of_bag;
            (of_bag, octets) = octets.split_at(self.octets_of_bag(octets));
            let ListWork { bag, best, .. } = &mut *work;
            index = best.run(
                #[inline(always)]
                || bag.take_octets::<S>(listing, group, self.j.lines(), of_bag, index),
            );
            self.sum_bag(listing, work, out);
        }
        self.end_bag(true, &mut work.sums, &mut work.lost, out);
    }

    /// Returns the number of these octets in the next bag: all whose listed particles fit in a bag,
    /// but at least one.
    fn octets_of_bag(&self, octets: &[Octet]) -> usize {
        let mut count = 0;
        let is_in = |octet: &&Octet| {
            count += octet.listed().count_ones() as usize;
            count <= self.order.bag
        };
        octets.iter().take_while(is_in).count().max(1)
    }

    /// Evaluates the list of a group in the bags of every engine; the splits are merged in order.
    fn interleaved(&self, listing: &Listing, work: &mut ListWork<S::Word>, out: &mut [Line<u64>]) {
        let folding = self.setting.folding;
        let group = work.targets.group;
        let entries = listing.lists.range(group);
        let bags = Bags::new(self.order, entries.len());
        for (split, of_split) in bags.splits().enumerate() {
            let mut part = out.to_vec();
            folding.begin(&mut part);
            self.begin_sums(work.targets.count, [&mut work.sums, &mut work.lost]);
            for bag_of_split in of_split {
                let (range, step) = bags.entries(bag_of_split);
                if range.is_empty() {
                    continue;
                }
                let range = entries.start + range.start..entries.start + range.end;
                work.bag.take_entries::<S>(listing, group, self.j.lines(), (range, step));
                self.sum_bag(listing, work, &mut part);
            }
            self.end_bag(true, &mut work.sums, &mut work.lost, &mut part);
            if split == 0 {
                out.copy_from_slice(&part);
            } else {
                folding.fold_blocks::<f64>(&part, out);
            }
        }
    }

    /// Adds the effect of a bag on the particles of its group to their sums.
    fn sum_bag(&self, listing: &Listing, work: &mut ListWork<S::Word>, out: &mut [Line<u64>]) {
        let (width, words) = (self.loops.width, self.nothing.len());
        let ListWork { targets, bag, sums, lost, .. } = &mut *work;
        let is_compensated = self.accumulation == Accumulation::Compensated;
        for vector in 0..targets.count.div_ceil(width) {
            let range = vector * width..(vector + 1) * width;
            bag.choose(range.clone());
            let i = View { lines: &targets.lines, first: 0, range };
            let of_vector = vector * words..(vector + 1) * words;
            for j in bag.listed(listing) {
                let lost = is_compensated.then(|| &mut lost[of_vector.clone()]);
                self.loops.listed(self.setting, &i, &j, &mut sums[of_vector.clone()], lost);
            }
        }
        self.end_bag(false, sums, lost, out);
    }
}
