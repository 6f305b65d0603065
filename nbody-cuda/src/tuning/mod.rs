//! Choice of the kernel for the numbers of particles, by a model of the time and by measurements.

pub mod measured;
pub mod select;
