//! The particles and the reach of lists.

use nbody_core::order::frame::Frame;
use nbody_core::order::image::{self, IMAGES, INDEX_BITS};
use nbody_core::pack::Place;
use nbody_core::{Cell, Domain, Skin};

use crate::backend::Buffer;
use crate::order::keys;

/// The particles and the reach of lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ListExtent {
    /// The numbers of i-particles, and of j-particles in another buffer.
    pub n: [usize; 2],
    /// Whether there is another buffer.
    pub has_j: bool,
    /// Whether particle k of i is particle k of j.
    pub one_set: bool,
    pub domain: Domain,
    pub frame: Frame,
    /// The greatest cutoff that depends on no particle, and the distance that lists reach beyond
    /// cutoffs.
    pub cutoff: f64,
    pub skin: Skin,
}

impl ListExtent {
    /// Returns the greatest cutoff that depends on no particle, and the skin, for lists without
    /// other cutoffs.
    pub fn reach(&self) -> [f64; 2] {
        [self.cutoff, self.skin.length([self.cutoff; 2], &self.cell())]
    }

    /// Returns whether both are of the same sets.
    pub fn has_sets(&self, other: &Self) -> bool {
        let sets = |it: &Self| (it.n, it.has_j, it.one_set, it.frame.dimensions);
        sets(self) == sets(other) && self.skin == other.skin
    }

    /// Returns the number of j-particles.
    pub fn nj(&self) -> usize {
        self.n[usize::from(self.has_j)]
    }

    /// Returns the box.
    pub fn cell(&self) -> Cell {
        nbody_core::order::cell(&self.domain, self.frame.dimensions)
    }

    /// Returns the entries of a list without room: every j-particle, in each image.
    pub fn all_entries(&self) -> impl Iterator<Item = u32> {
        let (cell, nj) = (self.cell(), self.nj() as u32);
        let images = (0..IMAGES).filter(move |&image| image::exists(image, &cell));
        images.flat_map(move |image| (0..nj).map(move |place| image << INDEX_BITS | place))
    }
}

/// The particles of lists: a buffer, the words of its records, and the first coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedSet<'a> {
    pub buffer: &'a Buffer,
    pub words: usize,
    /// The place of the first coordinate, and the number of coordinates.
    pub position: Place,
    pub dimensions: usize,
    /// Identifies the contents that lists depend on.
    pub contents: u64,
}

impl ListedSet<'_> {
    /// Returns the frame of the positions. Given pairs may join a set in three dimensions and a
    /// set in a plane.
    pub fn frame(&self, extent: &ListExtent) -> keys::Frame {
        let dimensions = extent.frame.dimensions.min(self.dimensions);
        keys::Frame::of(&Frame { dimensions, ..extent.frame }, &extent.domain)
    }

    /// Returns the positions.
    pub fn positions(&self) -> keys::Positions {
        keys::Positions::of(self.buffer, self.words, self.position)
    }
}
