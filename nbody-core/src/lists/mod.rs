//! Neighbour lists: particles along a Hilbert curve, groups of 32 of them, a tree of the boxes of groups,
//! and for each group the list of the j-particles that may be within reach.
//!
//! This is the definition of what every engine builds: the same inputs give the same order and the same
//! lists, to the last bit, wherever they are built. All decisions are made in IEEE arithmetic without
//! contraction.

mod bag;
pub mod bags;
pub(crate) mod cpu;
pub mod csr;
pub mod cutoff;
pub mod engine;
pub mod given;
pub mod list;
pub mod margin;
pub(crate) mod schedule;
pub(crate) mod short_range;
pub mod stats;
pub mod timer;

use crate::error::Error;
use crate::numeric::precision::Precision;

/// The distance by which lists reach farther than the cutoff, so that they stay good while particles move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Skin {
    /// A fifth of the cutoff. Where cutoffs depend on particles it is a fifth of a typical one: the middle one of
    /// 32 groups of particles, each with the greatest cutoff of two particles in it.
    #[default]
    Auto,
    /// This length. With 0 the lists are built again whenever a particle moves.
    Length(f64),
}

impl Skin {
    /// Refuses a length that is negative or not finite.
    pub fn check(self) -> Result<(), Error> {
        match self {
            Self::Length(found) if !(0.0..f64::INFINITY).contains(&found) => {
                Err(Error::InvalidSkin { found })
            }
            _ => Ok(()),
        }
    }

    /// Returns the share of the typical cutoff and the length that it is the sum of, outside a box.
    pub fn parts(self) -> [f64; 2] {
        const SHARE: f64 = 0.2;
        match self {
            Self::Auto => [SHARE, 0.0],
            Self::Length(length) => [0.0, length],
        }
    }

    /// Returns the skin for this typical and this greatest cutoff, in a box of these lengths: no image is
    /// farther than one length.
    pub fn length(self, [typical, greatest]: [f64; 2], lengths: &[f64; 3]) -> f64 {
        let [share, length] = self.parts();
        let length = share * typical + length;
        let periodic = lengths.iter().filter(|length| **length > 0.0);
        periodic.fold(length, |skin, length| skin.min(length - greatest))
    }
}

/// Returns the least and the greatest value that the greatest cutoff of lists can have, if it is not 0.
pub fn cutoffs(precision: Precision) -> [f64; 2] {
    let (least, greatest) = precision.listed_cutoffs().into_inner();
    [least, greatest]
}

/// Refuses the greatest cutoff of lists if its square is beyond the precision, or it is half of a box or more.
pub fn check_greatest(cutoff: f64, precision: Precision, lengths: &[f64; 3]) -> Result<(), Error> {
    if cutoff != 0.0 && !precision.listed_cutoffs().contains(&cutoff) {
        return Err(Error::CutoffPrecision { cutoff, precision });
    }
    check_box(cutoff, lengths)
}

/// Refuses cutoffs for which pairs have several images, or none.
fn check_box(cutoff: f64, lengths: &[f64; 3]) -> Result<(), Error> {
    for (axis, &length) in ["x", "y", "z"].into_iter().zip(lengths) {
        if length > 0.0 && cutoff >= length / 2.0 {
            return Err(Error::CutoffBeyondBox { axis, cutoff, length });
        }
    }
    Ok(())
}
