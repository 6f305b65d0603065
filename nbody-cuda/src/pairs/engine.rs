//! All pairs by CUDA programs.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use nbody_compile::Cache;
use nbody_core::untyped::{self, Images, Part, Shares, Team};
use nbody_core::{Domain, Law, Options, Sources, Store};

use super::job::{Buffers, Job, Numbers, Workspace};
use super::rules;
use super::sections::{Sections, most_rows};
use super::select::Kernels;
use crate::backend::{Backend, Batch, Buffer, Kernel, Launch, in_batch};
use crate::config::KernelConfig;
use crate::engine::buffer::{CudaResults, pairs, results};
use crate::engine::images::ImageCopies;
use crate::engine::setup::Setup;
use crate::error::Error;
use crate::layout::PARTICLE_LIMIT;
use crate::tuning::measured::Tuned;
use crate::tuning::plan::Plan;

/// The longest evaluation that is measured after another one.
const SHORT: Duration = Duration::from_micros(100);
/// The largest number of choices that are kept.
const CHOICES: usize = 4096;
/// Evaluations of one measurement; the median counts.
const RUNS: usize = 5;

/// An engine for one law on one backend.
#[derive(Debug)]
pub(crate) struct CudaEngine {
    setup: Setup,
    /// The launches of a repeated evaluation.
    batch: Option<Box<dyn Batch>>,
    kernels: Kernels,
    /// The kernel and the plan of the last evaluation.
    chosen: Option<Chosen>,
    /// The choices for other numbers of particles.
    choices: HashMap<Numbers, Chosen>,
    workspace: Workspace,
    images: ImageCopies,
}

/// The kernel and the plan for these numbers of particles.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    numbers: Numbers,
    kernel: usize,
    plan: Plan,
}

