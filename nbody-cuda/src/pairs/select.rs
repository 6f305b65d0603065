//! The compiled kernels of an engine, and the choice among them.

use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Options, Pairs, Precision};

use super::job::{Numbers, SHARES};
use super::{rules, symmetric};
use crate::backend::{Backend, Kernel, build_together};
use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of};
use crate::tuning::measured::{self, Tuned};
use crate::tuning::plan::{Occupancy, PairWork, Plan};

/// The compiled kernels of an engine; further kernels are compiled when first needed.
#[derive(Debug)]
pub(crate) struct Kernels {
    backend: Arc<dyn Backend>,
    cache: Cache,
    law: &'static Law,
    built: Vec<Built>,
    /// The configurations of all schedules; the first is the configuration of ordered pairs for
    /// many particles.
    candidates: Vec<KernelConfig>,
    /// The configuration of the caller, used wherever it is possible.
    forced: Option<KernelConfig>,
    /// The kernel for many particles, or the forced one.
    main: usize,
    /// Measurements, which take precedence over the model.
    tuned: Vec<Tuned>,
    /// The kernel that adds results to earlier results, if it was needed.
    adding: Option<Kernel>,
    /// The kernels that add up partial sums of ranks, if they were needed.
    sections: Option<Kernel>,
}

/// A kernel of pairs.
#[derive(Debug)]
struct Built {
    kernel: Kernel,
    /// Whether it evaluates shares of the i-particles.
    is_share: bool,
}

