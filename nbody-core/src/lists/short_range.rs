//! Interactions over neighbour lists on the CPU.

use crate::lists::cutoff::Cutoff;
use crate::lists::listing::Listing;
use crate::memory::packed::Packed;
use crate::records::pack;
use std::any::Any;
use std::time::{Duration, Instant};

use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::lists::check_listed;
use crate::lists::cpu::{CpuNeighbours, Followed, Sets};
use crate::lists::engine::Neighbours;
use crate::lists::engine::ShortRange;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Results, check_precision};
use crate::memory::buffers::{foreign, results};
use crate::memory::columns::Columns;
use crate::numeric::simd::level::SimdLevel;
use crate::options::{Math, Options};
use crate::pairs::cpu::CpuEngine;
use crate::pairs::sources::{Sources, Store};
use crate::records::binding::Binding;

/// Sums a law over neighbour lists, on the CPU.
#[derive(Clone, Debug)]
pub(crate) struct CpuShortRange {
    engine: CpuEngine,
    excluded: Vec<[u32; 2]>,
    /// The number of the lists, and for each of their entries the i-particles of its group that it
    /// acts on.
    masks: Option<(u64, Vec<u32>)>,
    /// The results of the last evaluation, in the order of the lists.
    sums: Option<Columns<u64>>,
}

impl CpuShortRange {
    /// Creates an engine with these options and this level of vector instructions.
    pub fn new(
        law: &'static Law,
        parameters: &[u64],
        options: Options,
        level: SimdLevel,
    ) -> Result<Self, Error> {
        if options.domain != Domain::Open {
            return Err(Error::DomainOfLists);
        }
        let engine = CpuEngine::new(law, parameters, options, level)?;
        Ok(Self { engine, excluded: Vec::new(), masks: None, sums: None })
    }

    /// Finds the i-particles of its group that each entry acts on, if pairs are excluded.
    fn find_masks(&mut self, followed: &Followed, near: &CpuNeighbours) -> Result<(), Error> {
        let is_known = self.masks.as_ref().is_some_and(|(of, _)| *of == followed.number());
        if !is_known && !self.excluded.is_empty() {
            let masks = followed.masks_without(&self.excluded, near.subset.as_ref())?;
            self.masks = Some((followed.number(), masks));
        }
        Ok(())
    }

    fn evaluate_sets(
        &mut self,
        near: &CpuNeighbours,
        sets: &Sets,
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        self.engine.parameters.check()?;
        let mut laps = near.timer.start();
        let (engine, law) = (&self.engine, self.engine.law);
        let (i, of_i) = sets.i;
        let (j, of_j) = sets.j.unwrap_or(sets.i);
        check_precision("particles", i.precision, engine.options.precision)?;
        check_precision("j-particles", j.precision, engine.options.precision)?;
        let wanted = out.columns.len();
        Error::check_results(wanted, i.len(), sets.is_first)?;
        check_listed(wanted, near.wanted)?;
        let followed = near.lists_for(&self.engine.cutoff(), sets)?;
        let [i_order, j_order] = followed.orders();
        // Lists know the image of the first point of each particle. If a law has other points, all
        // points stay at their absolute positions, and each difference finds its nearest image.
        let is_relative = !law.has_other_points();
        let domain = if is_relative { Domain::Open } else { near.domain };
        let i = i.bound(&Binding::new(law.name, law.i, of_i)?, is_relative, i_order)?;
        let j = j.bound(&Binding::new(law.name, law.j, of_j)?, is_relative, j_order)?;
        self.find_masks(&followed, near)?;
        let masks = self.masks.as_ref().map(|(_, masks)| &masks[..]);
        let Options { math, order, .. } = self.engine.options;
        let is_interleaved = math == Math::Exact || order.is_some();
        let listing = followed.listing(masks, wanted, is_interleaved, is_relative);
        laps.end(|times| &mut times.pack);
        let inputs = ([&i, &j], sets.one_set);
        self.engine.run_lists(inputs, (&listing, domain), &mut self.sums, out, store)?;
        followed.end();
        laps.end(|times| &mut times.force);
        laps.times.evaluations = 1;
        near.timer.add(&laps.times);
        Ok(())
    }
}

impl ShortRange for CpuShortRange {
    fn law(&self) -> &'static Law {
        self.engine.law
    }

    fn options(&self) -> Options {
        self.engine.options
    }

    fn parameters(&self) -> &[u64] {
        self.engine.parameters.row()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.engine.set_parameters(parameters)
    }

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        (self.excluded, self.masks) = (pairs.to_vec(), None);
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        Ok(Box::new(self.engine.results(n)?))
    }

    fn evaluate(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let lists = (lists as &dyn Any).downcast_ref().ok_or_else(|| foreign("neighbour lists"))?;
        let out = results(out, self.engine.law.f)?;
        self.evaluate_sets(lists, &Sets::new(i, j)?, out, store)
    }

    fn time(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.evaluate(lists, i, j, out, Store::Replace)?;
        Ok(start.elapsed())
    }
}

impl CpuEngine {
    /// Returns the cutoff with these parameters.
    pub fn cutoff(&self) -> Cutoff {
        Cutoff::new(self.law, self.parameters.row())
    }

    /// Evaluates the pairs of neighbour lists for i- and j-particles in the order of the lists,
    /// which may be one set; points are in this space. The sums are left in `sums` in this order,
    /// and its memory is reused.
    pub fn run_lists(
        &self,
        (sets, one_set): ([&Packed; 2], bool),
        (listing, domain): (&Listing, Domain),
        sums: &mut Option<Columns<u64>>,
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        check_precision("results", out.precision, self.options.backup())?;
        let (n, nothing) = (sets[0].len(), pack::nothing(self.law.f));
        let sums = match sums {
            Some(sums) if sums.len() == n => sums,
            sums => sums.insert(Columns::filled(n, &nothing)?),
        };
        self.evaluate_by(listing, domain, sets, one_set, sums)?;
        self.arrange(sums, listing.places, out, store)
    }
}
