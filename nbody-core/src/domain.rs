//! The space that particles are in.
//!
//! To add a space: a variant of [`Domain`] here, a [`Space`] beside the others of `numeric`, and the
//! same in `Space` of `prelude.cuh`. The emitters print every difference of positions as
//! `space.difference(a, b)`; nothing else depends on the space.

use crate::numeric::space::Either;
use crate::numeric::space::OfLists;
use crate::numeric::space::Open;
use crate::numeric::space::Periodic;
use crate::numeric::space::Space;
use crate::numeric::space::SpaceKind;
use crate::numeric::space::Triclinic;
use std::ops::RangeInclusive;

use crate::error::Error;
use crate::numeric::lane::Lane;
use crate::numeric::precision::Precision;
use crate::numeric::vector::Point;
use crate::triclinic::{BoxVectors, Cell};

/// The space that particles are in: unbounded, or a periodic box, rectangular or triclinic. It is a property of an
/// evaluation; interactions do not depend on it.
///
/// In a periodic box the difference of two positions is the difference to the nearest image (the
/// minimum image convention): dₖ − Lₖ rint(dₖ / Lₖ), at most half of the box in each component.
/// Without a cutoff each pair of particles is evaluated once, so that an interaction with a range of
/// more than half of the shortest length misses images. With a cutoff every image within it is
/// evaluated, images of the particle itself among them. Positions may lie anywhere;
/// [`wrap`](Self::wrap) moves them into the box.
///
/// In a [triclinic](Self::triclinic) box whole vectors c are subtracted from the difference, then
/// whole b, then whole a. It is the difference to the nearest image if any image is nearer than half
/// of the least of ax, by and cz, which is the range of interactions there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Domain {
    /// Unbounded space.
    #[default]
    Open,
    /// A rectangular periodic box.
    Periodic(Lengths),
    /// A triclinic periodic box.
    Triclinic(BoxVectors),
}

/// The lengths of a periodic box along x, y and z: positive, and infinite in open directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths([f64; 3]);

const AXES: [&str; 3] = ["x", "y", "z"];

impl Precision {
    /// Returns the range of lengths that are normal numbers in this precision and have normal
    /// inverses.
    pub(crate) fn box_lengths(self) -> RangeInclusive<f64> {
        let least = match self {
            Self::Single | Self::Mixed => f64::from(f32::MIN_POSITIVE),
            Self::Double => f64::MIN_POSITIVE,
        };
        least..=least.recip()
    }

    /// Returns the range of lengths whose squares are normal numbers in this precision with all
    /// digits, although single terms of the smallest square may become 0. In a cube of the greatest
    /// length, the square of a distance is finite: at most 3/4 of the square of the length.
    pub(crate) fn squared_lengths(self) -> RangeInclusive<f64> {
        match self {
            Self::Single | Self::Mixed => 2.0_f64.powi(-51)..=2.0_f64.powi(63),
            Self::Double => 2.0_f64.powi(-485)..=2.0_f64.powi(511),
        }
    }

    /// Returns the range of the greatest cutoff of neighbour lists. Distances are compared by
    /// their squares, and cutoffs are bounded in `f32` in every precision.
    pub(crate) fn listed_cutoffs(self) -> RangeInclusive<f64> {
        match self {
            Self::Single | Self::Mixed => 2.0_f64.powi(-51)..=2.0_f64.powi(62),
            Self::Double => 2.0_f64.powi(-60)..=2.0_f64.powi(100),
        }
    }
}

impl Domain {
    /// Returns a periodic box of these lengths along x, y and z; [`f64::INFINITY`] leaves a
    /// direction open. Particles in two dimensions use the first two. An engine refuses lengths
    /// beyond the range of its precision, in `f32` from 1.2e-38 to 8.5e37, and boxes in which no
    /// square of a distance is a normal number, such as a cube of 1e-20 or 1e20 in `f32`.
    pub fn periodic(lengths: [f64; 3]) -> Result<Self, Error> {
        for (axis, found) in AXES.into_iter().zip(lengths) {
            if found.is_nan() || found <= 0.0 {
                return Err(Error::BoxLength { axis, found });
            }
        }
        let domain = Self::Periodic(Lengths(lengths));
        domain.check_lengths(Precision::Double)?;
        Ok(domain)
    }

