//! States of engines, with which a run continues to the last bit.

use crate::domain::Domain;
use crate::error::Error;
use crate::numeric::precision::Precision;
use crate::order::frame::{Frame, Grid};

/// The positions of particles when neighbour lists were built, and everything else that the order
/// of their pairs depends on: lists restored from it give the same sums, to the last bit.
///
/// Cutoffs, the components that they depend on and the box are values at the last build; within
/// the margin they may differ from the present ones. The state does not name its interactions: the
/// next update must have the same interactions in the same order. The restored lists keep their
/// own excluded pairs and skin.
#[derive(Clone, Debug, PartialEq)]
pub struct ListState {
    /// The positions of the particles, and of j-particles in another buffer.
    pub positions: [Vec<[f64; 3]>; 2],
    /// The origin of the cells that order particles.
    pub origin: [f64; 3],
    /// The inverse of the unit of the cells.
    pub scale: f64,
    /// The open space or periodic box.
    pub domain: Domain,
    /// The parameters of each interaction of the lists, in the order of its record.
    pub parameters: Vec<Vec<f64>>,
    /// The components that cutoffs depend on, of the particles, and of j-particles in another
    /// buffer: a vector for each component, with an element for each particle.
    pub numbers: [Vec<Vec<f64>>; 2],
    /// The number of entries that a GPU has room for, and the number of entries of its last lists
    /// if the host does not know them yet; zeros on a CPU.
    pub room: [u64; 2],
}

impl ListState {
    /// Refuses positions that are not finite, a box beyond the precision, and an invalid frame.
    pub fn check(&self, precision: Precision) -> Result<(), Error> {
        self.domain.check(precision)?;
        let bad = |position: &[f64; 3]| position.iter().any(|x| !x.is_finite());
        for (what, positions) in ["particles", "j-particles"].into_iter().zip(&self.positions) {
            if let Some(index) = positions.iter().position(bad) {
                return Err(Error::NotFinite { what, index, found: Some(positions[index]) });
            }
        }
        let is_frame = self.scale.is_finite() && self.scale > 0.0 && !bad(&self.origin);
        if is_frame { Ok(()) } else { Err(Error::InvalidFrame { scale: self.scale }) }
    }

    /// Refuses numbers of particles other than `n`.
    pub fn check_lengths(&self, n: [usize; 2]) -> Result<(), Error> {
        for (positions, expected) in self.positions.iter().zip(n) {
            Error::check_length("positions of lists", positions.len(), expected)?;
        }
        Ok(())
    }

    /// Refuses numbers of components other than `counts`, and components without a value for each
    /// particle.
    pub fn check_numbers(&self, counts: [usize; 2]) -> Result<(), Error> {
        let each = self.numbers.iter().zip(counts).zip(&self.positions);
        for ((numbers, count), positions) in each.filter(|(_, positions)| !positions.is_empty()) {
            Error::check_length("numbers of lists", numbers.len(), count)?;
            for each in numbers {
                Error::check_length("numbers of lists", each.len(), positions.len())?;
            }
        }
        Ok(())
    }

    /// Returns the frame of the cells that order particles.
    pub fn frame(&self, dimensions: usize) -> Frame {
        Frame { origin: self.origin, scale: self.scale, dimensions, grid: Grid::LISTS }
    }
}

/// The state left by earlier evaluations, on which the last bits of the next results depend.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum EngineState {
    /// Nothing: all pairs, and trees whose cells are opened by an angle.
    #[default]
    Nothing,
    /// The state of neighbour lists.
    Lists(ListState),
    /// For trees whose cells are opened by a share of the results: the lengths of the results that
    /// the last evaluation compared error estimates with.
    Results(Vec<f64>),
}

/// Refuses the state of an engine of another kind.
pub(crate) fn check_state(state: &EngineState) -> Result<(), Error> {
    if *state == EngineState::Nothing { Ok(()) } else { Err(Error::OtherEngine) }
}
