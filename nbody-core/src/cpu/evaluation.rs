//! One evaluation of any interaction: its compiled loops on packed particles.

use super::columns::Columns;
use super::loops::{Loops, Setting};
use super::schedule::{Job, Schedule};
use super::sums::Folding;
use super::variant::{BySize, Compiled};
use crate::pack::{self, Rows};
use crate::{
    Accumulation, Domain, Error, Field, Law, Mixed, Precision, Scalar, SummationOrder, parallel,
};

/// Particles or parameters in the words of a precision, as structure of arrays.
#[derive(Clone, Debug)]
pub(super) enum Packed {
    Bits32(Columns<u32>),
    Bits64(Columns<u64>),
}

impl Packed {
    pub fn pack(records: &dyn Rows, precision: Precision) -> Result<Self, Error> {
        Ok(match precision {
            Precision::Single => Self::Bits32(Columns::pack::<f32>(records)?),
            Precision::Double => Self::Bits64(Columns::pack::<f64>(records)?),
            Precision::Mixed => Self::Bits32(Columns::pack::<Mixed>(records)?),
        })
    }

    /// Allocates `n` records of these fields.
    pub fn zeros(n: usize, fields: &[Field], precision: Precision) -> Result<Self, Error> {
        Ok(match precision {
            Precision::Single => Self::Bits32(Columns::zeros(n, pack::words::<f32>(fields))?),
            Precision::Double => Self::Bits64(Columns::zeros(n, pack::words::<f64>(fields))?),
            Precision::Mixed => Self::Bits32(Columns::zeros(n, pack::words::<Mixed>(fields))?),
        })
    }

    /// Adds records of the same type at the end.
    pub fn append(&mut self, records: &dyn Rows, precision: Precision) -> Result<(), Error> {
        match (self, precision) {
            (Self::Bits64(columns), _) => columns.append::<f64>(records),
            (Self::Bits32(columns), Precision::Mixed) => columns.append::<Mixed>(records),
            (Self::Bits32(columns), _) => columns.append::<f32>(records),
        }
    }

    /// Copies the first records.
    pub fn first(&self, n: usize) -> Result<Self, Error> {
        Ok(match self {
            Self::Bits32(columns) => Self::Bits32(columns.first(n)?),
            Self::Bits64(columns) => Self::Bits64(columns.first(n)?),
        })
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bits32(columns) => columns.len(),
            Self::Bits64(columns) => columns.len(),
        }
    }

    /// Returns the same records in `f64`; 32-bit records must be of mixed precision.
    pub fn widened(&self, fields: &'static [Field]) -> Result<Self, Error> {
        match self {
            Self::Bits32(columns) => Ok(Self::Bits64(columns.widened(fields)?)),
            Self::Bits64(columns) => Ok(Self::Bits64(columns.clone())),
        }
    }
}

/// Inputs of an evaluation other than the particles.
pub(super) struct Evaluation<'a> {
    pub law: &'static Law,
    pub loops: Compiled,
    pub precision: Precision,
    pub domain: Domain,
    pub skips_self: bool,
    pub schedule: Schedule<'a>,
    pub order: SummationOrder,
    pub accumulation: Accumulation,
    /// Sums are folded after each bag, not only after the last.
    pub folds_each_bag: bool,
    /// Sums over all pairs are folded after this many bags.
    pub bags_per_fold: usize,
    pub folding: &'a Folding,
}

impl Evaluation<'_> {
    /// Evaluates all pairs of the sets: parameters, i-particles and j-particles.
    pub fn run(&self, sets: [&Packed; 3], out: &mut Columns<u64>) -> Result<(), Error> {
        match (&self.loops.0, sets) {
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

    /// Evaluates particles of mixed precision in `f64`, which holds their positions exactly.
    pub fn run_widened(&self, sets: [&Packed; 3], out: &mut Columns<u64>) -> Result<(), Error> {
        let fields = [self.law.parameters, self.law.i, self.law.j];
        let [parameters, i] = [0, 1].map(|k| sets[k].widened(fields[k]));
        let (parameters, i) = (parameters?, i?);
        // A single set is converted once.
        if std::ptr::eq(sets[1], sets[2]) {
            self.run([&parameters, &i, &i], out)
        } else {
            self.run([&parameters, &i, &sets[2].widened(fields[2])?], out)
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
        let setting = Setting { parameters: parameters.lines(), domain, skips_self, folding };
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
        };
        let bytes = self.law.stack(loops.width * size_of::<S::Word>());
        let task = &mut || job.evaluate(schedule, out);
        if parallel::with_stack(bytes, task) { Ok(()) } else { Err(Error::OutOfStack { bytes }) }
    }
}
