//! The vector instructions that an evaluation uses.

use fearless_simd::Level;
#[cfg(target_arch = "aarch64")]
use fearless_simd::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use fearless_simd::x86::{Avx2, Avx512, Sse4_2};

use super::hardware::Hardware;
use super::kind;
use super::lanes::Lanes;
use super::wide::Wide;
use crate::options::names;
use crate::{Error, Math, Mixed, Precision};

/// Vector instructions: how many numbers the CPU computes with at a time.
///
/// A program is built for all of them and takes the best that it finds; the better ones come
/// last. Exact mathematics computes with one number at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimdLevel {
    /// One number at a time, without special instructions.
    Scalar,
    /// 128 bits, on x86-64 since 2008.
    Sse42,
    /// 256 bits with fused multiply-add, on x86-64 since 2013 (x86-64-v3).
    Avx2,
    /// 512 bits, on x86-64 since 2019 (the instructions of Ice Lake; Zen 4 has them).
    Avx512,
    /// 128 bits, on every 64-bit ARM.
    Neon,
}

impl SimdLevel {
    /// The levels that this machine has, the best one last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.iter().copied().filter(|level| level.is_available())
    }

    /// The best level that this machine has.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::Scalar)
    }

    /// Whether this machine has these instructions.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse42 => Level::new().as_sse4_2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Level::new().as_avx2().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Level::new().as_avx512().is_some(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Level::new().as_neon().is_some(),
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }

    /// Refuses instructions that this machine does not have.
    pub fn check(self) -> Result<(), Error> {
        if self.is_available() {
            Ok(())
        } else {
            let available = Self::available().map(Self::name).collect();
            Err(Error::SimdUnavailable { found: self, available })
        }
    }

    /// Runs a task on the lanes of this level, or on scalars where the machine does not have it, and
    /// in exact mathematics.
    pub(crate) fn run<T: Task>(self, precision: Precision, math: Math, task: T) -> T::Result {
        match self {
            _ if math == Math::Exact => on_scalars(precision, task),
            level if !level.is_available() => on_scalars(precision, task),
            #[cfg(target_arch = "x86_64")]
            Self::Sse42 => on_vectors::<Sse4_2, T>(precision, task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => on_vectors::<Avx2, T>(precision, task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => on_vectors::<Avx512, T>(precision, task),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => on_vectors::<Neon, T>(precision, task),
            _ => on_scalars(precision, task),
        }
    }
}

names!(SimdLevel: Scalar "scalar", Sse42 "sse4.2", Avx2 "avx2", Avx512 "avx512", Neon "neon");

/// What runs on lanes that are chosen at run time.
pub(crate) trait Task {
    type Result;
    fn run<L: Lanes>(self) -> Self::Result;
}

fn on_scalars<T: Task>(precision: Precision, task: T) -> T::Result {
    match precision {
        Precision::Single => task.run::<f32>(),
        Precision::Double => task.run::<f64>(),
        Precision::Mixed => task.run::<Mixed>(),
    }
}

fn on_vectors<S: Hardware, T: Task>(precision: Precision, task: T) -> T::Result {
    match precision {
        Precision::Single => task.run::<Wide<S, kind::Single>>(),
        Precision::Double => task.run::<Wide<S, kind::Double>>(),
        Precision::Mixed => task.run::<Wide<S, kind::Mixed>>(),
    }
}
