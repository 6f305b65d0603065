//! The parts that engines share: the buffers of particles and results, and the law of an engine.

pub mod buffer;
pub mod columns;
pub mod copies;
pub mod setup;
