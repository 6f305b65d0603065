//! All pairs, by schedules: which pairs are evaluated, in which order, and where their sums go.
//!
//! A schedule is two files of its name: the kernels, `.cuh`, and in Rust its [`Rules`]: the
//! configurations for a law, the division of the work, a model of the time, and the launches.
//! [`rules`] lists the schedules.

mod configs;
pub mod engine;
mod few;
mod job;
mod ordered;
mod program;
mod sections;
mod select;
mod symmetric;

use nbody_core::{Law, Math, Options};

use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::schedule::ScheduleText;
use crate::tuning::plan::{Occupancy, PairWork, Plan};
use job::Job;

/// The rules of one schedule.
pub(crate) trait Rules: Sync {
    /// Returns the text of the kernels.
    fn text(&self) -> ScheduleText<'static>;

    /// Returns the text of the constants that precede the kernels, for all i-particles or for shares
    /// of them.
    fn constants(
        &self,
        config: &KernelConfig,
        law: &Law,
        options: Options,
        is_share: bool,
    ) -> String;

    /// Returns the configurations for some numbers of particles, that for most particles first;
    /// none if the law or the options exclude the schedule.
    fn configs(&self, law: &Law, options: Options) -> Result<Vec<KernelConfig>, Error>;

    /// Returns the configuration to try next if this one makes the compiler spill registers.
    fn narrower(&self, config: &KernelConfig, law: &Law, options: Options) -> Option<KernelConfig>;

    /// Returns the configurations to measure.
    fn trials(&self, law: &Law, options: Options) -> Vec<KernelConfig>;

    /// Returns whether a program can be compiled for a configuration, whose numbers are positive
    /// and bounded (see [`KernelConfig::check`]).
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

    /// Estimates the number of resident blocks of a multiprocessor, before the kernel is compiled.
    fn residency(&self, config: &KernelConfig, _law: &Law, _options: Options) -> usize {
        config.resident
    }

    /// Returns whether the schedule may do this evaluation; if it is `forced`, even against the
    /// preferences of the options.
    fn evaluates(&self, options: Options, work: &PairWork, forced: bool) -> bool;

    /// Returns the fastest plan, in this number of parts if it is given.
    fn plan(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        options: Options,
        parts: Option<usize>,
    ) -> Plan;

    /// Returns the numbers of parts to measure.
    fn parts(
        &self,
        config: &KernelConfig,
        occupancy: Occupancy,
        work: &PairWork,
        options: Options,
    ) -> Vec<usize>;

    /// Launches the kernels.
    fn launch(&self, job: &mut Job, plan: Plan) -> Result<(), Error>;
}

/// Returns the rules of a schedule.
pub(crate) fn rules(schedule: Schedule) -> &'static dyn Rules {
    match schedule {
        Schedule::Ordered => &ordered::Ordered,
        Schedule::Symmetric => &symmetric::Symmetric,
        Schedule::Few => &few::Few,
    }
}

/// Returns whether the engine may choose a schedule with another summation order than ordered pairs
/// have. Exact mathematics keeps their order, unless the options ask for another.
fn may_reorder(options: Options) -> bool {
    options.order.is_none() && options.math == Math::Fast
}
