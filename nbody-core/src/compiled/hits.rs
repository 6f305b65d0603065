//! The candidates within the cutoff.
//!
//! A loop without branches finds the hits, the j-particles within the cutoff of any i-particle of
//! a vector; a second loop evaluates them. A mispredicted branch costs more than the second test
//! of the distance. Compensated sums and exact mathematics branch instead. With a cutoff the
//! default is ordered pairs.

use crate::law::loops::CANDIDATES;

/// The hits among the candidates.
#[derive(Clone, Copy)]
pub(crate) struct Hits {
    indices: [u8; CANDIDATES],
    count: usize,
}

impl Default for Hits {
    #[inline(always)]
    fn default() -> Self {
        Self { indices: [0; CANDIDATES], count: 0 }
    }
}

impl Hits {
    /// Adds a candidate if it is within the cutoff, without a branch.
    #[inline(always)]
    pub fn add(&mut self, index: usize, is_within: bool) {
        // The list never overflows; the remainder tells the compiler so.
        self.indices[self.count % CANDIDATES] = index as u8;
        self.count += usize::from(is_within);
    }

    #[inline(always)]
    pub fn all(&self) -> &[u8] {
        &self.indices[..self.count.min(CANDIDATES)]
    }
}
