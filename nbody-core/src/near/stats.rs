//! Figures of neighbour lists.

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
