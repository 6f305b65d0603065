//! Engines of all pairs and of trees whose evaluations the ranks share out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nbody_core::untyped::{
    Buffer, Communicator, Connection, Device, Engine, EngineState, Essential, Gather, Part, Parts,
    Team, Tree, TreePart,
};
use nbody_core::{Domain, Error, Law, Opening, Options, Sources, Store, TreeReport};
use xxhash_rust::xxh3::xxh3_64;

use crate::agreement::{Agreement, Operation};
use crate::distributed::{Distributed, HostParts, Kind, all, all_mut};

/// The j-particles that an i-particle is assumed to meet in a walk through a tree, far particles
/// included.
const MET_IN_WALK: usize = 2048;

/// The ranks of a job, as their engines need them.
#[derive(Debug)]
pub(crate) struct Job {
    pub communicator: Arc<dyn Communicator>,
    pub agreement: Agreement,
    gather: Mutex<Box<dyn Gather>>,
    /// The fewest floating-point operations of an evaluation that ranks share out.
    pub least_operations: u64,
    /// Whether ranks distribute the particles of trees.
    pub distributes_trees: bool,
    /// The device of this rank.
    pub device: Arc<dyn Device>,
    /// The parts of particles, and the parts of results.
    parts: [Mutex<Box<dyn Parts>>; 2],
}

impl Job {
    pub fn new(
        (communicator, agreement): (Arc<dyn Communicator>, Agreement),
        device: Arc<dyn Device>,
        Connection { gather, parts }: Connection,
        least_operations: u64,
    ) -> Self {
        let by_host = |kind| Box::new(HostParts::new(&communicator, kind));
        let results = Mutex::new(by_host(Kind::Results) as Box<dyn Parts>);
        let parts = Mutex::new(parts.unwrap_or_else(|| by_host(Kind::Particles)));
        let (gather, parts) = (Mutex::new(gather), [parts, results]);
        let distributes_trees = false;
        Self { communicator, agreement, gather, least_operations, distributes_trees, device, parts }
    }

    /// Returns whether there are ranks that particles are distributed over.
    pub fn distributes(&self) -> bool {
        self.communicator.size() > 1
    }

    /// Returns whether the devices are CPUs.
    pub fn is_cpu(&self) -> bool {
        self.device.simd_level().is_some()
    }

    /// Returns what finds and moves parts of particles.
    pub fn parts(&self) -> MutexGuard<'_, Box<dyn Parts>> {
        self.parts_of(Kind::Particles)
    }

    /// Returns what moves parts of buffers of a kind.
    pub fn parts_of(&self, kind: Kind) -> MutexGuard<'_, Box<dyn Parts>> {
        let [particles, results] = &self.parts;
        let parts = if kind == Kind::Particles { particles } else { results };
        parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn gather(&self) -> MutexGuard<'_, Box<dyn Gather>> {
        self.gather.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the team of an evaluation: all ranks, or this rank alone, if the evaluation
    /// is not shared out. The ranks agree on the operation with each exchange.
    pub fn evaluate(
        &self,
        operation: &Operation<'_>,
        is_shared: bool,
        work: impl FnOnce(&mut Team<'_, '_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Self { communicator, agreement, .. } = self;
        let [rank, size] =
            if is_shared { [communicator.rank(), communicator.size()] } else { [0, 1] };
        work(&mut Team {
            rank,
            size,
            exchange: &mut |part: Part<'_>| {
                let values = [operation.values, &[part.number as u64, part.shares.n as u64]];
                let operation = Operation { name: operation.name, values: &values.concat() };
                // On a GPU, the ranks agree while it computes.
                agreement.on(&operation, part.done)?;
                if part.shares.ranks > 1 {
                    self.gather().gather(part.rows, part.shares)
                } else {
                    Ok(())
                }
            },
        })
    }

    /// Returns the time that the slowest rank needs for an evaluation, with the exchange of results.
    pub fn time(
        &self,
        out: &mut dyn Buffer,
        work: impl FnOnce(&mut dyn Buffer) -> Result<(), Error>,
    ) -> Result<Duration, Error> {
        self.gather().wait()?;
        self.communicator.gather_equal(&[])?;
        let start = Instant::now();
        work(out)?;
        self.gather().wait()?;
        let mine = start.elapsed().as_nanos() as u64;
        let slowest = self.gather_words(mine)?.into_iter().max();
        Ok(Duration::from_nanos(slowest.unwrap_or(mine)))
    }

    /// Returns the sum of a word of all ranks.
    pub fn sum(&self, mine: u64) -> Result<u64, Error> {
        Ok(self.gather_words(mine)?.iter().sum())
    }

    /// Returns the words of all ranks.
    fn gather_words(&self, mine: u64) -> Result<Vec<u64>, Error> {
        let all = self.communicator.gather_equal(&mine.to_le_bytes())?;
        Ok(all.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }
}

/// An engine of one rank, as [`Shared`] needs it.
pub(crate) trait OfRank: Engine {
    fn pairs(&self) -> &dyn Engine;

    fn pairs_mut(&mut self) -> &mut dyn Engine;

    /// Returns the way of the evaluation, for messages.
    fn way(&self) -> String;

    /// Returns the number of i-particles that are evaluated for the results of the first `n`, and the
    /// number of j-particles that each of them meets.
    fn meetings(&self, i: usize, n: usize, j: usize) -> [usize; 2];

    /// Forgets what ranks may have kept differently when one of them failed.
    fn forget(&mut self) {}
}

impl OfRank for dyn Engine {
    fn pairs(&self) -> &dyn Engine {
        self
    }

    fn pairs_mut(&mut self) -> &mut dyn Engine {
        self
    }

    fn way(&self) -> String {
        String::new()
    }

