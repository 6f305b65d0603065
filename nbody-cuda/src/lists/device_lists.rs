//! Neighbour lists on one backend, without the types of their particles.

pub(super) mod download;
mod findings;
mod launch;
mod outcome;
pub(super) mod recheck;
mod update;

use std::ffi::CStr;
use std::mem::offset_of;
use std::sync::{Arc, OnceLock};

use nbody_compile::Cache;
use nbody_core::Cell;
use nbody_core::lists::margin::{Change, Margin};
use nbody_core::lists::timer::Timer;

use super::declared::{Lists, LookState, Placed, Restriction, refusal};
use super::extent::ListExtent;
use super::given::{Excluded, Given};
use super::reach::{ReachMemory, Varying};
use super::subset::DeviceSubset;
use crate::backend::{Backend, Batch, Kernel, Memory, Reply, Scratch};
use crate::border::Address;
use crate::compile::program::Program;
use crate::error::Error;
use crate::order::curve::OrderMemory;
use findings::Rechecks;
pub(crate) use outcome::Outcome;

/// The kernels, in the order of their launches.
pub(super) const KERNELS: &[&CStr] = &[LOOK, REBUILD, TELL, ASK];
const LOOK: &CStr = c"look";
const REBUILD: &CStr = c"rebuild";
const TELL: &CStr = c"tell";
const ASK: &CStr = c"ask";

/// The task of a look at lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Build lists in any case.
    Build,
    /// Build lists that are not good.
    Renew,
    /// Build nothing.
    Look,
}

impl LookState {
    /// The state before the first launch.
    const FIRST: Self = Self { wanted: 0, refused: refusal::NOTHING, done: 0, arrived: 0, used: 0 };
}

/// Neighbour lists of particles in device memory.
#[derive(Debug)]
pub(crate) struct DeviceLists {
    backend: Arc<dyn Backend>,
    /// The kernel for these cutoffs and this box, built when it is first needed.
    kernel: OnceLock<Kernel>,
    cache: Cache,
    /// Whether the kernel is for triclinic boxes.
    is_tilted: bool,
    /// The pairs, if the caller gives them.
    pub given: Option<Given>,
    /// The numbers of the particles, if they are a subset.
    pub subset: DeviceSubset,
    /// The excluded pairs.
    pub excluded: Excluded,
    /// The number of i-particles, the first ones, that have lists; `None` for all.
    pub wanted: Option<usize>,
    /// The cutoffs that depend on particles.
    reach: ReachMemory,
    /// The order of the i-particles, and of the j-particles if they are in another buffer.
    orders: [OrderMemory; 2],
    begins: Scratch,
    counts: Scratch,
    origins: Scratch,
    entries: Scratch,
    /// The number of entries that the memory holds.
    capacity: usize,
    /// The number of entries of the last lists that the device built by itself.
    entries_built: usize,
    /// State that launches leave to the next launch.
    state: Box<dyn Memory>,
    reply: Box<dyn Reply>,
    /// The two launches of a look, which never change.
    batch: Option<Box<dyn Batch>>,
    /// Whether the outcome of the last look is not yet known.
    is_awaited: bool,
    /// Whether the last look builds no lists: its answer tells of lists as if they had been built.
    builds_nothing: bool,
    /// The numbers of particles at the last look.
    pub looked_at: [usize; 2],
    /// The contents of the buffers at the last look.
    contents: [Option<u64>; 2],
    /// Looks at other contents since the last look.
    rechecks: Rechecks,
    /// The number of rebuilds, and of looks since the last rebuild that found the lists good.
    counts_of_looks: [u64; 2],
    /// The particles and the reach of the last look; `None` if the next update must build lists.
    built: Option<ListExtent>,
    /// The particles and the reach of the last launch, and of the launch that built the lists.
    looked: Option<ListExtent>,
    base: Option<ListExtent>,
    /// Times of the updates, and of the evaluations over the lists.
    pub timer: Timer,
}

impl DeviceLists {
    pub fn new(backend: &Arc<dyn Backend>, cache: &Cache) -> Result<Self, Error> {
        let mut state = backend.allocate(size_of::<LookState>())?;
        state.set(&LookState::FIRST)?;
        Ok(Self {
            backend: backend.clone(),
            kernel: OnceLock::new(),
            cache: cache.clone(),
            is_tilted: false,
            given: None,
            subset: DeviceSubset::new(cache),
            excluded: Excluded::default(),
            wanted: None,
            reach: ReachMemory::default(),
            orders: Default::default(),
            begins: Scratch::default(),
            counts: Scratch::default(),
            origins: Scratch::default(),
            entries: Scratch::default(),
            capacity: 0,
            entries_built: 0,
            state,
            reply: backend.reply()?,
            batch: backend.batch(),
            is_awaited: false,
            builds_nothing: false,
            looked_at: [0; 2],
            contents: [None; 2],
            rechecks: Rechecks::default(),
            counts_of_looks: [0; 2],
            built: None,
            looked: None,
            base: None,
            timer: Timer::default(),
        })
    }

