//! One pair of a law in `f64`, for what is derived from the law itself.

use super::columns::Columns;
use super::loops::{Loops, Setting, View};
use super::sums::Folding;
use super::variant::{BySize, Variant};
use crate::numeric::simd::{LINE, Line};
use crate::pack::{self, OwnedRows};
use crate::{Domain, Field, Law, Math, Precision, SimdLevel};

/// The pair function of a law with its parameters, in open space.
pub(crate) struct Pair {
    law: &'static Law,
    loops: Loops<u64>,
    parameters: Columns<u64>,
    folding: Folding,
}

impl Pair {
    /// Returns the pair function of a law with these parameters, which are one row.
    pub fn new(law: &'static Law, parameters: &[u64]) -> Self {
        let variant = Variant {
            level: SimdLevel::Scalar,
            precision: Precision::Double,
            math: Math::Exact,
            is_periodic: false,
        };
        let BySize::Bits64(loops) = (law.cpu_loops)(variant).0 else {
            unreachable!("loops in f64")
        };
        let parameters = one(law.parameters, parameters.to_vec());
        Self { law, loops, parameters, folding: Folding::new(law.f, Precision::Double) }
    }

    /// Returns the result of one j-particle for one i-particle, as a row.
    pub fn evaluate(&self, i: Vec<u64>, j: Vec<u64>) -> Vec<u64> {
        let (i, j) = (one(self.law.i, i), one(self.law.j, j));
        let setting = Setting {
            parameters: self.parameters.lines(),
            domain: Domain::Open,
            skips_self: false,
            folding: &self.folding,
        };
        let mut sums = vec![Line([0; LINE]); pack::dim(self.law.f)];
        self.folding.begin(&mut sums);
        (self.loops.one)(&setting, &first(&i), &first(&j), &mut sums, None);
        sums.iter().map(|line| line.0[0]).collect()
    }
}

/// Packs one record.
fn one(fields: &'static [Field], row: Vec<u64>) -> Columns<u64> {
    Columns::pack::<f64>(&OwnedRows::new(fields, row)).expect("memory for one record")
}

/// Returns the first record.
fn first(columns: &Columns<u64>) -> View<'_, u64> {
    View { lines: columns.lines(), first: 0, range: 0..1 }
}