    /// Returns a triclinic box of the vectors a = (ax, 0, 0), b = (bx, by, 0) and c = (cx, cy, cz),
    /// with positive ax, by and cz, |bx| <= ax/2, |cx| <= ax/2 and |cy| <= by/2. All components are
    /// finite: no direction is open. Particles in two dimensions use x and y of a and b.
    ///
    /// Other vectors are an error. [`triclinic_reduced`](Self::triclinic_reduced) reduces lower
    /// triangular ones; rotate others, and the particles, so that a is along x and b in the plane
    /// of x and y. Engines refuse components ax, by and cz beyond the range of their precision, as
    /// the lengths of [`periodic`](Self::periodic).
    pub fn triclinic(vectors: [[f64; 3]; 3]) -> Result<Self, Error> {
        let domain = Self::Triclinic(BoxVectors::new(vectors)?);
        domain.check_lengths(Precision::Double)?;
        Ok(domain)
    }

    /// Returns the triclinic box of the lattice that these vectors span, with ay, az and bz zero: b
    /// loses whole vectors a, and c whole vectors b and a. The particles stay where they are.
    pub fn triclinic_reduced(vectors: [[f64; 3]; 3]) -> Result<Self, Error> {
        Self::triclinic(BoxVectors::reduced(vectors)?.to_array())
    }

    /// Refuses a box with lengths beyond the range of this precision (1e-300 would be 0 in `f32`,
    /// and its inverse infinite), or with all squared distances beyond it.
    pub fn check(&self, precision: Precision) -> Result<(), Error> {
        self.check_lengths(precision)?;
        let Some(lengths) = self.lengths() else { return Ok(()) };
        let range = precision.squared_lengths();
        let least = lengths.into_iter().fold(f64::INFINITY, f64::min);
        let greatest = lengths.into_iter().fold(0.0, f64::max);
        // A single length within the range, or an open direction, allows distances whose squares
        // are in the range.
        if greatest < *range.start() {
            return Err(Error::BoxScale { found: greatest, precision });
        }
        if least > *range.end() && greatest.is_finite() {
            return Err(Error::BoxScale { found: least, precision });
        }
        Ok(())
    }

    fn check_lengths(&self, precision: Precision) -> Result<(), Error> {
        let Some(lengths) = self.lengths() else { return Ok(()) };
        let range = precision.box_lengths();
        for (axis, found) in AXES.into_iter().zip(lengths) {
            if found.is_finite() && !range.contains(&found) {
                return Err(Error::BoxPrecision { axis, found, precision });
            }
        }
        Ok(())
    }

    /// Returns the lengths of the box, infinite in open directions; ax, by and cz of a triclinic
    /// box.
    fn lengths(&self) -> Option<[f64; 3]> {
        match *self {
            Self::Open => None,
            Self::Periodic(Lengths(lengths)) => Some(lengths),
            Self::Triclinic(vectors) => Some(vectors.cell().lengths),
        }
    }

    /// Returns whether the space is a periodic box, rectangular or triclinic.
    pub fn is_periodic(&self) -> bool {
        self.kind() != SpaceKind::Open
    }

    /// Returns whether the space is a triclinic box.
    pub fn is_triclinic(&self) -> bool {
        self.kind() == SpaceKind::Triclinic
    }

    /// Refuses a triclinic box for an engine that does not take it.
    pub fn check_rectangular(
        &self,
        engine: &'static str,
        advice: &'static str,
    ) -> Result<(), Error> {
        if self.is_triclinic() { Err(Error::NoTriclinic { engine, advice }) } else { Ok(()) }
    }

    /// Refuses a triclinic box for trees.
    pub fn check_tree(&self) -> Result<(), Error> {
        self.check_rectangular(
            "trees",
            "evaluate all pairs with `AllPairs`, or use neighbour lists",
        )
    }

    /// Returns the kind of the space.
    pub fn kind(&self) -> SpaceKind {
        match self {
            Self::Open => SpaceKind::Open,
            Self::Periodic(_) => SpaceKind::Periodic,
            Self::Triclinic(_) => SpaceKind::Triclinic,
        }
    }

    /// Returns whether every direction is open: unbounded space, or a box without a finite length.
    pub fn is_open(&self) -> bool {
        self.factors()[0].iter().all(|length| *length == 0.0)
    }

