//! j-particles of a list, and those of them that act on a vector of i-particles.

use crate::near::list::place;
use crate::numeric::simd::Line;

/// j-particles of a list.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'a, W> {
    /// The blocks of the j-particles, as many as [`CHOSEN`] bits have.
    pub lines: &'a [Line<W>],
    /// The j-particles that act on the vector, a bit each.
    pub chosen: &'a [u64],
    /// The place of each j-particle in its order, with other bits above it.
    pub entries: &'a [u32],
    /// The indices in the set, in order.
    pub indices: &'a [u32],
    /// The i-particles that they act on, if not all of them.
    pub acts_on: Option<ActsOn<'a, W>>,
}

/// The i-particles of a group that j-particles act on.
#[derive(Clone, Copy)]
pub(crate) struct ActsOn<'a, W> {
    /// Those of each j-particle, a bit each.
    pub masks: &'a [u32],
    /// The bit of each i-particle, in blocks.
    pub bits: &'a [Line<W>],
}

/// Number of bits that choose j-particles.
pub(crate) const CHOSEN: usize = u64::BITS as usize;

impl<W> Listed<'_, W> {
    /// Returns the index of a j-particle in its set. There is no panic, so that nothing is left of it where
    /// an interaction needs no indices.
    #[inline(always)]
    pub fn index(&self, k: usize) -> u32 {
        let index = self.entries.get(k).and_then(|&entry| self.indices.get(place(entry)));
        index.copied().unwrap_or_default()
    }
}
