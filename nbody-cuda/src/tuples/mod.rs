//! Tuples of particles on one backend.
//!
//! The kernels are the `.cuh` files of this folder; `program` assembles them.

mod given;
pub mod program;
mod shares;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use nbody_compile::Cache;
use nbody_core::pack::{Once, OwnedRows, Rows, dim};
use nbody_core::untyped::{self, TupleList};
use nbody_core::{Domain, Error as CoreError, Field, ParticleProgram, Precision, SpaceKind, Store};

use crate::backend::{Backend, Buffer, Kernel, Launch};
use crate::compile::program::Program;
use crate::engine::buffer::{CudaParticles, CudaResults, other_buffer, particles};
use crate::engine::parameters::DeviceParameters;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, space};
use crate::particles::program::Layout;
use given::Given;

/// Evaluates tuples on one backend.
#[derive(Debug)]
pub(crate) struct TupleEngine {
    program: &'static ParticleProgram,
    backend: Arc<dyn Backend>,
    cache: Cache,
    domain: Domain,
    /// The parameters and the space, as arguments of kernels.
    parameters: DeviceParameters,
    space: Vec<u64>,
    list: TupleList,
    /// The list and the records of the tuples in device memory; `None` without tuples.
    given: Option<Given>,
    /// The kernels that were needed so far.
    built: Vec<BuiltTuples>,
}

#[derive(Debug)]
struct BuiltTuples {
    key: Key,
    kernel: Kernel,
}

/// The key of a kernel of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    particles: Layout,
    results: Layout,
    space: SpaceKind,
}

