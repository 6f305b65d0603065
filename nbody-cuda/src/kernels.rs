//! The programs of an engine that are ready to run, and which of them suits how many particles.

use std::sync::Arc;

use nbody_core::{Accumulation, Law, Math, Options, Pairs, Precision, Tiling, dim};

use crate::build::Build;
use crate::cache::Cache;
use crate::choices::REGISTERS;
use crate::machine::{Machine, Module};
use crate::plan::{Cut, Ordered, Room, Symmetric, Work};
use crate::tuned::{self, Tuned};
use crate::{Choices, Error, Program, Scheme};

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
    machine: Arc<dyn Machine>,
    cache: Cache,
    law: &'static Law,
    built: Vec<Kernel>,
    /// What the model may choose from, the widest first.
    candidates: Vec<Choices>,
    symmetric: Option<Choices>,
    /// What the choice is restricted to.
    forced: Option<Choices>,
    /// The kernel for many particles, or the only one.
    main: usize,
    /// What was measured to be better than what the model chooses.
    tuned: Vec<Tuned>,
}

impl Kernels {
    /// With the program for many particles.
    pub fn new(
        machine: &Arc<dyn Machine>,
        cache: &Cache,
        law: &'static Law,
        options: Options,
    ) -> Result<Self, Error> {
        let candidates = Choices::candidates(law, options)?.into_iter();
        let beside_others =
            |choices: Choices| choices.beside_others(law, options, machine.shared_memory());
        let mut kernels = Self {
            machine: machine.clone(),
            cache: cache.clone(),
            law,
            built: Vec::new(),
            candidates: candidates.map(beside_others).collect(),
            symmetric: Choices::symmetric(law, options),
            forced: None,
            main: 0,
            tuned: tuned::load(cache, &tuned::key(&machine.describe(), law, options)),
        };
        kernels.tuned.retain(|tuned| tuned.parts > 0 && tuned.choices.check(law, options).is_ok());
        kernels.main = kernels.provide_lean(options, kernels.candidates[0])?;
        Ok(kernels)
    }

    /// The same with other options.
    pub fn with_options(&self, options: Options) -> Result<Self, Error> {
        let mut kernels = Self::new(&self.machine, &self.cache, self.law, options)?;
        if self.forced.is_some() {
            kernels.force(options, self.forced)?;
        }
        Ok(kernels)
    }

