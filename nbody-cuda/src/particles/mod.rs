//! Programs per particle on one backend, without their types.
//!
//! The kernels are the `.cuh` files of this folder; `program` assembles them.

mod per_particle;
pub mod program;
pub mod selection;
pub mod sequence;

use std::ffi::CStr;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::{self, Binding, Place, dim};
use nbody_core::{Domain, Field, ParticleProgram, ParticleText, Precision, SpaceKind};

use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Scratch};
use crate::border::Address;
use crate::compile::program::Program;
use crate::engine::parameters::DeviceParameters;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, numbers_of, space};
use program::{BLOCK, Layout, ParticleBuffers};
use selection::CudaSelection;

/// Shared memory of a block, for the merge of totals.
const SHARED_MEMORY: usize = 48 * 1024;

/// The parameters and the domain of a program per particle, with its kernels on one backend.
#[derive(Debug)]
pub(crate) struct ParticleEngine {
    pub backend: Arc<dyn Backend>,
    cache: Cache,
    pub domain: Domain,
    /// Whether updates wrap positions into the box.
    pub wrap: bool,
    /// The parameters and the space, as arguments of kernels.
    parameters: DeviceParameters,
    space: Vec<u64>,
    /// The kernels that were needed so far.
    built: Vec<BuiltProgram>,
    /// Totals of blocks, before and after a merge.
    totals: [Scratch; 2],
    /// The total of a measure for the host.
    total: Scratch,
}

#[derive(Debug)]
struct BuiltProgram {
    key: Key,
    kernel: Kernel,
    /// The numbers of a particle that the program changes.
    changed: Vec<usize>,
}

/// The key of a kernel, for given parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    /// The text of the program, which determines its records and its kind.
    cuda: ParticleText,
    buffers: ParticleBuffers,
    space: SpaceKind,
    wrap: bool,
}

/// The buffers that a program reads besides the particles, in the order of its records, with the
/// fields of each.
#[derive(Debug, Default)]
pub(crate) struct Beside<'a> {
    pub q: Vec<Bound<'a>>,
    pub f: Vec<Bound<'a>>,
    pub g: Vec<Bound<'a>>,
}

/// A buffer and its fields.
pub(crate) type Bound<'a> = (&'a Buffer, &'static [Field]);

/// The first particles of a selection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First<'a> {
    pub order: &'a CudaSelection,
    pub count: usize,
    /// The particles to copy, if the program changes copies.
    pub from: Option<&'a Buffer>,
    /// The place of the parameter that is replaced by the time at which they take part.
    pub due: Option<Place>,
}

impl Beside<'_> {
    /// Refuses buffers of the wrong length or of another backend. The soundness of launches
    /// depends on this check, and on the check of their numbers by
    /// [`ParticleProgram::check_buffers`].
    fn check(
        &self,
        p: &Buffer,
        first: Option<First>,
        backend: &Arc<dyn Backend>,
    ) -> Result<(), Error> {
        let mut lengths = [p.n, p.n];
        if let Some(First { order, count, from, .. }) = first {
            let found = from.map_or(p.n, |from| from.n);
            nbody_core::Error::check_length("particles to select from", found, order.n)?;
            nbody_core::Error::check_range(&(0..count), order.n)?;
            order.check(backend)?;
            lengths = [order.n, count];
        }
        let inputs = [("second particles", &self.q), ("results", &self.f)];
        for ((what, buffers), expected) in inputs.into_iter().zip(lengths) {
            for (buffer, _) in buffers {
                nbody_core::Error::check_length(what, buffer.n, expected)?;
            }
        }
        for (total, _) in &self.g {
            nbody_core::Error::check_one_total("totals", total.n)?;
        }
        if p.n > PARTICLE_LIMIT {
            return Err(Error::TooManyParticles {
                what: "particles",
                found: p.n,
                limit: PARTICLE_LIMIT,
            });
        }
        p.check("particles", backend, p.precision)?;
        for (what, buffers) in inputs.into_iter().chain([("totals", &self.g)]) {
            for (buffer, _) in buffers {
                buffer.check(what, backend, buffer.precision)?;
            }
        }
        Ok(())
    }
}

