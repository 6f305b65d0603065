//! Both directions of a pair at once, by Newton's third law. Tiles of i-particles meet groups of
//! j-particles, and what both feel is merged by a second kernel.

use std::ops::Range;

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Pairs, Precision, SummationOrder};

use super::resources::{Registers, SHARED_MEMORY, branches, parameters, resident, slot};
use super::{Job, Plan, Room, Rules, Text, Work, may_reorder};
use crate::backend::Launch;
use crate::layout::bytes_of;
use crate::{Error, KernelConfig, Schedule};

/// Threads of a block.
const BLOCK: usize = 128;
/// 32-bit registers that a thread may keep; the backup accumulators are in memory.
const KEPT: usize = 98;
/// j-particles in shared memory at a time: `GROUP` of `symmetric.cuh`.
const GROUP: usize = 64;
/// Meetings of tiles with groups that each block must have, for the schedule to pay; and those that it
/// has with several rounds of blocks, which even out their times.
const FEWEST_MEETINGS: usize = 3;
const MEETINGS_OF_ROUNDS: usize = 64;
const ROUNDS: usize = 4;

#[derive(Debug)]
pub struct Symmetric;

impl Rules for Symmetric {
    fn text(&self) -> Text {
        Text {
            title: "both directions of each pair",
            parts: &[include_str!("../../kernels/bag.cuh"), include_str!("symmetric.cuh")],
            merging: 48,
            kernels: &[c"symmetric", c"merge_parts"],
        }
    }

    /// None where parity does not allow it, the sums are compensated, or the accumulators do not fit.
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

    /// A bag is only how often sums are folded.
    fn is_possible(&self, of: &KernelConfig, law: &Law, options: Options) -> bool {
        options.order.is_none()
            && config(law, options).is_some()
            && of.block >= GROUP
            && of.bag.is_multiple_of(GROUP)
            && of.tile().is_multiple_of(GROUP)
    }

    fn kept(&self, config: &KernelConfig, law: &Law, options: Options) -> usize {
        config.i_per_thread * Registers::of(law, options).direct
    }

    fn evaluates(&self, options: Options, work: &Work, forced: bool) -> bool {
        let asked_for = options.pairs == Pairs::Symmetric && options.order.is_none();
        let suits = options.pairs == Pairs::Auto && may_reorder(options);
        work.one_buffer && (asked_for || suits || forced)
    }

    /// It is the fastest where each block has some meetings; with a cutoff, pairs within it are likely
    /// few, and every thread finds those of its own sooner.
    fn plan(
        &self,
        config: &KernelConfig,
        room: Room,
        work: &Work,
        options: Options,
        parts: Option<usize>,
    ) -> Plan {
        let n = work.n[0];
        let meetings = meetings(config, n, 0..n.div_ceil(config.tile()));
        let at_once = room.blocks_at_once;
        let rounds = if meetings >= at_once * MEETINGS_OF_ROUNDS { ROUNDS } else { 1 };
        let pays = !work.cutoff && meetings >= at_once * FEWEST_MEETINGS;
        let pays = pays || options.pairs == Pairs::Symmetric;
        Plan {
            parts: parts.unwrap_or(at_once * rounds),
            lanes: config.block,
            cycles: if pays { 0.0 } else { f64::INFINITY },
        }
    }

    fn parts(&self, _: &KernelConfig, room: Room, _: &Work, _: Options) -> Vec<usize> {
        [1, 2, 4].map(|rounds| rounds * room.blocks_at_once).to_vec()
    }