    /// Restricts the choice to one, or opens it again.
    pub fn force(&mut self, options: Options, choices: Option<Choices>) -> Result<(), Error> {
        let Some(choices) = choices else {
            *self = Self::new(&self.machine, &self.cache, self.law, options)?;
            return Ok(());
        };
        choices.check(self.law, options)?;
        self.main = self.provide(options, choices)?;
        self.forced = Some(choices);
        match choices.scheme {
            Scheme::AllPairs => (self.candidates, self.symmetric) = (vec![choices], None),
            Scheme::Symmetric => self.symmetric = Some(choices),
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
        let key = tuned::key(&self.machine.describe(), self.law, options);
        tuned::store(&self.cache, &key, tuned)
    }

    pub fn get(&self, kernel: usize) -> &Kernel {
        &self.built[kernel]
    }

    /// The kernel for these choices, built if need be.
    fn provide(&mut self, options: Options, choices: Choices) -> Result<usize, Error> {
        let found = self.built.iter().position(|kernel| kernel.program.choices == choices);
        if let Some(found) = found {
            return Ok(found);
        }
        let program = Program::with_choices(self.law, options, choices);
        let (module, build) = self.machine.build(&program, &self.cache)?;
        self.built.push(Kernel { program, module, build });
        Ok(self.built.len() - 1)
    }

    /// The kernel for these choices, or for fewer i-particles of a thread, if the device's compiler
    /// has to keep numbers in local memory otherwise. The better choices take their place.
    fn provide_lean(&mut self, options: Options, choices: Choices) -> Result<usize, Error> {
        if self.forced == Some(choices) {
            return self.provide(options, choices);
        }
        let mut lean = choices;
        let kernel = loop {
            let kernel = self.provide(options, lean)?;
            let spills = self.get(kernel).build.usage.is_some_and(|usage| usage.local > 0);
            match lean.narrower(self.law, options) {
                Some(narrower) if spills => lean = narrower,
                _ => break kernel,
            }
        };
        let candidates = self.candidates.iter_mut().chain(&mut self.symmetric);
        candidates.filter(|candidate| **candidate == choices).for_each(|it| *it = lean);
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
        if options.tiling.is_none() && self.forced.is_none() {
            let allowed = |tuned: &&Tuned| match tuned.choices.scheme {
                Scheme::AllPairs => !both || options.pairs != Pairs::Unordered,
                Scheme::Symmetric => both && may_be_symmetric(options),
            };
            let tuned = self.tuned.iter().filter(allowed).find(|tuned| tuned.suits(n, both));
            if let Some(&Tuned { choices, parts, .. }) = tuned {
                return self.cut_as(options, choices, parts, n);
            }
        }
        if both
            && options.tiling.is_none()
            && (may_be_symmetric(options) || self.forced.is_some())
            && let Some(symmetric) = self.symmetric(options, n[0])?
        {
            return Ok(symmetric);
        }
        self.ordered(options, n)
    }

    /// The kernel for these choices, and the cut into so many splits, or blocks of the symmetric
    /// scheme.
    pub fn cut_as(
        &mut self,
        options: Options,
        choices: Choices,
        parts: usize,
        n: [usize; 2],
    ) -> Result<(usize, Cut), Error> {
        let kernel = self.provide(options, choices)?;
        let cut = match choices.scheme {
            Scheme::AllPairs => {
                let tiling = Some(Tiling { bag: choices.bag, splits: parts });
                let work = work(self.law, options, n);
                Cut::Ordered(Ordered::new(&choices, self.room(kernel), tiling, work).0)
            }
            Scheme::Symmetric => {
                let room = self.room(kernel);
                Cut::Symmetric(Symmetric { blocks: parts, ..Symmetric::new(&choices, room, n[0]) })
            }
        };
        Ok((kernel, cut))
    }

    fn ordered(&mut self, options: Options, n: [usize; 2]) -> Result<(usize, Cut), Error> {
        let work = work(self.law, options, n);
        let mut best = (f64::INFINITY, self.candidates[0]);
        for &choices in &self.candidates {
            let room = self.expected_room(options, &choices);
            let (_, time) = Ordered::new(&choices, room, options.tiling, work);
            if time < best.0 {
                best = (time, choices);
            }
        }
        let kernel = self.provide_lean(options, best.1)?;
        let choices = self.get(kernel).program.choices;
        let (cut, _) = Ordered::new(&choices, self.room(kernel), options.tiling, work);
        Ok((kernel, Cut::Ordered(cut)))
    }

    /// The symmetric scheme, where there is one, and it pays or is to be taken always.
    fn symmetric(&mut self, options: Options, n: usize) -> Result<Option<(usize, Cut)>, Error> {
        let Some(choices) = self.symmetric else { return Ok(None) };
        let room = self.expected_room(options, &choices);
        let always = options.pairs == Pairs::Unordered || self.forced == Some(choices);
        // Pairs within a cutoff are likely few, and noted by each thread for itself.
        if !always && (self.law.cutoff || !Symmetric::new(&choices, room, n).pays) {
            return Ok(None);
        }
        let kernel = self.provide_lean(options, choices)?;
        let choices = self.get(kernel).program.choices;
        let cut = Symmetric::new(&choices, self.room(kernel), n);
        Ok(Some((kernel, Cut::Symmetric(cut))))
    }

    /// What the choices for so many particles may be, each with several numbers of splits or
    /// blocks.
    pub fn trials(&mut self, options: Options, n: [usize; 2], both: bool) -> Vec<(Choices, usize)> {
        let ordered = !both || options.pairs != Pairs::Unordered;
        let symmetric = both && may_be_symmetric(options);
        let mut trials = Vec::new();
        for choices in Choices::trials(self.law, options) {
            let room = self.expected_room(options, &choices);
            match choices.scheme {
                Scheme::AllPairs if ordered => {
                    let (cut, _) = Ordered::new(&choices, room, None, work(self.law, options, n));
                    let mut splits = vec![cut.splits, cut.splits.div_ceil(2), 2 * cut.splits];
                    splits.dedup();
                    trials.extend(splits.into_iter().map(|splits| (choices, splits)));
                }
                Scheme::Symmetric if symmetric => {
                    let rounds = [1, 2, 4].map(|rounds| (choices, rounds * room.blocks_at_once));
                    trials.extend(rounds);
                }
                _ => {}
            }
        }
        trials
    }

    fn room(&self, kernel: usize) -> Room {
        Room {
            multiprocessors: self.machine.multiprocessors(),
            blocks_at_once: self.get(kernel).module.blocks_at_once(),
        }
    }

    /// What a kernel can expect of the device before it is built.
    fn expected_room(&self, options: Options, choices: &Choices) -> Room {
        let found = self.built.iter().position(|kernel| kernel.program.choices == *choices);
        found.map_or_else(
            || {
                let registers = choices.kept(self.law, options) + OTHER_REGISTERS;
                let blocks = match choices.scheme {
                    Scheme::AllPairs => REGISTERS / (choices.block * registers),
                    Scheme::Symmetric => choices.resident,
                };
                let multiprocessors = self.machine.multiprocessors();
                let blocks_at_once = multiprocessors * blocks.max(choices.resident).max(1);
                Room { multiprocessors, blocks_at_once }
            },
            |kernel| self.room(kernel),
        )
    }
}

/// Whether both directions of a pair may be evaluated at once. Exact mathematics keeps to the
/// products as they are written, unless it is asked for.
fn may_be_symmetric(options: Options) -> bool {
    match options.pairs {
        Pairs::Auto => options.math == Math::Fast,
        Pairs::Ordered => false,
        Pairs::Unordered => true,
    }
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
