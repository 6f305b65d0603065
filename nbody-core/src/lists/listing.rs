//! The lists of an evaluation, with the particles that they are of.

use crate::lists::cpu::octets::Octets;
use crate::lists::cpu::set::Block;
use crate::lists::list::Lists;
use crate::order::GROUP;
use crate::records::binding::Place;
use crate::triclinic::Cell;

/// The lists of an evaluation, and their particles, in their order.
pub(crate) struct Listing<'a> {
    pub lists: &'a Lists,
    /// The i-particles of its group that each entry acts on, a bit each; `None` for all of them.
    pub masks: Option<&'a [u32]>,
    pub octets: &'a Octets,
    pub i: Placed<'a>,
    pub j: Placed<'a>,
    /// The place of each i-particle whose result is wanted in its order.
    pub places: &'a [u32],
    /// The number of i-particles whose results are wanted, the first ones of the caller.
    pub wanted: usize,
    /// The centre of each group.
    pub centres: &'a [[f64; 3]],
    /// The periodic box, 0 along open axes.
    pub cell: Cell,
    /// Whether bags are the same as on every engine, so that exact mathematics gives the same
    /// bits. Bags of octets are faster here.
    pub is_interleaved: bool,
}

impl Listing<'_> {
    /// Returns whether the result of any particle of a group is wanted.
    pub fn wants(&self, group: usize) -> bool {
        let indices = self.i.indices;
        let begin = group * GROUP;
        self.wanted == indices.len()
            || indices[begin..].iter().take(GROUP).any(|index| (*index as usize) < self.wanted)
    }
}

/// The positions of particles in the order of their lists.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    /// The positions, continuous in time: a particle may leave the periodic box.
    pub positions: &'a [Block],
    /// The indices of the caller.
    pub indices: &'a [u32],
    /// The place of each coordinate in a record of the law; empty if records keep the absolute
    /// position, not relative to the centre of a group.
    pub places: &'a [Place],
}
