//! Trees of distributed particles.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nbody_core::lists::cutoff::position;
use nbody_core::order::lengths;
use nbody_core::pack::Binding;
use nbody_core::untyped::{
    Across, Buffer, Device, Engine, EngineState, Essential, Kept, OwnedRows, PartLengths, Regions,
    TargetBox, Tree, TreePart, Weighted, restore_tree,
};
use nbody_core::{Domain, Error, Expansion, Law, Opening, Options, Sources, Store, TreeReport};

use super::buffer::Distributed;
use super::lengths::Lengths;
use super::placement::{Placement, moves};
use super::placing::{Located, boxes, points};
use super::sets::Sets;
use crate::agreement::Operation;
use crate::shared::{Job, Shared};

/// The boxes around the i-particles of a rank. Several of them leave out empty space, so that a
/// particle far away does not open cells for the others.
const BOXES: usize = 8;
/// Points that divide the i-particles of a rank into these boxes.
const SAMPLE: usize = 512;
/// Evaluations after which particles move to the ranks of their regions, which are cut anew.
const STAY: u32 = 16;

/// A tree over ranks. Each rank builds a tree of its particles, and a second one of the particles
/// and far particles of other ranks that act on its i-particles.
///
/// Few particles, the first ones of a set, monopoles, and sums that are added with an opening by errors
/// are evaluated by the tree of all particles. The borders of ranks divide cells; a part of a cube of
/// particles has second moments where the cube has none, so that monopoles would have twice the error.
#[derive(Debug)]
pub(crate) struct DistributedTree {
    job: Arc<Job>,
    /// The tree of all particles, or of the particles of this rank.
    tree: Shared<dyn Tree>,
    /// The tree of sources that other ranks have sent, and these sources.
    of_others: Box<dyn Tree>,
    received: Box<dyn Buffer>,
    placed: Option<Placed>,
    /// Results that the next evaluation writes, if there are any.
    spare: Option<Box<dyn Buffer>>,
    /// The lengths of results that an opening by errors compares with.
    lengths: Lengths,
    /// Whether the tree of this rank may have lengths of results of its own.
    has_lengths: bool,
    /// Whether the particles of the last evaluation were distributed.
    was_distributed: bool,
    /// The time in which the sources of the last evaluation were exchanged.
    exchange: Duration,
}

/// The particles of the last evaluation.
#[derive(Debug)]
struct Placed {
    /// The places of i- and of j-particles.
    places: [Arc<Placement>; 2],
    /// Regions of the boxes around the i-particles of this rank.
    regions: Regions,
    /// Whether this tree has placed them, and the number of evaluations since then.
    is_mine: bool,
    age: u32,
}

impl DistributedTree {
    pub fn new(
        job: &Arc<Job>,
        device: &dyn Device,
        law: &'static Law,
        parameters: &[u64],
        (opening, options): (Opening, Options),
    ) -> Result<Self, Error> {
        let nothing = OwnedRows::new(law.j, Vec::new())?;
        Ok(Self {
            job: job.clone(),
            tree: Shared::new(job, device.tree(law, parameters, opening, options)?),
            of_others: device.tree(law, parameters, opening, options)?,
            received: device.upload(&nothing, options.precision)?,
            placed: None,
            spare: None,
            lengths: Lengths::default(),
            has_lengths: false,
            was_distributed: false,
            exchange: Duration::ZERO,
        })
    }

    /// Returns whether ranks distribute the particles of an evaluation.
    fn distributes(
        &self,
        sets: &Sets,
        j: Sources<'_, dyn Buffer>,
        (results, store): (usize, Store),
    ) -> bool {
        let precision = self.tree.options().precision;
        let [n, of_j] = sets.lengths();
        self.job.distributes()
            && self.job.distributes_trees
            && self.tree.operations([n, n, of_j]) >= self.job.least_operations
            && (self.tree.opening().angle().is_some() || store == Store::Replace)
            && self.tree.opening().far_particles() == Expansion::Second
            && !j.is_first()
            && results == n
            && (!sets.one_set || n == of_j)
            && sets.j.is_none_or(|j| !ptr::eq(j, sets.i))
            && [Some(sets.i), sets.j].into_iter().flatten().all(|it| it.precision() == precision)
            && sets.i.fields() == self.tree.law().i
            && sets.j.unwrap_or(sets.i).fields() == self.tree.law().j
    }

