//! Lanes of several numbers: vector registers.
//!
//! Vectors are newtypes of registers, and each operation is one function around the intrinsic.
//! Every law is compiled for each of them, and most of the compile time goes into code that is
//! inlined away: with `fearless_simd` it was more than three times as long, and the library itself
//! took ten seconds. A program contains the loops of every level and selects the best at run time.
//! A vector is constructed only after its level was detected, and carries no proof of it. NEON is
//! arrays, which compilers for ARM turn into vectors.

#[cfg(any(target_arch = "aarch64", test))]
pub(crate) mod array;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod exact;
pub mod fits;
mod functions;
pub(crate) mod lanes;
pub mod level;
mod series;
mod vector;
mod wide;

// Overflow checks of Rust find nothing in C++, and the C++ takes long to compile.
#[cfg(all(test, unix, not(debug_assertions)))]
mod cpp;
#[cfg(test)]
mod tests;
