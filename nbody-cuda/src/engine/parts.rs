//! Parts of particles in device memory, which move between ranks.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use nbody_compile::Cache;
use nbody_core::order::frame;
use nbody_core::pack::{Binding, Place};
use nbody_core::untyped::{self, Communicator, Points, Regions, RowLists};
use nbody_core::{Domain, Error, Field, FieldKind, Precision};

use super::buffer::{CudaParticles, particles, particles_mut};
use crate::backend::{Backend, Buffer, LateKernel, Launch, Link, Memory, Scratch, Transfer};
use crate::border::{self, Address, Declared as _, border};
use crate::compile::program::Program;
use crate::layout::{PARTICLE_LIMIT, bytes_of};
use crate::order::keys::{self, Frame, Position, Positions, kind};
use crate::particles::selection::CudaSelection;

/// Threads of a block.
const BLOCK: usize = 256;
/// The most blocks that find boxes, and the most regions of a launch.
const BOXES: usize = 256;
const REGIONS: usize = regions::BOXES as usize;
/// The record of the number that a kernel finds for each particle.
const FOUND: &[Field] = &[Field { name: "found", kind: FieldKind::U32 }];

border! {
    /// A cut of a region.
    pub struct Cut {
        /// The least coordinate above the cut.
        pub at: f64,
        pub axis: u32,
    }

    /// A box, and a distance from it.
    pub struct Neighbourhood {
        pub lo: [f64; 3],
        pub hi: [f64; 3],
        pub distance: f64,
    }

    /// A box around particles.
    pub struct BoxAround {
        pub lo: [f64; 3],
        pub hi: [f64; 3],
    }
}

border! {
    /// Boxes around the particles in regions.
    pub mod regions {
        /// The most regions of a launch.
        pub const BOXES: u32 = 8;
    }
}

/// Finds parts of particles on one backend, and moves them between the backends of all ranks.
#[derive(Debug)]
pub(crate) struct CudaParts {
    backend: Arc<dyn Backend>,
    communicator: Arc<dyn Communicator>,
    kernels: LateKernel,
    selection: CudaSelection,
    /// The link to the devices of the other ranks, once rows were exchanged; without it rows pass
    /// through the host.
    link: OnceLock<Option<Box<dyn Link>>>,
    /// The number that was found for each particle.
    found: Option<Buffer>,
    cuts: Scratch,
    boxes: Scratch,
    sample: Scratch,
    /// Rows to send, and rows that were received through the host.
    sent: Scratch,
    received: Scratch,
    /// Memory of particles that were moved, for the next ones.
    spare: Option<Box<dyn Memory>>,
}

/// Rows in device memory, a list for each rank.
#[derive(Debug, Default)]
pub(crate) struct DeviceLists {
    indices: Vec<Option<Box<dyn Memory>>>,
    counts: Vec<usize>,
}

impl DeviceLists {
    /// Adds the list of the next rank, and its length.
    pub fn push(&mut self, indices: Option<Box<dyn Memory>>, count: usize) {
        self.indices.push(indices);
        self.counts.push(count);
    }
}

impl RowLists for DeviceLists {
    fn counts(&self) -> &[usize] {
        &self.counts
    }

    fn rows(&self) -> Result<Vec<Vec<u32>>, Error> {
        let each = self.indices.iter().zip(&self.counts);
        let rows = each.map(|(indices, count)| {
            let mut rows = Vec::new();
            if let Some(indices) = indices {
                indices.read(&mut |words| rows = bytemuck::cast_slice(words)[..*count].to_vec())?;
            }
            Ok(rows)
        });
        rows.collect()
    }
}

