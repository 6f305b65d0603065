//! Trees built and walked by CUDA programs, for particles of any law.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nbody_compile::Cache;
use nbody_core::order::GROUP;
use nbody_core::trees::law::TreeLaw;
use nbody_core::untyped::{self, ERROR_OF_PARTS, Essential, Part, PartLengths, Team, TreePart};
use nbody_core::{
    Domain, EngineState, Expansion, Law, Opening, Options, Precision, Sources, Store, TreeReport,
    TreeTimes,
};

use super::build::{BuiltTree, DeviceTree, TREE_LIMIT, Times, TreeSets};
use super::declared::{WalkedTree, walk_of_group};
use super::essential::EssentialSources;
use super::finite::{check_finite, refused};
use super::walk;
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Scratch, build_together};
use crate::border::Address;
use crate::compile::program::Program;
use crate::config::Walk;
use crate::engine::buffer::{CudaResults, pairs, particles, particles_mut, results};
use crate::engine::setup::Setup;
use crate::error::Error;
use crate::schedule::dealt::{Arranging, Dealt, Rows, Stored};

/// The engine of CUDA programs of trees.
#[derive(Debug)]
pub(crate) struct TreeEngine {
    law: TreeLaw,
    setup: Setup,
    pub walk: Walk,
    /// The trees for each kind of far particles, and the kernels of each kind of walk, that were
    /// needed so far.
    trees: Vec<(Expansion, DeviceTree)>,
    kernels: Vec<(Walk, Kernel)>,
    /// The lengths of the last results, followed by the lengths that the last evaluation compared
    /// with; and the number of known lengths, 0 if unknown.
    lengths: ([Scratch; 2], usize),
    /// The lengths that the caller has given for the next evaluation.
    given: Option<Vec<f64>>,
    estimate: Option<Box<dyn Memory>>,
    /// The unit and the sign for which the estimate was made.
    estimated: Option<(f64, bool)>,
    queues: Scratch,
    /// Lists sources for other ranks.
    essential: EssentialSources,
    /// The kernel that stores results of ranks.
    arranging: Arranging,
    /// The last evaluation, if it had pairs; and the part of its report that does not come from
    /// the device.
    last: Option<Last>,
    report: TreeReport,
    pub is_timed: bool,
}

/// An evaluation.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// The index of the tree.
    tree: usize,
    built: BuiltTree,
    by: Walk,
    times: Option<Times>,
    walk: Duration,
    exchange: Duration,
}

/// Lengths of results that the caller has, in device memory: to compare with, and to write.
struct CallerLengths<'a> {
    before: Option<&'a dyn Memory>,
    after: &'a mut Buffer,
}

impl<'a> CallerLengths<'a> {
    fn of(
        backend: &Arc<dyn Backend>,
        lengths: PartLengths<'a>,
        results: usize,
    ) -> Result<Self, Error> {
        lengths.check(results)?;
        let what = "lengths of results";
        let PartLengths { before, after } = lengths;
        let before = before.map(|it| particles(what, &**backend, it)).transpose()?;
        let after = particles_mut(what, &**backend, after)?;
        for lengths in before.into_iter().chain([&*after]) {
            lengths.buffer.check(what, backend, Precision::Double)?;
        }
        after.buffer.changes();
        Ok(Self { before: before.map(|it| &*it.buffer.memory), after: &mut after.buffer })
    }
}

/// A walk for all i-particles.
#[derive(Clone, Copy, Debug)]
struct Walking {
    /// The index of the kernel.
    kernel: usize,
    /// The greatest error, in units of the last results; 0 if only distances count.
    share: f64,
    /// Whether the last results are known.
    is_estimated: bool,
}

