//! The kernel of an interaction: the result of a unit charge at a distance.

use crate::{Carried, Charges, Field, Interaction, Open, Record, pack};

/// The directions in which kernels are tested.
pub const DIRECTIONS: [[f64; 3]; 3] = [[0.48, -0.6, 0.64], [-0.36, 0.48, 0.8], [0.8, 0.6, 0.0]];

/// The result of a unit charge at a distance.
pub struct Kernel<'a, X> {
    /// The interaction.
    pub interaction: &'a X,
    /// Its charges.
    pub charges: Charges,
}

impl<X: Interaction> Kernel<'_, X> {
    /// Returns the numbers of the result for a j-particle with a charge at this position.
    pub fn at(&self, position: [f64; 3]) -> Vec<f64> {
        let i = row(X::I::FIELDS, [0.0; 3], |k| 0.5 + 0.125 * k as f64);
        let j = row(X::J::FIELDS, position, |k| match self.charges.carried[k] {
            Carried::Zero => 0.0,
            _ => 1.0,
        });
        let mut f = X::F::default();
        X::pair::<f64, _>(self.interaction, &Open, &pack::record(&i), &pack::record(&j), 0, &mut f);
        pack::flatten(&[f])
    }

    /// Returns the greatest length of the first of these fields at a distance.
    pub fn length(&self, distance: f64, fields: &[Field]) -> f64 {
        let lengths = DIRECTIONS.iter().map(|direction| {
            first_field(fields, self.at(direction.map(|x| x * distance)).into_iter())
        });
        // Not a maximum that NaN would not enter.
        lengths.fold(0.0, |most, length| if length <= most { most } else { length })
    }
}

/// Returns the length of the first field of a result.
pub fn first_field(fields: &[Field], numbers: impl Iterator<Item = f64>) -> f64 {
    let count = fields.first().map_or(0, |field| field.kind.components());
    numbers.take(count).map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns a record at a position, with other numbers that a function gives.
fn row(fields: &'static [Field], position: [f64; 3], number: impl Fn(usize) -> f64) -> Vec<u64> {
    let place = pack::position(fields).unwrap_or(0..0);
    let kinds = pack::numbers(fields).enumerate();
    let word = kinds.map(|(k, kind)| match kind {
        pack::Number::Index => 0,
        _ if place.contains(&k) => position[k - place.start].to_bits(),
        _ => number(k).to_bits(),
    });
    word.collect()
}
