//! The state that lists are built from again, as they were.

use super::frame::{Frame, Grid};
use crate::Error;

/// Where particles were when neighbour lists were built, and what else the order of their pairs depends on:
/// lists that take it are those of before, so that sums over them are the same to the last bit.
///
/// Numbers that cutoffs depend on are those of the particles of the next update, and pairs that are left out
/// those of the lists that take it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListState {
    /// The positions of the particles, and of j-particles in another buffer.
    pub positions: [Vec<[f64; 3]>; 2],
    /// The origin of the cells by which particles are ordered, and their inverse unit.
    pub origin: [f64; 3],
    /// The inverse of the unit.
    pub scale: f64,
    /// The entries that a GPU has room for, and those of the lists that it built last if the host does not
    /// know them yet; zeros on a CPU.
    pub room: [u64; 2],
}

impl ListState {
    /// Refuses numbers that are not finite.
    pub fn check(&self) -> Result<(), Error> {
        let bad = |position: &[f64; 3]| position.iter().any(|x| !x.is_finite());
        for (what, positions) in ["particles", "j-particles"].into_iter().zip(&self.positions) {
            if let Some(index) = positions.iter().position(bad) {
                return Err(Error::NotFinite { what, index, found: positions[index] });
            }
        }
        let is_frame = self.scale.is_finite() && self.scale > 0.0 && !bad(&self.origin);
        if is_frame { Ok(()) } else { Err(Error::InvalidFrame { scale: self.scale }) }
    }

    /// Refuses another number of particles than these.
    pub fn check_lengths(&self, n: [usize; 2]) -> Result<(), Error> {
        for (positions, expected) in self.positions.iter().zip(n) {
            Error::check_length("positions of lists", positions.len(), expected)?;
        }
        Ok(())
    }

    /// Returns the cells of the order.
    pub fn frame(&self, dimensions: usize) -> Frame {
        Frame { origin: self.origin, scale: self.scale, dimensions, grid: Grid::LISTS }
    }
}
