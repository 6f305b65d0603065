//! Comparison of results with a reference.

use std::fmt;

use crate::error::Error;
use crate::field::Field;
use crate::records::pack;
use crate::records::rows::Rows;

/// Deviation of one field of the results from the reference.
///
/// Errors that are not finite count as infinite. One of them makes `max`, `rms` and `mean`
/// infinite; a percentile is infinite only if there are more of them than the percentile leaves
/// out. Without particles all errors are 0.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldReport {
    /// Name of the field.
    pub name: &'static str,
    /// The largest relative error: length of the difference divided by the length of the
    /// reference. Infinite if a result is not finite.
    pub max: f64,
    /// The root mean square of the relative errors.
    pub rms: f64,
    /// The mean of the relative errors.
    pub mean: f64,
    /// The smallest relative error that at least half of the particles do not exceed (50th
    /// percentile, nearest rank; always the error of some particle).
    pub median: f64,
    /// The smallest relative error that at least 99 of 100 particles do not exceed (99th
    /// percentile, nearest rank).
    pub p99: f64,
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

/// Compares results with a reference of the same number, as [`compare`](crate::compare()) does, without
/// the types of a law.
pub fn compare(
    results: &dyn Rows,
    reference: &dyn Rows,
    bounds: Option<&dyn Rows>,
) -> Result<Report, Error> {
    let fields = reference.fields();
    Error::check_record("results", results.fields(), fields)?;
    if let Some(bounds) = bounds {
        Error::check_record("bounds", bounds.fields(), fields)?;
    }
    compare_rows(fields, results, reference, bounds)
}

/// Compares records of these fields.
pub(super) fn compare_rows(
    fields: &'static [Field],
    results: &dyn Rows,
    reference: &dyn Rows,
    bounds: Option<&dyn Rows>,
) -> Result<Report, Error> {
    let n = reference.count();
    Error::check_length("results", results.count(), n)?;
    if let Some(bounds) = bounds {
        Error::check_length("bounds", bounds.count(), n)?;
    }
    let numbers = |rows: &dyn Rows| pack::reals(fields, &pack::rows(rows)).collect::<Vec<_>>();
    let (results, reference, bounds) = (numbers(results), numbers(reference), bounds.map(numbers));
    let mut first = 0;
    let mut reports = Vec::new();
    for field in fields {
        // Several particles may have the least value, so the index is not compared.
        let is_sum = field.kind.is_sum();
        let all = 0..field.kind.components();
        let count = all.filter(|&component| !field.kind.is_index(component)).count();
        let columns = Columns { dim: pack::dim(fields), first, count, is_sum };
        first += field.kind.components();
        reports.push(columns.report(field.name, &results, &reference, bounds.as_deref()));
    }
    Ok(Report { n, fields: reports })
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
        let mut of_bound = bounds.map(|_| 0.0_f64);
        let mut non_finite = 0;
        let mut errors = Vec::new();
        let mut bounds = bounds.into_iter().flat_map(|rows| self.of(rows));
        for (result, reference) in self.of(results).zip(self.of(reference)) {
            let difference = self.difference(result, reference);
            // Written so that NaN fails.
            let bound = bounds.next().map(norm);
            let finite = difference.is_finite() && bound.is_none_or(f64::is_finite);
            non_finite += usize::from(!finite);
            errors.push(relative(difference, norm(reference), largest));
            if let (Some(of_bound), Some(bound)) = (&mut of_bound, bound) {
                let error = if difference == 0.0 { 0.0 } else { difference / bound };
                *of_bound = of_bound.max(if error.is_nan() { f64::INFINITY } else { error });
            }
        }
        FieldReport { of_bound, non_finite, ..FieldReport::without_bounds(name, errors) }
    }

    /// Returns the length of the difference.
    fn difference(&self, result: &[f64], reference: &[f64]) -> f64 {
        // Without a pair an extreme is infinite, in the results and in the reference.
        let same = |a: f64, b: f64| !self.is_sum && a == b;
        let difference = result.iter().zip(reference);
        let difference = difference.map(|(&a, &b)| if same(a, b) { 0.0 } else { a - b });
        norm(&difference.collect::<Vec<f64>>())
    }
}

