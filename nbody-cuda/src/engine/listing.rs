//! Lists of rows in device memory, one for each rank.

use std::ops::Range;

use nbody_core::Error as CoreError;
use nbody_core::untyped::RowLists;

use crate::backend::{Backend, Launch, Memory, Module, Reply, Scratch};
use crate::border::{Address, Const, border};
use crate::error::Error;

/// Threads of a block.
pub(super) const BLOCK: usize = 256;
/// The most lists of a launch.
const LISTS: usize = row_lists::LISTS as usize;

border! {
    /// Lists of rows.
    pub mod row_lists {
        /// The most lists of a launch.
        pub const LISTS: u32 = 64;
    }
}

border! {
    /// Rows that are listed, one list after another.
    pub struct Listing {
        /// The lists of each row: bit k stands for list k.
        pub marks: Address<u64>,
        /// For each list, the rows of each block in it, and then the place of the first of them.
        pub counts: Address<u32>,
        /// The number of blocks that have ended; zero before and after a launch.
        pub ended: Address<u32>,
        /// The addresses that receive the length of each list.
        pub replies: Address<Const<u64>>,
        /// The number of rows.
        pub n: u32,
        pub lists: u32,
    }
}

/// Lists rows that kernels mark.
#[derive(Debug, Default)]
pub(crate) struct Lister {
    marks: Scratch,
    counts: Scratch,
    ended: Scratch,
    addresses: Scratch,
    replies: Vec<Box<dyn Reply>>,
}

impl Lister {
    /// Lists the rows among `n` for each of these ranks. `mark` adds arguments to the launch of a
    /// kernel that marks rows for some of the lists.
    pub fn list<'a>(
        &mut self,
        (backend, module): (&dyn Backend, &dyn Module),
        n: usize,
        (ranks, of): (usize, &[usize]),
        mark: &mut dyn FnMut(Range<usize>) -> Result<Launch<'a>, Error>,
    ) -> Result<DeviceLists, Error> {
        let mut lists = DeviceLists { counts: vec![0; ranks], pieces: Vec::new() };
        if n == 0 {
            return Ok(lists);
        }
        for first in (0..of.len()).step_by(LISTS) {
            let some = first..of.len().min(first + LISTS);
            let launch = mark(some.clone())?;
            let blocks = launch.blocks as usize;
            let lengths = self.mark((backend, module), launch, [n, some.len(), blocks])?;
            let total: usize = lengths.iter().sum();
            for (rank, length) in of[some.clone()].iter().zip(&lengths) {
                lists.counts[*rank] = *length;
            }
            if total == 0 {
                continue;
            }
            let memory = backend.allocate(total * size_of::<u32>())?;
            let launch = Launch::new(c"list_rows", blocks as u32);
            let launch = launch.value(&self.argument(n, some.len())).pointers([&*memory]);
            let own = [&self.marks, &self.counts].map(Scratch::memory);
            module.launch(own.into_iter().fold(launch, Launch::reads))?;
            lists.pieces.push(Piece { memory, ranks: of[some].to_vec() });
        }
        Ok(lists)
    }

    /// Returns the number of blocks that list `n` rows.
    pub fn blocks(module: &dyn Module, n: usize) -> usize {
        n.div_ceil(BLOCK).clamp(1, module.resident_blocks(c"list_rows"))
    }

    /// Marks rows, and returns the lengths of lists.
    fn mark(
        &mut self,
        (backend, module): (&dyn Backend, &dyn Module),
        launch: Launch<'_>,
        [n, lists, blocks]: [usize; 3],
    ) -> Result<Vec<usize>, Error> {
        self.marks.reserve(backend, &[n, size_of::<u64>()], false)?;
        self.counts.reserve(backend, &[lists, blocks, size_of::<u32>()], false)?;
        self.ended.reserve(backend, &[size_of::<u64>()], true)?;
        if self.replies.len() < lists {
            // Replies without their addresses in memory are not kept.
            let mut replies = std::mem::take(&mut self.replies);
            for _ in replies.len()..lists {
                replies.push(backend.reply()?);
            }
            let addresses: Vec<_> = replies.iter().map(|reply| reply.address()).collect();
            self.addresses.reserve(backend, &[lists, size_of::<u64>()], false)?;
            self.addresses.memory_mut().write(&mut |to| to.copy_from_slice(&addresses))?;
            self.replies = replies;
        }
        let replies = &mut self.replies[..lists];
        replies.iter_mut().try_for_each(|reply| reply.expect())?;
        let launch = launch.value(&self.argument(n, lists));
        let own = [&self.marks, &self.counts, &self.ended, &self.addresses].map(Scratch::memory);
        module.launch(own.into_iter().fold(launch, Launch::reads))?;
        let replies = self.replies[..lists].iter();
        replies.map(|reply| Ok(reply.receive()? as usize)).collect()
    }

    fn argument(&self, n: usize, lists: usize) -> Listing {
        Listing {
            marks: Address::of(self.marks.memory()),
            counts: Address::of(self.counts.memory()),
            ended: Address::of(self.ended.memory()),
            replies: Address::of(self.addresses.memory()),
            n: n as u32,
            lists: lists as u32,
        }
    }
}

