//! The CPU engine for all pairs, and the parts it shares with lists and trees.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::law::loops::Variant;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Particles, Results, check_precision, records, results};
use crate::memory::columns::Columns;
use crate::memory::folding::Folding;
use crate::memory::packed::Packed;
use crate::numeric::simd::level::SimdLevel;
use crate::options::{Options, SummationOrder};
use crate::pairs::engine::Engine;
use crate::pairs::evaluation::Evaluation;
use crate::pairs::images::{self, Images};
use crate::pairs::ordered::OrderedPairs;
use crate::pairs::schedule::Schedule;
use crate::pairs::sources::{Sources, Store};
use crate::pairs::symmetric::{self, SymmetricPairs};
use crate::ranks::exchange::{Part, Team};
use crate::ranks::shares::Shares;
use crate::records::binding::Binding;
use crate::records::pack;
use crate::records::parameters::Parameters;

/// A CPU engine: the law with its parameters, the options and the vector instructions.
#[derive(Clone, Debug)]
pub(crate) struct CpuEngine {
    pub law: &'static Law,
    pub parameters: Parameters,
    pub options: Options,
    pub level: SimdLevel,
    order: SummationOrder,
}

impl CpuEngine {
    pub fn new(
        law: &'static Law,
        parameters: &[u64],
        options: Options,
        level: SimdLevel,
    ) -> Result<Self, Error> {
        law.check_loops()?;
        let order = options.order.unwrap_or_default();
        order.check()?;
        level.check()?;
        options.domain.check(options.precision)?;
        law.check_domain(&options.domain)?;
        let parameters = Parameters::new(law.parameters, parameters)?;
        Ok(Self { law, parameters, options, level, order })
    }