impl CudaParts {
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        communicator: &Arc<dyn Communicator>,
    ) -> Result<Self, Error> {
        let (link, found, cuts, boxes, sample, sent, received, spare) = Default::default();
        Ok(Self {
            backend: backend.clone(),
            communicator: communicator.clone(),
            kernels: LateKernel::new(cache, Program::parts),
            selection: CudaSelection::new(backend, cache)?,
            link,
            found,
            cuts,
            boxes,
            sample,
            sent,
            received,
            spare,
        })
    }

    /// Returns the particles, and where their positions are.
    fn positions<'a>(
        &self,
        points: Points<'a>,
    ) -> Result<(&'a CudaParticles, Positions, Frame), Error> {
        let p = particles("particles", &*self.backend, points.particles)?;
        Error::check_range(&(0..points.n), p.buffer.n)?;
        if points.n > PARTICLE_LIMIT {
            return Err(Error::TooManyParticles { found: points.n, limit: PARTICLE_LIMIT });
        }
        let places = points.position.places();
        let frame = frame::Frame {
            origin: [0.0; 3],
            scale: 1.0,
            dimensions: places.len(),
            grid: frame::Grid::LISTS,
        };
        let frame = Frame { length: points.lengths, ..Frame::of(&frame, &Domain::Open) };
        let positions = Positions::of(&p.buffer, p.words(), places[0]);
        Ok((p, Positions { n: points.n as u32, ..positions }, frame))
    }

    /// Returns memory for a number of each particle.
    fn reserve_found(&mut self, n: usize) -> Result<Buffer, Error> {
        let mut found = match self.found.take() {
            Some(found) => found,
            None => Buffer::new(&self.backend, n, 1, Precision::Single)?,
        };
        found.resize(n, 1)?;
        Ok(found)
    }

    /// Copies the cuts of regions to the device.
    fn write_cuts(&mut self, regions: &Regions) -> Result<(), Error> {
        let cuts: Vec<_> = regions
            .cuts()
            .map(|(axis, at)| border::words(&Cut { at, axis: axis as u32 }))
            .collect();
        let cuts = cuts.concat();
        self.cuts.reserve(&*self.backend, &[cuts.len().max(1), size_of::<u64>()], false)?;
        self.cuts.memory_mut().write_first(cuts.len(), &mut |to| {
            to.copy_from_slice(&cuts);
            Ok(())
        })?;
        Ok(())
    }

    /// Lists the particles with the number `which`, or with any number but zero.
    fn select(&mut self, found: &Buffer, which: Option<u32>) -> Result<Found, Error> {
        let integer: Place = Binding::integer("found", FOUND)?;
        self.selection.seek(found, 1, integer, which)?;
        let [count, rest] = self.selection.found()?;
        // The least number that follows may be another one.
        let count = if rest == 0 { count as usize } else { 0 };
        if count == 0 {
            return Ok((None, 0));
        }
        let memory = self.backend.allocate(count * size_of::<u32>())?;
        let all = Some(self.selection.indices());
        self.copy((all, 0), None, (&*memory, 0), (count, 1))?;
        Ok((Some(memory), count))
    }

    /// Copies rows of `words` words from and to these words of memory: the rows with these indices,
    /// or the first `count` ones.
    fn copy(
        &self,
        (from, first): (Option<&dyn Memory>, usize),
        indices: Option<&dyn Memory>,
        (to, at): (&dyn Memory, usize),
        (count, words): (usize, usize),
    ) -> Result<(), Error> {
        let Some(from) = from.filter(|_| count * words > 0) else { return Ok(()) };
        let blocks = (count * words).div_ceil(BLOCK) as u32;
        let address = |memory: &dyn Memory, word: usize| {
            Address::<u32>::at(memory.address() + (word * size_of::<u32>()) as u64)
        };
        let launch = Launch::new(c"copy_rows", blocks).value(&address(from, first));
        let launch = launch.value(&indices.map_or(Address::NULL, |it| address(it, 0)));
        let launch = launch.value(&address(to, at)).numbers([count, words].map(|it| it as u32));
        let memory = [Some(from), indices, Some(to)].into_iter().flatten();
        let launch = memory.fold(launch, Launch::reads);
        Ok(self.kernels.get(&self.backend)?.module.launch(launch)?)
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
            return Ok(link.exchange(from, to, &transfers.collect::<Vec<_>>())?);
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
            let from = (self.received.get(), first);
            self.copy(from, None, (to, range.start), (range.len(), 1))?;
            first += range.len();
        }
        Ok(())
    }
}

/// A list of rows, and its length.
type Found = (Option<Box<dyn Memory>>, usize);

