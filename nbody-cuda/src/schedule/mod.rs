//! Schedules: which pairs meet, in which order, and where their sums go.
//!
//! A schedule is two files of its name: the kernel, `.cuh`, and in Rust what there is to know of it:
//! which configurations suit a law, how the work is divided, how long that takes, and how it is
//! launched. [`rules`] lists them; nothing else tells one from another.

mod few;
mod ordered;
mod plan;
mod program;
mod resources;
mod symmetric;

use std::ffi::CStr;

use nbody_core::{Law, Math, Options};

use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Scratch};
use crate::{Error, KernelConfig, Schedule};
#[cfg(feature = "sass")]
pub use ordered::WORD;
pub use plan::{Plan, Room, Work};

/// Everything that is known of one schedule.
pub(crate) trait Rules: Sync {
    /// The kernels.
    fn text(&self) -> Text;

    /// The configurations that suit some number of particles, that for most particles first; none
    /// where the law or the options rule the schedule out.
    fn configs(&self, law: &Law, options: Options) -> Result<Vec<KernelConfig>, Error>;

    /// The configuration to take where a compiler would spill registers in this one.
    fn narrower(&self, config: &KernelConfig, law: &Law, options: Options) -> Option<KernelConfig>;

    /// The configurations that may be worth measuring.
    fn trials(&self, law: &Law, options: Options) -> Vec<KernelConfig>;

    /// Whether a program can be compiled for a configuration, of numbers that are not zero and have a
    /// few digits.
    fn is_possible(&self, config: &KernelConfig, law: &Law, options: Options) -> bool;

    /// The configuration for a multiprocessor of so many bytes of shared memory.
    fn within(
        &self,
        config: KernelConfig,
        _law: &Law,
        _options: Options,
        _shared: usize,
    ) -> KernelConfig {
        config
    }

    /// 32-bit registers that a thread keeps of particles and accumulators.
    fn kept(&self, config: &KernelConfig, law: &Law, options: Options) -> usize;

    /// Blocks that a multiprocessor is expected to run at once, before the kernel is compiled.
    fn residency(&self, config: &KernelConfig, _law: &Law, _options: Options) -> usize {
        config.resident
    }

    /// Whether it may evaluate this; if it is `forced`, whatever the options prefer.
    fn evaluates(&self, options: Options, work: &Work, forced: bool) -> bool;

    /// The best way to divide the work, among those in so many parts if that is given.
    fn plan(
        &self,
        config: &KernelConfig,
        room: Room,
        work: &Work,
        options: Options,
        parts: Option<usize>,
    ) -> Plan;

    /// The numbers of parts that may be worth measuring.
    fn parts(&self, config: &KernelConfig, room: Room, work: &Work, options: Options)
    -> Vec<usize>;

    /// Starts the kernels.
    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error>;
}

/// The text of a schedule, behind the part that depends on the interaction.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    /// What it evaluates, in a few words.
    pub title: &'static str,
    pub parts: &'static [&'static str],
    /// Registers that parts may take which are loaded at a time, when splits are merged.
    pub merging: usize,
    /// The names of its kernels, the one that evaluates pairs first.
    pub kernels: &'static [&'static CStr],
}

/// Everything about a schedule.
pub(crate) fn rules(schedule: Schedule) -> &'static dyn Rules {
    match schedule {
        Schedule::Ordered => &ordered::Ordered,
        Schedule::Symmetric => &symmetric::Symmetric,
        Schedule::Few => &few::Few,
    }
}

/// One evaluation by a kernel.
pub(crate) struct Job<'a> {
    pub law: &'static Law,
    pub options: Options,
    pub backend: &'a dyn Backend,
    pub kernel: &'a Kernel,
    /// The interaction and the space as kernels take them.
    pub parameters: &'a [u64],
    pub space: &'a [u64],
    pub buffers: Buffers<'a>,
    pub scratch: &'a mut Scratches,
}

/// The particles of an evaluation, and where its results go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers<'a> {
    pub i: &'a Buffer,
    pub j: &'a Buffer,
    pub out: &'a Buffer,
    pub one_set: bool,
}

/// Memory that is kept from one evaluation to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratches {
    /// Sums of parts of the j-particles, or of the pairs.
    pub i_parts: Scratch,
    pub j_parts: Scratch,
    /// Counts of blocks that have ended, all zero between launches.
    pub ended: Scratch,
}

