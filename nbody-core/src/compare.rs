//! Results against a reference.

use std::fmt;

use crate::{Accumulation, Error, Operations, Options, Precision, Record, Scalar, pack};

/// How far the results of one field are from the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldReport {
    /// The field's name.
    pub name: &'static str,
    /// The largest relative error: the length of the difference over that of the reference.
    /// Infinite if a result is not finite.
    pub max: f64,
    /// The root mean square of the relative errors.
    pub rms: f64,
    /// The particle with the largest relative error.
    pub worst: Option<usize>,
    /// The largest error relative to the sum of the magnitudes of the terms, which is what
    /// rounding is proportional to; `None` if the magnitudes were not given.
    pub scaled: Option<f64>,
    /// How many results, or their references, are not finite.
    pub non_finite: usize,
}

/// How far results are from a reference, field by field.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How many results were compared.
    pub n: usize,
    /// A report for each field.
    pub fields: Vec<FieldReport>,
}

/// Compares results with a reference of the same length.
///
/// The error of a particle is the Euclidean norm over a field's components, relative to that of
/// the reference. Where the reference is zero, a result of zero has no error, and any other is
/// measured by the largest reference of the field. Given the sums of the magnitudes
/// ([`magnitudes`](crate::magnitudes)), the report also has the error relative to those.
pub fn compare<F, S>(
    results: &[F::With<S>],
    reference: &[F],
    magnitudes: Option<&[F]>,
) -> Result<Report, Error>
where
    F: Record<Lane = f64>,
    S: Scalar,
{
    let n = reference.len();
    Error::check_length("results", results.len(), n)?;
    if let Some(magnitudes) = magnitudes {
        Error::check_length("magnitudes", magnitudes.len(), n)?;
    }
    let results = pack::flatten(results);
    let reference = pack::flatten(reference);
    let magnitudes = magnitudes.map(pack::flatten);
    let mut first = 0;
    let mut fields = Vec::new();
    for field in F::FIELDS {
        // Of equal values any may be the least; the index is not compared.
        let is_sum = field.kind.is_sum();
        let count = if is_sum { field.kind.components() } else { 1 };
        let columns = Columns { dim: F::DIM, first, count, is_sum };
        first += field.kind.components();
        fields.push(columns.report(field.name, &results, &reference, magnitudes.as_deref()));
    }
    Ok(Report { n, fields })
}

/// The components of one field in rows of numbers.
struct Columns {
    dim: usize,
    first: usize,
    count: usize,
    is_sum: bool,
}

impl Columns {
    fn of<'a>(&self, rows: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
        let (first, end) = (self.first, self.first + self.count);
        rows.chunks_exact(self.dim).map(move |row| &row[first..end])
    }

    fn report(
        &self,
        name: &'static str,
        results: &[f64],
        reference: &[f64],
        magnitudes: Option<&[f64]>,
    ) -> FieldReport {
        let largest = self.of(reference).map(norm).filter(|norm| norm.is_finite());
        let largest = largest.fold(0.0, f64::max);
        let mut report = FieldReport {
            name,
            max: 0.0,
            rms: 0.0,
            worst: None,
            scaled: magnitudes.map(|_| 0.0),
            non_finite: 0,
        };
        let mut squares = 0.0;
        let mut scales = magnitudes.into_iter().flat_map(|rows| self.of(rows));
        let pairs = self.of(results).zip(self.of(reference));
        let mut n = 0.0;
        for (k, (result, reference)) in pairs.enumerate() {
            // Without a pair an extreme is infinite, and rightly so.
            let same = |a: f64, b: f64| !self.is_sum && a == b;
            let difference = result.iter().zip(reference);
            let difference = difference.map(|(&a, &b)| if same(a, b) { 0.0 } else { a - b });
            let difference = norm(&difference.collect::<Vec<f64>>());
            // Not a comparison that NaN could pass.
            let finite = difference.is_finite();
            report.non_finite += usize::from(!finite);
            let error = relative(difference, norm(reference), largest);
            squares += error * error;
            n += 1.0;
            if report.worst.is_none() || error > report.max {
                (report.max, report.worst) = (error, Some(k));
            }
            if let (Some(scaled), Some(scale)) = (&mut report.scaled, scales.next()) {
                *scaled = scaled.max(relative(difference, norm(scale), largest));
            }
        }
        report.rms = if n > 0.0 { f64::sqrt(squares / n) } else { 0.0 };
        report
    }
}

fn norm(components: &[f64]) -> f64 {
    components.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The relative error; infinite rather than NaN.
fn relative(difference: f64, reference: f64, largest: f64) -> f64 {
    let error = if difference == 0.0 {
        0.0
    } else if reference > 0.0 {
        difference / reference
    } else {
        difference / largest
    };
    if error.is_nan() { f64::INFINITY } else { error }
}

/// How large an error may be.
///
/// It bounds the error relative to the sum of the magnitudes of the terms by
/// u (4 + p / 2 + 3 √t), with u the unit roundoff of the pair's precision, p the floating-point
/// operations of a pair, and t the terms that are summed in that precision one after another:
/// all of them in [`Accumulation::Direct`], a bag and the number of bags in
/// [`Accumulation::Blocked`], a bag in [`Accumulation::BlockedF64`]. Rounding errors of sums
/// grow with √t but for rare exceptions (Higham & Mary 2019, SIAM J. Sci. Comput. 41, A2815),
/// among them a sum that adds one and the same term again and again; the constants leave a factor of about three. In double precision t is the whole sum, since
/// the reference is rounded too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The largest error relative to the sum of the magnitudes.
    pub scaled: f64,
}

impl Tolerance {
    /// The tolerance for sums over `nj` j-particles.
    pub fn new(options: &Options, operations: Operations, nj: usize) -> Self {
        let bag = options.tiling.unwrap_or_default().bag.clamp(1, nj.max(1));
        let (roundoff, terms) = match (options.precision, options.accumulation) {
            (Precision::Double, _) => (f64::ROUNDOFF, nj),
            (Precision::Single, Accumulation::Direct) => (f32::ROUNDOFF, nj),
            (Precision::Single, Accumulation::Blocked) => (f32::ROUNDOFF, bag + nj / bag),
            (Precision::Single, Accumulation::BlockedF64) => (f32::ROUNDOFF, bag),
        };
        let pair = f64::from(operations.flops()) / 2.0;
        Self { scaled: roundoff * (4.0 + pair + 3.0 * (terms as f64).sqrt()) }
    }
}

impl FieldReport {
    /// Whether every result is finite and within the tolerance.
    pub fn passes(&self, tolerance: Tolerance) -> bool {
        self.non_finite == 0 && self.scaled.unwrap_or(self.max) <= tolerance.scaled
    }
}

impl Report {
    /// Whether every field is finite and within the tolerance.
    pub fn passes(&self, tolerance: Tolerance) -> bool {
        self.fields.iter().all(|field| field.passes(tolerance))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>10} {:>10} {:>10} {:>8} {:>10}",
            "field", "max", "rms", "scaled", "worst", "not finite"
        )?;
        for field in &self.fields {
            let scaled = field.scaled.map_or("-".to_owned(), |scaled| format!("{scaled:.2e}"));
            let worst = field.worst.map_or("-".to_owned(), |worst| worst.to_string());
            writeln!(
                f,
                "{:<12} {:>10.2e} {:>10.2e} {scaled:>10} {worst:>8} {:>10}",
                field.name, field.max, field.rms, field.non_finite
            )?;
        }
        Ok(())
    }
}