impl ParticleEngine {
    /// Creates an engine with parameters of these fields, one row.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Self, nbody_core::Error> {
        let domain = Domain::Open;
        Ok(Self {
            backend: backend.clone(),
            cache: cache.clone(),
            domain,
            parameters: DeviceParameters::new(backend, fields, parameters, Precision::Double)?,
            wrap: false,
            space: space(domain, Precision::Double),
            built: Vec::new(),
            totals: Default::default(),
            total: Scratch::default(),
        })
    }

    /// Sets the parameters, one row.
    pub fn set_row(&mut self, parameters: &[u64]) -> Result<(), nbody_core::Error> {
        self.parameters.set(parameters)
    }

    /// Sets the domain, in which programs find differences of positions.
    pub fn set_space(&mut self, domain: Domain) -> Result<(), nbody_core::Error> {
        domain.check(Precision::Double)?;
        self.domain = domain;
        self.space = space(domain, Precision::Double);
        Ok(())
    }

    /// Refuses parameters of another program, and NaN.
    fn check(&self, program: &ParticleProgram) -> Result<(), nbody_core::Error> {
        nbody_core::Error::check_record(
            "parameters",
            self.parameters.fields(),
            program.parameters,
        )?;
        self.parameters.check()
    }

    /// Runs an update: changes each particle.
    pub fn run_update(
        &mut self,
        program: &ParticleProgram,
        (p, fields): (&mut Buffer, &'static [Field]),
        beside: &Beside,
        first: Option<First>,
    ) -> Result<(), Error> {
        program.check_update()?;
        if self.wrap {
            program.check_wrap(&self.domain)?;
        }
        program.check_domain(&self.domain)?;
        self.check(program)?;
        beside.check(p, first, &self.backend)?;
        let from = first.and_then(|first| first.from);
        let count = first.map_or(p.n, |first| first.count);
        if let Some(from) = from {
            from.check("particles to select from", &self.backend, p.precision)?;
        }
        // If the program does not compile, the copies stay unchanged.
        let kernel =
            if count > 0 { Some(self.provide(program, (p, fields), beside)?) } else { None };
        if from.is_some() {
            p.resize(count, numbers_of(fields, p.precision))?;
        }
        let Some(kernel) = kernel else { return Ok(()) };
        let BuiltProgram { kernel, changed, .. } = &self.built[kernel];
        p.changes_numbers(changed);
        let launch = self.launch(kernel, c"update", p, beside, count);
        let launch = or_null(launch, first.map(|first| first.order.indices()));
        let launch = or_null(launch, from.map(|from| &*from.memory));
        let due =
            first.and_then(|first| Some((first.order.due(), first.due?.word::<f64>() as u32)));
        let (due, at) = due.unwrap_or((Address::NULL, 0));
        let launch = launch.value(&due).numbers([at]);
        kernel.module.launch(launch)
    }

    /// Runs a measure: returns the total over all particles, as 64-bit words.
    pub fn run_measure(
        &mut self,
        program: &ParticleProgram,
        (p, fields): Bound,
        beside: &Beside,
    ) -> Result<Vec<u64>, Error> {
        program.check_measure()?;
        program.check_domain(&self.domain)?;
        self.check(program)?;
        beside.check(p, None, &self.backend)?;
        let mut total = pack::nothing(program.total);
        if p.n == 0 && program.g.is_empty() {
            return Ok(total);
        }
        let mut memory = std::mem::take(&mut self.total);
        let sizes = [total.len(), size_of::<f64>()];
        let measured = memory.reserve(&*self.backend, &sizes, false).map(|_| ());
        let measured = measured.and_then(|()| {
            self.run_measure_into(program, (p, fields), beside, memory.memory_mut())?;
            let numbers = 0..total.len();
            memory.memory().read_words(numbers, &mut |words| total.copy_from_slice(words))
        });
        self.total = memory;
        measured.map(|()| total)
    }

    /// Runs a measure: writes the total over all particles to memory of its numbers.
    pub fn run_measure_into(
        &mut self,
        program: &ParticleProgram,
        (p, fields): Bound,
        beside: &Beside,
        total: &mut dyn Memory,
    ) -> Result<(), Error> {
        program.check_measure()?;
        program.check_domain(&self.domain)?;
        self.check(program)?;
        beside.check(p, None, &self.backend)?;
        if p.n == 0 {
            total.overwrite(&pack::nothing(program.total))?;
            if program.g.is_empty() {
                return Ok(());
            }
        }
        let kernel = self.provide(program, (p, fields), beside)?;
        if p.n > 0 {
            let mut scratch = std::mem::take(&mut self.totals);
            let merged = self.merge(kernel, p, beside, dim(program.total), &mut scratch, total);
            self.totals = scratch;
            merged?;
        }
        if program.g.is_empty() {
            return Ok(());
        }
        let launch = joined(Launch::new(c"spoil", 1), &beside.g).pointers([total]);
        self.built[kernel].kernel.module.launch(launch)
    }

    /// Merges the contributions of all particles to a total of `numbers` numbers.
    fn merge(
        &self,
        kernel: usize,
        p: &Buffer,
        beside: &Beside,
        numbers: usize,
        scratch: &mut [Scratch; 2],
        total: &dyn Memory,
    ) -> Result<(), Error> {
        let built = &self.built[kernel].kernel;
        let module = &built.module;
        let mut count = p.n.div_ceil(BLOCK);
        let [to, from] = scratch;
        let (mut to, mut from) = (to, from);
        let written = self.totals_of_blocks(to, [count, numbers], total)?;
        let launch = self.launch(built, c"measure", p, beside, p.n);
        module.launch(launch.pointers([written]))?;
        while count > 1 {
            (to, from) = (from, to);
            let blocks = count.div_ceil(BLOCK);
            let written = self.totals_of_blocks(to, [blocks, numbers], total)?;
            let launch = Launch::new(c"merge_totals", blocks as u32).pointers([from.memory()]);
            module.launch(launch.numbers([count as u32]).pointers([written]))?;
            count = blocks;
        }
        Ok(())
    }

    /// Returns memory for the totals of blocks; of a single block, whose total is the total of all
    /// particles, the memory of that.
    fn totals_of_blocks<'a>(
        &self,
        scratch: &'a mut Scratch,
        [blocks, numbers]: [usize; 2],
        total: &'a dyn Memory,
    ) -> Result<&'a dyn Memory, Error> {
        if blocks == 1 {
            return Ok(total);
        }
        scratch.reserve(&*self.backend, &[blocks, numbers, size_of::<f64>()], false)
    }

    /// Creates a launch with the leading arguments of the kernels.
    fn launch<'a>(
        &'a self,
        built: &Kernel,
        name: &'static CStr,
        p: &'a Buffer,
        beside: &Beside<'a>,
        count: usize,
    ) -> Launch<'a> {
        let blocks = count.div_ceil(built.program.config.block) as u32;
        let launch = self.parameters.pass(Launch::new(name, blocks)).record(&self.space);
        let launch = launch.pointers([&*p.memory]);
        let others = beside.q.first().map_or(0, |(q, _)| q.n);
        let launch = joined(launch, &beside.q).numbers([others as u32]);
        joined(joined(launch, &beside.f), &beside.g).numbers([count as u32])
    }

    /// Returns the kernel for buffers of these precisions, compiled if necessary.
    fn provide(
        &mut self,
        program: &ParticleProgram,
        (p, fields): Bound,
        beside: &Beside,
    ) -> Result<usize, Error> {
        let layout = |fields, buffer: &Buffer| Layout { fields, precision: buffer.precision };
        let [q, f, g] = [&beside.q, &beside.f, &beside.g]
            .map(|bound| bound.iter().map(|(buffer, fields)| layout(fields, buffer)).collect());
        let buffers = ParticleBuffers { p: layout(fields, p), q, f, g };
        let (is_update, space) = (program.total.is_empty(), self.domain.kind());
        let wrap = self.wrap && is_update && space != SpaceKind::Open;
        let key = Key { cuda: program.cuda, buffers: buffers.clone(), space, wrap };
        if let Some(found) = self.built.iter().position(|built| built.key == key) {
            return Ok(found);
        }
        check_total(dim(program.total))?;
        let changed = changed(program, fields)?;
        let program = Program::per_particle(program, buffers, self.domain, wrap)?;
        let (module, build) = self.backend.build(&program, &self.cache)?;
        self.built.push(BuiltProgram { key, kernel: Kernel { program, module, build }, changed });
        Ok(self.built.len() - 1)
    }
}