    /// Distributes the particles, unless they are where the last evaluation has left them.
    fn place(&mut self, sets: &Sets) -> Result<[Arc<Placement>; 2], Error> {
        let job = self.job.clone();
        let law = self.tree.law();
        let [of_i, of_j] =
            [law.i, law.j].map(|fields| Binding::new(law.name, position(fields), fields));
        let positions = [of_i?, of_j?];
        let lengths = lengths(&self.tree.options().domain, positions[0].places().len());
        let buffers = [Some(sets.i), sets.j.filter(|_| !sets.one_set)];
        let (positions, across) = (positions.each_ref(), Across::Longest);
        let located = Located { buffers, positions, lengths, across };
        let known = buffers.map(|it| it.and_then(Distributed::placement));
        let number = |placement: &Arc<Placement>| placement.number;
        let numbers = known.each_ref().map(|it| it.as_ref().map(number));
        let mut before = self.placed.take().filter(|placed| {
            let [i, j] = placed.places.each_ref().map(number);
            [Some(i), Some(j).filter(|_| buffers[1].is_some())] == numbers
        });
        let is_old = |placed: &Placed| placed.is_mine && placed.age >= STAY;
        let work = match &before {
            Some(placed) if is_old(placed) => {
                Some(self.reports()?.iter().map(|report| report.evaluations as f64).sum())
            }
            _ => None,
        };
        if let Some(placed) = before.as_mut().filter(|_| work.is_none()) {
            placed.age += 1;
            let places = placed.places.clone();
            self.placed = before;
            return Ok(places);
        }
        let is_mine = work.is_some() || numbers.iter().flatten().next().is_none();
        let places = located.place(&job, work.is_some(), work)?;
        let rows = sets.i.own(&places[0])?;
        let n = places[0].own();
        let sample = points(&rows, n, located.positions[0], lengths);
        let sample = job.parts().sample(sample, n.div_ceil(SAMPLE).max(1));
        let operation = Operation { name: &|| "boxes of a rank".to_owned(), values: &[] };
        let sample = job.agreement.on(&operation, sample)?;
        let weighted = |at: [f64; 3]| Weighted { at, weight: 1.0 };
        let mut sample: Vec<_> = sample.into_iter().map(weighted).collect();
        let regions = Regions::new(&mut sample, BOXES, Across::Longest);
        self.placed = Some(Placed { places: places.clone(), regions, is_mine, age: 0 });
        Ok(places)
    }

    /// Returns the boxes around the i-particles of each other rank, with the least of their lengths.
    fn boxes(
        &self,
        rows: &Arc<Box<dyn Buffer>>,
        n: usize,
        of_results: Option<&dyn Buffer>,
    ) -> Result<Vec<Vec<TargetBox>>, Error> {
        let Some(placed) = &self.placed else { return Ok(Vec::new()) };
        let law = self.tree.law();
        let position = Binding::new(law.name, position(law.i), law.i)?;
        let lengths = lengths(&self.tree.options().domain, position.places().len());
        let points = points(rows, n, &position, lengths);
        let mine = self.job.parts().boxes(points, &placed.regions, of_results);
        let mut all = boxes(&self.job, &self.agree(placed.places[0].n, mine)?)?;
        all[self.job.communicator.rank()].clear();
        Ok(all)
    }

    /// Returns what this rank has done of an evaluation, if all ranks have.
    fn agree<T>(&self, n: usize, done: Result<T, Error>) -> Result<T, Error> {
        self.agree_on(n, &[], done)
    }

    /// Returns what this rank has done as [`agree`](Self::agree) does, if these values are equal.
    fn agree_on<T>(&self, n: usize, values: &[u64], done: Result<T, Error>) -> Result<T, Error> {
        let law = self.tree.law().name;
        let name = || format!("an evaluation of `{law}` by trees of {n} particles");
        self.job.agreement.on(&Operation { name: &name, values }, done)
    }