    /// Sets the cutoffs that depend on particles, for the lists of the next update.
    pub fn set_cutoffs(&mut self, varying: Varying) -> Result<(), Error> {
        self.built = None;
        if varying == *self.reach.varying() {
            return Ok(());
        }
        self.reach.set(&*self.backend, varying)?;
        // The kernel reads the numbers of its own cutoffs.
        let source = self.program().source;
        if self.kernel.get().is_some_and(|kernel| kernel.program.source != source) {
            self.kernel.take();
        }
        Ok(())
    }

    /// Sets whether the box of the next update is triclinic.
    pub fn set_tilted(&mut self, is_tilted: bool) {
        if is_tilted != self.is_tilted {
            (self.is_tilted, self.built) = (is_tilted, None);
            self.kernel.take();
        }
    }

    /// Returns the program for these cutoffs and this box.
    fn program(&self) -> Program {
        Program::neighbours_of(self.reach.varying(), self.is_tilted)
    }

    /// Returns the kernel; builds it, or takes it from the cache, in the first call.
    fn kernel(&self) -> Result<&Kernel, Error> {
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let kernel = Kernel::build(&*self.backend, &self.cache, self.program())?;
        Ok(self.kernel.get_or_init(|| kernel))
    }

    /// Sets the same cutoffs for records of another precision, and keeps the lists.
    pub fn set_places(&mut self, varying: Varying) -> Result<(), Error> {
        if varying == *self.reach.varying() {
            return Ok(());
        }
        self.reach.set(&*self.backend, varying)
    }

    /// Returns the cutoffs that depend on particles.
    pub fn varying(&self) -> &Varying {
        self.reach.varying()
    }

    /// Returns the greatest cutoff and the skin that the device found last, for cutoffs that
    /// depend on particles.
    pub fn reach_found(&self) -> Result<[f64; 2], Error> {
        self.reach.found()
    }

    /// Returns the greatest cutoff and the skin of lists.
    pub fn reach(&self, extent: &ListExtent) -> Result<[f64; 2], Error> {
        if self.reach.varying().is_empty() {
            return Ok(self.base()?.as_ref().unwrap_or(extent).reach());
        }
        self.reach.found()
    }

    /// Returns the box that lists were built in.
    pub fn cell_built(&self, extent: &ListExtent) -> Result<Cell, Error> {
        Ok(self.base()?.as_ref().unwrap_or(extent).cell())
    }

    /// Returns the particles and the reach that the lists were built with. Waits for the outcome
    /// of the last look, which may have built them.
    pub fn base(&self) -> Result<Option<ListExtent>, Error> {
        Ok(if self.has_built()?.is_some() { self.looked } else { self.base })
    }

    /// Returns the number of entries of lists that the last look has built, if its outcome was not
    /// yet known; waits for the outcome.
    pub fn has_built(&self) -> Result<Option<usize>, Error> {
        if !self.is_awaited || self.builds_nothing {
            return Ok(None);
        }
        Ok(match Outcome::of(self.reply.receive()?) {
            Outcome::Built(entries) => Some(entries),
            _ => None,
        })
    }

    /// Forgets the lists, so that the next update builds them.
    pub fn forget(&mut self) {
        self.built = None;
    }

    /// Returns the particles and the reach of the lists.
    pub fn built(&self) -> Option<&ListExtent> {
        self.built.as_ref()
    }

    /// Returns the capacity in entries, and the number of entries of the last lists that the
    /// device built by itself. Both decide whether the next look reserves more memory.
    pub fn room(&self) -> Result<[u64; 2], Error> {
        let entries = self.has_built()?.unwrap_or(self.entries_built);
        Ok([self.capacity, entries].map(|it| it as u64))
    }

    /// Returns the changes since lists were built as `base`, and their margin if it depends on no
    /// particle; `None` if lists must be built in any case.
    fn margin(&self, extent: &ListExtent, base: Option<&ListExtent>) -> Option<(Change, Margin)> {
        self.built.filter(|built| built.has_sets(extent))?;
        let base = base?;
        let growth = (extent.cutoff - base.cutoff).max(0.0);
        let most = self.reach.varying().most();
        let change = Change::of(&base.cell(), &extent.cell(), growth, most)?;
        if !self.reach.varying().is_empty() {
            return Some((change, Margin::default()));
        }
        let [greatest, skin] = base.reach();
        Some((change, change.margin(greatest, skin)?))
    }

