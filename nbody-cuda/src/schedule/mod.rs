//! Schedules: the pairs that are evaluated, their order, and the places of their sums.
//!
//! A schedule is two files of its name. The file `.cuh` has the kernels. The Rust file has its
//! [`Rules`]: the configurations for a law, the division of the work, a model of the time, and the
//! launches. [`rules`] lists the schedules.
//!
//! Engines ask every schedule that may evaluate, and take the plan with the least time. A launch is
//! a name and arguments, so that backends know no kernel.

mod few;
pub mod list;
mod ordered;
mod plan;
mod program;
mod resources;
mod symmetric;
pub mod walk;

use std::ffi::CStr;

use nbody_core::{Law, Math, Options, Sources};

use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Scratch};
use crate::{Error, KernelConfig, Schedule};
#[cfg(feature = "sass")]
pub use ordered::WORD;
pub use plan::{Occupancy, Plan, Work};

/// The rules of one schedule.
pub(crate) trait Rules: Sync {
    /// Returns the text of the kernels.
    fn text(&self) -> Text<'static>;

    /// Returns the text of the constants that precede the kernels.
    fn constants(&self, _config: &KernelConfig, _law: &Law, _options: Options) -> String {
        String::new()
    }

    /// Returns the configurations for different numbers of particles, the one for most particles
    /// first; none if the law or the options exclude the schedule.
    fn configs(&self, law: &Law, options: Options) -> Result<Vec<KernelConfig>, Error>;

    /// Returns the configuration to try next if this one makes the compiler spill registers.
    fn narrower(&self, config: &KernelConfig, law: &Law, options: Options) -> Option<KernelConfig>;

    /// Returns the configurations to measure.
    fn trials(&self, law: &Law, options: Options) -> Vec<KernelConfig>;

    /// Returns whether a program can be compiled for a configuration. The numbers of the
    /// configuration are positive and bounded (see [`KernelConfig::check`]).
    fn is_possible(&self, config: &KernelConfig, law: &Law, options: Options) -> bool;

    /// Adapts a configuration to a multiprocessor with this many bytes of shared memory.
    fn adapt(
        &self,
        config: KernelConfig,
        _law: &Law,
        _options: Options,
        _shared: usize,
    ) -> KernelConfig {
        config
    }

    /// Returns the 32-bit registers per thread for particles and accumulators.
    fn registers(&self, config: &KernelConfig, law: &Law, options: Options) -> usize;

    /// Estimates the number of resident blocks of a multiprocessor before the kernel is compiled.
    fn residency(&self, config: &KernelConfig, _law: &Law, _options: Options) -> usize {
        config.resident
    }

    /// Returns whether the schedule may perform this evaluation; if it is `forced`, even against
    /// the preferences of the options.
    fn evaluates(&self, options: Options, work: &Work, forced: bool) -> bool;

    /// Returns the fastest plan; `parts` fixes the number of parts.
    fn plan(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &Work,
        options: Options,
        parts: Option<usize>,
    ) -> Plan;

    /// Returns the numbers of parts to measure.
    fn parts(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &Work,
        options: Options,
    ) -> Vec<usize>;

    /// Launches the kernels.
    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error>;
}

/// The text of a schedule, which follows the text of the interaction.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    /// The pairs of the schedule, for the title of a program.
    pub title: &'static str,
    pub parts: &'a [&'static str],
    /// Register budget per thread for partial sums that are loaded together in a merge of splits.
    pub merging: usize,
    /// Whether each i-particle meets the j-particles in the order of their indices.
    pub in_order: bool,
    /// The names of the kernels; the first is the kernel of pairs.
    pub kernels: &'static [&'static CStr],
}

/// Returns the rules of a schedule.
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
    /// The parameters and the space, as arguments of kernels.
    pub parameters: &'a [u64],
    pub space: &'a [u64],
    pub buffers: Buffers<'a>,
    pub workspace: &'a mut Workspace,
}

