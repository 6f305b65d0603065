//! Options of an evaluation: precision, accumulation, mathematics, space and order.
//!
//! To add an accumulation: a variant of [`Accumulation`], which [`Options`] (`folds_each_bag`,
//! `backup`), the job of a CPU schedule and `Running` in `sums.cuh` implement, and whose error
//! bound is in `ErrorBounds::bounds`. Tests that iterate over `Accumulation::ALL` then cover it.
//!
//! Options and all other types that will grow (configurations, properties, reports, most enums)
//! are `#[non_exhaustive]`; fields are read and assigned by name, with a setter for each of
//! [`Options`]. [`Precision`], [`Math`], `Store` and `Sources` are exhaustive: every engine has to
//! implement each variant, and the compiler enforces it.

use crate::numeric::precision::Precision;
use crate::numeric::simd::level::SimdLevel;
use std::fmt;

use crate::domain::Domain;
use crate::error::Error;

/// The method by which the contributions of the j-particles are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accumulation {
    /// One running sum in the precision of the pair.
    Direct,
    /// One sum per bag, which is folded into a backup accumulator of the same precision: the
    /// Chamomile scheme (Hamada & Iitaka 2007, section 2).
    Blocked,
    /// As `Blocked`, with the backup accumulator in `f64`.
    #[default]
    BlockedF64,
    /// Compensated summation: a sum in the precision of the pair, and a second sum of its rounding
    /// errors. Both are folded into a backup accumulator in `f64` after each bag, over all pairs
    /// after about 1024 terms, and in double precision only at the end. In 1024 terms of `f32` the
    /// error is below 4% of the roundoff of the sum of magnitudes, whatever the terms and their
    /// number. It costs six more operations for each sum of a pair, and evaluates ordered pairs.
    Compensated,
}

/// The accuracy of the arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Math {
    /// Approximate reciprocal square roots and divisions of the hardware, fused multiply-add, and
    /// denormals flushed to zero in `f32`.
    #[default]
    Fast,
    /// IEEE square root and division, and no contraction: engines with the same [`SummationOrder`]
    /// give the same bits.
    Exact,
}

/// The evaluation of the pairs of one set: (i, j) and (j, i) separately, or both directions at
/// once where Newton's third law allows it
/// ([`Law::third_law`](crate::law::interaction::Law::third_law)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pairs {
    /// The engine chooses what is probably faster. Exact mathematics always uses ordered pairs,
    /// since the two directions share products whose factors have another order in the
    /// declaration.
    #[default]
    Auto,
    /// Every ordered pair.
    Ordered,
    /// Both directions at once, where the interaction allows it and the engine supports it.
    Symmetric,
}

/// The order in which the j-particles are summed.
///
/// A tree uses the bag but not the splits: it never divides the sum of an i-particle, and takes
/// the j-particles in the order of the walk. Without an order it uses the default bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SummationOrder {
    /// Number of j-particles in a bag.
    pub bag: usize,
    /// Number of splits: parts of the j-particles, each a whole number of bags, which are summed
    /// separately and then added in order.
    pub splits: usize,
}

impl Default for SummationOrder {
    fn default() -> Self {
        Self { bag: 256, splits: 1 }
    }
}

impl SummationOrder {
    /// Refuses an order whose bags or splits are empty.
    pub fn check(self) -> Result<(), Error> {
        let Self { bag, splits } = self;
        if bag == 0 || splits == 0 {
            Err(Error::EmptySummationOrder { bag, splits })
        } else {
            Ok(())
        }
    }

    /// Returns the number of bags in a split of `nj` j-particles.
    pub fn bags_per_split(self, nj: usize) -> usize {
        nj.div_ceil(self.bag.max(1)).div_ceil(self.splits.max(1)).max(1)
    }
}

/// Options of an evaluation: precision, accumulation, mathematics, space and order.
///
/// ```
/// use nbody_core::{Options, Precision};
/// let options = Options::default().precision(Precision::Double);
/// assert_eq!(options.precision, Precision::Double);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The arithmetic of one pair.
    pub precision: Precision,
    /// The method of summation.
    pub accumulation: Accumulation,
    /// The accuracy of the arithmetic.
    pub math: Math,
    /// The space that the particles are in.
    pub domain: Domain,
    /// The evaluation of the pairs of one set.
    pub pairs: Pairs,
    /// The order of summation; `None` leaves the choice to the engine. If an order is given, the
    /// engine evaluates ordered pairs.
    pub order: Option<SummationOrder>,
}

