//! Parts of particles in device memory, which move between ranks.

use std::ops::Range;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::order::frame;
use nbody_core::untyped::{
    self, Communicator, Kept, LENGTHS, Moves, Points, Regions, RowLists, TargetBox,
};
use nbody_core::{Domain, Error, Precision};

use super::buffer::{CudaParticles, particles};
use super::listing::{BLOCK, DeviceLists, Lister, Listing, row_lists};
use super::moving::Mover;
use crate::backend::{Backend, LateKernel, Launch, Link, Scratch};
use crate::border::{self, Address, Declared as _, border};
use crate::compile::program::Program;
use crate::config::warp;
use crate::layout::PARTICLE_LIMIT;
use crate::order::keys::{self, Frame, Position, Positions, kind};
use crate::order::tilted;

/// The most blocks that find boxes, and the most regions of a launch.
const BOXES: usize = 256;
const REGIONS: usize = regions::BOXES as usize;

border! {
    /// A cut of a region.
    pub struct Cut {
        /// The least coordinate above the cut.
        pub at: f64,
        pub axis: u32,
    }

    /// A box around particles.
    pub struct BoxAround {
        pub lo: [f64; 3],
        pub hi: [f64; 3],
    }

    /// A box around particles, and their least number.
    pub struct BoxFound {
        pub around: BoxAround,
        pub least: f64,
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
    lister: Lister,
    mover: Mover,
    cuts: Scratch,
    boxes: Scratch,
    sample: Scratch,
}

impl CudaParts {
    pub fn new(
        (backend, cache): (&Arc<dyn Backend>, &Cache),
        communicator: &Arc<dyn Communicator>,
        link: Option<Arc<dyn Link>>,
    ) -> Self {
        let (cuts, boxes, sample) = Default::default();
        Self {
            backend: backend.clone(),
            communicator: communicator.clone(),
            kernels: LateKernel::new(cache, Program::parts),
            lister: Lister::default(),
            mover: Mover::new((backend, cache), communicator, link),
            cuts,
            boxes,
            sample,
        }
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

    /// Marks particles by regions, for these ranks, and lists them.
    fn list_by_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
        of: &[usize],
        is_leaving: bool,
    ) -> Result<DeviceLists, Error> {
        let (p, positions, frame) = self.positions(points)?;
        self.write_cuts(regions)?;
        let module = &*self.kernels.get(&self.backend)?.module;
        let blocks = Lister::blocks(module, points.n) as u32;
        let own = self.communicator.rank() as u32;
        let Self { backend, lister, cuts, .. } = self;
        let mut mark = |lists: Range<usize>| {
            let launch = Launch::new(c"mark_regions", blocks);
            let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
            let launch = launch.pointers([cuts.memory()]);
            let ranks = regions.ranks() as u32;
            Ok(launch.numbers([ranks, own, is_leaving.into(), lists.start as u32]))
        };
        Ok(lister.list((&**backend, module), points.n, (regions.ranks(), of), &mut mark)?)
    }
}

impl untyped::Parts for CudaParts {
    fn in_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error> {
        let own = self.communicator.rank();
        Ok(Box::new(self.list_by_region(points, regions, &[own], false)?))
    }

    fn leaving(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error> {
        let own = self.communicator.rank();
        let others = (0..regions.ranks()).filter(|rank| *rank != own);
        let of: Vec<_> = others.chain([own]).collect();
        Ok(Box::new(self.list_by_region(points, regions, &of, true)?))
    }

    fn near(
        &mut self,
        points: Points<'_>,
        around: &untyped::Bounds,
        boxes: &[untyped::Bounds],
        distance: f64,
    ) -> Result<Box<dyn RowLists>, Error> {
        let own = self.communicator.rank();
        let is_near = |rank: &usize| {
            *rank != own && boxes[*rank].is_near_box(around, distance, &points.lengths)
        };
        let of: Vec<_> = (0..boxes.len()).filter(is_near).collect();
        let (p, positions, frame) = self.positions(points)?;
        let words = |&rank: &usize| {
            let untyped::Bounds { lo, hi } = boxes[rank];
            border::words(&BoxAround { lo, hi })
        };
        let words: Vec<u64> = of.iter().flat_map(words).collect();
        self.boxes.reserve(&*self.backend, &[words.len().max(1), size_of::<u64>()], false)?;
        self.boxes.memory_mut().write_first(words.len(), &mut |to| {
            to.copy_from_slice(&words);
            Ok(())
        })?;
        let module = &*self.kernels.get(&self.backend)?.module;
        let blocks = Lister::blocks(module, points.n) as u32;
        let Self { backend, lister, boxes: memory, .. } = self;
        let memory = memory.memory();
        let mut mark = |lists: Range<usize>| {
            let launch = Launch::new(c"mark_near", blocks);
            let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
            let first = lists.start * size_of::<BoxAround>();
            let first = Address::<BoxAround>::at(memory.address() + first as u64);
            Ok(launch.value(&first).reads(memory).value(&distance))
        };
        let ranks = boxes.len();
        Ok(Box::new(lister.list((&**backend, module), points.n, (ranks, &of), &mut mark)?))
    }

    fn listed(&mut self, mut rows: Vec<Vec<u32>>) -> Result<Box<dyn RowLists>, Error> {
        let mut lists = DeviceLists::nothing(rows.len());
        // The own list is the last one.
        let own = self.communicator.rank();
        let mut ranks: Vec<_> = (0..rows.len()).filter(|rank| *rank != own).collect();
        ranks.push(own);
        let rows: Vec<_> = ranks.iter().map(|rank| std::mem::take(&mut rows[*rank])).collect();
        let counts: Vec<_> = ranks.into_iter().zip(rows.iter().map(Vec::len)).collect();
        let all = rows.concat();
        if !all.is_empty() {
            lists.push(self.backend.copied(&all)?, &counts);
        }
        Ok(Box::new(lists))
    }

    fn numbered(&mut self, indices: &dyn untyped::Buffer) -> Result<Box<dyn RowLists>, Error> {
        let numbers = &particles("indices", &*self.backend, indices)?.buffer;
        let (rank, ranks) = (self.communicator.rank(), self.communicator.size());
        let mut lists = DeviceLists::nothing(ranks);
        if numbers.n > 0 {
            let memory = self.backend.allocate(numbers.n * size_of::<u32>())?;
            self.mover.copy((&*numbers.memory, 0), (&*memory, 0), (numbers.n, 1))?;
            lists.push(memory, &[(rank, numbers.n)]);
        }
        Ok(Box::new(lists))
    }

    fn boxes(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
        lengths: Option<&dyn untyped::Buffer>,
    ) -> Result<Vec<TargetBox>, Error> {
        let (p, positions, frame) = self.positions(points)?;
        let lengths = lengths.map(|it| particles("lengths", &*self.backend, it)).transpose()?;
        if let Some(lengths) = lengths {
            lengths.buffer.check("lengths", &self.backend, Precision::Double)?;
            Error::check_record("lengths", lengths.fields, LENGTHS)?;
            Error::check_length("lengths", lengths.buffer.n, points.n)?;
        }
        let nothing = TargetBox { bounds: untyped::Bounds::NOTHING, least: f64::INFINITY };
        let mut all = vec![nothing; regions.ranks()];
        if points.n == 0 {
            return Ok(all);
        }
        self.write_cuts(regions)?;
        let blocks = points.n.div_ceil(BLOCK).min(BOXES);
        let words = size_of::<BoxFound>() / size_of::<f64>();
        let sizes = [BOXES, REGIONS, size_of::<BoxFound>()];
        self.boxes.reserve(&*self.backend, &sizes, false)?;
        let ranks = regions.ranks();
        // A block has room for the boxes of some regions.
        for first in (0..ranks).step_by(REGIONS) {
            let some = REGIONS.min(ranks - first);
            let launch = Launch::new(c"find_boxes", blocks as u32);
            let launch = launch.value(&positions).value(&frame).reads(&*p.buffer.memory);
            let lengths = lengths.map(|it| &*it.buffer.memory);
            let launch = launch.value(&lengths.map_or(Address::<f64>::NULL, Address::of));
            let launch = lengths.into_iter().fold(launch, Launch::reads);
            let launch = launch.pointers([self.cuts.memory(), self.boxes.memory()]);
            let launch = launch.numbers([ranks, first, some].map(|it| it as u32));
            self.kernels.get(&self.backend)?.module.launch(launch)?;
            self.boxes.memory().read_words(0..blocks * some * words, &mut |found| {
                for (k, numbers) in found.as_chunks::<7>().0.iter().enumerate() {
                    let [a, b, c, d, e, f, least] = numbers.map(f64::from_bits);
                    let of_block = untyped::Bounds { lo: [a, b, c], hi: [d, e, f] };
                    if of_block.is_empty() {
                        continue;
                    }
                    let found = &mut all[first + k % some];
                    found.bounds.add(&of_block.lo);
                    found.bounds.add(&of_block.hi);
                    found.least = found.least.min(least);
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

    fn reserve(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        to: &dyn untyped::Buffer,
        kept: Kept,
        moves: &Moves,
    ) -> Result<(), Error> {
        self.mover.reserve(from, to, kept, moves)
    }

    fn exchange(
        &mut self,
        from: Option<&dyn untyped::Buffer>,
        to: &mut dyn untyped::Buffer,
        kept: Kept,
        moves: &Moves,
    ) -> Result<(), Error> {
        self.mover.exchange(from, to, kept, moves)
    }
}

impl Program {
    /// Returns the program that finds and copies parts of particles.
    pub fn parts() -> Self {
        let declared = [Position::text(), Frame::text(), kind::text(), Positions::text()];
        let own = [Cut::text(), BoxAround::text(), BoxFound::text(), regions::text()];
        let lists = [warp::text(), row_lists::text(), Listing::text()];
        let declared = border::text(&[&declared[..], &own, &lists].concat());
        let parts = [
            &*declared,
            &tilted(false),
            include_str!("../../kernels/wrap.cuh"),
            include_str!("../../kernels/last_block.cuh"),
            include_str!("../../kernels/scan.cuh"),
            include_str!("../../kernels/share.cuh"),
            keys::POSITIONS,
            include_str!("listing.cuh"),
            include_str!("parts.cuh"),
        ];
        let kernels =
            &[c"list_rows", c"mark_regions", c"mark_near", c"find_boxes", c"take_positions"];
        Self::of_words("parts", "parts of particles", kernels, BLOCK, &parts)
    }
}