    /// Evaluates the particles of this rank, and stores their results if all ranks succeed.
    fn evaluate_own(
        &mut self,
        sets: &Sets,
        out: &mut Distributed,
        store: Store,
    ) -> Result<(), Error> {
        let n = out.len();
        let values = self.tree.values([n, n, sets.lengths()[1]], sets.one_set, store);
        let opening = self.tree.opening();
        let share = opening.share();
        let number = opening.angle().or(share).unwrap_or_default().to_bits();
        let flags = [share.is_some(), self.lengths.are_known(n)].map(u64::from);
        let given = self.lengths.check(n);
        self.agree_on(n, &[&values[..], &[number], &flags].concat(), given)?;
        if share.is_none() {
            self.lengths.forget();
        }
        if std::mem::take(&mut self.has_lengths) {
            // The lengths of the last results are elsewhere now.
            self.tree.forget();
        }
        let places = self.place(sets)?;
        let i = sets.i.own(&places[0])?;
        let own = places[0].own();
        let j = match sets.j {
            Some(j) => j.own(&places[1])?,
            None => i.clone(),
        };
        let sources = if sets.one_set { Sources::Same(&**j) } else { Sources::Others(&**j) };
        let of_i = (&i, &places);
        if store == Store::Add {
            let to = out.own_mut(&places[0])?;
            return self.sum(of_i, sources, (to, store), None);
        }
        let spare = self.spare.take();
        let fresh = out.fresh(spare, own, |own| self.tree.of_rank().results(own));
        let mut fresh = self.agree(n, fresh)?;
        if share.is_some() {
            self.sum_by_errors(of_i, sources, &mut *fresh)?;
            if n == 0 || sets.lengths()[1] == 0 {
                // Nothing is compared with results of no pairs.
                self.lengths.forget();
            }
        } else {
            self.sum(of_i, sources, (&mut *fresh, store), None)?;
        }
        self.spare = out.replace_own(&places[0], fresh);
        Ok(())
    }

    /// Sums as [`sum`](Self::sum) does, with an opening by errors. Sums twice if the results that errors
    /// are compared with are unknown.
    fn sum_by_errors(
        &mut self,
        (i, places): (&Arc<Box<dyn Buffer>>, &[Arc<Placement>; 2]),
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<(), Error> {
        let job = self.job.clone();
        let (n, own) = (places[0].n, places[0].own());
        let known = self.lengths.before(&job, &places[0])?;
        let mut once = |tree: &mut Self, before: Option<&dyn Buffer>| {
            let fresh = tree.lengths.fresh(&job, own);
            let mut after = tree.agree(n, fresh)?;
            let lengths = PartLengths { before, after: &mut *after };
            tree.sum((i, places), j, (&mut *out, Store::Replace), Some(lengths))?;
            Ok::<_, Error>(after)
        };
        let before = match known {
            Some(known) => known,
            None => Arc::new(once(self, None)?),
        };
        let after = once(self, Some(&**before))?;
        self.lengths.keep((&job, &places[0]), before, after);
        Ok(())
    }

    /// Sums over the particles of this rank, and over the sources of other ranks.
    fn sum(
        &mut self,
        (i, places): (&Arc<Box<dyn Buffer>>, &[Arc<Placement>; 2]),
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        mut lengths: Option<PartLengths<'_>>,
    ) -> Result<(), Error> {
        let job = self.job.clone();
        let before = lengths.as_ref().and_then(|it| it.before);
        let boxes = self.boxes(i, places[0].own(), before)?;
        let law = self.tree.law().name;
        let name = || format!("sources of `{law}` for {} particles", places[0].n);
        let operation = Operation { name: &name, values: &[] };
        let part = TreePart { boxes: &boxes, lengths: lengths.as_mut().map(PartLengths::reborrow) };
        let i = &***i;
        let done = self.tree.of_rank_mut().evaluate_part(i, j, (&mut *out, store), part);
        let done = done.map_err(|error| renumbered(error, places));
        let Essential { sources, lists } = job.agreement.on(&operation, done)?;
        let start = Instant::now();
        let (moves, kept) = (moves(&job, lists)?, Kept::First(0));
        let rows = &mut *self.received;
        let ready = job.parts().reserve(Some(sources), rows, kept, &moves);
        job.agreement.on(&operation, ready)?;
        let moved = job.parts().exchange(Some(sources), rows, kept, &moves);
        self.exchange = start.elapsed();
        let done = moved.and_then(|()| {
            let (received, part) =
                (Sources::Others(&*self.received), TreePart { boxes: &[], lengths });
            self.of_others.evaluate_part(i, received, (out, Store::Add), part).map(|_| ())
        });
        job.agreement.on(&operation, done)
    }

    /// Returns the reports of both trees, if all ranks have them.
    fn reports(&self) -> Result<[TreeReport; 2], Error> {
        let own = self.tree.of_rank().report();
        let reports = own.and_then(|own| Ok([own, self.of_others.report()?]));
        let operation = Operation { name: &|| "a report".to_owned(), values: &[] };
        self.job.agreement.on(&operation, reports)
    }
}

/// Names the particle of a refusal by its number.
fn renumbered(error: Error, places: &[Arc<Placement>; 2]) -> Error {
    let Error::NotFinite { what, index, found } = error else { return error };
    let placement = if what == "i-particles" { &places[0] } else { &places[1] };
    match placement.numbers.on_host().map(|numbers| numbers.get(index).copied()) {
        Ok(Some(number)) => Error::NotFinite { what, index: number as usize, found },
        _ => error,
    }
}

impl Engine for DistributedTree {
    fn inner(&self) -> Option<&dyn Engine> {
        self.tree.inner()
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Engine> {
        self.tree.inner_mut()
    }

    fn law(&self) -> &'static Law {
        self.tree.law()
    }

