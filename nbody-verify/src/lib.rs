//! Verification of engines: [`cases()`] of particles and [`ways()`] to compute.
//!
//! The command `nbody verify` runs all of them; tests run [`paired_ways`], a covering array in
//! which any two choices still meet.
//!
//! This is a crate of its own, since the command and the tests need it and users of models do not.
#![forbid(unsafe_code)]

mod cases;
mod ways;

pub use cases::{cases, two_sets};
pub use ways::{all_ways, domains, paired_ways, ways};
