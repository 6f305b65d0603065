//! Ordered pairs of few i-particles, as in block time steps, which advance few particles. The
//! threads of a block form groups with enough lanes for the i-particles, and the groups share out
//! the j-particles.
//!
//! Sums of the groups are added in shared memory, and the parts of splits by the last block, both
//! in a fixed order. The numbers of lanes and splits are arguments of the kernel, so that one
//! program serves every number of i-particles.

use nbody_core::pack::dim;
use nbody_core::{Law, Options, Precision, SummationOrder};

use super::job::Job;
use super::{Rules, may_reorder};
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::layout::bytes_of;
use crate::schedule::ScheduleText;
use crate::schedule::resources::{
    ALIGNED, REGISTERS, Registers, SHARED_MEMORY, branches, parameters, slot,
};
use crate::tuning::plan::{BLOCK_LATENCY, LANES};
use crate::tuning::plan::{Occupancy, PairWork, Plan};

/// Threads of a block, and of the smallest block.
const BLOCK: usize = 256;
const SMALLEST: usize = 128;
/// The largest number of i-particles per thread.
const MOST_I: usize = 2;
/// The largest number of registers per thread.
const MOST_REGISTERS: usize = 255;
/// The largest number of rounds of resident blocks that a plan considers.
const MOST_ROUNDS: usize = 4;

// The model of the time, in clock cycles. It was fitted to 270 measured plans of 32 to 512
// i-particles and 16384 to 1048576 j-particles, for `hermite` in single precision on an H200. It
// chooses the fastest plan for all numbers of particles; its rms error is 3.4% (for the kernel
// with one bag instead of two).
/// The latency of a bag, from one barrier to the next.
const BAG_LATENCY: f64 = 545.0;
/// The latency of each halving step of the sum over groups, per i-particle and per number.
const STEP_LATENCY: f64 = 349.0;
const STEP_NUMBER: f64 = 1.9;
/// The latency of merging the splits of a tile: per tile, per part, and per part and number that a
/// thread merges.
const LAST_LATENCY: f64 = 2632.0;
const PART_LATENCY: f64 = 23.0;
const PART_NUMBER: f64 = 26.0;
/// The latency of each further round of blocks.
const ROUND_LATENCY: f64 = 5823.0;
/// Bytes of j-particles read per cycle.
const BANDWIDTH: f64 = 1374.0;
/// The relative cost of latency if a lane has only one pair in flight.
const LATENCY: f64 = 0.24;
/// The factor of warp divergence at a cutoff without a filter.
const BRANCHING: f64 = 2.5;
/// The factor by which this schedule must be faster than other schedules.
const MARGIN: f64 = 1.03;

#[derive(Debug)]
pub struct Few;

impl Rules for Few {
    fn text(&self) -> ScheduleText<'static> {
        ScheduleText {
            title: "every ordered pair of few i-particles",
            parts: &[
                include_str!("../../kernels/bag.cuh"),
                include_str!("../../kernels/force_loop.cuh"),
                include_str!("few.cuh"),
            ],
            merging: 64,
            in_order: true,
            kernels: &[c"few"],
        }
    }

    fn constants(&self, _: &KernelConfig, _: &Law, _: Options, is_share: bool) -> String {
        format!(
            "namespace nbody {{

constexpr bool SHARE = {is_share}; // evaluate a share of the i-particles

}} // namespace nbody