    /// Launches for as many tiles at a time as the memory for their parts allows.
    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error> {
        let config = &job.kernel.program.config;
        let n = job.buffers.i.n;
        let row = dim(job.law.f) * bytes_of(job.options.backup());
        let shares = shares(config, n, plan.parts, job.backend.room_for_parts() / row.max(1));
        // All that may fail comes before the first launch.
        let i_rows = shares.iter().map(Share::i_tiles).max().unwrap_or(0);
        let j_rows = shares.iter().map(|share| j_rows(config, n, share.tiles.clone())).max();
        let i_sizes = [i_rows, config.tile(), row];
        job.scratch.i_parts.reserve(job.backend, &i_sizes, false)?;
        job.scratch.j_parts.reserve(job.backend, &[j_rows.unwrap_or(0), row], false)?;
        let (i_parts, j_parts) = (job.scratch.i_parts.memory(), job.scratch.j_parts.memory());
        let (particles, out) = (&*job.buffers.i.memory, &*job.buffers.out.memory);
        for share in &shares {
            let meet = job
                .kernel_of_pairs(c"symmetric", share.blocks)
                .pointers([particles])
                .record(&share.words(n))
                .pointers([i_parts, j_parts]);
            job.kernel.module.launch(meet)?;
            let rest = n - share.tiles.start * config.tile();
            let merge = Launch::new(c"merge_parts", rest.div_ceil(config.block) as u32)
                .record(&share.words(n))
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
    let registers = Registers::of(law, options).direct;
    let other = if options.precision == Precision::Double { 100 } else { 60 };
    let felt = BLOCK / 32 * GROUP * dim(law.f) * bytes_of(options.precision);
    let shared = felt + parameters(law, options) + 2 * GROUP * slot(law, options);
    if registers > KEPT || shared > SHARED_MEMORY {
        return None;
    }
    let most = if branches(law) { 4 } else { 12 };
    let i_per_thread = (KEPT / registers).min(most);
    Some(KernelConfig {
        schedule: Schedule::Symmetric,
        block: BLOCK,
        i_per_thread,
        bag: SummationOrder::default().bag,
        unroll: 1,
        resident: resident(BLOCK, i_per_thread * registers + other, 6),
    })
}

/// The tiles that one launch evaluates, and its blocks: `Share` of `symmetric.cuh`.
#[derive(Debug, PartialEq, Eq)]
struct Share {
    tiles: Range<usize>,
    blocks: usize,
}

impl Share {
    /// Tiles of sums that its blocks write.
    fn i_tiles(&self) -> usize {
        self.blocks + self.tiles.len()
    }

    /// The struct as it lies in memory.
    fn words(&self, n: usize) -> [u64; 2] {
        let two = |low: usize, high: usize| low as u64 | (high as u64) << 32;
        [two(n, self.tiles.start), two(self.tiles.end, self.blocks)]
    }
}

/// Cuts the tiles into launches which each write no more than `room` records of what j-particles feel,
/// or those of one tile.
fn shares(config: &KernelConfig, n: usize, blocks: usize, room: usize) -> Vec<Share> {
    let tiles = n.div_ceil(config.tile());
    let mut shares = Vec::new();
    let mut first = 0;
    while first < tiles {
        let fit = (first + 1..tiles).take_while(|&end| j_rows(config, n, first..end + 1) <= room);
        let tiles = first..fit.last().map_or(first + 1, |end| end + 1);
        first = tiles.end;
        // Each block has one meeting at least.
        let blocks = blocks.min(meetings(config, n, tiles.clone()));
        shares.push(Share { tiles, blocks });
    }
    shares
}

/// The meetings of these tiles with groups.
fn meetings(config: &KernelConfig, n: usize, tiles: Range<usize>) -> usize {
    let groups = n.div_ceil(GROUP);
    tiles.map(|tile| groups - tile * config.tile() / GROUP).sum()
}

/// Records that these tiles write of what j-particles feel.
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
    const ROOM: Room = Room { multiprocessors: 132, blocks_at_once: 528 };

    #[test]
    fn the_third_law_pays_for_many_particles() {
        let plan = |n| {
            let work = Work { one_buffer: true, ..Work::of_pairs([n, n], 13.0, 3) };
            Symmetric.plan(&CONFIG, ROOM, &work, Options::default(), None)
        };
        assert_eq!(plan(2048).cycles, f64::INFINITY);
        assert_eq!(plan(131_072), Plan { parts: 528 * 4, lanes: 128, cycles: 0.0 });
    }

    #[test]
    fn launches_share_the_tiles_by_what_fits() {
        assert_eq!(j_rows(&CONFIG, 2000, 0..2), 2000 + 464);
        let ends = |room| -> Vec<_> {
            shares(&CONFIG, 4000, 8, room).into_iter().map(|share| share.tiles.end).collect()
        };
        assert_eq!(ends(10_000), [3]);
        assert_eq!(ends(6464), [2, 3]);
        assert_eq!(ends(0), [1, 2, 3]);
    }
}
