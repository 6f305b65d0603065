//! Rows that move between the devices of ranks.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::Error as CoreError;
use nbody_core::untyped::{self, Communicator, Kept, Moves, RowLists};

use super::buffer::{CudaParticles, particles, particles_mut};
use super::listing::{BLOCK, DeviceLists, Listed};
use crate::backend::{Backend, LateKernel, Launch, Link, Memory, Scratch, Transfer};
use crate::border::Address;
use crate::compile::program::Program;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, bytes_of};

/// Bytes of a word of rows.
const WORD: usize = size_of::<u32>();

/// Moves rows between one backend and the backends of other ranks.
#[derive(Debug)]
pub(super) struct Mover {
    backend: Arc<dyn Backend>,
    communicator: Arc<dyn Communicator>,
    kernels: LateKernel,
    /// The link to the devices of the other ranks; without it rows pass through the host.
    link: Option<Arc<dyn Link>>,
    /// Rows to send, and rows that were received through the host.
    sent: Scratch,
    received: Scratch,
    /// Rows that arrive to take the places of others.
    arrived: Scratch,
    /// Memory of particles that were moved, for the next ones.
    spare: Option<Box<dyn Memory>>,
}

impl Mover {
    pub fn new(
        (backend, cache): (&Arc<dyn Backend>, &Cache),
        communicator: &Arc<dyn Communicator>,
        link: Option<Arc<dyn Link>>,
    ) -> Self {
        let (sent, received, arrived, spare) = Default::default();
        Self {
            backend: backend.clone(),
            communicator: communicator.clone(),
            kernels: LateKernel::new(cache, Program::moving),
            link,
            sent,
            received,
            arrived,
            spare,
        }
    }

    /// Reserves memory: see [`Parts::reserve`](untyped::Parts::reserve).
    pub fn reserve(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        to: &dyn untyped::Buffer,
        kept: Kept,
        moves: &Moves,
    ) -> Result<(), CoreError> {
        let backend = self.backend.clone();
        let lists = device_lists(&*moves.lists, &*backend)?;
        let from = from.map(|from| particles("particles", &*backend, from)).transpose()?;
        let to = particles("particles", &*backend, to)?;
        let sizes = Sizes::new((from, to), kept, (lists, &moves.received), self.rank())?;
        Ok(self.reserve_sizes(&sizes)?)
    }

    /// Exchanges rows: see [`Parts::exchange`](untyped::Parts::exchange).
    pub fn exchange(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        to: &mut dyn untyped::Buffer,
        kept: Kept,
        Moves { lists, received }: &Moves,
    ) -> Result<(), CoreError> {
        let backend = self.backend.clone();
        let lists = device_lists(&**lists, &*backend)?;
        let source = from.map(|from| particles("particles", &*backend, from)).transpose()?;
        let target = particles_mut("particles", &*backend, to)?;
        let sizes = Sizes::new((source, target), kept, (lists, received), self.rank())?;
        self.reserve_sizes(&sizes)?;
        let rows = source.map_or(&*target.buffer.memory, |source| &*source.buffer.memory);
        let sent = self.gather_sent(rows, lists, sizes.words)?;
        let other = (!sizes.stays).then(|| self.spare.take().expect("reserved above"));
        let memory = other.as_deref().unwrap_or(&*target.buffer.memory);
        let mut appended = None;
        match kept {
            Kept::First(keep) => {
                if other.is_some() {
                    self.copy((&*target.buffer.memory, 0), (memory, 0), (keep, sizes.words))?;
                }
                let own = (rows, lists.of(self.rank()));
                let ranges = self.append(own, (memory, keep), (received, sizes.words))?;
                appended = Some((keep, ranges));
            }
            Kept::Staying => {
                if memory.address() != rows.address() {
                    self.copy((rows, 0), (memory, 0), (sizes.before, sizes.words))?;
                }
                self.replace(lists.of(self.rank()), &sent, memory, (received, &sizes))?;
            }
        }
        if let Some(other) = other {
            self.spare = Some(std::mem::replace(&mut target.buffer.memory, other));
        }
        target.buffer.n = sizes.after;
        target.buffer.changes();
        let Some((keep, ranges)) = appended else { return Ok(()) };
        let done = self.transfer(&sent, (&*target.buffer.memory, &ranges));
        if done.is_err() {
            target.buffer.n = keep;
        }
        Ok(done?)
    }

    fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// Reserves memory for rows that move, and loads the kernels.
    fn reserve_sizes(&mut self, sizes: &Sizes) -> Result<(), Error> {
        self.kernels.get(&self.backend)?;
        let of_rows = |rows: usize| [rows.max(1), sizes.words.max(1), WORD];
        self.sent.reserve(&*self.backend, &of_rows(sizes.sent), false)?;
        self.arrived.reserve(&*self.backend, &of_rows(sizes.arrived), false)?;
        if self.link.is_none() {
            let words = (sizes.received * sizes.words).div_ceil(2);
            self.received.reserve(&*self.backend, &[words.max(1), size_of::<u64>()], false)?;
        }
        let has_spare = || self.spare.as_ref().is_some_and(|spare| has_room(&**spare, sizes.bytes));
        if !sizes.stays && !has_spare() {
            // With room for more.
            let bytes = (sizes.bytes + sizes.bytes / 8).max(size_of::<u64>());
            self.spare = None;
            self.spare = Some(self.backend.allocate(bytes)?);
        }
        Ok(())
    }

    /// Appends the listed rows of this rank to the first `keep` rows of memory, and returns the words
    /// for the rows of each other rank.
    fn append(
        &self,
        (rows, own): (&dyn Memory, Option<Listed<'_>>),
        (memory, keep): (&dyn Memory, usize),
        (received, words): (&[usize], usize),
    ) -> Result<Vec<Range<usize>>, Error> {
        let mut ranges = ranges(keep * words, words, received);
        let begin = ranges[self.rank()].start;
        if let Some(own) = own {
            self.copy_listed(rows, own, (memory, begin), words)?;
        }
        ranges[self.rank()] = begin..begin;
        Ok(ranges)
    }

    /// Puts the rows that each rank sends in the places of rows that leave.
    fn replace(
        &mut self,
        places: Option<Listed<'_>>,
        sent: &[Range<usize>],
        memory: &dyn Memory,
        (received, sizes): (&[usize], &Sizes),
    ) -> Result<(), Error> {
        let arrivals = std::mem::take(&mut self.arrived);
        let ranges = ranges(0, sizes.words, received);
        let done = self.transfer(sent, (arrivals.memory(), &ranges));
        self.arrived = arrivals;
        done?;
        self.put_in_places(memory, places, [sizes.before, sizes.arrived, sizes.words])
    }

    /// Copies `count` rows of `words` words from and to these words of memory.
    pub fn copy(
        &self,
        from: (&dyn Memory, usize),
        to: (&dyn Memory, usize),
        rows: (usize, usize),
    ) -> Result<(), Error> {
        self.launch_copy(from, None, to, rows)
    }

    /// Copies these rows of `words` words to these words of memory.
    fn copy_listed(
        &self,
        from: &dyn Memory,
        listed: Listed<'_>,
        to: (&dyn Memory, usize),
        words: usize,
    ) -> Result<(), Error> {
        self.launch_copy((from, 0), Some(listed), to, (listed.count, words))
    }

    fn launch_copy(
        &self,
        (from, first): (&dyn Memory, usize),
        listed: Option<Listed<'_>>,
        (to, at): (&dyn Memory, usize),
        (count, words): (usize, usize),
    ) -> Result<(), Error> {
        if count * words == 0 {
            return Ok(());
        }
        let blocks = (count * words).div_ceil(BLOCK) as u32;
        let launch = Launch::new(c"copy_rows", blocks).value(&word_of(from, first));
        let indices = listed.map_or(Address::NULL, |it| word_of(it.memory, it.first));
        let launch = launch.value(&indices);
        let launch = launch.value(&word_of(to, at)).numbers([count, words].map(|it| it as u32));
        let memory = [Some(from), listed.map(|it| it.memory), Some(to)].into_iter().flatten();
        let launch = memory.fold(launch, Launch::reads);
        self.kernels.get(&self.backend)?.module.launch(launch)
    }

    /// Copies the rows of `words` words for other ranks, one rank after another, and returns the words
    /// of each.
    fn gather_sent(
        &self,
        rows: &dyn Memory,
        lists: &DeviceLists,
        words: usize,
    ) -> Result<Vec<Range<usize>>, Error> {
        let rank = self.rank();
        let mut counts = lists.counts().to_vec();
        counts[rank] = 0;
        let mut first = 0;
        for listed in lists.of_others(rank) {
            self.copy_listed(rows, listed, (self.sent.memory(), first * words), words)?;
            first += listed.count;
        }
        Ok(ranges(0, words, &counts))
    }

    /// Puts the rows that have arrived in the places of others among `n` rows of `words` words, as
    /// [`untyped::replaced`] does.
    fn put_in_places(
        &self,
        memory: &dyn Memory,
        places: Option<Listed<'_>>,
        [n, arrived, words]: [usize; 3],
    ) -> Result<(), Error> {
        let free = places.map_or(0, |it| it.count);
        let address =
            |first| places.map_or(Address::NULL, |it| word_of(it.memory, it.first + first));
        let module = &self.kernels.get(&self.backend)?.module;
        let launch = |kernel, rows: usize| {
            let launch = Launch::new(kernel, (rows * words).div_ceil(BLOCK) as u32).reads(memory);
            places.map(|it| it.memory).into_iter().fold(launch, Launch::reads)
        };
        let filled = free.min(arrived);
        if arrived * words > 0 {
            let launch = launch(c"place_rows", arrived).pointers([self.arrived.memory()]);
            let launch = launch.value(&address(0)).pointers([memory]);
            let launch = launch.numbers([arrived, words, n, filled].map(|it| it as u32));
            module.launch(launch)?;
        }
        let empty = free - filled;
        if empty * words > 0 {
            let launch = launch(c"fill_rows", empty).pointers([memory]).value(&address(filled));
            module.launch(launch.numbers([empty, words, n - empty].map(|it| it as u32)))?;
        }
        Ok(())
    }

    /// Sends rows of `words` words to the other ranks, and writes the received rows from a word of
    /// memory on: a range of words of the memory of sent rows to each rank, and from each rank a
    /// range of words.
    fn transfer(
        &mut self,
        sent: &[Range<usize>],
        (to, received): (&dyn Memory, &[Range<usize>]),
    ) -> Result<(), Error> {
        let bytes = |words: &Range<usize>| words.start * WORD..words.end * WORD;
        if let Some(link) = &self.link {
            let from = self.sent.memory();
            let each = sent.iter().zip(received).enumerate();
            let each = each.filter(|(rank, _)| *rank != self.communicator.rank());
            let transfers = each.map(|(rank, (sent, received))| Transfer {
                rank,
                sent: bytes(sent),
                received: bytes(received),
            });
            return link.exchange(from, to, &transfers.collect::<Vec<_>>());
        }
        let mut words = Vec::new();
        self.sent.memory().read(&mut |all| words = all.to_vec())?;
        let words: &[u32] = bytemuck::cast_slice(&words);
        let parts: Vec<&[u8]> =
            sent.iter().map(|range| bytemuck::cast_slice(&words[range.clone()])).collect();
        let sizes: Vec<_> = received.iter().map(|range| bytes(range).len()).collect();
        let all = self.communicator.exchange(&parts, &sizes)?;
        let total = all.len().div_ceil(size_of::<u64>());
        self.received.reserve(&*self.backend, &[total.max(1), size_of::<u64>()], false)?;
        self.received.memory_mut().write_first(total, &mut |to| {
            bytemuck::cast_slice_mut::<_, u8>(to)[..all.len()].copy_from_slice(&all);
            Ok(())
        })?;
        let mut first = 0;
        for range in received {
            let from = (self.received.memory(), first);
            self.copy(from, (to, range.start), (range.len(), 1))?;
            first += range.len();
        }
        Ok(())
    }
}

impl Program {
    /// Returns the program that copies rows which move between ranks.
    pub fn moving() -> Self {
        let kernels = &[c"copy_rows", c"place_rows", c"fill_rows"];
        let parts = [include_str!("moving.cuh")];
        Self::of_words("moving", "rows that move between ranks", kernels, BLOCK, &parts)
    }
}

/// The sizes of rows that move.
struct Sizes {
    /// Words of a row.
    words: usize,
    /// Rows that this rank has, sends to others, receives from them, and has then.
    before: usize,
    sent: usize,
    received: usize,
    after: usize,
    /// Rows that arrive to take the places of others.
    arrived: usize,
    /// Bytes of the rows, with places of rows that leave.
    bytes: usize,
    /// Whether the rows stay in their memory.
    stays: bool,
}

impl Sizes {
    /// Returns the sizes of moves from particles, if they are given, to others.
    fn new(
        (from, to): (Option<&CudaParticles>, &CudaParticles),
        kept: Kept,
        (lists, received): (&DeviceLists, &[usize]),
        rank: usize,
    ) -> Result<Self, CoreError> {
        let words = to.words() * bytes_of(to.buffer.precision) / WORD;
        let (before, all) = (from.unwrap_or(to).buffer.n, received.iter().sum::<usize>());
        let (counts, received) = (lists.counts(), all - received[rank]);
        let (after, arrived) = match kept {
            Kept::First(keep) => (keep + all, 0),
            Kept::Staying => {
                let left = counts[rank];
                assert!(left <= before, "{left} of {before} rows leave");
                (before - left + all, all)
            }
        };
        if after > PARTICLE_LIMIT {
            return Err(CoreError::TooManyParticles { found: after, limit: PARTICLE_LIMIT });
        }
        let most = if kept == Kept::Staying { after.max(before) } else { after };
        let bytes = most * words * WORD;
        // Rows are added to memory that has room; other rows need memory beside their sources.
        let may_stay = kept != Kept::First(0) || from.is_some();
        let stays = may_stay && has_room(&*to.buffer.memory, bytes);
        let sent = counts.iter().sum::<usize>() - counts[rank];
        Ok(Self { words, before, sent, received, after, arrived, bytes, stays })
    }
}

/// Returns the address of a word of 32 bits.
fn word_of(memory: &dyn Memory, word: usize) -> Address<u32> {
    Address::at(memory.address() + (word * WORD) as u64)
}

/// Returns whether memory has this number of bytes.
fn has_room(memory: &dyn Memory, bytes: usize) -> bool {
    memory.words() * size_of::<u64>() >= bytes
}

/// Returns lists of rows of a device.
fn device_lists<'a>(
    lists: &'a dyn RowLists,
    backend: &dyn Backend,
) -> Result<&'a DeviceLists, CoreError> {
    let lists = (lists as &dyn Any).downcast_ref();
    lists.ok_or_else(|| super::buffer::foreign("lists of rows", backend))
}

/// Returns the words of consecutive rows for each of these counts.
fn ranges(first: usize, words: usize, counts: &[usize]) -> Vec<Range<usize>> {
    let next = |end: &mut usize, count: &usize| {
        let begin = *end;
        *end += count * words;
        Some(begin..*end)
    };
    counts.iter().scan(first, next).collect()
}

#[cfg(test)]
mod tests;