    /// Returns the name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Periodic(_) => "periodic",
            Self::Triclinic(_) => "triclinic",
        }
    }

    /// Returns the lengths and their inverses, both zero in open directions; of a triclinic box
    /// ax, by and cz.
    pub fn factors(&self) -> [[f64; 3]; 2] {
        let lengths = self.lengths().unwrap_or([f64::INFINITY; 3]);
        let lengths = lengths.map(|length| if length.is_finite() { length } else { 0.0 });
        [lengths, lengths.map(|length| if length > 0.0 { length.recip() } else { 0.0 })]
    }

    /// Returns the components bx, cx and cy of a triclinic box, zeros of other spaces.
    pub fn tilts(&self) -> [f64; 3] {
        if let Self::Triclinic(vectors) = self { vectors.cell().tilts } else { [0.0; 3] }
    }

    /// Returns the lengths and the other components of the vectors of the box.
    pub fn cell(&self) -> Cell {
        Cell { lengths: self.factors()[0], tilts: self.tilts() }
    }

    /// Returns the image of a position in the box: each coordinate is in [0, length). Coordinates
    /// in open directions, infinite ones and NaN stay.
    ///
    /// Whole lengths are subtracted exactly. A negative coordinate is rounded once, when a length
    /// is added, and becomes 0 if the sum is the length.
    ///
    /// Images in a triclinic box fill the brick of ax, by and cz. Whole vectors c are subtracted,
    /// then b, then a; x and y are rounded with each.
    pub fn wrap<const D: usize>(&self, position: Point<f64, D>) -> Point<f64, D> {
        Point(self.cell().wrap(position.0))
    }
}

impl Lengths {
    /// Returns the lengths along x, y and z.
    pub fn to_array(self) -> [f64; 3] {
        self.0
    }
}

impl<L: Lane> Periodic<L> {
    /// Returns the box of a domain, with lengths of 0 for unbounded space.
    #[inline(always)]
    pub fn new(domain: &Domain) -> Self {
        let [[x, y, z], [u, v, w]] = domain.factors();
        Self {
            lengths: [L::coordinate(x), L::coordinate(y), L::coordinate(z)],
            inverses: [L::splat(u), L::splat(v), L::splat(w)],
        }
    }
}

impl<L: Lane> Triclinic<L> {
    /// Returns the box of a domain, with zeros for other spaces.
    #[inline(always)]
    pub fn new(domain: &Domain) -> Self {
        let ([[x, y, z], inverses], [bx, cx, cy]) = (domain.factors(), domain.tilts());
        let (zero, [u, v, w]) = (L::Coordinate::default(), inverses);
        Self {
            vectors: [
                [L::coordinate(x), zero, zero],
                [L::coordinate(bx), L::coordinate(y), zero],
                [L::coordinate(cx), L::coordinate(cy), L::coordinate(z)],
            ],
            inverses: [L::splat(u), L::splat(v), L::splat(w)],
        }
    }
}

/// A space that can be created from a domain.
pub(crate) trait InDomain<L: Lane>: Space<L> {
    /// Whether there are loops for both directions of a pair at once. They take as long to compile
    /// as the other loops, and few evaluate all pairs in a triclinic box.
    const SYMMETRIC: bool = true;

    fn in_domain(domain: &Domain) -> Self;
}

impl<L: Lane> InDomain<L> for Open {
    #[inline(always)]
    fn in_domain(_: &Domain) -> Self {
        Self
    }
}

impl<L: Lane, S: InDomain<L>> InDomain<L> for OfLists<S> {
    #[inline(always)]
    fn in_domain(domain: &Domain) -> Self {
        Self(S::in_domain(domain))
    }
}

impl<L: Lane> InDomain<L> for Periodic<L> {
    #[inline(always)]
    fn in_domain(domain: &Domain) -> Self {
        Self::new(domain)
    }
}

impl<L: Lane> InDomain<L> for Triclinic<L> {
    const SYMMETRIC: bool = false;

    #[inline(always)]
    fn in_domain(domain: &Domain) -> Self {
        Self::new(domain)
    }
}

