//! Both directions of each pair at once, by Newton's third law. The first kernel evaluates tiles
//! of i-particles against groups of j-particles; the second merges the partial sums of both.

use std::ops::Range;

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Pairs, Precision, SummationOrder};

use super::job::Job;
use super::{Rules, may_reorder};
use crate::backend::Launch;
use crate::border::{self, Declared as _, border};
use crate::config::warp;
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::layout::bytes_of;
use crate::schedule::ScheduleText;
use crate::schedule::resources::{Registers, SHARED_MEMORY, branches, parameters, resident, slot};
use crate::tuning::plan::{Occupancy, PairWork, Plan};

/// Threads of a block.
const BLOCK: usize = 128;
/// Register budget per thread for i-particles and accumulators; backup accumulators are in memory.
const BUDGET: usize = 98;
/// j-particles of a group.
const J_GROUP: usize = groups::J_GROUP as usize;
/// Meetings of tiles with groups per block: the smallest number for which this schedule is faster
/// than ordered pairs, and the smallest number for which several rounds of blocks balance the load
/// better.
pub(super) const FEWEST_MEETINGS: usize = 3;
const MEETINGS_OF_ROUNDS: usize = 64;
const ROUNDS: usize = 4;

border! {
    /// The tiles and the blocks of one launch, for a set of `n` particles.
    pub struct Tiles {
        pub n: u32,
        /// The first tile.
        pub first: u32,
        /// The end of the tiles.
        pub end: u32,
        pub blocks: u32,
        /// The first block of this rank.
        pub block_begin: u32,
    }
}

border! {
    /// Groups of j-particles.
    pub mod groups {
        /// The number of j-particles of a group, which are in shared memory together.
        pub const J_GROUP: u32 = 2 * warp::LANES;
    }
}

/// The text of the meetings of tiles with groups, which follows [`constants`].
pub(super) const MEETINGS: &str = include_str!("meetings.cuh");

/// Returns the constants and structs of tiles and groups.
pub(super) fn constants() -> String {
    border::text(&[warp::text(), groups::text(), Tiles::text()])
}

#[derive(Debug)]
pub struct Symmetric;

