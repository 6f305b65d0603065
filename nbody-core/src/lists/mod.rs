//! Neighbour lists: particles along a Hilbert curve in groups of 32, a tree of the bounding boxes
//! of groups, and for each group the list of j-particles that may be within reach.
//!
//! Every engine builds the structures defined here: equal inputs give the same order and the same
//! lists, to the last bit. All decisions use IEEE arithmetic without contraction.

mod bag;
pub mod bags;
pub(crate) mod cpu;
pub mod csr;
pub mod cutoff;
pub mod engine;
pub mod given;
pub mod list;
mod listing;
pub mod margin;
pub(crate) mod schedule;
pub(crate) mod short_range;
pub mod stats;
pub mod subset;
pub mod timer;

use crate::domain::Domain;
use crate::error::Error;
use crate::lists::cutoff::Cutoff;
use crate::numeric::precision::Precision;
use crate::order;
use crate::order::boxes::WIDE;
use crate::records::pack;
use crate::triclinic::Cell;

/// The distance by which lists reach beyond the cutoff, so that they stay valid while particles
/// move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Skin {
    /// A fifth of the cutoff. If cutoffs depend on particles, a fifth of a typical cutoff: the
    /// median over 32 groups of the greatest cutoff within each group.
    #[default]
    Auto,
    /// This length. With 0 lists are built again whenever a particle moves.
    Length(f64),
}

impl Skin {
    /// Refuses a negative or infinite length, and NaN.
    pub fn check(self) -> Result<(), Error> {
        match self {
            Self::Length(found) if !(0.0..f64::INFINITY).contains(&found) => {
                Err(Error::InvalidSkin { found })
            }
            _ => Ok(()),
        }
    }

    /// Returns the two terms of the skin outside a box: a factor of the typical cutoff, and a
    /// length.
    pub fn parts(self) -> [f64; 2] {
        const SHARE: f64 = 0.2;
        match self {
            Self::Auto => [SHARE, 0.0],
            Self::Length(length) => [0.0, length],
        }
    }

    /// Returns the skin for a typical and a greatest cutoff, in this box. The reach is at most one
    /// length, since no image is farther; in a triclinic box half of a length.
    pub fn length(self, [typical, greatest]: [f64; 2], cell: &Cell) -> f64 {
        let [share, length] = self.parts();
        let (length, part) = (share * typical + length, if cell.is_tilted() { 0.5 } else { 1.0 });
        let periodic = cell.lengths.iter().filter(|length| **length > 0.0);
        periodic.fold(length, |skin, length| skin.min(part * length - greatest))
    }
}

/// Returns the least and the greatest value of the greatest cutoff of lists; 0 is allowed too.
pub fn cutoffs(precision: Precision) -> [f64; 2] {
    let (least, greatest) = precision.listed_cutoffs().into_inner();
    [least, greatest]
}

/// Refuses more results than the first i-particles that have lists, if not all have.
pub fn check_listed(results: usize, wanted: Option<usize>) -> Result<(), Error> {
    match wanted {
        Some(expected) if results > expected => {
            Err(Error::OtherLength { what: "results", found: results, expected })
        }
        _ => Ok(()),
    }
}

/// Refuses the greatest of these cutoffs of lists if its square is beyond the precision, or if it
/// is half of a box or more.
pub fn check_greatest(
    cutoff: f64,
    of: &[Cutoff],
    precision: Precision,
    cell: &Cell,
) -> Result<(), Error> {
    if cutoff != 0.0 && !precision.listed_cutoffs().contains(&cutoff) {
        let laws = cutoff::laws_with(cutoff, of);
        return Err(Error::CutoffPrecision { laws, cutoff, precision });
    }
    check_box(cutoff, of, &cell.lengths)
}

/// Returns whether a pair could have two images along a box of this length within a cutoff.
fn is_beyond(cutoff: f64, length: f64) -> bool {
    length > 0.0 && cutoff >= length / 2.0
}

/// Returns the length by which lists with this reach round positions again: they take positions
/// relative to the middle of a group, which is as long as the box or [`WIDE`] at most.
pub fn rounded_length(cell: &Cell, reach: f64) -> f64 {
    let tilts: f64 = cell.tilts.iter().map(|tilt| tilt.abs()).sum();
    let group = |length: &f64| if *length > 0.0 { length + tilts } else { WIDE * reach };
    cell.lengths.iter().map(group).fold(0.0, f64::max) + reach
}

/// Returns whether lists refuse a law because its cutoff, the same for all pairs, reaches half of the
/// box; `false` if they refuse it for another reason.
pub(crate) fn is_short(domain: &Domain, cutoff: &Cutoff) -> bool {
    let Ok(Some(constant)) = cutoff.check().and_then(|()| cutoff.constant()) else { return false };
    let dimensions = pack::dim(cutoff::position(cutoff.law().i));
    let cell = order::cell(domain, dimensions);
    dimensions > 1 && cell.lengths.iter().any(|length| is_beyond(constant, *length))
}

/// Refuses a cutoff within which a pair could have two images.
fn check_box(cutoff: f64, of: &[Cutoff], lengths: &[f64; 3]) -> Result<(), Error> {
    for (axis, &length) in ["x", "y", "z"].into_iter().zip(lengths) {
        if is_beyond(cutoff, length) {
            let laws = cutoff::laws_with(cutoff, of);
            return Err(Error::CutoffBeyondBox { laws, axis, cutoff, length });
        }
    }
    Ok(())
}