/// The particles and results of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers<'a> {
    pub i: &'a Buffer,
    pub j: &'a Buffer,
    pub out: &'a Buffer,
    pub one_set: bool,
}

/// Scratch memory of an engine, which evaluations reuse.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Partial sums of splits; in the symmetric schedule, partial sums of blocks, and of
    /// j-particles.
    pub i_parts: Scratch,
    pub j_parts: Scratch,
    /// Counts of finished blocks, one per tile, all zero between launches.
    pub ended: Scratch,
}

impl<'a> Buffers<'a> {
    pub fn of(i: &'a Buffer, j: Sources<'a, Buffer>, out: &'a Buffer) -> Self {
        Self { i, j: j.particles(), out, one_set: j.is_one_set() }
    }

    /// Returns the number of i-particles, which may be a leading part of their buffer, and of
    /// j-particles.
    pub fn n(&self) -> [usize; 2] {
        [self.out.n, self.j.n]
    }

    /// Returns whether i and j are one set in one buffer.
    pub fn is_one_buffer(&self) -> bool {
        self.one_set && self.out.n == self.j.n && self.i.memory.address() == self.j.memory.address()
    }
}

impl Job<'_> {
    /// Creates a launch with the leading arguments of every kernel of pairs.
    fn kernel_of_pairs<'b>(&self, kernel: &'static CStr, blocks: usize) -> Launch<'b> {
        Launch::new(kernel, blocks as u32).record(self.parameters).record(self.space)
    }
}

impl Workspace {
    /// Reserves memory for the partial sums of splits, if there are several, and for the counts of
    /// finished blocks. `sizes` are the sizes of the results: records, numbers of a record, bytes
    /// of a number.
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

/// Returns whether the engine may choose a schedule whose summation order differs from ordered
/// pairs. Exact mathematics keeps the order of ordered pairs, unless the options ask for another.
fn may_reorder(options: Options) -> bool {
    options.order.is_none() && options.math == Math::Fast
}

impl KernelConfig {
    /// Returns the configurations of a schedule for different numbers of particles, the one for
    /// most particles first; none if the law or the options exclude the schedule.
    pub fn of(schedule: Schedule, law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        rules(schedule).configs(law, options)
    }

    /// Returns the configurations of all schedules; the first is [`widest`](Self::widest).
    pub fn all(law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        let each = Schedule::ALL.into_iter().map(|schedule| Self::of(schedule, law, options));
        each.collect::<Result<Vec<_>, _>>().map(|all| all.concat())
    }

    /// Returns the configuration of ordered pairs for many particles.
    pub fn widest(law: &Law, options: Options) -> Result<Self, Error> {
        ordered::widest(law, options)
    }

    /// Returns a configuration with more registers per thread or fewer i-particles, or `None` if
    /// no configuration is narrower. Engines use it if this configuration makes the compiler spill
    /// registers.
    pub fn narrower(&self, law: &Law, options: Options) -> Option<Self> {
        rules(self.schedule).narrower(self, law, options)
    }

    /// Returns the configurations to measure.
    pub(crate) fn trials(law: &Law, options: Options) -> Vec<Self> {
        let each = Schedule::ALL.into_iter().map(|it| rules(it).trials(law, options));
        each.flatten().flat_map(|config| config.residencies(law, options)).collect()
    }

    /// Returns copies of the configuration with different numbers of resident blocks.
    fn residencies(self, law: &Law, options: Options) -> impl Iterator<Item = Self> {
        const FEWEST_OTHER_REGISTERS: usize = 24;
        let needed = rules(self.schedule).registers(&self, law, options) + FEWEST_OTHER_REGISTERS;
        let most = resources::REGISTERS / (self.block * needed);
        let fitting = move |&resident: &usize| resident <= most && resident + 3 >= most.min(8);
        let each = move |resident| Self { resident, ..self };
        [0, 2, 3, 4, 5, 6, 8].into_iter().filter(fitting).map(each)
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
