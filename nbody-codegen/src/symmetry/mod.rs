//! Both directions of a pair in one body: what j does to i, and what i does to j.
//!
//! [`parity`] tells what becomes of each value when i and j change places, and [`body`] writes the
//! form of both directions from that.

mod body;
mod expr;
mod name;
mod parity;
mod product;
mod tidy;

use crate::ir::{Body, Interaction, Module, Roles};

use parity::Parities;

/// The function that evaluates both directions.
pub struct Symmetric {
    pub roles: Roles,
    pub body: Body,
}

/// Both directions of an interaction, if its parities allow it.
pub fn symmetric(module: &Module, interaction: &Interaction) -> Option<Symmetric> {
    let parities = Parities::of(module, interaction)?;
    Some(body::cheapest(module, interaction, &parities))
}