    fn meetings(&self, _: usize, n: usize, j: usize) -> [usize; 2] {
        [n, j]
    }
}

impl OfRank for dyn Tree {
    fn pairs(&self) -> &dyn Engine {
        self
    }

    fn pairs_mut(&mut self) -> &mut dyn Engine {
        self
    }

    fn way(&self) -> String {
        format!(" by a tree with {:?}", self.opening())
    }

    fn meetings(&self, i: usize, n: usize, j: usize) -> [usize; 2] {
        // The results of all i-particles are exchanged.
        let walks = if n < i / 2 { 0 } else { n };
        [walks, j.min(MET_IN_WALK)]
    }

    fn forget(&mut self) {
        // A tree without lengths of results takes this always.
        let _ = self.compare_with(&[]);
    }
}

/// An engine whose evaluations the ranks share out. Every rank has all particles and receives all
/// results.
#[derive(Debug)]
pub(crate) struct Shared<E: ?Sized> {
    job: Arc<Job>,
    /// The hash of the lengths of results that the next evaluation of a tree is given.
    given: u64,
    /// Whether the ranks have shared out the last evaluation.
    was_divided: bool,
    engine: Box<E>,
}

impl<E: OfRank + ?Sized> Shared<E> {
    pub fn new(job: &Arc<Job>, engine: Box<E>) -> Self {
        Self { job: job.clone(), given: 0, was_divided: false, engine }
    }

    /// Returns the engine of this rank.
    pub fn of_rank(&self) -> &E {
        &self.engine
    }

    /// Returns the engine of this rank, for changes.
    pub fn of_rank_mut(&mut self) -> &mut E {
        &mut self.engine
    }

    /// Forgets the results that the next evaluation would be compared with.
    pub fn forget(&mut self) {
        self.given = 0;
        self.engine.forget();
    }

    /// Returns the floating-point operations of an evaluation of these numbers of i-particles,
    /// results and j-particles.
    pub fn operations(&self, [i, results, j]: [usize; 3]) -> u64 {
        let flops = u64::from(self.engine.law().operations.flops().max(1));
        let [of_i, of_j] = self.engine.meetings(i, results, j);
        flops.saturating_mul(of_i.saturating_mul(of_j) as u64)
    }

    /// Returns the values that all ranks must call an evaluation with.
    pub fn values(&self, n: [usize; 3], one_set: bool, store: Store) -> Vec<u64> {
        let [i, results, j] = n;
        let numbers = [i as u64, results as u64, j as u64, self.job.least_operations, self.given];
        let flags = [one_set.into(), (store == Store::Add).into()];
        let cell = self.engine.options().domain.cell();
        let [lengths, tilts] = [cell.lengths, cell.tilts].map(|of| of.map(f64::to_bits));
        [&numbers[..], &flags, &lengths, &tilts, self.engine.parameters()].concat()
    }
}

impl<E: OfRank + ?Sized> Engine for Shared<E> {
    fn inner(&self) -> Option<&dyn Engine> {
        Some(self.engine.pairs())
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Engine> {
        Some(self.engine.pairs_mut())
    }

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
        Ok(Distributed::boxed(&self.job, Kind::Results, self.engine.results(n)?))
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
        let (n, nj) = (out.len(), j.particles().len());
        let operations = self.operations([i.len(), n, nj]);
        let is_shared = self.job.communicator.size() > 1 && operations >= self.job.least_operations;
        let (law, way) = (self.engine.law().name, self.engine.way());
        let name = || format!("an evaluation of `{law}` for {n} particles by {nj}{way}");
        let values = self.values([i.len(), n, nj], j.is_one_set(), store);
        (self.given, self.was_divided) = (0, is_shared);
        let operation = Operation { name: &name, values: &values };
        let (i, of_j, out) = (all(i)?, all(j.particles())?, all_mut(out)?);
        let done = self.job.evaluate(&operation, is_shared, |team| {
            self.engine.evaluate_shared(&*i, j.with(&*of_j), (out, store), team)
        });
        done.inspect_err(|_| self.engine.forget())
    }

    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        let job = self.job.clone();
        job.time(out, |out| self.evaluate(i, j, out, Store::Replace))
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
        if let EngineState::Results(lengths) = state {
            self.given = hash(lengths);
        }
        self.engine.restore(state)
    }
}

impl Tree for Shared<dyn Tree> {
    fn opening(&self) -> Opening {
        self.engine.opening()
    }

    fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        self.engine.set_opening(opening)
    }

    fn harmonic_distance(&self) -> f64 {
        self.engine.harmonic_distance()
    }

    fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        self.engine.compared()
    }

    fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error> {
        self.given = hash(lengths);
        self.engine.compare_with(lengths)
    }

    fn evaluate_part(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        part: TreePart<'_>,
    ) -> Result<Essential<'_>, Error> {
        let (i, of_j, out) = (all(i)?, all(j.particles())?, all_mut(out)?);
        self.engine.evaluate_part(&*i, j.with(&*of_j), (out, store), part)
    }

    fn set_timed(&mut self, is_on: bool) {
        self.engine.set_timed(is_on);
    }

    /// Returns the work of all ranks, and the times of this rank. All ranks call this together.
    fn report(&self) -> Result<TreeReport, Error> {
        let report = self.engine.report();
        if !self.was_divided {
            return report;
        }
        let operation = Operation { name: &|| "a report".to_owned(), values: &[] };
        let mut report = self.job.agreement.on(&operation, report)?;
        report.tested = self.job.sum(report.tested)?;
        report.evaluations = self.job.sum(report.evaluations)?;
        Ok(report)
    }
}

/// Returns the hash of lengths.
fn hash(lengths: &[f64]) -> u64 {
    xxh3_64(bytemuck::cast_slice(lengths))
}