/// Setters, each of which returns a copy with one field changed.
impl Options {
    /// Sets the precision.
    #[must_use]
    pub const fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// Sets the method of summation.
    #[must_use]
    pub const fn accumulation(self, accumulation: Accumulation) -> Self {
        Self { accumulation, ..self }
    }

    /// Sets the accuracy of the arithmetic.
    #[must_use]
    pub const fn math(self, math: Math) -> Self {
        Self { math, ..self }
    }

    /// Sets the space that the particles are in.
    #[must_use]
    pub const fn domain(self, domain: Domain) -> Self {
        Self { domain, ..self }
    }

    /// Sets the evaluation of the pairs of one set.
    #[must_use]
    pub const fn pairs(self, pairs: Pairs) -> Self {
        Self { pairs, ..self }
    }

    /// Sets the order of summation, or leaves it to the engine (`None`).
    #[must_use]
    pub fn order(self, order: impl Into<Option<SummationOrder>>) -> Self {
        Self { order: order.into(), ..self }
    }

    /// Returns whether the running sums are folded into the backup accumulators after each bag,
    /// not only after the last.
    ///
    /// The sum of the rounding errors of a compensated sum has errors of its own, which grow with
    /// the square of the number of equal terms. Folding into `f64` limits them if `f64` has more
    /// digits than the sums.
    pub const fn folds_each_bag(&self) -> bool {
        match self.accumulation {
            Accumulation::Direct => false,
            Accumulation::Blocked | Accumulation::BlockedF64 => true,
            Accumulation::Compensated => !matches!(self.precision, Precision::Double),
        }
    }

    /// Returns the number of bags of this size after which the running sums over all pairs are
    /// folded into the backup accumulators, if they are folded before the last bag: compensated
    /// sums after about 1024 terms, whose rounding errors are summed without loss.
    pub const fn bags_per_fold(&self, bag: usize) -> usize {
        const TERMS: usize = 1024;
        match self.accumulation {
            Accumulation::Compensated if 0 < bag && bag < TERMS => TERMS / bag,
            _ => 1,
        }
    }

    /// Returns the precision of the backup accumulators and of the results: single or double.
    pub const fn backup(&self) -> Precision {
        match self.accumulation {
            Accumulation::BlockedF64 | Accumulation::Compensated => Precision::Double,
            Accumulation::Direct | Accumulation::Blocked => match self.precision {
                Precision::Single | Precision::Mixed => Precision::Single,
                Precision::Double => Precision::Double,
            },
        }
    }
}

macro_rules! names {
    ($type:ident: $($variant:ident $name:literal),*) => {
        impl $type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name in tables and commands.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> Result<Self, $crate::Error> {
                let found = Self::ALL.iter().copied().find(|value| value.name() == name);
                found.ok_or_else(|| $crate::Error::UnknownName {
                    found: name.to_owned(),
                    expected: &[$($name),*],
                })
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { precision, accumulation, math, domain, .. } = self;
        write!(f, "{}/{precision}/{accumulation}/{math}", domain.name())
    }
}

names!(SimdLevel: Scalar "scalar", Avx2 "avx2", Avx512 "avx512", Neon "neon");
names!(Precision: Single "single", Double "double", Mixed "mixed");
names!(Accumulation: Direct "direct", Blocked "blocked", BlockedF64 "blocked-f64", Compensated "compensated");
names!(Math: Fast "fast", Exact "exact");
names!(Pairs: Auto "auto", Ordered "ordered", Symmetric "symmetric");

impl SimdLevel {
    /// Refuses instructions that this CPU lacks.
    pub fn check(self) -> Result<(), Error> {
        if self.is_available() {
            Ok(())
        } else {
            let available = Self::available().map(Self::name).collect();
            Err(Error::SimdUnavailable { found: self, available })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setter_sets_its_field_alone() {
        let all = Options {
            precision: Precision::Double,
            accumulation: Accumulation::Direct,
            math: Math::Exact,
            domain: Domain::periodic([1.0; 3]).unwrap(),
            pairs: Pairs::Ordered,
            order: Some(SummationOrder { bag: 3, splits: 2 }),
        };
        let set: [fn(Options, &Options) -> Options; 6] = [
            |options, to| options.precision(to.precision),
            |options, to| options.accumulation(to.accumulation),
            |options, to| options.math(to.math),
            |options, to| options.domain(to.domain),
            |options, to| options.pairs(to.pairs),
            |options, to| options.order(to.order),
        ];
        let default = Options::default();
        assert_eq!(set.iter().fold(default, |options, set| set(options, &all)), all);
        for set in set {
            assert_ne!(set(default, &all), default);
            assert_eq!(set(all, &all), all);
            assert_eq!(set(set(default, &all), &default), default);
        }
    }
}
