//! Checks that the range of a precision holds the numbers of an evaluation.

use crate::check::narrow::Narrow;
use crate::check::sample::sample;
use crate::domain::InDomain as _;
use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::charges::{Carried, Charges};
use crate::law::interaction::Interaction;
use crate::numeric::precision::Precision;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::space::Either;
use crate::options::Options;
use crate::parallel;
use crate::records::pack;
use crate::records::record::Record;

/// The most pairs that are evaluated, unless `FEW` i-particles have more.
const PAIRS: usize = 1 << 20;
const FEW: usize = 4;
/// The share of the summed magnitudes of its terms that a result may lose by the range.
const LOSS: f64 = 1.0 / 65536.0;
/// The greatest charge of one far particle, in units of the summed magnitudes of the cell's
/// charges: of ten far particles some have weights above 1.
const FAR: f64 = 4.0;

/// Checks that the numbers of an evaluation stay in the range of the precision, for every
/// j-particle acting on the i-particles. The error names the first field and particle with a
/// number out of range.
///
/// Every parameter and every number of the particles that is finite in `f64` must be finite in the
/// precision. Then the pairs of some i-particles (all i-particles if they have up to a million
/// pairs, else a [`sample`](crate::check::sample::sample()) of at least four) are evaluated twice
/// on the host, in `f64` and in `f64` with the range of `f32`: 10⁻³⁸ to 3·10³⁸, intermediate
/// results included. This range may cost no result more than 10⁻⁵ of the summed magnitudes of its
/// terms. The check thus tells whether the units suit single precision, for all pairs and for
/// neighbour lists (the options must have the domain of the lists). It takes a fraction of a
/// second for a million particles. Engines never call it. Trees have [`check_range_tree`].
///
/// [`Precision::Mixed`] has the range of `f32`, too, although the CPU in fast mathematics computes
/// in `f64`. For [`Precision::Double`] there is nothing to check: the reference has no wider
/// range.
///
/// ```
/// # use nbody_core::{Error, Interaction, Options, Precision, check_range};
/// # fn check<X: Interaction>(law: &X, i: &[X::I], j: &[X::J]) -> Result<(), Error> {
/// let options = Options::default();
/// let options = match check_range(law, &options, i, j) {
///     Err(Error::BeyondRange { .. }) => options.precision(Precision::Double),
///     checked => checked.map(|()| options)?,
/// };
/// # Ok(())
/// # }
/// ```
pub fn check_range<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    Check { interaction, options, i, j, one_set: false, is_tree: false }.run()
}

/// Checks the same for one set of particles, given as i-particles and as j-particles.
pub fn check_range_self<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    Error::check_length("j-particles of one set", j.len(), i.len())?;
    Check { interaction, options, i, j, one_set: true, is_tree: false }.run()
}

/// Checks the same for a tree, whose cells act by the sums of their charges.
///
/// For each charge, four times the sum of its magnitudes over all j-particles must be in the
/// range, and likewise for the terms of each result: no cell exceeds these. The check may
/// therefore refuse numbers close to the end of the range that a tree could hold.
///
/// # Errors
///
/// The errors of [`check_range`], and [`Error::NoTree`] for an interaction without charges.
pub fn check_range_tree<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    Check { interaction, options, i, j, one_set: false, is_tree: true }.run()
}

/// Checks the same for a tree of one set of particles, given as i-particles and as j-particles.
///
/// # Errors
///
/// The errors of [`check_range_self`], and [`Error::NoTree`] for an interaction without charges.
pub fn check_range_tree_self<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    Error::check_length("j-particles of one set", j.len(), i.len())?;
    Check { interaction, options, i, j, one_set: true, is_tree: true }.run()
}

struct Check<'a, X: Interaction> {
    interaction: &'a X,
    options: &'a Options,
    i: &'a [X::I],
    j: &'a [X::J],
    one_set: bool,
    is_tree: bool,
}

