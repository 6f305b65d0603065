//! Least-squares fits.

/// A power law, y = factor x^exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    pub factor: f64,
    pub exponent: f64,
}

impl PowerLaw {
    /// Fits the logarithms of positive points by linear regression. Returns `None` unless there
    /// are two points with different x.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| {
            points.iter().map(|point| of(point).ln()).sum::<f64>() / count
        };
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let deviations = points.iter().map(|point| (point.0.ln() - x, point.1.ln() - y));
        let (square, product) =
            deviations.fold((0.0, 0.0), |sums, (dx, dy)| (sums.0 + dx * dx, sums.1 + dx * dy));
        let exponent = product / square;
        let law = Self { factor: (y - exponent * x).exp(), exponent };
        (square > 0.0 && law.factor.is_finite() && exponent.is_finite()).then_some(law)
    }

    pub fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.exponent)
    }
}

/// Fits non-negative coefficients by least squares, so that the sum over each row of its numbers
/// times the coefficients is 1. Returns `None` if no coefficients are determined.
///
/// The best non-negative coefficients are the best unconstrained ones of the columns with positive
/// coefficients (Lawson & Hanson 1974), so all sets of the few columns are tried.
pub fn non_negative<const M: usize>(rows: &[[f64; M]]) -> Option<[f64; M]> {
    let norms: [f64; M] =
        std::array::from_fn(|k| rows.iter().map(|row| row[k] * row[k]).sum::<f64>().sqrt());
    // A column of zeros stays zero.
    let unit = |row: &[f64; M]| std::array::from_fn(|k| row[k] / norms[k].max(f64::MIN_POSITIVE));
    let rows: Vec<[f64; M]> = rows.iter().map(unit).collect();
    let tried = (1..1 << M).map(|columns| of_columns(&rows, columns));
    let valid = tried.filter(|found| found.iter().all(|c| (0.0..f64::INFINITY).contains(c)));
    let best = valid.min_by(|a, b| squares(&rows, a).total_cmp(&squares(&rows, b)))?;
    Some(std::array::from_fn(|k| best[k] / norms[k].max(f64::MIN_POSITIVE)))
}

/// Solves the normal equations for the columns in the bits of `columns`; the other coefficients
/// are zero.
fn of_columns<const M: usize>(rows: &[[f64; M]], columns: u32) -> [f64; M] {
    let has = |k: usize| columns >> k & 1 == 1;
    let product = |a: usize, b: usize| match (has(a) && has(b), a == b) {
        (true, _) => rows.iter().map(|row| row[a] * row[b]).sum(),
        (false, same) => f64::from(u8::from(same)),
    };
    let right = |k| if has(k) { rows.iter().map(|row| row[k]).sum() } else { 0.0 };
    let matrix = std::array::from_fn(|a| std::array::from_fn(|b| product(a, b)));
    solve(matrix, std::array::from_fn(right))
}

