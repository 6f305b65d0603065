//! Interactions over neighbour lists of distributed particles.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use nbody_core::pack::{dim, fold_rows};
use nbody_core::untyped::{Buffer, Neighbours, OwnedRows, ShortRange};
use nbody_core::{Error, Law, Options, Sources, Store};
use xxhash_rust::xxh3::xxh3_64;

use super::buffer::{Distributed, all, all_mut, gathered};
use super::lists::{Built, Lists};
use super::neighbours::DistributedLists;
use super::rows::{self, Kind};
use super::sets::{Placed, Sets};
use crate::agreement::Operation;
use crate::shared::Job;

/// An interaction over lists: each rank evaluates its particles.
#[derive(Debug)]
pub(crate) struct DistributedShortRange {
    job: Arc<Job>,
    /// The engine of this rank.
    law: Box<dyn ShortRange>,
    has_excluded: bool,
    /// Hashes of the excluded pairs and of the options, which all ranks must have.
    excluded: u64,
    options: u64,
    /// Results that the next evaluation writes, if there are any.
    spare: Option<Box<dyn Buffer>>,
}

impl DistributedShortRange {
    pub fn new(job: &Arc<Job>, law: Box<dyn ShortRange>) -> Self {
        let (has_excluded, excluded, spare) = Default::default();
        let options = xxh3_64(format!("{:?}", law.options()).as_bytes());
        Self { job: job.clone(), law, has_excluded, excluded, options, spare }
    }

    /// Evaluates the particles of this rank, and stores their results if all ranks succeed.
    fn evaluate_own(
        &mut self,
        lists: &mut Lists,
        sets: &Sets,
        out: &mut Distributed,
        (count, store): (usize, Store),
    ) -> Result<(), Error> {
        let [n, _] = sets.lengths();
        if store == Store::Add && count == n {
            lists.settle(Ok(()), &[])?;
            lists.make_valid(sets)?;
            self.find_numbers(lists)?;
            let done = self.name_particles(lists).and_then(|()| self.add(lists, sets, out));
            return self.agree(n, done);
        }
        // While the device evaluates, the host learns whether the lists are valid.
        let mut fresh = None;
        while fresh.is_none() {
            lists.make_valid(sets)?;
            self.find_numbers(lists)?;
            let named = self.name_particles(lists);
            let done = named.and_then(|()| self.evaluate_fresh(lists, sets, out));
            let is_open = lists.is_open();
            let agreed = if is_open {
                lists.settle(done, &self.values())
            } else {
                self.agree(n, done).map(Some)
            };
            fresh = agreed?;
        }
        let (Some(fresh), Some(built)) = (fresh, &lists.built) else { return Ok(()) };
        let placed = &built.placed;
        if count == n {
            self.spare = out.replace_own(&placed.i, fresh);
            return Ok(());
        }
        // Only the first results are wanted: every rank gets them.
        let fields = fresh.fields();
        let mine = rows::first(&*fresh, placed.i.own());
        let mine = mine.and_then(|mine| Ok((mine, placed.i.numbers.on_host()?)));
        let (mine, numbers) = self.agree(n, mine)?;
        let width = dim(fields);
        let mut first = gathered(&self.job, (numbers, n), &mine, width)?;
        first.truncate(count * width);
        if store == Store::Add {
            let before = all(out)?;
            let mut sums = rows::first(&*before, count)?;
            fold_rows(fields, fresh.precision(), &first, &mut sums);
            first = sums;
        }
        out.write_results(&OwnedRows::new(fields, first)?)
    }

    /// Finds the numbers of ghosts, which excluded pairs name, with all ranks.
    fn find_numbers(&self, lists: &Lists) -> Result<(), Error> {
        let built = lists.built.as_ref().filter(|_| self.has_excluded);
        built.map_or(Ok(()), |built| built.placed.ghosts.numbers(&self.job).map(|_| ()))
    }

