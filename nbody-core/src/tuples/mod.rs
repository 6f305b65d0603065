//! Tuples of given particles: bonds, angles, dihedrals and other interactions of a few particles.
//!
//! Each tuple is evaluated in `f64`, and the result of each of its particles is rounded to the
//! precision of the results. Each particle sums the results of its tuples in `f64`, in the order in
//! which the tuples were given. There are no atomic additions, and bits depend neither on the number
//! of threads nor on the device, except for the last bits of functions such as `exp`. On a GPU one
//! kernel evaluates the tuples, and another one sums; on the CPU each thread evaluates the tuples of
//! its particles.

pub mod cpu;
pub mod engine;
pub mod list;
mod shares;
mod sums;