impl Buffers<'_> {
    pub fn n(&self) -> [usize; 2] {
        [self.i.n, self.j.n]
    }

    /// Whether i and j are one set in one buffer.
    pub fn is_one_buffer(&self) -> bool {
        self.one_set && self.i.memory.address() == self.j.memory.address()
    }
}

impl Job<'_> {
    /// Begins a launch with the arguments that every kernel of pairs takes first.
    fn kernel_of_pairs<'b>(&self, kernel: &'static CStr, blocks: usize) -> Launch<'b> {
        Launch::new(kernel, blocks as u32).record(self.parameters).record(self.space)
    }
}

impl Scratches {
    /// Memory for the sums of this many splits of a law's results, where there are several, and for the
    /// counts of so many tiles.
    fn of_splits(
        &mut self,
        backend: &dyn Backend,
        sizes: [usize; 3],
        splits: usize,
        tiles: usize,
    ) -> Result<[&dyn Memory; 2], Error> {
        let [n, numbers, bytes] = sizes;
        let parts = if splits > 1 { splits } else { 0 };
        let parts = self.i_parts.reserve(backend, &[n, numbers, parts, bytes], false)?;
        let ended = self.ended.reserve(backend, &[tiles, size_of::<u32>()], true)?;
        Ok([parts, ended])
    }
}

/// Whether the engine may sum in another order than that of every ordered pair, bag after bag. Exact
/// mathematics keeps to it, unless it is told otherwise.
fn may_reorder(options: Options) -> bool {
    options.order.is_none() && options.math == Math::Fast
}

impl KernelConfig {
    /// The configurations of a schedule that suit some number of particles, that for most particles
    /// first: none where the law or the options rule the schedule out.
    pub fn of(schedule: Schedule, law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        rules(schedule).configs(law, options)
    }

    /// The configurations of all schedules.
    pub fn all(law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        let each = Schedule::ALL.into_iter().map(|schedule| Self::of(schedule, law, options));
        each.collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    }

    /// The configuration for many particles, of which every ordered pair is evaluated.
    pub fn widest(law: &Law, options: Options) -> Result<Self, Error> {
        ordered::widest(law, options)
    }

    /// The same with more registers for a thread, or with fewer i-particles: what an engine takes where
    /// a compiler would spill registers otherwise.
    pub fn narrower(&self, law: &Law, options: Options) -> Option<Self> {
        rules(self.schedule).narrower(self, law, options)
    }

    /// The configurations that may be worth measuring.
    pub(crate) fn trials(law: &Law, options: Options) -> Vec<Self> {
        let each = Schedule::ALL.into_iter().map(|it| rules(it).trials(law, options));
        each.flatten().flat_map(|config| config.residencies(law, options)).collect()
    }

    /// The same with several numbers of blocks that a multiprocessor must have registers for.
    fn residencies(self, law: &Law, options: Options) -> impl Iterator<Item = Self> {
        const FEWEST_OTHER_REGISTERS: usize = 24;
        let needed = self.kept(law, options) + FEWEST_OTHER_REGISTERS;
        let most = resources::REGISTERS / (self.block * needed);
        let fitting = move |&resident: &usize| resident <= most && resident + 3 >= most.min(8);
        let each = move |resident| Self { resident, ..self };
        [0, 2, 3, 4, 5, 6, 8].into_iter().filter(fitting).map(each)
    }

    /// 32-bit registers that a thread keeps of particles and accumulators.
    pub(crate) fn kept(&self, law: &Law, options: Options) -> usize {
        rules(self.schedule).kept(self, law, options)
    }

    /// Refuses a configuration that no kernel can be compiled for.
    pub(crate) fn check(&self, law: &Law, options: Options) -> Result<(), Error> {
        let Self { schedule, block, i_per_thread, bag, unroll, resident } = *self;
        let whole = block.is_multiple_of(32) && block <= 1024;
        let bounded = i_per_thread <= 64 && bag <= 1 << 16 && unroll <= 256 && resident <= 32;
        let some = ![block, i_per_thread, bag, unroll].contains(&0);
        if whole && bounded && some && rules(schedule).is_possible(self, law, options) {
            Ok(())
        } else {
            Err(Error::ImpossibleKernelConfig(*self))
        }
    }
}