impl untyped::Parts for CudaParts {
    fn by_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error> {
        let (p, positions, frame) = self.positions(points)?;
        let ranks = regions.ranks();
        let found = self.reserve_found(points.n)?;
        self.write_cuts(regions)?;
        if points.n > 0 {
            let launch = Launch::new(c"find_ranks", points.n.div_ceil(BLOCK) as u32);
            let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
            let launch = launch.pointers([self.cuts.memory(), &*found.memory]);
            let launch = launch.numbers([ranks as u32]);
            self.kernels.get(&self.backend)?.module.launch(launch)?;
        }
        let lists = (0..ranks as u32).map(|rank| self.select(&found, Some(rank)));
        let lists = lists.collect::<Result<Vec<_>, _>>();
        self.found = Some(found);
        let (indices, counts) = lists?.into_iter().unzip();
        Ok(Box::new(DeviceLists { indices, counts }))
    }

    fn near(
        &mut self,
        points: Points<'_>,
        boxes: &[untyped::Bounds],
        distance: f64,
    ) -> Result<Box<dyn RowLists>, Error> {
        let (p, positions, frame) = self.positions(points)?;
        let found = self.reserve_found(points.n)?;
        let near = |&untyped::Bounds { lo, hi }| {
            if points.n == 0 || lo[0] > hi[0] {
                return Ok((None, 0));
            }
            let launch = Launch::new(c"find_near", points.n.div_ceil(BLOCK) as u32);
            let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
            let launch = launch.value(&Neighbourhood { lo, hi, distance });
            let launch = launch.pointers([&*found.memory]);
            self.kernels.get(&self.backend)?.module.launch(launch)?;
            self.select(&found, None)
        };
        let lists = boxes.iter().map(near).collect::<Result<Vec<_>, Error>>();
        self.found = Some(found);
        let (indices, counts) = lists?.into_iter().unzip();
        Ok(Box::new(DeviceLists { indices, counts }))
    }

    fn numbered(&mut self, indices: &dyn untyped::Buffer) -> Result<Box<dyn RowLists>, Error> {
        let numbers = &particles("indices", &*self.backend, indices)?.buffer;
        let (rank, ranks) = (self.communicator.rank(), self.communicator.size());
        let mut lists = DeviceLists { indices: Vec::new(), counts: vec![0; ranks] };
        lists.indices.resize_with(ranks, || None);
        if numbers.n > 0 {
            let memory = self.backend.allocate(numbers.n * size_of::<u32>())?;
            self.copy((Some(&*numbers.memory), 0), None, (&*memory, 0), (numbers.n, 1))?;
            (lists.indices[rank], lists.counts[rank]) = (Some(memory), numbers.n);
        }
        Ok(Box::new(lists))
    }

