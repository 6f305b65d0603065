//! The parts that engines share: the buffers of particles and results, the law of an engine,
//! and gathering the results of ranks.

pub mod buffer;
pub mod columns;
pub mod copies;
pub mod counts;
pub mod gather;
pub mod images;
pub mod lent;
pub mod listing;
mod moving;
pub mod nearest;
pub mod parameters;
pub mod parts;
pub mod setup;
