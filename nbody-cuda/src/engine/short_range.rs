//! Interactions over neighbour lists, on any device.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nbody_core::near::cutoff::{Cutoff, position};
use nbody_core::near::{self, GROUP};
use nbody_core::pack::{self, dim};
use nbody_core::{
    CpuShortRange, Domain, Field, HasCutoff, Interaction, Law, NeighbourTimes, Options, Record,
    Scalar, SimdLevel, Skin, Sources, Store, SummationOrder,
};

use super::foreign;
use super::neighbours::{CudaNeighbours, Neighbours, Sets};
use crate::backend::{Backend, Buffer, Kernel, Launch, Scratch};
use crate::compile::cache::Cache;
use crate::device::Kind;
use crate::layout::{bytes, bytes_of, numbers_of, space, words};
use crate::near::declared::PeriodicBox;
use crate::near::given::Excluded;
use crate::near::keys::Position;
use crate::{Build, CudaResults, Device, Error, Particles, Program, Results};

/// Sums an interaction that has a cutoff over neighbour lists, on any [`Device`].
///
/// The order of summation is that of the lists: it depends on the positions of the particles when the
/// lists were built, and not on timing. In the one evaluation after lists on a GPU outgrew their memory
/// the sums are folded elsewhere, and the last bits may differ.
#[derive(Debug)]
pub struct ShortRange<X> {
    device: Device,
    engine: Inner<X>,
}

#[derive(Debug)]
enum Inner<X> {
    Cpu(CpuShortRange<X>),
    Cuda(X, Box<ListEngine>),
}

