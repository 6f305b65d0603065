//! Levels of vector instructions.

use crate::numeric::simd::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{avx2, avx512};

/// A level of vector instructions, which sets the number of elements of an instruction.
///
/// A program is compiled for all levels, and uses the best one of the CPU; better levels come
/// last. Exact mathematics computes with one number at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SimdLevel {
    /// One number per instruction, without special instructions.
    Scalar,
    /// 256 bits with fused multiply-add, on x86-64 since 2013 (x86-64-v3).
    Avx2,
    /// 512 bits, on x86-64 since 2017 (x86-64-v4, Zen 4).
    Avx512,
    /// 128 bits, on every 64-bit ARM.
    Neon,
}

impl SimdLevel {
    /// Returns the levels of this CPU, the best one last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.iter().copied().filter(|level| level.is_available())
    }

    /// Returns the best level of this CPU.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::Scalar)
    }

    /// Returns whether this CPU has these instructions.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => avx512::is_available(),
            Self::Neon => cfg!(target_arch = "aarch64"),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }
}

/// The best instructions of this CPU for loops over arrays that the compiler vectorizes. Results
/// do not depend on the level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best(SimdLevel);

impl Best {
    pub fn new() -> Self {
        Self(SimdLevel::best())
    }

    /// Runs a function, which must be inlined, with these instructions.
    #[inline(always)]
    pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => avx512::Single::vectorize(f),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => avx2::Single::vectorize(f),
            _ => f(),
        }
    }
}
