//! The particle that represents a cell by its charges.

use std::collections::BTreeSet;

use super::form::{Charge, Factor, Obstacle, Sum};
use crate::ir::Struct;

/// Largest number of charges of an interaction.
const MOST: usize = 32;

/// Charges of an interaction, and the particle that carries the charges of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separable {
    /// Products of numbers of a j-particle, by their indices in the record.
    pub charges: Vec<Vec<usize>>,
    /// Value of each number of a j-particle that has these charges.
    pub carried: Vec<Carried>,
    /// Sum for each field of the result.
    pub sums: Vec<ChargeSum>,
}

/// A sum over charges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeSum {
    /// Charges by their index.
    pub charges: Vec<usize>,
    /// Whether the kernels depend on numbers of i other than the position.
    pub depends_on_i: bool,
}

/// A number of the j-particle that represents a cell. Charges are given by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// No charge depends on it.
    Zero,
    /// The charge is carried by the other factor.
    One,
    /// A charge.
    Charge(usize),
    /// A charge divided by another one.
    Ratio(usize, usize),
}

/// Chooses the numbers of a particle that has given charges.
///
/// A charge that is one number gives this number. In a product of two numbers, if one is a charge
/// by itself, the product gives the other: the momentum m v gives the velocity. If neither is a
/// charge by itself, the number that occurs in more products is set to 1.
pub fn carried(j: &Struct, sums: &[Sum]) -> Result<Separable, Obstacle> {
    let of_sums: Vec<_> = sums.iter().map(|sum| numbers(&sum.charges)).collect::<Result<_, _>>()?;
    let charges: BTreeSet<_> = of_sums.iter().flatten().cloned().collect();
    if charges.len() > MOST {
        return Err(Obstacle::Products);
    }
    let charges: Vec<_> = charges.into_iter().collect();
    let mut carried = vec![Carried::Zero; j.dim()];
    let single = |n: usize| charges.iter().position(|charge| charge[..] == [n]);
    let products = |n: usize| charges.iter().filter(|charge| charge.contains(&n)).count();
    for (q, charge) in charges.iter().enumerate() {
        let (number, value) = match charge[..] {
            [n] => (n, Carried::Charge(q)),
            [a, b] => match (single(a), single(b)) {
                (Some(a), None) => (b, Carried::Ratio(q, a)),
                (None, Some(b)) => (a, Carried::Ratio(q, b)),
                (None, None) if a != b => {
                    let [a, b] = if products(a) > products(b) { [b, a] } else { [a, b] };
                    set(&mut carried, b, Carried::One)?;
                    (a, Carried::Charge(q))
                }
                _ => return Err(Obstacle::Products),
            },
            _ => return Err(Obstacle::Products),
        };
        set(&mut carried, number, value)?;
    }
    let index = |charge| charges.binary_search(charge).expect("it is one of all");
    let sums = of_sums.iter().zip(sums).map(|(of_sum, sum)| ChargeSum {
        charges: of_sum.iter().map(index).collect(),
        depends_on_i: sum.depends_on_i,
    });
    let sums = sums.collect();
    Ok(Separable { charges, carried, sums })
}

/// Sets a number; refuses it if two charges need different values.
fn set(carried: &mut [Carried], number: usize, value: Carried) -> Result<(), Obstacle> {
    match carried[number] {
        Carried::Zero => {
            carried[number] = value;
            Ok(())
        }
        found if found == value => Ok(()),
        _ => Err(Obstacle::Products),
    }
}

/// Lists the products of numbers that make up the charges.
fn numbers(charges: &BTreeSet<Charge>) -> Result<BTreeSet<Vec<usize>>, Obstacle> {
    let mut all = BTreeSet::new();
    for charge in charges {
        let mut products = vec![Vec::new()];
        for factor in charge {
            let &Factor::Numbers { first, count } = factor else {
                unreachable!("functions are refused before")
            };
            let numbers = first..first + count;
            let longer = products.iter().flat_map(|product: &Vec<usize>| {
                numbers.clone().map(move |n| [&product[..], &[n]].concat())
            });
            products = longer.collect();
            if products.len() > MOST {
                return Err(Obstacle::Products);
            }
        }
        for product in &mut products {
            product.sort_unstable();
        }
        all.extend(products);
    }
    Ok(all)
}
