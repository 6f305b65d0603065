//! One evaluation of any interaction: its compiled loops on packed particles.

use crate::domain::Domain;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::law::interaction::Law;
use crate::law::loops::BySize;
use crate::law::loops::{Loops, PairSetting};
use crate::memory::columns::Columns;
use crate::memory::folding::Folding;
use crate::memory::packed::Packed;
use crate::numeric::mixed::Mixed;
use crate::numeric::precision::Precision;
use crate::numeric::scalar::Scalar;
use crate::options::{Accumulation, SummationOrder};
use crate::pairs::schedule::{Job, Schedule};
use crate::parallel;

/// Inputs of an evaluation other than the particles.
pub(crate) struct Evaluation<'a, K> {
    pub law: &'static Law,
    pub loops: BySize,
    pub precision: Precision,
    pub domain: Domain,
    pub skips_self: bool,
    pub schedule: K,
    pub order: SummationOrder,
    pub accumulation: Accumulation,
    /// Sums are folded after each bag, not only after the last.
    pub folds_each_bag: bool,
    /// Sums over all pairs are folded after this many bags.
    pub bags_per_fold: usize,
    pub folding: &'a Folding,
}

impl<K: Schedule> Evaluation<'_, K> {
    /// Evaluates all pairs of the sets: parameters, i-particles and j-particles.
    pub fn run(&self, sets: [&Packed; 3], out: &mut Columns<u64>) -> Result<(), Error> {
        match (&self.loops, sets) {
            (
                BySize::Bits32(loops),
                [Packed::Bits32(parameters), Packed::Bits32(i), Packed::Bits32(j)],
            ) if self.precision == Precision::Mixed => {
                self.on::<Mixed>(loops, [parameters, i, j], out)
            }
            (
                BySize::Bits32(loops),
                [Packed::Bits32(parameters), Packed::Bits32(i), Packed::Bits32(j)],
            ) => self.on::<f32>(loops, [parameters, i, j], out),
            (
                BySize::Bits64(loops),
                [Packed::Bits64(parameters), Packed::Bits64(i), Packed::Bits64(j)],
            ) => self.on::<f64>(loops, [parameters, i, j], out),
            _ => unreachable!("checked: loops and particles are of one precision"),
        }
    }

    /// Evaluates particles of mixed precision in `f64`, which holds their positions exactly, with
    /// parameters that are packed for it.
    pub fn run_widened(
        &self,
        [parameters, i, j]: [&Packed; 3],
        out: &mut Columns<u64>,
    ) -> Result<(), Error> {
        let widened = i.widened(self.law.i)?;
        // A single set is converted once.
        if std::ptr::eq(i, j) {
            self.run([parameters, &widened, &widened], out)
        } else {
            self.run([parameters, &widened, &j.widened(self.law.j)?], out)
        }
    }

    fn on<S: Scalar>(
        &self,
        loops: &Loops<S::Word>,
        [parameters, i, j]: [&Columns<S::Word>; 3],
        out: &mut Columns<u64>,
    ) -> Result<(), Error> {
        let &Self { domain, skips_self, schedule, order, accumulation, .. } = self;
        let &Self { folds_each_bag, bags_per_fold, folding, .. } = self;
        let setting = PairSetting { parameters: parameters.lines(), domain, skips_self, folding };
        let nothing = &folding.nothing::<S>();
        let job = Job::<S> {
            loops,
            setting: &setting,
            i,
            j,
            order,
            accumulation,
            folds_each_bag,
            bags_per_fold,
            nothing,
            interrupt: Interrupt::current(),
        };
        let bytes = self.law.stack(loops.width * size_of::<S::Word>());
        let task = &mut || schedule.run(&job, out);
        if !parallel::with_stack(bytes, task) {
            return Err(Error::OutOfStack { bytes });
        }
        job.interrupt.check()
    }
}