impl Rules for Symmetric {
    fn text(&self) -> ScheduleText<'static> {
        ScheduleText {
            title: "both directions of each pair",
            parts: &[
                include_str!("../../kernels/bag.cuh"),
                MEETINGS,
                include_str!("symmetric.cuh"),
            ],
            merging: 48,
            in_order: true,
            kernels: &[c"symmetric", c"merge_parts"],
        }
    }

    fn constants(&self, _: &KernelConfig, _: &Law, _: Options, _: bool) -> String {
        constants()
    }

    /// Returns no configuration if the law has no third law, if sums are compensated, or if the
    /// accumulators do not fit.
    fn configs(&self, law: &Law, options: Options) -> Result<Vec<KernelConfig>, Error> {
        Ok(config(law, options).into_iter().collect())
    }

    fn narrower(&self, of: &KernelConfig, _: &Law, _: Options) -> Option<KernelConfig> {
        let n = of.i_per_thread;
        (n > 1).then_some(KernelConfig { i_per_thread: 2 * n / 3, ..*of })
    }

    fn trials(&self, law: &Law, options: Options) -> Vec<KernelConfig> {
        let Some(config) = config(law, options) else { return Vec::new() };
        let most = 2 * config.i_per_thread;
        let numbers = [4, 6, 7, 8, 10, 12, 14].into_iter().filter(|&n| n <= most);
        numbers.map(|i_per_thread| KernelConfig { i_per_thread, ..config }).collect()
    }

    /// Requires whole groups. The bag only determines the interval between folds of the sums.
    fn is_possible(&self, of: &KernelConfig, law: &Law, options: Options) -> bool {
        options.order.is_none()
            && config(law, options).is_some()
            && of.block >= J_GROUP
            && of.bag.is_multiple_of(J_GROUP)
            && of.tile().is_multiple_of(J_GROUP)
    }

    fn registers(&self, config: &KernelConfig, law: &Law, options: Options) -> usize {
        config.i_per_thread * Registers::of(law, options).without_backup
    }

    fn evaluates(&self, options: Options, work: &PairWork, forced: bool) -> bool {
        let asked_for = options.pairs == Pairs::Symmetric && options.order.is_none();
        let suits = options.pairs == Pairs::Auto && may_reorder(options);
        work.one_buffer && (asked_for || suits || forced)
    }

    /// Expects the schedule to be the fastest if each block has several meetings and there is no
    /// cutoff. With a cutoff most pairs are beyond it, and the cutoff filter of the ordered
    /// schedule is faster.
    fn plan(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        options: Options,
        parts: Option<usize>,
    ) -> Plan {
        let n = work.n[0];
        let meetings = meetings(config, n, 0..n.div_ceil(config.tile()));
        let at_once = occupancy.resident_blocks;
        let rounds = if meetings >= at_once * MEETINGS_OF_ROUNDS { ROUNDS } else { 1 };
        let pays = !work.cutoff && meetings >= at_once * FEWEST_MEETINGS;
        let pays = pays || options.pairs == Pairs::Symmetric;
        Plan {
            parts: parts.unwrap_or(at_once * rounds),
            lanes: config.block,
            cycles: if pays { 0.0 } else { f64::INFINITY },
        }
    }

    fn parts(
        &self,
        _: &KernelConfig,
        occupancy: Occupancy,
        _: &PairWork,
        _: Options,
    ) -> Vec<usize> {
        [1, 2, 4].map(|rounds| rounds * occupancy.resident_blocks).to_vec()
    }

    /// Launches both kernels, each time for the largest number of tiles whose partial sums fit the
    /// memory.
    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error> {
        let config = &job.kernel.program.config;
        let n = job.buffers.i.n;
        let row = dim(job.law.f) * bytes_of(job.options.backup());
        let shares = shares(config, n, plan.parts, job.backend.memory_for_parts() / row.max(1));
        // Memory is allocated before the first launch.
        for share in &shares {
            share.reserve(job)?;
        }
        let out = &*job.buffers.out.memory;
        for share in &shares {
            share.launch(job)?;
            let (i_parts, j_parts) =
                (job.workspace.i_parts.memory(), job.workspace.j_parts.memory());
            let rest = n - share.tiles.start * config.tile();
            let merge = Launch::new(c"merge_parts", rest.div_ceil(config.block) as u32)
                .value(&share.argument(n))
                .pointers([i_parts, j_parts, out]);
            job.kernel.module.launch(merge)?;
        }
        Ok(())
    }
}

fn config(law: &Law, options: Options) -> Option<KernelConfig> {
    law.third_law?;
    if options.accumulation == Accumulation::Compensated {
        return None;
    }
    let registers = Registers::of(law, options).without_backup;
    let other = if options.precision == Precision::Double { 100 } else { 60 };
    let j_sums = BLOCK / 32 * J_GROUP * dim(law.f) * bytes_of(options.precision);
    let shared = j_sums + parameters(law, options) + 2 * J_GROUP * slot(law, options);
    if registers > BUDGET || shared > SHARED_MEMORY {
        return None;
    }
    let most = if branches(law) { 4 } else { 12 };
    let i_per_thread = (BUDGET / registers).min(most);
    Some(KernelConfig {
        schedule: Schedule::Symmetric,
        block: BLOCK,
        i_per_thread,
        bag: SummationOrder::default().bag,
        unroll: 1,
        resident: resident(BLOCK, i_per_thread * registers + other, 6),
    })
}

/// The tiles of one launch, the blocks that share out their meetings, and the blocks of this rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub tiles: Range<usize>,
    pub blocks: usize,
    pub own: Range<usize>,
}

