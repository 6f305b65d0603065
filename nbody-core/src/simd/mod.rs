//! Lanes of several numbers: the vector registers of a processor.

mod fits;
mod functions;
mod hardware;
mod kind;
mod lanes;
mod level;
mod series;
mod wide;

pub(crate) use lanes::{Broadcast, LINE, Lanes, Line, Load, Reduce, Store, Word};
pub use level::SimdLevel;
pub(crate) use level::Task;

#[cfg(test)]
mod tests;
