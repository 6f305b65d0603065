//! The variants of an interaction's loops. A program that runs one contains all of them.
//!
//! A law is compiled for scalars in single, double and mixed precision, and for vectors of two
//! levels in single and double precision, each in open space, in a box and in a triclinic box.
//! Scalars branch on the space at each difference, and mixed precision is `f64` on vectors, so that
//! fifteen variants remain. All other code (schedules, splits, threads, programs) takes the law as a value and is
//! compiled once. The loops are compiled in the package that declares the law, since the macro
//! writes the function that returns them (`Interaction::cpu_loops`).
//!
//! The compiler puts a function into the code-generation unit of the module of its `Self` type.
//! The macro declares three modules with a type each, for scalars and for vectors of `f32` and of
//! `f64`: they are compiled in parallel, and an incremental build repeats only the loops of a law
//! that changed.

use crate::domain::InDomain;
use crate::law::checked_pair::CompiledPair;
use crate::law::interaction::Interaction;
use crate::law::loops::BySize;
use crate::law::loops::Compiled;
use crate::law::loops::Loops;
use crate::law::loops::Variant;
use crate::numeric::bounded::Bounded;
use crate::numeric::mixed::Mixed;
use crate::numeric::narrow::Narrow;
use crate::numeric::precision::Precision;
use crate::numeric::scalar::Scalar;
#[cfg(target_arch = "aarch64")]
use crate::numeric::simd::array::Array;
use crate::numeric::simd::lanes::Lanes;
use crate::numeric::simd::level::SimdLevel;
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{avx2, avx512};
use crate::numeric::space::Either;
use crate::numeric::space::{Open, Periodic, SpaceKind, Triclinic};
use crate::options::Math;

impl Variant {
    /// Tests whether particles of mixed precision are evaluated in `f64`, which is fast on a CPU.
    /// Only exact mathematics promises the bits of mixed precision.
    pub(crate) fn widens(self) -> bool {
        self.precision == Precision::Mixed && self.math == Math::Fast
    }

    /// Returns the code of an interaction. Loops on scalars, on vectors of `f32` and on vectors of
    /// `f64` are compiled in the code-generation unit of `Scalars`, `Singles` and `Doubles`, and
    /// the pair functions of checks in the unit of `Scalars`.
    pub fn of<X, Scalars, Singles, Doubles>(self) -> Compiled
    where
        X: Interaction,
    {
        let loops = match self.level {
            _ if self.math == Math::Exact || !self.level.is_available() => {
                self.on_scalars::<X, Scalars>()
            }
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => self.on_vectors::<X, Singles, Doubles, avx2::Single, avx2::Double>(),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => {
                self.on_vectors::<X, Singles, Doubles, avx512::Single, avx512::Double>()
            }
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => {
                self.on_vectors::<X, Singles, Doubles, Array<f32, 4>, Array<f64, 2>>()
            }
            _ => self.on_scalars::<X, Scalars>(),
        };
        let bounded = CompiledPair::of::<Scalars, X, Bounded>();
        Compiled { loops, bounded, narrow: CompiledPair::of::<Scalars, X, Narrow>() }
    }

    fn on_scalars<X: Interaction, U>(self) -> BySize {
        match self.precision {
            Precision::Single => BySize::Bits32(Loops::of::<U, X, f32, Either<f32>>()),
            Precision::Mixed if self.math == Math::Exact => {
                BySize::Bits32(Loops::of::<U, X, Mixed, Either<Mixed>>())
            }
            Precision::Double | Precision::Mixed => {
                BySize::Bits64(Loops::of::<U, X, f64, Either<f64>>())
            }
        }
    }

    fn on_vectors<X, Singles, Doubles, S, D>(self) -> BySize
    where
        X: Interaction,
        S: Lanes<Scalar = f32>,
        D: Lanes<Scalar = f64>,
    {
        match self.precision {
            Precision::Single => BySize::Bits32(self.in_space::<X, Singles, S>()),
            Precision::Double | Precision::Mixed => {
                BySize::Bits64(self.in_space::<X, Doubles, D>())
            }
        }
    }

    /// Selects vector loops by the space, since periodic images cost operations for each pair.
    fn in_space<X, U, L>(self) -> Loops<<L::Scalar as Scalar>::Word>
    where
        X: Interaction,
        L: Lanes,
        Open: InDomain<L>,
    {
        match self.space {
            SpaceKind::Open => Loops::of::<U, X, L, Open>(),
            SpaceKind::Periodic => Loops::of::<U, X, L, Periodic<L>>(),
            SpaceKind::Triclinic => Loops::of::<U, X, L, Triclinic<L>>(),
        }
    }
}
