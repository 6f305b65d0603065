//! Trees that CUDA programs build and walk, for particles of any law.

use std::sync::Arc;
use std::time::Duration;

use nbody_core::near::cutoff;
use nbody_core::pack::{self, Binding, Rows, dim};
use nbody_core::tree::GROUP;
use nbody_core::tree::estimate::Table;
use nbody_core::{Expansion, Field, Law, Opening, Options, Sources, Store, TreeReport};

use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Scratch};
use crate::compile::cache::Cache;
use crate::layout::{bytes, space, words};
use crate::schedule::walk;
use crate::tree::build::{Built, LIMIT, Refusal, Sets, Times, Tree};
use crate::{Error, Program, Walk};

/// The criterion of an evaluation: the opening, the distance from which on the kernel is harmonic, and the table of
/// the estimate of errors in a unit, for charges that are of one sign or not.
pub(super) struct Criterion<'a> {
    pub opening: Opening,
    pub harmonic: f64,
    pub table: &'a mut dyn FnMut(f64, bool) -> Option<Table>,
}

/// The engine of trees of CUDA programs, without the Rust types of a law.
#[derive(Debug)]
pub(super) struct TreeEngine {
    law: &'static Law,
    pub options: Options,
    backend: Arc<dyn Backend>,
    cache: Cache,
    parameters: Vec<u64>,
    space: Vec<u64>,
    pub walk: Walk,
    /// Trees with each kind of far particles, and the kernels of each kind of walk, that were needed so far.
    trees: Vec<(Expansion, Tree)>,
    kernels: Vec<(Walk, Kernel)>,
    /// The lengths of the last results, and how many there are; none if they are not known.
    lengths: (Scratch, usize),
    estimate: Option<Box<dyn Memory>>,
    /// The unit and the sign that the estimate is for.
    estimated: Option<(f64, bool)>,
    queues: Scratch,
    /// The size of the last tree, and the times of its parts if they are measured.
    last: Option<Last>,
    pub is_timed: bool,
}

/// The last evaluation.
#[derive(Clone, Copy, Debug)]
struct Last {
    expansion: Expansion,
    built: Built,
    n: [usize; 3],
    times: Times,
    walk: Duration,
}

