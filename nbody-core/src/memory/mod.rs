//! Particles and results in the memory of the CPU, and the sums into which bags are folded.

pub mod addresses;
pub mod buffer;
pub mod buffers;
pub mod columns;
pub mod device_column;
pub mod folding;
pub mod kept;
pub mod lent;
pub mod packed;
