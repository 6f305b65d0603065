//! Checks that the range of a precision holds the numbers of an evaluation.

use crate::check::inputs::Inputs;
use crate::check::sample::sample;
use crate::domain::Domain;
use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::charges::{Carried, Charges};
use crate::law::checked_pair::{CheckNumbers, CheckSetting, CheckedPair};
use crate::law::interaction::Law;
use crate::law::pair::{PackedSources, Pair};
use crate::numeric::bounded::Bounded;
use crate::numeric::narrow::Narrow;
use crate::numeric::positions::Positions;
use crate::numeric::precision::Precision;
use crate::options::Options;
use crate::pairs::sources::Sources;
use crate::parallel;
use crate::records::numbers::{Number, numbers};
use crate::records::pack;
use crate::records::rows::Rows;

/// The most pairs that are evaluated, unless `FEW` i-particles have more.
const PAIRS: usize = 1 << 20;
const FEW: usize = 4;
/// The share of the summed magnitudes of its terms that a result may lose by the range.
const LOSS: f64 = 1.0 / 65536.0;
/// The greatest charge of one far particle, in units of the summed magnitudes of the cell's
/// charges: of ten far particles some have weights above 1.
const FAR: f64 = 4.0;

/// Checks that the numbers of an evaluation stay in the range of the precision, as
/// [`check_range`](crate::check_range) does, for a law without its types. `parameters` is one row. A
/// law from text is compiled for it.
pub fn range(
    law: &'static Law,
    parameters: &[u64],
    options: &Options,
    i: &dyn Rows,
    j: Sources<'_, dyn Rows + '_>,
) -> Result<(), Error> {
    let inputs = Inputs::new(law, parameters, options.domain, i, j)?;
    Check { inputs, options, is_tree: false }.run()
}

/// Checks the same for a tree: see [`check_range_tree`](crate::check_range_tree).
///
/// # Errors
///
/// The errors of [`range`], and [`Error::NoTree`] for a law without charges.
pub fn range_tree(
    law: &'static Law,
    parameters: &[u64],
    options: &Options,
    i: &dyn Rows,
    j: Sources<'_, dyn Rows + '_>,
) -> Result<(), Error> {
    let inputs = Inputs::new(law, parameters, options.domain, i, j)?;
    Check { inputs, options, is_tree: true }.run()
}

/// A check of a range.
pub(super) struct Check<'a> {
    pub inputs: Inputs<'a>,
    pub options: &'a Options,
    pub is_tree: bool,
}

/// Particles in the range of `f32`, and the pair functions.
struct Pairs<'a> {
    wide: Pair,
    sources: Vec<PackedSources>,
    narrow: CheckedPair,
    setting: CheckSetting<'a>,
    /// The j-particles in the range of `f32`, in each copy of the box, and the result without any
    /// pair.
    narrow_j: Vec<Vec<Bounded>>,
    nothing: Vec<Bounded>,
}