impl CudaEngine {
    /// Creates an engine with these parameters of the law, one row.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<Self>, Error> {
        let setup = Setup::new(backend, cache, law, parameters, options)?;
        Ok(Box::new(Self {
            setup,
            kernels: Kernels::new(backend, cache, law, options)?,
            chosen: None,
            choices: HashMap::new(),
            batch: backend.batch(),
            workspace: Workspace::default(),
            images: ImageCopies::new(cache),
        }))
    }

    /// Sets the kernel configuration; `None` returns the choice to the model.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        self.forget_choices();
        self.kernels.force(self.setup.options, config)
    }

    /// Returns the kernel of the last evaluation; before the first evaluation, the kernel for many
    /// particles.
    pub fn kernel(&self) -> &Kernel {
        self.kernels.get(self.chosen.map_or(self.kernels.main(), |chosen| chosen.kernel))
    }

    /// Evaluates all i-particles or a share of them.
    fn run(
        &mut self,
        i: &Buffer,
        j: Sources<Buffer>,
        (out, store): (&mut Buffer, Store),
        share: Option<Range<usize>>,
    ) -> Result<(), Error> {
        self.setup.check(i, j, out, PARTICLE_LIMIT)?;
        if let Some(share) = &share {
            nbody_core::Error::check_range(share, out.n)?;
        }
        if out.n == 0 || j.particles().n == 0 {
            return if store == Store::Add { Ok(()) } else { out.clear(self.setup.law.f) };
        }
        let Some(images) = self.images.of(&self.setup, [i, j.particles()])? else {
            return self.run_nearest(i, j, (out, store), share);
        };
        let domain = self.setup.options.domain;
        self.setup.set_options(self.setup.options.domain(images.domain()));
        let done = self.run_images(&images, i, j, (out, store), share);
        self.setup.set_options(self.setup.options.domain(domain));
        done
    }

    /// Evaluates with the j-particles of each copy of the box.
    fn run_images(
        &mut self,
        images: &Images,
        i: &Buffer,
        j: Sources<Buffer>,
        (out, store): (&mut Buffer, Store),
        share: Option<Range<usize>>,
    ) -> Result<(), Error> {
        self.run_nearest(i, j, (&mut *out, store), share.clone())?;
        for displacement in &images.displacements()[1..] {
            let moved = self.images.displaced(j.particles(), self.setup.law.j, *displacement)?;
            let (j, out) = (Sources::Others(&moved), (&mut *out, Store::Add));
            let done = self.run_nearest(i, j, out, share.clone());
            self.images.keep(moved);
            done?;
        }
        Ok(())
    }

    /// Evaluates all pairs, each at its nearest image.
    fn run_nearest(
        &mut self,
        i: &Buffer,
        j: Sources<Buffer>,
        (out, store): (&mut Buffer, Store),
        share: Option<Range<usize>>,
    ) -> Result<(), Error> {
        let buffers = Buffers { share, ..Buffers::of(i, j, out) };
        if buffers.range().is_empty() {
            return Ok(());
        }
        let mut batch = self.batch.take();
        let done = in_batch(batch.as_mut(), || self.launch(&buffers, store));
        self.batch = batch;
        done
    }

    /// Measures the time of an evaluation by events. A short evaluation follows another that is
    /// not measured: the GPU is busy while the host queues the second one, so that the latency of
    /// the host does not count.
    fn timed(
        &mut self,
        i: &Buffer,
        j: Sources<Buffer>,
        out: &mut Buffer,
    ) -> Result<Duration, Error> {
        let backend = self.setup.backend.clone();
        let mut run = || self.run(i, j, (&mut *out, Store::Replace), None);
        let alone = backend.time(&mut run)?;
        if alone > SHORT {
            return Ok(alone);
        }
        run()?;
        backend.time(&mut run)
    }

    /// Evaluates into the results; or into scratch memory, which is then added to the results.
    fn launch(&mut self, buffers: &Buffers, store: Store) -> Result<(), Error> {
        let n = buffers.out.n;
        match store {
            Store::Replace => return self.launch_chosen(buffers),
            Store::Add => self.kernels.provide_adding(self.setup.options)?,
        }
        let fresh = self.setup.fresh(n)?;
        self.launch_chosen(&Buffers { out: &fresh, ..buffers.clone() })?;
        let added = self.add(&fresh, buffers.out, buffers.range());
        self.setup.keep_fresh(fresh);
        added
    }

    /// Adds some of the fresh results to the results.
    fn add(&self, fresh: &Buffer, out: &Buffer, range: Range<usize>) -> Result<(), Error> {
        let adding = self.kernels.adding();
        let blocks = range.len().div_ceil(adding.program.config.block) as u32;
        let launch = Launch::new(c"add_results", blocks)
            .pointers([&*fresh.memory, &*out.memory])
            .numbers([range.start, range.end, out.n].map(|number| number as u32));
        adding.module.launch(launch)
    }

    fn launch_chosen(&mut self, buffers: &Buffers) -> Result<(), Error> {
        let Chosen { kernel, plan, .. } = self.choose(buffers.numbers())?;
        let kernel = self.kernels.get(kernel);
        let mut job = Job {
            law: self.setup.law,
            options: self.setup.options,
            backend: &*self.setup.backend,
            kernel,
            parameters: &self.setup.parameters,
            space: &self.setup.space,
            buffers: buffers.clone(),
            workspace: &mut self.workspace,
        };
        rules(kernel.program.config.schedule).launch(&mut job, plan)
    }

    /// Evaluates a share of the i-particles.
    fn run_share(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        (out, store): (&mut dyn untyped::Buffer, Store),
        share: Range<usize>,
    ) -> Result<(), nbody_core::Error> {
        let [i, of_j] = pairs(&*self.setup.backend, self.setup.law, i, j)?;
        let out = results(&*self.setup.backend, out, self.setup.law.f)?;
        Ok(self.run(i, j.with(of_j), (out, store), Some(share))?)
    }

    /// Returns the launches of ranks that share out both directions of each pair; `None` if they
    /// share out i-particles.
    fn sections(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
        rank: [usize; 2],
    ) -> Result<Option<Sections>, nbody_core::Error> {
        let backend = self.setup.backend.clone();
        let [i, of_j] = pairs(&*backend, self.setup.law, i, j)?;
        let (j, out) = (j.with(of_j), &*results(&*backend, out, self.setup.law.f)?);
        self.setup.check(i, j, out, PARTICLE_LIMIT)?;
        let (n, options, law) = (out.n, self.setup.options, self.setup.law);
        if n == 0 || !Buffers::of(i, j, out).numbers().one_buffer {
            return Ok(None);
        }
        if self.images.of(&self.setup, [i, j.particles()])?.is_some() {
            return Ok(None);
        }
        let Some((kernel, plan)) = self.kernels.provide_sections(options, n)? else {
            return Ok(None);
        };
        let config = &self.kernels.get(kernel).program.config;
        let sections = Sections::new(config, n, plan, most_rows(&*backend, law, options), rank);
        let numbers = Numbers { n: [n; 2], one_buffer: true, is_share: true };
        self.chosen =
            sections.is_some().then_some(Chosen { numbers, kernel, plan }).or(self.chosen);
        Ok(sections)
    }

    /// Evaluates both directions of each pair, a turn after the other.
    fn run_sections(
        &mut self,
        sections: &Sections,
        i: &dyn untyped::Buffer,
        (out, store): (&mut dyn untyped::Buffer, Store),
        team: &mut Team<'_, '_>,
    ) -> Result<(), nbody_core::Error> {
        let (law, backend) = (self.setup.law, self.setup.backend.clone());
        let (n, shares) = (out.len(), sections.shares());
        if store == Store::Add {
            self.kernels.provide_adding(self.setup.options)?;
        }
        let fresh = (store == Store::Add).then(|| self.setup.fresh(n)).transpose()?;
        let parts = self.setup.unset_results(shares.n)?;
        let mut parts = CudaResults::boxed(parts, law.f, &self.setup.cache);
        for turn in 0..sections.turns.len() {
            self.launch_turn(sections, turn, i, (&mut *out, &mut *parts))?;
            let (number, is_last) = (turn, turn + 1 == sections.turns.len());
            let whole = Part::whole(Ok(()), &mut *parts);
            (team.exchange)(Part { number, is_last, shares, ..whole })?;
            let of_all = results(&*backend, &mut *parts, law.f)?;
            let to = fresh.as_ref().unwrap_or(results(&*backend, out, law.f)?);
            sections.combine(turn, self.kernels.sections(), of_all, to)?;
        }
        let Some(fresh) = fresh else { return Ok(()) };
        let added = self.add(&fresh, results(&*backend, out, law.f)?, 0..n);
        self.setup.keep_fresh(fresh);
        Ok(added?)
    }

    /// Launches the share of this rank in a turn.
    fn launch_turn(
        &mut self,
        sections: &Sections,
        turn: usize,
        i: &dyn untyped::Buffer,
        (out, parts): (&mut dyn untyped::Buffer, &mut dyn untyped::Buffer),
    ) -> Result<(), nbody_core::Error> {
        let (law, backend) = (self.setup.law, self.setup.backend.clone());
        let [i, j] = pairs(&*backend, law, i, Sources::Same(i))?;
        let out = results(&*backend, out, law.f)?;
        let parts = results(&*backend, parts, law.f)?;
        let chosen = self.chosen.expect("chosen by `sections`");
        let mut job = Job {
            law,
            options: self.setup.options,
            backend: &*backend,
            kernel: self.kernels.get(chosen.kernel),
            parameters: &self.setup.parameters,
            space: &self.setup.space,
            buffers: Buffers::of(i, Sources::Same(j), out),
            workspace: &mut self.workspace,
        };
        Ok(sections.launch(turn, &mut job, self.kernels.sections(), parts)?)
    }

    fn forget_choices(&mut self) {
        self.chosen = None;
        self.choices.clear();
    }

    /// Returns the kernel and the plan for these numbers of particles. Reuses an earlier choice:
    /// in block time steps the same numbers recur.
    fn choose(&mut self, numbers: Numbers) -> Result<Chosen, Error> {
        if let Some(chosen) = self.chosen
            && chosen.numbers == numbers
        {
            return Ok(chosen);
        }
        let chosen = if let Some(known) = self.choices.get(&numbers) {
            *known
        } else {
            let (kernel, plan) = self.kernels.choose(self.setup.options, numbers)?;
            if self.choices.len() == CHOICES {
                self.choices.clear();
            }
            let chosen = Chosen { numbers, kernel, plan };
            self.choices.insert(numbers, chosen);
            chosen
        };
        Ok(*self.chosen.insert(chosen))
    }

    /// Measures kernel configurations for these particles and returns the fastest. The kernels and
    /// the cache keep it.
    pub fn tune(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
        tell: &mut dyn FnMut(&Tuned, usize),
    ) -> Result<Option<Tuned>, Error> {
        let backend = self.setup.backend.clone();
        let [i, of_j] = pairs(&*backend, self.setup.law, i, j)?;
        let (j, out) = (j.with(of_j), &*results(&*backend, out, self.setup.law.f)?);
        self.setup.check(i, j, out, PARTICLE_LIMIT)?;
        let buffers = Buffers::of(i, j, out);
        let numbers = buffers.numbers();
        let Numbers { n, one_buffer, .. } = numbers;
        if n.contains(&0) || self.setup.options.order.is_some() || self.kernels.is_forced() {
            return Ok(None);
        }
        let trials = self.kernels.trials(self.setup.options, numbers);
        let mut best: Option<Tuned> = None;
        for &(config, parts) in &trials {
            let time =
                self.measure(config, parts, numbers, &mut |engine| engine.launch_chosen(&buffers));
            // The next evaluation chooses again, even if the trial failed.
            self.forget_choices();
            let tuned = Tuned { n, one_set: one_buffer, config, parts, time: time? };
            tell(&tuned, trials.len());
            if best.is_none_or(|best| tuned.time < best.time) {
                best = Some(tuned);
            }
        }
        if let Some(tuned) = best {
            // Without a cache folder, this engine still uses the measurement.
            let _ = self.kernels.tune(self.setup.options, tuned);
        }
        Ok(best)
    }

    /// Returns the median time of an evaluation with this configuration.
    fn measure(
        &mut self,
        config: KernelConfig,
        parts: usize,
        numbers: Numbers,
        evaluate: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<Duration, Error> {
        let (kernel, plan) = self.kernels.plan_as(self.setup.options, config, parts, numbers)?;
        self.choices.clear();
        self.chosen = Some(Chosen { numbers, kernel, plan });
        let backend = self.setup.backend.clone();
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(backend.time(&mut || evaluate(self))?);
        }
        times.sort();
        Ok(times[RUNS / 2])
    }
}

