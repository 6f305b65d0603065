//! Tuples of particles over ranks.

use std::sync::Arc;
use std::time::Duration;

use nbody_core::pack::Rows;
use nbody_core::untyped::{Buffer, TupleList, Tuples};
use nbody_core::{Domain, Error, ParticleProgram, Precision, Store};

use super::buffer::{Distributed, all, all_mut};
use super::rows::Kind;
use crate::agreement::Operation;
use crate::shared::Job;

/// Tuples: each rank evaluates all of them, with all particles. Their work is small beside the work
/// of pairs, and every rank has the same bits.
#[derive(Debug)]
pub(crate) struct DistributedTuples {
    job: Arc<Job>,
    tuples: Box<dyn Tuples>,
}

impl DistributedTuples {
    pub fn new(job: &Arc<Job>, tuples: Box<dyn Tuples>) -> Self {
        Self { job: job.clone(), tuples }
    }

    /// Returns what every rank has done, or the error of one of them.
    fn agreed<T>(&self, done: Result<T, Error>) -> Result<T, Error> {
        let name = || format!("tuples of `{}`", self.tuples.program().name);
        self.job.agreement.on(&Operation { name: &name, values: &[self.tuples.len() as u64] }, done)
    }
}

impl Tuples for DistributedTuples {
    fn program(&self) -> &'static ParticleProgram {
        self.tuples.program()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.tuples.set_parameters(parameters)
    }

    fn domain(&self) -> Domain {
        self.tuples.domain()
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.tuples.set_domain(domain)
    }

    fn set(&mut self, list: TupleList, records: &dyn Rows) -> Result<(), Error> {
        let done = self.tuples.set(list, records);
        self.agreed(done)
    }

    fn len(&self) -> usize {
        self.tuples.len()
    }

    fn results(&self, n: usize, precision: Precision) -> Result<Box<dyn Buffer>, Error> {
        let rows = self.agreed(self.tuples.results(n, precision))?;
        Ok(Distributed::boxed(&self.job, Kind::Results, rows))
    }

    fn evaluate(
        &mut self,
        particles: &dyn Buffer,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let (particles, out) = (all(particles)?, all_mut(out)?);
        let done = self.tuples.evaluate(&*particles, out, store);
        self.agreed(done)
    }

    fn time(
        &mut self,
        particles: &dyn Buffer,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<Duration, Error> {
        let (particles, out) = (all(particles)?, all_mut(out)?);
        let time = self.tuples.time(&*particles, out, store);
        self.agreed(time)
    }
}
