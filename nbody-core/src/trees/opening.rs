//! The criterion that opens cells, and the far particles of cells that are not opened.

use crate::law::charges::Expansion;
use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The criterion that decides which cells a walk opens.
///
/// With [`theta`](Self::theta), a cell with edges of length l acts on a group of i-particles
/// through its far particles if l / θ + s < d and b < d (Barnes 1994; Salmon & Warren 1994). Here
/// d is the distance of the centre of charge from the bounding box of the group, or from the
/// nearest i-particle for large cells; s is the distance of the centre of charge from the centre
/// of the cell, and b its distance from the farthest corner of the cell. Other cells are opened.
///
/// With [`relative`](Self::relative), a cell acts through its far particles if the estimate of its
/// error, |pair| (b / d)ᵖ, is at most α times the least result in the group at the last evaluation
/// (Springel 2005, Mon. Not. R. Astron. Soc. 364, 1105, equation 18), and if d > 5/4 b. Here
/// |pair| is the length of the first field of the result of a pair, with all charges of the cell
/// at the distance d, and p is the exponent of the error bound: 3 for the second order, 2 for
/// monopoles, 1 for monopoles with charges of both signs. Results are matched by index, and
/// forgotten when parameters change. The first evaluation, and one with another number of
/// i-particles, first finds results to compare with, by the limit d > 5/4 b alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    criterion: Criterion,
    expansion: Expansion,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Criterion {
    Theta(f64),
    Relative(f64),
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.criterion {
            Criterion::Theta(theta) => write!(f, "theta {theta}"),
            Criterion::Relative(alpha) => write!(f, "share {alpha}"),
        }
    }
}

impl FromStr for Expansion {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "monopole" => Ok(Self::Monopole),
            "second" => Ok(Self::Second),
            _ => Err(Error::UnknownName {
                found: name.to_owned(),
                expected: &["monopole", "second"],
            }),
        }
    }
}

impl Opening {
    /// Creates a criterion that opens cells seen at a larger angle than this, in radians.
    pub const fn theta(theta: f64) -> Self {
        Self { criterion: Criterion::Theta(theta), expansion: Expansion::Second }
    }

    /// Creates a criterion that opens cells whose estimated error exceeds this fraction of the
    /// previous results.
    pub const fn relative(alpha: f64) -> Self {
        Self { criterion: Criterion::Relative(alpha), expansion: Expansion::Second }
    }

    /// Sets the far particles.
    #[must_use]
    pub const fn expansion(self, expansion: Expansion) -> Self {
        Self { expansion, ..self }
    }

    /// Returns the angle; `None` for a relative criterion.
    pub const fn angle(self) -> Option<f64> {
        match self.criterion {
            Criterion::Theta(theta) => Some(theta),
            Criterion::Relative(_) => None,
        }
    }

    /// Returns the fraction of the previous results; `None` for an angle.
    pub const fn share(self) -> Option<f64> {
        match self.criterion {
            Criterion::Theta(_) => None,
            Criterion::Relative(alpha) => Some(alpha),
        }
    }

    /// Returns the far particles.
    pub const fn far_particles(self) -> Expansion {
        self.expansion
    }

    /// Refuses an angle or a fraction that is not positive and finite.
    pub fn check(self) -> Result<(), Error> {
        let (what, found) = match self.criterion {
            Criterion::Theta(theta) => ("angle", theta),
            Criterion::Relative(alpha) => ("share of the results", alpha),
        };
        let is_good = found > 0.0 && found.is_finite();
        if is_good { Ok(()) } else { Err(Error::InvalidOpening { what, found }) }
    }
}