impl<L: Lane> InDomain<L> for Either<L> {
    #[inline(always)]
    fn in_domain(domain: &Domain) -> Self {
        let (periodic, triclinic) = (Periodic::new(domain), Triclinic::new(domain));
        Self { kind: domain.kind(), periodic, triclinic }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::numeric::mixed::{DoubleSingle, Mixed};
    use crate::numeric::scalar::Scalar;
    use crate::numeric::space::wrap_coordinate;
    use crate::numeric::vector::Vector;

    #[test]
    fn positions_are_wrapped_into_the_box() {
        let domain = Domain::periodic([1.0, 0.3, f64::INFINITY]).unwrap();
        let wrap = |x: f64| domain.wrap(Point::new(x, x, x)).0;
        assert_eq!(wrap(0.25), [0.25, 0.25, 0.25]);
        assert_eq!(wrap(1.0), [0.0, 1.0 % 0.3, 1.0]);
        assert_eq!(wrap(-0.25), [0.75, -0.25 + 0.3, -0.25]);
        assert_eq!(wrap(0.3)[1], 0.0);
        assert_eq!(wrap(1.0_f64.next_down())[0], 1.0_f64.next_down());
        assert_eq!(wrap(1.0_f64.next_up())[0], f64::EPSILON);
        assert!(wrap(-3.0)[0].is_sign_positive());
        // Adding the length loses all digits of x.
        assert_eq!(wrap(-1e-300)[..2], [0.0, 0.0]);
        // More whole lengths than a quotient has digits.
        assert_eq!(wrap(1e300)[..2], [0.0, 1e300 % 0.3]);
        assert_eq!(wrap(f64::INFINITY), [f64::INFINITY; 3]);
        assert!(wrap(f64::NAN).iter().all(|x| x.is_nan()));
        assert_eq!(Domain::Open.wrap(Point([-7.0, 8.0])), Point([-7.0, 8.0]));
    }

    #[test]
    fn what_is_rounded_to_the_length_becomes_zero() {
        let below = |length: f64| length.next_down();
        assert_eq!(wrap_coordinate::<f32>(below(1.0), 1.0), 0.0);
        assert_eq!(wrap_coordinate::<f32>(1.0 - 5e-8, 1.0), 1.0_f32.next_down());
        // 0.3 is less than the nearest `f32`, and 0.7 more.
        assert_eq!(wrap_coordinate::<f32>(below(0.3), 0.3), 0.0);
        assert_eq!(wrap_coordinate::<f32>(below(0.7), 0.7), 0.7_f32);
        let zero = DoubleSingle { hi: 0.0, lo: 0.0 };
        assert_eq!(wrap_coordinate::<Mixed>(below(0.9), 0.9), zero);
        assert_eq!(wrap_coordinate::<Mixed>(1.0 - 1e-9, 1.0), (1.0 - 1e-9).into());
        assert_eq!(wrap_coordinate::<f64>(below(1.0), 1.0), below(1.0));
        // An infinity is not a rounded length.
        assert_eq!(wrap_coordinate::<f32>(1e300, 1e301), f32::INFINITY);
        assert_eq!(wrap_coordinate::<f32>(-7.0, 0.0), -7.0);
    }

    /// Returns the difference of two coordinates in a box, by the nearest image.
    fn apart(a: f64, b: f64, length: f64) -> f64 {
        let d = (a - b).abs();
        d.min((d - length).abs())
    }

    fn stored<S: Scalar>(x: f64, length: f64) -> f64 {
        S::coordinate_to_f64(wrap_coordinate::<S>(x, length))
    }

    proptest! {
        #[test]
        fn wrapping_keeps_displacements(
            x in -50.0_f64..50.0, y in -50.0_f64..50.0, length in 0.01_f64..20.0,
        ) {
            let domain = Domain::periodic([length; 3]).unwrap();
            let difference = |x: f64, y: f64| {
                let [a, b] = [x, y].map(|x| Point([x, 0.0]));
                Periodic::<f64>::new(&domain).difference(a, b).x
            };
            let inside = domain.wrap(Point([x, 0.0])).x;
            prop_assert!((0.0..length).contains(&inside), "{x} {inside}");
            prop_assert_eq!(domain.wrap(Point([inside, 0.0])).x, inside);
            // At half of the length either image is correct.
            let change = apart(difference(inside, y), difference(x, y), length);
            prop_assert!(change < 1e-13, "{x} {y}: {change}");
            let single = stored::<f32>(x, length);
            prop_assert!((0.0..length).contains(&single), "{x} {single}");
            prop_assert!(apart(single, inside, length) <= f32::ROUNDOFF * length);
            let mixed = stored::<Mixed>(x, length);
            prop_assert!((0.0..length).contains(&mixed), "{x} {mixed}");
            prop_assert!(apart(mixed, inside, length) <= 1e-14 * length);
        }
    }

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

    /// Displacements in triclinic boxes lead to the nearest image if it is nearer than half of the
    /// least of ax, by and cz, in every precision, wherever the positions are.
    #[test]
    fn triclinic_displacements_lead_to_near_images() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for turn in 0..20_000 {
            let [ax, by, cz] = [1.0, 1.0 + random(), 0.8 + random()];
            let edge = |x: f64| if turn % 3 == 0 { 0.5_f64.copysign(x) } else { x };
            let tilts = [edge(random()) * ax, edge(random()) * ax, edge(random()) * by];
            let vectors = [[ax, 0.0, 0.0], [tilts[0], by, 0.0], [tilts[1], tilts[2], cz]];
            let domain = Domain::triclinic(vectors).unwrap();
            let near = 0.49 * ax.min(by).min(cz);
            let d = [random(), random(), random()].map(|x| 2.0 * near * x / 3.0_f64.sqrt());
            let scale = [1.0, 40.0][turn % 2];
            let a = [random(), random(), random()].map(|x| scale * x);
            let n = [random(), random(), random()].map(|x| (5.0 * x).round());
            let b: [f64; 3] = std::array::from_fn(|k| {
                a[k] - d[k] + (0..3).map(|l| n[l] * vectors[l][k]).sum::<f64>()
            });
            let check = |found: [f64; 3], roundoff: f64| {
                for k in 0..3 {
                    let error = (found[k] - d[k]).abs();
                    assert!(error <= roundoff, "{domain:?} {a:?} {b:?}: {found:?}, not {d:?}");
                }
            };
            let found = Triclinic::<f64>::new(&domain).difference(Point(a), Point(b)).0;
            check(found, 1e-14 * scale.max(4.0));
            let [c, e] = [a, b].map(|x| Point(x.map(DoubleSingle::from)));
            let found = Triclinic::<Mixed>::new(&domain).difference(c, e).0;
            check(found.map(Scalar::to_f64), 4e-14 * scale.max(4.0) + 1.2e-7 * near);
            let [c, e] = [a, b].map(|x| Point(x.map(|x| x as f32)));
            let found = Triclinic::<f32>::new(&domain).difference(c, e).0;
            check(found.map(f64::from), 2e-6 * scale.max(4.0));
            // Wrapped positions are in the brick, and have the same displacement.
            let [p, q] = [a, b].map(|x| domain.wrap(Point(x)));
            let [lengths, _] = domain.factors();
            assert!((0..3).all(|k| (0.0..lengths[k]).contains(&p[k])), "{p:?}");
            check(Triclinic::<f64>::new(&domain).difference(p, q).0, 1e-13 * scale.max(4.0));
            let of_two = Triclinic::<f64>::new(&domain);
            let [p, q] = [a, b].map(|[x, y, _]| Point([x, y]));
            let plane = of_two.difference(p, q);
            assert!(plane.x.abs() <= ax / 2.0 + 1e-12 && plane.y.abs() <= by / 2.0 + 1e-12);
        }
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
        for &precision in Precision::ALL {
            let (least, most) = precision.squared_lengths().into_inner();
            for (length, beyond) in [(least, least / 2.0), (most, most * 2.0)] {
                let check = |lengths| Domain::periodic(lengths).unwrap().check(precision);
                check([length; 3]).unwrap();
                check([beyond, length, beyond]).unwrap();
                check([beyond, f64::INFINITY, beyond]).unwrap();
                let error = check([beyond; 3]).unwrap_err();
                assert_eq!(error, Error::BoxScale { found: beyond, precision });
                // Squares keep all digits, and their sum over three axes does not overflow.
                let square = length * length;
                let least_term = square * f64::EPSILON.max(f64::from(f32::EPSILON) / 2.0);
                match precision {
                    Precision::Double => assert!((square * f64::EPSILON).is_normal()),
                    _ => assert!(
                        (least_term as f32).is_normal() && (0.75 * square as f32).is_finite()
                    ),
                }
            }
        }
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
