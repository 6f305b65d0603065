//! Laws over neighbour lists, by CUDA programs.

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nbody_compile::Cache;
use nbody_core::lists;
use nbody_core::lists::cutoff::{Cutoff, position};
use nbody_core::order::GROUP;
use nbody_core::pack::dim;
use nbody_core::{
    Cell, Domain, Field, Law, NeighbourTimes, Options, Sources, SpaceKind, Store, SummationOrder,
    untyped,
};

use super::declared::PeriodicBox;
use super::evaluation::ListKind;
use super::given::Excluded;
use super::neighbours::CudaNeighbours;
use super::sets::ListSets;
use crate::backend::{Backend, Buffer, Kernel, Launch, Scratch};
use crate::compile::program::Program;
use crate::engine::buffer::{foreign, results};
use crate::engine::setup::Setup;
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of, space};
use crate::order::keys::Position;

/// The variant of a program of an interaction over lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    /// The fields of the buffers of i-particles and of j-particles.
    fields: [&'static [Field]; 2],
    kind: ListKind,
    space: SpaceKind,
    /// The summation order, which depends on the number of particles.
    order: SummationOrder,
}

/// The engine of CUDA programs over lists.
#[derive(Debug)]
pub(crate) struct ListEngine {
    setup: Setup,
    /// The cutoff, with its parameters.
    cutoff: Cutoff,
    /// The kernels for the buffers and lists so far.
    built: Vec<(Variant, Kernel)>,
    /// The pairs that this interaction excludes.
    excluded: Excluded,
    /// Copies of the i-particles and the j-particles in the order of the lists, and their
    /// positions.
    particles: [Scratch; 2],
    positions: [Scratch; 2],
}

impl ListEngine {
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Self, Error> {
        if options.domain != Domain::Open {
            return Err(nbody_core::Error::DomainOfLists.into());
        }
        Ok(Self {
            setup: Setup::new(backend, cache, law, parameters, options)?,
            cutoff: Cutoff::new(law, parameters),
            built: Vec::new(),
            excluded: Excluded::default(),
            particles: Default::default(),
            positions: Default::default(),
        })
    }

    /// Returns the kernel of the last evaluation.
    pub fn kernel(&self) -> Option<&Kernel> {
        self.built.last().map(|(_, kernel)| kernel)
    }

    fn run(
        &mut self,
        near: &CudaNeighbours,
        sets: &ListSets,
        out: &mut Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let mut times = NeighbourTimes::default();
        times.evaluations = 1;
        self.sum(near, sets, (out, store), &mut times)?;
        near.lists.timer.add(&times);
        Ok(())
    }

    fn sum(
        &mut self,
        near: &CudaNeighbours,
        sets: &ListSets,
        (out, store): (&mut Buffer, Store),
        times: &mut NeighbourTimes,
    ) -> Result<(), Error> {
        self.setup.parameters.check()?;
        check_devices(&self.setup.backend, self.setup.options, near, sets, out)?;
        let ni = sets.i.0.n;
        nbody_core::Error::check_results(out.n, ni, sets.is_first)?;
        lists::check_listed(out.n, near.lists.wanted)?;
        near.check(&self.cutoff, sets)?;
        let nj = sets.j.map_or(ni, |(j, _)| j.n);
        if out.n == 0 || nj == 0 {
            return if store == Store::Add { Ok(()) } else { out.clear(self.setup.law.f) };
        }
        let named = near.lists.subset.named([ni, nj]);
        self.excluded.upload(&*self.setup.backend, named, sets.one_set)?;
        let kernel = self.provide(near, sets, out.n < ni)?;
        if store == Store::Replace {
            return self.launch(kernel, near, sets, out, times);
        }
        let fresh = self.setup.fresh(out.n)?;
        self.launch(kernel, near, sets, &fresh, times)?;
        let Kernel { program, module, .. } = &self.built[kernel].1;
        let launch = Launch::new(c"add_listed", out.n.div_ceil(program.config.block) as u32);
        let launch = launch.value(&near.lists.not_finite());
        let launch = near.lists.memory().into_iter().fold(launch, Launch::reads);
        let launch = launch.pointers([&*fresh.memory, &*out.memory]).numbers([out.n as u32]);
        let added = near.lists.timed(&mut times.force, || module.launch(launch));
        self.setup.keep_fresh(fresh);
        added
    }

