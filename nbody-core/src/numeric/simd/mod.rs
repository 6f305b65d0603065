//! Lanes of several numbers: vector registers.

#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod array;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
mod fits;
mod functions;
pub(crate) mod lanes;
pub mod level;
mod series;
mod vector;
mod wide;

#[cfg(test)]
mod tests;