impl<X: Interaction> ShortRange<X> {
    /// Creates an engine with the default [`Options`]. Lists refuse an interaction that has no cutoff.
    /// Programs are compiled, or loaded from the cache, when they first meet records of other fields.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// Creates an engine with these options, of which the space must be open: the lists have theirs.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = match device.kind() {
            Kind::Cpu(level) => {
                let level = level.unwrap_or_else(SimdLevel::best);
                Inner::Cpu(CpuShortRange::with_level(interaction, options, level)?)
            }
            Kind::Cuda(backend) => {
                let engine = ListEngine::new(backend, device.cache(), X::LAW, options)?;
                Inner::Cuda(interaction, Box::new(engine))
            }
        };
        let mut short_range = Self { device: device.clone(), engine };
        short_range.set_interaction(interaction);
        Ok(short_range)
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the interaction with its parameters.
    pub fn interaction(&self) -> &X {
        match &self.engine {
            Inner::Cpu(engine) => engine.interaction(),
            Inner::Cuda(interaction, _) => interaction,
        }
    }

    /// Sets the interaction with its parameters; nothing is recompiled. Lists that are updated for other
    /// parameters of the cutoff are built again by the next update.
    pub fn set_interaction(&mut self, interaction: X) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_interaction(interaction),
            Inner::Cuda(own, engine) => {
                let row = pack::rows(&std::slice::from_ref(&interaction));
                let precision = engine.options.precision;
                engine.parameters = words(&bytes(X::LAW.parameters, &row, precision));
                *own = interaction;
            }
        }
    }

    /// Leaves out these pairs of this interaction alone, such as bonded atoms, instead of those that were
    /// left out before, and beside those that the lists leave out. The indices are those of two particles
    /// of one set, or of an i-particle and a j-particle; the next evaluation refuses indices beyond the
    /// particles.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.exclude(pairs),
            Inner::Cuda(_, engine) => engine.excluded.set(pairs),
        }
    }

    /// Returns the options.
    pub fn options(&self) -> Options {
        match &self.engine {
            Inner::Cpu(engine) => engine.options(),
            Inner::Cuda(_, engine) => engine.options,
        }
    }

    /// Returns the CUDA program of the last evaluation, and how it was compiled; `None` on the CPU and
    /// before the first.
    pub fn program(&self) -> Option<(&Program, &Build)> {
        match &self.engine {
            Inner::Cpu(_) => None,
            Inner::Cuda(_, engine) => {
                engine.built.last().map(|(_, kernel)| (&kernel.program, &kernel.build))
            }
        }
    }

    /// Allocates the results of `n` i-particles, with the values of no pair.
    pub fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        Ok(match &self.engine {
            Inner::Cpu(engine) => Results::Cpu(engine.results(n)?),
            Inner::Cuda(_, engine) => {
                let buffer = engine.results(n)?;
                Results::Cuda(CudaResults { buffer, record: PhantomData })
            }
        })
    }

    /// Evaluates the pairs of one set within the cutoff, and replaces the results, which are in the order
    /// of the particles. These have the fields of the interaction, by name and type.
    ///
    /// Lists that are not good for the particles as they are now are refused, and the results stay: where a
    /// particle has moved by more than half of the skin since the last [`update`](Neighbours::update), or
    /// something that cutoffs depend on has changed beyond the bounds of the lists. After an update this costs
    /// nothing on a GPU, whatever other fields programs change since. If positions or numbers that cutoffs
    /// depend on were written since, or the buffer is another one, the device looks at them first, for which
    /// the host waits. Pairs that were given are good wherever the particles are; on the CPU in a periodic box, until
    /// another image of a particle may be the nearest.
    pub fn evaluate_into<P: Record>(
        &mut self,
        near: &Neighbours,
        particles: &Particles<P>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(near, particles, Sources::Same(particles), out, Store::Replace)
    }

    /// Evaluates as [`evaluate_into`](Self::evaluate_into) does, and adds to the results.
    pub fn add_into<P: Record>(
        &mut self,
        near: &Neighbours,
        particles: &Particles<P>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(near, particles, Sources::Same(particles), out, Store::Add)
    }

    /// Evaluates the pairs of i-particles and j-particles within the cutoff, and stores the sums for the
    /// i-particles. The other evaluations call this one, and it refuses lists as
    /// [`evaluate_into`](Self::evaluate_into) does.
    pub fn evaluate_with<P: Record, Q: Record>(
        &mut self,
        near: &Neighbours,
        i: &Particles<P>,
        j: Sources<'_, Particles<Q>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let cutoff = self.cutoff();
        let all = (i, j.particles(), out);
        match (&mut self.engine, near.on_cpu(), near.on_cuda(), all) {
            (
                Inner::Cpu(engine),
                Some(near),
                _,
                (Particles::Cpu(i), Particles::Cpu(of_j), Results::Cpu(out)),
            ) => Ok(engine.evaluate_with(near, i, j.with(of_j), out, store)?),
            (
                Inner::Cuda(_, engine),
                _,
                Some(near),
                (Particles::Cuda(i), Particles::Cuda(of_j), Results::Cuda(out)),
            ) => {
                let sets = Sets::new(i, j.with(of_j));
                engine.run(near, &cutoff, &sets, &mut out.buffer, store)
            }
            _ => Err(foreign(&self.device, "particles, lists or results")),
        }
    }

    /// Measures the time of an evaluation on the device: by events on a GPU, by the clock on the CPU.
    pub fn time<P: Record>(
        &mut self,
        near: &Neighbours,
        particles: &Particles<P>,
        out: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        let backend = match &self.engine {
            Inner::Cpu(_) => None,
            Inner::Cuda(_, engine) => Some(engine.backend.clone()),
        };
        let mut run = || self.evaluate_into(near, particles, out);
        if let Some(backend) = backend {
            return backend.time(&mut run);
        }
        let start = Instant::now();
        run()?;
        Ok(start.elapsed())
    }

    /// Returns the results of every particle of one set in this space, by lists that are built for this
    /// evaluation alone.
    pub fn evaluate<S: Scalar>(
        &mut self,
        domain: Domain,
        particles: &[<X::I as Record>::With<S>],
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error>
    where
        X: Interaction<J = <X as Interaction>::I>,
    {
        let precision = self.options().precision;
        let skin = Skin::Length(0.0);
        let mut near = Neighbours::with_precision(&self.device, domain, skin, precision)?;
        let particles = near.upload(particles)?;
        near.update(&particles, &[&*self])?;
        let mut out = self.results(particles.len())?;
        self.evaluate_into(&near, &particles, &mut out)?;
        self.download::<S>(&out)
    }

    /// Copies results to the host, after the evaluations that fill them have ended.
    pub fn download<S: Scalar>(
        &self,
        results: &Results<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        match (&self.engine, results) {
            (Inner::Cpu(engine), Results::Cpu(results)) => Ok(engine.download::<S>(results)?),
            (Inner::Cuda(..), Results::Cuda(results)) => {
                let (n, mut records) = (results.len(), Vec::new());
                let take = &mut |rows: &pack::WriteRows| records = pack::unpack(n, rows);
                results.buffer.read(X::F::FIELDS, take)?;
                Ok(records)
            }
            _ => Err(foreign(&self.device, "results")),
        }
    }
}

