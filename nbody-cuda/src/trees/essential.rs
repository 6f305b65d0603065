//! The sources of a tree that act on the i-particles of other ranks (`essential.cuh`).

use std::ops::Range;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::untyped::{Bounds, RowLists, TargetBox, greatest_error};

use super::declared::{self, EssentialTree, phases_of_marks};
use crate::backend::{Backend, LateKernel, Launch, Memory, Reply, Scratch};
use crate::border::{self, Address};
use crate::compile::program::Program;
use crate::engine::listing::DeviceLists;
use crate::engine::parts::BoxAround;
use crate::error::Error;

/// Threads of a block.
const BLOCK: usize = 256;
/// The most ranks that cells are marked for at a time.
const RANKS: usize = u64::BITS as usize;

/// Lists sources for ranks.
#[derive(Debug)]
pub(crate) struct EssentialSources {
    backend: Arc<dyn Backend>,
    kernels: LateKernel,
    boxes: Scratch,
    ends: Scratch,
    most: Scratch,
    seen: Scratch,
    marks: Scratch,
    counts: Scratch,
    addresses: Scratch,
    arrived: Scratch,
    replies: Vec<Box<dyn Reply>>,
    /// The ranks whose sources were marked and not listed.
    marked: Range<usize>,
    lists: DeviceLists,
}

impl EssentialSources {
    pub fn new(backend: &Arc<dyn Backend>, cache: &Cache) -> Self {
        let (boxes, ends, most, seen, marks, counts, addresses, arrived) = Default::default();
        Self {
            backend: backend.clone(),
            kernels: LateKernel::new(cache, Program::essential),
            boxes,
            ends,
            most,
            seen,
            marks,
            counts,
            addresses,
            arrived,
            replies: Vec::new(),
            marked: 0..0,
            lists: DeviceLists::default(),
        }
    }

    /// Marks the sources of a tree that act on i-particles anywhere in the boxes of each rank. The
    /// last ranks are listed by [`list`](Self::list), so that the device computes meanwhile.
    pub fn mark_all(&mut self, tree: &Marked<'_>, boxes: &[Vec<TargetBox>]) -> Result<(), Error> {
        self.lists = DeviceLists::nothing(boxes.len());
        self.marked = 0..0;
        for first in (0..boxes.len()).step_by(RANKS) {
            self.list_marked(tree)?;
            let ranks = first..boxes.len().min(first + RANKS);
            self.mark(tree, &boxes[ranks.clone()])?;
            self.marked = ranks;
        }
        Ok(())
    }

    /// Returns the lists of all ranks.
    pub fn list(&mut self, tree: &Marked<'_>) -> Result<Box<dyn RowLists>, Error> {
        self.list_marked(tree)?;
        Ok(Box::new(std::mem::take(&mut self.lists)))
    }

    /// Returns empty lists for this number of ranks.
    pub fn nothing(ranks: usize) -> Box<dyn RowLists> {
        Box::new(DeviceLists::nothing(ranks))
    }

    fn mark(&mut self, tree: &Marked<'_>, boxes: &[Vec<TargetBox>]) -> Result<(), Error> {
        let backend = self.backend.clone();
        let of_rank = |of_rank: &Vec<TargetBox>| -> Vec<TargetBox> {
            of_rank.iter().copied().filter(|it| !it.bounds.is_empty()).collect()
        };
        let boxes: Vec<_> = boxes.iter().map(of_rank).collect();
        let end = |end: &mut u32, of_rank: &Vec<TargetBox>| {
            *end += of_rank.len() as u32;
            Some(*end)
        };
        let ends: Vec<u32> = boxes.iter().scan(0, end).collect();
        let words = |&TargetBox { bounds: Bounds { lo, hi }, .. }: &TargetBox| {
            border::words(&BoxAround { lo, hi })
        };
        let words: Vec<u64> = boxes.iter().flatten().flat_map(words).collect();
        let most = |it: &TargetBox| greatest_error(tree.share, it.least).to_bits();
        let most: Vec<u32> = boxes.iter().flatten().map(most).collect();
        let count = ends.last().map_or(0, |end| *end as usize);
        write(&mut self.boxes, &*backend, &words)?;
        write(&mut self.ends, &*backend, &pairs(&ends))?;
        write(&mut self.most, &*backend, &pairs(&most))?;
        self.seen.reserve(&*backend, &[count.max(1), 6 * size_of::<f32>()], false)?;
        self.marks.reserve(&*backend, &[tree.cells, 2 * size_of::<u64>()], false)?;
        let blocks = self.blocks(tree)?;
        // After the counts of blocks come the sums over all of them.
        self.counts.reserve(&*backend, &[boxes.len(), blocks + 1, size_of::<u32>()], false)?;
        self.arrived.reserve(&*backend, &[size_of::<u64>()], true)?;
        while self.replies.len() < boxes.len() {
            self.replies.push(backend.reply()?);
        }
        let replies = &mut self.replies[..boxes.len()];
        let addresses: Vec<_> = replies.iter().map(|reply| reply.address()).collect();
        replies.iter_mut().try_for_each(|reply| reply.expect())?;
        write(&mut self.addresses, &*backend, &addresses)?;
        let asks = |bits: u64, (rank, of_rank): (usize, &Vec<TargetBox>)| {
            bits | u64::from(!of_rank.is_empty()) << rank
        };
        let asking = boxes.iter().enumerate().fold(0, asks);
        let launch = Launch::new(c"mark_sources", blocks as u32);
        let launch = launch.value(&self.argument(tree, boxes.len(), asking));
        let launch = launch.pointers([self.arrived.memory()]);
        let launch = self.memory(tree).into_iter().fold(launch, Launch::reads);
        let launch = launch.phases(0..phases_of_marks::MARK_PHASES);
        self.kernels.get(&self.backend)?.module.launch(launch)
    }

