//! Choice of the kernel for the numbers of particles, by a model of the time and by measurements.
//!
//! A few programs for each law, with more or fewer i-particles per thread, are compiled at their
//! first use. The model was calibrated on one GPU. A program that would spill registers is replaced
//! by one with fewer i-particles per thread.

pub mod measured;
pub mod select;
