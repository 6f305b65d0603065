//! Rows that move between the devices of ranks.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nbody_compile::Cache;
use nbody_core::Error as CoreError;
use nbody_core::untyped::{self, Communicator, RowLists};

use super::buffer::{CudaParticles, particles, particles_mut};
use super::listing::{BLOCK, DeviceLists, Listed};
use crate::backend::{Backend, LateKernel, Launch, Link, Memory, Scratch, Transfer};
use crate::border::Address;
use crate::compile::program::Program;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, bytes_of};

/// Moves rows between one backend and the backends of other ranks.
#[derive(Debug)]
pub(super) struct Mover {
    backend: Arc<dyn Backend>,
    communicator: Arc<dyn Communicator>,
    kernels: LateKernel,
    /// The link to the devices of the other ranks, once rows were exchanged; without it rows pass
    /// through the host.
    link: OnceLock<Option<Box<dyn Link>>>,
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
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        communicator: &Arc<dyn Communicator>,
    ) -> Self {
        let (link, sent, received, arrived, spare) = Default::default();
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

    /// Moves rows to their ranks: see [`Parts::migrate`](untyped::Parts::migrate).
    pub fn migrate(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        to: &mut dyn untyped::Buffer,
        leaving: &dyn RowLists,
        received: &[usize],
    ) -> Result<(), CoreError> {
        let backend = self.backend.clone();
        let lists = device_lists(leaving, &*backend)?;
        let source = from.map(|from| particles("particles", &*backend, from)).transpose()?;
        let target = particles_mut("particles", &*backend, to)?;
        let words = target.words() * bytes_of(target.buffer.precision) / size_of::<u32>();
        let (rows, before) = match source {
            Some(CudaParticles { buffer, .. }) => (&*buffer.memory, buffer.n),
            None => (&*target.buffer.memory, target.buffer.n),
        };
        let places = lists.of(self.communicator.rank());
        let (arrived, left) = (received.iter().sum::<usize>(), places.map_or(0, |it| it.count));
        assert!(left <= before, "{left} of {before} rows leave");
        let n = before - left + arrived;
        if n > PARTICLE_LIMIT {
            return Err(CoreError::TooManyParticles { found: n, limit: PARTICLE_LIMIT });
        }
        let sent = self.gather_sent(rows, lists, words)?;
        let sizes = [arrived.max(1), words.max(1), size_of::<u32>()];
        self.arrived.reserve(&*backend, &sizes, false)?;
        let bytes = n.max(before) * words * size_of::<u32>();
        let has_room = has_room(&*target.buffer.memory, bytes);
        let other = if has_room { None } else { Some(self.other_memory(bytes)?) };
        let memory = other.as_deref().unwrap_or(&*target.buffer.memory);
        if memory.address() != rows.address() {
            self.copy((rows, 0), (memory, 0), (before, words))?;
        }
        let arrivals = std::mem::take(&mut self.arrived);
        let done = self.transfer(&sent, (arrivals.memory(), &ranges(0, words, received)));
        self.arrived = arrivals;
        done?;
        self.put_in_places(memory, places, [before, arrived, words])?;
        if let Some(other) = other {
            self.spare = Some(std::mem::replace(&mut target.buffer.memory, other));
        }
        target.buffer.n = n;
        target.buffer.changes();
        Ok(())
    }

    /// Exchanges rows: see [`Parts::exchange`](untyped::Parts::exchange).
    pub fn exchange(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        (to, keep): (&mut dyn untyped::Buffer, usize),
        lists: &dyn RowLists,
        received: &[usize],
    ) -> Result<(), CoreError> {
        let backend = self.backend.clone();
        let lists = device_lists(lists, &*backend)?;
        let source = from.map(|from| particles("particles", &*backend, from)).transpose()?;
        let target = particles_mut("particles", &*backend, to)?;
        let rank = self.communicator.rank();
        let words = target.words() * bytes_of(target.buffer.precision) / size_of::<u32>();
        let n = keep + received.iter().sum::<usize>();
        if n > PARTICLE_LIMIT {
            return Err(CoreError::TooManyParticles { found: n, limit: PARTICLE_LIMIT });
        }
        let rows = source.map_or(&*target.buffer.memory, |source| &*source.buffer.memory);
        let sent = self.gather_sent(rows, lists, words)?;
        let bytes = n * words * size_of::<u32>();
        // Rows are appended to memory that has room; other rows need memory beside their sources.
        let stays = (keep > 0 || source.is_some()) && has_room(&*target.buffer.memory, bytes);
        let other = if stays { None } else { Some(self.other_memory(bytes)?) };
        let memory = other.as_deref().unwrap_or(&*target.buffer.memory);
        let ranges = ranges(keep * words, words, received);
        if other.is_some() {
            self.copy((&*target.buffer.memory, 0), (memory, 0), (keep, words))?;
        }
        if let Some(own) = lists.of(rank) {
            self.copy_listed(rows, own, (memory, ranges[rank].start), words)?;
        }
        let mut of_others = ranges;
        let begin = of_others[rank].start;
        of_others[rank] = begin..begin;
        self.transfer(&sent, (memory, &of_others))?;
        if let Some(other) = other {
            self.spare = Some(std::mem::replace(&mut target.buffer.memory, other));
        }
        target.buffer.n = n;
        target.buffer.changes();
        Ok(())
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
        &mut self,
        rows: &dyn Memory,
        lists: &DeviceLists,
        words: usize,
    ) -> Result<Vec<Range<usize>>, Error> {
        let rank = self.communicator.rank();
        let mut counts = lists.counts().to_vec();
        counts[rank] = 0;
        let total: usize = counts.iter().sum();
        let sizes = [total.max(1), words.max(1), size_of::<u32>()];
        self.sent.reserve(&*self.backend, &sizes, false)?;
        let mut first = 0;
        for listed in lists.of_others(rank) {
            self.copy_listed(rows, listed, (self.sent.memory(), first * words), words)?;
            first += listed.count;
        }
        Ok(ranges(0, words, &counts))
    }

    /// Returns other memory for rows of this size, with room for more.
    fn other_memory(&mut self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        match self.spare.take().filter(|spare| has_room(&**spare, bytes)) {
            Some(spare) => Ok(spare),
            None => Ok(self.backend.allocate((bytes + bytes / 8).max(size_of::<u64>()))?),
        }
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
        let bytes =
            |words: &Range<usize>| words.start * size_of::<u32>()..words.end * size_of::<u32>();
        if self.link.get().is_none() {
            let link = self.backend.link(&*self.communicator)?;
            self.link.get_or_init(|| link);
        }
        if let Some(Some(link)) = self.link.get() {
            let Some(from) = self.sent.get() else { return Ok(()) };
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
        if let Some(from) = self.sent.get() {
            from.read(&mut |all| words = all.to_vec())?;
        }
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

/// Returns the address of a word of 32 bits.
fn word_of(memory: &dyn Memory, word: usize) -> Address<u32> {
    Address::at(memory.address() + (word * size_of::<u32>()) as u64)
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
