//! Figures of neighbour lists.

use super::pairs::Pairs;

/// Figures of neighbour lists: how often they were built, how long they are, and the memory that they take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NeighbourStats {
    /// Number of times that the lists were built.
    pub rebuilds: u64,
    /// Number of updates since they were last built, which found them good.
    pub age: u64,
    /// Number of i-particles.
    pub particles: usize,
    /// Mean number of entries of a list, which is that of 32 i-particles.
    pub entries: f64,
    /// Mean number of j-particles that were within the cutoff plus the skin of an i-particle when the lists
    /// were built.
    pub neighbours: f64,
    /// Number of pairs that an evaluation tests for each of these; 0 if there are none.
    pub tested: f64,
    /// Bytes of memory for each particle.
    pub bytes: f64,
}

impl NeighbourStats {
    /// Returns these figures with those of pairs, whose lists take this many bytes.
    #[must_use]
    pub fn of(self, pairs: &Pairs, bytes: usize) -> Self {
        let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let (particles, groups) = (pairs.i.len(), pairs.i.tree.groups().len());
        let others = if std::ptr::eq(pairs.i, pairs.j) { 0 } else { pairs.j.len() };
        let (tested, within) = (pairs.tested(), pairs.count());
        Self {
            particles,
            entries: ratio(pairs.lists.entries.len() as u64, groups as u64),
            neighbours: ratio(within, particles as u64),
            tested: ratio(tested, within),
            bytes: ratio(bytes as u64, (particles + others) as u64),
            ..self
        }
    }
}
