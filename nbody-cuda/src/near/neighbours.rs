//! Neighbour lists on one backend, without the types of their particles.

use std::ffi::CStr;
use std::sync::Arc;

use nbody_core::near::boxes::Tree;
use nbody_core::near::frame::Frame;
use nbody_core::near::image::{self, IMAGES, INDEX_BITS, LIMIT};
use nbody_core::near::list::Lists;
use nbody_core::near::order::Ordered;
use nbody_core::near::{self, GROUP};
use nbody_core::pack::Place;
use nbody_core::{Domain, Skin};

use super::BLOCK;
use super::order::{self, Order, Positions};
use super::reach::{Reach, Varying};
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Reply, Scratch};
use crate::compile::cache::Cache;
use crate::{Error, Program};

/// Entries of the lists of a particle at first.
const ENTRIES: usize = 16;
/// Numbers of an origin.
const ORIGIN: usize = 3;
/// The length of a list that there is no room for.
const NO_ROOM: u32 = u32::MAX;
/// The first particle whose position is not finite, where all are.
const ALL_FINITE: u64 = u32::MAX as u64;

/// The kernels, in the order of their launches.
pub(super) const KERNELS: &[&CStr] = &[LOOK, ORDER, LIST];
const LOOK: &CStr = c"look";
const ORDER: &CStr = c"order";
const LIST: &CStr = c"list";

/// A `State` of the text, the number of entries, and the count of blocks at a barrier: the byte of each,
/// and their words at first.
const STATE: u64 = 0;
const USED: u64 = 16;
const ARRIVED: u64 = 24;
const STATE_AT_FIRST: [u64; 4] = [ALL_FINITE << 32, 0, 0, 0];

/// Neighbour lists of particles in device memory.
#[derive(Debug)]
pub(crate) struct Neighbours {
    backend: Arc<dyn Backend>,
    kernel: Kernel,
    cache: Cache,
    /// The cutoffs that depend on particles.
    reach: Reach,
    /// The order of the i-particles, and of the j-particles if they are in another buffer.
    orders: [Order; 2],
    begins: Scratch,
    counts: Scratch,
    origins: Scratch,
    entries: Scratch,
    /// The entries that there is room for.
    capacity: usize,
    /// The entries of the last lists that the device built by itself.
    entries_built: usize,
    /// Memory that launches leave behind for the next one.
    state: Box<dyn Memory>,
    reply: Box<dyn Reply>,
    /// The number of looks since the state was reset.
    looks: u32,
    /// Whether the outcome of the last look is not yet known.
    is_awaited: bool,
    /// The numbers of particles that it looked at.
    pub looked_at: [usize; 2],
    /// The number of rebuilds, and of looks since the last one that found the lists good.
    counts_of_looks: [u64; 2],
    /// The particles and the reach of the lists; `None` if they are to be built in any case.
    built: Option<Build>,
}

/// The particles and the reach that lists are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Build {
    /// The numbers of i-particles, and of j-particles in another buffer.
    pub n: [usize; 2],
    /// Whether there is another buffer.
    pub has_j: bool,
    /// Whether particle k of i is particle k of j.
    pub one_set: bool,
    pub domain: Domain,
    pub frame: Frame,
    /// The greatest cutoff that depends on no particle, and the length that lists reach farther.
    pub cutoff: f64,
    pub skin: Skin,
}

impl Build {
    /// Returns the lengths of the box, which are 0 along open axes.
    pub fn lengths(&self) -> [f64; 3] {
        near::lengths(&self.domain, self.frame.dimensions)
    }

    /// Returns the entries of a list that there is no room for: every j-particle, in each image.
    fn all_entries(&self) -> impl Iterator<Item = u32> {
        let (lengths, nj) = (self.lengths(), self.n[usize::from(self.has_j)] as u32);
        let images = (0..IMAGES).filter(move |&image| image::exists(image, &lengths));
        images.flat_map(move |image| (0..nj).map(move |place| image << INDEX_BITS | place))
    }
}

