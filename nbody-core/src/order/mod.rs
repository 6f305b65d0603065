//! The order of particles along a Hilbert curve, with groups of 32 and a tree of their boxes:
//! lists and trees share it.
//!
//! This module defines the order and the boxes that every engine builds: the same inputs give the
//! same order, to the last bit, wherever it is built. All decisions are made in IEEE arithmetic
//! without contraction.

pub mod boxes;
pub mod frame;
pub mod hilbert;
pub mod image;
pub mod ordered;
mod radix;

use crate::domain::Domain;
use crate::triclinic::Cell;

/// Particles in a group, and children of a box in the tree.
pub const GROUP: usize = 32;

/// Returns the box in two or three dimensions.
pub fn cell(domain: &Domain, dimensions: usize) -> Cell {
    domain.cell().in_dimensions(dimensions)
}

/// Returns the lengths of the box in two or three dimensions, 0 along open axes.
pub fn lengths(domain: &Domain, dimensions: usize) -> [f64; 3] {
    cell(domain, dimensions).lengths
}
