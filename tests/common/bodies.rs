//! Random bodies and softened gravity.

use nbody_interactions::gravity::{Body, Gravity};

pub const GRAVITY: Gravity = Gravity { eps2: 0.25 };

/// Returns random bodies in the unit cube.
pub fn bodies(n: usize) -> Vec<Body> {
    nbody::models::uniform(n, 1)
}