impl TreeEngine {
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: TreeLaw,
        parameters: &[u64],
        options: Options,
    ) -> Result<Self, Error> {
        options.domain.check_tree()?;
        Ok(Self {
            setup: Setup::new(backend, cache, law.law(), parameters, options)?,
            law,
            walk: Walk::default(),
            trees: Vec::new(),
            kernels: Vec::new(),
            lengths: Default::default(),
            given: None,
            estimate: None,
            estimated: None,
            queues: Scratch::default(),
            essential: EssentialSources::new(backend, cache),
            arranging: Arranging::default(),
            last: None,
            report: TreeReport::default(),
            is_timed: false,
        })
    }

    /// Forgets the estimate of errors, and the results that errors are compared with.
    fn forget_results(&mut self) {
        (self.lengths.1, self.given, self.estimated) = (0, None, None);
    }

    pub fn run(
        &mut self,
        i: &Buffer,
        j: Sources<Buffer>,
        (out, store): (&mut Buffer, Store),
        TreePart { boxes, lengths }: TreePart<'_>,
        team: &mut Team<'_, '_>,
    ) -> Result<(), Error> {
        self.setup.check(i, j, out, TREE_LIMIT)?;
        let lengths = lengths.map(|it| CallerLengths::of(&self.setup.backend, it, out.n));
        let mut lengths = lengths.transpose()?;
        untyped::check_given(self.given.as_deref(), out.n)?;
        let law = self.law.law();
        (self.last, self.report) = (None, TreeReport::default());
        let others = j.particles();
        if others.n == 0 || (out.n == 0 && boxes.is_empty()) {
            // The build of a tree would find them, but no tree is built.
            check_finite("j-particles", j.particles(), law.j)?;
            check_finite("i-particles", i, law.i)?;
            (self.lengths.1, self.given) = (0, None);
            if store == Store::Replace {
                out.clear(law.f)?;
                lengths.as_mut().map_or(Ok(()), |lengths| lengths.after.memory.zero())?;
            }
            self.set_report([out.n, j.particles().n, i.n], true);
            return Ok(());
        }
        // Without i-particles, the tree is built for other ranks.
        let is_same = std::ptr::eq(i, others) || i.n == 0;
        let i = if i.n == 0 { others } else { i };
        let sets = TreeSets { i, j: (!is_same).then_some(others), one_set: j.is_one_set() };
        let [tree, kernel] = self.provide()?;
        let mut times = self.is_timed.then(Times::default);
        let opening = (self.law.opening(), self.law.harmonic_distance());
        let domain = &self.setup.options.domain;
        let built = match self.trees[tree].1.build(&sets, domain, opening, times.as_mut())? {
            Ok(built) => built,
            Err(refusal) => return Err(refused(refusal, &sets, law)?),
        };
        let (by, n) = (self.walk, [out.n, others.n, i.n]);
        let [walk, exchange] = [Duration::ZERO; 2];
        let mut last = Last { tree, built, by, times, walk, exchange };
        let share = self.law.opening().share();
        if share.is_some() {
            self.provide_estimate(&last)?;
        }
        if !boxes.is_empty() {
            let errors = share.zip(self.estimate.as_deref());
            let marked = self.trees[tree].1.marked(&last.built, others.n, errors);
            self.essential.mark_all(&marked, boxes)?;
        }
        if out.n > 0 {
            self.walk_all((&mut last, kernel), &sets, (out, store), lengths.as_ref(), team)?;
        }
        self.set_report(n, last.built.is_of_one_sign);
        self.last = Some(last);
        Ok(())
    }

    /// Sets the numbers of the report that do not come from the device.
    fn set_report(&mut self, n: [usize; 3], is_of_one_sign: bool) {
        let ni;
        [self.report.targets, self.report.sources, ni] = n;
        self.report.groups = if self.walk == Walk::Groups { ni.div_ceil(GROUP) } else { ni };
        self.report.expansion = self.law.opening().far_particles();
        self.report.error_order = self.law.error_order(is_of_one_sign);
    }

    /// Walks for all i-particles. Walks twice if the results that errors are compared with are
    /// unknown, unless the caller has the lengths.
    fn walk_all(
        &mut self,
        (last, kernel): (&mut Last, usize),
        sets: &TreeSets,
        (out, store): (&Buffer, Store),
        lengths: Option<&CallerLengths<'_>>,
        team: &mut Team<'_, '_>,
    ) -> Result<(), Error> {
        let given = self.given.take();
        let Some(share) = self.law.opening().share() else {
            let by = Walking { kernel, share: 0.0, is_estimated: false };
            return self.walk_once((last, by), sets, (out, store), lengths, team);
        };
        if let Some(CallerLengths { before, .. }) = lengths {
            self.lengths.1 = 0;
            let share = ERROR_OF_PARTS * share;
            let by = Walking { kernel, share, is_estimated: before.is_some() };
            return self.walk_once((last, by), sets, (out, store), lengths, team);
        }
        let by = Walking { kernel, share, is_estimated: true };
        if let Some(given) = given {
            self.write_lengths(&given)?;
        }
        let (lengths, known) = &mut self.lengths;
        let before = std::mem::replace(known, 0);
        for lengths in lengths.iter_mut() {
            lengths.reserve(&*self.setup.backend, &[out.n, size_of::<f64>()], false)?;
        }
        if before != out.n {
            let first = self.setup.results(out.n)?;
            let by = Walking { is_estimated: false, ..by };
            self.walk_once((last, by), sets, (&first, Store::Replace), None, team)?;
        }
        self.lengths.0.swap(0, 1);
        self.walk_once((last, by), sets, (out, store), None, team)?;
        self.lengths.1 = out.n;
        Ok(())
    }

    /// Returns the lengths of the results that the last evaluation compared with.
    fn read_compared(&self) -> Result<Option<Vec<f64>>, Error> {
        let ([_, before], known) = &self.lengths;
        let Some(memory) = before.get().filter(|_| *known > 0) else { return Ok(None) };
        let mut lengths = Vec::new();
        memory.read_words(0..*known, &mut |words| {
            lengths = words.iter().copied().map(f64::from_bits).collect();
        })?;
        Ok(Some(lengths))
    }

    /// Copies lengths of results to the device, in place of the lengths of the last results.
    fn write_lengths(&mut self, lengths: &[f64]) -> Result<(), Error> {
        let ([last, _], known) = &mut self.lengths;
        *known = 0;
        last.reserve(&*self.setup.backend, &[lengths.len(), size_of::<f64>()], false)?;
        last.memory_mut().write(&mut |words| {
            words[..lengths.len()].copy_from_slice(bytemuck::cast_slice(lengths));
        })?;
        *known = lengths.len();
        Ok(())
    }

    /// Walks for all i-particles. Ranks walk for their groups, and exchange the results.
    fn walk_once(
        &mut self,
        (last, by): (&mut Last, Walking),
        sets: &TreeSets,
        (out, store): (&Buffer, Store),
        of_caller: Option<&CallerLengths<'_>>,
        team: &mut Team<'_, '_>,
    ) -> Result<(), Error> {
        let own = || self.lengths.0[0].get().filter(|_| by.share > 0.0);
        let lengths = of_caller.map_or_else(own, |it| Some(&*it.after.memory));
        let stored = Stored {
            lengths: lengths.map_or(Address::NULL, Address::of),
            wanted: out.n as u32,
            adds: (store == Store::Add).into(),
            of_sums: of_caller.is_some().into(),
        };
        let dealt = untyped::Dealt::new(sets.i.n, team.size);
        if team.size == 1 {
            let dealt = (Dealt::new(dealt, 0), None);
            return self.launch_walk((last, by), sets, (out, stored), of_caller, dealt);
        }
        assert!(
            of_caller.is_none(),
            "ranks that share out an evaluation have no parts of their own"
        );
        let fields = self.law.law().f;
        let (shares, dealt) = (dealt.shares(), Dealt::new(dealt, team.rank));
        let rows = self.setup.fresh(shares.n)?;
        self.arranging.prepare(&self.setup, out.n)?;
        self.launch_walk((last, by), sets, (out, stored), None, (dealt, Some(&rows)))?;
        let start = Instant::now();
        let mut rows = CudaResults::boxed(rows, fields, &self.setup.cache);
        let number = usize::from(by.is_estimated || by.share == 0.0);
        let whole = Part::whole(Ok(()), &mut *rows);
        (team.exchange)(Part { number, is_last: number == 1, shares, ..whole })?;
        let rows = CudaResults::unboxed(rows).expect("boxed before");
        self.arrange((last, dealt), sets, (out, &stored), &rows)?;
        self.setup.keep_fresh(rows);
        last.exchange += start.elapsed();
        Ok(())
    }

    /// Stores the results of all ranks.
    fn arrange(
        &self,
        (last, dealt): (&Last, Dealt),
        sets: &TreeSets,
        (out, stored): (&Buffer, &Stored),
        rows: &Buffer,
    ) -> Result<(), Error> {
        let tree = &self.trees[last.tree].1;
        let order = tree.walked(sets).order;
        let rows = Rows { dealt, memory: &*rows.memory, order, n: sets.i.n };
        let lengths = self.lengths.0.iter().filter_map(Scratch::get);
        let reads: Vec<_> = tree.memory().into_iter().chain(lengths).collect();
        let mut work = || self.arranging.arrange(&rows, (&*out.memory, stored), &reads);
        if self.is_timed { self.setup.backend.time(&mut work).map(|_| ()) } else { work() }
    }

    /// Launches a walk. If the last results are known, the greatest error is a share of them.
    fn launch_walk(
        &mut self,
        (last, by): (&mut Last, Walking),
        sets: &TreeSets,
        (out, stored): (&Buffer, Stored),
        of_caller: Option<&CallerLengths<'_>>,
        (dealt, rows): (Dealt, Option<&Buffer>),
    ) -> Result<(), Error> {
        let Walking { kernel, share, is_estimated } = by;
        let (tree, kernel) = (&self.trees[last.tree].1, &self.kernels[kernel].1);
        let (name, ni) = (walk::kernel(last.by), sets.i.n);
        let (blocks, queues) = match last.by {
            Walk::Groups => {
                let resident = kernel.module.resident_blocks(name);
                let blocks = ni.div_ceil(GROUP).min(resident);
                (blocks, blocks)
            }
            Walk::Particles => (ni.div_ceil(kernel.program.config.block), 0),
        };
        let sizes = [queues, 2 * walk_of_group::QUEUE as usize, size_of::<u32>()];
        let queues = self.queues.reserve(&*self.setup.backend, &sizes, false)?;
        let has_lengths = share > 0.0;
        let [lengths, before] = self.lengths.0.each_ref().map(Scratch::get);
        let [lengths, before] = match of_caller {
            Some(CallerLengths { before, after }) => [Some(&*after.memory), *before],
            None => [lengths.filter(|_| has_lengths), before.filter(|_| is_estimated)],
        };
        let is_last = of_caller.is_some() || is_estimated == has_lengths;
        let estimate = self.estimate.as_deref();
        let walked = WalkedTree {
            before: before.map_or(Address::NULL, Address::of),
            estimate: estimate.map_or(Address::NULL, Address::of),
            queues: Address::of(queues),
            share,
            is_estimated: is_estimated.into(),
            counts: is_last.into(),
            stored,
            dealt,
            rows: rows.map_or(Address::NULL, |rows| Address::of(&*rows.memory)),
            ..tree.walked(sets)
        };
        let launch = self.setup.parameters.pass(Launch::new(name, blocks as u32));
        let launch = launch.record(&self.setup.space).value(&walked);
        let launch = launch.pointers([&*sets.i.memory, &*out.memory]).reads(queues);
        let memory = tree.memory().into_iter().chain(lengths).chain(before).chain(estimate);
        let memory = memory.chain(rows.map(|rows| &*rows.memory));
        let launch = memory.fold(launch, Launch::reads);
        if !self.is_timed {
            return kernel.module.launch(launch);
        }
        let mut launch = Some(launch);
        let work = &mut || launch.take().map_or(Ok(()), |launch| kernel.module.launch(launch));
        last.walk += self.setup.backend.time(work)?;
        Ok(())
    }

    /// Returns the indices of the tree and of the kernel of the walk, whose programs are compiled at
    /// the same time, if necessary.
    fn provide(&mut self) -> Result<[usize; 2], Error> {
        let (law, expansion) = (self.law.law(), self.law.opening().far_particles());
        let Setup { options, backend, cache, .. } = &self.setup;
        let tree = self.trees.iter().position(|(found, _)| *found == expansion);
        let walk = self.kernels.iter().position(|(found, _)| *found == self.walk);
        let mut programs = Vec::new();
        if tree.is_none() {
            programs.extend(Program::trees(law, options.precision, expansion)?);
        }
        if walk.is_none() {
            programs.push(Program::walk(law, *options, self.walk)?);
        }
        let mut built = build_together(&**backend, programs, cache).into_iter();
        let mut next = || built.next().expect("a result for each program");
        if tree.is_none() {
            let (kind, kernels) = ((options.precision, expansion), [next()?, next()?]);
            let tree = DeviceTree::new(backend, cache, law, kind, kernels)?;
            self.trees.push((expansion, tree));
        }
        if walk.is_none() {
            self.kernels.push((self.walk, next()?));
        }
        let last = [self.trees.len() - 1, self.kernels.len() - 1];
        Ok([tree.unwrap_or(last[0]), walk.unwrap_or(last[1])])
    }

    /// Copies the estimate of errors to the device, unless the estimate there is for this unit and
    /// sign.
    fn provide_estimate(&mut self, last: &Last) -> Result<(), Error> {
        let built = &last.built;
        let key = (self.trees[last.tree].1.scale(built)?, built.is_of_one_sign);
        if self.estimated == Some(key) {
            return Ok(());
        }
        let table = self.law.table(key.0, key.1)?.expect("a share of the results has an estimate");
        let numbers = table.numbers();
        self.estimated = None;
        let mut memory = match self.estimate.take() {
            Some(memory) => memory,
            None => self.setup.backend.allocate(size_of_val(numbers))?,
        };
        memory.write(&mut |words| bytemuck::cast_slice_mut(words).copy_from_slice(numbers))?;
        self.estimate = Some(memory);
        self.estimated = Some(key);
        Ok(())
    }

    /// Returns the kernel of the walk, if it was built.
    pub fn kernel(&self) -> Option<&Kernel> {
        self.kernels.iter().find(|(walk, _)| *walk == self.walk).map(|(_, kernel)| kernel)
    }

    /// Returns the size of the last tree and its work. Waits for the device.
    fn last_report(&self) -> Result<TreeReport, Error> {
        let mut report = self.report;
        let Some(last) = &self.last else { return Ok(report) };
        let tree = &self.trees[last.tree].1;
        report.cells = last.built.cells;
        report.far_particles = tree.far_particles()?;
        [report.tested, report.evaluations] = tree.work()?;
        report.bytes = tree.bytes();
        report.times = last.times.map(|times| {
            let mut times = TreeTimes::new(times.order, times.cells, last.walk);
            times.exchange = last.exchange;
            times
        });
        Ok(report)
    }
}

