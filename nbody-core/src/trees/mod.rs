//! Trees: cells of j-particles, each with a few far particles that replace it at a distance, and
//! walks that choose the cells and particles that act on each group of i-particles.
//!
//! Every engine builds the structures defined here, as it does for `lists`. Particles are
//! in the order of a Hilbert curve: a cell is a range of particles, and a group consists of
//! consecutive i-particles. Decisions by angles use IEEE arithmetic without contraction; estimates
//! of errors also need logarithms.

mod axes;
pub mod cells;
pub(crate) mod cpu;
pub mod engine;
pub mod essential;
pub mod estimate;
pub mod far;
pub mod harmonic;
pub mod kernel;
pub mod law;
pub mod moments;
pub mod opening;
pub mod report;
pub(crate) mod schedule;
mod siblings;
pub mod walk;

pub use crate::trees::axes::{FLAT, SWEEPS};
pub use crate::trees::cells::{FAN, LEAF};