/// The particles of lists: a buffer, the words of its records, and the first coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set<'a> {
    pub buffer: &'a Buffer,
    pub words: usize,
    pub position: Place,
}

/// The outcome of a look at the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The lists are still good.
    Good,
    /// They were built, and have this many entries.
    Built(usize),
    /// The position of this particle is not finite; those of j follow those of i.
    NotFinite(usize),
    /// This one of the cutoffs that depend on particles may be infinite or NaN.
    Unbounded(usize),
    /// A cutoff is half of a periodic box or more.
    BeyondBox,
    /// A particle of one set is elsewhere in the buffer of j than in that of i.
    Elsewhere,
}

impl Outcome {
    fn of(answer: u64) -> Self {
        const BITS: u32 = 60;
        const BEYOND_BOX: usize = u32::MAX as usize - 1;
        const MOST_CUTOFFS: usize = 1 << 16;
        const ELSEWHERE: usize = 1 << 31;
        let number = (answer & ((1 << BITS) - 1)) as usize;
        match answer >> BITS {
            0 => Self::Good,
            1 => Self::Built(number),
            _ if number == BEYOND_BOX => Self::BeyondBox,
            _ if number > BEYOND_BOX - MOST_CUTOFFS => Self::Unbounded(BEYOND_BOX - 1 - number),
            _ if number >= ELSEWHERE => Self::Elsewhere,
            _ => Self::NotFinite(number),
        }
    }

    /// Returns whether the lists were not built, for a reason.
    fn is_refusal(self) -> bool {
        !matches!(self, Self::Good | Self::Built(_))
    }
}

impl Neighbours {
    pub fn new(backend: &Arc<dyn Backend>, cache: &Cache) -> Result<Self, Error> {
        let kernel = build(&**backend, cache, Program::neighbours())?;
        let mut state = backend.allocate(size_of_val(&STATE_AT_FIRST))?;
        state.write(&mut |words| words.copy_from_slice(&STATE_AT_FIRST))?;
        Ok(Self {
            backend: backend.clone(),
            kernel,
            cache: cache.clone(),
            reach: Reach::default(),
            orders: Default::default(),
            begins: Scratch::default(),
            counts: Scratch::default(),
            origins: Scratch::default(),
            entries: Scratch::default(),
            capacity: 0,
            entries_built: 0,
            state,
            reply: backend.reply()?,
            looks: 0,
            is_awaited: false,
            looked_at: [0; 2],
            counts_of_looks: [0; 2],
            built: None,
        })
    }

    /// Takes other cutoffs that depend on particles, for the lists of the next update. Their program is
    /// compiled, or loaded from the cache.
    pub fn set_cutoffs(&mut self, varying: Varying) -> Result<(), Error> {
        self.built = None;
        if varying == *self.reach.varying() {
            return Ok(());
        }
        let program = Program::neighbours_of(&varying);
        if program.source != self.kernel.program.source {
            self.kernel = build(&*self.backend, &self.cache, program)?;
        }
        self.reach.set(&*self.backend, varying)
    }

    /// Returns the cutoffs that depend on particles.
    pub fn varying(&self) -> &Varying {
        self.reach.varying()
    }

    /// Returns the greatest cutoff and the skin that the device has found last, of cutoffs that depend on
    /// particles.
    pub fn reach_found(&self) -> Result<[f64; 2], Error> {
        self.reach.found()
    }

    /// Returns the greatest cutoff and the skin of lists.
    pub fn reach(&self, build: &Build) -> Result<[f64; 2], Error> {
        if self.reach.varying().is_empty() {
            let skin = build.skin.length(build.cutoff, &build.lengths());
            return Ok([build.cutoff, skin]);
        }
        self.reach.found()
    }

    /// Forgets the lists, which the next update builds.
    pub fn forget(&mut self) {
        self.built = None;
    }

    /// Returns what the lists are of.
    pub fn built(&self) -> Option<&Build> {
        self.built.as_ref()
    }

