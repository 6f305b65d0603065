//! Dealing the places of an order to ranks.

use crate::order::GROUP;
use crate::ranks::shares::Shares;

/// The fewest hands of a rank, if there are enough groups: so that ranks have about the same work,
/// wherever in the order the work is.
const HANDS: usize = 32;
/// The most groups of a hand.
const MOST_GROUPS: usize = 64;

/// The places of an order, in hands of whole groups of 32 that are dealt to the ranks in turn. The
/// results of a rank are consecutive rows, in the order of its places. A rank alone has the rows in
/// the order of the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dealt {
    /// The number of places.
    pub n: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// The places of a hand.
    pub hand: usize,
    /// The rows of each rank. Some may have no place: every rank has room for the hands of the first
    /// one.
    pub piece: usize,
}

impl Dealt {
    /// Deals `n` places to ranks, at least one.
    pub fn new(n: usize, ranks: usize) -> Self {
        let ranks = ranks.max(1);
        let groups = n.div_ceil(GROUP) / (HANDS * ranks);
        let hand = groups.clamp(1, MOST_GROUPS) * GROUP;
        Self { n, ranks, hand, piece: n.div_ceil(hand).div_ceil(ranks) * hand }
    }

    /// Returns the rows of all ranks.
    pub fn shares(&self) -> Shares {
        let Self { n, ranks, piece, .. } = *self;
        let n = if ranks == 1 { n } else { ranks * piece };
        Shares { n, ranks, piece, in_rows: true }
    }

    /// Returns the row of a place.
    pub fn row(&self, place: usize) -> usize {
        let (turn, rest) = (place / self.hand, place % self.hand);
        turn % self.ranks * self.piece + turn / self.ranks * self.hand + rest
    }

    /// Returns the place of a row; `None` for a row without one.
    pub fn place(&self, row: usize) -> Option<usize> {
        let piece = self.piece.max(1);
        let (rank, of_rank) = (row / piece, row % piece);
        let turn = of_rank / self.hand * self.ranks + rank;
        Some(turn * self.hand + of_rank % self.hand).filter(|place| *place < self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_one_row_of_a_rank() {
        for n in [0, 1, 31, 32, 33, 64, 65, 1000, 4097, 10_000] {
            for ranks in 1..9 {
                let dealt = Dealt::new(n, ranks);
                let shares = dealt.shares();
                let rows: Vec<_> = (0..n).map(|place| dealt.row(place)).collect();
                for (place, &row) in rows.iter().enumerate() {
                    assert_eq!(dealt.place(row), Some(place), "{dealt:?}");
                    assert!(ranks > 1 || row == place);
                }
                let with_place = (0..shares.n).filter(|row| dealt.place(*row).is_some());
                assert_eq!(with_place.count(), n, "{dealt:?}");
                // The shares cover the rows, and a hand more is the greatest difference of ranks.
                assert_eq!(shares.range(ranks - 1).end, shares.n);
                let of_rank = |rank| {
                    let rows = shares.range(rank);
                    rows.filter(|row| dealt.place(*row).is_some()).count()
                };
                let [most, least] = [(0..ranks).map(of_rank).max(), (0..ranks).map(of_rank).min()];
                assert!(most.unwrap() - least.unwrap() <= dealt.hand, "{dealt:?}");
            }
        }
    }
}
