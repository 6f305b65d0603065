//! Positions of particles, and the cells of the Hilbert curve through them (`keys.cuh`).

use nbody_core::order::frame;
use nbody_core::order::frame::Grid;
use nbody_core::pack::Place;
use nbody_core::{Cell, Domain, Mixed, Precision};

use crate::backend::Buffer;
use crate::border::{Address, Const, border};
use crate::layout::bytes_of;

border! {
    /// A position.
    pub struct Position {
        pub x: [f64; 3],
    }

    /// The periodic box, and the cells of the curve.
    pub struct Frame {
        /// The lengths of the box in units of the caller, 0 along open axes.
        pub length: [f64; 3],
        pub origin: [f64; 3],
        /// The inverse of the unit of cells.
        pub scale: f64,
        pub dimensions: u32,
        /// The components bx, cx and cy of the vectors of a triclinic box.
        pub tilt: [f64; 3],
    }

    /// The positions of particles in records.
    pub struct Positions {
        pub rows: Address<Const<u8>>,
        pub n: u32,
        pub row_bytes: u32,
        /// The byte of the first coordinate.
        pub byte: u32,
        /// The kind of coordinates.
        pub kind: u32,
    }
}

border! {
    /// Kinds of numbers in records.
    pub mod kind {
        /// A `float`.
        pub const SINGLE: u32 = 0;
        /// A `double`.
        pub const DOUBLE: u32 = 1;
        /// Two `float`s whose sum is the number.
        pub const DOUBLE_SINGLE: u32 = 2;
        /// An integer.
        pub const INTEGER: u32 = 3;
        /// A number that is not watched.
        pub const UNWATCHED: u32 = 4;
    }

    /// The cells of neighbour lists.
    pub mod cells_of_lists {
        /// Bits of a key, of all axes.
        pub const KEY_BITS: u32 = 3 * Grid::LISTS.bits[1];
        /// Bits of the octave of a coordinate.
        pub const OCTAVES: u32 = Grid::LISTS.octaves;
    }

    /// The cells of trees.
    pub mod cells_of_trees {
        /// Bits of a key, of all axes; two axes have one less.
        pub const KEY_BITS: u32 = 3 * Grid::TREES.bits[1];
        /// Bits of the octave of a coordinate.
        pub const OCTAVES: u32 = Grid::TREES.octaves;
    }
}

/// The text that reads the positions of particles.
pub(crate) const POSITIONS: &str = include_str!("positions.cuh");
/// The text that finds the keys of particles.
pub(crate) const TEXT: &str = include_str!("keys.cuh");

impl Frame {
    /// Returns a frame in a box.
    pub fn of(frame: &frame::Frame, domain: &Domain) -> Self {
        let frame::Frame { origin, scale, dimensions, grid: _ } = *frame;
        let Cell { lengths: length, tilts: tilt } = nbody_core::order::cell(domain, dimensions);
        Self { length, origin, scale, dimensions: dimensions as u32, tilt }
    }
}

impl Positions {
    /// Returns the positions of particles in a buffer whose records have this number of words.
    pub fn of(p: &Buffer, words: usize, position: Place) -> Self {
        let (first, kind) = match p.precision {
            Precision::Single => (position.word::<f32>(), kind::SINGLE),
            Precision::Mixed => (position.word::<Mixed>(), kind::DOUBLE_SINGLE),
            Precision::Double => (position.word::<f64>(), kind::DOUBLE),
        };
        let [n, row_bytes, byte] =
            [p.n, words * bytes_of(p.precision), first * bytes_of(p.precision)].map(|it| it as u32);
        Self { rows: Address::of(&*p.memory), n, row_bytes, byte, kind }
    }
}
