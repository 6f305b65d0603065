//! Bodies, and the errors of their evaluation by a tree.

use nbody::law::Record;
use nbody::prelude::*;
use nbody::trees::TreeReport;
use nbody::{Interaction, Opening, Store, Tree};
use nbody_interactions::gravity::{self, Gravity};
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::ways::numbers;

/// Opening angle at which every cell is opened.
pub const CLOSED: f64 = 1e-12;

/// Returns the root mean square of the errors of each field, in units of the root mean square of
/// the field.
pub fn errors<F: Record<Lane = f64>>(found: &[F], expected: &[F]) -> Vec<f64> {
    let [found, expected] = [found, expected].map(numbers);
    let (mut first, mut errors) = (0, Vec::new());
    for field in F::FIELDS {
        let end = first + field.kind.components();
        let (mut error2, mut value2) = (0.0, 0.0);
        for (found, expected) in found.chunks(F::DIM).zip(expected.chunks(F::DIM)) {
            for k in first..end {
                error2 += (found[k] - expected[k]).powi(2);
                value2 += expected[k].powi(2);
            }
        }
        errors.push((error2 / value2).sqrt());
        first = end;
    }
    errors
}

/// Evaluates with a tree.
pub fn evaluate<X: Interaction>(
    x: X,
    opening: Opening,
    options: Options,
    (i, j, one_set): (&[X::I], &[X::J], bool),
) -> (Vec<X::F>, TreeReport) {
    let mut tree = Tree::with_options(&Device::cpu(), x, opening, options).unwrap();
    let mut out = tree.results(i.len()).unwrap();
    let (i, j) = (tree.upload(i).unwrap(), tree.upload(j).unwrap());
    let sources = if one_set { Sources::Same(&j) } else { Sources::Others(&j) };
    tree.evaluate_with(&i, sources, &mut out, Store::Replace).unwrap();
    (out.download::<f64>().unwrap(), tree.report().unwrap())
}

/// Returns random bodies of equal masses.
pub fn bodies(n: usize, inputs: Inputs) -> Vec<gravity::Body> {
    let bodies = particles::<gravity::Body>(n, inputs, Digits::All, 9).into_iter();
    bodies.map(|body| gravity::Body { mass: 1.0 / n as f64, ..body }).collect()
}

pub const GRAVITY: Gravity = Gravity { eps2: 1e-4 };
