//! Every ordered pair, for few i-particles: as many threads of a block stand side by side as there are
//! i-particles for, and the j-particles are shared out among the others. This is the shape of block time
//! steps, in which few particles feel all.

use nbody_core::pack::dim;
use nbody_core::{Law, Options, Precision, SummationOrder};

use super::plan::{BLOCK_LATENCY, LANES};
use super::resources::{ALIGNED, REGISTERS, Registers, SHARED_MEMORY, branches, parameters, slot};
use super::{Job, Plan, Room, Rules, Text, Work, may_reorder};
use crate::layout::bytes_of;
use crate::{Error, KernelConfig, Schedule};

/// Threads of a block, and of the smallest.
const BLOCK: usize = 256;
const SMALLEST: usize = 128;
/// i-particles of a thread, at most.
const MOST_I: usize = 2;
/// The most registers that a thread may have.
const MOST_REGISTERS: usize = 255;
/// Rounds of blocks that are considered.
const MOST_ROUNDS: usize = 4;

// The model of the time, in clock cycles, fitted to 170 ways to divide the work, of 32 to 512
// i-particles and 16384 to 1048576 j-particles, by `hermite` in single precision on an H200: it finds
// the fastest way for all of them, and its times are within 3.4% (rms).
/// For a bag, from one barrier to the next.
const BAG_LATENCY: f64 = 545.0;
/// For each halving of the groups whose sums are added up, and each number.
const STEP_LATENCY: f64 = 349.0;
const STEP_NUMBER: f64 = 1.9;
/// For the last block of a tile, and for each part and number that a thread merges.
const LAST_LATENCY: f64 = 2632.0;
const PART_LATENCY: f64 = 23.0;
const PART_NUMBER: f64 = 26.0;
/// For each further round of blocks.
const ROUND_LATENCY: f64 = 5823.0;
/// Bytes of j-particles that are read in a cycle.
const BANDWIDTH: f64 = 1374.0;
/// How much longer pairs take where a lane has but one at hand.
const WAITING: f64 = 0.24;
/// How much longer a pair takes where threads branch at a cutoff, without a filter.
const BRANCHING: f64 = 2.5;
/// How much faster it must be than other schedules.
const MARGIN: f64 = 1.03;

#[derive(Debug)]
pub struct Few;

