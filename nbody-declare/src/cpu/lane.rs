//! The lanes of loops: how C++ names them, and the options that compile them.

use nbody_core::loaded::{CheckNumbers, Variant};
use nbody_core::{Math, Precision, SimdLevel};

/// A kind of lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// The macro in `lane.hpp`.
    pub name: &'static str,
    /// The options of the compiler.
    pub options: &'static [&'static str],
    /// Whether the space is a template parameter, and not a branch at each difference.
    pub is_vector: bool,
    /// Whether words have 64 bits.
    pub is_wide: bool,
}

const AVX2: &[&str] = &["-mavx2", "-mfma", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt"];
const AVX512: &[&str] = &[
    "-mavx512f",
    "-mavx512bw",
    "-mavx512cd",
    "-mavx512dq",
    "-mavx512vl",
    "-mavx2",
    "-mfma",
    "-mbmi",
    "-mbmi2",
    "-mlzcnt",
    "-mpopcnt",
];

impl Lane {
    /// The lane of programs per particle.
    pub const OF_PARTICLES: Self = Self::scalar("DOUBLE", true);

    const fn scalar(name: &'static str, is_wide: bool) -> Self {
        Self { name, options: &[], is_vector: false, is_wide }
    }

    /// Returns the lane of tuples, as nbody-core chooses it for compiled tuples.
    pub fn of_tuples() -> Self {
        let name = |name, options| Self { name, options, is_vector: true, is_wide: true };
        match SimdLevel::best() {
            SimdLevel::Avx2 => name("AVX2_DOUBLE", AVX2),
            SimdLevel::Avx512 => name("AVX512_DOUBLE", AVX512),
            _ => Self::OF_PARTICLES,
        }
    }

    /// Returns the lane of a check.
    pub fn of_checks(numbers: CheckNumbers) -> Self {
        let name = match numbers {
            CheckNumbers::Bounded => "BOUNDED",
            CheckNumbers::Narrow => "NARROW",
        };
        Self::scalar(name, true)
    }

    /// Returns the lane of a variant, as nbody-core chooses it for compiled laws.
    pub fn of(variant: Variant) -> Self {
        let Variant { level, precision, math, .. } = variant;
        let is_exact = math == Math::Exact;
        let scalar = match precision {
            Precision::Single => Self::scalar("SINGLE", false),
            Precision::Mixed if is_exact => Self::scalar("MIXED", false),
            _ => Self::scalar("DOUBLE", true),
        };
        let is_wide = precision != Precision::Single;
        let vector = |[single, double]: [&'static str; 2], options| Self {
            name: if is_wide { double } else { single },
            options,
            is_vector: true,
            is_wide,
        };
        match level {
            _ if is_exact || !level.is_available() => scalar,
            SimdLevel::Avx2 => vector(["AVX2_SINGLE", "AVX2_DOUBLE"], AVX2),
            SimdLevel::Avx512 => vector(["AVX512_SINGLE", "AVX512_DOUBLE"], AVX512),
            // These vectors are arrays, which the compiler vectorizes.
            SimdLevel::Neon => vector(["NEON_SINGLE", "NEON_DOUBLE"], &["-ftree-slp-vectorize"]),
            _ => scalar,
        }
    }
}
