//! The programs of an engine that are ready to run, and which of them suits how many particles.

use std::sync::Arc;

use nbody_core::pack::dim;
use nbody_core::{Accumulation, Law, Math, Options, Pairs, Precision, SummationOrder};

use crate::backend::{Backend, Module};
use crate::compile::build::Build;
use crate::compile::cache::Cache;
use crate::tuning::config::REGISTERS;
use crate::tuning::measured::{self, Tuned};
use crate::tuning::model::{Cut, Ordered, Room, Symmetric, Work};
use crate::{Error, KernelConfig, Program, Schedule};

/// Registers of a thread besides what it keeps of particles, about.
const OTHER_REGISTERS: usize = 40;

/// A program that is ready to run.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub program: Program,
    pub module: Box<dyn Module>,
    pub build: Build,
}

/// The programs that are ready to run; further ones are built when they are first wanted.
#[derive(Debug)]
pub(crate) struct Kernels {
    backend: Arc<dyn Backend>,
    cache: Cache,
    law: &'static Law,
    built: Vec<Kernel>,
    /// What the model may choose from, the widest first.
    candidates: Vec<KernelConfig>,
    symmetric: Option<KernelConfig>,
    /// What the choice is restricted to.
    forced: Option<KernelConfig>,
    /// The kernel for many particles, or the only one.
    main: usize,
    /// What was measured to be better than what the model chooses.
    tuned: Vec<Tuned>,
}

