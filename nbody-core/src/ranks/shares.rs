//! The division of rows among ranks.

use std::ops::Range;

use crate::order::GROUP;

/// Consecutive rows for each rank: pieces of one size, a whole number of groups of 32. The last
/// pieces may have fewer rows, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The number of all rows.
    pub n: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// The rows of a piece.
    pub piece: usize,
    /// Whether a GPU has the numbers of each row together, not all rows as a structure of arrays:
    /// pieces then pass between ranks as they are.
    pub in_rows: bool,
}

impl Shares {
    /// Divides `n` rows among ranks, at least one.
    pub fn new(n: usize, ranks: usize) -> Self {
        let piece = n.div_ceil(ranks.max(1)).next_multiple_of(GROUP);
        Self { n, ranks, piece, in_rows: false }
    }

    /// Returns the rows of a rank.
    pub fn range(&self, rank: usize) -> Range<usize> {
        let end = |rank: usize| rank.saturating_mul(self.piece).min(self.n);
        end(rank)..end(rank + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_one_rank() {
        for n in [0, 1, 31, 32, 33, 64, 65, 1000, 4096] {
            for ranks in 1..9 {
                let shares = Shares::new(n, ranks);
                let mut next = 0;
                for rank in 0..ranks {
                    let range = shares.range(rank);
                    assert_eq!(range.start, next, "{n} rows, {ranks} ranks");
                    assert!(range.len() <= shares.piece);
                    next = range.end;
                }
                assert_eq!(next, n, "{ranks} ranks");
            }
        }
    }
}
