//! Programs per particle on the CPU, by rows of described records.

use std::any::Any;

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::program::ParticleProgram;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Particles, Results};
use crate::memory::buffers::{check_precision, foreign, other_buffer, particles, particles_mut};
use crate::numeric::precision::Precision;
use crate::particles::engine::PerParticle;
use crate::particles::engine::{Beside, First};
use crate::particles::run::{Others, Run, Shared};
use crate::particles::selection::CpuSelection;
use crate::records::binding::Binding;
use crate::records::parameters::Parameters;

/// Runs programs per particle on the CPU. It computes in `f64`. The numbers of particles are
/// rounded to their precision when they are stored, and totals are merged in an order that depends
/// only on the number of particles.
#[derive(Clone, Debug)]
pub(crate) struct CpuPerParticle {
    parameters: Parameters,
    domain: Domain,
    wrap: bool,
}

/// The buffers that a program reads besides the particles.
#[derive(Clone, Copy)]
struct Inputs<'a> {
    q: Option<&'a Particles>,
    /// All second particles, also if only some take part.
    others: Option<&'a Particles>,
    f: Option<&'a Results>,
    g: Option<&'a Results>,
}

impl<'a> Inputs<'a> {
    fn new(beside: Beside<'a>) -> Result<Self, Error> {
        let results = |what, buffer: Option<&'a dyn Buffer>| {
            let found = |buffer: &'a dyn Buffer| {
                (buffer as &dyn Any).downcast_ref().ok_or_else(|| other_buffer(what, buffer))
            };
            buffer.map(found).transpose()
        };
        let q = beside.q.map(|q| particles("second particles", q)).transpose()?;
        Ok(Self { q, others: q, f: results("results", beside.f)?, g: results("totals", beside.g)? })
    }
}

impl CpuPerParticle {
    /// Creates an engine with these parameters, in unbounded space.
    pub fn new(fields: &'static [Field], parameters: &[u64]) -> Result<Self, Error> {
        let parameters = Parameters::new(fields, parameters)?;
        Ok(Self { parameters, domain: Domain::Open, wrap: false })
    }

    /// Refuses parameters of another program, and NaN.
    fn check(&self, program: &ParticleProgram) -> Result<(), Error> {
        Error::check_record("parameters", self.parameters.fields(), program.parameters)?;
        self.parameters.check()
    }

    fn run<'a>(
        &self,
        program: &'static ParticleProgram,
        p: &'static [Field],
        inputs: Inputs<'a>,
    ) -> Result<Run<'a>, Error> {
        self.check(program)?;
        let bind = |fields, buffer| Binding::new(program.name, fields, buffer);
        let q = inputs.q.map(|q| bind(program.q, q.fields).map(|binding| (q, binding)));
        let f = inputs.f.map(|f| bind(program.f, f.fields).map(|binding| (f, binding)));
        let g = match inputs.g {
            Some(g) => Shared::new(g, &bind(program.g, g.fields)?)?,
            None => Shared::none(program)?,
        };
        let (domain, wrap, p) = (self.domain, self.wrap, bind(program.p, p)?);
        let q = q.transpose()?;
        let others = match (inputs.others, &q) {
            (Some(others), Some((_, binding))) if program.gathers > 0 => {
                Others::new(others, binding)
            }
            _ => Others::default(),
        };
        Ok(Run { program, domain, wrap, p, q, others, f: f.transpose()?, g })
    }

    /// Updates the first particles of a selection; if they are not all particles, on copies.
    fn update_first(
        &self,
        program: &'static ParticleProgram,
        p: &mut Particles,
        inputs: Inputs,
        first: First,
    ) -> Result<(), Error> {
        let First { selection, count, from, due } = first;
        let order = (selection as &dyn Any).downcast_ref::<CpuSelection>();
        let order = order.ok_or_else(|| foreign("a selection"))?;
        let from = from.map(|from| particles("particles to select from", from)).transpose()?;
        let parameters = due.map(|name| self.due(program, name, order)).transpose()?;
        let parameters = parameters.as_ref().unwrap_or(&self.parameters);
        let q = inputs.q.map(|q| order.gathered("second particles to select from", q, count));
        let q = q.transpose()?;
        let inputs = Inputs { q: q.as_ref(), ..inputs };
        if let Some(from) = from {
            order.gather(count, from, p)?;
            return self.run(program, p.fields, inputs)?.update(parameters.record(), p);
        }
        let mut part = order.gathered("particles to select from", p, count)?;
        self.run(program, p.fields, inputs)?.update(parameters.record(), &mut part)?;
        p.scatter(&part, order.first(count)?);
        Ok(())
    }

    /// Returns the parameters, with the time of a selection in place of the parameter of this name.
    fn due(
        &self,
        program: &ParticleProgram,
        name: &str,
        order: &CpuSelection,
    ) -> Result<Parameters, Error> {
        let due = Binding::integer(name, program.parameters)?;
        let mut row = self.parameters.row().to_vec();
        row[due.component()] = order.due().into();
        Parameters::new(self.parameters.fields(), &row)
    }
}

impl PerParticle for CpuPerParticle {
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.parameters.set(parameters)
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(Precision::Double)?;
        self.domain = domain;
        Ok(())
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
        particles: &mut dyn Buffer,
        beside: Beside<'_>,
        first: Option<First<'_>>,
    ) -> Result<(), Error> {
        program.check_update()?;
        if self.wrap {
            program.check_wrap(&self.domain)?;
        }
        program.check_domain(&self.domain)?;
        self.check(program)?;
        let p = particles_mut("particles", particles)?;
        let inputs = Inputs::new(beside)?;
        match first {
            Some(first) => self.update_first(program, p, inputs, first),
            None => self.run(program, p.fields, inputs)?.update(self.parameters.record(), p),
        }
    }

    fn measure(
        &mut self,
        program: &'static ParticleProgram,
        buffer: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<Vec<u64>, Error> {
        program.check_measure()?;
        program.check_domain(&self.domain)?;
        let p = particles("particles", buffer)?;
        self.run(program, p.fields, Inputs::new(beside)?)?.measure(self.parameters.record(), p)
    }

    fn measure_into(
        &mut self,
        program: &'static ParticleProgram,
        particles: &dyn Buffer,
        beside: Beside<'_>,
        total: &mut dyn Buffer,
    ) -> Result<(), Error> {
        program.check_measure()?;
        let other = other_buffer("totals", total);
        let total = (total as &mut dyn Any).downcast_mut::<Results>().ok_or(other)?;
        Error::check_record("totals", total.fields, program.total)?;
        check_precision("totals", total.precision, Precision::Double)?;
        Error::check_one_total("totals", total.columns.len())?;
        total.columns.set_rows(&self.measure(program, particles, beside)?);
        Ok(())
    }
}