    /// Looks whether the lists of these particles are still good, and builds them if not; in any case
    /// if they were of something else. The host waits only for lists that must be built, and otherwise
    /// learns the outcome at the next look.
    ///
    /// Where there is no room for the lists that the device builds, evaluations take every j-particle,
    /// until the next look makes room.
    pub fn update(&mut self, sets: [Option<Set>; 2], build: Build) -> Result<Outcome, Error> {
        for found in build.n {
            if found > LIMIT {
                return Err(Error::TooManyParticles { what: "particles", found, limit: LIMIT });
            }
        }
        let before = self.outcome()?;
        if before.is_refusal() {
            return Ok(before);
        }
        let entries = std::mem::take(&mut self.entries_built);
        let is_full = 4 * entries > 3 * self.capacity;
        if self.built == Some(build) && !is_full {
            self.launch(sets, &build, false)?;
            return self.known_outcome();
        }
        self.built = None;
        self.reserve(&build)?;
        if is_full {
            self.grow(2 * entries)?;
        }
        let outcome = loop {
            self.launch(sets, &build, true)?;
            match self.outcome()? {
                Outcome::Built(entries) if entries > self.capacity => {
                    // Twice as many, since the lists of the next time may be longer.
                    self.grow(2 * entries)?;
                    self.counts_of_looks[0] -= 1;
                }
                outcome => break outcome,
            }
        };
        self.entries_built = 0;
        self.built = (sets[0].is_some() && !outcome.is_refusal()).then_some(build);
        Ok(outcome)
    }

    /// Waits for the outcome of the last look, unless it was known before.
    pub fn outcome(&mut self) -> Result<Outcome, Error> {
        if !self.is_awaited {
            return Ok(Outcome::Good);
        }
        self.is_awaited = false;
        let outcome = Outcome::of(self.reply.receive()?);
        match outcome {
            Outcome::Good => self.counts_of_looks[1] += 1,
            Outcome::Built(entries) => {
                self.entries_built = entries;
                self.counts_of_looks = [self.counts_of_looks[0] + 1, 0];
            }
            // Evaluations since then did nothing, and the lists are as they were.
            Outcome::NotFinite(_) | Outcome::Elsewhere => self.reset()?,
            Outcome::Unbounded(_) | Outcome::BeyondBox => {
                self.reset()?;
                self.built = None;
            }
        }
        Ok(outcome)
    }

    /// Returns that a position is not finite if the last look has already said so.
    fn known_outcome(&mut self) -> Result<Outcome, Error> {
        match self.reply.peek().map(Outcome::of) {
            Some(refusal) if refusal.is_refusal() => self.outcome(),
            _ => Ok(Outcome::Good),
        }
    }

    /// Returns how often lists were built, and how often they were found good since, as far as outcomes are
    /// known.
    pub fn counts_of_looks(&self) -> [u64; 2] {
        self.counts_of_looks
    }

    /// Resets what launches leave behind.
    fn reset(&mut self) -> Result<(), Error> {
        self.looks = 0;
        self.state.write(&mut |words| words.copy_from_slice(&STATE_AT_FIRST))
    }

    fn reserve(&mut self, build: &Build) -> Result<(), Error> {
        let (backend, blocks) = (self.backend.clone(), self.kernel.module.resident_blocks(ORDER));
        for (order, n) in self.orders.iter_mut().zip(build.n) {
            order.reserve(&*backend, n, blocks)?;
        }
        let groups = build.n[0].div_ceil(GROUP);
        self.begins.reserve(&*backend, &[groups, size_of::<u64>()], false)?;
        self.counts.reserve(&*backend, &[groups, size_of::<u32>()], false)?;
        self.origins.reserve(&*backend, &[groups, ORIGIN, size_of::<f64>()], false)?;
        if !self.reach.varying().is_empty() {
            self.reach.reserve(&*backend, build.n)?;
        }
        self.grow(ENTRIES * build.n[0])
    }