impl untyped::Engine for TreeEngine {
    fn law(&self) -> &'static Law {
        self.law.law()
    }

    fn options(&self) -> Options {
        self.setup.options
    }

    fn parameters(&self) -> &[u64] {
        self.setup.parameters.row()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), nbody_core::Error> {
        self.setup.parameters.set(parameters)?;
        self.law.set_parameters(parameters)?;
        self.forget_results();
        Ok(())
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), nbody_core::Error> {
        domain.check_tree()?;
        let (options, needs_others) = self.setup.in_domain(domain)?;
        if needs_others {
            self.kernels.clear();
            self.arranging = Arranging::default();
        }
        self.setup.set_options(options);
        Ok(())
    }

    fn evaluated_pairs(&self) -> Result<Option<u64>, nbody_core::Error> {
        Ok(Some(self.last_report()?.evaluations))
    }

    fn prepare(&mut self, _n: usize) -> Result<(), nbody_core::Error> {
        self.provide()?;
        Ok(())
    }

    fn results(&self, n: usize) -> Result<Box<dyn untyped::Buffer>, nbody_core::Error> {
        Ok(self.setup.boxed_results(n)?)
    }

    fn evaluate(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
        store: Store,
    ) -> Result<(), nbody_core::Error> {
        let law = self.law.law();
        let [i, of_j] = pairs(&*self.setup.backend, law, i, j)?;
        let out = results(&*self.setup.backend, out, law.f)?;
        let part = TreePart::default();
        Team::alone(|team| Ok(self.run(i, j.with(of_j), (out, store), part, team)?))
    }

    fn evaluate_shared(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        (out, store): (&mut dyn untyped::Buffer, Store),
        team: &mut Team<'_, '_>,
    ) -> Result<(), nbody_core::Error> {
        if team.size == 1 {
            let done = self.evaluate(i, j, out, store);
            return (team.exchange)(Part::whole(done, out));
        }
        let backend = self.setup.backend.clone();
        team.share_out(out, |out, team| {
            let law = self.law.law();
            let [i, of_j] = pairs(&*backend, law, i, j)?;
            let has_pairs = !out.is_empty() && of_j.n > 0;
            let part = TreePart::default();
            self.run(i, j.with(of_j), (results(&*backend, out, law.f)?, store), part, team)?;
            if has_pairs { Ok(()) } else { (team.exchange)(Part::whole(Ok(()), out)) }
        })
    }

    fn time(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
    ) -> Result<Duration, nbody_core::Error> {
        let backend = self.setup.backend.clone();
        Ok(backend.time(&mut || Ok(self.evaluate(i, j, out, Store::Replace)?))?)
    }

    fn is_stateless(&self) -> bool {
        self.law.opening().share().is_none()
    }

    fn state(&self) -> Result<EngineState, nbody_core::Error> {
        // Lengths that are not yet compared with are the state that was restored.
        let lengths = match &self.given {
            Some(given) => Some(given.clone()),
            None => self.read_compared()?,
        };
        Ok(lengths.map(EngineState::Results).unwrap_or_default())
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), nbody_core::Error> {
        untyped::restore_tree(self, state)
    }
}