impl Check<'_> {
    pub fn run(&self) -> Result<(), Error> {
        let precision = self.options.precision;
        let &Inputs { law, parameters, domain, ref i, ref j, .. } = &self.inputs;
        let name = law.name;
        let charges = law.charges.map_err(|reason| Error::NoTree { law: name, reason });
        let charges = if self.is_tree { Some(charges?) } else { None };
        if precision == Precision::Double {
            return Ok(());
        }
        let rows = [parameters, i.words(), j[0].words()];
        let fields = [law.parameters, law.i, law.j];
        let names = ["parameters", "i-particles", "j-particles"];
        for ((what, fields), rows) in names.into_iter().zip(fields).zip(rows) {
            beyond(what, fields, &pack::reals(fields, rows).collect::<Vec<_>>(), precision)?;
        }
        if let Some(charges) = charges {
            let numbers: Vec<_> = pack::reals(law.j, rows[2]).collect();
            sums_beyond(charges, law.j, &numbers, precision)?;
        }
        let fits = (PAIRS / (j.len() * j[0].count()).max(1)).max(FEW);
        let targets = sample(i.count(), fits);
        let parameters = narrowed(law.parameters, rows[0]);
        let pairs = self.pairs(&parameters, domain)?;
        let row = |k: usize| &rows[1][k * pack::dim(law.i)..][..pack::dim(law.i)];
        let stack = law.stack(2 * size_of::<f64>());
        let lost = |k: usize| self.lost(&pairs, targets[k], row(targets[k]));
        let found = parallel::map(targets.len(), stack, &lost);
        let first = found.into_iter().zip(&targets).find_map(|(lost, &k)| Some((lost?, k)));
        first.map_or(Ok(()), |(Lost { field, found, computed }, particle)| {
            let what = "results";
            Err(Error::BeyondRange { what, particle, field, found, computed, precision })
        })
    }

    fn pairs<'b>(&self, parameters: &'b [Bounded], domain: Domain) -> Result<Pairs<'b>, Error> {
        let Inputs { law, j, .. } = &self.inputs;
        let sources = j.iter().map(|copy| PackedSources::pack(copy));
        Ok(Pairs {
            wide: Pair::new(law, self.inputs.parameters, domain)?,
            sources: sources.collect::<Result<_, _>>()?,
            narrow: law.checked_pair(CheckNumbers::Narrow)?,
            setting: CheckSetting { parameters, positions: Positions::new(domain, false, 0.0) },
            narrow_j: j.iter().map(|copy| narrowed(law.j, copy.words())).collect(),
            nothing: narrowed(law.f, &pack::nothing(law.f)),
        })
    }

    /// Returns the first field of the result of an i-particle that leaves the range.
    fn lost(&self, pairs: &Pairs<'_>, target: usize, row: &[u64]) -> Option<Lost> {
        let law = self.inputs.law;
        let bag = if self.options.folds_each_bag() {
            let bag = self.options.order.unwrap_or_default().bag.max(1);
            bag.saturating_mul(self.options.bags_per_fold(bag))
        } else {
            usize::MAX
        };
        let (i, of_j) = (narrowed(law.i, row), pack::dim(law.j));
        let [mut term, mut whole] = [(); 2].map(|()| pairs.wide.running(row.to_vec()));
        let [mut narrow_term, mut narrow_whole] = [(); 2].map(|()| pairs.nothing.clone());
        let mut sums = Sums::new(pack::dim(law.f));
        for (copy, narrow_j) in pairs.narrow_j.iter().enumerate() {
            let own = (self.inputs.skips_self() && copy == 0).then_some(target);
            for l in (0..self.inputs.j[copy].count()).filter(|&l| own != Some(l)) {
                let j = &narrow_j[l * of_j..][..of_j];
                term.clear();
                narrow_term.copy_from_slice(&pairs.nothing);
                for wide in [&mut term, &mut whole] {
                    wide.add(&pairs.sources[copy], l);
                }
                for narrow in [&mut narrow_term, &mut narrow_whole] {
                    pairs.narrow.pair(&pairs.setting, &i, j, l as u32, narrow);
                }
                sums.add(&term.numbers(), &values(&narrow_term));
                if (l + 1).is_multiple_of(bag) {
                    sums.end_bag();
                }
            }
            sums.end_bag();
        }
        if self.is_tree {
            sums.end_cells();
        }
        let is_stored_in_single = self.options.backup() == Precision::Single;
        sums.lost(law.f, &whole.numbers(), &values(&narrow_whole), is_stored_in_single)
    }
}

/// A field that leaves the range, its value, and the value in the range.
#[derive(Clone)]
struct Lost {
    field: Field,
    found: f64,
    computed: f64,
}

/// Sums over the terms of an i-particle, component by component.
struct Sums {
    /// The magnitudes of the terms.
    magnitudes: Vec<f64>,
    /// The magnitudes that the terms lose.
    losses: Vec<f64>,
    /// The terms of the bag.
    bag: Vec<f64>,
    totals: Vec<f64>,
    /// Whether the sum of a bag is beyond the range.
    overflows: Vec<bool>,
}

impl Sums {
    fn new(dim: usize) -> Self {
        let zeros = || vec![0.0; dim];
        let overflows = vec![false; dim];
        Self { magnitudes: zeros(), losses: zeros(), bag: zeros(), totals: zeros(), overflows }
    }

    /// Adds a term. Terms that are infinite or NaN in `f64` say nothing about the range.
    fn add(&mut self, wide: &[f64], narrow: &[f64]) {
        for (c, (&wide, &narrow)) in wide.iter().zip(narrow).enumerate() {
            if wide.is_finite() {
                let loss = (wide - narrow).abs();
                self.magnitudes[c] += wide.abs();
                self.losses[c] += if loss.is_nan() { f64::INFINITY } else { loss };
                self.bag[c] += wide;
            }
        }
    }

    fn end_bag(&mut self) {
        for (c, bag) in self.bag.iter_mut().enumerate() {
            self.overflows[c] |= bag.abs() > f64::from(f32::MAX);
            self.totals[c] += std::mem::take(bag);
        }
    }

