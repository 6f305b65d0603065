//! Programs per particle as CUDA programs, on rows of described records.

use std::any::Any;

use nbody_core::pack::Binding;
use nbody_core::untyped::{self, First as FirstOfSelection};
use nbody_core::{Domain, Error, ParticleProgram, Precision};

use super::selection::CudaSelection;
use super::{Beside, First, ParticleEngine};
use crate::backend::Backend;
use crate::engine::buffer::{CudaResults, foreign, other_buffer, results_named};
use crate::engine::buffer::{particles, particles_mut};

/// Returns the buffers besides the particles, and their fields.
fn beside<'a>(
    backend: &dyn Backend,
    program: &ParticleProgram,
    beside: untyped::Beside<'a>,
) -> Result<Beside<'a>, Error> {
    program.check_buffers(&beside)?;
    let results = |what, buffers: &'a [&'a dyn untyped::Buffer]| {
        let found = |&buffer: &&'a dyn untyped::Buffer| {
            let results = (buffer as &dyn Any).downcast_ref::<CudaResults>();
            let results = results.ok_or_else(|| other_buffer(what, backend, buffer))?;
            Ok((&results.buffer, results.fields))
        };
        buffers.iter().map(found).collect::<Result<Vec<_>, Error>>()
    };
    let second = |&q: &&'a dyn untyped::Buffer| {
        let q = particles("second particles", backend, q)?;
        Ok((&q.buffer, q.fields))
    };
    let q = beside.q.iter().map(second).collect::<Result<Vec<_>, Error>>()?;
    Ok(Beside { q, f: results("results", beside.f)?, g: results("totals", beside.g)? })
}

impl untyped::PerParticle for ParticleEngine {
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.set_row(parameters)
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.set_space(domain)
    }

    fn wraps(&self) -> bool {
        self.wrap
    }

    fn set_wrap(&mut self, wrap: bool) {
        self.wrap = wrap;
    }

    fn prepare(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &dyn untyped::Buffer,
        inputs: untyped::Beside<'_>,
    ) -> Result<(), Error> {
        let backend = self.backend.clone();
        let p = particles("particles", &*backend, buffer)?;
        let inputs = beside(&*backend, program, inputs)?;
        self.provide(program, (&p.buffer, p.fields), &inputs)?;
        Ok(())
    }

    fn update(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &mut dyn untyped::Buffer,
        inputs: untyped::Beside<'_>,
        first: Option<FirstOfSelection<'_>>,
    ) -> Result<(), Error> {
        let backend = self.backend.clone();
        program.check_update()?;
        let p = particles_mut("particles", &*backend, buffer)?;
        let inputs = beside(&*backend, program, inputs)?;
        let due = first.and_then(|first| first.due);
        let due = due.map(|name| Binding::integer(name, program.parameters)).transpose()?;
        let first = first.map(|first| {
            let order = (first.selection as &dyn Any).downcast_ref::<CudaSelection>();
            let order = order.ok_or_else(|| foreign("a selection", &*backend))?;
            let from = |from| particles("particles to select from", &*backend, from);
            let from = first.from.map(from).transpose()?;
            if let Some(from) = from {
                Error::check_record("particles to select from", from.fields, p.fields)?;
            }
            let from = from.map(|from| &from.buffer);
            Ok::<_, Error>(First { order, count: first.count, from, due })
        });
        let first = first.transpose()?;
        Ok(self.run_update(program, (&mut p.buffer, p.fields), &inputs, first)?)
    }

    fn measure(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &dyn untyped::Buffer,
        inputs: untyped::Beside<'_>,
    ) -> Result<Vec<u64>, Error> {
        let backend = self.backend.clone();
        program.check_measure()?;
        let p = particles("particles", &*backend, buffer)?;
        let inputs = beside(&*backend, program, inputs)?;
        Ok(self.run_measure(program, (&p.buffer, p.fields), &inputs)?)
    }

    fn measure_into(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &dyn untyped::Buffer,
        inputs: untyped::Beside<'_>,
        total: &mut dyn untyped::Buffer,
    ) -> Result<(), Error> {
        let backend = self.backend.clone();
        program.check_measure()?;
        let total = results_named("totals", &*backend, total, program.total)?;
        total.check("totals", &backend, Precision::Double)?;
        Error::check_one_total("totals", total.n)?;
        let p = particles("particles", &*backend, buffer)?;
        let inputs = beside(&*backend, program, inputs)?;
        let bound = (&p.buffer, p.fields);
        self.run_measure_into(program, bound, &inputs, &mut *total.memory)?;
        total.changes();
        Ok(())
    }
}
