//! The engine of CUDA programs without the types of a law.

use std::sync::Arc;
use std::time::Duration;

use nbody_core::pack::{self, Rows, dim};
use nbody_core::{Domain, Law, Mixed, Options, Precision, Scalar, Store};

use crate::backend::launch::{Common, Launch, Share};
use crate::backend::{Backend, Recording};
use crate::compile::cache::Cache;
use crate::engine::buffer::{Buffer, Scratch, bytes, bytes_of, numbers_of, words};
use crate::tuning::kernels::{Kernel, Kernels};
use crate::tuning::measured::Tuned;
use crate::tuning::model::{self, Cut, Ordered, Symmetric};
use crate::{Error, KernelConfig};

/// Threads and bags are numbered in 32 bits, with room to step past the end.
const LIMIT: usize = i32::MAX as usize;
/// Runs of one measurement, when config are compared.
const RUNS: usize = 5;

/// What evaluates by one law with its programs.
#[derive(Debug)]
pub(crate) struct CudaEngine {
    law: &'static Law,
    options: Options,
    backend: Arc<dyn Backend>,
    /// The last evaluation; it goes before the kernels that it may have recorded.
    last: Option<Last>,
    kernels: Kernels,
    /// The interaction and the space as kernels take them.
    parameters: Vec<u64>,
    space: Vec<u64>,
    /// How the last numbers of particles were cut.
    chosen: Option<Chosen>,
    parts: Scratch,
    j_parts: Scratch,
    /// All zero between launches.
    ended: Scratch,
}

/// How some numbers of particles are cut, and by which kernel.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    n: [usize; 2],
    /// Whether i and j are one buffer of one set.
    both: bool,
    kernel: usize,
    cut: Cut,
}

/// An evaluation that may be repeated.
#[derive(Debug)]
struct Last {
    call: Call,
    /// Its launches as one, from the second time on.
    recording: Option<Box<dyn Recording>>,
}

/// The particles of an evaluation, and where its results go.
#[derive(Clone, Copy, Debug)]
struct Buffers<'a> {
    i: &'a Buffer,
    j: &'a Buffer,
    out: &'a Buffer,
    one_set: bool,
    store: Store,
}

impl Buffers<'_> {
    fn n(&self) -> [usize; 2] {
        [self.i.n, self.j.n]
    }

    /// Whether i and j are one set in one buffer.
    fn is_one_buffer(&self) -> bool {
        self.one_set && self.i.memory.address() == self.j.memory.address()
    }

    fn call(&self) -> Call {
        let addresses = [self.i, self.j, self.out].map(|buffer| buffer.memory.address());
        Call { addresses, n: self.n(), one_set: self.one_set, store: self.store }
    }
}

/// What an evaluation reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    addresses: [u64; 3],
    n: [usize; 2],
    one_set: bool,
    store: Store,
}

