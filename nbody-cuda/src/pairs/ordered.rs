//! Ordered pairs of many i-particles: the Chamomile scheme. Each thread block has a tile of
//! i-particles and reads the j-particles in bags. If the tiles alone do not fill the GPU, the
//! j-particles of a tile are split over several blocks.

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Precision, SummationOrder};

use super::Rules;
use super::job::Job;
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::layout::bytes_of;
use crate::schedule::ScheduleText;
use crate::schedule::resources::{
    ALIGNED, HITS, REGISTERS, RESERVED, Registers, SHARED_MEMORY, WORD, branches, does_not_fit,
    is_short, parameters, resident, slot,
};
use crate::tuning::plan::{
    BLOCK_LATENCY, LANES, MERGE_LATENCY, NUMBER_LATENCY, SPLIT_LATENCY, efficiency,
};
use crate::tuning::plan::{Occupancy, PairWork, Plan};

/// Threads of a block.
const BLOCK: usize = 128;
/// Register budget per thread for i-particles and accumulators: for an interaction without
/// branches; with branches or functions, whose latency only many warps hide; and in double
/// precision.
const BUDGET: usize = 64;
const BUDGET_BRANCHING: usize = 40;
const BUDGET_DOUBLE: usize = 100;
/// Typical number of other registers per thread.
const OTHER_REGISTERS: usize = 40;
/// The largest number of splits.
const MOST_SPLITS: usize = 128;
/// The largest number of blocks of a launch.
const MOST_BLOCKS: usize = i32::MAX as usize;

#[derive(Debug)]
pub struct Ordered;

impl Rules for Ordered {
    fn text(&self) -> ScheduleText<'static> {
        ScheduleText {
            title: "every ordered pair",
            parts: &[
                include_str!("../../kernels/bag.cuh"),
                include_str!("../../kernels/force_loop.cuh"),
                include_str!("ordered.cuh"),
            ],
            merging: 48,
            in_order: true,
            kernels: &[c"ordered"],
        }
    }

    fn constants(
        &self,
        config: &KernelConfig,
        law: &Law,
        options: Options,
        is_share: bool,
    ) -> String {
        let are_shared = totals(law, options, config.bag, config.tile()) > 0;
        let bags = options.bags_per_fold(config.bag);
        format!(
            "namespace nbody {{

constexpr u32 BAGS_PER_FOLD = {bags};
constexpr bool TOTALS_ARE_SHARED = {are_shared}; // the backup accumulators, in shared memory
constexpr bool SHARE = {is_share}; // evaluate a share of the i-particles

}} // namespace nbody

"
        )
    }

    fn configs(&self, law: &Law, options: Options) -> Result<Vec<KernelConfig>, Error> {
        let widest = widest(law, options)?;
        let fewer = [2, 1].into_iter().filter(|&n| n < widest.i_per_thread);
        let fewer = fewer.map(|n| config(law, options, n));
        std::iter::once(Ok(widest)).chain(fewer).collect()
    }

    fn narrower(&self, of: &KernelConfig, law: &Law, options: Options) -> Option<KernelConfig> {
        let n = of.i_per_thread;
        let usual = config(law, options, n).ok()?;
        if of.resident == usual.resident && of.resident > 2 {
            return Some(KernelConfig { resident: of.resident - 1, ..*of });
        }
        if n > 1 { config(law, options, n / 2).ok() } else { None }
    }

    fn trials(&self, law: &Law, options: Options) -> Vec<KernelConfig> {
        [1, 2, 3, 4, 6, 8].into_iter().filter_map(|n| config(law, options, n).ok()).collect()
    }

    fn is_possible(&self, config: &KernelConfig, law: &Law, options: Options) -> bool {
        options.order.is_none_or(|order| order.bag == config.bag)
            && shared_memory(law, options, config.bag, config.tile()) <= SHARED_MEMORY
    }

    /// Halves an enlarged bag while its shared memory limits the occupancy.
    fn adapt(
        &self,
        config: KernelConfig,
        law: &Law,
        options: Options,
        shared: usize,
    ) -> KernelConfig {
        let block = |bag| shared_memory(law, options, bag, config.tile()) + RESERVED;
        let mut bag = config.bag;
        while options.order.is_none()
            && bag > SummationOrder::default().bag
            && config.resident * block(bag) > shared
        {
            bag /= 2;
        }
        KernelConfig { bag, ..config }
    }

    fn registers(&self, config: &KernelConfig, law: &Law, options: Options) -> usize {
        config.i_per_thread * Registers::of(law, options).with_backup
    }

    fn residency(&self, config: &KernelConfig, law: &Law, options: Options) -> usize {
        let registers = self.registers(config, law, options) + OTHER_REGISTERS;
        (REGISTERS / (config.block * registers)).max(config.resident)
    }

    fn evaluates(&self, _: Options, work: &PairWork, forced: bool) -> bool {
        forced || !work.only_symmetric
    }

    fn plan(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        options: Options,
        parts: Option<usize>,
    ) -> Plan {
        let bags = work.n[1].div_ceil(config.bag);
        let plan = |splits| {
            let splits = bags.div_ceil(bags_per_split(config, splits, work.n[1]));
            let cycles = cycles(config, occupancy, work, splits);
            Plan { parts: splits, lanes: config.block, cycles }
        };
        if let Some(parts) = parts.or(options.order.map(|order| order.splits)) {
            return plan(parts);
        }
        let plans = (2..=bags.min(MOST_SPLITS)).map(plan);
        plans.fold(plan(1), |best, plan| if plan.cycles < best.cycles { plan } else { best })
    }

    fn parts(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        options: Options,
    ) -> Vec<usize> {
        let splits = self.plan(config, occupancy, work, options, None).parts;
        let mut parts = vec![splits, splits.div_ceil(2), 2 * splits];
        parts.dedup();
        parts
    }

    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error> {
        let (ni, nj) = (job.buffers.range().len(), job.buffers.j.n);
        let config = &job.kernel.program.config;
        let (tiles, splits) = (ni.div_ceil(config.tile()), plan.parts);
        let blocks = tiles.saturating_mul(splits);
        if blocks > MOST_BLOCKS {
            let what = "blocks (tiles of i-particles times splits)";
            return Err(Error::TooManyParticles { what, found: blocks, limit: MOST_BLOCKS });
        }
        let bags_per_split = bags_per_split(config, splits, nj);
        job.launch_splits(c"ordered", [tiles, splits], [nj, tiles, splits, bags_per_split])
    }
}

