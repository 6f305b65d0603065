//! What engines are verified on: [`cases()`] of particles, and [`ways()`] to compute.
//!
//! The command `nbody verify` takes all of them; tests take [`paired_ways`], in which any two choices
//! still meet.
#![forbid(unsafe_code)]

mod cases;
mod ways;

pub use cases::cases;
pub use ways::{all_ways, domains, paired_ways, ways};