impl CudaEngine {
    /// With these parameters of the law.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        parameters: &dyn Rows,
        options: Options,
    ) -> Result<Box<Self>, Error> {
        if let Some(order) = options.order {
            order.check()?;
        }
        options.domain.check(options.precision)?;
        let kernels = Kernels::new(backend, cache, law, options)?;
        let (parts, j_parts, ended) = Default::default();
        let mut engine = Box::new(Self {
            parameters: Vec::new(),
            space: space(options),
            law,
            options,
            backend: backend.clone(),
            kernels,
            chosen: None,
            last: None,
            parts,
            j_parts,
            ended,
        });
        engine.set_parameters(parameters);
        Ok(engine)
    }

    /// Changes the parameters of the law, which are one record.
    pub fn set_parameters(&mut self, parameters: &dyn Rows) {
        self.last = None;
        let row = pack::rows(parameters);
        self.parameters = words(&bytes(self.law.parameters, &row, self.options.precision));
    }

    /// Changes the space that the particles are in.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(self.options.precision)?;
        let options = self.options.domain(domain);
        self.last = None;
        if domain.is_periodic() != self.options.domain.is_periodic() {
            self.kernels = self.kernels.with_options(options)?;
            self.chosen = None;
        }
        self.options = options;
        self.space = space(options);
        Ok(())
    }

    /// Restricts what its programs are compiled for, or leaves it to the model again.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        (self.chosen, self.last) = (None, None);
        self.kernels.force(self.options, config)
    }

    /// How it computes.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The kernel of the last evaluation, or the one for many particles before the first.
    pub fn kernel(&self) -> &Kernel {
        self.kernels.get(self.chosen.map_or(self.kernels.main(), |chosen| chosen.kernel))
    }

    pub fn upload(&self, particles: &dyn Rows) -> Result<Buffer, Error> {
        let precision = self.options.precision;
        let numbers = numbers_of(particles.fields(), precision);
        let mut buffer = Buffer::new(&self.backend, particles.count(), numbers, precision)?;
        buffer.write(particles)?;
        Ok(buffer)
    }

    pub fn results(&self, n: usize) -> Result<Buffer, Error> {
        let mut buffer = Buffer::new(&self.backend, n, dim(self.law.f), self.options.backup())?;
        buffer.clear(self.law.f)?;
        Ok(buffer)
    }

    fn check(&self, i: &Buffer, j: &Buffer, out: &Buffer, one_set: bool) -> Result<(), Error> {
        nbody_core::Error::check_length("results", out.n, i.n)?;
        if one_set {
            nbody_core::Error::check_length("j-particles of one set", j.n, i.n)?;
        }
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
        j: &Buffer,
        out: &mut Buffer,
        one_set: bool,
        store: Store,
    ) -> Result<(), Error> {
        self.check(i, j, out, one_set)?;
        if i.n == 0 || j.n == 0 {
            return if store == Store::Add { Ok(()) } else { out.clear(self.law.f) };
        }
        let buffers = Buffers { i, j, out, one_set, store };
        let call = buffers.call();
        // While it works, and if it fails, nothing is to be repeated.
        let recording = match self.last.take() {
            Some(Last { call: last, recording: Some(recording) }) if last == call => {
                recording.replay()?;
                Some(recording)
            }
            // What it needs is there by now, so that there is nothing but launches to record.
            Some(Last { call: last, recording: None }) if last == call => {
                let backend = self.backend.clone();
                let recording = backend.record(&mut || self.launch(buffers))?;
                if let Some(recording) = &recording {
                    recording.replay()?;
                }
                recording
            }
            _ => {
                self.launch(buffers)?;
                None
            }
        };
        self.last = Some(Last { call, recording });
        Ok(())
    }

    pub fn timed(
        &mut self,
        i: &Buffer,
        j: &Buffer,
        out: &mut Buffer,
        one_set: bool,
    ) -> Result<Duration, Error> {
        let backend = self.backend.clone();
        backend.time(&mut || self.run(i, j, out, one_set, Store::Replace))
    }

    fn launch(&mut self, buffers: Buffers) -> Result<(), Error> {
        let Chosen { kernel, cut, .. } = self.choose(buffers.n(), buffers.is_one_buffer())?;
        match cut {
            Cut::Ordered(cut) => self.ordered(kernel, cut, buffers),
            Cut::Symmetric(cut) => self.symmetric(kernel, cut, buffers),
        }
    }

    /// How to cut the work, as the last time or anew.
    fn choose(&mut self, n: [usize; 2], both: bool) -> Result<Chosen, Error> {
        if let Some(chosen) = self.chosen
            && (chosen.n, chosen.both) == (n, both)
        {
            return Ok(chosen);
        }
        let (kernel, cut) = self.kernels.choose(self.options, n, both)?;
        if let Cut::Ordered(Ordered { tiles, splits, .. }) = cut
            && tiles.saturating_mul(splits) > LIMIT
        {
            let what = "blocks (tiles of i-particles times splits)";
            let found = tiles.saturating_mul(splits);
            return Err(Error::TooManyParticles { what, found, limit: LIMIT });
        }
        Ok(*self.chosen.insert(Chosen { n, both, kernel, cut }))
    }

    /// Measures what evaluates these particles in the least time, and keeps it.
    pub fn tune(
        &mut self,
        i: &Buffer,
        j: &Buffer,
        out: &Buffer,
        one_set: bool,
        tell: &mut dyn FnMut(&Tuned, usize),
    ) -> Result<Option<Tuned>, Error> {
        self.check(i, j, out, one_set)?;
        let buffers = Buffers { i, j, out, one_set, store: Store::Replace };
        let (n, both) = (buffers.n(), buffers.is_one_buffer());
        if n.contains(&0) || self.options.order.is_some() || self.kernels.is_forced() {
            return Ok(None);
        }
        let trials = self.kernels.trials(self.options, n, both);
        let mut best: Option<Tuned> = None;
        for &(config, parts) in &trials {
            let time = self.measure(config, parts, n, both, &mut |engine| engine.launch(buffers));
            // A trial is no choice, even where it failed.
            (self.chosen, self.last) = (None, None);
            let tuned = Tuned { n, one_set: both, config, parts, time: time? };
            tell(&tuned, trials.len());
            if best.is_none_or(|best| tuned.time < best.time) {
                best = Some(tuned);
            }
        }
        if let Some(tuned) = best {
            // Without a folder to keep it in, this engine still uses it.
            let _ = self.kernels.tune(self.options, tuned);
        }
        Ok(best)
    }

    /// The median time of an evaluation with this configuration.
    fn measure(
        &mut self,
        config: KernelConfig,
        parts: usize,
        n: [usize; 2],
        both: bool,
        evaluate: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<Duration, Error> {
        let (kernel, cut) = self.kernels.cut_as(self.options, config, parts, n)?;
        (self.chosen, self.last) = (Some(Chosen { n, both, kernel, cut }), None);
        let backend = self.backend.clone();
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(backend.time(&mut || evaluate(self))?);
        }
        times.sort();
        Ok(times[RUNS / 2])
    }

    fn ordered(
        &mut self,
        kernel: usize,
        cut: Ordered,
        Buffers { i, j, out, one_set, store }: Buffers,
    ) -> Result<(), Error> {
        let Ordered { tiles, splits, bags_per_split } = cut;
        let number = bytes_of(self.options.backup());
        let parts = if splits > 1 { splits } else { 0 };
        let sizes = [i.n, dim(self.law.f), parts, number];
        let parts = self.parts.reserve(&*self.backend, &sizes, false)?;
        let ended = self.ended.reserve(&*self.backend, &[tiles, size_of::<u32>()], true)?;
        self.kernels.get(kernel).module.launch(&Launch::AllPairs {
            common: Common { parameters: &self.parameters, space: &self.space },
            i: &*i.memory,
            ni: i.n as u32,
            j: &*j.memory,
            nj: j.n as u32,
            tiles: tiles as u32,
            splits: splits as u32,
            bags_per_split: bags_per_split as u32,
            one_set,
            add: store == Store::Add,
            parts,
            ended,
            out: &*out.memory,
        })
    }

    /// Launches for as many tiles at a time as the memory for their parts allows.
    fn symmetric(
        &mut self,
        kernel: usize,
        cut: Symmetric,
        Buffers { i: particles, out, store, .. }: Buffers,
    ) -> Result<(), Error> {
        let kernel = self.kernels.get(kernel);
        let config = &kernel.program.config;
        let (n, tile) = (particles.n, config.tile());
        let row = dim(self.law.f) * bytes_of(self.options.backup());
        let room = self.backend.room_for_parts();
        let rows = |first, end| model::j_rows(config, n, first..end);
        let mut first = 0;
        while first < cut.tiles {
            let fit = (first + 1..cut.tiles)
                .take_while(|&end| rows(first, end + 1).saturating_mul(row) <= room)
                .last();
            let end = fit.map_or(first + 1, |end| end + 1);
            let blocks = cut.blocks.min(Symmetric::meetings(config, n, first..end));
            let i_rows = [blocks + end - first, tile, row];
            let i_parts = self.parts.reserve(&*self.backend, &i_rows, false)?;
            let j_rows = [rows(first, end), row];
            let j_parts = self.j_parts.reserve(&*self.backend, &j_rows, false)?;
            let share =
                Share { n: n as u32, first: first as u32, end: end as u32, blocks: blocks as u32 };
            let common = Common { parameters: &self.parameters, space: &self.space };
            let particles = &*particles.memory;
            let launch = Launch::Symmetric { common, particles, share, i_parts, j_parts };
            kernel.module.launch(&launch)?;
            let (tile, out, add) = (tile as u32, &*out.memory, store == Store::Add);
            kernel.module.launch(&Launch::MergeParts {
                share,
                add,
                tile,
                i_parts,
                j_parts,
                out,
            })?;
            first = end;
        }
        Ok(())
    }
}

/// The space as kernels take it.
fn space(options: Options) -> Vec<u64> {
    let domain = options.domain;
    words(&match options.precision {
        Precision::Single => bytemuck::cast_slice(&factors::<f32>(domain)).to_vec(),
        Precision::Double => bytemuck::cast_slice(&factors::<f64>(domain)).to_vec(),
        Precision::Mixed => bytemuck::cast_slice(&factors::<Mixed>(domain)).to_vec(),
    })
}

fn factors<S: Scalar>(domain: Domain) -> Vec<S::Word> {
    let [lengths, inverses] = domain.factors();
    let mut words = Vec::new();
    for length in lengths {
        S::coordinate_to_words(S::coordinate(length), |word| words.push(word));
    }
    words.extend(inverses.map(|inverse| S::from_f64(inverse).to_word()));
    words
}
