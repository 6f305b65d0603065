//! Lanes of several numbers: vector registers.

#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod array;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
mod fits;
mod functions;
mod lanes;
mod level;
mod series;
mod vector;
mod wide;

pub(crate) use lanes::{Broadcast, LINE, Lanes, Line, Load, Reduce, Store, Word};
pub(crate) use level::Best;
pub use level::SimdLevel;

#[cfg(test)]
mod tests;
