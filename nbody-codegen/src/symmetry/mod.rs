//! Both directions of a pair in one body: the action of j on i, and of i on j.
//!
//! [`parity`] finds the parity of each value under the exchange of i and j, and [`body`] derives
//! the form of both directions from it.
//!
//! Newton's third law is detected, not declared: even and odd subexpressions are computed once for
//! both directions, with their products in another order than in `pair`.

mod body;
mod expr;
mod name;
mod parity;
mod product;
mod signed;
mod symmetrizer;
mod tidy;

use crate::ir::{Interaction, Module};

use parity::Parities;

pub use body::Symmetric;

/// Derives both directions of an interaction, if its parities allow it.
pub fn symmetric(module: &Module, interaction: &Interaction) -> Option<Symmetric> {
    let parities = Parities::of(module, interaction)?;
    Some(body::cheapest(module, interaction, &parities))
}