    /// Tells the lists the numbers of their particles, which excluded pairs name.
    fn name_particles(&self, lists: &mut Lists) -> Result<(), Error> {
        if self.has_excluded { lists.name_particles() } else { Ok(()) }
    }

    /// Returns what this rank has done, if all ranks have.
    fn agree<T>(&self, n: usize, done: Result<T, Error>) -> Result<T, Error> {
        let law = self.law.law().name;
        let name = || format!("an evaluation of `{law}` over lists of {n} particles");
        self.job.agreement.on(&Operation { name: &name, values: &self.values() }, done)
    }

    /// Returns the values that all ranks must evaluate with.
    fn values(&self) -> Vec<u64> {
        [self.law.parameters(), &[self.excluded, self.options]].concat()
    }

    /// Adds to the results of the particles of this rank.
    fn add(&mut self, lists: &Lists, sets: &Sets, out: &mut Distributed) -> Result<(), Error> {
        let Some(built) = &lists.built else { return Ok(()) };
        let out = out.own_mut(&built.placed.i)?;
        let rows = built.placed.rows(sets)?;
        self.run(lists, &built.placed, &rows, (out, Store::Add))
    }

    /// Returns new results of the particles of this rank. Refuses to if they could not replace `out`.
    fn evaluate_fresh(
        &mut self,
        lists: &Lists,
        sets: &Sets,
        out: &Distributed,
    ) -> Result<Box<dyn Buffer>, Error> {
        let Some(Built { placed, .. }) = &lists.built else {
            return Err(Error::NoLists { law: self.law.law().name });
        };
        let spare = self.spare.take();
        let mut fresh = out.fresh(spare, placed.i.own(), |own| self.law.results(own))?;
        let rows = placed.rows(sets)?;
        if lists.may_be_valid() {
            self.run(lists, placed, &rows, (&mut *fresh, Store::Replace))?;
        }
        Ok(fresh)
    }

    fn run(
        &mut self,
        lists: &Lists,
        placed: &Placed,
        [i, j]: &[Arc<Box<dyn Buffer>>; 2],
        (out, store): (&mut dyn Buffer, Store),
    ) -> Result<(), Error> {
        let j = placed.sources(&***j);
        placed.renumbered(self.law.evaluate(&*lists.of_rank, &***i, j, out, store), ())
    }
}

impl ShortRange for DistributedShortRange {
    fn law(&self) -> &'static Law {
        self.law.law()
    }

    fn options(&self) -> Options {
        self.law.options()
    }

    fn parameters(&self) -> &[u64] {
        self.law.parameters()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.law.set_parameters(parameters)
    }

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.has_excluded = !pairs.is_empty();
        self.excluded = if pairs.is_empty() { 0 } else { xxh3_64(bytemuck::cast_slice(pairs)) };
        self.law.exclude(pairs);
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        Ok(Distributed::boxed(&self.job, Kind::Results, self.law.results(n)?))
    }

    fn evaluate(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let Some(lists) = (lists as &dyn Any).downcast_ref::<DistributedLists>() else {
            return self.law.evaluate(lists, i, j, out, store);
        };
        let mut lists = lists.get();
        let (sets, count) = (Sets::new(i, j), out.len());
        let (Some(built), Some(sets), Some(to)) = (&lists.built, sets, Distributed::of_mut(out))
        else {
            let (i, of_j, out) = (all(i)?, all(j.particles())?, all_mut(out)?);
            return self.law.evaluate(&*lists.of_rank, &*i, j.with(&*of_j), out, store);
        };
        built.placed.check(&sets)?;
        Error::check_results(count, sets.lengths()[0], j.is_first())?;
        self.evaluate_own(&mut lists, &sets, to, (count, store))
    }

    fn time(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        let job = self.job.clone();
        job.time(out, |out| self.evaluate(lists, i, j, out, Store::Replace))
    }
}
