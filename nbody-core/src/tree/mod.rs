//! Trees: cells of j-particles, each with a few far particles that replace it at a distance, and
//! walks that choose the cells and particles that act on each group of i-particles.
//!
//! Every engine builds the structures defined here, as it does for lists in `near`. Particles are
//! in the order of a Hilbert curve: a cell is a range of particles, and a group consists of
//! consecutive i-particles. Decisions by angles use IEEE arithmetic without contraction; estimates
//! of errors also need logarithms.

mod axes;
pub mod cells;
pub mod estimate;
pub mod far;
pub mod harmonic;
pub mod kernel;
pub mod law;
pub mod moments;
pub mod opening;
pub mod report;
mod siblings;
pub mod walk;

pub use axes::{FLAT, SWEEPS};

/// i-particles in a group, which share a walk.
pub const GROUP: usize = 32;
/// The most children of a cell.
pub const FAN: usize = 8;
/// The most particles of an undivided cell.
pub const LEAF: usize = 16;
