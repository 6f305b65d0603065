//! Triclinic boxes: their vectors, and the images of positions.
//!
//! The vectors are a = (ax, 0, 0), b = (bx, by, 0) and c = (cx, cy, cz). A displacement loses whole
//! vectors c by its z, then whole b by its y, then whole a by its x. It is then within the brick
//! |x| <= ax / 2, |y| <= by / 2, |z| <= cz / 2, which contains exactly one image of each
//! displacement, apart from its faces. An image nearer than half of the least of ax, by and cz lies
//! within the brick. So each image that near is found; farther ones need not be the nearest.

use crate::error::Error;
use crate::numeric::scalar::Scalar;
use crate::numeric::space::wrap;

/// The vectors of a triclinic box, reduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxVectors(Cell);

/// The share of half of a length that a component may exceed it by: rounding errors of the vectors
/// of a truncated octahedron, whose cy is by / 2.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;
/// Above this number, whole numbers of vectors are not exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl BoxVectors {
    /// Checks that the vectors are reduced.
    pub(crate) fn new(found: [[f64; 3]; 3]) -> Result<Self, Error> {
        let error = |problem| Err(Error::BoxVectors { found, problem });
        if found.as_flattened().iter().any(|x| !x.is_finite()) {
            return error("a component is not finite");
        }
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = found;
        if [ay, az, bz].iter().any(|x| x.abs() > 0.0) {
            return error("ay, az or bz is not 0");
        }
        if [ax, by, cz].iter().any(|&x| x <= 0.0) {
            return error("ax, by or cz is not positive");
        }
        let is_beyond = |x: f64, length: f64| x.abs() > length / 2.0 * (1.0 + ROUNDING);
        if is_beyond(bx, ax) || is_beyond(cx, ax) || is_beyond(cy, by) {
            return error("|bx| or |cx| is more than ax / 2, or |cy| more than by / 2");
        }
        Ok(Self(Cell { lengths: [ax, by, cz], tilts: [bx, cx, cy] }))
    }

    /// Returns the reduced vectors of the lattice of lower triangular ones.
    pub(crate) fn reduced([a, b, c]: [[f64; 3]; 3]) -> Result<Self, Error> {
        let without = |x: [f64; 3], y: [f64; 3], k: usize| {
            let n = (x[k] / y[k]).round_ties_even();
            // Only finite numbers of vectors; other vectors are refused as they are.
            if n.is_finite() { [0, 1, 2].map(|l| x[l] - n * y[l]) } else { x }
        };
        let c = without(without(c, b, 1), a, 0);
        Self::new([a, without(b, a, 0), c])
    }

    /// Returns the vectors a, b and c.
    pub fn to_array(self) -> [[f64; 3]; 3] {
        self.0.vectors()
    }

    /// Returns the components of the vectors.
    pub(crate) fn cell(self) -> Cell {
        self.0
    }
}

/// A periodic box: its lengths along x, y and z, or the components ax, by and cz of its vectors, 0
/// along open axes; and the components bx, cx and cy, 0 in a rectangular box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "described above")]
pub struct Cell {
    pub lengths: [f64; 3],
    pub tilts: [f64; 3],
}

impl Cell {
    /// Returns a rectangular box.
    pub fn rectangular(lengths: [f64; 3]) -> Self {
        Self { lengths, tilts: [0.0; 3] }
    }

    /// Returns the box in one, two or three dimensions.
    #[must_use]
    pub fn in_dimensions(self, dimensions: usize) -> Self {
        let ([x, y, _], [bx, ..]) = (self.lengths, self.tilts);
        match dimensions {
            1 => Self::rectangular([x, 0.0, 0.0]),
            0 | 2 => Self { lengths: [x, y, 0.0], tilts: [bx, 0.0, 0.0] },
            _ => self,
        }
    }

    /// Returns whether the box is not rectangular.
    pub fn is_tilted(&self) -> bool {
        self.tilts.iter().any(|tilt| tilt.abs() > 0.0)
    }

    /// Returns the vectors a, b and c, zero along open axes.
    pub(crate) fn vectors(&self) -> [[f64; 3]; 3] {
        let ([ax, by, cz], [bx, cx, cy]) = (self.lengths, self.tilts);
        [[ax, 0.0, 0.0], [bx, by, 0.0], [cx, cy, cz]]
    }

    /// Returns the components of vector `k` before the diagonal.
    fn before(&self, k: usize) -> [f64; 2] {
        let [bx, cx, cy] = self.tilts;
        [[0.0; 2], [bx, 0.0], [cx, cy]][k]
    }