impl Share {
    /// Provides memory for the partial sums that the blocks write.
    pub fn reserve(&self, job: &mut Job) -> Result<(), Error> {
        let config = &job.kernel.program.config;
        let row = dim(job.law.f) * bytes_of(job.options.backup());
        let i_sizes = [self.own.len() + self.tiles.len(), config.tile(), row];
        job.workspace.i_parts.reserve(job.backend, &i_sizes, false)?;
        let j_sizes = [j_rows(config, job.buffers.i.n, self.tiles.clone()), row];
        job.workspace.j_parts.reserve(job.backend, &j_sizes, false)?;
        Ok(())
    }

    /// Evaluates the meetings of the blocks of this rank.
    pub fn launch(&self, job: &Job) -> Result<(), Error> {
        let pairs = job
            .kernel_of_pairs(c"symmetric", self.own.len())
            .pointers([&*job.buffers.i.memory])
            .value(&self.argument(job.buffers.i.n))
            .pointers([job.workspace.i_parts.memory(), job.workspace.j_parts.memory()]);
        job.kernel.module.launch(pairs)
    }

    /// Returns the share as an argument of kernels.
    pub fn argument(&self, n: usize) -> Tiles {
        let numbers = [n, self.tiles.start, self.tiles.end, self.blocks, self.own.start];
        let [n, first, end, blocks, block_begin] = numbers.map(|it| it as u32);
        Tiles { n, first, end, blocks, block_begin }
    }
}

/// Divides the tiles among launches. Each launch writes at most `most_rows` sums of j-particles,
/// or the sums of one tile.
pub(super) fn shares(
    config: &KernelConfig,
    n: usize,
    blocks: usize,
    most_rows: usize,
) -> Vec<Share> {
    let tiles = n.div_ceil(config.tile());
    let mut shares = Vec::new();
    let mut first = 0;
    while first < tiles {
        let fit =
            (first + 1..tiles).take_while(|&end| j_rows(config, n, first..end + 1) <= most_rows);
        let tiles = first..fit.last().map_or(first + 1, |end| end + 1);
        first = tiles.end;
        // Each block has at least one meeting.
        let blocks = blocks.min(meetings(config, n, tiles.clone()));
        shares.push(Share { tiles, blocks, own: 0..blocks });
    }
    shares
}

/// Returns the number of meetings of these tiles with groups.
pub(super) fn meetings(config: &KernelConfig, n: usize, tiles: Range<usize>) -> usize {
    let groups = n.div_ceil(J_GROUP);
    tiles.map(|tile| groups - tile * config.tile() / J_GROUP).sum()
}

/// Returns the number of sums of j-particles that these tiles write.
fn j_rows(config: &KernelConfig, n: usize, tiles: Range<usize>) -> usize {
    tiles.map(|tile| n - tile * config.tile()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: KernelConfig = KernelConfig {
        schedule: Schedule::Symmetric,
        block: 128,
        i_per_thread: 12,
        bag: 256,
        unroll: 1,
        resident: 4,
    };
    const OCCUPANCY: Occupancy = Occupancy { multiprocessors: 132, resident_blocks: 528 };

    #[test]
    fn many_particles_use_both_directions() {
        let plan = |n| {
            let work = PairWork { one_buffer: true, ..PairWork::of_pairs([n, n], 13.0, 3) };
            Symmetric.plan(&CONFIG, OCCUPANCY, &work, Options::default(), None)
        };
        assert_eq!(plan(2048).cycles, f64::INFINITY);
        assert_eq!(plan(131_072), Plan { parts: 528 * 4, lanes: 128, cycles: 0.0 });
    }

    #[test]
    fn tiles_are_divided_among_launches_by_memory() {
        assert_eq!(j_rows(&CONFIG, 2000, 0..2), 2000 + 464);
        let ends = |most_rows| -> Vec<_> {
            shares(&CONFIG, 4000, 8, most_rows).into_iter().map(|share| share.tiles.end).collect()
        };
        assert_eq!(ends(10_000), [3]);
        assert_eq!(ends(6464), [2, 3]);
        assert_eq!(ends(0), [1, 2, 3]);
    }
}