    pub fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.parameters.set(parameters)
    }

    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(self.options.precision)?;
        self.law.check_domain(&domain)?;
        self.options.domain = domain;
        Ok(())
    }

    /// Returns the engine in another domain, which the precision holds.
    pub fn in_domain(&self, domain: Domain) -> Self {
        Self { options: self.options.domain(domain), ..self.clone() }
    }

    pub fn results(&self, n: usize) -> Result<Results, Error> {
        Results::new(self.law.f, n, self.options.backup())
    }

    /// Refuses buffers that do not match each other or this engine, and parameters that are NaN.
    pub fn check(&self, i: &Particles, j: Sources<Particles>, out: &Results) -> Result<(), Error> {
        self.parameters.check()?;
        j.check([i.len(), j.particles().len(), out.columns.len()])?;
        for (what, particles) in [("i-particles", i), ("j-particles", j.particles())] {
            check_precision(what, particles.precision, self.options.precision)?;
        }
        check_precision("results", out.precision, self.options.backup())
    }

    /// Returns the copies of a box that is shorter than two cutoffs of these particles.
    pub fn images(&self, i: &Particles, j: &Particles) -> Result<Option<Images>, Error> {
        let bounds_of = |particles: &Particles| {
            let mut rows = Vec::new();
            particles.all_rows(&Binding::whole(particles.fields), &mut rows);
            images::bounds(particles.fields, &rows)
        };
        let parameters = self.parameters.row();
        let images = Images::of(self.law, parameters, &self.options.domain, &mut || {
            Ok(bounds_of(i).zip(bounds_of(j)).map(|(i, j)| [i, j]))
        })?;
        images.iter().try_for_each(|images| images.domain().check(self.options.precision))?;
        Ok(images)
    }

    /// Evaluates all pairs, with all images within the cutoff.
    fn run(
        &self,
        i: &Particles,
        j: Sources<Particles>,
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        self.check(i, j, out)?;
        let Some(images) = self.images(i, j.particles())? else {
            return self.run_nearest(i, j, out, store);
        };
        let (engine, n) = (self.in_domain(images.domain()), out.columns.len());
        engine.run_nearest(i, j, out, store)?;
        let wanted = i.part(0..n)?;
        for displacement in &images.displacements()[1..] {
            let moved = j.particles().displaced(*displacement)?;
            engine.run_nearest(&wanted, Sources::Others(&moved), out, Store::Add)?;
        }
        Ok(())
    }

    /// Evaluates all pairs, each at its nearest image.
    fn run_nearest(
        &self,
        i: &Particles,
        j: Sources<Particles>,
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        let n = out.columns.len();
        let is_whole = j.is_one_set() && n == j.particles().len();
        if is_whole && symmetric::is_chosen(&self.options, self.law, n) {
            self.run_by(SymmetricPairs, i, j, out, store)
        } else {
            self.run_by(OrderedPairs::default(), i, j, out, store)
        }
    }

    /// Evaluates the pairs of a schedule, and stores the sums. Refuses buffers that do not match
    /// each other or this engine.
    pub fn run_by(
        &self,
        schedule: impl Schedule,
        i: &Particles,
        j: Sources<Particles>,
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        self.check(i, j, out)?;
        let n = out.columns.len();
        let first = if n < i.len() { Some(i.part(0..n)?) } else { None };
        let sets = [&first.as_ref().unwrap_or(i).packed, &j.particles().packed];
        let (domain, one_set) = (self.options.domain, j.is_one_set());
        match store {
            Store::Replace => self.evaluate_by(schedule, domain, sets, one_set, &mut out.columns),
            Store::Add if j.particles().len() == 0 => Ok(()),
            Store::Add => {
                let mut fresh = self.results(n)?.columns;
                self.evaluate_by(schedule, domain, sets, one_set, &mut fresh)?;
                self.folding().merge(&fresh, &mut out.columns);
                Ok(())
            }
        }
    }

    /// Evaluates the ordered pairs of a range of i-particles, and stores their sums.
    fn run_range(
        &self,
        i: &Particles,
        j: Sources<Particles>,
        (out, store): (&mut Results, Store),
        range: Range<usize>,
    ) -> Result<(), Error> {
        self.check(i, j, out)?;
        let Some(images) = self.images(i, j.particles())? else {
            return self.run_range_nearest(i, j, (out, store), range);
        };
        let (engine, n) = (self.in_domain(images.domain()), out.columns.len());
        engine.run_range_nearest(i, j, (&mut *out, store), range.clone())?;
        let wanted = i.part(0..n)?;
        for displacement in &images.displacements()[1..] {
            let moved = j.particles().displaced(*displacement)?;
            let (j, out) = (Sources::Others(&moved), (&mut *out, Store::Add));
            engine.run_range_nearest(&wanted, j, out, range.clone())?;
        }
        Ok(())
    }

    /// Evaluates the pairs of a range of i-particles, each at its nearest image.
    fn run_range_nearest(
        &self,
        i: &Particles,
        j: Sources<Particles>,
        (out, store): (&mut Results, Store),
        range: Range<usize>,
    ) -> Result<(), Error> {
        Error::check_range(&range, out.columns.len())?;
        if store == Store::Add && j.particles().len() == 0 {
            return Ok(());
        }
        let part = i.part(range.clone())?;
        let mut fresh = self.results(range.len())?.columns;
        let (schedule, sets) =
            (OrderedPairs { first: range.start }, [&part.packed, &j.particles().packed]);
        self.evaluate_by(schedule, self.options.domain, sets, j.is_one_set(), &mut fresh)?;
        if store == Store::Add {
            let mut sums = out.columns.part(range.clone())?;
            self.folding().merge(&fresh, &mut sums);
            fresh = sums;
        }
        out.columns.set_part(range.start, &fresh);
        Ok(())
    }

    fn folding(&self) -> Folding {
        Folding::new(self.law.f, self.options.backup())
    }

    /// Stores each sum at its place in the results.
    pub fn arrange(
        &self,
        sums: &Columns<u64>,
        places: &[u32],
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        match store {
            Store::Replace => out.columns.arrange(sums, places),
            Store::Add => {
                let mut fresh = Columns::filled(out.columns.len(), &pack::nothing(self.law.f))?;
                fresh.arrange(sums, places);
                self.folding().merge(&fresh, &mut out.columns);
            }
        }
        Ok(())
    }

    /// Evaluates pairs by a schedule, by the i- and j-particles in its order.
    pub fn evaluate_by(
        &self,
        schedule: impl Schedule,
        domain: Domain,
        [i, j]: [&Packed; 2],
        one_set: bool,
        out: &mut Columns<u64>,
    ) -> Result<(), Error> {
        let Options { precision, math, accumulation, .. } = self.options;
        let law = self.law;
        let folding = self.folding();
        let order = schedule.order(law, self.options, out.len()).unwrap_or(self.order);
        let variant = Variant { level: self.level, precision, math, space: domain.kind() };
        let row = self.parameters.record();
        let parameters = Packed::of_parameters(row, precision, variant.widens())?;
        let evaluation = Evaluation {
            law,
            loops: law.loops(variant)?,
            precision,
            domain,
            skips_self: one_set && !law.self_pairs,
            schedule,
            order,
            accumulation,
            folds_each_bag: self.options.folds_each_bag(),
            bags_per_fold: self.options.bags_per_fold(order.bag),
            folding: &folding,
        };
        let sets = [&parameters, i, j];
        if variant.widens() { evaluation.run_widened(sets, out) } else { evaluation.run(sets, out) }
    }
}

impl Engine for CpuEngine {
    fn law(&self) -> &'static Law {
        self.law
    }

    fn options(&self) -> Options {
        self.options
    }

    fn parameters(&self) -> &[u64] {
        self.parameters.row()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.set_parameters(parameters)
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.set_domain(domain)
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        Ok(Box::new(self.results(n)?))
    }

    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let [i, of_j] = pairs(self.law, i, j)?;
        self.run(i, j.with(of_j), results(out, self.law.f)?, store)
    }

    fn evaluate_shared(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        team: &mut Team<'_, '_>,
    ) -> Result<(), Error> {
        let shares = Shares::new(out.len(), team.size);
        let rank = team.rank;
        let done = pairs(self.law, i, j).and_then(|[i, of_j]| {
            let out = results(out, self.law.f)?;
            self.run_range(i, j.with(of_j), (out, store), shares.range(rank))
        });
        (team.exchange)(Part { shares, ..Part::whole(done, out) })
    }

    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.evaluate(i, j, out, Store::Replace)?;
        Ok(start.elapsed())
    }
}

/// Returns the i-particles and the j-particles of a law.
pub(crate) fn pairs<'a>(
    law: &Law,
    i: &'a dyn Buffer,
    j: Sources<'a, dyn Buffer>,
) -> Result<[&'a Particles; 2], Error> {
    Ok([records("i-particles", i, law.i)?, records("j-particles", j.particles(), law.j)?])
}