/// Rows in device memory, a list for each rank.
#[derive(Debug, Default)]
pub(crate) struct DeviceLists {
    counts: Vec<usize>,
    pieces: Vec<Piece>,
}

/// The lists of some ranks, one after another.
#[derive(Debug)]
struct Piece {
    memory: Box<dyn Memory>,
    ranks: Vec<usize>,
}

/// A list, or several of them, in memory.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'a> {
    pub memory: &'a dyn Memory,
    /// The first row in memory, and the number of rows.
    pub first: usize,
    pub count: usize,
}

impl DeviceLists {
    /// Returns empty lists of this number of ranks.
    pub fn nothing(ranks: usize) -> Self {
        Self { counts: vec![0; ranks], pieces: Vec::new() }
    }

    /// Adds the lists of some ranks, one after another in memory; the list of the rank that has them
    /// is the last one.
    pub fn push(&mut self, memory: Box<dyn Memory>, lists: &[(usize, usize)]) {
        for (rank, count) in lists {
            self.counts[*rank] = *count;
        }
        self.pieces.push(Piece { memory, ranks: lists.iter().map(|(rank, _)| *rank).collect() });
    }

    /// Returns the lists of all ranks but this one, in the order of ranks.
    pub fn of_others(&self, rank: usize) -> impl Iterator<Item = Listed<'_>> {
        self.pieces.iter().map(move |Piece { memory, ranks }| {
            let others = ranks.iter().filter(|other| **other != rank);
            let count = others.map(|other| self.counts[*other]).sum();
            Listed { memory: &**memory, first: 0, count }
        })
    }

    /// Returns the list of a rank; `None` if it is empty.
    pub fn of(&self, rank: usize) -> Option<Listed<'_>> {
        let count = self.counts[rank];
        let piece = self.pieces.iter().find(|piece| piece.ranks.contains(&rank))?;
        let earlier = piece.ranks.iter().take_while(|other| **other != rank);
        let first = earlier.map(|other| self.counts[*other]).sum();
        (count > 0).then_some(Listed { memory: &*piece.memory, first, count })
    }
}

impl RowLists for DeviceLists {
    fn counts(&self) -> &[usize] {
        &self.counts
    }

    fn rows(&self) -> Result<Vec<Vec<u32>>, CoreError> {
        let mut rows = vec![Vec::new(); self.counts.len()];
        for Piece { memory, ranks } in &self.pieces {
            memory.read(&mut |words| {
                let mut rest: &[u32] = bytemuck::cast_slice(words);
                for rank in ranks {
                    let (of_rank, others) = rest.split_at(self.counts[*rank]);
                    rows[*rank] = of_rank.to_vec();
                    rest = others;
                }
            })?;
        }
        Ok(rows)
    }
}
