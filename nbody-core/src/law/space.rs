//! The space that particles are in.

use std::ops::RangeInclusive;

use crate::{Error, Lane, Point, Precision, Vector};

/// The space that particles are in: unbounded, or a periodic box. It is a property of an evaluation;
/// interactions do not depend on it.
///
/// In a periodic box the difference of two positions is that to the nearest image (the minimum
/// image convention): dₖ − Lₖ rint(dₖ / Lₖ), at most half of the box in each component. Each pair of
/// particles is evaluated once, so that an interaction with a range of more than half of the shortest
/// length misses images. Positions may lie anywhere; they are not moved into the box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Domain {
    /// Unbounded space.
    #[default]
    Open,
    /// A periodic box.
    Periodic(Lengths),
}

/// The lengths of a periodic box along x, y and z: positive, and infinite in open directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths([f64; 3]);

const AXES: [&str; 3] = ["x", "y", "z"];

impl Precision {
    /// Returns the range of lengths which are normal numbers in this precision, as are their inverses.
    pub(crate) fn box_lengths(self) -> RangeInclusive<f64> {
        let least = match self {
            Self::Single | Self::Mixed => f64::from(f32::MIN_POSITIVE),
            Self::Double => f64::MIN_POSITIVE,
        };
        least..=least.recip()
    }
}

impl Domain {
    /// Returns a periodic box of these lengths along x, y and z; [`f64::INFINITY`] leaves a direction
    /// open. Particles in two dimensions use the first two. An engine refuses lengths beyond the range
    /// of its precision, in `f32` from 1.2e-38 to 8.5e37.
    pub fn periodic(lengths: [f64; 3]) -> Result<Self, Error> {
        for (axis, found) in AXES.into_iter().zip(lengths) {
            if found.is_nan() || found <= 0.0 {
                return Err(Error::BoxLength { axis, found });
            }
        }
        let domain = Self::Periodic(Lengths(lengths));
        domain.check(Precision::Double)?;
        Ok(domain)
    }

    /// Refuses a box whose lengths are beyond the range of this precision: 1e-300 would be 0 in `f32`,
    /// and its inverse infinite.
    pub fn check(&self, precision: Precision) -> Result<(), Error> {
        let Self::Periodic(Lengths(lengths)) = *self else {
            return Ok(());
        };
        let range = precision.box_lengths();
        for (axis, found) in AXES.into_iter().zip(lengths) {
            if found.is_finite() && !range.contains(&found) {
                return Err(Error::BoxPrecision { axis, found, precision });
            }
        }
        Ok(())
    }

    /// Returns whether the space is a periodic box.
    pub fn is_periodic(&self) -> bool {
        matches!(self, Self::Periodic(_))
    }

    /// Returns the name in tables.
    pub fn name(&self) -> &'static str {
        if self.is_periodic() { "periodic" } else { "open" }
    }

    /// Returns the lengths and their inverses, both zero in open directions.
    pub fn factors(&self) -> [[f64; 3]; 2] {
        let lengths = match self {
            Self::Open => [f64::INFINITY; 3],
            Self::Periodic(Lengths(lengths)) => *lengths,
        };
        let lengths = lengths.map(|length| if length.is_finite() { length } else { 0.0 });
        [lengths, lengths.map(|length| if length > 0.0 { length.recip() } else { 0.0 })]
    }
}

impl Lengths {
    /// Returns the lengths along x, y and z.
    pub fn to_array(self) -> [f64; 3] {
        self.0
    }
}

/// The metric of a [`Domain`]: the displacement of two positions.
pub trait Space<L: Lane>: Copy + Send + Sync {
    /// Returns the displacement from b to a.
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D>;
}

/// Unbounded space.
#[derive(Clone, Copy, Debug)]
pub struct Open;

/// A periodic box.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<L: Lane> {
    lengths: [L::Coordinate; 3],
    inverses: [L; 3],
}