    /// Returns the place of the kernel for these lists and particles, compiled if necessary.
    fn provide(
        &mut self,
        near: &CudaNeighbours,
        sets: &ListSets,
        is_first: bool,
    ) -> Result<usize, Error> {
        let variant = self.variant(near, sets, is_first);
        if let Some(found) = self.built.iter().position(|(known, _)| *known == variant) {
            return Ok(found);
        }
        let program = self.program(&variant, near.space_of_pairs())?;
        let kernel = Kernel::build(&*self.setup.backend, &self.setup.cache, program)?;
        self.built.push((variant, kernel));
        Ok(self.built.len() - 1)
    }

    /// Returns the variant for these lists and particles.
    fn variant(&self, near: &CudaNeighbours, sets: &ListSets, is_first: bool) -> Variant {
        let fields = [sets.i.1, sets.j.map_or(sets.i.1, |(_, fields)| fields)];
        let is_restricted = near.lists.is_restricted() || !self.excluded.pairs().is_empty();
        let order = lists::bags::order(self.setup.law, self.setup.options, sets.i.0.n);
        let is_subset = is_restricted && near.lists.subset.is_some();
        let is_tilted = near.cell_of_images().is_tilted();
        let kind = ListKind { is_restricted, is_first, is_subset, is_tilted };
        Variant { fields, kind, space: near.space_of_pairs().kind(), order }
    }

    /// Returns the program of a variant for pairs in this space.
    fn program(&self, variant: &Variant, domain: Domain) -> Result<Program, Error> {
        let options = self.setup.options.domain(domain).order(variant.order);
        Program::over_lists(self.setup.law, options, variant.fields, variant.kind)
    }

    fn launch(
        &mut self,
        kernel: usize,
        near: &CudaNeighbours,
        sets: &ListSets,
        out: &Buffer,
        times: &mut NeighbourTimes,
    ) -> Result<(), Error> {
        let (_, kernel) = &self.built[kernel];
        let Cell { lengths: length, tilts: tilt } = near.cell_of_images();
        let periodic = PeriodicBox { length, tilt };
        let space = space(near.space_of_pairs(), self.setup.options.precision);
        let precision = self.setup.options.precision;
        let (i, of_i) = sets.i;
        let (j, of_j) = sets.j.unwrap_or(sets.i);
        let place_of_j = usize::from(sets.j.is_some());
        // If i-particles and j-particles are one type in one buffer, one copy serves both.
        let is_one = sets.j.is_none() && self.setup.law.i == self.setup.law.j;
        let copies =
            [(c"copy_i", i, self.setup.law.i, 0), (c"copy_j", j, self.setup.law.j, place_of_j)];
        // For particles with nothing but a position, the positions of the last look suffice.
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
            let to =
                self.particles[set].reserve(&*self.setup.backend, &[buffer.n, record], false)?;
            let sizes = [buffer.n, size_of::<Position>()];
            let at = self.positions[set].reserve(&*self.setup.backend, &sizes, false)?;
            let blocks = buffer.n.div_ceil(kernel.program.config.block) as u32;
            let launch = Launch::new(name, blocks).pointers([&*buffer.memory]);
            let launch = launch.value(&near.lists.placed(place)).value(&periodic);
            let launch = near.lists.memory().into_iter().fold(launch, Launch::reads);
            let launch = launch.pointers([to, at]);
            near.lists.timed(&mut times.pack, || kernel.module.launch(launch))?;
        }
        let set_of_i = usize::from(is_one);
        let [order_of_i, order_of_j] = [0, place_of_j].map(|set| near.lists.placed(set).order);
        let launch = Launch::new(c"list", i.n.div_ceil(GROUP) as u32);
        let launch = self.setup.parameters.pass(launch).record(&space).value(&periodic);
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
        let launch = launch.numbers([i.n as u32]).pointers(of_set(1)).value(&order_of_j);
        let launch = launch.numbers([j.n as u32, sets.one_set.into(), out.n as u32]);
        let launch = launch.pointers([&*out.memory]);
        near.lists.timed(&mut times.force, || kernel.module.launch(launch))
    }
}

