//! Both directions of each pair at once, shared out among ranks. The blocks of the symmetric schedule
//! form sections, whose sums are added in the order of a binary tree: results do not depend on the
//! number of ranks.

use nbody_core::pack::dim;
use nbody_core::untyped::Shares;
use nbody_core::{Law, Options};

use super::job::Job;
use super::symmetric::{self, FEWEST_MEETINGS, MEETINGS, Share, meetings, shares};
use crate::backend::{Backend, Buffer, Kernel, Launch};
use crate::border::{self, Declared as _, border};
use crate::compile::program::Program;
use crate::config::KernelConfig;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, bytes_of};
use crate::schedule::ScheduleText;
use crate::tuning::plan::Plan;

border! {
    /// Sections of blocks.
    pub mod sections {
        /// The number of sections, a power of two.
        pub const SECTIONS: u32 = 64;
        /// The level of the root of their tree.
        pub const LEVELS: u32 = SECTIONS.ilog2();
    }
}

border! {
    /// The partial sums of ranks: `slots` subtrees of each rank, each with `rows` rows. The first n
    /// rows belong to particles.
    pub struct Parts {
        pub rank: u32,
        pub ranks: u32,
        pub slots: u32,
        pub rows: u32,
        pub blocks_of_section: u32,
    }
}

const SECTIONS: usize = sections::SECTIONS as usize;

/// The number of ranks up to which each one has whole rounds of resident blocks.
const WHOLE_ROUNDS: usize = 4;

/// The memory of the partial sums of a launch, in terms of one without other ranks: ranks exchange
/// results after each launch.
const MORE_MEMORY: usize = 4;

/// The launches of an evaluation that ranks share out.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    n: usize,
    rank: usize,
    ranks: usize,
    /// The shares of this rank, one after the other.
    pub turns: Vec<Share>,
}

impl Sections {
    /// Divides the blocks of a plan; `None` if there are too many rows of partial sums.
    pub fn new(
        config: &KernelConfig,
        n: usize,
        plan: Plan,
        most_rows: usize,
        [rank, ranks]: [usize; 2],
    ) -> Option<Self> {
        let meetings = meetings(config, n, 0..n.div_ceil(config.tile()));
        let blocks = (WHOLE_ROUNDS * plan.parts).min(meetings / FEWEST_MEETINGS);
        let of_section = (blocks / SECTIONS).max(1);
        let blocks = of_section * SECTIONS;
        let own = section_of(rank, ranks) * of_section..section_of(rank + 1, ranks) * of_section;
        let turns = shares(config, n, blocks, most_rows).into_iter();
        let turns = turns.map(|share| Share { blocks, own: own.clone(), ..share }).collect();
        let sections = Self { n, rank, ranks, turns };
        (sections.shares().n <= PARTICLE_LIMIT).then_some(sections)
    }

    /// Returns the rows of partial sums of each rank.
    pub fn shares(&self) -> Shares {
        let piece = self.slots().saturating_mul(Shares::new(self.n, 1).piece);
        let n = piece.saturating_mul(self.ranks);
        Shares { n, ranks: self.ranks, piece, in_rows: false }
    }

    /// Returns the largest number of subtrees of a rank.
    fn slots(&self) -> usize {
        let slots = |rank| subtrees(section_of(rank, self.ranks), section_of(rank + 1, self.ranks));
        (0..self.ranks).map(slots).max().unwrap_or(0)
    }

    fn parts(&self, share: &Share) -> Parts {
        let rows = Shares::new(self.n, 1).piece;
        let numbers = [self.rank, self.ranks, self.slots(), rows, share.blocks / SECTIONS];
        let [rank, ranks, slots, rows, blocks_of_section] = numbers.map(|number| number as u32);
        Parts { rank, ranks, slots, rows, blocks_of_section }
    }

    /// Evaluates the share of this rank in a turn, and adds up its subtrees.
    pub fn launch(
        &self,
        turn: usize,
        job: &mut Job,
        merging: &Kernel,
        parts: &Buffer,
    ) -> Result<(), Error> {
        let share = &self.turns[turn];
        share.reserve(job)?;
        if !share.own.is_empty() {
            share.launch(job)?;
        }
        let workspace = &*job.workspace;
        let merge = self.each_particle(c"merge_sections", merging, share).pointers([
            workspace.i_parts.memory(),
            workspace.j_parts.memory(),
            &*parts.memory,
        ]);
        merging.module.launch(merge)
    }

    /// Adds up the subtrees of all ranks.
    pub fn combine(
        &self,
        turn: usize,
        merging: &Kernel,
        parts: &Buffer,
        out: &Buffer,
    ) -> Result<(), Error> {
        let combine = self
            .each_particle(c"combine_sections", merging, &self.turns[turn])
            .pointers([&*parts.memory, &*out.memory]);
        merging.module.launch(combine)
    }

    fn each_particle<'a>(
        &self,
        name: &'static std::ffi::CStr,
        merging: &Kernel,
        share: &Share,
    ) -> Launch<'a> {
        let config = &merging.program.config;
        let rest = self.n - share.tiles.start * config.tile();
        Launch::new(name, rest.div_ceil(config.block) as u32)
            .value(&share.argument(self.n))
            .value(&self.parts(share))
    }
}

/// Returns the first section of a rank.
fn section_of(rank: usize, ranks: usize) -> usize {
    SECTIONS * rank / ranks
}

/// Returns the number of the largest subtrees that make up these sections.
fn subtrees(begin: usize, end: usize) -> usize {
    let mut count = 0;
    let mut section = begin;
    while section < end {
        let mut size = if section == 0 { SECTIONS } else { 1 << section.trailing_zeros() };
        while section + size > end {
            size /= 2;
        }
        (section, count) = (section + size, count + 1);
    }
    count
}

/// Returns the most rows of j-particles of a launch.
pub(super) fn most_rows(backend: &dyn Backend, law: &Law, options: Options) -> usize {
    MORE_MEMORY * backend.memory_for_parts() / (dim(law.f) * bytes_of(options.backup())).max(1)
}

impl Program {
    /// Returns the program that adds up the partial sums of ranks, of the symmetric schedule in this
    /// configuration.
    pub fn sections(law: &Law, options: Options, config: KernelConfig) -> Self {
        let text = ScheduleText {
            title: "partial sums of ranks",
            parts: &[MEETINGS, include_str!("sections.cuh")],
            merging: 0,
            in_order: true,
            kernels: &[c"merge_sections", c"combine_sections"],
        };
        let own = border::text(&[sections::text(), Parts::text()]);
        let constants = symmetric::constants() + &own;
        Self::assemble(law, options, config, text, &constants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_all_sections_in_few_subtrees() {
        assert_eq!(subtrees(0, SECTIONS), 1);
        assert_eq!([subtrees(0, 32), subtrees(32, 64), subtrees(21, 42)], [1, 1, 5]);
        for ranks in 1..=70 {
            assert_eq!((section_of(0, ranks), section_of(ranks, ranks)), (0, SECTIONS));
            let most = (0..ranks).map(|rank| {
                let [begin, end] = [rank, rank + 1].map(|rank| section_of(rank, ranks));
                assert!(begin <= end && end - begin <= SECTIONS.div_ceil(ranks));
                subtrees(begin, end)
            });
            assert!(most.max().unwrap() <= 10, "{ranks}");
        }
    }
}