/// Solves linear equations with a positive definite matrix by elimination. The solution is
/// infinite or NaN if the matrix is singular.
fn solve<const M: usize>(mut matrix: [[f64; M]; M], mut right: [f64; M]) -> [f64; M] {
    for k in 0..M {
        let (pivot, value) = (matrix[k], right[k]);
        for below in k + 1..M {
            let factor = matrix[below][k] / pivot[k];
            for (number, above) in matrix[below].iter_mut().zip(pivot) {
                *number -= factor * above;
            }
            right[below] -= factor * value;
        }
    }
    for k in (0..M).rev() {
        let known: f64 = (k + 1..M).map(|other| matrix[k][other] * right[other]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}

/// Returns the sum of squared deviations from 1.
fn squares<const M: usize>(rows: &[[f64; M]], coefficients: &[f64; M]) -> f64 {
    let sum = |row: &[f64; M]| row.iter().zip(coefficients).map(|(x, c)| x * c).sum::<f64>();
    rows.iter().map(|row| (sum(row) - 1.0).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows whose sums are 1 with these coefficients, up to relative errors.
    fn rows(coefficients: [f64; 3], errors: &[f64]) -> Vec<[f64; 3]> {
        let row = |(k, error): (usize, &f64)| {
            let n = f64::exp2(10.0 + k as f64);
            let columns = [1.0, n, 0.2 * n.powf(1.81)];
            let sum: f64 = columns.iter().zip(coefficients).map(|(x, c)| x * c).sum();
            columns.map(|x| x / (sum * (1.0 + error)))
        };
        errors.iter().enumerate().map(row).collect()
    }

    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * b.abs()
    }

    #[test]
    fn power_laws_are_recovered() {
        let points: Vec<_> = [1e3, 2e3, 1e4, 3e5].map(|x: f64| (x, 247.0 * x.powf(0.35))).into();
        let PowerLaw { factor, exponent } = PowerLaw::fit(&points).unwrap();
        assert!(is_near(factor, 247.0) && is_near(exponent, 0.35), "{factor} {exponent}");
        assert!(is_near(PowerLaw { factor: 3.0, exponent: 2.0 }.at(5.0), 75.0));
        // By symmetry, errors of opposite sign at both ends change neither parameter.
        let points =
            [(1.0, 2.0 * 1.1), (10.0, 20.0 / 1.1), (100.0, 200.0 / 1.1), (1000.0, 2000.0 * 1.1)];
        let PowerLaw { factor, exponent } = PowerLaw::fit(&points).unwrap();
        assert!(is_near(factor, 2.0) && is_near(exponent, 1.0), "{factor} {exponent}");
    }

    #[test]
    fn power_laws_need_two_positive_points() {
        for points in [
            &[][..],
            &[(1.0, 2.0)],
            &[(1024.0, 2.0), (1024.0, 3.0)],
            &[(1.0, 0.0), (2.0, 1.0)],
            &[(1.0, -1.0), (2.0, 1.0)],
            &[(1.0, f64::NAN), (2.0, 1.0)],
            &[(0.0, 1.0), (2.0, 1.0)],
        ] {
            assert_eq!(PowerLaw::fit(points), None, "{points:?}");
        }
    }

    #[test]
    fn coefficients_are_recovered() {
        for known in [
            [45e-6, 1e-11, 1e-12],
            [0.0, 2e-9, 3e-10],
            [1e-6, 0.0, 1e-9],
            [1e-5, 1e-9, 0.0],
            [0.0, 0.0, 1.0],
        ] {
            let found = non_negative(&rows(known, &[0.0; 6])).unwrap();
            // Zero coefficients come back as zero, or as too small to matter.
            let seen = |k: usize| {
                found[k]
                    / known
                        .iter()
                        .copied()
                        .fold(f64::MAX, |least, c| if c > 0.0 { least.min(c) } else { least })
            };
            for k in 0..3 {
                let right =
                    if known[k] > 0.0 { is_near(found[k], known[k]) } else { seen(k) < 1e-6 };
                assert!(right, "{found:?} {known:?}");
            }
        }
    }

    #[test]
    fn coefficients_are_never_negative_and_no_change_is_better() {
        let errors = [
            [0.3, -0.2, 0.1, -0.3, 0.2, 0.1],
            [-0.5, 0.4, 0.0, 0.3, -0.4, 0.1],
            [0.5, 0.2, 0.0, 0.0, 0.2, 0.9],
            [-0.9, 0.0, 0.0, 0.0, 0.0, -0.9],
        ];
        let mut bounded = 0;
        for (errors, known) in errors.iter().flat_map(|errors| {
            [[45e-6, 1e-11, 1e-12], [1e-7, 1e-9, 1e-10]].map(|known| (errors, known))
        }) {
            let rows = rows(known, errors);
            let best = non_negative(&rows).unwrap();
            assert!(best.iter().all(|c| *c >= 0.0), "{best:?}");
            bounded += best.iter().filter(|c| **c == 0.0).count();
            let least = squares(&rows, &best);
            for k in 0..3 {
                for change in [1e-3 * known[k], -1e-3 * known[k]] {
                    let mut other = best;
                    other[k] = (other[k] + change).max(0.0);
                    assert!(squares(&rows, &other) >= least - 1e-12, "{k} {best:?} {other:?}");
                }
            }
        }
        assert!(bounded > 0, "the bound is never met");
    }

    #[test]
    fn degenerate_rows_give_no_nan() {
        // Of linearly dependent columns, one is enough.
        let found = non_negative(&[[1.0, 2.0], [0.5, 1.0], [2.0, 4.0]]).unwrap();
        assert!(found.iter().all(|c| c.is_finite() && *c >= 0.0), "{found:?}");
        assert!(is_near(
            squares(&[[1.0, 2.0], [0.5, 1.0], [2.0, 4.0]], &found),
            3.0 - 12.25 / 5.25
        ));
        let found = non_negative(&[[0.0, 2.0], [0.0, 2.0]]).unwrap();
        assert_eq!(found, [0.0, 0.5]);
        let nearly = [[1.0, 2.0], [0.5, 1.0 + 1e-16], [2.0, 4.0 - 1e-15]];
        let found = non_negative(&nearly).unwrap();
        assert!(is_near(squares(&nearly, &found), 3.0 - 12.25 / 5.25), "{found:?}");
        assert_eq!(non_negative::<3>(&[]), None);
        assert_eq!(non_negative(&[[0.0; 3]; 4]), None);
        assert_eq!(non_negative(&[[f64::NAN; 3]; 4]), None);
        assert_eq!(non_negative(&[[f64::INFINITY, 1.0]; 2]), Some([0.0, 1.0]));
        assert_eq!(non_negative(&[[-1.0], [-2.0]]), None);
    }
}
