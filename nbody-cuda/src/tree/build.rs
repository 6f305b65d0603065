//! The memory of a tree, and the launches that build it (`build.cuh`).

use std::ffi::CStr;
use std::sync::Arc;
use std::time::Duration;

use nbody_core::near::cutoff;
use nbody_core::pack::Binding;
use nbody_core::tree::GROUP;
use nbody_core::{Domain, Expansion, Field, Law, Opening, Precision, near};

use super::far_particles;
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Reply, Scratch};
use crate::border;
use crate::compile::cache::Cache;
use crate::layout::{bytes_of, numbers_of};
use crate::near::BLOCK;
use crate::near::keys::cells_of_trees::KEY_BITS;
use crate::near::keys::{Frame, Position, Positions};
use crate::near::sort::{self, SortMemory};
use crate::{Error, Program};

/// The kernels, in the order of their launches.
pub(super) const KERNELS: &[&CStr] = &[ORDER, CELLS];
const ORDER: &CStr = c"order_particles";
const CELLS: &CStr = c"build_cells";

/// The most particles of a tree: cells count theirs in 28 bits.
pub(crate) const LIMIT: usize = (1 << 28) - 1;
/// More depths than cells have.
pub(super) const DEPTHS: usize = 48;
/// The phases of `build_cells`.
const PHASES: u32 = DEPTHS as u32 + 5;
/// Words of a position, and of the bounds and the centre of a cell.
const POSITION: usize = 3;
/// Bytes of a cell as walks see it, and of one as it is built.
pub(super) const SEEN: usize = 32;
pub(super) const CELL: usize = 16;
/// Bytes of the levels in sight of a block or a warp.
pub(super) const SIGHTS: usize = 8;
/// Warps of a block.
pub(super) const WARPS: usize = BLOCK / GROUP;
/// Words of the state, and those of it that tell of the work of walks, of the unit of the frame and of the number of
/// far particles.
pub(super) const STATE: usize = 32;
pub(super) const WORK: std::ops::Range<usize> = 1..3;
pub(super) const SCALE: usize = 10;
pub(super) const FAR: usize = 13;
/// The byte of the frame in the state.
pub(super) const FRAME: u64 = 32;
/// The index of the order of j among those of i and j.
const OF_J: usize = 1;
/// The least number that tells of particles at different places.
const ELSEWHERE: usize = 1 << 31;
/// The first word of the state at first: all positions are finite.
const ALL_FINITE: u64 = u32::MAX as u64;

/// The particles of a tree: those of i, and of j if they are in another buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sets<'a> {
    pub i: &'a Buffer,
    pub j: Option<&'a Buffer>,
    /// Whether particle k of i is particle k of j.
    pub one_set: bool,
}

impl<'a> Sets<'a> {
    fn j(&self) -> &'a Buffer {
        self.j.unwrap_or(self.i)
    }

    /// Returns the index of the order of i among those of a tree.
    fn of_i(&self) -> usize {
        if self.j.is_some() { 0 } else { OF_J }
    }
}

/// A tree that was built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Built {
    pub cells: usize,
    /// The charges of all particles are of one sign.
    pub is_of_one_sign: bool,
    /// The exponent of the unit of the frame, and whether it is of a periodic box: no power of two.
    unit: u64,
}

/// The reason why a tree is not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The position of this particle is not finite; the numbers of i-particles follow those of j.
    NotFinite(usize),
    /// The particles of one set are at different places in its two buffers.
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
pub(crate) struct Tree {
    backend: Arc<dyn Backend>,
    kernel: Kernel,
    law: &'static Law,
    precision: Precision,
    expansion: Expansion,
    /// The sort and the positions in order of i if they are in another buffer, and of j.
    sorts: [SortMemory; 2],
    at: [Scratch; 2],
    words: Scratch,
    summaries: Scratch,
    charges: Scratch,
    cells: [Scratch; 5],
    seen: Scratch,
    radii: Scratch,
    /// The efforts of i-particles, the heavy groups, and whether each is.
    efforts: [Scratch; 3],
    /// The cells that there is room for.
    capacity: usize,
    state: Box<dyn Memory>,
    arrived: Box<dyn Memory>,
    reply: Box<dyn Reply>,
    /// The unit of the frame when it was last read, by the answer and as a number.
    scale: Option<(u64, f64)>,
    /// A build has begun and not ended: the state may tell of a refusal.
    is_unsettled: bool,
}