impl TreeEngine {
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        options: Options,
    ) -> Result<Self, Error> {
        if let Some(order) = options.order {
            order.check()?;
        }
        options.domain.check(options.precision)?;
        Ok(Self {
            law,
            options,
            backend: backend.clone(),
            cache: cache.clone(),
            parameters: Vec::new(),
            space: space(options.domain, options.precision),
            walk: Walk::default(),
            trees: Vec::new(),
            kernels: Vec::new(),
            lengths: (Scratch::default(), 0),
            estimate: None,
            estimated: None,
            queues: Scratch::default(),
            last: None,
            is_timed: false,
        })
    }

    /// Sets the parameters of the law, which are one record.
    pub fn set_parameters(&mut self, parameters: &dyn Rows) {
        let row = pack::rows(parameters);
        self.parameters = words(&bytes(self.law.parameters, &row, self.options.precision));
        self.forget_results();
    }

    /// Forgets the results that estimates of errors are compared with, and the estimate.
    pub fn forget_results(&mut self) {
        (self.lengths.1, self.estimated) = (0, None);
    }

    pub fn upload(&self, particles: &dyn Rows) -> Result<Buffer, Error> {
        Buffer::of_particles(&self.backend, particles, self.options.precision)
    }

    pub fn results(&self, n: usize) -> Result<Buffer, Error> {
        let mut buffer = Buffer::new(&self.backend, n, dim(self.law.f), self.options.backup())?;
        buffer.clear(self.law.f)?;
        Ok(buffer)
    }

    pub fn backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }

    /// Refuses buffers of the wrong lengths, device or precision: the soundness of launches rests on it.
    fn check(&self, i: &Buffer, j: Sources<Buffer>, out: &Buffer) -> Result<(), Error> {
        j.check([i.n, j.particles().n, out.n])?;
        let j = j.particles();
        for (what, found) in [("i-particles", i.n), ("j-particles", j.n)] {
            if found > LIMIT {
                return Err(Error::TooManyParticles { what, found, limit: LIMIT });
            }
        }
        i.check("i-particles", &self.backend, self.options.precision)?;
        j.check("j-particles", &self.backend, self.options.precision)?;
        out.check("results", &self.backend, self.options.backup())
    }

    pub fn run(
        &mut self,
        i: &Buffer,
        j: Sources<Buffer>,
        (out, store): (&mut Buffer, Store),
        criterion: &mut Criterion,
    ) -> Result<(), Error> {
        self.check(i, j, out)?;
        self.last = None;
        if out.n == 0 || j.particles().n == 0 {
            return if store == Store::Add { Ok(()) } else { out.clear(self.law.f) };
        }
        let others = j.particles();
        let is_same = std::ptr::eq(i, others);
        let sets = Sets { i, j: (!is_same).then_some(others), one_set: j.is_one_set() };
        let expansion = criterion.opening.far_particles();
        let tree = self.provide_tree(expansion)?;
        self.provide_kernel()?;
        let (mut times, is_timed) = (Times::default(), self.is_timed);
        let opening = (criterion.opening, criterion.harmonic);
        let tree = &mut self.trees[tree].1;
        let measured = is_timed.then_some(&mut times);
        let built = match tree.build(&sets, &self.options.domain, opening, measured)? {
            Ok(built) => built,
            Err(refusal) => return Err(refused(refusal, &sets, self.law)?),
        };
        self.last =
            Some(Last { expansion, built, n: [out.n, others.n, i.n], times, walk: Duration::ZERO });
        self.walk_all(&sets, out, store, criterion)
    }

    /// Walks for all i-particles; twice if the results are not known that estimates of errors are compared with.
    fn walk_all(
        &mut self,
        sets: &Sets,
        out: &mut Buffer,
        store: Store,
        criterion: &mut Criterion,
    ) -> Result<(), Error> {
        let Some(share) = criterion.opening.share() else {
            return self.walk_once(sets, out, store, (0.0, false));
        };
        self.provide_estimate(criterion.table)?;
        let (lengths, known) = &mut self.lengths;
        lengths.reserve(&*self.backend, &[out.n, size_of::<f64>()], false)?;
        if std::mem::replace(known, 0) != out.n {
            let first = self.results(out.n)?;
            self.walk_once(sets, &first, Store::Replace, (share, false))?;
        }
        self.walk_once(sets, out, store, (share, true))?;
        self.lengths.1 = out.n;
        Ok(())
    }

    /// Walks for all i-particles: with a share of the last results as the greatest error, where these are known.
    fn walk_once(
        &mut self,
        sets: &Sets,
        out: &Buffer,
        store: Store,
        (share, is_estimated): (f64, bool),
    ) -> Result<(), Error> {
        let Some(Last { expansion, .. }) = self.last else { return Ok(()) };
        let tree = self.trees.iter().find(|(found, _)| *found == expansion);
        let kernel = self.kernels.iter().find(|(found, _)| *found == self.walk);
        let (Some((_, tree)), Some((_, kernel))) = (tree, kernel) else { return Ok(()) };
        let name = walk::kernel(self.walk);
        let ni = sets.i.n;
        let blocks = match self.walk {
            Walk::Groups => ni.div_ceil(GROUP).min(kernel.module.resident_blocks(name)),
            Walk::Particles => ni.div_ceil(kernel.program.config.block),
        };
        let queues = if self.walk == Walk::Groups { blocks } else { 0 };
        let sizes = [queues, 2 * walk::QUEUE, size_of::<u32>()];
        let queues = self.queues.reserve(&*self.backend, &sizes, false)?;
        let has_lengths = share > 0.0;
        let lengths = self.lengths.0.get().filter(|_| has_lengths);
        let estimate = self.estimate.as_deref();
        let address = |memory: Option<&dyn Memory>| memory.map_or(0, Memory::address);
        let mut argument = tree.argument(sets).to_vec();
        argument.extend([address(lengths), address(estimate), queues.address(), tree.counters()]);
        let numbers = [ni, sets.j.unwrap_or(sets.i).n, out.n, tree.room()].map(|n| n as u32);
        let counts = is_estimated == has_lengths;
        let flags = [sets.one_set, is_estimated, store == Store::Add, counts].map(u32::from);
        let pairs = numbers.chunks(2).chain(flags.chunks(2));
        argument.push(share.to_bits());
        argument.extend(pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32));
        let launch = Launch::new(name, blocks as u32).argument(&self.parameters);
        let launch = launch.argument(&self.space).argument(&argument);
        let launch = launch.pointers([&*sets.i.memory, &*out.memory]).reads(queues);
        let launch =
            tree.memory().into_iter().chain(lengths).chain(estimate).fold(launch, Launch::reads);
        if !self.is_timed {
            return kernel.module.launch(launch);
        }
        let mut launch = Some(launch);
        let work = &mut || launch.take().map_or(Ok(()), |launch| kernel.module.launch(launch));
        let time = self.backend.time(work)?;
        if let Some(last) = &mut self.last {
            last.walk += time;
        }
        Ok(())
    }

    /// Returns the index of the tree with these far particles.
    fn provide_tree(&mut self, expansion: Expansion) -> Result<usize, Error> {
        if let Some(found) = self.trees.iter().position(|(found, _)| *found == expansion) {
            return Ok(found);
        }
        let kind = (self.options.precision, expansion);
        let tree = Tree::new(&self.backend, &self.cache, self.law, kind)?;
        self.trees.push((expansion, tree));
        Ok(self.trees.len() - 1)
    }

    /// Compiles the kernel of the walk, if necessary.
    fn provide_kernel(&mut self) -> Result<(), Error> {
        if self.kernels.iter().all(|(found, _)| *found != self.walk) {
            let program = Program::walk(self.law, self.options, self.walk)?;
            let (module, build) = self.backend.build(&program, &self.cache)?;
            self.kernels.push((self.walk, Kernel { program, module, build }));
        }
        Ok(())
    }

    /// Copies the estimate of errors to the device, if that for this unit and sign is not there.
    fn provide_estimate(
        &mut self,
        table: &mut dyn FnMut(f64, bool) -> Option<Table>,
    ) -> Result<(), Error> {
        let Some(Last { expansion, built, .. }) = self.last else { return Ok(()) };
        let tree = self.trees.iter_mut().find(|(found, _)| *found == expansion);
        let Some((_, tree)) = tree else { return Ok(()) };
        let key = (tree.scale(&built)?, built.is_of_one_sign);
        if self.estimated == Some(key) {
            return Ok(());
        }
        let Some(table) = table(key.0, key.1) else { return Ok(()) };
        let numbers = table.numbers();
        let mut memory = match self.estimate.take() {
            Some(memory) => memory,
            None => self.backend.allocate(size_of_val(numbers))?,
        };
        memory.write(&mut |words| bytemuck::cast_slice_mut(words).copy_from_slice(numbers))?;
        self.estimate = Some(memory);
        self.estimated = Some(key);
        Ok(())
    }

    /// Returns the program that walked last, if any did.
    pub fn program(&self) -> Option<&Program> {
        self.kernels.iter().find(|(walk, _)| *walk == self.walk).map(|(_, kernel)| &kernel.program)
    }

    /// Returns the size of the last tree and its work, once the device has done it.
    pub fn report(&self) -> Result<TreeReport, Error> {
        let mut report = TreeReport::default();
        let Some(Last { expansion, built, n, times, walk }) = self.last else { return Ok(report) };
        let tree = self.trees.iter().find(|(found, _)| *found == expansion);
        let Some((_, tree)) = tree else { return Ok(report) };
        let [wanted, sources, ni] = n;
        report.targets = wanted;
        report.sources = sources;
        report.cells = built.cells;
        report.groups = if self.walk == Walk::Groups { ni.div_ceil(GROUP) } else { ni };
        [report.tested, report.evaluations] = tree.work()?;
        report.bytes = tree.bytes();
        (report.order, report.build, report.walk) = (times.order, times.cells, walk);
        Ok(report)
    }
}

/// Returns the error of a tree that was not built.
fn refused(refusal: Refusal, sets: &Sets, law: &'static Law) -> Result<Error, Error> {
    let Refusal::NotFinite(number) = refusal else {
        return Ok(nbody_core::Error::OtherPositions.into());
    };
    let j = sets.j.unwrap_or(sets.i);
    let (what, buffer, fields, index) = match number.checked_sub(j.n) {
        None => ("j-particles", j, law.j, number),
        Some(index) => ("i-particles", sets.i, law.i, index),
    };
    let found = position(buffer, fields, index)?;
    Ok(nbody_core::Error::NotFinite { what, index, found }.into())
}

/// Returns the position of a particle.
fn position(buffer: &Buffer, fields: &'static [Field], index: usize) -> Result<[f64; 3], Error> {
    let binding = Binding::new("tree", cutoff::position(fields), fields)?;
    let mut row = vec![0; dim(fields)];
    buffer.read_particles(fields, index..index + 1, &mut |write| write(0..1, &mut row))?;
    let mut found = [0.0; 3];
    for (x, place) in found.iter_mut().zip(binding.places()) {
        *x = f64::from_bits(row[place.component()]);
    }
    Ok(found)
}
