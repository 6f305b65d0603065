//! Lanes of several numbers: the vector registers of a processor.

mod fits;
mod functions;
mod hardware;
pub(crate) mod kind;
mod lanes;
mod level;
mod series;
mod wide;

pub(crate) use hardware::Hardware;
pub(crate) use lanes::{Broadcast, LINE, Lanes, Line, Load, Reduce, Store, Word};
pub use level::SimdLevel;
pub(crate) use wide::Wide;

#[cfg(test)]
mod tests;
