//! The kernel of an interaction: the result of a unit charge at a distance.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::charges::Charges;
use crate::law::interaction::Law;
use crate::law::pair::Pair;
use crate::records::numbers::{Number, numbers};
use crate::records::pack;

/// The directions in which kernels are tested.
pub const DIRECTIONS: [[f64; 3]; 3] = [[0.48, -0.6, 0.64], [-0.36, 0.48, 0.8], [0.8, 0.6, 0.0]];

/// The kernel, for a fixed i-particle.
pub struct Kernel {
    /// The law.
    pub law: &'static Law,
    charges: Charges,
    pair: Pair,
}

impl Kernel {
    /// Returns the kernel of a law with these parameters and charges.
    pub fn new(law: &'static Law, parameters: &[u64], charges: Charges) -> Result<Self, Error> {
        Ok(Self { law, charges, pair: Pair::new(law, parameters, Domain::Open)? })
    }

    /// Returns the components of the result for a j-particle at this position, with a unit of the
    /// charge of this index.
    pub fn at(&self, position: [f64; 3], charge: usize) -> Vec<f64> {
        let mut charges = vec![0.0; self.charges.products.len()];
        charges[charge] = 1.0;
        let mut numbers = vec![0.0; pack::dim(self.law.j)];
        self.charges.carry(&charges, &mut numbers);
        let i = row(self.law.i, [0.0; 3], |k| 0.5 * (1.0 + 0.25 * k as f64));
        let j = row(self.law.j, position, |k| numbers[k]);
        pack::reals(self.law.f, &self.pair.evaluate(i, j)).collect()
    }

    /// Returns the greatest length of the first of these fields at a distance, over all primary
    /// charges and test directions.
    pub fn length(&self, distance: f64, fields: &[Field]) -> f64 {
        let mut most = 0.0;
        for charge in self.charges.primary() {
            for direction in DIRECTIONS {
                let numbers = self.at(direction.map(|x| x * distance), charge);
                let length = first_field(fields, numbers.into_iter());
                // Keeps NaN.
                most = if f64::is_nan(most) || length <= most { most } else { length };
            }
        }
        most
    }
}

/// Returns the length of the first field of a result.
pub fn first_field(fields: &[Field], numbers: impl Iterator<Item = f64>) -> f64 {
    let count = fields.first().map_or(0, |field| field.kind.components());
    numbers.take(count).map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns a record at a position; `number` gives its other components.
fn row(fields: &'static [Field], position: [f64; 3], number: impl Fn(usize) -> f64) -> Vec<u64> {
    let place = pack::position(fields).unwrap_or(0..0);
    let kinds = numbers(fields).enumerate();
    let word = kinds.map(|(k, kind)| match kind {
        Number::Index => 0,
        _ if place.contains(&k) => position[k - place.start].to_bits(),
        _ => number(k).to_bits(),
    });
    word.collect()
}
