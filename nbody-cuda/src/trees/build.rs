//! The memory of a tree, and the launches that build it (`build.cuh`).

use std::ffi::CStr;
use std::mem::offset_of;
use std::sync::Arc;
use std::time::Duration;

use nbody_compile::Cache;
use nbody_core::lists::cutoff;
use nbody_core::order::GROUP;
use nbody_core::pack::Binding;
use nbody_core::untyped;
use nbody_core::{Domain, Expansion, Field, Law, Opening, Precision};

use super::declared::{
    BuildRequest, Cell, Cells, Columns, Counters, Efforts, EssentialTree, OrderedSet, Seen, Sights,
    TreeSources, TreeState, WalkedTree, Work, answer, cell, division, phases, refusal,
};
use super::essential::Marked;
use super::far_particles;
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Reply, Scratch};
use crate::border::Address;
use crate::engine::buffer::CudaParticles;
use crate::error::Error;
use crate::layout::numbers_of;
use crate::order::BLOCK;
use crate::order::keys::cells_of_trees::KEY_BITS;
use crate::order::keys::{Frame, Position, Positions};
use crate::order::sort::{self, SortMemory};
use crate::schedule::dealt::{Dealt, Stored};

/// The kernels, in the order of their launches.
pub(super) const ORDER: &CStr = c"order_particles";
pub(super) const CELLS: &CStr = c"build_cells";

/// The largest number of particles of a tree: a cell counts its particles in `COUNT_BITS` bits.
pub(crate) const TREE_LIMIT: usize = (1 << cell::COUNT_BITS) - 1;
/// Warps of a block.
pub(super) const WARPS: usize = BLOCK / GROUP;
/// The index of the j-particles in arrays of two sets.
const OF_J: usize = 1;

/// The particles of a tree: the i-particles, and the j-particles if they are in another buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeSets<'a> {
    pub i: &'a Buffer,
    pub j: Option<&'a Buffer>,
    /// Whether particle k of i is particle k of j.
    pub one_set: bool,
}

impl<'a> TreeSets<'a> {
    fn j(&self) -> &'a Buffer {
        self.j.unwrap_or(self.i)
    }

    /// Returns the index of the i-particles in arrays of two sets.
    fn of_i(&self) -> usize {
        if self.j.is_some() { 0 } else { OF_J }
    }
}

/// A tree that was built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BuiltTree {
    pub cells: usize,
    /// The charges of all particles are of one sign.
    pub is_of_one_sign: bool,
    /// The exponent of the unit of the frame, and a bit that marks a periodic box, whose unit is
    /// no power of two.
    unit: u64,
}

/// The reason why a tree is not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The position of this particle is not finite. The i-particles are numbered after the
    /// j-particles.
    NotFinite(usize),
    /// The particles of one set have different positions in the two buffers.
    Elsewhere,
}

/// The times of a build.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    pub order: Duration,
    pub cells: Duration,
}

/// A tree in device memory.
#[derive(Debug)]
pub(crate) struct DeviceTree {
    backend: Arc<dyn Backend>,
    ordering: Kernel,
    building: Kernel,
    law: &'static Law,
    precision: Precision,
    expansion: Expansion,
    /// The sorts, and the positions in order (`at`): for i if it is in another buffer, and for j.
    sorts: [SortMemory; 2],
    at: [Scratch; 2],
    words: CudaParticles,
    summaries: Scratch,
    charges: Scratch,
    cells: [Scratch; 5],
    seen: Scratch,
    radii: Scratch,
    /// The efforts of i-particles, the heavy groups, and a flag for each group.
    efforts: [Scratch; 3],
    /// The number of cells that the memory holds.
    capacity: usize,
    state: Box<dyn Memory>,
    arrived: Box<dyn Memory>,
    reply: Box<dyn Reply>,
    /// The unit of the frame as last read: its bits in the answer, and its inverse.
    scale: Option<(u64, f64)>,
    /// Whether a build has begun and not ended: the state may then record a refusal.
    is_unsettled: bool,
}