impl<L: Lane> Periodic<L> {
    /// Returns the box of a domain, or one without lengths for unbounded space.
    #[inline(always)]
    pub fn new(domain: &Domain) -> Self {
        let [[x, y, z], [u, v, w]] = domain.factors();
        Self {
            lengths: [L::coordinate(x), L::coordinate(y), L::coordinate(z)],
            inverses: [L::splat(u), L::splat(v), L::splat(w)],
        }
    }
}

impl<L: Lane> Space<L> for Open {
    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        let mut d = Vector::default();
        for k in 0..D {
            d[k] = L::difference(a[k], b[k]);
        }
        d
    }
}

impl<L: Lane> Space<L> for Periodic<L> {
    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        let mut d = Vector::default();
        for k in 0..D {
            let (length, inverse) = (self.lengths[k % 3], self.inverses[k % 3]);
            d[k] = L::nearest_difference(a[k], b[k], length, inverse);
        }
        d
    }
}

/// A space that is made from a domain.
pub(crate) trait InDomain<L: Lane>: Space<L> {
    fn in_domain(domain: &Domain) -> Self;
}

impl<L: Lane> InDomain<L> for Open {
    #[inline(always)]
    fn in_domain(_: &Domain) -> Self {
        Self
    }
}

impl<L: Lane> InDomain<L> for Periodic<L> {
    #[inline(always)]
    fn in_domain(domain: &Domain) -> Self {
        Self::new(domain)
    }
}

/// Unbounded space or a periodic box, as a branch at each difference: slower than [`Open`] or
/// [`Periodic`], but compiled once for both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Either<L: Lane> {
    is_periodic: bool,
    periodic: Periodic<L>,
}

impl<L: Lane> InDomain<L> for Either<L> {
    #[inline(always)]
    fn in_domain(domain: &Domain) -> Self {
        Self { is_periodic: domain.is_periodic(), periodic: Periodic::new(domain) }
    }
}

impl<L: Lane> Space<L> for Either<L> {
    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        if self.is_periodic { self.periodic.difference(a, b) } else { Open.difference(a, b) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_lead_to_the_nearest_image() {
        let domain = Domain::periodic([1.0, 4.0, f64::INFINITY]).unwrap();
        let (a, b) = (Point::new(0.875, 3.0, 100.0), Point::new(0.125, -10.0, -50.0));
        let d = Periodic::<f64>::new(&domain).difference(a, b);
        assert_eq!(d, Vector::new(-0.25, 1.0, 150.0));
        assert_eq!(Open.difference(a, b), a - b);
        assert_eq!(Either::<f64>::in_domain(&domain).difference(a, b), d);
        assert_eq!(Either::<f64>::in_domain(&Domain::Open).difference(a, b), a - b);
    }

    #[test]
    fn lengths_and_their_inverses_are_numbers_in_the_precision() {
        for &precision in Precision::ALL {
            let (least, most) = precision.box_lengths().into_inner();
            for length in [least, 1.0, most, f64::INFINITY] {
                let domain = Domain::periodic([1.0, length, 1.0]).unwrap();
                domain.check(precision).unwrap();
                let [lengths, inverses] = domain.factors();
                let is_held = |x: f64| match precision {
                    Precision::Double => x.is_normal(),
                    _ => (x as f32).is_normal(),
                };
                let is_open = length == f64::INFINITY;
                assert!(is_open || is_held(lengths[1]) && is_held(inverses[1]), "{length}");
            }
            for length in [least / 2.0, most * 2.0] {
                let error = Domain::periodic([1.0, 1.0, length])
                    .and_then(|domain| domain.check(precision))
                    .unwrap_err();
                assert_eq!(error, Error::BoxPrecision { axis: "z", found: length, precision });
            }
        }
        Domain::Open.check(Precision::Single).unwrap();
        let error = Domain::periodic([1e-300, 1.0, 1.0]).unwrap().check(Precision::Single);
        let message = error.unwrap_err().to_string();
        let expected = "periodic box of length 1e-300 along x: expected 1.18e-38 to 8.51e37 in \
                        single precision";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn lengths_are_positive() {
        for length in [0.0, -1.0, f64::NAN] {
            let error = Domain::periodic([1.0, length, 1.0]).unwrap_err();
            assert!(error.to_string().contains("along y"), "{error}");
        }
    }
}
