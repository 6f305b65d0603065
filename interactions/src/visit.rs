//! The list of all interactions, for tools that run through it.

use nbody::Interaction;

use crate::{gravity, hermite};

/// Something to do with each interaction.
pub trait Visitor {
    /// Does it, with an interaction whose parameters suit particles in the unit cube and are
    /// exact in `f32`.
    fn visit<X: Interaction>(&mut self, interaction: X);
}

/// Visits every interaction of this crate.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit(gravity::Gravity { eps2: 1.0 / 64.0 });
    visitor.visit(hermite::Hermite { eps2: 1.0 / 64.0 });
}
