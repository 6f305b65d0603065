//! How an evaluation computes.

use std::fmt;

use crate::{Domain, Error};

/// The arithmetic of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `f32`.
    #[default]
    Single,
    /// `f64`.
    Double,
    /// `f32`, but for positions, which are two of them: 48 bits. Their differences are rounded
    /// to `f32` once or twice, wherever the particles are. In fast mathematics the CPU, which has
    /// `f64` at hand, computes in that with these particles.
    Mixed,
}

/// How the contributions of the j-particles are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accumulation {
    /// One running sum in the precision of the pair.
    Direct,
    /// A sum for each bag, folded into a backup accumulator of the same precision: the
    /// Chamomile scheme (Hamada & Iitaka 2007, section 2).
    Blocked,
    /// The same, with the backup accumulator in `f64`.
    #[default]
    BlockedF64,
    /// One running sum in the precision of the pair, and beside it what rounding took from it,
    /// term by term (compensated summation); the result is both, in `f64`. It takes six
    /// operations more for each sum of a pair, and every ordered pair by itself.
    Compensated,
}

/// What the arithmetic may trade for speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Math {
    /// The hardware's reciprocal square root and division, fused multiply-add, and
    /// denormals flushed to zero in `f32`.
    #[default]
    Fast,
    /// IEEE square root and division, and no contraction: the same bits on every engine
    /// that uses the same [`SummationOrder`].
    Exact,
}

/// Which pairs of one set are evaluated, where both directions of a pair may be evaluated at once
/// ([`Law::third_law`](crate::Law::third_law)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pairs {
    /// What is likely to be faster; in exact mathematics every ordered pair, since both directions
    /// at once share products that the declaration has in another order.
    #[default]
    Auto,
    /// Every ordered pair by itself.
    Ordered,
    /// Both directions at once, wherever the interaction allows it and the engine can.
    Symmetric,
}

/// The order in which the j-particles are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SummationOrder {
    /// j-particles in a bag.
    pub bag: usize,
    /// Parts that the j-particles are split into, each summed by itself and then added in
    /// order. A part is a whole number of bags.
    pub splits: usize,
}

impl Default for SummationOrder {
    fn default() -> Self {
        Self { bag: 256, splits: 1 }
    }
}

impl SummationOrder {
    /// Refuses a summation order that orders nothing.
    pub fn check(self) -> Result<(), Error> {
        let Self { bag, splits } = self;
        if bag == 0 || splits == 0 {
            Err(Error::EmptySummationOrder { bag, splits })
        } else {
            Ok(())
        }
    }

    /// The bags of one part, so that `splits` parts cover `nj` j-particles.
    pub fn bags_per_split(self, nj: usize) -> usize {
        nj.div_ceil(self.bag.max(1)).div_ceil(self.splits.max(1)).max(1)
    }
}

/// How an evaluation computes: precision, accumulation, mathematics, space and order.
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
    /// How contributions are summed.
    pub accumulation: Accumulation,
    /// What the arithmetic may trade for speed.
    pub math: Math,
    /// The space that the particles are in.
    pub domain: Domain,
    /// Which pairs of one set are evaluated.
    pub pairs: Pairs,
    /// The order of summation; `None` leaves the choice to the engine. An order that is asked for
    /// is one of ordered pairs.
    pub order: Option<SummationOrder>,
}

/// These set one field of a copy, and leave the others as they are.
impl Options {
    /// The same in this precision.
    #[must_use]
    pub const fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// The same with contributions summed so.
    #[must_use]
    pub const fn accumulation(self, accumulation: Accumulation) -> Self {
        Self { accumulation, ..self }
    }

    /// The same with this mathematics.
    #[must_use]
    pub const fn math(self, math: Math) -> Self {
        Self { math, ..self }
    }

    /// The same in this space.
    #[must_use]
    pub const fn domain(self, domain: Domain) -> Self {
        Self { domain, ..self }
    }

    /// The same with these pairs of one set.
    #[must_use]
    pub const fn pairs(self, pairs: Pairs) -> Self {
        Self { pairs, ..self }
    }

    /// The same in this order of summation, or in that which the engine chooses (`None`).
    #[must_use]
    pub fn order(self, order: impl Into<Option<SummationOrder>>) -> Self {
        Self { order: order.into(), ..self }
    }

    /// The precision of the backup accumulators, and so of the results: single or double.
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

impl Accumulation {
    /// Whether the running sums are folded into the backup accumulators after each bag, and not
    /// only after the last.
    pub const fn folds_each_bag(self) -> bool {
        matches!(self, Self::Blocked | Self::BlockedF64)
    }
}

macro_rules! names {
    ($type:ident: $($variant:ident $name:literal),*) => {
        impl $type {
            /// Every choice.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in tables and commands.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> Result<Self, $crate::Error> {
                let found = Self::ALL.iter().copied().find(|choice| choice.name() == name);
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

pub(crate) use names;

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { precision, accumulation, math, domain, .. } = self;
        write!(f, "{}/{precision}/{accumulation}/{math}", domain.name())
    }
}

names!(Precision: Single "single", Double "double", Mixed "mixed");
names!(Accumulation: Direct "direct", Blocked "blocked", BlockedF64 "blocked-f64", Compensated "compensated");
names!(Math: Fast "fast", Exact "exact");
names!(Pairs: Auto "auto", Ordered "ordered", Symmetric "symmetric");

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