    /// Returns the image of a position in the brick: each coordinate is in [0, length). Whole
    /// vectors are subtracted in the order c, b, a.
    #[must_use]
    pub fn wrap<const D: usize>(&self, mut position: [f64; D]) -> [f64; D] {
        for k in (0..D.min(3)).rev().filter(|&k| self.lengths[k] > 0.0) {
            let (x, length) = (position[k], self.lengths[k]);
            position[k] = wrap(x, length);
            if k > 0 && self.is_tilted() {
                let n = ((x - position[k]) / length).round_ties_even();
                for (x, tilt) in position[..k].iter_mut().zip(self.before(k)) {
                    *x -= if n.abs() <= WHOLE { n * tilt } else { 0.0 };
                }
            }
        }
        position
    }

    /// Returns the image of a position in the brick, with coordinates that stay less than their
    /// length when they are rounded to `S`: a coordinate that would become the length is less by
    /// some units in the last place.
    pub(crate) fn wrap_stored<S: Scalar>(&self, position: [f64; 3]) -> [f64; 3] {
        let digits = if S::COORDINATE_WORDS == 2 { 45 } else { 22 };
        let below = 1.0 - 2.0_f64.powi(-digits);
        let mut wrapped = self.wrap(position);
        for (x, length) in wrapped.iter_mut().zip(self.lengths) {
            let stored = S::coordinate_to_f64(S::coordinate(*x));
            if *x < length && stored >= length && stored.is_finite() {
                *x = length * below;
            }
        }
        wrapped
    }

    /// Returns a displacement in a triclinic box less whole vectors, in the brick of half lengths.
    #[must_use]
    pub fn nearest(&self, mut d: [f64; 3]) -> [f64; 3] {
        for k in (0..3).rev().filter(|&k| self.lengths[k] > 0.0) {
            let n = (d[k] / self.lengths[k]).round_ties_even();
            d[k] -= n * self.lengths[k];
            for (d, tilt) in d[..k].iter_mut().zip(self.before(k)) {
                *d -= n * tilt;
            }
        }
        d
    }

    /// Returns the displacement by these numbers of vectors, with its x and y within half of a
    /// length of the numbers of lengths: further whole vectors are subtracted.
    pub fn displacement(&self, [a, b, c]: [f64; 3]) -> [f64; 3] {
        let ([x, y, z], [bx, cx, cy]) = (self.lengths, self.tilts);
        if !self.is_tilted() {
            return [a * x, b * y, c * z];
        }
        let beside = |shift: f64, length: f64| {
            if length > 0.0 { (shift / length).round_ties_even() } else { 0.0 }
        };
        let b_more = b - beside(c * cy, y);
        let shift = b_more * bx + c * cx;
        [(a - beside(shift, x)) * x + shift, b_more * y + c * cy, c * z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_vectors_are_refused_with_the_reason() {
        let good = [[4.0, 0.0, 0.0], [-2.0, 3.0, 0.0], [1.5, -1.5, 5.0]];
        assert_eq!(BoxVectors::new(good).unwrap().to_array(), good);
        let with = |vector: usize, k: usize, x: f64| {
            let mut vectors = good;
            vectors[vector][k] = x;
            BoxVectors::new(vectors).map_err(|error| error.to_string()).unwrap_err()
        };
        for (message, expected) in [
            (with(0, 0, f64::INFINITY), "not finite"),
            (with(1, 0, f64::NAN), "not finite"),
            (with(0, 1, 0.1), "bz is not 0"),
            (with(1, 2, -0.1), "bz is not 0"),
            (with(1, 1, 0.0), "not positive"),
            (with(2, 2, -5.0), "not positive"),
            (with(1, 0, 2.1), "more than ax / 2"),
            (with(2, 0, -2.1), "more than ax / 2"),
            (with(2, 1, 1.6), "more than by / 2"),
        ] {
            assert!(message.contains(expected) && message.contains("reduce"), "{message}");
        }
        // c - b + a and b + a of a skewed description of the same lattice.
        let skewed = [good[0], [6.0, 3.0, 0.0], [3.5 + 8.0, 1.5, 5.0]];
        let reduced = BoxVectors::reduced(skewed).unwrap().to_array();
        assert_eq!(reduced[1], [-2.0, 3.0, 0.0]);
        assert_eq!(reduced[2], [-0.5, 1.5, 5.0]);
        assert!(BoxVectors::reduced([[0.0; 3]; 3]).is_err());
        assert!(BoxVectors::reduced([[f64::NAN; 3]; 3]).is_err());
        // A truncated octahedron: cy is by / 2 but for rounding.
        let (r2, r6) = (2.0_f64.sqrt(), 6.0_f64.sqrt());
        let octahedron =
            [[1.0, 0.0, 0.0], [1.0 / 3.0, 2.0 * r2 / 3.0, 0.0], [-1.0 / 3.0, r2 / 3.0, r6 / 3.0]];
        BoxVectors::new(octahedron).unwrap();
    }
}