impl<X: Interaction> HasCutoff for ShortRange<X> {
    fn cutoff(&self) -> Cutoff {
        Cutoff::of(self.interaction())
    }
}

/// A program of an interaction over lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    /// The fields of the buffers of i-particles and of j-particles.
    fields: [&'static [Field]; 2],
    /// Whether some j-particles do not act on all i-particles of their group.
    is_restricted: bool,
    is_periodic: bool,
    /// The order of summation, which depends on the number of particles.
    order: SummationOrder,
}

/// The engine of CUDA programs over lists, without the Rust types of a law.
#[derive(Debug)]
struct ListEngine {
    law: &'static Law,
    options: Options,
    backend: Arc<dyn Backend>,
    cache: Cache,
    parameters: Vec<u64>,
    /// The kernels for the buffers and lists that were met so far.
    built: Vec<(Variant, Kernel)>,
    /// The pairs that this interaction leaves out.
    excluded: Excluded,
    /// Copies of the i- and the j-particles in the order of the lists, and their positions.
    particles: [Scratch; 2],
    positions: [Scratch; 2],
    /// Scratch memory for results that are added to others.
    fresh: Option<Buffer>,
}

impl ListEngine {
    fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        options: Options,
    ) -> Result<Self, Error> {
        if options.domain != Domain::Open {
            return Err(nbody_core::Error::DomainOfLists.into());
        }
        if let Some(order) = options.order {
            order.check()?;
        }
        Ok(Self {
            law,
            options,
            backend: backend.clone(),
            cache: cache.clone(),
            parameters: Vec::new(),
            built: Vec::new(),
            excluded: Excluded::default(),
            particles: Default::default(),
            positions: Default::default(),
            fresh: None,
        })
    }

    fn results(&self, n: usize) -> Result<Buffer, Error> {
        let mut buffer = Buffer::new(&self.backend, n, dim(self.law.f), self.options.backup())?;
        buffer.clear(self.law.f)?;
        Ok(buffer)
    }

    fn run(
        &mut self,
        near: &CudaNeighbours,
        cutoff: &Cutoff,
        sets: &Sets,
        out: &mut Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let mut times = NeighbourTimes::default();
        times.evaluations = 1;
        self.evaluate(near, cutoff, sets, (out, store), &mut times)?;
        near.lists.timer.add(&times);
        Ok(())
    }

    fn evaluate(
        &mut self,
        near: &CudaNeighbours,
        cutoff: &Cutoff,
        sets: &Sets,
        (out, store): (&mut Buffer, Store),
        times: &mut NeighbourTimes,
    ) -> Result<(), Error> {
        check_devices(&self.backend, self.options, near, sets, out)?;
        nbody_core::Error::check_length("results", out.n, sets.i.0.n)?;
        near.check(cutoff, sets)?;
        let nj = sets.j.map_or(out.n, |(j, _)| j.n);
        if out.n == 0 || nj == 0 {
            return if store == Store::Add { Ok(()) } else { out.clear(self.law.f) };
        }
        self.excluded.upload(&*self.backend, [out.n, nj], sets.one_set)?;
        let kernel = self.provide(near, sets)?;
        if store == Store::Replace {
            return self.launch(kernel, near, sets, out, times);
        }
        let fresh = match self.fresh.take() {
            Some(fresh) if fresh.n == out.n => fresh,
            other => {
                drop(other);
                Buffer::new(&self.backend, out.n, dim(self.law.f), self.options.backup())?
            }
        };
        self.launch(kernel, near, sets, &fresh, times)?;
        let Kernel { program, module, .. } = &self.built[kernel].1;
        let launch = Launch::new(c"add_listed", out.n.div_ceil(program.config.block) as u32);
        let launch = launch.value(&near.lists.not_finite());
        let launch = near.lists.memory().into_iter().fold(launch, Launch::reads);
        let launch = launch.pointers([&*fresh.memory, &*out.memory]).numbers([out.n as u32]);
        let added = near.lists.timed(&mut times.force, || module.launch(launch));
        self.fresh = Some(fresh);
        added
    }

    /// Returns the kernel for these lists and particles, compiled if necessary.
    fn provide(&mut self, near: &CudaNeighbours, sets: &Sets) -> Result<usize, Error> {
        let domain = near.space_of_pairs();
        let fields = [sets.i.1, sets.j.map_or(sets.i.1, |(_, fields)| fields)];
        let is_restricted = near.lists.is_restricted() || !self.excluded.pairs().is_empty();
        let order = near::bags::order(self.law, self.options, sets.i.0.n);
        let is_periodic = domain.is_periodic();
        let variant = Variant { fields, is_restricted, is_periodic, order };
        if let Some(found) = self.built.iter().position(|(known, _)| *known == variant) {
            return Ok(found);
        }
        let options = self.options.domain(domain).order(order);
        let program = if is_restricted {
            Program::restricted_list(self.law, options, fields)?
        } else {
            Program::list(self.law, options, fields)?
        };
        let (module, build) = self.backend.build(&program, &self.cache)?;
        self.built.push((variant, Kernel { program, module, build }));
        Ok(self.built.len() - 1)
    }

    fn launch(
        &mut self,
        kernel: usize,
        near: &CudaNeighbours,
        sets: &Sets,
        out: &Buffer,
        times: &mut NeighbourTimes,
    ) -> Result<(), Error> {
        let (_, kernel) = &self.built[kernel];
        // The images of given pairs are found when they are evaluated.
        let length = if near.is_given() { [0.0; 3] } else { near.lengths() };
        let periodic = PeriodicBox { length };
        let space = space(near.space_of_pairs(), self.options.precision);
        let precision = self.options.precision;
        let (i, of_i) = sets.i;
        let (j, of_j) = sets.j.unwrap_or(sets.i);
        let place_of_j = usize::from(sets.j.is_some());
        // Where i- and j-particles are one type in one buffer, one copy serves both.
        let is_one = sets.j.is_none() && self.law.i == self.law.j;
        let copies = [(c"copy_i", i, self.law.i, 0), (c"copy_j", j, self.law.j, place_of_j)];
        // The last look has found the positions of particles that have nothing else.
        let known = |buffer, fields, place| {
            let has_more = dim(fields) > dim(position(fields));
            let of_buffer = if place == 0 { of_i } else { of_j };
            near.positions_of(place, (buffer, of_buffer)).filter(|_| !has_more)
        };
        for (set, (name, buffer, fields, place)) in copies.into_iter().enumerate() {
            if set == 0 && is_one || known(buffer, fields, place).is_some() {
                continue;
            }
            let record = numbers_of(fields, precision) * bytes_of(precision);
            let to = self.particles[set].reserve(&*self.backend, &[buffer.n, record], false)?;
            let sizes = [buffer.n, size_of::<Position>()];
            let at = self.positions[set].reserve(&*self.backend, &sizes, false)?;
            let blocks = buffer.n.div_ceil(kernel.program.config.block) as u32;
            let launch = Launch::new(name, blocks).pointers([&*buffer.memory]);
            let launch = launch.value(&near.lists.placed(place)).value(&periodic);
            let launch = near.lists.memory().into_iter().fold(launch, Launch::reads);
            let launch = launch.pointers([to, at]);
            near.lists.timed(&mut times.pack, || kernel.module.launch(launch))?;
        }
        let set_of_i = usize::from(is_one);
        let [order_of_i, order_of_j] = [0, place_of_j].map(|set| near.lists.placed(set).order);
        let launch = Launch::new(c"list", out.n.div_ceil(GROUP) as u32);
        let launch = launch.record(&self.parameters).record(&space).value(&periodic);
        let launch = launch.value(&near.lists.lists()).value(&near.lists.not_finite());
        let restriction = near.lists.restriction(&self.excluded);
        let launch = self.excluded.memory().fold(launch.value(&restriction), Launch::reads);
        let launch = near.lists.memory().into_iter().fold(launch, Launch::reads);
        let of_set = |set: usize| {
            let (_, buffer, fields, place) = copies[set];
            known(buffer, fields, place).map_or_else(
                || [self.particles[set].memory(), self.positions[set].memory()],
                |at| [at, at],
            )
        };
        let launch = launch.pointers(of_set(set_of_i)).value(&order_of_i);
        let launch = launch.numbers([out.n as u32]).pointers(of_set(1)).value(&order_of_j);
        let launch = launch.numbers([j.n as u32, sets.one_set.into()]);
        let launch = launch.pointers([&*out.memory]);
        near.lists.timed(&mut times.force, || kernel.module.launch(launch))
    }
}

