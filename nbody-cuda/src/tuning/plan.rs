//! A model of the time of an evaluation, in clock cycles.

/// Lanes of a multiprocessor that issue an instruction in one clock cycle.
pub const LANES: f64 = 128.0;
/// The latency from the start of a block to its first pair and from its last pair to its end.
pub const BLOCK_LATENCY: f64 = 2500.0;
/// The latency of merging the splits of a tile: per tile, per split, and per split and number that
/// a thread merges.
pub const MERGE_LATENCY: f64 = 1500.0;
pub const SPLIT_LATENCY: f64 = 60.0;
pub const NUMBER_LATENCY: f64 = 24.0;

/// The occupancy of a device by a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    pub multiprocessors: usize,
    /// Blocks that are resident on the device at a time.
    pub resident_blocks: usize,
}

/// The work of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct PairWork {
    /// The numbers of i-particles and j-particles.
    pub n: [usize; 2],
    /// Whether i and j are one set in one buffer.
    pub one_buffer: bool,
    /// Whether both directions of a pair are asked for, and can be evaluated at once.
    pub only_symmetric: bool,
    /// Estimated instructions per pair.
    pub pair: f64,
    /// Whether most pairs are likely to be beyond a cutoff.
    pub cutoff: bool,
    /// Numbers of the result of one i-particle.
    pub sums: usize,
    /// Bytes of a j-particle in memory.
    pub j_bytes: usize,
}

/// A division of the work, and its expected time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The number of splits of the j-particles; in the symmetric schedule, of blocks.
    pub parts: usize,
    /// Threads of a block with different i-particles. Groups of this number of threads share out
    /// the j-particles.
    pub lanes: usize,
    /// Clock cycles, for comparison with other plans: zero if the schedule is known to be the
    /// fastest, infinite if it is known not to be.
    pub cycles: f64,
}

/// Returns the fraction of the peak instruction rate that a multiprocessor reaches with this
/// number of independent pairs in flight, which hide the latency of instructions.
pub fn efficiency(pairs_in_flight: usize) -> f64 {
    let per_lane = pairs_in_flight as f64 / LANES;
    per_lane / (per_lane + 1.0)
}

#[cfg(test)]
impl PairWork {
    /// Returns the work of two sets of small particles.
    pub fn of_pairs(n: [usize; 2], pair: f64, sums: usize) -> Self {
        Self { n, one_buffer: false, only_symmetric: false, pair, cutoff: false, sums, j_bytes: 16 }
    }
}
