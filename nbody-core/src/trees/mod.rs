//! Trees: cells of j-particles, each with a few far particles that act as it does from afar, and walks
//! that choose for each group of i-particles the cells and the particles that act on it.
//!
//! This is the definition of what every engine builds, as `near` is for lists. Particles are in the order
//! of a Hilbert curve, so that a cell is a range of them, and groups are consecutive i-particles. Angles
//! open cells by IEEE arithmetic without contraction; estimates of errors need logarithms, too.

mod axes;
pub mod cells;
pub(crate) mod cpu;
pub mod engine;
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

/// The most children of a cell.
pub const FAN: usize = 8;
/// The most particles of a cell that is not divided.
pub const LEAF: usize = 16;