impl untyped::Tree for TreeEngine {
    fn opening(&self) -> Opening {
        self.law.opening()
    }

    fn set_opening(&mut self, opening: Opening) -> Result<(), nbody_core::Error> {
        self.law.set_opening(opening)?;
        self.forget_results();
        Ok(())
    }

    fn harmonic_distance(&self) -> f64 {
        self.law.harmonic_distance()
    }

    fn compared(&self) -> Result<Option<Vec<f64>>, nbody_core::Error> {
        Ok(self.read_compared()?)
    }

    fn compare_with(&mut self, lengths: &[f64]) -> Result<(), nbody_core::Error> {
        if lengths.is_empty() {
            self.forget_results();
        } else {
            self.given = Some(lengths.to_vec());
        }
        Ok(())
    }

    fn evaluate_part(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        (out, store): (&mut dyn untyped::Buffer, Store),
        part: TreePart<'_>,
    ) -> Result<Essential<'_>, nbody_core::Error> {
        let law = self.law.law();
        let [of_i, of_j] = pairs(&*self.setup.backend, law, i, j)?;
        let out = results(&*self.setup.backend, out, law.f)?;
        let ranks = part.boxes.len();
        Team::alone(|team| self.run(of_i, j.with(of_j), (out, store), part, team))?;
        let [tree, _] = self.provide()?;
        let tree = &self.trees[tree].1;
        let Some(last) = &self.last else {
            let lists = EssentialSources::nothing(ranks);
            return Ok(Essential { sources: tree.sources(), lists });
        };
        let errors = self.law.opening().share().zip(self.estimate.as_deref());
        let lists = self.essential.list(&tree.marked(&last.built, of_j.n, errors))?;
        Ok(Essential { sources: tree.sources(), lists })
    }

    fn set_timed(&mut self, is_on: bool) {
        self.is_timed = is_on;
    }

    fn report(&self) -> Result<TreeReport, nbody_core::Error> {
        Ok(self.last_report()?)
    }
}