    fn options(&self) -> Options {
        self.tree.options()
    }

    fn parameters(&self) -> &[u64] {
        self.tree.parameters()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.tree.set_parameters(parameters)?;
        self.lengths.forget();
        self.of_others.set_parameters(parameters)
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.tree.set_domain(domain)?;
        self.of_others.set_domain(domain)
    }

    fn evaluated_pairs(&self) -> Result<Option<u64>, Error> {
        Ok(Some(self.report()?.evaluations))
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        self.tree.results(n)
    }

    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let (sets, results) = (Sets::new(i, j), out.len());
        let sets = sets.filter(|sets| self.distributes(sets, j, (results, store)));
        if let (Some(sets), Some(own)) = (sets, Distributed::of_mut(out)) {
            // Lengths of another number are kept for the next evaluation.
            let is_refused = self.lengths.check(own.len()).is_err();
            let done = self.evaluate_own(&sets, own, store);
            if !is_refused {
                self.was_distributed = done.is_ok();
                if done.is_err() {
                    self.lengths.forget();
                }
            }
            return done;
        }
        (self.was_distributed, self.has_lengths) = (false, true);
        self.lengths.forget();
        self.tree.evaluate(i, j, out, store)
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
        self.tree.settle()
    }

    fn is_stateless(&self) -> bool {
        self.tree.is_stateless()
    }

    /// Returns the state of all ranks, which call this together.
    fn state(&self) -> Result<EngineState, Error> {
        if self.was_distributed { self.lengths.state() } else { self.tree.state() }
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        restore_tree(self, state)
    }
}

impl Tree for DistributedTree {
    fn opening(&self) -> Opening {
        self.tree.opening()
    }

    fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        self.tree.set_opening(opening)?;
        self.lengths.forget();
        self.of_others.set_opening(opening)
    }

    fn harmonic_distance(&self) -> f64 {
        self.tree.harmonic_distance()
    }

    /// Returns the lengths of all ranks, which call this together.
    fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        if self.was_distributed { self.lengths.compared() } else { self.tree.compared() }
    }

    fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error> {
        self.tree.compare_with(lengths)?;
        self.has_lengths = true;
        if lengths.is_empty() {
            self.lengths.forget();
        } else {
            self.lengths.give(lengths);
        }
        Ok(())
    }

    /// Lists sources of all particles, which every rank then has.
    fn evaluate_part(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        to: (&mut dyn Buffer, Store),
        part: TreePart<'_>,
    ) -> Result<Essential<'_>, Error> {
        (self.was_distributed, self.has_lengths) = (false, true);
        self.lengths.forget();
        self.tree.evaluate_part(i, j, to, part)
    }

    fn set_timed(&mut self, is_on: bool) {
        self.tree.set_timed(is_on);
        self.of_others.set_timed(is_on);
    }

    /// Returns the trees and the work of all ranks, and the times of this rank. All ranks call this
    /// together.
    fn report(&self) -> Result<TreeReport, Error> {
        if !self.was_distributed {
            return self.tree.report();
        }
        let [mut report, others] = self.reports()?;
        let sum = |of_rank: usize| Ok::<_, Error>(self.job.sum(of_rank as u64)? as usize);
        report.targets = sum(report.targets)?;
        report.sources = sum(report.sources)?;
        report.groups = sum(report.groups)?;
        report.cells = sum(report.cells + others.cells)?;
        report.far_particles = sum(report.far_particles + others.far_particles)?;
        report.tested = self.job.sum(report.tested + others.tested)?;
        report.evaluations = self.job.sum(report.evaluations + others.evaluations)?;
        report.bytes += others.bytes;
        if let (Some(times), Some(others)) = (&mut report.times, others.times) {
            times.order += others.order;
            times.build += others.build;
            times.walk += others.walk;
            times.exchange = self.exchange;
        }
        Ok(report)
    }
}
