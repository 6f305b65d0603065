//! Programs per particle as CUDA programs, on rows of described records.

use std::any::Any;

use nbody_core::pack::Binding;
use nbody_core::untyped::{self, First as FirstOfSelection};
use nbody_core::{Domain, Error, Field, ParticleProgram};

use super::selection::CudaSelection;
use super::{Beside, First, ParticleEngine};
use crate::backend::Backend;
use crate::engine::buffer::{CudaResults, foreign, other_buffer, particles, particles_mut};

/// Returns the buffers besides the particles, and their fields.
fn beside<'a>(
    backend: &dyn Backend,
    beside: untyped::Beside<'a>,
) -> Result<(Beside<'a>, [&'static [Field]; 2]), Error> {
    let results = |buffer: &'a dyn untyped::Buffer| {
        let results = (buffer as &dyn Any).downcast_ref::<CudaResults>();
        results.ok_or_else(|| other_buffer("results", backend, buffer))
    };
    let q = beside.q.map(|q| particles("second particles", backend, q)).transpose()?;
    let f = beside.f.map(results).transpose()?;
    let fields = [q.map_or(&[][..], |q| q.fields), f.map_or(&[][..], |f| f.fields)];
    Ok((Beside { q: q.map(|q| &q.buffer), f: f.map(|f| &f.buffer) }, fields))
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

    fn update(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &mut dyn untyped::Buffer,
        inputs: untyped::Beside<'_>,
        first: Option<FirstOfSelection<'_>>,
    ) -> Result<(), Error> {
        let backend = self.backend.clone();
        let p = particles_mut("particles", &*backend, buffer)?;
        let (inputs, [q, f]) = beside(&*backend, inputs)?;
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
        Ok(self.run_update(program, [p.fields, q, f], &mut p.buffer, inputs, first)?)
    }

    fn measure(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &dyn untyped::Buffer,
        inputs: untyped::Beside<'_>,
    ) -> Result<Vec<u64>, Error> {
        let backend = self.backend.clone();
        let p = particles("particles", &*backend, buffer)?;
        let (inputs, [q, f]) = beside(&*backend, inputs)?;
        Ok(self.run_measure(program, [p.fields, q, f], &p.buffer, inputs)?)
    }
}
