//! All pairs over ranks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nbody_core::untyped::{Buffer, Communicator, Engine, EngineState, Gather};
use nbody_core::{Domain, Error, Law, Options, Sources, Store};

use crate::agreement::{Agreement, Operation};

/// The ranks of a job, as their engines need them.
#[derive(Debug)]
pub(crate) struct Job {
    pub communicator: Arc<dyn Communicator>,
    pub agreement: Agreement,
    gather: Mutex<Box<dyn Gather>>,
    /// The fewest floating-point operations of an evaluation that ranks share out.
    pub least_operations: u64,
}

impl Job {
    pub fn new(
        communicator: Arc<dyn Communicator>,
        agreement: Agreement,
        gather: Box<dyn Gather>,
        least_operations: u64,
    ) -> Self {
        Self { communicator, agreement, gather: Mutex::new(gather), least_operations }
    }

    pub fn gather(&self) -> MutexGuard<'_, Box<dyn Gather>> {
        self.gather.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An engine of all pairs whose evaluations the ranks share out. Every rank has all particles and
/// receives all results.
#[derive(Debug)]
pub(crate) struct SharedPairs {
    job: Arc<Job>,
    engine: Box<dyn Engine>,
}

impl SharedPairs {
    pub fn new(job: &Arc<Job>, engine: Box<dyn Engine>) -> Self {
        Self { job: job.clone(), engine }
    }

    /// Returns the values that all ranks must call an evaluation with.
    fn values(&self, n: [usize; 3], one_set: bool, store: Store) -> Vec<u64> {
        let [i, results, j] = n;
        let numbers = [i as u64, results as u64, j as u64, self.job.least_operations];
        let flags = [one_set.into(), (store == Store::Add).into()];
        let lengths = self.engine.options().domain.factors()[0].map(f64::to_bits);
        [&numbers[..], &flags, &lengths, self.engine.parameters()].concat()
    }
}

impl Engine for SharedPairs {
    fn law(&self) -> &'static Law {
        self.engine.law()
    }

    fn options(&self) -> Options {
        self.engine.options()
    }

    fn parameters(&self) -> &[u64] {
        self.engine.parameters()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.engine.set_parameters(parameters)
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        self.engine.results(n)
    }

    /// The ranks share out the evaluation, or each of them does it, if it is short: the results have
    /// the same bits in either case.
    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let Job { communicator, agreement, least_operations, .. } = &*self.job;
        let (n, nj) = (out.len(), j.particles().len());
        let flops = u64::from(self.engine.law().operations.flops().max(1));
        let operations = flops.saturating_mul(n.saturating_mul(nj) as u64);
        let is_shared = communicator.size() > 1 && operations >= *least_operations;
        let rank = if is_shared { [communicator.rank(), communicator.size()] } else { [0, 1] };
        let law = self.engine.law().name;
        let name = || format!("an evaluation of `{law}` for {n} particles by {nj}");
        let values = self.values([i.len(), n, nj], j.is_one_set(), store);
        let job = &self.job;
        self.engine.evaluate_shared(i, j, (out, store), rank, &mut |done, rows, shares| {
            // On a GPU, the ranks agree while it computes.
            agreement.on(&Operation { name: &name, values: &values }, done)?;
            if shares.ranks > 1 { job.gather().gather(rows, shares) } else { Ok(()) }
        })
    }

    /// Returns the time of the slowest rank, with the exchange of results.
    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        // Reading a row waits for the device.
        let wait = |out: &dyn Buffer| out.read(0..out.len().min(1), &mut |_| {});
        wait(out)?;
        self.job.communicator.gather_equal(&[])?;
        let start = Instant::now();
        self.evaluate(i, j, out, Store::Replace)?;
        wait(out)?;
        let mine = start.elapsed().as_nanos() as u64;
        let all = self.job.communicator.gather_equal(&mine.to_le_bytes())?;
        let slowest = all.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).max();
        Ok(Duration::from_nanos(slowest.unwrap_or(mine)))
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.engine.settle()
    }

    fn is_stateless(&self) -> bool {
        self.engine.is_stateless()
    }

    fn state(&self) -> Result<EngineState, Error> {
        self.engine.state()
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        self.engine.restore(state)
    }
}
