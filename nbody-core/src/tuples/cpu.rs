//! Tuples of particles on the CPU.

use std::any::Any;
use std::time::{Duration, Instant};

use crate::domain::Domain;
use crate::error::Error;
use crate::law::particle_loop::ParticleSetting;
use crate::law::program::ParticleProgram;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Particles, Results, other_buffer, particles};
use crate::memory::columns::Columns;
use crate::numeric::precision::Precision;
use crate::numeric::simd::lanes::Line;
use crate::numeric::simd::level::SimdLevel;
use crate::pairs::sources::Store;
use crate::parallel;
use crate::records::binding::Binding;
use crate::records::parameters::Parameters;
use crate::records::record::dim;
use crate::records::rows::{Once, Rows};
use crate::tuples::engine::Tuples;
use crate::tuples::list::TupleList;
use crate::tuples::shares::{Evaluation, Shares};
use crate::tuples::sums::Sums;

/// Evaluates tuples on the CPU.
#[derive(Debug)]
pub(crate) struct CpuTuples {
    program: &'static ParticleProgram,
    level: SimdLevel,
    parameters: Parameters,
    domain: Domain,
    list: TupleList,
    shares: Shares,
    /// Memory for the particles, as rows.
    particles: Vec<u64>,
    /// Memory for sums.
    sums: Vec<Line<u64>>,
}

impl CpuTuples {
    /// Creates an engine with these parameters and no tuples, in unbounded space.
    pub fn new(
        program: &'static ParticleProgram,
        parameters: &[u64],
        level: SimdLevel,
    ) -> Result<Self, Error> {
        program.check_tuple()?;
        let list = TupleList::new(program.members, Vec::new(), 0)?;
        Ok(Self {
            program,
            level,
            parameters: Parameters::new(program.parameters, parameters)?,
            domain: Domain::Open,
            shares: Shares::new(&list, (dim(program.record), &[]), dim(program.total)),
            list,
            particles: Vec::new(),
            sums: Vec::new(),
        })
    }

    fn run(&mut self, particles: &Particles, out: &mut Results, store: Store) -> Result<(), Error> {
        let Self { program, level, domain, shares, particles: rows, sums, .. } = self;
        let binding = Binding::new(program.name, program.p, particles.fields)?;
        let results = Binding::new(program.name, program.total, out.fields)?;
        let of_sums = Sums::new(program.total, &results, out, store);
        let act = &program.cpu_loop()?;
        let columns = Columns::of_parameters::<f64>(self.parameters.record())?;
        let setting = &ParticleSetting { parameters: columns.lines(), domain: *domain };
        let bytes = program.stack();
        let done = parallel::with_stack(bytes, &mut || {
            particles.all_rows(&binding, rows);
            let evaluation =
                Evaluation { act, level: *level, setting, particles: rows, sums: &of_sums };
            shares.evaluate(&evaluation, sums, out);
        });
        if done { Ok(()) } else { Err(Error::OutOfStack { bytes }) }
    }
}

impl Tuples for CpuTuples {
    fn program(&self) -> &'static ParticleProgram {
        self.program
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.parameters.set(parameters)
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(Precision::Double)?;
        self.program.check_domain(&domain)?;
        self.domain = domain;
        Ok(())
    }

    fn set(&mut self, list: TupleList, records: &dyn Rows) -> Result<(), Error> {
        let records = Once::of(records);
        list.check(self.program, &records)?;
        let (binding, mut rows) = (Binding::whole(self.program.record), Vec::new());
        Particles::pack(&records, Precision::Double)?.all_rows(&binding, &mut rows);
        let numbers = dim(self.program.total);
        self.shares = Shares::new(&list, (dim(self.program.record), &rows), numbers);
        self.list = list;
        Ok(())
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn results(&self, n: usize, precision: Precision) -> Result<Box<dyn Buffer>, Error> {
        Ok(Box::new(Results::new(self.program.total, n, precision)?))
    }

    fn evaluate(
        &mut self,
        buffer: &dyn Buffer,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        self.parameters.check()?;
        let particles = particles("particles of tuples", buffer)?;
        self.list.check_lengths(buffer.len(), out.len())?;
        let Some(results) = (out as &mut dyn Any).downcast_mut::<Results>() else {
            return Err(other_buffer("results of tuples", out));
        };
        self.run(particles, results, store)
    }

    fn time(
        &mut self,
        particles: &dyn Buffer,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.evaluate(particles, out, store)?;
        Ok(start.elapsed())
    }
}