    /// Lists the sources of ranks that were marked.
    fn list_marked(&mut self, tree: &Marked<'_>) -> Result<(), Error> {
        let ranks = std::mem::take(&mut self.marked);
        let replies = self.replies[..ranks.len()].iter();
        let counts = replies.map(|reply| Ok(reply.receive()? as usize));
        let counts: Vec<_> = counts.collect::<Result<_, Error>>()?;
        let counts: Vec<_> = ranks.clone().zip(counts).collect();
        let total: usize = counts.iter().map(|(_, count)| count).sum();
        if total == 0 {
            return Ok(());
        }
        let memory = self.backend.allocate(total * size_of::<u32>())?;
        let launch = Launch::new(c"list_sources", self.blocks(tree)? as u32);
        let launch = launch.value(&self.argument(tree, ranks.len(), 0)).pointers([&*memory]);
        let launch = self.memory(tree).into_iter().fold(launch, Launch::reads);
        self.kernels.get(&self.backend)?.module.launch(launch)?;
        self.lists.push(memory, &counts);
        Ok(())
    }

    /// Returns the blocks of both kernels: the second takes its cells as the first has counted them.
    fn blocks(&self, tree: &Marked<'_>) -> Result<usize, Error> {
        let module = &self.kernels.get(&self.backend)?.module;
        Ok(tree.cells.div_ceil(BLOCK).clamp(1, module.resident_blocks(c"mark_sources")))
    }

    fn argument(&self, tree: &Marked<'_>, ranks: usize, asking: u64) -> EssentialTree {
        EssentialTree {
            boxes: Address::of(self.boxes.memory()),
            ends: Address::of(self.ends.memory()),
            most: Address::of(self.most.memory()),
            seen: Address::of(self.seen.memory()),
            marks: Address::of(self.marks.memory()),
            counts: Address::of(self.counts.memory()),
            replies: Address::of(self.addresses.memory()),
            asking,
            ranks: ranks as u32,
            ..tree.argument
        }
    }

    fn memory<'a>(&'a self, tree: &Marked<'a>) -> Vec<&'a dyn Memory> {
        let Self { boxes, ends, most, seen, marks, counts, addresses, .. } = self;
        let own = [boxes, ends, most, seen, marks, counts, addresses];
        own.into_iter().filter_map(Scratch::get).chain(tree.memory.iter().copied()).collect()
    }
}

/// A tree whose sources are marked.
pub(crate) struct Marked<'a> {
    /// The part of the argument that the tree gives.
    pub argument: EssentialTree,
    pub cells: usize,
    /// The greatest error, in units of the least results in boxes.
    pub share: f64,
    pub memory: Vec<&'a dyn Memory>,
}

/// Writes words, or none, to memory.
fn write(to: &mut Scratch, backend: &dyn Backend, words: &[u64]) -> Result<(), Error> {
    to.reserve(backend, &[words.len().max(1), size_of::<u64>()], false)?;
    to.memory_mut().write_first(words.len(), &mut |all| {
        all.copy_from_slice(words);
        Ok(())
    })
}

/// Returns words of two numbers each.
fn pairs(numbers: &[u32]) -> Vec<u64> {
    let word = |pair: &[u32]| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32;
    numbers.chunks(2).map(word).collect()
}

impl Program {
    /// Returns the program that lists the sources of trees for other ranks.
    pub fn essential() -> Self {
        let parts = [
            &*declared::of_essential(),
            include_str!("../../kernels/grid.cuh"),
            include_str!("../../kernels/scan.cuh"),
            include_str!("../../kernels/share.cuh"),
            include_str!("essential.cuh"),
        ];
        let kernels = &[c"mark_sources", c"list_sources"];
        Self::of_exact_words("essential", "locally essential trees", kernels, BLOCK, &parts)
    }
}
