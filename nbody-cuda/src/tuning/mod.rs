//! Which kernel for how many particles, by estimates and by measurements.

pub mod measured;
pub mod select;