/// Refuses lists, particles or results of another device, and buffers of another precision.
fn check_devices(
    backend: &Arc<dyn Backend>,
    options: Options,
    near: &CudaNeighbours,
    sets: &Sets,
    out: &Buffer,
) -> Result<(), Error> {
    for (what, buffer, _) in sets.each() {
        buffer.check(what, backend, options.precision)?;
    }
    out.check("results", backend, options.backup())?;
    near.check_backend(backend)
}

#[cfg(test)]
mod tests {
    use nbody_core::Precision;

    use super::*;
    use crate::backend::emulator::Emulator;
    use crate::particle::tests::Another;

    #[test]
    fn evaluations_refuse_what_belongs_to_another_backend() {
        let cache = tempfile::tempdir().unwrap();
        let device = Device::cpu().with_cache_dir(cache.path());
        let emulator = Emulator::open().unwrap();
        let here: Arc<dyn Backend> = Arc::new(emulator.clone());
        let there: Arc<dyn Backend> = Arc::new(Another::of(emulator));
        let options = Options::default();
        let pairs = || (Skin::Auto, None);
        let [ours, theirs] = [&here, &there].map(|backend| {
            let near =
                CudaNeighbours::new(&device, backend, Domain::Open, pairs(), Precision::Single);
            let buffer = |precision| Buffer::new(backend, 3, 4, precision).unwrap();
            (near.unwrap(), buffer(options.precision), buffer(options.backup()))
        });
        let check = |near, i, j, out| {
            let sets = Sets { i: (i, &[]), j: Some((j, &[])), one_set: false };
            check_devices(&here, options, near, &sets, out)
        };
        check(&ours.0, &ours.1, &ours.1, &ours.2).unwrap();
        for (of, done) in [
            ("neighbour lists of", check(&theirs.0, &ours.1, &ours.1, &ours.2)),
            ("i-particles of", check(&ours.0, &theirs.1, &ours.1, &ours.2)),
            ("j-particles of", check(&ours.0, &ours.1, &theirs.1, &ours.2)),
            ("results of", check(&ours.0, &ours.1, &ours.1, &theirs.2)),
        ] {
            let error = done.expect_err(of);
            assert!(matches!(error, Error::ForeignBuffer { .. }), "{of}: {error}");
            assert!(error.to_string().starts_with(of), "{error}");
        }
    }
}
