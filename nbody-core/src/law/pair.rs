//! Pairs of a law in `f64`, one by one: for the reference, and for properties derived from the law
//! itself.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::law::loops::{BySize, Variant};
use crate::law::loops::{Loops, PairSetting, View};
use crate::memory::columns::Columns;
use crate::memory::folding::Folding;
use crate::numeric::precision::Precision;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::records::pack;
use crate::records::rows::{OwnedRows, Rows};

/// The pair function of a law with its parameters.
pub(crate) struct Pair {
    law: &'static Law,
    loops: Loops<u64>,
    parameters: Columns<u64>,
    domain: Domain,
    folding: Folding,
}

/// j-particles in `f64`.
pub(crate) struct PackedSources(Columns<u64>);

impl PackedSources {
    /// Packs j-particles.
    pub fn pack(j: &dyn Rows) -> Result<Self, Error> {
        Ok(Self(Columns::pack::<f64>(j)?))
    }
}

impl Pair {
    /// Returns the pair function of a law with one row of parameters; an error if the law has no
    /// loops.
    pub fn new(law: &'static Law, parameters: &[u64], domain: Domain) -> Result<Self, Error> {
        let variant = Variant::of_references(domain.kind());
        let BySize::Bits64(loops) = law.loops(variant)? else { unreachable!("loops in f64") };
        let parameters = OwnedRows::new(law.parameters, parameters.to_vec())
            .and_then(|row| Columns::of_parameters::<f64>(&row))
            .expect("one record, and memory for it");
        let folding = Folding::new(law.f, Precision::Double);
        Ok(Self { law, loops, parameters, domain, folding })
    }

    /// Returns the result of one j-particle for one i-particle, as a row.
    pub fn evaluate(&self, i: Vec<u64>, j: Vec<u64>) -> Vec<u64> {
        let [total, _] = self.sum(i, &[PackedSources(one(self.law.j, j))], None);
        total
    }

    /// Returns the result of an i-particle without any pair.
    pub fn running(&self, i: Vec<u64>) -> Running<'_> {
        let sums = vec![Line([0; LINE]); pack::dim(self.law.f)];
        let mut running = Running { pair: self, i: one(self.law.i, i), sums };
        running.clear();
        running
    }

    fn setting(&self, skips_self: bool) -> PairSetting<'_, u64> {
        let (parameters, domain) = (self.parameters.lines(), self.domain);
        PairSetting { parameters, domain, skips_self, folding: &self.folding }
    }

    /// Returns the compensated sums of all j-particles, in one copy of the box after another, for
    /// one i-particle, and their rounding errors, as rows. The j-particle with the index `own` is
    /// left out in the first copy.
    pub fn sum(&self, i: Vec<u64>, j: &[PackedSources], own: Option<usize>) -> [Vec<u64>; 2] {
        let i = one(self.law.i, i);
        let i = View { lines: i.lines(), first: own.unwrap_or(0), range: 0..1 };
        let mut sums = [(); 2].map(|()| vec![Line([0; LINE]); pack::dim(self.law.f)]);
        for sums in &mut sums {
            self.folding.begin(sums);
        }
        let [total, lost] = &mut sums;
        let nothing = total.clone();
        let mut folded = total.clone();
        let kinds = self.folding.kinds().iter().enumerate();
        let others: Vec<_> = kinds.filter(|(_, kind)| !kind.is_sum()).map(|(c, _)| c).collect();
        for (copy, j) in j.iter().enumerate() {
            let setting = self.setting(own.is_some() && copy == 0);
            let j = View { lines: j.0.lines(), first: 0, range: 0..j.0.len() };
            self.loops.one(&setting, &i, &j, total, Some(lost));
            // Sums go on. Of equal extremes in two copies the lower index counts, as on engines.
            self.folding.fold::<f64>(1, total, 0, &mut folded);
            for &c in &others {
                total[c] = nothing[c];
            }
        }
        for &c in &others {
            total[c] = folded[c];
        }
        sums.map(|sums| sums.iter().map(|line| line.0[0]).collect())
    }
}

/// The result of an i-particle, to which pairs are added one by one.
pub(crate) struct Running<'a> {
    pair: &'a Pair,
    i: Columns<u64>,
    sums: Vec<Line<u64>>,
}

impl Running<'_> {
    /// Returns to the result without any pair.
    pub fn clear(&mut self) {
        self.pair.folding.begin(&mut self.sums);
    }

    /// Adds the contribution of the j-particle with this index.
    pub fn add(&mut self, j: &PackedSources, index: usize) {
        let pair = self.pair;
        let setting = pair.setting(false);
        let i = View { lines: self.i.lines(), first: 0, range: 0..1 };
        let j = View { lines: j.0.lines(), first: 0, range: index..index + 1 };
        pair.loops.one(&setting, &i, &j, &mut self.sums, None);
    }

    /// Returns the numbers of the result.
    pub fn numbers(&self) -> Vec<f64> {
        let words: Vec<_> = self.sums.iter().map(|line| line.0[0]).collect();
        pack::reals(self.pair.law.f, &words).collect()
    }
}

/// Packs one record.
fn one(fields: &'static [Field], row: Vec<u64>) -> Columns<u64> {
    let row = OwnedRows::new(fields, row).and_then(|row| Columns::pack::<f64>(&row));
    row.expect("one record, and memory for it")
}
