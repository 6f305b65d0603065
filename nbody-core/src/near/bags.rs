//! Bags of lists, and the order of summation over them.

use std::ops::Range;

use crate::law::pack::{dim, words};
use crate::{Law, Mixed, Options, Precision, SummationOrder};

/// Splits of lists, for up to so many i-particles: fewer groups than a GPU needs to be busy share the work of
/// each list out.
const SPLITS: [(usize, usize); 2] = [(16_384, 4), (131_072, 2)];
/// The most j-particles in the bags of all splits of a list, and the most bytes of such a particle and of its
/// result with which they fit in the shared memory of a block.
const STAGED: usize = 512;
const BYTES: [usize; 2] = [32, 64];

/// Returns the order of summation over the lists of `n` i-particles: the one that is asked for, if any.
pub fn order(law: &Law, options: Options, n: usize) -> SummationOrder {
    options.order.unwrap_or_else(|| {
        let of_j = match options.precision {
            Precision::Single => words::<f32>(law.j) * size_of::<f32>(),
            Precision::Double => words::<f64>(law.j) * size_of::<f64>(),
            Precision::Mixed => words::<Mixed>(law.j) * size_of::<f32>(),
        };
        let bytes = [of_j, dim(law.f) * size_of::<f64>()];
        let fits = bytes.iter().zip(BYTES).all(|(&bytes, most)| bytes <= most);
        match SPLITS.iter().find(|&&(most, _)| fits && n <= most) {
            Some(&(_, splits)) => SummationOrder { bag: STAGED / splits, splits },
            None => SummationOrder::default(),
        }
    })
}

/// The bags of a list on a GPU, and in exact mathematics everywhere. They are interleaved: bag b of B has
/// entries b, b + B, b + 2 B and so on. Entries that follow each other are close to the same i-particles, which
/// would have most of the hits of such a bag, while the others wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bags {
    splits: usize,
    per_split: usize,
    entries: usize,
}

impl Bags {
    /// Returns the bags of a list of this many entries.
    pub fn new(order: SummationOrder, entries: usize) -> Self {
        let (splits, per_split) = (order.splits.max(1), order.bags_per_split(entries));
        Self { splits, per_split, entries }
    }

    /// Returns the bags of each split that has entries, and of the first one. The sums of the others would
    /// change nothing.
    pub fn splits(self) -> impl Iterator<Item = Range<usize>> {
        let filled = self.entries.div_ceil(self.per_split).max(1);
        let splits = 0..self.splits.min(filled);
        splits.map(move |split| split * self.per_split..(split + 1) * self.per_split)
    }

    /// Returns the range that has the entries of a bag, and the step from one to the next.
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