impl Kernels {
    /// With the program for many particles.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        options: Options,
    ) -> Result<Self, Error> {
        let candidates = KernelConfig::candidates(law, options)?.into_iter();
        let beside_others =
            |config: KernelConfig| config.beside_others(law, options, backend.shared_memory());
        let mut kernels = Self {
            backend: backend.clone(),
            cache: cache.clone(),
            law,
            built: Vec::new(),
            candidates: candidates.map(beside_others).collect(),
            symmetric: KernelConfig::symmetric(law, options),
            forced: None,
            main: 0,
            tuned: measured::load(cache, &measured::key(&backend.describe(), law, options)),
        };
        kernels.tuned.retain(|tuned| tuned.parts > 0 && tuned.config.check(law, options).is_ok());
        kernels.main = kernels.provide_lean(options, kernels.candidates[0])?;
        Ok(kernels)
    }

    /// The same with other options.
    pub fn with_options(&self, options: Options) -> Result<Self, Error> {
        let mut kernels = Self::new(&self.backend, &self.cache, self.law, options)?;
        if self.forced.is_some() {
            kernels.force(options, self.forced)?;
        }
        Ok(kernels)
    }

    /// Restricts the choice to one, or opens it again.
    pub fn force(&mut self, options: Options, config: Option<KernelConfig>) -> Result<(), Error> {
        let Some(config) = config else {
            *self = Self::new(&self.backend, &self.cache, self.law, options)?;
            return Ok(());
        };
        config.check(self.law, options)?;
        self.main = self.provide(options, config)?;
        self.forced = Some(config);
        match config.schedule {
            Schedule::Ordered => (self.candidates, self.symmetric) = (vec![config], None),
            Schedule::Symmetric => self.symmetric = Some(config),
        }
        Ok(())
    }

    /// Whether the choice is restricted to one.
    pub fn is_forced(&self) -> bool {
        self.forced.is_some()
    }

    /// The kernel for many particles, or the only one.
    pub fn main(&self) -> usize {
        self.main
    }

    /// Takes what was measured into account, and keeps it; the error says why it is not kept.
    pub fn tune(&mut self, options: Options, tuned: Tuned) -> Result<(), String> {
        self.tuned.retain(|other| !other.suits(tuned.n, tuned.one_set));
        self.tuned.push(tuned);
        let key = measured::key(&self.backend.describe(), self.law, options);
        measured::store(&self.cache, &key, tuned)
    }

    pub fn get(&self, kernel: usize) -> &Kernel {
        &self.built[kernel]
    }

    /// The kernel for this configuration, built if need be.
    fn provide(&mut self, options: Options, config: KernelConfig) -> Result<usize, Error> {
        let found = self.built.iter().position(|kernel| kernel.program.config == config);
        if let Some(found) = found {
            return Ok(found);
        }
        let program = Program::with_config(self.law, options, config);
        let (module, build) = self.backend.build(&program, &self.cache)?;
        self.built.push(Kernel { program, module, build });
        Ok(self.built.len() - 1)
    }

    /// The kernel for this configuration, or for fewer i-particles of a thread, if the device's compiler
    /// has to keep numbers in local memory otherwise. The better config take their place.
    fn provide_lean(&mut self, options: Options, config: KernelConfig) -> Result<usize, Error> {
        if self.forced == Some(config) {
            return self.provide(options, config);
        }
        let mut lean = config;
        let kernel = loop {
            let kernel = self.provide(options, lean)?;
            let spills = self.get(kernel).build.usage.is_some_and(|usage| usage.local > 0);
            match lean.narrower(self.law, options) {
                Some(narrower) if spills => lean = narrower,
                _ => break kernel,
            }
        };
        let candidates = self.candidates.iter_mut().chain(&mut self.symmetric);
        candidates.filter(|candidate| **candidate == config).for_each(|it| *it = lean);
        Ok(kernel)
    }

    /// The kernel and the cut that evaluate so many particles in the least time; `both` says that
    /// i and j are one set in one buffer.
    pub fn choose(
        &mut self,
        options: Options,
        n: [usize; 2],
        both: bool,
    ) -> Result<(usize, Cut), Error> {
        if options.order.is_none() && self.forced.is_none() {
            let allowed = |tuned: &&Tuned| match tuned.config.schedule {
                Schedule::Ordered => !both || options.pairs != Pairs::Symmetric,
                Schedule::Symmetric => both && may_be_symmetric(options),
            };
            let tuned = self.tuned.iter().filter(allowed).find(|tuned| tuned.suits(n, both));
            if let Some(&Tuned { config, parts, .. }) = tuned {
                return self.cut_as(options, config, parts, n);
            }
        }
        if both
            && options.order.is_none()
            && (may_be_symmetric(options) || self.forced.is_some())
            && let Some(symmetric) = self.symmetric(options, n[0])?
        {
            return Ok(symmetric);
        }
        self.ordered(options, n)
    }

    /// The kernel for this configuration, and the cut into so many splits, or blocks of the symmetric
    /// schedule.
    pub fn cut_as(
        &mut self,
        options: Options,
        config: KernelConfig,
        parts: usize,
        n: [usize; 2],
    ) -> Result<(usize, Cut), Error> {
        let kernel = self.provide(options, config)?;
        let cut = match config.schedule {
            Schedule::Ordered => {
                let order = Some(SummationOrder { bag: config.bag, splits: parts });
                let work = work(self.law, options, n);
                Cut::Ordered(Ordered::new(&config, self.room(kernel), order, work).0)
            }
            Schedule::Symmetric => {
                let room = self.room(kernel);
                Cut::Symmetric(Symmetric { blocks: parts, ..Symmetric::new(&config, room, n[0]) })
            }
        };
        Ok((kernel, cut))
    }

    fn ordered(&mut self, options: Options, n: [usize; 2]) -> Result<(usize, Cut), Error> {
        let work = work(self.law, options, n);
        let mut best = (f64::INFINITY, self.candidates[0]);
        for &config in &self.candidates {
            let room = self.expected_room(options, &config);
            let (_, time) = Ordered::new(&config, room, options.order, work);
            if time < best.0 {
                best = (time, config);
            }
        }
        let kernel = self.provide_lean(options, best.1)?;
        let config = self.get(kernel).program.config;
        let (cut, _) = Ordered::new(&config, self.room(kernel), options.order, work);
        Ok((kernel, Cut::Ordered(cut)))
    }

    /// The symmetric schedule, where there is one, and it pays or is to be taken always.
    fn symmetric(&mut self, options: Options, n: usize) -> Result<Option<(usize, Cut)>, Error> {
        let Some(config) = self.symmetric else { return Ok(None) };
        let room = self.expected_room(options, &config);
        let always = options.pairs == Pairs::Symmetric || self.forced == Some(config);
        // Pairs within a cutoff are likely few, and noted by each thread for itself.
        if !always && (self.law.cutoff || !Symmetric::new(&config, room, n).pays) {
            return Ok(None);
        }
        let kernel = self.provide_lean(options, config)?;
        let config = self.get(kernel).program.config;
        let cut = Symmetric::new(&config, self.room(kernel), n);
        Ok(Some((kernel, Cut::Symmetric(cut))))
    }

    /// What the config for so many particles may be, each with several numbers of splits or
    /// blocks.
    pub fn trials(
        &mut self,
        options: Options,
        n: [usize; 2],
        both: bool,
    ) -> Vec<(KernelConfig, usize)> {
        let ordered = !both || options.pairs != Pairs::Symmetric;
        let symmetric = both && may_be_symmetric(options);
        let mut trials = Vec::new();
        for config in KernelConfig::trials(self.law, options) {
            let room = self.expected_room(options, &config);
            match config.schedule {
                Schedule::Ordered if ordered => {
                    let (cut, _) = Ordered::new(&config, room, None, work(self.law, options, n));
                    let mut splits = vec![cut.splits, cut.splits.div_ceil(2), 2 * cut.splits];
                    splits.dedup();
                    trials.extend(splits.into_iter().map(|splits| (config, splits)));
                }
                Schedule::Symmetric if symmetric => {
                    let rounds = [1, 2, 4].map(|rounds| (config, rounds * room.blocks_at_once));
                    trials.extend(rounds);
                }
                _ => {}
            }
        }
        trials
    }

    fn room(&self, kernel: usize) -> Room {
        Room {
            multiprocessors: self.backend.multiprocessors(),
            blocks_at_once: self.get(kernel).module.blocks_at_once(),
        }
    }

    /// What a kernel can expect of the device before it is built.
    fn expected_room(&self, options: Options, config: &KernelConfig) -> Room {
        let found = self.built.iter().position(|kernel| kernel.program.config == *config);
        found.map_or_else(
            || {
                let registers = config.kept(self.law, options) + OTHER_REGISTERS;
                let blocks = match config.schedule {
                    Schedule::Ordered => REGISTERS / (config.block * registers),
                    Schedule::Symmetric => config.resident,
                };
                let multiprocessors = self.backend.multiprocessors();
                let blocks_at_once = multiprocessors * blocks.max(config.resident).max(1);
                Room { multiprocessors, blocks_at_once }
            },
            |kernel| self.room(kernel),
        )
    }
}

/// Whether both directions of a pair may be evaluated at once. Exact mathematics keeps to the
/// products as they are written, unless it is asked for.
fn may_be_symmetric(options: Options) -> bool {
    options.pairs == Pairs::Symmetric || options.pairs == Pairs::Auto && options.math == Math::Fast
}

/// What an evaluation has to do, with about as many instructions for a pair as there are
/// operations, most additions being fused with a product.
fn work(law: &Law, options: Options, n: [usize; 2]) -> Work {
    let flops = f64::from(law.operations.flops());
    let sums = dim(law.f);
    let compensated = options.accumulation == Accumulation::Compensated;
    let single = 0.75 * flops + 8.0 * f64::from(law.operations.special);
    let single = single + if compensated { 6.0 * sums as f64 } else { 0.0 };
    let pair = if options.precision == Precision::Double { 3.0 * single } else { single };
    Work { n, pair, sums }
}
