//! Which kernel for how many particles: configurations, a model of the time, measurements.

pub mod config;
pub mod kernels;
pub mod measured;
pub mod model;