    /// Waits for the outcome of the last look, unless it was already known.
    pub fn outcome(&mut self) -> Result<Outcome, Error> {
        if !self.is_awaited {
            return Ok(Outcome::Good);
        }
        self.is_awaited = false;
        let outcome = Outcome::of(self.reply.receive()?);
        match outcome {
            Outcome::Built(_) if self.builds_nothing => self.built = None,
            Outcome::Good => self.counts_of_looks[1] += 1,
            Outcome::Built(entries) => {
                self.entries_built = entries;
                self.base = self.looked;
                self.counts_of_looks = [self.counts_of_looks[0] + 1, 0];
            }
            // Later evaluations did nothing, and the lists are unchanged.
            Outcome::NotFinite(_) | Outcome::Elsewhere => {
                self.contents = [None; 2];
                self.reset()?;
            }
            Outcome::Unbounded(_) | Outcome::BeyondBox => {
                self.reset()?;
                self.built = None;
            }
        }
        Ok(outcome)
    }

    /// Returns the number of rebuilds, and of looks since the last rebuild that found the lists
    /// good, as far as outcomes are known.
    pub fn counts_of_looks(&self) -> [u64; 2] {
        self.counts_of_looks
    }

    /// Resets the state that launches leave behind.
    fn reset(&mut self) -> Result<(), Error> {
        self.state.set(&LookState::FIRST)
    }

    /// Returns the order of the i-particles or of the j-particles: a `Placed` of `evaluation.cuh`.
    pub fn placed(&self, set: usize) -> Placed {
        let n = self.built.expect("lists are evaluated once they are built").n[set];
        if let Some(given) = &self.given {
            return given.placed(n);
        }
        let order = &self.orders[set];
        let [indices, positions] = [order.indices(), order.positions()].map(Memory::address);
        Placed { order: Address::at(indices), before: Address::at(positions), n: n as u32 }
    }

    /// Returns the positions of a set at the last look, in order and continuous in time.
    pub fn positions(&self, set: usize) -> &dyn Memory {
        self.orders[set].now()
    }

    /// Returns the lists.
    pub fn lists(&self) -> Lists {
        self.given.as_ref().map_or_else(|| self.found(), Given::lists)
    }

    /// Returns the lists that the device finds.
    fn found(&self) -> Lists {
        let address = |it: &Scratch| it.memory().address();
        Lists {
            begins: Address::at(address(&self.begins)),
            counts: Address::at(address(&self.counts)),
            entries: Address::at(address(&self.entries)),
            origins: Address::at(address(&self.origins)),
        }
    }

    /// Returns the address of the number of the first particle whose position is not finite, if
    /// any.
    pub fn not_finite(&self) -> Address<u32> {
        self.state_part(offset_of!(LookState, refused))
    }

    /// Returns the address of the part of the state at this byte.
    fn state_part<T>(&self, byte: usize) -> Address<T> {
        Address::<LookState>::of(&*self.state).part(byte)
    }

    /// Returns whether some pairs of the lists do not act, even for an interaction that excludes
    /// no pair.
    pub fn is_restricted(&self) -> bool {
        self.given.is_some() || !self.excluded.pairs().is_empty()
    }

    /// Returns the pairs that act, for an interaction that excludes pairs of its own.
    pub fn restriction(&self, excluded: &Excluded) -> Restriction {
        let masks = self.given.as_ref().map_or(Address::NULL, Given::masks);
        let excluded = [self.excluded.rows(), excluded.rows()];
        Restriction { masks, excluded, numbers: self.subset.numbers() }
    }

    /// Returns all device memory, without the memory of varying cutoffs.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        let lists = [&self.begins, &self.counts, &self.entries, &self.origins].map(Scratch::memory);
        let orders = self.orders.iter().flat_map(OrderMemory::memory);
        let given = self.given.iter().flat_map(Given::memory);
        let given = given.chain(self.excluded.memory()).chain(self.subset.memory());
        lists.into_iter().chain(orders).chain(given).chain([&*self.state]).collect()
    }

    /// Returns the size of the device memory in bytes.
    pub fn bytes(&self) -> usize {
        self.memory()
            .iter()
            .chain(&self.reach.memory())
            .map(|memory| memory.words() * size_of::<u64>())
            .sum()
    }
}

#[cfg(test)]
mod tests;
