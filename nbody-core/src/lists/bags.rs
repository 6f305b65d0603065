//! Bags of lists, and the order of summation over them.

use std::ops::Range;

use crate::field::Field;
use crate::law::interaction::Law;
use crate::numeric::mixed::Mixed;
use crate::numeric::precision::Precision;
use crate::options::{Options, SummationOrder};
use crate::records::pack::words;
use crate::records::record::dim;

/// Splits of each list, for at most this many i-particles: too few groups to keep a GPU busy share
/// the work of a list.
const SPLITS: [(usize, usize); 2] = [(16_384, 4), (131_072, 2)];
/// The most j-particles in the bags of all splits of a list. They fit into the shared memory of a
/// block if a j-particle and its result take at most [`BYTES`] each.
const STAGED: usize = 512;
const BYTES: [usize; 2] = [32, 64];

/// Shared memory of a block in bytes, available on every GPU.
const SHARED_MEMORY: usize = 48 * 1024;
/// Threads of a warp, and candidates for each word of its hits.
const WARP: usize = 32;
/// Alignment of j-particles in a bag, and bytes of the index of a j-particle.
const ALIGNED: usize = 16;
/// Additional bytes for each j-particle in a bag: its screen, and the mask of the i-particles it
/// acts on.
const BESIDE: usize = 8;
/// Bytes of a warp's hits for one word, of a warp's places and table, and of the images of a
/// block.
const HITS: usize = 8;
const TABLE: usize = 2200;
const IMAGES: usize = 648;

/// Returns the order of summation over the lists of `n` i-particles: the requested order, if any,
/// else an order whose bags fit into every GPU, even with excluded pairs.
pub fn order(law: &Law, options: Options, n: usize) -> SummationOrder {
    options.order.unwrap_or_else(|| {
        let bytes = [bytes_of(law.j, options.precision), dim(law.f) * size_of::<f64>()];
        let fits = bytes.iter().zip(BYTES).all(|(&bytes, most)| bytes <= most);
        let shared = SPLITS.iter().filter(|&&(most, _)| fits && n <= most);
        let shared = shared.map(|&(_, splits)| SummationOrder { bag: STAGED / splits, splits });
        let halves = |&bag: &usize| (bag > WARP).then_some(bag / 2);
        let whole = std::iter::successors(Some(SummationOrder::default().bag), halves);
        let mut orders = shared.chain(whole.map(|bag| SummationOrder { bag, splits: 1 }));
        let least = SummationOrder { bag: WARP, splits: 1 };
        orders.find(|order| shared_memory(law, options, *order) <= SHARED_MEMORY).unwrap_or(least)
    })
}

fn bytes_of(fields: &[Field], precision: Precision) -> usize {
    match precision {
        Precision::Single => words::<f32>(fields) * size_of::<f32>(),
        Precision::Double => words::<f64>(fields) * size_of::<f64>(),
        Precision::Mixed => words::<Mixed>(fields) * size_of::<f32>(),
    }
}

/// Returns the shared memory in bytes that a block needs for this order, at most.
fn shared_memory(law: &Law, options: Options, order: SummationOrder) -> usize {
    let SummationOrder { bag, splits } = order;
    let keeps_index = law.f.iter().any(|field| field.kind.keeps_index());
    let index = if keeps_index { ALIGNED } else { 0 };
    let slot = bytes_of(law.j, options.precision).next_multiple_of(ALIGNED).max(ALIGNED);
    let words = bag.div_ceil(WARP);
    let of_bag = words * WARP * (slot + index + BESIDE) + (words + 2) * WARP * HITS;
    let parameters = bytes_of(law.parameters, options.precision).next_multiple_of(ALIGNED);
    let backup = if options.backup() == Precision::Single { 4 } else { 8 };
    let merged = (splits - 1) * dim(law.f) * backup * WARP;
    splits * (of_bag + TABLE) + merged + parameters + IMAGES
}

/// The bags of a list, on a GPU and in exact mathematics everywhere. Bags are interleaved: bag b
/// of B has the entries b, b + B, b + 2 B and so on. Consecutive entries are close to the same
/// i-particles: a bag of them would have most of the hits while the other bags wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bags {
    splits: usize,
    per_split: usize,
    entries: usize,
}

impl Bags {
    /// Divides a list of this many entries into bags.
    pub fn new(order: SummationOrder, entries: usize) -> Self {
        let (splits, per_split) = (order.splits.max(1), order.bags_per_split(entries));
        Self { splits, per_split, entries }
    }

    /// Returns the bags of the first split, and of every other split with entries. Sums over empty
    /// splits would change nothing.
    pub fn splits(self) -> impl Iterator<Item = Range<usize>> {
        let filled = self.entries.div_ceil(self.per_split).max(1);
        let splits = 0..self.splits.min(filled);
        splits.map(move |split| split * self.per_split..(split + 1) * self.per_split)
    }

    /// Returns a range and a step: the entries of a bag are every `step`-th of the range.
    pub fn entries(self, bag: usize) -> (Range<usize>, usize) {
        (bag.min(self.entries)..self.entries, self.splits.saturating_mul(self.per_split))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_entry_is_in_one_bag(entries in 0..2000_usize, bag in 1..300_usize, splits in 1..9_usize) {
            let bags = Bags::new(SummationOrder { bag, splits }, entries);
            let entries_of = |bag| {
                let (range, step) = bags.entries(bag);
                range.step_by(step)
            };
            let mut all: Vec<_> = bags.splits().flatten().flat_map(entries_of).collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..entries));
            prop_assert!(bags.splits().flatten().all(|one| entries_of(one).len() <= bag));
            let filled = (0..splits).filter(|split| split * bags.per_split < entries).count();
            prop_assert_eq!(bags.splits().count(), filled.max(1));
        }
    }
}