/// Returns the number of words of moments, and of the summary of a cell: its centre, its bounds,
/// its moments and the sign.
pub(super) const fn moments(expansion: Expansion) -> [usize; 2] {
    const POSITION: usize = size_of::<Position>() / size_of::<u64>();
    let moments = match expansion {
        Expansion::Monopole => 1,
        Expansion::Second => 10,
    };
    [moments, 3 * POSITION + moments + 1]
}

impl DeviceTree {
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        (precision, expansion): (Precision, Expansion),
        [ordering, building]: [Kernel; 2],
    ) -> Result<Self, Error> {
        let words = Buffer::new(backend, 0, numbers_of(law.j, precision), precision)?;
        let words = CudaParticles::of(words, law.j, cache);
        let mut arrived = backend.allocate(size_of::<u64>())?;
        arrived.zero()?;
        let mut tree = Self {
            backend: backend.clone(),
            ordering,
            building,
            law,
            precision,
            expansion,
            sorts: Default::default(),
            at: Default::default(),
            words,
            summaries: Scratch::default(),
            charges: Scratch::default(),
            cells: Default::default(),
            seen: Scratch::default(),
            radii: Scratch::default(),
            efforts: Default::default(),
            capacity: 0,
            state: backend.allocate(size_of::<TreeState>())?,
            arrived,
            reply: backend.reply()?,
            scale: None,
            is_unsettled: true,
        };
        tree.reset()?;
        Ok(tree)
    }

    /// Resets the state that launches leave behind.
    fn reset(&mut self) -> Result<(), Error> {
        let work = Work { tested: 0, evaluations: 0, walks: 0 };
        let counters = Counters { refused: refusal::NOTHING, next: 0, work };
        // Launches write the rest of the state before they read it.
        self.state.set(&counters)?;
        self.is_unsettled = false;
        Ok(())
    }

    /// Returns the number of far particles that each cell has room for.
    pub fn room(&self) -> usize {
        far_particles(self.expansion)
    }

    /// Builds the tree of the j-particles, and orders the i-particles. Adds the times of the
    /// launches to `times`, if given.
    pub fn build(
        &mut self,
        sets: &TreeSets,
        domain: &Domain,
        (opening, harmonic): (Opening, f64),
        mut times: Option<&mut Times>,
    ) -> Result<Result<BuiltTree, Refusal>, Error> {
        if self.is_unsettled {
            self.reset()?;
        }
        let j = sets.j().n;
        self.reserve(sets)?;
        // Most distributions need less than a third of a cell per particle.
        self.grow(j / 3 + 64, j)?;
        let two_sets = match (sets.j, sets.one_set) {
            (None, _) => 0,
            (Some(_), false) => 1,
            (Some(_), true) => 2,
        };
        let is_by_angle = opening.angle().is_some().into();
        let theta = opening.angle().unwrap_or_default();
        let request = BuildRequest { two_sets, is_by_angle, theta, harmonic };
        loop {
            self.is_unsettled = true;
            self.timed(times.as_deref_mut().map(|times| &mut times.order), |tree| {
                tree.order(sets, &request, domain)
            })?;
            self.reply.expect()?;
            self.timed(times.as_deref_mut().map(|times| &mut times.cells), |tree| {
                tree.divide(&request, j)
            })?;
            let word = self.reply.receive()?;
            let number = word as u32;
            let count = number as usize;
            match (word >> answer::ANSWER_BITS) as u32 {
                answer::BUILT => {
                    self.is_unsettled = false;
                    let is_of_one_sign = word >> answer::SIGN_BIT & 1 == 1;
                    // The exponent, and above it the bit of a periodic box.
                    let bits = answer::BOX_BIT + 1 - answer::EXPONENT_BITS;
                    let unit = word >> answer::EXPONENT_BITS & ((1 << bits) - 1);
                    return Ok(Ok(BuiltTree { cells: count, is_of_one_sign, unit }));
                }
                // Room to spare, for particles that move.
                answer::TOO_SMALL => self.grow(count + count / 8, j)?,
                _ => {
                    self.reset()?;
                    let is_elsewhere = number >= refusal::ELSEWHERE;
                    let refusal =
                        if is_elsewhere { Refusal::Elsewhere } else { Refusal::NotFinite(count) };
                    return Ok(Err(refusal));
                }
            }
        }
    }

    fn timed(
        &self,
        part: Option<&mut Duration>,
        work: impl Fn(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(part) = part else { return work(self) };
        *part += self.backend.time(&mut || work(self))?;
        Ok(())
    }

    fn order(&self, sets: &TreeSets, request: &BuildRequest, domain: &Domain) -> Result<(), Error> {
        let n = sets.i.n.max(sets.j().n);
        let sorted = if sets.j.is_some() { 2 } else { 1 };
        let phases = sorted * (sort::phases(KEY_BITS) - 1) + 3;
        let dimensions: usize =
            cutoff::position(self.law.j).iter().map(|it| it.kind.components()).sum();
        // The device sets the origin and the unit.
        let (length, dimensions) =
            (nbody_core::order::lengths(domain, dimensions), dimensions as u32);
        let frame = Frame { length, origin: [0.0; 3], scale: 0.0, dimensions, tilt: [0.0; 3] };
        let blocks = n.div_ceil(BLOCK).min(self.ordering.module.resident_blocks(ORDER));
        let launch = Launch::new(ORDER, blocks as u32).value(request).value(&frame);
        let launch = launch.value(&self.set(sets.i, self.law.i, sets.of_i())?);
        let launch = launch.value(&self.set(sets.j(), self.law.j, OF_J)?);
        let launch = launch.value(&self.efforts());
        let launch = launch.pointers([&*self.state, &*self.arrived]);
        let launch = self.memory().into_iter().fold(launch, Launch::reads);
        let launch = launch.reads(&*sets.i.memory).reads(&*sets.j().memory);
        self.ordering.module.launch(launch.phases(0..phases))
    }

    fn divide(&self, request: &BuildRequest, n: usize) -> Result<(), Error> {
        let columns = |scratch: &Scratch| Columns {
            words: Address::of(scratch.memory()),
            stride: self.capacity as u64,
        };
        let sources = TreeSources {
            words: Address::of(&*self.words.buffer.memory),
            positions: Address::of(self.at[OF_J].memory()),
            summaries: columns(&self.summaries),
            charges: columns(&self.charges),
            n: n as u32,
        };
        // The sort no longer uses this memory.
        let [keys, _, marks, ..] = self.sorts[OF_J].memory();
        let [of_cells, next, sights, counts, firsts] = self.cells.each_ref().map(Scratch::memory);
        let cells = Cells {
            cells: Address::of(of_cells),
            next: Address::of(next),
            marks: Address::of(marks),
            sights: Address::of(sights),
            counts: Address::of(counts),
            firsts: Address::of(firsts),
            capacity: self.capacity as u32,
        };
        let blocks = n.div_ceil(BLOCK).min(self.building.module.resident_blocks(CELLS));
        let launch = Launch::new(CELLS, blocks as u32).value(request).pointers([keys]);
        let launch = launch.value(&sources).value(&cells);
        let launch = launch.pointers([self.seen.memory(), self.radii.memory(), &*self.state]);
        let reply = Address::<u64>::at(self.reply.address());
        let launch = launch.value(&reply).pointers([&*self.arrived]);
        let launch = self.memory().into_iter().fold(launch, Launch::reads);
        self.building.module.launch(launch.phases(0..phases::BUILD_PHASES))
    }

    /// Returns a set as an argument of kernels.
    fn set(
        &self,
        buffer: &Buffer,
        fields: &'static [Field],
        set: usize,
    ) -> Result<OrderedSet, Error> {
        let position = Binding::new(self.law.name, cutoff::position(fields), fields)?;
        let position = *position.places().first().expect("particles with charges have a position");
        let words = numbers_of(fields, self.precision);
        let from = Positions::of(buffer, words, position);
        let words =
            if set == OF_J { Address::of(&*self.words.buffer.memory) } else { Address::NULL };
        let at = Address::of(self.at[set].memory());
        Ok(OrderedSet { from, sort: self.sorts[set].argument(), at, words })
    }

    fn reserve(&mut self, sets: &TreeSets) -> Result<(), Error> {
        let (backend, blocks) = (self.backend.clone(), self.ordering.module.resident_blocks(ORDER));
        let mut reserve = |set: usize, n: usize| {
            self.sorts[set].reserve(&*backend, n, blocks)?;
            self.at[set].reserve(&*backend, &[n, size_of::<Position>()], false).map(|_| ())
        };
        reserve(OF_J, sets.j().n)?;
        if sets.j.is_some() {
            reserve(0, sets.i.n)?;
        }
        let (groups, index) = (sets.i.n.div_ceil(GROUP), size_of::<u32>());
        let [efforts, heavy, is_heavy] = &mut self.efforts;
        // The efforts of particles without an earlier walk are unknown.
        efforts.reserve(&*backend, &[sets.i.n, index], true)?;
        heavy.reserve(&*backend, &[1 + groups, index], false)?;
        is_heavy.reserve(&*backend, &[groups, index], false)?;
        Ok(())
    }

    /// Reserves memory for this number of cells of `n` particles.
    fn grow(&mut self, cells: usize, n: usize) -> Result<(), Error> {
        let (backend, room) = (self.backend.clone(), self.room());
        let cells = cells.max(self.capacity);
        let found = n + cells.saturating_mul(room);
        if found > u32::MAX as usize {
            let (what, limit) = ("particles and far particles", u32::MAX as usize);
            return Err(Error::TooManyParticles { what, found, limit });
        }
        self.words.buffer.resize(found, numbers_of(self.law.j, self.precision))?;
        if cells <= self.capacity {
            return Ok(());
        }
        self.capacity = 0;
        let charges = self.law.charges.map_or(1, |charges| charges.products.len().max(1));
        let [moments, summary] = moments(self.expansion);
        let word = size_of::<u64>();
        let blocks = self.building.module.resident_blocks(CELLS);
        let [of_cells, next, sights, counts, firsts] = &mut self.cells;
        let (index, depths) = (size_of::<u32>(), division::DEPTHS as usize);
        let sizes: [(&mut Scratch, &[usize]); 9] = [
            (&mut self.summaries, &[cells, summary, word]),
            (&mut self.charges, &[cells, charges, moments, word]),
            (of_cells, &[cells, size_of::<Cell>()]),
            (next, &[cells, index]),
            (sights, &[blocks, 1 + WARPS, size_of::<Sights>()]),
            (counts, &[blocks, 1 + WARPS, depths, index]),
            (firsts, &[depths + 1, index]),
            (&mut self.seen, &[cells, size_of::<Seen>()]),
            (&mut self.radii, &[cells, index]),
        ];
        for (scratch, sizes) in sizes {
            scratch.reserve(&*backend, sizes, false)?;
        }
        self.capacity = cells;
        Ok(())
    }

    /// Returns the inverse of the unit of the frame of a tree.
    pub fn scale(&mut self, built: &BuiltTree) -> Result<f64, Error> {
        if let Some((unit, scale)) = self.scale
            && unit == built.unit
        {
            return Ok(scale);
        }
        let scale = self.state.value::<TreeState>()?.frame.scale;
        self.scale = Some((built.unit, scale));
        Ok(scale)
    }

    /// Returns the number of cells tested by walks since the last build, and of pairs evaluated by
    /// them.
    pub fn work(&self) -> Result<[u64; 2], Error> {
        let Work { tested, evaluations, .. } = self.state.value::<Counters>()?.work;
        Ok([tested, evaluations])
    }

    /// Returns the number of far particles of the last build.
    pub fn far_particles(&self) -> Result<usize, Error> {
        Ok(self.state.value::<TreeState>()?.far as usize)
    }

    /// Returns the tree as an argument of walks, for all i-particles and without earlier results
    /// to compare errors with.
    pub fn walked(&self, sets: &TreeSets) -> WalkedTree {
        let [_, next, ..] = &self.cells;
        let state = Address::<TreeState>::of(&*self.state);
        let of_i = sets.of_i();
        WalkedTree {
            cells: Address::of(self.seen.memory()),
            next: Address::of(next.memory()),
            radii: Address::of(self.radii.memory()),
            sources: Address::of(&*self.words.buffer.memory),
            frame: state.part(offset_of!(TreeState, frame)),
            at: Address::of(self.at[of_i].memory()),
            order: Address::of(self.sorts[of_i].values(KEY_BITS)),
            before: Address::NULL,
            estimate: Address::NULL,
            queues: Address::NULL,
            counters: state.part(offset_of!(TreeState, counters)),
            share: 0.0,
            ni: sets.i.n as u32,
            nj: sets.j().n as u32,
            room: self.room() as u32,
            one_set: sets.one_set.into(),
            is_estimated: 0,
            counts: 1,
            efforts: self.efforts(),
            stored: Stored { lengths: Address::NULL, wanted: sets.i.n as u32, adds: 0, of_sums: 0 },
            dealt: Dealt::new(untyped::Dealt::new(sets.i.n, 1), 0),
            rows: Address::NULL,
        }
    }

    /// Returns the j-particles in order, followed by the far particles.
    pub fn sources(&self) -> &CudaParticles {
        &self.words
    }

    /// Returns the tree as an argument of lists of sources for other ranks; an opening by errors has a
    /// share of the results and an estimate.
    pub fn marked<'a>(
        &'a self,
        built: &BuiltTree,
        nj: usize,
        errors: Option<(f64, &'a dyn Memory)>,
    ) -> Marked<'a> {
        let state = Address::<TreeState>::of(&*self.state);
        let [.., firsts] = &self.cells;
        let argument = EssentialTree {
            cells: Address::of(self.seen.memory()),
            radii: Address::of(self.radii.memory()),
            frame: state.part(offset_of!(TreeState, frame)),
            extent: state.part(offset_of!(TreeState, extent)),
            firsts: Address::of(firsts.memory()),
            boxes: Address::NULL,
            ends: Address::NULL,
            seen: Address::NULL,
            marks: Address::NULL,
            counts: Address::NULL,
            replies: Address::NULL,
            asking: 0,
            ranks: 0,
            nj: nj as u32,
            room: self.room() as u32,
            most: Address::NULL,
            estimate: errors.map_or(Address::NULL, |(_, estimate)| Address::of(estimate)),
        };
        let share = errors.map_or(0.0, |(share, _)| share);
        let memory = self.memory().into_iter().chain(errors.map(|(_, estimate)| estimate));
        Marked { argument, cells: built.cells, share, memory: memory.collect() }
    }

    fn efforts(&self) -> Efforts {
        let [of_particles, heavy, is_heavy] =
            self.efforts.each_ref().map(|it| Address::of(it.memory()));
        Efforts { of_particles, heavy, is_heavy }
    }

    /// Returns the memory.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        let sorts = self.sorts.iter().flat_map(SortMemory::reserved);
        let all = [&self.summaries, &self.charges, &self.seen, &self.radii];
        let all = all.into_iter().chain(&self.at).chain(&self.cells).chain(&self.efforts);
        sorts
            .chain(all.filter_map(Scratch::get))
            .chain([&*self.words.buffer.memory, &*self.state])
            .collect()
    }

    /// Returns the size of the device memory in bytes.
    pub fn bytes(&self) -> usize {
        self.memory().iter().map(|memory| memory.words() * size_of::<u64>()).sum()
    }
}