"
        )
    }

    fn configs(&self, law: &Law, options: Options) -> Result<Vec<KernelConfig>, Error> {
        let possible = options.order.is_none();
        let numbers = (1..=MOST_I).rev().filter(|_| possible);
        Ok(numbers.filter_map(|n| config(law, options, n)).collect())
    }

    fn narrower(&self, of: &KernelConfig, law: &Law, options: Options) -> Option<KernelConfig> {
        if of.resident > 1 {
            return Some(KernelConfig { resident: of.resident - 1, ..*of });
        }
        if of.block > SMALLEST {
            let block = of.block / 2;
            return Some(KernelConfig { block, ..*of });
        }
        config(law, options, of.i_per_thread / 2)
    }

    fn trials(&self, law: &Law, options: Options) -> Vec<KernelConfig> {
        let configs = (1..=2 * MOST_I).filter_map(|n| config(law, options, n));
        configs.filter(|config| self.is_possible(config, law, options)).collect()
    }

    fn is_possible(&self, config: &KernelConfig, law: &Law, options: Options) -> bool {
        options.order.is_none()
            && config.block.is_power_of_two()
            && shared_memory(law, options, config.block) <= SHARED_MEMORY
    }

    fn registers(&self, config: &KernelConfig, law: &Law, options: Options) -> usize {
        config.i_per_thread * Registers::of(law, options).with_backup
    }

    fn evaluates(&self, options: Options, work: &PairWork, forced: bool) -> bool {
        forced || may_reorder(options) && !work.only_symmetric
    }

    fn plan(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        _: Options,
        parts: Option<usize>,
    ) -> Plan {
        let [ni, nj] = work.n;
        // No more lanes than the i-particles occupy.
        let all = std::iter::successors(Some(1), |lanes| Some(2 * lanes));
        let lanes = all.take_while(|&lanes| {
            lanes <= config.block.min(config.bag)
                && (lanes == 1 || lanes / 2 * config.i_per_thread < ni)
        });
        let plans = lanes.flat_map(|lanes| {
            let tiles = ni.div_ceil(lanes * config.i_per_thread);
            splits(occupancy, tiles, nj, parts).map(move |splits| (lanes, splits))
        });
        let plans = plans.map(|(lanes, parts)| {
            let cycles = cycles(config, occupancy, work, lanes, parts);
            Plan { parts, lanes, cycles }
        });
        let best = plans.min_by(|a, b| a.cycles.total_cmp(&b.cycles));
        best.expect("one lane is always possible")
    }

    fn parts(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        options: Options,
    ) -> Vec<usize> {
        let splits = self.plan(config, occupancy, work, options, None).parts;
        let mut parts = vec![splits, splits.div_ceil(2), (2 * splits).min(work.n[1])];
        parts.dedup();
        parts
    }

    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error> {
        let (ni, nj) = (job.buffers.range().len(), job.buffers.j.n);
        let config = &job.kernel.program.config;
        let (lanes, splits) = (plan.lanes, plan.parts);
        let tiles = ni.div_ceil(lanes * config.i_per_thread);
        job.launch_splits(c"few", [tiles, splits], [nj, lanes, tiles, splits])
    }
}

/// Returns the configuration with this number of i-particles per thread and the largest block
/// whose registers and sums fit.
fn config(law: &Law, options: Options, i_per_thread: usize) -> Option<KernelConfig> {
    if i_per_thread == 0 {
        return None;
    }
    let registers = i_per_thread * Registers::of(law, options).with_backup;
    let other = match options.precision {
        Precision::Double => 40 + 24 * i_per_thread,
        _ if branches(law) => 40 + 4 * i_per_thread,
        _ => 28 + 10 * i_per_thread,
    };
    let fits = |&block: &usize| {
        block * (registers + other) <= REGISTERS
            && shared_memory(law, options, block) <= SHARED_MEMORY
    };
    let block = [BLOCK, SMALLEST].into_iter().find(fits)?;
    (registers + other <= MOST_REGISTERS).then_some(KernelConfig {
        schedule: Schedule::Few,
        block,
        i_per_thread,
        bag: SummationOrder::default().bag,
        unroll: 4,
        resident: (REGISTERS / (block * (registers + other))).min(2),
    })
}

/// Returns the bytes of shared memory per block: parameters, two bags, the sums of half the
/// threads for one i-particle each, and the flag of the last block.
fn shared_memory(law: &Law, options: Options, block: usize) -> usize {
    let sums = block / 2 * dim(law.f) * bytes_of(options.backup());
    2 * block * slot(law, options) + sums + parameters(law, options) + ALIGNED
}

/// Returns the numbers of splits to consider: their blocks fill the GPU a whole number of times,
/// or a simple fraction of it. Each split has at least one j-particle.
fn splits(
    occupancy: Occupancy,
    tiles: usize,
    nj: usize,
    parts: Option<usize>,
) -> impl Iterator<Item = usize> {
    let rounds = move |blocks: usize| (1..=MOST_ROUNDS).map(move |rounds| rounds * blocks / tiles);
    let shares = (2..=4).map(move |share| occupancy.multiprocessors / (share * tiles));
    let all =
        rounds(occupancy.multiprocessors).chain(rounds(occupancy.resident_blocks)).chain(shares);
    let all = all.chain([1]).map(move |splits| parts.unwrap_or(splits));
    all.map(move |splits| splits.clamp(1, nj.max(1)))
}

