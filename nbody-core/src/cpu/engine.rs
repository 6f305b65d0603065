//! The CPU engine for all pairs, and the parts it shares with lists and trees.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::buffers::{records, results};
use super::columns::Columns;
use super::evaluation::{Evaluation, Packed};
use super::schedule::{Listing, Schedule, Walks};
use super::sums::Folding;
use super::variant::Variant;
use crate::law::binding::Binding;
use crate::near::bags;
use crate::near::cutoff::Cutoff;
use crate::numeric::simd::{LINE, Line, SimdLevel};
use crate::pack::{OwnedRows, Rows};
use crate::untyped::{self, Buffer};
use crate::{
    Domain, Error, Field, Law, Mixed, Options, Precision, Sources, Store, SummationOrder, pack,
};

/// A CPU engine: the law with its parameters, the options and the vector instructions.
#[derive(Clone, Debug)]
pub(super) struct CpuEngine {
    pub law: &'static Law,
    parameters: OwnedRows,
    pub options: Options,
    pub level: SimdLevel,
    order: SummationOrder,
}

/// Particles in the precision of an evaluation, as structure of arrays.
#[derive(Clone, Debug)]
pub(super) struct Particles {
    pub packed: Packed,
    pub precision: Precision,
    pub fields: &'static [Field],
}

/// Results in `f64`, which holds every accumulator exactly.
#[derive(Clone, Debug)]
pub(super) struct Results {
    pub columns: Columns<u64>,
    /// The precision of the backup accumulators.
    pub precision: Precision,
    pub fields: &'static [Field],
}

impl Particles {
    pub fn pack(particles: &dyn Rows, precision: Precision) -> Result<Self, Error> {
        check_count(particles.count())?;
        let fields = particles.fields();
        Ok(Self { packed: Packed::pack(particles, precision)?, precision, fields })
    }

    /// Writes numbers of some blocks in `f64`, exactly.
    pub fn widen(&self, binding: &Binding, blocks: Range<usize>, to: &mut Vec<Line<u64>>) {
        match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => columns.widen::<f64>(binding, blocks, to),
            (Packed::Bits32(columns), Precision::Mixed) => {
                columns.widen::<Mixed>(binding, blocks, to);
            }
            (Packed::Bits32(columns), _) => columns.widen::<f32>(binding, blocks, to),
        }
    }

    /// Writes bound numbers of some particles, one after another.
    pub fn rows(&self, binding: &Binding, particles: Range<usize>, rows: &mut [u64]) {
        let (dim, mut lines) = (binding.places().len(), Vec::new());
        let first = particles.start;
        for (k, row) in particles.zip(rows.chunks_exact_mut(dim.max(1))) {
            let block = k / LINE;
            if k == first || k % LINE == 0 {
                self.widen(binding, block..block + 1, &mut lines);
            }
            for (cell, line) in row.iter_mut().zip(&lines) {
                *cell = line.0[k % LINE];
            }
        }
    }

    /// Copies the first particles.
    pub fn first(&self, n: usize) -> Result<Self, Error> {
        Ok(Self { packed: self.packed.first(n)?, ..*self })
    }

    /// Copies the particles with these indices.
    pub fn gather(&self, indices: &[u32]) -> Result<Self, Error> {
        let packed = match &self.packed {
            Packed::Bits32(columns) => Packed::Bits32(columns.gather(indices)?),
            Packed::Bits64(columns) => Packed::Bits64(columns.gather(indices)?),
        };
        Ok(Self { packed, ..*self })
    }

    /// Copies the bound numbers of the particles with these indices. If only `others` than
    /// coordinates are wanted, coordinates are left at 0.
    pub fn bound(&self, binding: &Binding, others: bool, indices: &[u32]) -> Result<Packed, Error> {
        Ok(match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => {
                Packed::Bits64(columns.bound::<f64>(binding, others, indices)?)
            }
            (Packed::Bits32(columns), Precision::Mixed) => {
                Packed::Bits32(columns.bound::<Mixed>(binding, others, indices)?)
            }
            (Packed::Bits32(columns), _) => {
                Packed::Bits32(columns.bound::<f32>(binding, others, indices)?)
            }
        })
    }

    /// Copies in `f64` the coordinates of the particles with these indices, at most a block.
    pub fn coordinates(&self, binding: &Binding, indices: &[u32], to: &mut [[f64; LINE]; 3]) {
        match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => columns.coordinates::<f64>(binding, indices, to),
            (Packed::Bits32(columns), Precision::Mixed) => {
                columns.coordinates::<Mixed>(binding, indices, to);
            }
            (Packed::Bits32(columns), _) => columns.coordinates::<f32>(binding, indices, to),
        }
    }

    /// Copies the particles of `part`, of the same type and precision, to these indices.
    pub fn scatter(&mut self, part: &Self, indices: &[u32]) {
        match (&mut self.packed, &part.packed) {
            (Packed::Bits32(columns), Packed::Bits32(part)) => columns.scatter(part, indices),
            (Packed::Bits64(columns), Packed::Bits64(part)) => columns.scatter(part, indices),
            _ => unreachable!("gathered from these particles"),
        }
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.packed.len()
    }
}

