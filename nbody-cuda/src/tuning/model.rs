//! How an evaluation is cut into blocks: a model of the time that it takes, in clock cycles.

use nbody_core::SummationOrder;

use crate::KernelConfig;
use crate::tuning::config::GROUP;

/// Lanes of a multiprocessor that work at a time.
const LANES: f64 = 128.0;
/// From the start of a block to its first pair, and from its last pair to its end.
const BLOCK_LATENCY: f64 = 2500.0;
/// From the end of the last block of a tile to the merged sums; and for each split, with some for
/// each number that a thread merges.
const MERGE_LATENCY: f64 = 1500.0;
const SPLIT_LATENCY: f64 = 60.0;
const NUMBER_LATENCY: f64 = 24.0;
/// Splits of a tile that are considered.
const MOST_SPLITS: usize = 128;
/// Meetings of tiles with groups that each block of the symmetric schedule must have, for it to
/// pay; and those that it has with several rounds of blocks, which even out their times.
const FEWEST_MEETINGS: usize = 3;
const MEETINGS_OF_ROUNDS: usize = 64;
const ROUNDS: usize = 4;

/// What a kernel can expect of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub multiprocessors: usize,
    /// Blocks that run at once.
    pub blocks_at_once: usize,
}

/// What an evaluation has to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// i-particles and j-particles.
    pub n: [usize; 2],
    /// Instructions for a pair, about.
    pub pair: f64,
    /// Numbers of the result of one i-particle.
    pub sums: usize,
}

/// How an evaluation is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Ordered(Ordered),
    Symmetric(Symmetric),
}

/// How every ordered pair is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ordered {
    pub tiles: usize,
    pub splits: usize,
    pub bags_per_split: usize,
}

impl Ordered {
    /// The cut that was asked for, or the one that takes the least time; and that time.
    pub fn new(
        config: &KernelConfig,
        room: Room,
        order: Option<SummationOrder>,
        work: Work,
    ) -> (Self, f64) {
        let [ni, nj] = work.n;
        let tiles = ni.div_ceil(config.tile());
        let bags = nj.div_ceil(config.bag);
        let cut = |splits| {
            let bags_per_split = SummationOrder { bag: config.bag, splits }.bags_per_split(nj);
            let cut = Self { tiles, splits: bags.div_ceil(bags_per_split), bags_per_split };
            (cut, cut.time(config, room, work))
        };
        if let Some(order) = order {
            return cut(order.splits);
        }
        let cuts = (2..=bags.min(MOST_SPLITS)).map(cut);
        cuts.fold(cut(1), |best, cut| if cut.1 < best.1 { cut } else { best })
    }

    fn time(&self, config: &KernelConfig, room: Room, work: Work) -> f64 {
        let Room { multiprocessors, blocks_at_once } = room;
        let per_multiprocessor = (blocks_at_once / multiprocessors).max(1);
        let blocks = self.tiles * self.splits;
        let (rounds, rest) = (blocks / blocks_at_once, blocks % blocks_at_once);
        let busiest = rounds * per_multiprocessor + rest.div_ceil(multiprocessors);
        // Pairs that a scheduler has at hand while others wait for their operands.
        let warps = busiest.min(per_multiprocessor) * config.block;
        let at_hand = (warps * config.i_per_thread) as f64 / LANES;
        let efficiency = at_hand / (at_hand + 1.0);
        // A j-particle is read once for all i-particles of a thread.
        let pair = work.pair + 1.0 / config.i_per_thread as f64;
        let pairs = config.tile() * self.bags_per_split * config.bag;
        let busy = busiest as f64 * pairs as f64 * pair / LANES / efficiency;
        let merge = if self.splits > 1 {
            let numbers = (config.i_per_thread * work.sums) as f64;
            MERGE_LATENCY + (SPLIT_LATENCY + NUMBER_LATENCY * numbers) * self.splits as f64
        } else {
            0.0
        };
        busy + BLOCK_LATENCY * blocks.div_ceil(blocks_at_once) as f64 + merge
    }
}

/// How both directions of each pair of one set are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetric {
    pub tiles: usize,
    pub blocks: usize,
    /// Whether it is likely to be faster than every ordered pair.
    pub pays: bool,
}

impl Symmetric {
    pub fn new(config: &KernelConfig, room: Room, n: usize) -> Self {
        let tiles = n.div_ceil(config.tile());
        let meetings = Self::meetings(config, n, 0..tiles);
        let at_once = room.blocks_at_once;
        let rounds = if meetings >= at_once * MEETINGS_OF_ROUNDS { ROUNDS } else { 1 };
        let pays = meetings >= at_once * FEWEST_MEETINGS;
        Self { tiles, blocks: at_once * rounds, pays }
    }

    /// The meetings of these tiles with groups. A launch has no more blocks than these, so that
    /// each has one at least.
    pub fn meetings(config: &KernelConfig, n: usize, tiles: std::ops::Range<usize>) -> usize {
        let groups = n.div_ceil(GROUP);
        tiles.map(|tile| groups - tile * config.tile() / GROUP).sum()
    }
}

/// Records that these tiles write of what j-particles feel.
pub(crate) fn j_rows(config: &KernelConfig, n: usize, tiles: std::ops::Range<usize>) -> usize {
    tiles.map(|tile| n - tile * config.tile()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schedule;

    const CONFIG: KernelConfig = KernelConfig {
        schedule: Schedule::Ordered,
        block: 128,
        i_per_thread: 4,
        bag: 256,
        unroll: 4,
        resident: 4,
    };
    fn work(ni: usize, nj: usize) -> Work {
        Work { n: [ni, nj], pair: 13.0, sums: 3 }
    }
    const ROOM: Room = Room { multiprocessors: 132, blocks_at_once: 528 };

    #[test]
    fn blocks_fill_the_device() {
        for n in [16384, 131_072, 1 << 20] {
            let (cut, _) = Ordered::new(&CONFIG, ROOM, None, work(n, n));
            let blocks = cut.tiles * cut.splits;
            let rounds = blocks.div_ceil(528);
            assert!(blocks * 10 >= rounds * 528 * 9, "{n}: {cut:?}");
            assert!((cut.splits - 1) * cut.bags_per_split * 256 < n, "{n}: {cut:?}");
        }
    }

    #[test]
    fn a_cut_that_was_asked_for_is_kept() {
        let order = SummationOrder { bag: 256, splits: 3 };
        let (cut, _) = Ordered::new(&CONFIG, ROOM, Some(order), work(1000, 2560));
        assert_eq!(cut, Ordered { tiles: 2, splits: 3, bags_per_split: 4 });
    }

    #[test]
    fn the_third_law_pays_for_many_particles() {
        let config = KernelConfig { schedule: Schedule::Symmetric, i_per_thread: 12, ..CONFIG };
        assert!(!Symmetric::new(&config, ROOM, 2048).pays);
        let cut = Symmetric::new(&config, ROOM, 131_072);
        assert_eq!(cut, Symmetric { tiles: 86, blocks: 528 * 4, pays: true });
        assert_eq!(j_rows(&config, 2000, 0..2), 2000 + 464);
    }
}