impl TupleEngine {
    /// Creates an engine with these parameters and no tuples, in unbounded space.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        program: &'static ParticleProgram,
        parameters: &[u64],
    ) -> Result<Self, CoreError> {
        program.check_tuple()?;
        Ok(Self {
            program,
            backend: backend.clone(),
            cache: cache.clone(),
            domain: Domain::Open,
            parameters: DeviceParameters::new(
                backend,
                program.parameters,
                parameters,
                Precision::Double,
            )?,
            space: space(Domain::Open, Precision::Double),
            list: TupleList::new(program.members, Vec::new(), 0)?,
            given: None,
            built: Vec::new(),
        })
    }

    /// Returns the kernels for buffers of these layouts, compiled if necessary.
    fn provide(&mut self, particles: Layout, results: Layout) -> Result<usize, Error> {
        let key = Key { particles, results, space: self.domain.kind() };
        if let Some(found) = self.built.iter().position(|built| built.key == key) {
            return Ok(found);
        }
        let program = Program::per_tuple(self.program, particles, results, self.domain)?;
        let (module, build) = self.backend.build(&program, &self.cache)?;
        self.built.push(BuiltTuples { key, kernel: Kernel { program, module, build } });
        Ok(self.built.len() - 1)
    }

    /// Returns the kernels for these buffers.
    fn provide_for(
        &mut self,
        (p, p_fields): (&Buffer, &'static [Field]),
        (out, f_fields): (&Buffer, &'static [Field]),
    ) -> Result<usize, Error> {
        let layout = |fields, buffer: &Buffer| Layout { fields, precision: buffer.precision };
        self.provide(layout(p_fields, p), layout(f_fields, out))
    }

    /// Refuses buffers that do not belong to the tuples or to the backend. The soundness of
    /// launches depends on this check.
    fn check(&self, p: &Buffer, out: &Buffer) -> Result<(), Error> {
        self.parameters.check()?;
        self.list.check_lengths(p.n, out.n)?;
        let limit = PARTICLE_LIMIT;
        for (what, found) in
            [("particles", p.n), ("particles of tuples", self.list.indices().len())]
        {
            if found > limit {
                return Err(Error::TooManyParticles { what, found, limit });
            }
        }
        p.check("particles of tuples", &self.backend, p.precision)?;
        out.check("results of tuples", &self.backend, out.precision)
    }

    fn run(
        &mut self,
        (p, p_fields): (&Buffer, &'static [Field]),
        (out, f_fields): (&mut Buffer, &'static [Field]),
        store: Store,
    ) -> Result<(), Error> {
        self.check(p, out)?;
        let kernel = self.provide_for((p, p_fields), (out, f_fields))?;
        let module = &self.built[kernel].kernel.module;
        let Some(given) = &self.given else { return Ok(()) };
        if out.n == 0 {
            return Ok(());
        }
        out.changes();
        let launch = Launch::new(c"sum_tuples", given.blocks as u32);
        let launch = self.parameters.pass(launch).record(&self.space);
        let launch = launch.pointers([&*p.memory, &*given.records.memory, &*given.shares]);
        let launch = launch.pointers([&*given.indices, &*given.kinds, &*given.slots, &*given.ends]);
        let adds = u32::from(store == Store::Add);
        module.launch(launch.pointers([&*out.memory]).numbers([out.n as u32, adds]))
    }
}

impl untyped::Tuples for TupleEngine {
    fn program(&self) -> &'static ParticleProgram {
        self.program
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), CoreError> {
        self.parameters.set(parameters)
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), CoreError> {
        domain.check(Precision::Double)?;
        self.program.check_domain(&domain)?;
        self.domain = domain;
        self.space = space(domain, Precision::Double);
        Ok(())
    }

    fn set(&mut self, list: TupleList, records: &dyn Rows) -> Result<(), CoreError> {
        let records = &Once::of(records);
        list.check(self.program, records)?;
        let given = Given::new(&self.backend, self.program, &list, records)?;
        (self.list, self.given) = (list, Some(given));
        Ok(())
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn results(
        &self,
        n: usize,
        precision: Precision,
    ) -> Result<Box<dyn untyped::Buffer>, CoreError> {
        let fields = self.program.total;
        let mut buffer = Buffer::new(&self.backend, n, dim(fields), precision)?;
        let nothing = nbody_core::pack::nothing(fields);
        let nothing = OwnedRows::new(fields, nothing.repeat(n))?;
        buffer.write_results(&nothing)?;
        Ok(CudaResults::boxed(buffer, fields, &self.cache))
    }

    fn evaluate(
        &mut self,
        buffer: &dyn untyped::Buffer,
        out: &mut dyn untyped::Buffer,
        store: Store,
    ) -> Result<(), CoreError> {
        let (p, out) = buffers(&*self.backend, buffer, out)?;
        Ok(self.run((&p.buffer, p.fields), (&mut out.buffer, out.fields), store)?)
    }

    fn time(
        &mut self,
        buffer: &dyn untyped::Buffer,
        out: &mut dyn untyped::Buffer,
        store: Store,
    ) -> Result<Duration, CoreError> {
        let (p, out) = buffers(&*self.backend, buffer, out)?;
        // The program is compiled before the time begins.
        self.check(&p.buffer, &out.buffer)?;
        self.provide_for((&p.buffer, p.fields), (&out.buffer, out.fields))?;
        let backend = self.backend.clone();
        Ok(backend
            .time(&mut || self.run((&p.buffer, p.fields), (&mut out.buffer, out.fields), store))?)
    }
}

/// Returns particles and results, if they belong to the backend.
fn buffers<'a>(
    backend: &dyn Backend,
    particles: &'a dyn untyped::Buffer,
    out: &'a mut dyn untyped::Buffer,
) -> Result<(&'a CudaParticles, &'a mut CudaResults), CoreError> {
    let p = self::particles("particles of tuples", backend, particles)?;
    if !(out as &dyn Any).is::<CudaResults>() {
        return Err(other_buffer("results of tuples", backend, out));
    }
    let out = (out as &mut dyn Any).downcast_mut();
    Ok((p, out.expect("results of CUDA, as was just found")))
}