/// Returns the configuration for many particles, which needs the fewest instructions per pair.
pub fn widest(law: &Law, options: Options) -> Result<KernelConfig, Error> {
    let registers = Registers::of(law, options).with_backup;
    let most = match options.precision {
        Precision::Double => BUDGET_DOUBLE,
        _ if branches(law) => BUDGET_BRANCHING,
        _ => BUDGET,
    };
    let fits = |&n: &usize| n * registers <= most && bag(law, options, n).is_ok();
    config(law, options, [4, 2].into_iter().find(fits).unwrap_or(1))
}

/// Returns the configuration with this number of i-particles per thread.
fn config(law: &Law, options: Options, i_per_thread: usize) -> Result<KernelConfig, Error> {
    let registers = i_per_thread * Registers::of(law, options).with_backup;
    // Registers for intermediate results.
    let (other, most) = match options.precision {
        Precision::Double if i_per_thread > 2 => (88, 6),
        Precision::Double => (40 + 16 * i_per_thread, 6),
        _ if law.cutoff => (40 + 4 * i_per_thread, 6),
        _ if branches(law) => (32 + 4 * i_per_thread, 7),
        _ if i_per_thread > 2 => (80, 6),
        _ => (14 * i_per_thread, 6),
    };
    Ok(KernelConfig {
        schedule: Schedule::Ordered,
        block: BLOCK,
        i_per_thread,
        bag: bag(law, options, i_per_thread)?,
        unroll: if i_per_thread == 1 || is_short(law, options) { 8 } else { 4 },
        resident: resident(BLOCK, registers + other, most),
    })
}

/// Returns the number of bags per split with which this number of splits covers `nj` j-particles.
fn bags_per_split(config: &KernelConfig, splits: usize, nj: usize) -> usize {
    SummationOrder { bag: config.bag, splits }.bags_per_split(nj)
}

/// Returns the expected time of an evaluation with this number of splits, in clock cycles.
fn cycles(config: &KernelConfig, occupancy: Occupancy, work: &PairWork, splits: usize) -> f64 {
    let Occupancy { multiprocessors, resident_blocks } = occupancy;
    let [ni, nj] = work.n;
    let per_multiprocessor = (resident_blocks / multiprocessors).max(1);
    let blocks = ni.div_ceil(config.tile()) * splits;
    let (rounds, rest) = (blocks / resident_blocks, blocks % resident_blocks);
    let busiest = rounds * per_multiprocessor + rest.div_ceil(multiprocessors);
    let in_flight = busiest.min(per_multiprocessor) * config.tile();
    // A thread reads a j-particle once for all its i-particles.
    let pair = work.pair + 1.0 / config.i_per_thread as f64;
    let pairs = config.tile() * bags_per_split(config, splits, nj) * config.bag;
    let busy = busiest as f64 * pairs as f64 * pair / LANES / efficiency(in_flight);
    let merge = if splits > 1 {
        let numbers = (config.i_per_thread * work.sums) as f64;
        MERGE_LATENCY + (SPLIT_LATENCY + NUMBER_LATENCY * numbers) * splits as f64
    } else {
        0.0
    };
    busy + BLOCK_LATENCY * blocks.div_ceil(resident_blocks) as f64 + merge
}

