//! Times of kernels for the numbers of particles: expected by a model, and measured.

pub mod measured;
pub mod plan;
