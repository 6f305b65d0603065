//! Both directions of a pair at once (Newton's third law, and more): each unordered pair of one
//! set is evaluated once.
//!
//! The particles are cut into tiles. Those of one tile meet those of another as vectors of
//! i-particles, whose sums are in memory, and as j-particles, a few at a time, whose sums are in
//! registers until they have met the whole tile. The tiles meet in rounds, as in a tournament: in
//! a round each has one partner at most, so that no two threads add to the same sums, and the
//! order of the rounds is that of the sums.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::columns::Columns;
use super::loops::{AT_ONCE, Both, MOST_NOTES};
use super::ordered::{Job, bags};
use crate::numeric::simd::{LINE, Line};
use crate::{Scalar, parallel};

/// Particles of the largest tile, and of the smallest.
const LARGEST: usize = 512;
const SMALLEST: usize = 128;
/// The smallest vectors have two elements.
const _: () = assert!(LARGEST / 2 <= MOST_NOTES, "a tile has more vectors than can be noted");
/// Tiles that keep some threads busy.
const TILES: usize = 32;

/// From so many particles on it pays to evaluate both directions at once.
pub(crate) const FEWEST: usize = 2 * TILES * LINE;

/// The particles of a tile.
fn tile_of(n: usize) -> usize {
    (n / TILES / LINE * LINE).clamp(SMALLEST, LARGEST)
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates both directions of every pair of one set.
    pub fn tournament(&self, both: Both<S::Word>, out: &mut Columns<u64>) {
        let (n, words) = (out.len(), out.words().max(1));
        let tile = tile_of(n);
        let range = |k: usize| k * tile..n.min((k + 1) * tile);
        let tiles: Vec<_> =
            out.lines_mut().chunks_mut(tile / LINE * words).map(Mutex::new).collect();
        let sums = |k: usize| tiles[k].lock().unwrap_or_else(PoisonError::into_inner);
        // In one of the pool's threads, so that the rounds need not wake it.
        rayon::scope(|_| {
            parallel::each(tiles.len(), &|k| self.own(range(k), &mut sums(k)));
            // The circle method: one tile stays, the others go round it.
            let players = tiles.len().next_multiple_of(2);
            for round in 1..players {
                parallel::each(players / 2, &|table| {
                    let circle = players - 1;
                    let one = if table == 0 { circle } else { (round + table) % circle };
                    let other = (round + circle - table) % circle;
                    let (first, second) = (one.min(other), one.max(other));
                    if second < tiles.len() {
                        let sums = [&mut *sums(first), &mut *sums(second)];
                        self.meet(
                            both,
                            [range(first), range(second)],
                            sums.map(|sums| &mut **sums),
                        );
                    }
                });
            }
        });
    }

    /// What the particles of a range of whole blocks do to one another.
    fn own(&self, range: Range<usize>, out: &mut [Line<u64>]) {
        self.folding.begin(out);
        self.tile(range.start / LINE, range, out);
    }

    /// Adds what the particles of two ranges do to one another: of whole blocks the first, of any
    /// number the second, which comes after the first.
    fn meet(
        &self,
        both: Both<S::Word>,
        [i, j]: [Range<usize>; 2],
        [i_out, j_out]: [&mut [Line<u64>]; 2],
    ) {
        let words = self.nothing.len();
        let mut i_sums = self.nothing.repeat(i.len() / self.loops.width);
        let mut j_sums = self.nothing.repeat(j.len().div_ceil(LINE));
        for bag in bags(j.clone(), self.bag) {
            let end = bag.end;
            for k in bag.step_by(AT_ONCE) {
                let at = k - j.start;
                let j_sums = &mut j_sums[at / LINE * words..];
                let j = k..end.min(k + AT_ONCE);
                both(self.sets, i.clone(), j, &mut i_sums, at % LINE, j_sums);
            }
            if self.accumulation.folds_each_bag() {
                self.fold(0, &mut i_sums, i_out);
            }
        }
        if !self.accumulation.folds_each_bag() {
            self.fold(0, &mut i_sums, i_out);
        }
        let words = words.max(1);
        for (sums, out) in j_sums.chunks(words).zip(j_out.chunks_mut(words)) {
            self.folding.fold::<S>(LINE, sums, 0, out);
        }
    }
}