impl Kernels {
    /// Compiles the kernel for many particles.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        options: Options,
    ) -> Result<Self, Error> {
        let candidates = KernelConfig::all(law, options)?.into_iter().map(|config| {
            rules(config.schedule).adapt(config, law, options, backend.shared_memory())
        });
        let mut kernels = Self {
            backend: backend.clone(),
            cache: cache.clone(),
            law,
            built: Vec::new(),
            candidates: candidates.collect(),
            forced: None,
            main: 0,
            tuned: measured::load(cache, &measured::key(&backend.describe(), law, options)),
            adding: None,
            sections: None,
        };
        kernels.tuned.retain(|tuned| tuned.parts > 0 && tuned.config.check(law, options).is_ok());
        kernels.main = kernels.provide_unspilled(options, kernels.candidates[0], false)?;
        Ok(kernels)
    }

    /// Returns kernels for other options, with the same forced configuration.
    pub fn with_options(&self, options: Options) -> Result<Self, Error> {
        let mut kernels = Self::new(&self.backend, &self.cache, self.law, options)?;
        if self.forced.is_some() {
            kernels.force(options, self.forced)?;
        }
        Ok(kernels)
    }

    /// Uses this configuration wherever it is possible; `None` returns the choice to the model.
    pub fn force(&mut self, options: Options, config: Option<KernelConfig>) -> Result<(), Error> {
        let Some(config) = config else {
            *self = Self::new(&self.backend, &self.cache, self.law, options)?;
            return Ok(());
        };
        config.check(self.law, options)?;
        self.main = self.provide(options, config, false)?;
        self.forced = Some(config);
        Ok(())
    }

    /// Returns whether a configuration is forced.
    pub fn is_forced(&self) -> bool {
        self.forced.is_some()
    }

    /// Returns the kernel for many particles, or the forced one.
    pub fn main(&self) -> usize {
        self.main
    }

    /// Adds a measurement and stores it in the cache. The error is the reason why it was not
    /// stored.
    pub fn tune(&mut self, options: Options, tuned: Tuned) -> Result<(), String> {
        self.tuned.retain(|other| !other.suits(tuned.n, tuned.one_set));
        self.tuned.push(tuned);
        let key = measured::key(&self.backend.describe(), self.law, options);
        measured::store(&self.cache, &key, tuned)
    }

    pub fn get(&self, kernel: usize) -> &Kernel {
        &self.built[kernel].kernel
    }

    /// Compiles the kernel that adds results to earlier results, unless it is compiled.
    pub fn provide_adding(&mut self, options: Options) -> Result<(), Error> {
        if self.adding.is_none() {
            let program = Program::adding(self.law, options);
            let (module, build) = self.backend.build(&program, &self.cache)?;
            self.adding = Some(Kernel { program, module, build });
        }
        Ok(())
    }

    /// Returns the kernel that [`provide_adding`](Self::provide_adding) compiled.
    pub fn adding(&self) -> &Kernel {
        self.adding.as_ref().expect("provided before")
    }

    /// Returns the symmetric kernel and its plan, if ranks share out both directions of `n`
    /// particles; compiles the kernels that add up their partial sums.
    pub fn provide_sections(
        &mut self,
        options: Options,
        n: usize,
    ) -> Result<Option<(usize, Plan)>, Error> {
        let numbers = Numbers { n: [n; 2], one_buffer: true, is_share: true };
        let work = self.work(options, numbers);
        let is_symmetric = |config: &&KernelConfig| config.schedule == Schedule::Symmetric;
        let Some(&config) = self.candidates.iter().find(is_symmetric) else { return Ok(None) };
        if !rules(config.schedule).evaluates(options, &work, false) {
            return Ok(None);
        }
        let kernel = self.provide_unspilled(options, config, true)?;
        let config = self.get(kernel).program.config;
        let all = n.div_ceil(config.tile());
        let fewest = self.occupancy(kernel).resident_blocks * symmetric::FEWEST_MEETINGS * SHARES;
        let pays = !work.cutoff && symmetric::meetings(&config, n, 0..all) >= fewest;
        if !pays && options.pairs != Pairs::Symmetric {
            return Ok(None);
        }
        if self.sections.as_ref().is_none_or(|known| known.program.config != config) {
            let program = Program::sections(self.law, options, config);
            let (module, build) = self.backend.build(&program, &self.cache)?;
            self.sections = Some(Kernel { program, module, build });
        }
        Ok(Some((kernel, self.plan(kernel, options, &work, None))))
    }

    /// Returns the kernels that [`provide_sections`](Self::provide_sections) compiled.
    pub fn sections(&self) -> &Kernel {
        self.sections.as_ref().expect("provided before")
    }

    /// Returns the kernel of a configuration, if it is compiled. Both directions of pairs have one for
    /// all particles and for shares.
    fn find(&self, config: &KernelConfig, is_share: bool) -> Option<usize> {
        let is_share = is_share && config.schedule != Schedule::Symmetric;
        let is_wanted = |it: &Built| it.kernel.program.config == *config && it.is_share == is_share;
        self.built.iter().position(is_wanted)
    }

    /// Returns the kernel of a configuration, for all i-particles or for shares of them; compiled if
    /// necessary.
    fn provide(
        &mut self,
        options: Options,
        config: KernelConfig,
        is_share: bool,
    ) -> Result<usize, Error> {
        if let Some(found) = self.find(&config, is_share) {
            return Ok(found);
        }
        let program = Program::of_pairs(self.law, options, config, is_share);
        let (module, build) = self.backend.build(&program, &self.cache)?;
        let is_share = is_share && config.schedule != Schedule::Symmetric;
        self.built.push(Built { kernel: Kernel { program, module, build }, is_share });
        Ok(self.built.len() - 1)
    }

    /// Returns the kernel of a configuration; if the compiler spills registers, the kernel of a
    /// narrower configuration, which replaces it among the candidates unless it is for shares.
    fn provide_unspilled(
        &mut self,
        options: Options,
        config: KernelConfig,
        is_share: bool,
    ) -> Result<usize, Error> {
        let mut chosen = config;
        let kernel = loop {
            let kernel = self.provide(options, chosen, is_share)?;
            let spills = self.get(kernel).build.usage.is_some_and(|usage| usage.local > 0);
            match chosen.narrower(self.law, options) {
                Some(narrower) if spills => chosen = narrower,
                _ => break kernel,
            }
        };
        let candidates = self.candidates.iter_mut().filter(|_| !is_share);
        candidates.filter(|candidate| **candidate == config).for_each(|it| *it = chosen);
        Ok(kernel)
    }

    /// Returns the fastest kernel and plan for these numbers of particles. Shares ignore
    /// measurements, which other ranks may not have.
    pub fn choose(&mut self, options: Options, numbers: Numbers) -> Result<(usize, Plan), Error> {
        let work = self.work(options, numbers);
        let suits = |config: &KernelConfig, forced| {
            rules(config.schedule).evaluates(options, &work, forced)
        };
        if let Some(config) = self.forced.filter(|config| suits(config, true)) {
            let kernel = self.provide(options, config, numbers.is_share)?;
            return Ok((kernel, self.plan(kernel, options, &work, None)));
        }
        if options.order.is_none() && self.forced.is_none() && !numbers.is_share {
            let mut tuned = self.tuned.iter().filter(|tuned| suits(&tuned.config, false));
            if let Some(&Tuned { config, parts, .. }) =
                tuned.find(|it| it.suits(numbers.n, numbers.one_buffer))
            {
                return self.plan_as(options, config, parts, numbers);
            }
        }
        if numbers.is_share {
            // As for all i-particles, the choice knows the occupancy of this kernel.
            self.provide_unspilled(options, self.candidates[0], true)?;
        }
        let best = self.expected_best(options, &work, numbers.is_share);
        let kernel = self.provide_unspilled(options, best, numbers.is_share)?;
        Ok((kernel, self.plan(kernel, options, &work, None)))
    }

    /// Returns the configuration with the least expected time.
    fn expected_best(&self, options: Options, work: &PairWork, is_share: bool) -> KernelConfig {
        let expected = |config: &KernelConfig| {
            let occupancy = self.expected_occupancy(options, config, is_share);
            rules(config.schedule).plan(config, occupancy, work, options, None).cycles
        };
        let suits = |config: &&KernelConfig| rules(config.schedule).evaluates(options, work, false);
        let candidates = self.candidates.iter().filter(suits);
        let best = candidates.min_by(|a, b| expected(a).total_cmp(&expected(b)));
        *best.expect("the ordered or the symmetric schedule can do every evaluation")
    }

    /// Compiles the kernels for these numbers of particles, all i-particles, at the same time.
    pub fn prepare(&mut self, options: Options, all: &[Numbers]) -> Result<(), Error> {
        if self.forced.is_some() {
            return Ok(());
        }
        // The occupancies of new kernels may change the choice.
        loop {
            let best = |&numbers: &Numbers| {
                self.expected_best(options, &self.work(options, numbers), false)
            };
            let mut missing: Vec<_> = all.iter().map(best).collect();
            missing.retain(|config| self.find(config, false).is_none());
            missing.sort_by_key(|config| format!("{config:?}"));
            missing.dedup();
            if missing.is_empty() {
                return Ok(());
            }
            let program = |&config| Program::of_pairs(self.law, options, config, false);
            let programs = missing.iter().map(program).collect();
            for kernel in build_together(&*self.backend, programs, &self.cache) {
                self.built.push(Built { kernel: kernel?, is_share: false });
            }
            for config in missing {
                self.provide_unspilled(options, config, false)?;
            }
        }
    }

    /// Returns the kernel of a configuration, and the plan that divides the work into `parts`.
    pub fn plan_as(
        &mut self,
        options: Options,
        config: KernelConfig,
        parts: usize,
        numbers: Numbers,
    ) -> Result<(usize, Plan), Error> {
        let kernel = self.provide(options, config, numbers.is_share)?;
        let work = self.work(options, numbers);
        Ok((kernel, self.plan(kernel, options, &work, Some(parts))))
    }

    fn plan(&self, kernel: usize, options: Options, work: &PairWork, parts: Option<usize>) -> Plan {
        let config = &self.get(kernel).program.config;
        rules(config.schedule).plan(config, self.occupancy(kernel), work, options, parts)
    }

    /// Returns the configurations to measure, each with several numbers of parts.
    pub fn trials(&self, options: Options, numbers: Numbers) -> Vec<(KernelConfig, usize)> {
        let work = self.work(options, numbers);
        let trials = KernelConfig::trials(self.law, options).into_iter();
        let trials = trials.filter(|it| rules(it.schedule).evaluates(options, &work, false));
        let parts = |config: KernelConfig| {
            let occupancy = self.expected_occupancy(options, &config, numbers.is_share);
            let parts = rules(config.schedule).parts(&config, occupancy, &work, options);
            parts.into_iter().map(move |parts| (config, parts))
        };
        trials.flat_map(parts).collect()
    }

    fn occupancy(&self, kernel: usize) -> Occupancy {
        let Kernel { program, module, .. } = self.get(kernel);
        Occupancy {
            multiprocessors: self.backend.multiprocessors(),
            resident_blocks: module.resident_blocks(program.kernels[0]),
        }
    }

    /// Returns the occupancy of a kernel: measured if it is compiled, otherwise estimated.
    fn expected_occupancy(
        &self,
        options: Options,
        config: &KernelConfig,
        is_share: bool,
    ) -> Occupancy {
        self.find(config, is_share).map_or_else(
            || {
                let blocks = rules(config.schedule).residency(config, self.law, options);
                let multiprocessors = self.backend.multiprocessors();
                let resident_blocks = multiprocessors * blocks.max(1);
                Occupancy { multiprocessors, resident_blocks }
            },
            |kernel| self.occupancy(kernel),
        )
    }

    /// Returns the work of an evaluation. Estimates the instructions of a pair from its
    /// operations; most additions are fused with a product.
    fn work(&self, options: Options, numbers: Numbers) -> PairWork {
        let (law, Numbers { n, one_buffer, .. }) = (self.law, numbers);
        let flops = f64::from(law.operations.flops());
        let sums = dim(law.f);
        let compensated = options.accumulation == Accumulation::Compensated;
        let single = 0.75 * flops + 8.0 * f64::from(law.operations.special);
        let single = single + if compensated { 6.0 * sums as f64 } else { 0.0 };
        let pair = if options.precision == Precision::Double { 3.0 * single } else { single };
        let j_bytes = numbers_of(law.j, options.precision) * bytes_of(options.precision);
        let symmetric = |config: &KernelConfig| config.schedule == Schedule::Symmetric;
        let only_symmetric = one_buffer
            && options.pairs == Pairs::Symmetric
            && options.order.is_none()
            && self.candidates.iter().any(symmetric);
        PairWork { n, one_buffer, only_symmetric, pair, cutoff: law.cutoff, sums, j_bytes }
    }
}