/// Refuses buffers of another precision.
pub(super) fn check_precision(
    what: &'static str,
    found: Precision,
    expected: Precision,
) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::PrecisionMismatch { what, found, expected }) }
}

/// Refuses more particles than 32-bit indices can name; the last index means no particle.
pub(super) fn check_count(found: usize) -> Result<(), Error> {
    let limit = u32::MAX as usize;
    if found <= limit { Ok(()) } else { Err(Error::TooManyParticles { found, limit }) }
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
        let parameters = OwnedRows::one(law.parameters, parameters)?;
        Ok(Self { law, parameters, options, level, order })
    }

    pub fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.parameters = OwnedRows::one(self.law.parameters, parameters)?;
        Ok(())
    }

    /// Returns the cutoff with these parameters.
    pub fn cutoff(&self) -> Cutoff {
        Cutoff::new(self.law, self.parameters.words())
    }

    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(self.options.precision)?;
        self.options.domain = domain;
        Ok(())
    }

    pub fn results(&self, n: usize) -> Result<Results, Error> {
        Results::new(self.law.f, n, self.options.backup())
    }

    /// Refuses buffers that do not match each other or this engine.
    pub fn check(&self, i: &Particles, j: Sources<Particles>, out: &Results) -> Result<(), Error> {
        j.check([i.len(), j.particles().len(), out.columns.len()])?;
        for (what, particles) in [("i-particles", i), ("j-particles", j.particles())] {
            check_precision(what, particles.precision, self.options.precision)?;
        }
        check_precision("results", out.precision, self.options.backup())
    }

    /// Evaluates all pairs.
    pub fn run(
        &self,
        i: &Particles,
        j: Sources<Particles>,
        out: &mut Results,
        store: Store,
    ) -> Result<(), Error> {
        self.check(i, j, out)?;
        let n = out.columns.len();
        let first = if n < i.len() { Some(i.first(n)?) } else { None };
        let i = first.as_ref().unwrap_or(i);
        match store {
            Store::Replace => self.sum_pairs(i, j, &mut out.columns),
            Store::Add if j.particles().len() == 0 => Ok(()),
            Store::Add => {
                let mut fresh = self.results(n)?.columns;
                self.sum_pairs(i, j, &mut fresh)?;
                self.folding().merge(&fresh, &mut out.columns);
                Ok(())
            }
        }
    }

    fn folding(&self) -> Folding {
        Folding::new(self.law.f, self.options.backup())
    }

    fn sum_pairs(
        &self,
        i: &Particles,
        j: Sources<Particles>,
        out: &mut Columns<u64>,
    ) -> Result<(), Error> {
        let is_whole = j.is_one_set() && i.len() == j.particles().len();
        let schedule = Schedule::choose(&self.options, self.law, i.len(), is_whole);
        let sets = [&i.packed, &j.particles().packed];
        self.evaluate_by(schedule, self.options.domain, sets, j.is_one_set(), out)
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
        let schedule = Schedule::List(listing);
        self.evaluate_by(schedule, domain, sets, one_set, sums)?;
        self.arrange(sums, listing.places, out, store)
    }

    /// Sums the walks of a tree for i- and j-particles in its order, with far particles behind the
    /// j-particles. The sums are in this order, too.
    pub fn sum_walks(&self, sets: [&Packed; 2], walks: &Walks) -> Result<Columns<u64>, Error> {
        let mut sums = Columns::filled(sets[0].len(), &pack::nothing(self.law.f))?;
        let (schedule, domain) = (Schedule::Tree(walks), self.options.domain);
        self.evaluate_by(schedule, domain, sets, walks.one_set, &mut sums)?;
        Ok(sums)
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

    fn evaluate_by(
        &self,
        schedule: Schedule,
        domain: Domain,
        [i, j]: [&Packed; 2],
        one_set: bool,
        out: &mut Columns<u64>,
    ) -> Result<(), Error> {
        let Options { precision, math, accumulation, .. } = self.options;
        let law = self.law;
        let folding = self.folding();
        let parameters = Packed::pack(&self.parameters, precision)?;
        let order = match schedule {
            Schedule::List(listing) if listing.is_interleaved => {
                bags::order(law, self.options, out.len())
            }
            _ => self.order,
        };
        let variant =
            Variant { level: self.level, precision, math, is_periodic: domain.is_periodic() };
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

impl untyped::Engine for CpuEngine {
    fn law(&self) -> &'static Law {
        self.law
    }

    fn options(&self) -> Options {
        self.options
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
pub(super) fn pairs<'a>(
    law: &Law,
    i: &'a dyn Buffer,
    j: Sources<'a, dyn Buffer>,
) -> Result<[&'a Particles; 2], Error> {
    Ok([records("i-particles", i, law.i)?, records("j-particles", j.particles(), law.j)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_without_an_index_are_refused() {
        let limit = u32::MAX as usize;
        assert_eq!(check_count(limit), Ok(()));
        let found = limit + 1;
        assert_eq!(check_count(found), Err(Error::TooManyParticles { found, limit }));
    }
}
