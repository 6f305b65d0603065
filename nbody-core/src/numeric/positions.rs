//! Positions with error bounds: the space of running error bounds.

use crate::domain::{Domain, InDomain as _};
use crate::numeric::bounded::Bounded;
use crate::numeric::space::{Either, Space, SpaceKind};
use crate::numeric::vector::{Point, Vector};
use crate::triclinic::Cell;

/// Returns the relative error of a number, in roundoffs.
pub(crate) fn relative(number: Bounded) -> f64 {
    let relative = number.error / number.value.abs();
    if relative.is_nan() { 0.0 } else { relative }
}

/// Distances that are longer or shorter by their error.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "for nbody-declare alone")]
pub struct Stretch {
    /// 1 for longer, -1 for shorter, 0 for neither.
    pub sign: f64,
    /// The unit roundoff, the unit of the errors.
    pub roundoff: f64,
    /// The relative error that is added to the error of the squared distance.
    pub error: f64,
}

impl Stretch {
    /// Returns the factor by which a displacement is stretched.
    fn factor<const D: usize>(self, d: Vector<Bounded, D>) -> f64 {
        let error = self.roundoff * (relative(d.norm2()) + self.error);
        (1.0 + self.sign * error).max(0.0).sqrt()
    }
}

/// A space in which positions may be double-single, as in [`Mixed`](crate::numeric::mixed::Mixed):
/// their differences then have errors of their own, and none from rounding the positions to `f32`.
///
/// `nbody-declare/cpp/checks.hpp` has the same operations for laws from text.
#[derive(Clone, Copy, Debug)]
pub struct Positions {
    /// The domain of the space.
    pub domain: Domain,
    space: Either<Bounded>,
    /// Whether positions are double-single.
    pub double_single: bool,
    /// The greatest sum of two positions' distances from the point that positions are taken
    /// relative to, if an engine rounds them again; 0 otherwise.
    pub length: f64,
    /// The change of distances.
    pub stretch: Stretch,
}

impl Positions {
    /// Returns the space of a domain, without a stretch.
    pub(crate) fn new(domain: Domain, double_single: bool, length: f64) -> Self {
        let (space, stretch) = (Either::in_domain(&domain), Stretch::default());
        Self { domain, space, double_single, length, stretch }
    }

    /// Returns the magnitudes of the numbers that differences of double-single positions are sums
    /// of, given the summed magnitudes of both positions. In a triclinic box each whole vector
    /// that is subtracted rounds once more.
    fn magnitudes<const D: usize>(&self, mut of: [f64; D]) -> [f64; D] {
        if self.space.kind != SpaceKind::Triclinic {
            return of;
        }
        let Cell { lengths, tilts: [bx, cx, cy] } = self.domain.cell();
        for k in (1..D).rev() {
            let vectors = of[k] / lengths[k % 3] + 1.0;
            for (of, x) in of[..k].iter_mut().zip([[bx, 0.0], [cx, cy]][(k - 1) % 2]) {
                *of += vectors * x.abs();
            }
        }
        of.map(|magnitude| 2.0 * magnitude)
    }

    /// Returns the space with other distances.
    pub(crate) fn stretched(self, stretch: Stretch) -> Self {
        Self { stretch, ..self }
    }
}

impl Space<Bounded> for Positions {
    fn difference<const D: usize>(
        &self,
        a: Point<Bounded, D>,
        b: Point<Bounded, D>,
    ) -> Vector<Bounded, D> {
        let d = self.space.difference(a, b);
        let of_both = std::array::from_fn(|k| a[k].value.abs() + b[k].value.abs());
        let magnitudes: [f64; D] = self.magnitudes(of_both);
        let mut d = Vector(std::array::from_fn(|k| {
            if self.double_single {
                Bounded::double_single_difference(d[k].value, magnitudes[k] + self.length)
            } else {
                Bounded { error: d[k].error + self.length, ..d[k] }
            }
        }));
        if self.stretch.sign.abs() > 0.0 {
            let factor = self.stretch.factor(d);
            for x in &mut d.0 {
                x.value *= factor;
            }
        }
        d
    }
}
