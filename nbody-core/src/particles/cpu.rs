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
struct Inputs<'a> {
    q: Vec<&'a Particles>,
    f: Vec<&'a Results>,
    g: Vec<&'a Results>,
}

impl<'a> Inputs<'a> {
    fn new(program: &ParticleProgram, beside: Beside<'a>) -> Result<Self, Error> {
        program.check_buffers(&beside)?;
        let results = |what, buffers: &'a [&'a dyn Buffer]| {
            let found = |&buffer: &&'a dyn Buffer| {
                (buffer as &dyn Any).downcast_ref().ok_or_else(|| other_buffer(what, buffer))
            };
            buffers.iter().map(found).collect::<Result<Vec<_>, _>>()
        };
        let q = beside.q.iter().map(|&q| particles("second particles", q));
        let (f, g) = (results("results", beside.f)?, results("totals", beside.g)?);
        Ok(Self { q: q.collect::<Result<_, _>>()?, f, g })
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
        inputs: &Inputs<'a>,
    ) -> Result<Run<'a>, Error> {
        self.check(program)?;
        let bind = |fields, buffer| Binding::new(program.name, fields, buffer);
        let of_results = |records: &[&'static [Field]], buffers: &[&'a Results]| {
            let each = records.iter().zip(buffers);
            let bound = each.map(|(fields, &it)| Ok((it, bind(fields, it.fields)?)));
            bound.collect::<Result<Vec<_>, Error>>()
        };
        let q = program.q.iter().zip(&inputs.q);
        let q = q.map(|(fields, &q)| Ok((q, bind(fields, q.fields)?)));
        let q = q.collect::<Result<Vec<_>, Error>>()?;
        let f = of_results(program.f, &inputs.f)?;
        let g = Shared::new(&of_results(program.g, &inputs.g)?)?;
        let (domain, wrap, p) = (self.domain, self.wrap, bind(program.p, p)?);
        let others = match inputs.q.first() {
            Some(first) if program.gathers > 0 => Others::new(&q, first.len()),
            _ => Others::default(),
        };
        Ok(Run { program, domain, wrap, p, q, others, f, g })
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
        let all = self.run(program, p.fields, &inputs)?;
        let of_selected =
            |q: &&Particles| order.gathered("second particles to select from", q, count);
        let q = inputs.q.iter().map(of_selected).collect::<Result<Vec<_>, _>>()?;
        let q = q.iter().zip(all.q).map(|(q, (_, binding))| (q, binding)).collect();
        let run = Run { q, ..all };
        if let Some(from) = from {
            run.check(count)?;
            order.gather(count, from, p)?;
            return run.update(parameters.record(), p);
        }
        let mut part = order.gathered("particles to select from", p, count)?;
        run.update(parameters.record(), &mut part)?;
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
        let inputs = Inputs::new(program, beside)?;
        match first {
            Some(first) => self.update_first(program, p, inputs, first),
            None => self.run(program, p.fields, &inputs)?.update(self.parameters.record(), p),
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
        let inputs = Inputs::new(program, beside)?;
        self.run(program, p.fields, &inputs)?.measure(self.parameters.record(), p)
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