/// Returns the length of a vector in any unit. The squares are scaled, since `f64` holds no
/// squares of numbers below 10⁻¹⁵⁴ or above 10¹⁵⁴.
fn norm(components: &[f64]) -> f64 {
    let square = components.iter().map(|x| x * x).sum::<f64>();
    let unit = components.iter().fold(0.0, |most, x| x.abs().max(most));
    let is_held = square > f64::MIN_POSITIVE / f64::EPSILON && square.is_finite();
    // A number that is not finite stays so.
    if is_held || square.is_nan() || unit == 0.0 || unit.is_infinite() {
        return square.sqrt();
    }
    unit * components.iter().map(|x| (x / unit).powi(2)).sum::<f64>().sqrt()
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

/// Returns the smallest of these ascending errors that at most one particle in `share` exceeds; 0
/// without particles.
fn exceeded_by_one_in(share: usize, ascending: &[f64]) -> f64 {
    let n = ascending.len();
    // The nearest rank ⌈(1 − 1/share) n⌉ in integers: rounding could give a neighbouring rank.
    let rank = n - n / share;
    rank.checked_sub(1).map_or(0.0, |k| ascending[k])
}

impl FieldReport {
    /// Returns the report of the relative errors of all particles, none of which is NaN.
    fn without_bounds(name: &'static str, mut errors: Vec<f64>) -> Self {
        let n = errors.len();
        let mean = |sum: f64| if n > 0 { sum / n as f64 } else { 0.0 };
        let (mut max, mut worst) = (0.0, None);
        for (k, &error) in errors.iter().enumerate() {
            if worst.is_none() || error > max {
                (max, worst) = (error, Some(k));
            }
        }
        let rms = mean(errors.iter().map(|error| error * error).sum()).sqrt();
        let mean = mean(errors.iter().sum());
        errors.sort_unstable_by(f64::total_cmp);
        let median = exceeded_by_one_in(2, &errors);
        let p99 = exceeded_by_one_in(100, &errors);
        Self { name, max, rms, mean, median, p99, worst, of_bound: None, non_finite: 0 }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports the errors of results whose reference is 1.
    fn report(results: &[f64]) -> FieldReport {
        let columns = Columns { dim: 1, first: 0, count: 1, is_sum: true };
        columns.report("x", results, &vec![1.0; results.len()], None)
    }

    /// Returns results whose errors are small multiples of 1/16, hence exact and with ties; about
    /// one in `rare` is NaN or infinite, none if `rare` is 0.
    fn results(n: usize, seed: u64, rare: u64) -> Vec<f64> {
        let mut state = seed;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % limit
        };
        let mut result = || {
            let other = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][below(3) as usize];
            let finite = 1.0 + (below(40) as f64 - 20.0) / 16.0;
            if rare > 0 && below(rare) == 0 { other } else { finite }
        };
        (0..n).map(|_| result()).collect()
    }

    /// Finds by trial the smallest error that at least this share of the particles does not
    /// exceed.
    fn by_trial(errors: &[f64], percent: usize) -> f64 {
        let suffices = |limit: f64| {
            100 * errors.iter().filter(|&&error| error <= limit).count() >= percent * errors.len()
        };
        let sufficient = errors.iter().copied().filter(|&error| suffices(error));
        sufficient.reduce(f64::min).unwrap_or(0.0)
    }

    #[test]
    fn percentiles_are_those_of_the_definition() {
        for n in [0, 1, 2, 3, 10, 99, 100, 101, 199, 200, 201, 1000] {
            for (seed, rare) in (1..40).zip([0, 300, 100, 30, 3, 2, 1].into_iter().cycle()) {
                let results = results(n, seed, rare);
                let error = |x: f64| if x.is_finite() { (x - 1.0).abs() } else { f64::INFINITY };
                let errors: Vec<_> = results.iter().copied().map(error).collect();
                let found = report(&results);
                let percentiles = [by_trial(&errors, 50), by_trial(&errors, 99)];
                assert_eq!([found.median, found.p99], percentiles, "{n} {seed} {errors:?}");
                assert!(found.median <= found.p99 && found.p99 <= found.max, "{found:?}");
                let mean = errors.iter().sum::<f64>() / n.max(1) as f64;
                assert_eq!(found.mean, mean, "{n} {seed} {errors:?}");
            }
        }
    }

    #[test]
    fn few_particles_have_percentiles() {
        let figures = |results: &[f64]| {
            let FieldReport { max, rms, mean, median, p99, .. } = report(results);
            [max, rms, mean, median, p99]
        };
        assert_eq!(figures(&[]), [0.0; 5]);
        assert_eq!(figures(&[1.0]), [0.0; 5]);
        assert_eq!(figures(&[1.5]), [0.5; 5]);
        assert_eq!(figures(&[8.0, 2.0]), [7.0, 5.0, 4.0, 1.0, 7.0]);
        assert_eq!(figures(&[f64::NAN]), [f64::INFINITY; 5]);
    }

    /// One infinite error in a hundred lies beyond the 99th percentile, but two in 199 do not.
    #[test]
    fn one_nan_is_in_the_mean_and_two_are_in_the_percentile() {
        let mut results = vec![1.25; 199];
        results[7] = f64::NAN;
        let found = report(&results);
        assert_eq!([found.median, found.p99], [0.25; 2]);
        assert_eq!([found.mean, found.rms, found.max], [f64::INFINITY; 3]);
        assert_eq!((found.worst, found.non_finite), (Some(7), 1));
        results[99] = f64::INFINITY;
        let found = report(&results);
        assert_eq!([found.median, found.p99], [0.25, f64::INFINITY]);
        assert_eq!((found.worst, found.non_finite), (Some(7), 2));
    }

    #[test]
    fn errors_are_the_same_in_any_unit() {
        let columns = Columns { dim: 2, first: 0, count: 2, is_sum: true };
        let report = |power: i32| {
            let unit = 2_f64.powi(power);
            let in_unit = |rows: [f64; 6]| rows.map(|x| x * unit);
            let rows = [3.0, 4.0, 1.0, 2.0, 8.0, 6.0];
            let reference = [3.0, 4.0, 1.0, 1.0, 8.0, 5.0];
            let bounds = [0.25; 6];
            columns.report("x", &in_unit(rows), &in_unit(reference), Some(&in_unit(bounds)))
        };
        let expected = report(0);
        assert!(expected.max > 0.7 && !expected.passes() && expected.non_finite == 0);
        for power in [-1000, -600, -520, 505, 520, 900, 1000] {
            let found = report(power);
            assert!((found.max / expected.max - 1.0).abs() < 1e-14, "{power}: {found:?}");
            assert!((found.rms / expected.rms - 1.0).abs() < 1e-14, "{power}: {found:?}");
            assert_eq!((found.worst, found.non_finite), (Some(1), 0), "{power}: {found:?}");
            let of_bound = found.of_bound.unwrap() / expected.of_bound.unwrap();
            assert!((of_bound - 1.0).abs() < 1e-14, "{power}: {found:?}");
        }
        assert!(norm(&[f64::NAN, 1e-300]).is_nan() && norm(&[1e300, f64::NAN]).is_nan());
        assert_eq!(norm(&[f64::INFINITY, 1e-300]), f64::INFINITY);
    }

    #[test]
    fn percentiles_are_of_each_field_alone() {
        let rows = [1.0, 3.0, 4.0, 2.0, 3.0, 4.0];
        let reference = [1.0, 3.0, 4.0, 1.0, 0.0, 4.0];
        let columns = |first, count| Columns { dim: 3, first, count, is_sum: true };
        let first = columns(0, 1).report("a", &rows, &reference, None);
        assert_eq!([first.mean, first.median, first.p99], [0.5, 0.0, 1.0]);
        let second = columns(1, 2).report("b", &rows, &reference, Some(&[1.0; 6]));
        assert_eq!([second.mean, second.median, second.p99], [0.375, 0.0, 0.75]);
        assert!(second.of_bound.is_some_and(|error| (error - 3.0 / 2.0_f64.sqrt()).abs() < 1e-15));
    }
}
