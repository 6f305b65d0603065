//! The space that particles are in.

use crate::{Error, Lane, Point, Vector};

/// The space that particles are in: all of it, or a periodic box. It is a property of an
/// evaluation; interactions are written without it.
///
/// In a periodic box the difference of two positions is that to the nearest image (the minimum
/// image convention): dₖ − Lₖ rint(dₖ / Lₖ), at most half of the box in each component. A pair of
/// particles meets once, so an interaction that reaches farther than half of the shortest length
/// misses images. Positions may lie anywhere; nothing moves them into the box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Domain {
    /// Space without end.
    #[default]
    Open,
    /// A periodic box.
    Periodic(Lengths),
}

/// The lengths of a periodic box along x, y and z: positive; infinite where the box is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths([f64; 3]);

impl Domain {
    /// A periodic box of these lengths along x, y and z; [`f64::INFINITY`] leaves a direction
    /// open. Particles in two dimensions take the first two.
    pub fn periodic(lengths: [f64; 3]) -> Result<Self, Error> {
        let refused = |length: &f64| length.is_nan() || *length <= 0.0;
        match lengths.iter().position(refused) {
            Some(axis) => {
                Err(Error::BoxLength { axis: ["x", "y", "z"][axis], found: lengths[axis] })
            }
            None => Ok(Self::Periodic(Lengths(lengths))),
        }
    }

    /// Whether there is a box.
    pub fn is_periodic(&self) -> bool {
        matches!(self, Self::Periodic(_))
    }

    /// The name in tables.
    pub fn name(&self) -> &'static str {
        if self.is_periodic() { "periodic" } else { "open" }
    }

    /// The lengths and their inverses, both zero where space is open.
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
    /// Along x, y and z.
    pub fn to_array(self) -> [f64; 3] {
        self.0
    }
}

/// Where positions differ: what a [`Domain`] is to a pair of particles.
pub trait Space<L: Lane>: Copy + Send + Sync {
    /// From b to a.
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D>;
}

/// Space without end.
#[derive(Clone, Copy, Debug)]
pub struct Open;

/// A periodic box.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<L: Lane> {
    lengths: [L::Coordinate; 3],
    inverses: [L; 3],
}

impl<L: Lane> Periodic<L> {
    /// The box of a domain.
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

/// Open space or a periodic box, which is decided at each difference: slower than either by
/// itself, and compiled once for both.
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
    fn lengths_are_positive() {
        for length in [0.0, -1.0, f64::NAN] {
            let error = Domain::periodic([1.0, length, 1.0]).unwrap_err();
            assert!(error.to_string().contains("along y"), "{error}");
        }
    }
}