impl Rules for Few {
    fn text(&self) -> Text {
        Text {
            title: "every ordered pair of few i-particles",
            parts: &[
                include_str!("../../kernels/bag.cuh"),
                include_str!("../../kernels/force_loop.cuh"),
                include_str!("few.cuh"),
            ],
            merging: 64,
            kernels: &[c"few"],
        }
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

    fn kept(&self, config: &KernelConfig, law: &Law, options: Options) -> usize {
        config.i_per_thread * Registers::of(law, options).blocked
    }

    fn evaluates(&self, options: Options, _: &Work, forced: bool) -> bool {
        forced || may_reorder(options)
    }

    fn plan(
        &self,
        config: &KernelConfig,
        room: Room,
        work: &Work,
        _: Options,
        parts: Option<usize>,
    ) -> Plan {
        let [ni, nj] = work.n;
        // No more lanes than there are i-particles for.
        let all = std::iter::successors(Some(1), |lanes| Some(2 * lanes));
        let lanes = all.take_while(|&lanes| {
            lanes <= config.block.min(config.bag)
                && (lanes == 1 || lanes / 2 * config.i_per_thread < ni)
        });
        let plans = lanes.flat_map(|lanes| {
            let tiles = ni.div_ceil(lanes * config.i_per_thread);
            splits(room, tiles, nj, parts).map(move |splits| (lanes, splits))
        });
        let plans = plans.map(|(lanes, parts)| {
            let cycles = cycles(config, room, work, lanes, parts);
            Plan { parts, lanes, cycles }
        });
        let best = plans.min_by(|a, b| a.cycles.total_cmp(&b.cycles));
        best.expect("one lane is always possible")
    }

    fn parts(
        &self,
        config: &KernelConfig,
        room: Room,
        work: &Work,
        options: Options,
    ) -> Vec<usize> {
        let splits = self.plan(config, room, work, options, None).parts;
        let mut parts = vec![splits, splits.div_ceil(2), (2 * splits).min(work.n[1])];
        parts.dedup();
        parts
    }

    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error> {
        let [ni, nj] = job.buffers.n();
        let config = &job.kernel.program.config;
        let (lanes, splits) = (plan.lanes, plan.parts);
        let tiles = ni.div_ceil(lanes * config.i_per_thread);
        let launch = job.kernel_of_pairs(c"few", tiles * splits);
        let sizes = [ni, dim(job.law.f), bytes_of(job.options.backup())];
        let [parts, ended] = job.scratch.of_splits(job.backend, sizes, splits, tiles)?;
        let buffers = &job.buffers;
        let launch = launch
            .pointers([&*buffers.i.memory])
            .numbers([ni as u32])
            .pointers([&*buffers.j.memory])
            .numbers([nj, lanes, tiles, splits].map(|number| number as u32))
            .numbers([buffers.one_set.into()])
            .pointers([parts, ended, &*buffers.out.memory]);
        job.kernel.module.launch(launch)
    }
}

/// The configuration of this many i-particles for a thread, with the largest block that its registers
/// and sums fit in.
fn config(law: &Law, options: Options, i_per_thread: usize) -> Option<KernelConfig> {
    if i_per_thread == 0 {
        return None;
    }
    let kept = i_per_thread * Registers::of(law, options).blocked;
    let other = match options.precision {
        Precision::Double => 40 + 24 * i_per_thread,
        _ if branches(law) => 40 + 4 * i_per_thread,
        _ => 28 + 10 * i_per_thread,
    };
    let fits = |&block: &usize| {
        block * (kept + other) <= REGISTERS && shared_memory(law, options, block) <= SHARED_MEMORY
    };
    let block = [BLOCK, SMALLEST].into_iter().find(fits)?;
    (kept + other <= MOST_REGISTERS).then_some(KernelConfig {
        schedule: Schedule::Few,
        block,
        i_per_thread,
        bag: SummationOrder::default().bag,
        unroll: 4,
        resident: (REGISTERS / (block * (kept + other))).min(2),
    })
}

/// Bytes of shared memory of a block: the parameters, two bags, what half of the threads summed for one
/// i-particle each, and whether the block is the last.
fn shared_memory(law: &Law, options: Options, block: usize) -> usize {
    let sums = block / 2 * dim(law.f) * bytes_of(options.backup());
    2 * block * slot(law, options) + sums + parameters(law, options) + ALIGNED
}

/// The numbers of splits that fill the GPU some times, or a part of it; each has a j-particle.
fn splits(
    room: Room,
    tiles: usize,
    nj: usize,
    parts: Option<usize>,
) -> impl Iterator<Item = usize> {
    let rounds = move |blocks: usize| (1..=MOST_ROUNDS).map(move |rounds| rounds * blocks / tiles);
    let shares = (2..=4).map(move |share| room.multiprocessors / (share * tiles));
    let all = rounds(room.multiprocessors).chain(rounds(room.blocks_at_once)).chain(shares);
    let all = all.chain([1]).map(move |splits| parts.unwrap_or(splits));
    all.map(move |splits| splits.clamp(1, nj.max(1)))
}

/// The time that so many splits take with so many lanes.
fn cycles(config: &KernelConfig, room: Room, work: &Work, lanes: usize, splits: usize) -> f64 {
    let Room { multiprocessors, blocks_at_once } = room;
    let [ni, nj] = work.n;
    let i_per_thread = config.i_per_thread as f64;
    let tiles = ni.div_ceil(lanes * config.i_per_thread);
    let (blocks, groups) = (tiles * splits, config.block / lanes);
    let per_multiprocessor = (blocks_at_once / multiprocessors).max(1);
    let (rounds, rest) = (blocks / blocks_at_once, blocks % blocks_at_once);
    let busiest = rounds * per_multiprocessor + rest.div_ceil(multiprocessors);
    let resident = busiest.min(per_multiprocessor);
    let j_of_block = nj.div_ceil(splits);

    // What a thread reads, it reads for all of its i-particles.
    let branching = if work.cutoff { BRANCHING } else { 1.0 };
    let pair = work.pair * branching + 4.0 / i_per_thread;
    let pairs = (config.tile() * j_of_block.div_ceil(groups) * busiest) as f64;
    let at_hand = (resident * config.tile()) as f64 / LANES;
    let busy = pairs * pair / LANES * (1.0 + WAITING / at_hand);
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
    let further = (blocks.div_ceil(blocks_at_once) - 1) as f64 * ROUND_LATENCY;
    MARGIN * (BLOCK_LATENCY + busy.max(reading) + BAG_LATENCY * bags + steps + merge + further)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { multiprocessors: 132, blocks_at_once: 264 };

    /// The lanes, and the splits.
    fn plan(i_per_thread: usize, ni: usize, nj: usize) -> [usize; 2] {
        let config = KernelConfig {
            schedule: Schedule::Few,
            block: BLOCK,
            i_per_thread,
            bag: 256,
            unroll: 4,
            resident: 2,
        };
        let work = Work { j_bytes: 28, ..Work::of_pairs([ni, nj], 31.5, 7) };
        let Plan { lanes, parts, .. } = Few.plan(&config, ROOM, &work, Options::default(), None);
        [lanes, parts]
    }

    #[test]
    fn the_fastest_of_what_was_measured_is_chosen() {
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
    fn few_particles_are_divided_all_the_same() {
        assert_eq!(plan(1, 1, 1), [1, 1]);
        let [lanes, splits] = plan(2, 3, 100);
        assert!(lanes <= 2 && splits <= 100);
    }
}