/// Returns the bytes of shared memory per block: the bytes that every block needs, and backup
/// accumulators.
fn shared_memory(law: &Law, options: Options, bag: usize, tile: usize) -> usize {
    needed(law, options, bag, tile).saturating_add(totals(law, options, bag, tile))
}

/// Returns the bytes of the backup accumulators of a block in shared memory, an odd number of
/// accumulators per thread; 0 if they are in registers. Compensated sums leave few registers for
/// backup accumulators, and fold into them rarely.
fn totals(law: &Law, options: Options, bag: usize, tile: usize) -> usize {
    let numbers = (tile / BLOCK).saturating_mul(dim(law.f));
    let bytes = BLOCK.saturating_mul(numbers + 1 + numbers % 2) * bytes_of(options.backup());
    let is_wanted = options.accumulation == Accumulation::Compensated && options.folds_each_bag();
    let is_possible = needed(law, options, bag, tile).saturating_add(bytes) <= SHARED_MEMORY;
    if is_wanted && is_possible { bytes } else { 0 }
}

/// Returns the bytes of shared memory per block without backup accumulators: parameters, the bag,
/// and the flag of the last block; with a cutoff also the hits, for each i-particle one word per
/// word of the bag and one more.
fn needed(law: &Law, options: Options, bag: usize, tile: usize) -> usize {
    let other = parameters(law, options) + ALIGNED;
    if !law.cutoff {
        return bag.saturating_mul(slot(law, options)).saturating_add(other);
    }
    let words = bag.div_ceil(WORD);
    let hits = words.saturating_add(1).saturating_mul(tile.saturating_mul(HITS));
    let bag = words.saturating_mul(WORD * slot(law, options));
    bag.saturating_add(hits).saturating_add(other)
}

/// Returns the size of the bag: the bag of the summation order, if given. Otherwise it is the
/// default, halved for few particles, doubled with a cutoff (the more hits the threads of a warp
/// have, the less their numbers differ), and limited to the capacity of shared memory.
fn bag(law: &Law, options: Options, i_per_thread: usize) -> Result<usize, Error> {
    let default = SummationOrder::default().bag;
    let mut bag = match options.order {
        Some(order) => order.bag,
        None if i_per_thread == 1 => default / 2,
        None if law.cutoff => 2 * default,
        None => default,
    };
    let needed = |bag| needed(law, options, bag, BLOCK * i_per_thread);
    while options.order.is_none() && bag > 1 && needed(bag) > SHARED_MEMORY {
        bag /= 2;
    }
    if needed(bag) <= SHARED_MEMORY {
        return Ok(bag);
    }
    let hint = "use a smaller bag (SummationOrder) or smaller j-particles";
    Err(does_not_fit(law, options, needed(bag), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: KernelConfig = KernelConfig {
        schedule: Schedule::Ordered,
        block: 128,
        i_per_thread: 4,
        bag: 256,
        unroll: 4,
        resident: 4,
    };
    const OCCUPANCY: Occupancy = Occupancy { multiprocessors: 132, resident_blocks: 528 };

    fn plan(ni: usize, nj: usize, splits: Option<usize>) -> Plan {
        let work = PairWork::of_pairs([ni, nj], 13.0, 3);
        Ordered.plan(&CONFIG, OCCUPANCY, &work, Options::default(), splits)
    }

    #[test]
    fn blocks_fill_the_device() {
        for n in [16384, 131_072, 1 << 20] {
            let splits = plan(n, n, None).parts;
            let blocks = n.div_ceil(CONFIG.tile()) * splits;
            let rounds = blocks.div_ceil(528);
            assert!(blocks * 10 >= rounds * 528 * 9, "{n}: {splits}");
            assert!((splits - 1) * bags_per_split(&CONFIG, splits, n) * 256 < n, "{n}: {splits}");
        }
    }

    #[test]
    fn a_given_number_of_splits_is_used() {
        assert_eq!(plan(1000, 2560, Some(3)).parts, 3);
        assert_eq!(bags_per_split(&CONFIG, 3, 2560), 4);
        // No more splits than bags.
        assert_eq!(plan(1000, 2560, Some(30)).parts, 10);
    }
}