    /// Ends the sums of a tree, in which one cell may stand for any of the terms.
    fn end_cells(&mut self) {
        for (overflows, magnitude) in self.overflows.iter_mut().zip(&self.magnitudes) {
            *overflows |= FAR * magnitude > f64::from(f32::MAX);
        }
    }

    fn lost(
        &self,
        fields: &[Field],
        wide: &[f64],
        narrow: &[f64],
        is_stored_in_single: bool,
    ) -> Option<Lost> {
        let mut first = 0;
        fields.iter().find_map(|field| {
            let range = first..first + field.kind.components();
            first = range.end;
            if !field.kind.is_sum() {
                let values = range.clone().filter(|c| !field.kind.is_index(c - range.start));
                return values.map(|c| (wide[c], narrow[c])).find_map(|(found, computed)| {
                    let is_off = (found - computed).abs() > LOSS * found.abs();
                    let is_lost = found.is_finite() && (is_off || computed.is_nan());
                    is_lost.then_some(Lost { field: *field, found, computed })
                });
            }
            let magnitude: f64 = self.magnitudes[range.clone()].iter().sum();
            let loss: f64 = self.losses[range.clone()].iter().sum();
            let overflows = |c: &usize| {
                let is_beyond = is_stored_in_single && self.totals[*c].abs() > f64::from(f32::MAX);
                self.overflows[*c] || is_beyond
            };
            if let Some(c) = range.clone().find(overflows) {
                let computed = f64::INFINITY.copysign(self.totals[c]);
                return Some(Lost { field: *field, found: self.totals[c], computed });
            }
            let by_loss = |&a: &usize, &b: &usize| self.losses[a].total_cmp(&self.losses[b]);
            let c = range.max_by(by_loss).filter(|_| loss > LOSS * magnitude)?;
            Some(Lost { field: *field, found: self.totals[c], computed: narrow[c] })
        })
    }
}

/// Refuses numbers in rows of records that are finite but beyond the range.
fn beyond(
    what: &'static str,
    fields: &'static [Field],
    rows: &[f64],
    precision: Precision,
) -> Result<(), Error> {
    let of_number = of_numbers(fields);
    let first = rows.iter().enumerate().find(|&(at, found)| {
        let is_real = of_number[at % of_number.len()].kind != FieldKind::U32;
        is_real && found.is_finite() && (*found as f32).is_infinite()
    });
    first.map_or(Ok(()), |(at, &found)| {
        let (particle, field) = (at / of_number.len(), of_number[at % of_number.len()]);
        let computed = f64::INFINITY.copysign(found);
        Err(Error::BeyondRange { what, particle, field, found, computed, precision })
    })
}

/// Refuses charges of records in rows whose sums are beyond the range: far particles carry such
/// sums.
fn sums_beyond(
    charges: Charges,
    fields: &'static [Field],
    rows: &[f64],
    precision: Precision,
) -> Result<(), Error> {
    let of_number = of_numbers(fields);
    let mut of_particle = vec![0.0; charges.products.len()];
    let mut sums = of_particle.clone();
    for (particle, numbers) in rows.chunks(of_number.len().max(1)).enumerate() {
        charges.of(numbers, &mut of_particle);
        for (number, carried) in charges.carried.iter().enumerate() {
            let Carried::Charge(q) = *carried else { continue };
            sums[q] +=
                Some(of_particle[q].abs()).filter(|charge| charge.is_finite()).unwrap_or(0.0);
            if FAR * sums[q] > f64::from(f32::MAX) {
                let (what, field) = ("four times the sum up to j-particles", of_number[number]);
                let (found, computed) = (FAR * sums[q], f64::INFINITY);
                return Err(Error::BeyondRange {
                    what,
                    particle,
                    field,
                    found,
                    computed,
                    precision,
                });
            }
        }
    }
    Ok(())
}

/// Returns the field of each number of a record.
fn of_numbers(fields: &'static [Field]) -> Vec<Field> {
    let number = |field: &'static Field| std::iter::repeat_n(*field, field.kind.components());
    fields.iter().flat_map(number).collect()
}

/// Returns the numbers of rows in the range of `f32`.
fn narrowed(fields: &[Field], rows: &[u64]) -> Vec<Bounded> {
    let number = |(&word, kind): (&u64, Number)| match kind {
        Number::Index => word as f64,
        Number::Real | Number::Coordinate => Narrow::new(f64::from_bits(word)).to_f64(),
    };
    let numbers = rows.iter().zip(numbers(fields).cycle()).map(number);
    numbers.map(|value| Bounded { value, error: 0.0 }).collect()
}

fn values(numbers: &[Bounded]) -> Vec<f64> {
    numbers.iter().map(|number| number.value).collect()
}
