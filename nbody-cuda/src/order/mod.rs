//! Particles along a Hilbert curve, in the order that neighbour lists and trees have.
//!
//! Each file `.cuh` is the text of device functions; the Rust beside it declares their arguments and
//! reserves their memory.

pub mod curve;
pub mod keys;
pub mod sort;

use crate::border::{Declared as _, border};
use curve::{Bounds, Order};
use keys::{Frame, Position, Positions, cells_of_lists, kind};

/// Threads of a block.
pub(crate) const BLOCK: usize = 256;

border! {
    /// Groups of particles.
    pub mod group {
        /// The particles of a group, and boxes of a box of the next level.
        pub const GROUP: u32 = nbody_core::order::GROUP as u32;
    }
}

/// The text that finds places along the curve.
pub(crate) const HILBERT: &str = include_str!("hilbert.cuh");

/// The text that orders particles.
pub(crate) const TEXT: [&str; 8] = [
    include_str!("../../kernels/grid.cuh"),
    include_str!("../../kernels/scan.cuh"),
    include_str!("../../kernels/wrap.cuh"),
    sort::TEXT,
    HILBERT,
    keys::POSITIONS,
    keys::TEXT,
    include_str!("curve.cuh"),
];

/// Returns the constant that tells whether the box is triclinic.
pub(crate) fn tilted(is_tilted: bool) -> String {
    format!(
        "// The box.\nnamespace nbody {{\n\nconstexpr bool TILTED = {is_tilted}; // triclinic\n\n}} // \
         namespace nbody\n\n"
    )
}

/// Returns the declarations for the order of particles.
pub(crate) fn declared() -> Vec<String> {
    let keys = [Position::text(), Frame::text(), kind::text(), Positions::text()];
    let order = [Bounds::text(), Order::text()];
    [&sort::declared()[..], &[cells_of_lists::text(), group::text()], &keys, &order].concat()
}
