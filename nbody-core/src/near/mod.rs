//! Neighbour lists: particles along a Hilbert curve, groups of 32 of them, a tree of the boxes of groups,
//! and for each group the list of the j-particles that may be within reach.
//!
//! This is the definition of what every engine builds: the same inputs give the same order and the same
//! lists, to the last bit, wherever they are built. All decisions are made in IEEE arithmetic without
//! contraction.

pub mod boxes;
pub mod cutoff;
pub mod frame;
pub mod hilbert;
pub mod image;
pub mod list;
pub mod order;

/// Particles of a group, and boxes of a box of the next level.
pub const GROUP: usize = 32;

/// The distance by which lists reach farther than the cutoff, so that they stay good while particles move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Skin {
    /// A fifth of the greatest cutoff.
    #[default]
    Auto,
    /// This length. With 0 the lists are built again whenever a particle moves.
    Length(f64),
}