impl untyped::ShortRange for ListEngine {
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
        self.setup.parameters.set(parameters)?;
        self.cutoff = Cutoff::new(self.setup.law, parameters);
        Ok(())
    }

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.excluded.set(pairs);
    }

    fn results(&self, n: usize) -> Result<Box<dyn untyped::Buffer>, nbody_core::Error> {
        Ok(self.setup.boxed_results(n)?)
    }

    fn update(
        &mut self,
        lists: &mut dyn untyped::Neighbours,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        cutoffs: Vec<Cutoff>,
        results: usize,
    ) -> Result<(), nbody_core::Error> {
        let backend = self.setup.backend.clone();
        let near = (lists as &dyn Any).downcast_ref::<CudaNeighbours>();
        let near = near.ok_or_else(|| foreign("neighbour lists", &*backend))?;
        let sets = ListSets::new(&*backend, i, j)?;
        let variant = self.variant(near, &sets, results < i.len());
        let is_known = self.built.iter().any(|(known, _)| *known == variant);
        if is_known || results == 0 || j.particles().is_empty() {
            return lists.update(i, j, cutoffs);
        }
        let program = self.program(&variant, near.space_of_pairs())?;
        let cache = &self.setup.cache;
        let (updated, kernel) = thread::scope(|scope| {
            let kernel = scope.spawn(|| Kernel::build(&*backend, cache, program));
            let updated = lists.update(i, j, cutoffs);
            (updated, kernel.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        updated?;
        self.built.push((variant, kernel?));
        Ok(())
    }

    fn evaluate(
        &mut self,
        lists: &dyn untyped::Neighbours,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
        store: Store,
    ) -> Result<(), nbody_core::Error> {
        let backend = self.setup.backend.clone();
        let lists = (lists as &dyn Any).downcast_ref();
        let lists = lists.ok_or_else(|| foreign("neighbour lists", &*backend))?;
        let sets = ListSets::new(&*backend, i, j)?;
        Ok(self.run(lists, &sets, results(&*backend, out, self.setup.law.f)?, store)?)
    }

    fn time(
        &mut self,
        lists: &dyn untyped::Neighbours,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        out: &mut dyn untyped::Buffer,
    ) -> Result<Duration, nbody_core::Error> {
        let backend = self.setup.backend.clone();
        Ok(backend.time(&mut || Ok(self.evaluate(lists, i, j, out, Store::Replace)?))?)
    }
}

/// Refuses lists, particles or results of another device, and buffers of another precision.
fn check_devices(
    backend: &Arc<dyn Backend>,
    options: Options,
    near: &CudaNeighbours,
    sets: &ListSets,
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
    use nbody_core::untyped::Origin;
    use nbody_core::{Precision, Skin};

    use super::*;
    use crate::backend::another::Another;
    use crate::backend::emulator::Emulator;

    #[test]
    fn evaluations_refuse_what_belongs_to_another_backend() {
        let cache = tempfile::tempdir().unwrap();
        let cache = Cache::at(cache.path());
        let emulator = Emulator::open().unwrap();
        let here: Arc<dyn Backend> = Arc::new(emulator.clone());
        let there: Arc<dyn Backend> = Arc::new(Another::of(emulator));
        let options = Options::default();
        let pairs = || Origin::Found(Skin::Auto);
        let [ours, theirs] = [&here, &there].map(|backend| {
            let near =
                CudaNeighbours::new(backend, &cache, Domain::Open, pairs(), Precision::Single);
            let buffer = |precision| Buffer::new(backend, 3, 4, precision).unwrap();
            (near.unwrap(), buffer(options.precision), buffer(options.backup()))
        });
        let check = |near, i, j, out| {
            let sets = ListSets { i: (i, &[]), j: Some((j, &[])), one_set: false, is_first: false };
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
            assert!(
                matches!(error, Error::Core(nbody_core::Error::ForeignBuffer { .. })),
                "{of}: {error}"
            );
            assert!(error.to_string().starts_with(of), "{error}");
        }
    }
}
