//! Comparison of results with a reference.

use std::fmt;

use crate::{Error, Record, Scalar, pack};

/// Deviation of one field of the results from the reference.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldReport {
    /// Name of the field.
    pub name: &'static str,
    /// The largest relative error: the length of the difference over that of the reference.
    /// Infinite if a result is not finite.
    pub max: f64,
    /// The root mean square of the relative errors.
    pub rms: f64,
    /// Index of the particle with the largest relative error.
    pub worst: Option<usize>,
    /// The largest error in units of its bound; `None` without bounds.
    pub of_bound: Option<f64>,
    /// Number of particles whose result, reference or bound is not finite.
    pub non_finite: usize,
}

/// Deviation of results from a reference, field by field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Number of results.
    pub n: usize,
    /// Reports, one per field.
    pub fields: Vec<FieldReport>,
}

/// Compares results with a reference of the same length.
///
/// The error of a particle is the Euclidean norm over a field's components, relative to that of
/// the reference. Where the reference is zero, a result of zero has no error, and the error of any
/// other result is relative to the largest reference of the field. With bounds
/// ([`ErrorBounds::bounds`](crate::ErrorBounds::bounds)), the report says whether every error is
/// within its bound.
pub fn compare<F, S>(
    results: &[F::With<S>],
    reference: &[F],
    bounds: Option<&[F]>,
) -> Result<Report, Error>
where
    F: Record<Lane = f64>,
    S: Scalar,
{
    let n = reference.len();
    Error::check_length("results", results.len(), n)?;
    if let Some(bounds) = bounds {
        Error::check_length("bounds", bounds.len(), n)?;
    }
    let results = pack::flatten(results);
    let reference = pack::flatten(reference);
    let bounds = bounds.map(pack::flatten);
    let mut first = 0;
    let mut fields = Vec::new();
    for field in F::FIELDS {
        // Several particles may have the least value, so the index is not compared.
        let is_sum = field.kind.is_sum();
        let count = if is_sum { field.kind.components() } else { 1 };
        let columns = Columns { dim: F::DIM, first, count, is_sum };
        first += field.kind.components();
        fields.push(columns.report(field.name, &results, &reference, bounds.as_deref()));
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
        bounds: Option<&[f64]>,
    ) -> FieldReport {
        let largest = self.of(reference).map(norm).filter(|norm| norm.is_finite());
        let largest = largest.fold(0.0, f64::max);
        let mut report = FieldReport {
            name,
            max: 0.0,
            rms: 0.0,
            worst: None,
            of_bound: bounds.map(|_| 0.0),
            non_finite: 0,
        };
        let mut squares = 0.0;
        let mut bounds = bounds.into_iter().flat_map(|rows| self.of(rows));
        let pairs = self.of(results).zip(self.of(reference));
        let mut n = 0.0;
        for (k, (result, reference)) in pairs.enumerate() {
            // Without a pair an extreme is infinite, in the results and in the reference.
            let same = |a: f64, b: f64| !self.is_sum && a == b;
            let difference = result.iter().zip(reference);
            let difference = difference.map(|(&a, &b)| if same(a, b) { 0.0 } else { a - b });
            let difference = norm(&difference.collect::<Vec<f64>>());
            // Not a comparison that NaN could pass.
            let bound = bounds.next().map(norm);
            let finite = difference.is_finite() && bound.is_none_or(f64::is_finite);
            report.non_finite += usize::from(!finite);
            let error = relative(difference, norm(reference), largest);
            squares += error * error;
            n += 1.0;
            if report.worst.is_none() || error > report.max {
                (report.max, report.worst) = (error, Some(k));
            }
            if let (Some(of_bound), Some(bound)) = (&mut report.of_bound, bound) {
                let error = if difference == 0.0 { 0.0 } else { difference / bound };
                *of_bound = of_bound.max(if error.is_nan() { f64::INFINITY } else { error });
            }
        }
        report.rms = if n > 0.0 { f64::sqrt(squares / n) } else { 0.0 };
        report
    }
}

fn norm(components: &[f64]) -> f64 {
    components.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the relative error, infinite instead of NaN.
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

impl FieldReport {
    /// Returns whether every result is finite and within its bound; `false` without bounds.
    pub fn passes(&self) -> bool {
        self.non_finite == 0 && self.of_bound.is_some_and(|of_bound| of_bound <= 1.0)
    }
}

impl Report {
    /// Returns whether every result of every field is finite and within its bound.
    pub fn passes(&self) -> bool {
        self.fields.iter().all(FieldReport::passes)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>10} {:>10} {:>10} {:>8} {:>10}",
            "field", "max", "rms", "of bound", "worst", "not finite"
        )?;
        for field in &self.fields {
            let of_bound = field.of_bound.map_or("-".to_owned(), |error| format!("{error:.2}"));
            let worst = field.worst.map_or("-".to_owned(), |worst| worst.to_string());
            writeln!(
                f,
                "{:<12} {:>10.2e} {:>10.2e} {of_bound:>10} {worst:>8} {:>10}",
                field.name, field.max, field.rms, field.non_finite
            )?;
        }
        Ok(())
    }
}
