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

/// Scales of the numbers of the i-particle.
const NUMBERS_OF_I: [f64; 3] = [0.5, 1e-3, 700.0];

impl<X: Interaction> Kernel<'_, X> {
    /// Returns the charges that are carried as such, not as ratios.
    fn primary(&self) -> impl Iterator<Item = usize> {
        self.charges.carried.iter().filter_map(|carried| match carried {
            Carried::Charge(q) => Some(*q),
            _ => None,
        })
    }

    /// Returns the numbers of the result for a j-particle with one charge, by its index, at this position.
    pub fn at(&self, position: [f64; 3], charge: usize) -> Vec<f64> {
        self.of(position, charge, NUMBERS_OF_I[0])
    }

    fn of(&self, position: [f64; 3], charge: usize, of_i: f64) -> Vec<f64> {
        let mut charges = vec![0.0; self.charges.products.len()];
        charges[charge] = 1.0;
        let mut numbers = vec![0.0; X::J::DIM];
        self.charges.carry(&charges, &mut numbers);
        let i = row(X::I::FIELDS, [0.0; 3], |k| of_i * (1.0 + 0.25 * k as f64));
        let j = row(X::J::FIELDS, position, |k| numbers[k]);
        let mut f = X::F::default();
        X::pair::<f64, _>(self.interaction, &Open, &pack::record(&i), &pack::record(&j), 0, &mut f);
        pack::flatten(&[f])
    }

    /// Returns the greatest length of the first of these fields at a distance, of all charges.
    pub fn length(&self, distance: f64, fields: &[Field]) -> f64 {
        let mut most = 0.0;
        for charge in self.primary() {
            for direction in DIRECTIONS {
                let numbers = self.at(direction.map(|x| x * distance), charge);
                let length = first_field(fields, numbers.into_iter());
                // NaN stays.
                most = if f64::is_nan(most) || length <= most { most } else { length };
            }
        }
        most
    }

    /// Returns whether the first numbers of a result, as many as these fields have, depend on numbers of i other than
    /// its position.
    pub fn depends_on_i(&self, fields: &[Field]) -> bool {
        let count: usize = fields.iter().map(|field| field.kind.components()).sum();
        (-40..=40).step_by(8).any(|exponent| {
            let position = DIRECTIONS[0].map(|x| x * f64::from(exponent).exp2());
            self.primary().any(|charge| {
                let bits = NUMBERS_OF_I.map(|of_i| {
                    let numbers = self.of(position, charge, of_i).into_iter();
                    numbers.take(count).map(f64::to_bits).collect::<Vec<_>>()
                });
                bits[1..].iter().any(|other| *other != bits[0])
            })
        })
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