/// Returns the words of moments, and of a summary of a cell: its centre, its bounds, moments and the sign.
pub(super) const fn moments(expansion: Expansion) -> [usize; 2] {
    let moments = match expansion {
        Expansion::Monopole => 1,
        Expansion::Second => 10,
    };
    [moments, 3 * POSITION + moments + 1]
}

impl Tree {
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        (precision, expansion): (Precision, Expansion),
    ) -> Result<Self, Error> {
        let program = Program::tree(law, precision, expansion)?;
        let (module, build) = backend.build(&program, cache)?;
        let mut arrived = backend.allocate(size_of::<u64>())?;
        arrived.zero()?;
        let mut tree = Self {
            backend: backend.clone(),
            kernel: Kernel { program, module, build },
            law,
            precision,
            expansion,
            sorts: Default::default(),
            at: Default::default(),
            words: Scratch::default(),
            summaries: Scratch::default(),
            charges: Scratch::default(),
            cells: Default::default(),
            seen: Scratch::default(),
            radii: Scratch::default(),
            efforts: Default::default(),
            capacity: 0,
            state: backend.allocate(STATE * size_of::<u64>())?,
            arrived,
            reply: backend.reply()?,
            scale: None,
            is_unsettled: true,
        };
        tree.reset()?;
        Ok(tree)
    }

    /// Resets what launches leave behind.
    fn reset(&mut self) -> Result<(), Error> {
        self.state.write(&mut |words| {
            words.fill(0);
            words[0] = ALL_FINITE;
        })?;
        self.is_unsettled = false;
        Ok(())
    }

    /// Returns the far particles that there is room for in each cell.
    pub fn room(&self) -> usize {
        far_particles(self.expansion)
    }

    /// Builds the tree of the j-particles, and orders those of i. `times` receives those of the launches, if they are
    /// measured.
    pub fn build(
        &mut self,
        sets: &Sets,
        domain: &Domain,
        (opening, harmonic): (Opening, f64),
        mut times: Option<&mut Times>,
    ) -> Result<Result<Built, Refusal>, Error> {
        if self.is_unsettled {
            self.reset()?;
        }
        let j = sets.j().n;
        self.reserve(sets)?;
        // A third of a cell for each particle is more than most have.
        self.grow(j / 3 + 64, j)?;
        let two_sets = match (sets.j, sets.one_set) {
            (None, _) => 0,
            (Some(_), false) => 1,
            (Some(_), true) => 2,
        };
        let by_angle = u64::from(opening.angle().is_some());
        let theta = opening.angle().unwrap_or_default();
        let request = [two_sets | by_angle << 32, theta.to_bits(), harmonic.to_bits()];
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
            let number = (word & u64::from(u32::MAX)) as usize;
            match word >> 60 {
                0 => {
                    self.is_unsettled = false;
                    let (is_of_one_sign, unit) = (word >> 59 & 1 == 1, word >> 40 & 0xfff);
                    return Ok(Ok(Built { cells: number, is_of_one_sign, unit }));
                }
                // A little more than is needed, for particles that move.
                1 => self.grow(number + number / 8, j)?,
                _ => {
                    self.reset()?;
                    let is_elsewhere = number >= ELSEWHERE;
                    let refusal =
                        if is_elsewhere { Refusal::Elsewhere } else { Refusal::NotFinite(number) };
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

    fn order(&self, sets: &Sets, request: &[u64; 3], domain: &Domain) -> Result<(), Error> {
        let n = sets.i.n.max(sets.j().n);
        let sorted = if sets.j.is_some() { 2 } else { 1 };
        let phases = sorted * (sort::phases(KEY_BITS) - 1) + 3;
        let dimensions: usize =
            cutoff::position(self.law.j).iter().map(|it| it.kind.components()).sum();
        // The device finds the origin and the unit.
        let (length, dimensions) = (near::lengths(domain, dimensions), dimensions as u32);
        let frame = Frame { length, origin: [0.0; 3], scale: 0.0, dimensions };
        let blocks = n.div_ceil(BLOCK).min(self.kernel.module.resident_blocks(ORDER));
        let launch = Launch::new(ORDER, blocks as u32).argument(request).value(&frame);
        let launch = launch.argument(&self.set(sets.i, self.law.i, sets.of_i())?);
        let launch = launch.argument(&self.set(sets.j(), self.law.j, OF_J)?);
        let launch = launch.argument(&self.efforts());
        let launch = launch.pointers([&*self.state, &*self.arrived]);
        let launch = self.memory().into_iter().fold(launch, Launch::reads);
        let launch = launch.reads(&*sets.i.memory).reads(&*sets.j().memory);
        self.kernel.module.launch(launch.phases(0..phases))
    }

    fn divide(&self, request: &[u64; 3], n: usize) -> Result<(), Error> {
        let address = |scratch: &Scratch| scratch.memory().address();
        let [words, at, summaries, charges] =
            [&self.words, &self.at[OF_J], &self.summaries, &self.charges].map(address);
        let stride = self.capacity as u64;
        let sources = [words, at, summaries, stride, charges, stride, n as u64];
        let [of_cells, next, sights, counts, firsts] = self.cells.each_ref().map(address);
        // The memory that the sort leaves free.
        let [keys, _, marks, ..] = self.sorts[OF_J].memory();
        let capacity = self.capacity as u64;
        let cells = [of_cells, next, marks.address(), sights, counts, firsts, capacity];
        let blocks = n.div_ceil(BLOCK).min(self.kernel.module.resident_blocks(CELLS));
        let launch = Launch::new(CELLS, blocks as u32).argument(request);
        let launch = launch.pointers([keys]);
        let launch = launch.argument(&sources).argument(&cells);
        let launch = launch.pointers([self.seen.memory(), self.radii.memory(), &*self.state]);
        let launch = launch.argument(&[self.reply.address()]).pointers([&*self.arrived]);
        let launch = self.memory().into_iter().fold(launch, Launch::reads);
        self.kernel.module.launch(launch.phases(0..PHASES))
    }

    /// Returns a `Set` of the text.
    fn set(
        &self,
        buffer: &Buffer,
        fields: &'static [Field],
        set: usize,
    ) -> Result<Vec<u64>, Error> {
        let position = Binding::new(self.law.name, cutoff::position(fields), fields)?;
        let position = *position.places().first().expect("particles with charges have a position");
        let words = numbers_of(fields, self.precision);
        let mut argument = border::words(&Positions::of(buffer, words, position));
        argument.extend(border::words(&self.sorts[set].argument()));
        let words = if set == OF_J { self.words.memory().address() } else { 0 };
        argument.extend([self.at[set].memory().address(), words]);
        Ok(argument)
    }

    fn reserve(&mut self, sets: &Sets) -> Result<(), Error> {
        let (backend, blocks) = (self.backend.clone(), self.kernel.module.resident_blocks(ORDER));
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
        // None is known of particles that had no walk.
        efforts.reserve(&*backend, &[sets.i.n, index], true)?;
        heavy.reserve(&*backend, &[1 + groups, index], false)?;
        is_heavy.reserve(&*backend, &[groups, index], false)?;
        Ok(())
    }

    /// Makes room for this many cells of `n` particles.
    fn grow(&mut self, cells: usize, n: usize) -> Result<(), Error> {
        let (backend, room) = (self.backend.clone(), self.room());
        let cells = cells.max(self.capacity);
        let found = n + cells.saturating_mul(room);
        if found > u32::MAX as usize {
            let (what, limit) = ("particles and far particles", u32::MAX as usize);
            return Err(Error::TooManyParticles { what, found, limit });
        }
        let record = numbers_of(self.law.j, self.precision) * bytes_of(self.precision);
        self.words.reserve(&*backend, &[found, record], false)?;
        if cells <= self.capacity {
            return Ok(());
        }
        self.capacity = 0;
        let charges = self.law.charges.map_or(1, |charges| charges.products.len().max(1));
        let [moments, summary] = moments(self.expansion);
        let word = size_of::<u64>();
        let blocks = self.kernel.module.resident_blocks(CELLS);
        let [of_cells, next, sights, counts, firsts] = &mut self.cells;
        let index = size_of::<u32>();
        let sizes: [(&mut Scratch, &[usize]); 9] = [
            (&mut self.summaries, &[cells, summary, word]),
            (&mut self.charges, &[cells, charges, moments, word]),
            (of_cells, &[cells, CELL]),
            (next, &[cells, index]),
            (sights, &[blocks, 1 + WARPS, SIGHTS]),
            (counts, &[blocks, 1 + WARPS, DEPTHS, index]),
            (firsts, &[DEPTHS + 1, index]),
            (&mut self.seen, &[cells, SEEN]),
            (&mut self.radii, &[cells, index]),
        ];
        for (scratch, sizes) in sizes {
            scratch.reserve(&*backend, sizes, false)?;
        }
        self.capacity = cells;
        Ok(())
    }

    /// Returns the unit of the frame of a tree, inverted.
    pub fn scale(&mut self, built: &Built) -> Result<f64, Error> {
        if let Some((unit, scale)) = self.scale
            && unit == built.unit
        {
            return Ok(scale);
        }
        let mut scale = 0.0;
        self.state.read_words(SCALE..SCALE + 1, &mut |words| scale = f64::from_bits(words[0]))?;
        self.scale = Some((built.unit, scale));
        Ok(scale)
    }

    /// Returns the cells that walks have tested since the last build, and the pairs that they have evaluated.
    pub fn work(&self) -> Result<[u64; 2], Error> {
        let mut work = [0; 2];
        self.state.read_words(WORK, &mut |words| work.copy_from_slice(words))?;
        Ok(work)
    }

    /// Returns the number of far particles of the last build.
    pub fn far_particles(&self) -> Result<usize, Error> {
        let mut far = 0;
        self.state.read_words(FAR..FAR + 1, &mut |words| far = (words[0] >> 32) as usize)?;
        Ok(far)
    }

    /// Returns the first words of a `Walk` of the text.
    pub fn argument(&self, sets: &Sets) -> [u64; 7] {
        let address = |scratch: &Scratch| scratch.memory().address();
        let [_, next, ..] = &self.cells;
        let [cells, next, radii, words] = [&self.seen, next, &self.radii, &self.words].map(address);
        let (at, order) =
            (address(&self.at[sets.of_i()]), self.sorts[sets.of_i()].values(KEY_BITS));
        let frame = self.state.address() + FRAME;
        [cells, next, radii, words, frame, at, order.address()]
    }

    /// Returns an `Efforts` of the text.
    pub fn efforts(&self) -> [u64; 3] {
        self.efforts.each_ref().map(|scratch| scratch.memory().address())
    }

    /// Returns the address of the `Counters` of the text.
    pub fn counters(&self) -> u64 {
        self.state.address()
    }

    /// Returns the memory.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        let sorts = self.sorts.iter().flat_map(SortMemory::reserved);
        let all = [&self.words, &self.summaries, &self.charges, &self.seen, &self.radii];
        let all = all.into_iter().chain(&self.at).chain(&self.cells).chain(&self.efforts);
        sorts.chain(all.filter_map(Scratch::get)).chain([&*self.state]).collect()
    }

    /// Returns the bytes of device memory.
    pub fn bytes(&self) -> usize {
        self.memory().iter().map(|memory| memory.words() * size_of::<u64>()).sum()
    }
}
