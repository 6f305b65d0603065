//! The criterion by which cells are opened, and the far particles of those that are not.

use std::fmt;

use crate::Error;

/// The criterion by which a walk opens cells.
///
/// With [`theta`](Self::theta) a cell with edges of length l acts through its far particles on a group of
/// i-particles at the distance d, that of the nearest point of their bounding box from the centre of
/// charge, if l / θ + s < d, where s is the distance of the centre of charge from that of the cell
/// (Barnes 1994; Salmon & Warren 1994). Other cells are opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    theta: f64,
    expansion: Expansion,
}

/// The far particles of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expansion {
    /// One particle at the centre of charge. The relative error of the action of a cell falls as θ², and as
    /// θ where its charges have different signs.
    Monopole,
    /// As many particles as have the second moments of the cell, too: three for charges of one sign in a
    /// harmonic kernel (Kawai & Makino 2001), six for those in any other, and ten for charges of
    /// different signs and for several charges. The relative error of the action of a cell falls as θ³.
    #[default]
    Second,
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Monopole => "monopole",
            Self::Second => "second order",
        })
    }
}

impl Opening {
    /// Opens cells that are seen at a larger angle than this one, in radians.
    pub const fn theta(theta: f64) -> Self {
        Self { theta, expansion: Expansion::Second }
    }

    /// Sets the far particles.
    #[must_use]
    pub const fn expansion(self, expansion: Expansion) -> Self {
        Self { expansion, ..self }
    }

    /// Returns the angle.
    pub const fn angle(self) -> f64 {
        self.theta
    }

    /// Returns the far particles.
    pub const fn far_particles(self) -> Expansion {
        self.expansion
    }

    /// Refuses an angle that is not positive and finite.
    pub fn check(self) -> Result<(), Error> {
        let found = self.theta;
        if found > 0.0 && found.is_finite() { Ok(()) } else { Err(Error::InvalidOpening { found }) }
    }
}