    /// Makes room for this many entries.
    fn grow(&mut self, entries: usize) -> Result<(), Error> {
        let entries = entries.max(GROUP);
        if entries > self.capacity {
            // The old ones are freed first.
            self.capacity = 0;
            self.entries.reserve(&*self.backend, &[entries, size_of::<u32>()], false)?;
            self.capacity = entries;
        }
        Ok(())
    }

    /// Looks at the particles, and lets the device build lists if it finds that they must be.
    fn launch(
        &mut self,
        [i, j]: [Option<Set>; 2],
        build: &Build,
        forced: bool,
    ) -> Result<(), Error> {
        if self.looks == u32::MAX {
            self.reset()?;
        }
        let Some(i) = i else { return Ok(()) };
        self.looks += 1;
        self.looked_at = build.n;
        self.reply.expect()?;
        let request = self.request(j.is_some(), build, forced);
        let [of_i, of_j] = [i, j.unwrap_or(i)];
        let Build { domain, frame, .. } = build;
        let order = |set: usize, particles: &Set| {
            let Set { buffer, words, position } = *particles;
            self.orders[set].argument(&Positions::of(buffer, words, position), domain, frame)
        };
        let orders = [order(0, &of_i), order(usize::from(j.is_some()), &of_j)];
        let (reach, lists) = (self.reach_argument(build, j.is_none()), self.lists_argument());
        let lists = [lists, reach.clone()].concat();
        let [state, arrived] = [STATE, ARRIVED].map(|byte| self.state.address() + byte);
        let begin = |kernel: &'static CStr, blocks: usize| {
            let launch = Launch::new(kernel, blocks.max(1) as u32).argument(&request);
            let launch = launch.argument(&orders[0]).argument(&orders[1]);
            let launch = self.memory().into_iter().fold(launch, Launch::reads);
            let launch = self.reach.memory().into_iter().fold(launch, Launch::reads);
            launch.reads(&*of_i.buffer.memory).reads(&*of_j.buffer.memory)
        };
        let module = &self.kernel.module;
        let blocks = build.n.into_iter().max().unwrap_or(0).div_ceil(BLOCK);
        module.launch(begin(LOOK, blocks).argument(&reach).argument(&[state]))?;
        let phases = order::phases(build.n[0]) + j.map_or(0, |_| order::phases(build.n[1]));
        let launch = begin(ORDER, module.resident_blocks(ORDER)).argument(&lists);
        module.launch(launch.argument(&[state]).argument(&[arrived]).phases(phases))?;
        let blocks = build.n[0].div_ceil(GROUP).min(module.resident_blocks(LIST));
        let launch = begin(LIST, blocks).argument(&lists);
        module.launch(launch.argument(&[state]).argument(&[self.reply.address()]))?;
        self.is_awaited = true;
        Ok(())
    }

    /// Returns a `Request` of the text.
    fn request(&self, has_j: bool, build: &Build, forced: bool) -> [u64; 3] {
        let allowed = build.skin.length(build.cutoff, &build.lengths()) * 0.5;
        let two_sets = match (has_j, build.one_set) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        let phases = u64::from(order::phases(build.n[0]));
        let words =
            [(allowed * allowed).to_bits(), u64::from(self.looks) | u64::from(forced) << 32];
        [words[0], words[1], two_sets | phases << 32]
    }

    /// Returns a `Reach` of the text.
    fn reach_argument(&self, build: &Build, is_one: bool) -> Vec<u64> {
        if self.reach.varying().is_empty() {
            let skin = build.skin.length(build.cutoff, &build.lengths());
            return vec![(build.cutoff + skin).to_bits()];
        }
        self.reach.argument(build.cutoff, build.skin.parts(), is_one)
    }

    /// Returns a `Lists` of the text, without the `Reach` at its end.
    fn lists_argument(&self) -> Vec<u64> {
        let lists = [&self.begins, &self.counts, &self.origins, &self.entries];
        let addresses = lists.iter().map(|scratch| scratch.memory().address());
        addresses.chain([self.capacity as u64, self.state.address() + USED]).collect()
    }

    /// Returns the order of the i-particles or of the j-particles: a `Placed` of `schedule/list.cuh`.
    pub fn placed(&self, set: usize) -> [u64; 3] {
        let build = self.built.expect("lists are evaluated once they are built");
        let order = &self.orders[set];
        [order.indices().address(), order.positions().address(), build.n[set] as u64]
    }

    /// Returns the lists: a `Lists` of `schedule/list.cuh`.
    pub fn lists(&self) -> [u64; 5] {
        const NOT_FINITE: u64 = 4; // bytes of the state in front of it
        let scratch = [&self.begins, &self.counts, &self.entries, &self.origins];
        let [begins, counts, entries, origins] = scratch.map(|it| it.memory().address());
        [begins, counts, entries, origins, self.state.address() + NOT_FINITE]
    }

    /// Returns the memory of both.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        let lists = [&self.begins, &self.counts, &self.entries, &self.origins];
        let orders = self.orders.iter().flat_map(Order::memory);
        lists.map(Scratch::memory).into_iter().chain(orders).chain([&*self.state]).collect()
    }

    /// Copies the lists to the host, and the particles of each set in order.
    pub fn download(&self) -> Result<Downloaded, Error> {
        let build = self.built.expect("lists are downloaded once they are built");
        let groups = build.n[0].div_ceil(GROUP);
        let (begins, counts) = (read(&self.begins)?, read(&self.counts)?);
        let (counts, entries) = (as_u32(&counts), read(&self.entries)?);
        let mut lists = Lists { begins: vec![0], ..Lists::default() };
        for (&begin, &count) in begins.iter().zip(counts).take(groups) {
            if count == NO_ROOM {
                lists.entries.extend(build.all_entries());
            } else {
                let list = &as_u32(&entries)[begin as usize..][..count as usize];
                lists.entries.extend_from_slice(list);
            }
            lists.begins.push(lists.entries.len() as u64);
        }
        let ordered = |set: usize| {
            let (order, n) = (&self.orders[set], build.n[set]);
            let mut indices = Vec::new();
            order.indices().read(&mut |words| indices = as_u32(words)[..n].to_vec())?;
            let mut positions = Vec::new();
            order.positions().read(&mut |words| {
                let at = |k: usize| [k, n + k, 2 * n + k].map(|k| f64::from_bits(words[k]));
                positions = (0..n).map(at).collect();
            })?;
            let tree = Tree::of(&positions);
            Ok::<_, Error>(Ordered { indices, positions, tree })
        };
        let values = self.reach.values(build.n)?;
        Ok(Downloaded { lists, sets: [ordered(0)?, ordered(1)?], values })
    }

    /// Returns the bytes of device memory.
    pub fn bytes(&self) -> usize {
        self.memory()
            .iter()
            .chain(&self.reach.memory())
            .map(|memory| memory.words() * size_of::<u64>())
            .sum()
    }
}

fn build(backend: &dyn Backend, cache: &Cache, program: Program) -> Result<Kernel, Error> {
    let (module, build) = backend.build(&program, cache)?;
    Ok(Kernel { program, module, build })
}

/// Lists on the host, and the particles of each set in order.
#[derive(Debug)]
pub(crate) struct Downloaded {
    pub lists: Lists,
    pub sets: [Ordered; 2],
    /// The numbers that cutoffs depend on, a slice for each, in this order.
    pub values: [Vec<Vec<f64>>; 2],
}

fn read(scratch: &Scratch) -> Result<Vec<u64>, Error> {
    let mut found = Vec::new();
    scratch.memory().read(&mut |words| found = words.to_vec())?;
    Ok(found)
}

fn as_u32(words: &[u64]) -> &[u32] {
    bytemuck::cast_slice(words)
}

#[cfg(test)]
mod tests;