    fn boxes(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Vec<untyped::Bounds>, Error> {
        let (p, positions, frame) = self.positions(points)?;
        let mut all = vec![untyped::Bounds::NOTHING; regions.ranks()];
        if points.n == 0 {
            return Ok(all);
        }
        self.write_cuts(regions)?;
        let blocks = points.n.div_ceil(BLOCK).min(BOXES);
        let words = size_of::<BoxAround>() / size_of::<f64>();
        let sizes = [BOXES, REGIONS, size_of::<BoxAround>()];
        self.boxes.reserve(&*self.backend, &sizes, false)?;
        let ranks = regions.ranks();
        // A block has room for the boxes of some regions.
        for first in (0..ranks).step_by(REGIONS) {
            let some = REGIONS.min(ranks - first);
            let launch = Launch::new(c"find_boxes", blocks as u32);
            let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
            let launch = launch.pointers([self.cuts.memory(), self.boxes.memory()]);
            let launch = launch.numbers([ranks, first, some].map(|it| it as u32));
            self.kernels.get(&self.backend)?.module.launch(launch)?;
            self.boxes.memory().read_words(0..blocks * some * words, &mut |found| {
                for (k, numbers) in found.as_chunks::<6>().0.iter().enumerate() {
                    let [a, b, c, d, e, f] = numbers.map(f64::from_bits);
                    let bounds = &mut all[first + k % some];
                    bounds.add(&[a, b, c]);
                    bounds.add(&[d, e, f]);
                }
            })?;
        }
        Ok(all)
    }

    fn sample(&mut self, points: Points<'_>, step: usize) -> Result<Vec<[f64; 3]>, Error> {
        let (p, positions, frame) = self.positions(points)?;
        let count = points.n.div_ceil(step.max(1));
        let mut sample = Vec::new();
        if count == 0 {
            return Ok(sample);
        }
        let words = size_of::<Position>() / size_of::<f64>();
        self.sample.reserve(&*self.backend, &[count, size_of::<Position>()], false)?;
        let launch = Launch::new(c"take_positions", count.div_ceil(BLOCK) as u32);
        let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
        let launch = launch.pointers([self.sample.memory()]);
        let launch = launch.numbers([step.max(1), count].map(|it| it as u32));
        self.kernels.get(&self.backend)?.module.launch(launch)?;
        self.sample.memory().read_words(0..count * words, &mut |found| {
            let points = found.as_chunks::<3>().0.iter();
            sample = points.map(|words| words.map(f64::from_bits)).collect();
        })?;
        Ok(sample)
    }

    fn exchange(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        to: &mut dyn untyped::Buffer,
        keep: usize,
        lists: &dyn RowLists,
        received: &[usize],
    ) -> Result<(), Error> {
        let backend = self.backend.clone();
        let lists: &DeviceLists = (lists as &dyn Any)
            .downcast_ref()
            .ok_or_else(|| super::buffer::foreign("lists of rows", &*backend))?;
        let source = from.map(|from| particles("particles", &*backend, from)).transpose()?;
        let target = particles_mut("particles", &*backend, to)?;
        let (words, rank) = (target.words(), self.communicator.rank());
        let words = words * bytes_of(target.buffer.precision) / size_of::<u32>();
        let n = keep + received.iter().sum::<usize>();
        if n > PARTICLE_LIMIT {
            return Err(Error::TooManyParticles { found: n, limit: PARTICLE_LIMIT });
        }
        // Rows for other ranks, one rank after another.
        let counts = |of: &[usize]| -> Vec<usize> {
            of.iter().enumerate().map(|(k, n)| if k == rank { 0 } else { *n }).collect()
        };
        let total: usize = counts(&lists.counts).iter().sum();
        self.sent.reserve(&*backend, &[total.max(1), words.max(1), size_of::<u32>()], false)?;
        let rows = source.map_or(&*target.buffer.memory, |source| &*source.buffer.memory);
        let sent = ranges(0, words, &counts(&lists.counts));
        for (indices, range) in lists.indices.iter().zip(&sent) {
            let to = (self.sent.memory(), range.start);
            let count = range.len() / words.max(1);
            self.copy((Some(rows), 0), indices.as_deref(), to, (count, words))?;
        }
        // New memory, unless rows are appended to memory that has room.
        let bytes = n * words * size_of::<u32>();
        let has_room = |memory: &dyn Memory| memory.words() * size_of::<u64>() >= bytes;
        let other = if keep > 0 && has_room(&*target.buffer.memory) {
            None
        } else {
            let room = (bytes + bytes / 8).max(size_of::<u64>());
            Some(match self.spare.take().filter(|spare| has_room(&**spare)) {
                Some(spare) => spare,
                None => backend.allocate(room)?,
            })
        };
        let memory = other.as_deref().unwrap_or(&*target.buffer.memory);
        let ranges = ranges(keep * words, words, received);
        if other.is_some() {
            self.copy((Some(&*target.buffer.memory), 0), None, (memory, 0), (keep, words))?;
        }
        let (own, at) = (lists.indices[rank].as_deref(), (memory, ranges[rank].start));
        if let Some(own) = own {
            self.copy((Some(rows), 0), Some(own), at, (lists.counts[rank], words))?;
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

impl Program {
    /// Returns the program that finds and copies parts of particles.
    pub fn parts() -> Self {
        let declared = [Position::text(), Frame::text(), kind::text(), Positions::text()];
        let own = [Cut::text(), Neighbourhood::text(), BoxAround::text(), regions::text()];
        let declared = border::text(&[&declared[..], &own].concat());
        let parts = [
            &*declared,
            include_str!("../../kernels/wrap.cuh"),
            keys::POSITIONS,
            include_str!("parts.cuh"),
        ];
        let kernels =
            &[c"find_ranks", c"find_near", c"find_boxes", c"take_positions", c"copy_rows"];
        Self::of_words("parts", "parts of particles", kernels, BLOCK, &parts)
    }
}