/// Returns the numbers that a program changes, in records with these fields.
fn changed(
    program: &ParticleProgram,
    fields: &'static [Field],
) -> Result<Vec<usize>, nbody_core::Error> {
    let binding = Binding::new(program.name, program.p, fields)?;
    let numbers = binding.places().iter().zip(program.changed_numbers());
    Ok(numbers.filter(|(_, is_changed)| *is_changed).map(|(place, _)| place.component()).collect())
}

/// Passes the addresses of buffers of one kind, or null.
fn joined<'a>(launch: Launch<'a>, bound: &[Bound<'a>]) -> Launch<'a> {
    let memory: Vec<_> = bound.iter().map(|(buffer, _)| &*buffer.memory).collect();
    launch.joined(&memory)
}

/// Passes the address of memory, or null.
fn or_null<'a>(launch: Launch<'a>, memory: Option<&'a dyn Memory>) -> Launch<'a> {
    match memory {
        Some(memory) => launch.pointers([memory]),
        None => launch.value(&Address::<u8>::NULL),
    }
}

/// Refuses totals with too many numbers for one total to fit in shared memory.
fn check_total(numbers: usize) -> Result<(), Error> {
    let needed = numbers.saturating_mul(size_of::<f64>());
    if needed <= SHARED_MEMORY {
        return Ok(());
    }
    Err(Error::KernelDoesNotFit {
        what: "bytes of shared memory",
        needed,
        available: SHARED_MEMORY,
        hint: "give the total fewer numbers",
    })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::backend::another::Another;
    use crate::backend::emulator::Emulator;

    #[test]
    fn buffers_of_another_backend_or_length_are_refused() {
        let emulator = Emulator::open().unwrap();
        let here: Arc<dyn Backend> = Arc::new(emulator.clone());
        let there: Arc<dyn Backend> = Arc::new(Another::of(emulator));
        let buffer = |backend, n| Buffer::new(backend, n, 2, Precision::Single).unwrap();
        let (ours, four) = (buffer(&here, 5), buffer(&here, 4));
        let theirs = buffer(&there, 5);
        let one = buffer(&here, 1);
        let check = |p: &Buffer, q: &[&Buffer], f: &[&Buffer], g: &[&Buffer]| {
            let [q, f, g] =
                [q, f, g].map(|buffers| buffers.iter().map(|buffer| (*buffer, &[][..])).collect());
            let beside = Beside { q, f, g };
            beside.check(p, None, &here).map_err(|error| error.to_string())
        };
        assert_eq!(check(&ours, &[], &[], &[]), Ok(()));
        assert_eq!(check(&ours, &[&ours], &[&ours, &ours], &[&one]), Ok(()));
        let foreign = |what| {
            Err(format!(
                "{what} of another emulator in single precision given to emulator in single \
                 precision; upload them with the engine that uses them"
            ))
        };
        assert_eq!(check(&theirs, &[], &[], &[]), foreign("particles"));
        assert_eq!(check(&ours, &[&ours, &theirs], &[&ours], &[]), foreign("second particles"));
        assert_eq!(check(&ours, &[], &[&ours, &theirs], &[]), foreign("results"));
        let length =
            |what, n| Err(format!("{what}: found {n}, expected 5; give one for each particle"));
        assert_eq!(check(&ours, &[&ours, &four], &[], &[]), length("second particles", 4));
        assert_eq!(check(&ours, &[], &[&ours, &four], &[]), length("results", 4));
        let their_one = buffer(&there, 1);
        assert_eq!(check(&ours, &[], &[], &[&one, &their_one]), foreign("totals"));
        let totals = "totals: found 5 records, expected 1, which all particles read; take the \
                      buffer that the measure allocates";
        assert_eq!(check(&ours, &[], &[], &[&one, &ours]), Err(totals.to_owned()));
    }

    #[test]
    fn totals_fit_in_shared_memory() {
        assert!(check_total(0).is_ok() && check_total(6144).is_ok());
        assert_eq!(
            check_total(6145).unwrap_err().to_string(),
            "the kernel does not fit: a block needs 49160 bytes of shared memory and can have 49152; \
             give the total fewer numbers"
        );
    }
}
