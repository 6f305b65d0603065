//! Displacements of positions in unbounded space and in periodic boxes.

use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::vector::{Point, Vector};

/// Rounds a coordinate to the nearest `S`, in a box of this length or, if it is 0, in an open
/// direction. A coordinate that is rounded to the length becomes 0.
#[inline(always)]
pub(crate) fn wrap_coordinate<S: Scalar>(x: f64, length: f64) -> S::Coordinate {
    if length == 0.0 {
        return S::coordinate(x);
    }
    let inside = wrap(x, length);
    let rounded = S::coordinate(inside);
    let stored = S::coordinate_to_f64(rounded);
    let is_beyond = inside < length && stored >= length && stored.is_finite();
    if is_beyond { S::coordinate(0.0) } else { rounded }
}

/// Returns the image of x in [0, length).
#[inline(always)]
pub(crate) fn wrap(x: f64, length: f64) -> f64 {
    if (0.0..length).contains(&x) || !x.is_finite() {
        return x;
    }
    let rest = x % length; // exact
    // A remainder of -0 becomes 0.
    let inside = if rest < 0.0 { rest + length } else { rest.abs() };
    if inside < length { inside } else { 0.0 }
}

/// The kind of a space; loops have a variant for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceKind {
    /// Unbounded space.
    Open,
    /// A rectangular periodic box.
    Periodic,
    /// A triclinic periodic box.
    Triclinic,
}

/// The metric of a domain: the displacement of two positions.
pub trait Space<L: Lane>: Copy + Send + Sync {
    /// Whether an i-particle meets the j-particles in the order of their indices.
    const IN_ORDER: bool = true;

    /// Returns the displacement from b to a.
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D>;
}

/// Unbounded space.
#[derive(Clone, Copy, Debug)]
pub struct Open;

/// A space in which an i-particle meets the j-particles in the order of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfLists<S>(pub(crate) S);

/// A periodic box.
#[derive(Clone, Copy, Debug)]
pub struct Periodic<L: Lane> {
    pub(crate) lengths: [L::Coordinate; 3],
    pub(crate) inverses: [L; 3],
}

impl<L: Lane> Space<L> for Open {
    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        a - b
    }
}

impl<L: Lane, S: Space<L>> Space<L> for OfLists<S> {
    const IN_ORDER: bool = false;

    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        self.0.difference(a, b)
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

/// A triclinic box: the vectors a, b and c, each with its components as far as the diagonal.
#[derive(Clone, Copy, Debug)]
pub struct Triclinic<L: Lane> {
    pub(crate) vectors: [[L::Coordinate; 3]; 3],
    pub(crate) inverses: [L; 3],
}

impl<L: Lane> Space<L> for Triclinic<L> {
    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        let mut d = [L::Coordinate::default(); D];
        for k in 0..D {
            d[k] = L::apart(a[k], b[k]);
        }
        // Plain loops: each law compiles several copies.
        #[expect(clippy::needless_range_loop, reason = "two arrays")]
        for step in 0..D {
            let k = D - 1 - step;
            let n = (L::rounded(d[k]) * self.inverses[k % 3]).round_ties_even();
            for l in 0..D {
                if l <= k {
                    d[l] = L::without(d[l], n, self.vectors[k % 3][l % 3]);
                }
            }
        }
        let mut rounded = Vector::default();
        for k in 0..D {
            rounded[k] = L::rounded(d[k]);
        }
        rounded
    }
}

/// Any space, as a branch at each difference: slower than the spaces themselves, but compiled once
/// for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Either<L: Lane> {
    pub(crate) kind: SpaceKind,
    pub(crate) periodic: Periodic<L>,
    pub(crate) triclinic: Triclinic<L>,
}

impl<L: Lane> Space<L> for Either<L> {
    #[inline(always)]
    fn difference<const D: usize>(&self, a: Point<L, D>, b: Point<L, D>) -> Vector<L, D> {
        match self.kind {
            SpaceKind::Open => Open.difference(a, b),
            SpaceKind::Periodic => self.periodic.difference(a, b),
            SpaceKind::Triclinic => self.triclinic.difference(a, b),
        }
    }
}
