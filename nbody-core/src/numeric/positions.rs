//! Positions with error bounds: the space of running error bounds.

use crate::domain::{Domain, InDomain as _};
use crate::numeric::bounded::Bounded;
use crate::numeric::space::{Either, Space};
use crate::numeric::vector::{Point, Vector};

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
        let mut d = Vector(std::array::from_fn(|k| {
            if self.double_single {
                let magnitude = a[k].value.abs() + b[k].value.abs() + self.length;
                Bounded::double_single_difference(d[k].value, magnitude)
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