impl untyped::Engine for CudaEngine {
    fn law(&self) -> &'static Law {
        self.setup.law
    }

    fn options(&self) -> Options {
        self.setup.options
    }

    fn parameters(&self) -> &[u64] {
        self.setup.parameters.row()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), nbody_core::Error> {
        self.setup.parameters.set(parameters)
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), nbody_core::Error> {
        let (options, needs_others) = self.setup.in_domain(domain)?;
        if needs_others {
            self.kernels = self.kernels.with_options(options)?;
            self.forget_choices();
        }
        self.setup.set_options(options);
        Ok(())
    }

    fn prepare(&mut self, n: usize) -> Result<(), nbody_core::Error> {
        let blocks = (0..usize::BITS).map(|bit| 1 << bit).take_while(|&block| block < n);
        let numbers = |ni| Numbers { n: [ni, n], one_buffer: ni == n, is_share: false };
        let all: Vec<_> = blocks.chain([n]).map(numbers).collect();
        Ok(self.kernels.prepare(self.setup.options, &all)?)
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
        let [i, of_j] = pairs(&*self.setup.backend, self.setup.law, i, j)?;
        let out = results(&*self.setup.backend, out, self.setup.law.f)?;
        Ok(self.run(i, j.with(of_j), (out, store), None)?)
    }

    fn evaluate_shared(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        (out, store): (&mut dyn untyped::Buffer, Store),
        team: &mut Team<'_, '_>,
    ) -> Result<(), nbody_core::Error> {
        team.share_out(out, |out, team| {
            if let Some(sections) = self.sections(i, j, out, [team.rank, team.size])? {
                return self.run_sections(&sections, i, (out, store), team);
            }
            let shares = Shares::new(out.len(), team.size);
            self.run_share(i, j, (&mut *out, store), shares.range(team.rank))?;
            (team.exchange)(Part { shares, ..Part::whole(Ok(()), out) })
        })
    }

    fn time(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
    ) -> Result<Duration, nbody_core::Error> {
        let [i, of_j] = pairs(&*self.setup.backend, self.setup.law, i, j)?;
        let out = results(&*self.setup.backend, out, self.setup.law.f)?;
        Ok(self.timed(i, j.with(of_j), out)?)
    }
}