impl<X: Interaction> Check<'_, X> {
    fn run(&self) -> Result<(), Error> {
        let precision = self.options.precision;
        let law = X::LAW.name;
        let charges = X::LAW.charges.map_err(|reason| Error::NoTree { law, reason });
        let charges = if self.is_tree { Some(charges?) } else { None };
        X::LAW.check_domain(&self.options.domain)?;
        if precision == Precision::Double {
            return Ok(());
        }
        let parameters = std::slice::from_ref(self.interaction);
        beyond("parameters", X::FIELDS, &pack::flatten(parameters), precision)?;
        beyond("i-particles", X::I::FIELDS, &pack::flatten(self.i), precision)?;
        let rows = pack::flatten(self.j);
        beyond("j-particles", X::J::FIELDS, &rows, precision)?;
        if let Some(charges) = charges {
            sums_beyond(charges, X::J::FIELDS, &rows, precision)?;
        }
        let fits = (PAIRS / self.j.len().max(1)).max(FEW);
        let targets = sample(self.i.len(), fits);
        let sources: Vec<_> = self.j.iter().map(narrowed::<X::J>).collect();
        let stack = X::LAW.stack(2 * size_of::<f64>());
        let found = parallel::map(targets.len(), stack, &|k| self.lost(targets[k], &sources));
        let first = found.into_iter().zip(targets).find_map(|(lost, k)| Some((lost?, k)));
        first.map_or(Ok(()), |(Lost { field, found, computed }, particle)| {
            let what = "results";
            Err(Error::BeyondRange { what, particle, field, found, computed, precision })
        })
    }

    /// Returns the first field of the result of an i-particle that leaves the range.
    fn lost(&self, target: usize, sources: &[<X::J as Record>::With<Narrow>]) -> Option<Lost> {
        let wide = Either::<f64>::in_domain(&self.options.domain);
        let narrow = Either::<Narrow>::in_domain(&self.options.domain);
        let parameters: X::With<Narrow> = narrowed(self.interaction);
        let i: <X::I as Record>::With<Narrow> = narrowed(&self.i[target]);
        let skips_self = self.one_set && !X::LAW.self_pairs;
        let bag = if self.options.folds_each_bag() {
            let bag = self.options.order.unwrap_or_default().bag.max(1);
            bag.saturating_mul(self.options.bags_per_fold(bag))
        } else {
            usize::MAX
        };
        let mut sums = Sums::new::<X::F>();
        let mut wholes = (X::F::default(), <X::F as Record>::With::<Narrow>::default());
        for (l, j) in self.j.iter().enumerate().filter(|&(l, _)| !skips_self || l != target) {
            let narrow_j = &sources[l];
            let mut terms = (X::F::default(), <X::F as Record>::With::<Narrow>::default());
            X::pair(self.interaction, &wide, &self.i[target], j, l as u32, &mut terms.0);
            X::pair(&parameters, &narrow, &i, narrow_j, l as u32, &mut terms.1);
            X::pair(self.interaction, &wide, &self.i[target], j, l as u32, &mut wholes.0);
            X::pair(&parameters, &narrow, &i, narrow_j, l as u32, &mut wholes.1);
            sums.add(&values_of(&terms.0), &narrow_values(&terms.1));
            if (l + 1).is_multiple_of(bag) {
                sums.end_bag();
            }
        }
        sums.end_bag();
        if self.is_tree {
            sums.end_cells();
        }
        let is_stored_in_single = self.options.backup() == Precision::Single;
        sums.lost::<X::F>(&values_of(&wholes.0), &narrow_values(&wholes.1), is_stored_in_single)
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
    fn new<F: Record>() -> Self {
        let zeros = || vec![0.0; F::DIM];
        let overflows = vec![false; F::DIM];
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

    fn lost<F: Record>(
        &self,
        wide: &[f64],
        narrow: &[f64],
        is_stored_in_single: bool,
    ) -> Option<Lost> {
        let mut first = 0;
        F::FIELDS.iter().find_map(|field| {
            let range = first..first + field.kind.components();
            first = range.end;
            if !field.kind.is_sum() {
                let (found, computed) = (wide[range.start], narrow[range.start]);
                let is_off = (found - computed).abs() > LOSS * found.abs();
                let is_lost = found.is_finite() && (is_off || computed.is_nan());
                return is_lost.then_some(Lost { field: *field, found, computed });
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

/// Returns the record in the range of `f32`.
fn narrowed<P: Record<Lane = f64, Host = P>>(record: &P) -> P::With<Narrow> {
    let row = pack::rows(&std::slice::from_ref(record));
    P::With::<Narrow>::read(&mut Numbers(row.into_iter()))
}

fn values_of<F: Record<Lane = f64>>(record: &F) -> Vec<f64> {
    pack::flatten(std::slice::from_ref(record))
}

fn narrow_values<F: Record<Lane = Narrow>>(record: &F) -> Vec<f64> {
    let mut values = Values(Vec::with_capacity(F::DIM));
    record.write(&mut values);
    values.0
}

struct Numbers(std::vec::IntoIter<u64>);

impl Numbers {
    fn take(&mut self) -> u64 {
        self.0.next().expect("a word for each number")
    }
}

impl Reader<Narrow> for Numbers {
    fn real(&mut self) -> Narrow {
        Narrow::new(f64::from_bits(self.take()))
    }
    fn index(&mut self) -> u32 {
        self.take() as u32
    }
    fn coordinate(&mut self) -> Narrow {
        self.real()
    }
}

struct Values(Vec<f64>);

impl Writer<Narrow> for Values {
    fn real(&mut self, value: Narrow) {
        self.0.push(value.to_f64());
    }
    fn index(&mut self, value: u32) {
        self.0.push(value.into());
    }
    fn coordinate(&mut self, value: Narrow) {
        self.real(value);
    }
}
