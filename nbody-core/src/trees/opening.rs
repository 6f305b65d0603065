//! The criterion by which cells are opened, and the far particles of those that are not.

use crate::law::charges::Expansion;
use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The criterion by which a walk opens cells.
///
/// With [`theta`](Self::theta) a cell with edges of length l acts through its far particles on a group of
/// i-particles at the distance d, that of the nearest point of their bounding box from the centre of
/// charge, or of the nearest i-particle where cells are large, if l / θ + s < d, where s is the distance of the
/// centre of charge from that of the cell
/// (Barnes 1994; Salmon & Warren 1994), and if d is greater than the distance b of its farthest corner from
/// there. Other cells are opened.
///
/// With [`relative`](Self::relative) it acts so if the estimate of its error is at most α times the least result in
/// the group at the last evaluation (Springel 2005, Mon. Not. R. Astron. Soc. 364, 1105, equation 18): |pair| (b / d)ᵖ,
/// the length of the first field of the pair's result with all charges of the cell at the distance d, times
/// that power p of b / d with which the error falls: 3 for the second order, 2 for monopoles, 1 for those of
/// charges of both signs. Results are matched by index, and forgotten with other parameters. The distance d
/// must be greater than 5/4 b as well. The first evaluation, and one of another number of i-particles, finds
/// results to compare with by that limit alone.
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
    /// Opens cells that are seen at a larger angle than this one, in radians.
    pub const fn theta(theta: f64) -> Self {
        Self { criterion: Criterion::Theta(theta), expansion: Expansion::Second }
    }

    /// Opens cells whose error may be greater than this share of the results before.
    pub const fn relative(alpha: f64) -> Self {
        Self { criterion: Criterion::Relative(alpha), expansion: Expansion::Second }
    }

    /// Sets the far particles.
    #[must_use]
    pub const fn expansion(self, expansion: Expansion) -> Self {
        Self { expansion, ..self }
    }

    /// Returns the angle, if that is the criterion.
    pub const fn angle(self) -> Option<f64> {
        match self.criterion {
            Criterion::Theta(theta) => Some(theta),
            Criterion::Relative(_) => None,
        }
    }

    /// Returns the greatest share of the results before, if that is the criterion.
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

    /// Refuses an angle or a share that is not positive and finite.
    pub fn check(self) -> Result<(), Error> {
        let (what, found) = match self.criterion {
            Criterion::Theta(theta) => ("angle", theta),
            Criterion::Relative(alpha) => ("share of the results", alpha),
        };
        let is_good = found > 0.0 && found.is_finite();
        if is_good { Ok(()) } else { Err(Error::InvalidOpening { what, found }) }
    }
}
