//! The programs of all pairs.

use nbody_core::{Law, Options};

use super::rules;
use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::schedule::ScheduleText;

impl Program {
    /// Returns the program of ordered pairs for many particles.
    pub fn new(law: &Law, options: Options) -> Result<Self, Error> {
        Ok(Self::with_config(law, options, KernelConfig::widest(law, options)?))
    }

    /// Returns every program that an engine may choose for some numbers of particles; the first is
    /// the program of [`new`](Self::new).
    pub fn all(law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        let configs = KernelConfig::all(law, options)?.into_iter();
        Ok(configs.map(|config| Self::with_config(law, options, config)).collect())
    }

    /// Returns the program of a schedule with its first configuration; `None` if the law has none with
    /// these options.
    pub fn of_schedule(
        law: &Law,
        options: Options,
        schedule: Schedule,
    ) -> Result<Option<Self>, Error> {
        let configs = KernelConfig::of(schedule, law, options)?;
        Ok(configs.first().map(|config| Self::with_config(law, options, *config)))
    }

    /// Returns the program for this configuration. The symmetric schedule requires a law with a
    /// [`third_law`](Law::third_law): see [`KernelConfig::of`].
    pub fn with_config(law: &Law, options: Options, config: KernelConfig) -> Self {
        Self::of_pairs(law, options, config, false)
    }

    /// Returns the program for this configuration, for all i-particles or for shares of them. Without
    /// shares, indices need no registers for the first one.
    pub(crate) fn of_pairs(
        law: &Law,
        options: Options,
        config: KernelConfig,
        is_share: bool,
    ) -> Self {
        let rules = rules(config.schedule);
        let constants = rules.constants(&config, law, options, is_share);
        Self::assemble(law, options, config, rules.text(), &constants)
    }

    /// Returns the program that adds results to earlier ones.
    pub(crate) fn adding(law: &Law, options: Options) -> Self {
        let config = KernelConfig {
            schedule: Schedule::Ordered,
            block: 128,
            i_per_thread: 1,
            bag: 1,
            unroll: 1,
            resident: 1,
        };
        let text = ScheduleText {
            title: "results that are added",
            parts: &[include_str!("add.cuh")],
            merging: 0,
            in_order: true,
            kernels: &[c"add_results"],
        };
        Self::assemble(law, options, config, text, "")
    }
}
