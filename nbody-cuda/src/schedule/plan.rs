//! Estimates of the time that evaluations take, in clock cycles.

/// Lanes of a multiprocessor that work at a time.
pub const LANES: f64 = 128.0;
/// From the start of a block to its first pair, and from its last pair to its end.
pub const BLOCK_LATENCY: f64 = 2500.0;
/// From the end of the last block of a tile to the merged sums; and for each split, with some for
/// each number that a thread merges.
pub const MERGE_LATENCY: f64 = 1500.0;
pub const SPLIT_LATENCY: f64 = 60.0;
pub const NUMBER_LATENCY: f64 = 24.0;

/// What a kernel can expect of the device.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub multiprocessors: usize,
    /// Blocks that run at once.
    pub blocks_at_once: usize,
}

/// What an evaluation has to do.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// i-particles and j-particles.
    pub n: [usize; 2],
    /// Whether they are one set in one buffer.
    pub one_buffer: bool,
    /// Instructions for a pair, about.
    pub pair: f64,
    /// Whether most pairs are likely to be beyond a cutoff.
    pub cutoff: bool,
    /// Numbers of the result of one i-particle.
    pub sums: usize,
    /// Bytes of a j-particle in memory.
    pub j_bytes: usize,
}

/// How a schedule divides the work, and how long it expects that to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Splits of the j-particles; in the symmetric schedule blocks.
    pub parts: usize,
    /// Threads of a block that stand side by side, each with i-particles of its own.
    pub lanes: usize,
    /// Clock cycles, for comparison with other plans: none where a schedule is known to be the fastest,
    /// infinitely many where it does not pay.
    pub cycles: f64,
}

/// How much of the instruction rate threads reach that have so many pairs at hand, on a
/// multiprocessor, while others wait for their operands.
pub fn efficiency(pairs_at_hand: usize) -> f64 {
    let at_hand = pairs_at_hand as f64 / LANES;
    at_hand / (at_hand + 1.0)
}

#[cfg(test)]
impl Work {
    /// Two sets of particles in memory of a few bytes.
    pub fn of_pairs(n: [usize; 2], pair: f64, sums: usize) -> Self {
        Self { n, one_buffer: false, pair, cutoff: false, sums, j_bytes: 16 }
    }
}
