//! One result over all pairs on the CPU.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Particles, check_precision};
use crate::memory::columns::Columns;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::numeric::simd::level::SimdLevel;
use crate::options::{Options, SummationOrder};
use crate::pairs::cpu::{CpuEngine, pairs};
use crate::pairs::images::Images;
use crate::pairs::schedule::{Job, Schedule};
use crate::pairs::sources::Sources;
use crate::parallel;
use crate::records::pack;
use crate::totals::engine::{PairTotals, most_counted, options_of_totals};
use crate::totals::total::PairTotal;

/// Lines of i-particles whose results are added at a time.
const LINES: usize = 4;
/// Number of blocks of i-particles, whose totals are added in order. It depends neither on the
/// number of threads nor on the instructions.
const BLOCKS: usize = 256;
/// The bag of results without sums of reals, which have no rounding errors to bound.
const LONG_BAG: usize = 1 << 14;

/// The engine of totals on the CPU.
#[derive(Debug)]
pub(crate) struct CpuPairTotals {
    engine: CpuEngine,
    most_counted: u32,
}

impl CpuPairTotals {
    pub fn new(
        law: &'static Law,
        parameters: &[u64],
        options: Options,
        level: SimdLevel,
    ) -> Result<Self, Error> {
        let most_counted = most_counted(law)?;
        let engine = CpuEngine::new(law, parameters, options_of_totals(options), level)?;
        Ok(Self { engine, most_counted })
    }

    /// Refuses particles that do not match each other or this engine, and parameters that are NaN.
    fn check(&self, i: &Particles, j: Sources<Particles>) -> Result<(), Error> {
        self.engine.parameters.check()?;
        j.check([i.len(), j.particles().len(), i.len()])?;
        for (what, particles) in [("i-particles", i), ("j-particles", j.particles())] {
            check_precision(what, particles.precision, self.engine.options.precision)?;
        }
        Ok(())
    }

    /// Adds the total over all pairs, each at its nearest image.
    fn add(
        &self,
        [i, j]: [&Particles; 2],
        domain: Domain,
        one_set: bool,
        total: &mut PairTotal,
    ) -> Result<(), Error> {
        let law = self.engine.law;
        let parts = Mutex::new(Vec::new());
        let schedule = InBlocks { law, most_counted: self.most_counted, parts: &parts };
        let mut none = Columns::zeros(0, pack::dim(law.f))?;
        self.engine.evaluate_by(schedule, domain, [&i.packed, &j.packed], one_set, &mut none)?;
        let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        for part in &parts {
            total.add(part);
        }
        Ok(())
    }
}

impl PairTotals for CpuPairTotals {
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

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }

    fn total(&mut self, i: &dyn Buffer, j: Sources<'_, dyn Buffer>) -> Result<PairTotal, Error> {
        let law = self.engine.law;
        let [i, of_j] = pairs(law, i, j)?;
        self.check(i, j.with(of_j))?;
        let mut total = PairTotal::nothing(law.f);
        let images = self.engine.images(i, of_j)?;
        let domain = images.as_ref().map_or(self.engine.options.domain, Images::domain);
        self.add([i, of_j], domain, j.is_one_set(), &mut total)?;
        for displacement in images.iter().flat_map(|images| &images.displacements()[1..]) {
            self.add([i, &of_j.displaced(*displacement)?], domain, false, &mut total)?;
        }
        Ok(total)
    }
}

/// Ordered pairs of blocks of i-particles, each of which adds to a total.
#[derive(Clone, Copy)]
struct InBlocks<'a> {
    law: &'static Law,
    most_counted: u32,
    /// The numbers of the total of each block.
    parts: &'a Mutex<Vec<Vec<u64>>>,
}

impl Schedule for InBlocks<'_> {
    fn order(&self, law: &Law, options: Options, _: usize) -> Option<SummationOrder> {
        let has_sums = law.f.iter().any(|field| field.kind.is_sum());
        let is_given = options.order.is_some();
        (!has_sums && !is_given).then_some(SummationOrder { bag: LONG_BAG, splits: 1 })
    }

    fn run<S: Scalar>(&self, job: &Job<'_, S>, _: &mut Columns<u64>) {
        let n = job.i.len();
        let block = n.div_ceil(BLOCKS).next_multiple_of(LINES * LINE);
        let blocks = n.div_ceil(block.max(1));
        let of_block = |k: usize| self.total_of(job, k * block..n.min((k + 1) * block));
        let totals = parallel::map(blocks, 0, &of_block);
        *self.parts.lock().unwrap_or_else(PoisonError::into_inner) = totals;
    }
}

impl InBlocks<'_> {
    /// Returns the numbers of the total of these i-particles.
    fn total_of<S: Scalar>(&self, job: &Job<'_, S>, block: Range<usize>) -> Vec<u64> {
        let words = job.nothing.len();
        let (mut out, mut row) = (vec![Line([0; LINE]); LINES * words], vec![0; words]);
        let mut total = PairTotal::nothing(self.law.f);
        for begin in block.clone().step_by(LINES * LINE) {
            for j in self.counted(job) {
                job.setting.folding.begin(&mut out);
                job.i_block((0, job.i_range(begin, &out)), j, &mut out);
                for k in 0..(block.end - begin).min(LINES * LINE) {
                    let lines = &out[k / LINE * words..][..words];
                    for (word, line) in row.iter_mut().zip(lines) {
                        *word = line.0[k % LINE];
                    }
                    total.add(&row);
                }
            }
        }
        total.words().to_vec()
    }

    /// Returns ranges of j-particles, whole numbers of bags, whose counts a `u32` holds.
    fn counted<S: Scalar>(&self, job: &Job<'_, S>) -> impl Iterator<Item = Range<usize>> + use<S> {
        let (nj, bag) = (job.j.len(), job.order.bag);
        let held = u32::MAX / self.most_counted.max(1);
        let step = (held as usize / bag * bag).max(bag.min(held as usize));
        (0..nj).step_by(step).map(move |begin| begin..nj.min(begin.saturating_add(step)))
    }
}