/// Returns the expected time of an evaluation with this number of lanes and splits, in clock
/// cycles.
fn cycles(
    config: &KernelConfig,
    occupancy: Occupancy,
    work: &PairWork,
    lanes: usize,
    splits: usize,
) -> f64 {
    let Occupancy { multiprocessors, resident_blocks } = occupancy;
    let [ni, nj] = work.n;
    let i_per_thread = config.i_per_thread as f64;
    let tiles = ni.div_ceil(lanes * config.i_per_thread);
    let (blocks, groups) = (tiles * splits, config.block / lanes);
    let per_multiprocessor = (resident_blocks / multiprocessors).max(1);
    let (rounds, rest) = (blocks / resident_blocks, blocks % resident_blocks);
    let busiest = rounds * per_multiprocessor + rest.div_ceil(multiprocessors);
    let resident = busiest.min(per_multiprocessor);
    let j_of_block = nj.div_ceil(splits);

    // A thread reads a j-particle once for all its i-particles.
    let branching = if work.cutoff { BRANCHING } else { 1.0 };
    let pair = work.pair * branching + 4.0 / i_per_thread;
    let pairs = (config.tile() * j_of_block.div_ceil(groups) * busiest) as f64;
    let in_flight = (resident * config.tile()) as f64 / LANES;
    let busy = pairs * pair / LANES * (1.0 + LATENCY / in_flight);
    let reading = (tiles * nj * work.j_bytes) as f64 / BANDWIDTH;
    let bags = (j_of_block.div_ceil(config.block) * busiest / resident) as f64;
    let numbers = i_per_thread * work.sums as f64;
    let steps = f64::from(groups.ilog2()) * (STEP_LATENCY * i_per_thread + STEP_NUMBER * numbers);
    let merge = if splits > 1 {
        let parts = splits.div_ceil(groups) as f64;
        LAST_LATENCY + (PART_LATENCY + PART_NUMBER * numbers) * parts + steps
    } else {
        0.0
    };
    let further = (blocks.div_ceil(resident_blocks) - 1) as f64 * ROUND_LATENCY;
    MARGIN * (BLOCK_LATENCY + busy.max(reading) + BAG_LATENCY * bags + steps + merge + further)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCCUPANCY: Occupancy = Occupancy { multiprocessors: 132, resident_blocks: 264 };

    /// Returns the lanes and the splits of a plan.
    fn plan(i_per_thread: usize, ni: usize, nj: usize) -> [usize; 2] {
        let config = KernelConfig {
            schedule: Schedule::Few,
            block: BLOCK,
            i_per_thread,
            bag: 256,
            unroll: 4,
            resident: 2,
        };
        let work = PairWork { j_bytes: 28, ..PairWork::of_pairs([ni, nj], 31.5, 7) };
        let Plan { lanes, parts, .. } =
            Few.plan(&config, OCCUPANCY, &work, Options::default(), None);
        [lanes, parts]
    }

    #[test]
    fn the_fastest_measured_plans_are_chosen() {
        let fastest = [
            ([1, 512, 16384], [64, 33]),
            ([1, 32, 131_072], [16, 132]),
            ([1, 128, 131_072], [32, 66]),
            ([1, 32, 1_048_576], [32, 264]),
            ([2, 32, 1_048_576], [16, 264]),
            ([2, 128, 1_048_576], [32, 132]),
        ];
        for ([i_per_thread, ni, nj], expected) in fastest {
            assert_eq!(plan(i_per_thread, ni, nj), expected, "{ni} x {nj}");
        }
    }

    #[test]
    fn fewer_particles_than_lanes_have_a_plan() {
        assert_eq!(plan(1, 1, 1), [1, 1]);
        let [lanes, splits] = plan(2, 3, 100);
        assert!(lanes <= 2 && splits <= 100);
    }
}
