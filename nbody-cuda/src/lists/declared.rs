//! Arguments that kernels of neighbour lists take from the host.

use nbody_core::near::{boxes, image, list, margin};

use crate::border::{self, Address, Declared as _, border};
use crate::config::warp;
use crate::order;
use crate::order::keys::Position;

border! {
    /// The lists of groups of i-particles. An entry is the place of a j-particle in the order, and above it its
    /// image. A list that there was no room for has every j-particle, in each image.
    pub struct Lists {
        /// The first entry of each list.
        pub begins: Address<u64>,
        /// The length of each list.
        pub counts: Address<u32>,
        pub entries: Address<u32>,
        /// The origin of each group, three coordinates: positions of its pairs are relative to it.
        pub origins: Address<f64>,
    }

    /// The room for entries of lists.
    pub struct Room {
        pub capacity: u64,
        /// The number of entries that lists have taken.
        pub used: Address<u64>,
    }

    /// The periodic box.
    pub struct PeriodicBox {
        /// The lengths, 0 along open axes.
        pub length: [f64; 3],
    }

    /// Lists to build.
    pub struct NewLists<R> {
        pub lists: Lists,
        pub room: Room,
        pub reach: R,
    }

    /// The order of a set.
    pub struct Placed {
        /// The index of each particle for the caller.
        pub order: Address<u32>,
        /// The positions when the lists were built, all x first.
        pub before: Address<f64>,
        pub n: u32,
    }

    /// The j-particles that each i-particle leaves out, in ascending rows of indices.
    pub struct ExcludedRows {
        /// The first index of each row; null if no particle is left out.
        pub begins: Address<u64>,
        pub indices: Address<u32>,
    }

    /// The pairs that act, where some of a list do not.
    pub struct Restriction {
        /// A bit of each entry for each i-particle that it acts on; null if it acts on all of them.
        pub masks: Address<u32>,
        /// Pairs that all interactions over the lists leave out, and pairs that this one leaves out.
        pub excluded: [ExcludedRows; 2],
    }

    /// The margin that is left for a particle.
    pub struct Margin {
        /// The greatest motion, with the part of the growth of a cutoff; -1 if there is none.
        pub most: f64,
        /// The part of the growth of a cutoff that is too much.
        pub growth: f64,
    }

    /// Changes since lists were built, apart from changes of the particles.
    pub struct Change {
        /// The factors of positions.
        pub scale: [f64; 3],
        /// The least factor, or 1.
        pub least: f64,
        /// The greatest length by which a position changes with the box.
        pub drift: f64,
        /// The motion with which the nearest image stays the same.
        pub room: f64,
        /// Half of the shortest length of the box, or the bound of cutoffs in the precision.
        pub half: f64,
        /// The growth of the cutoffs that depend on no particle.
        pub growth: f64,
    }

    /// A request to look at lists, and to rebuild them if need be.
    pub struct LookRequest {
        /// The margin of lists whose cutoffs depend on no particle.
        pub margin: Margin,
        pub change: Change,
        /// Whether to build the lists in any case.
        pub forced: u32,
        /// 1 if j-particles are in another buffer, 2 if they must be at the places of i.
        pub two_sets: u32,
        /// The number of phases that order the i-particles.
        pub i_phases: u32,
        /// The number of phases that order all particles.
        pub phases: u32,
    }

    /// The state that launches leave to the next one.
    pub struct LookState {
        /// Whether the last look has found that lists must be built.
        pub wanted: u32,
        /// The first particle whose position is not finite, those of i before those of j; or another reason.
        pub refused: u32,
        /// The number of blocks that have built their lists.
        pub done: u32,
        /// The count of blocks at a barrier.
        pub arrived: u32,
        /// The number of entries that lists have taken.
        pub used: u64,
    }
}

border! {
    /// Reasons to refuse particles, above the numbers of particles whose position is not finite.
    pub mod refusal {
        pub const NOTHING: u32 = u32::MAX;
        /// A cutoff is half of a periodic box or more, or beyond the precision.
        pub const BEYOND_BOX: u32 = NOTHING - 1;
        /// The first cutoff may be infinite or NaN; of the next cutoff it is 1 less.
        pub const UNBOUNDED: u32 = BEYOND_BOX - 1;
        /// With the number of a particle of j that is not at the place of that of i.
        pub const ELSEWHERE: u32 = 1 << 31;
    }

    /// The answer to the host: one of these in the upper bits, and below it a number of entries, or a reason.
    pub mod answer {
        pub const STILL_GOOD: u32 = 0;
        pub const BUILT: u32 = 1;
        pub const REFUSED: u32 = 2;
        /// Bits of the number.
        pub const ANSWER_BITS: u32 = 60;
    }

    /// Limits of distances within reach.
    pub mod limits {
        /// The share of the extent of a box by which limits of distances of boxes grow, for rounding.
        pub const MARGIN: f64 = list::MARGIN;
        /// The relative rounding error of coordinates of particles.
        pub const ROUNDOFF: f64 = list::ROUNDOFF;
        /// The width of bounds, in units of the reach, beyond which positions are not relative to the middle.
        pub const WIDE: f64 = boxes::WIDE;
    }

    /// The motion of particles since lists were built.
    pub mod motion {
        /// A coordinate is wrapped before its distance is found beyond this many lengths of the box.
        pub const OUTSIDE: f64 = margin::OUTSIDE;
        /// The relative rounding error of a position that was wrapped into the box.
        pub const WRAPPED: f64 = margin::WRAPPED;
    }

    /// The table of j-particles that some i-particle of a group leaves out.
    pub mod exclusion {
        /// Bits of a place in the table.
        pub const TABLE_BITS: u32 = 8;
    }

    /// Entries of lists.
    pub mod entry {
        /// Bits of the place of a j-particle; above them is its image.
        pub const INDEX_BITS: u32 = image::INDEX_BITS;
        pub const IMAGES: u32 = image::IMAGES;
        /// The image that is not displaced.
        pub const ITSELF: u32 = image::ITSELF;
        /// The length of a list that there is no room for.
        pub const NO_ROOM: u32 = u32::MAX;
    }
}

/// Returns the declarations for the rebuild of lists.
pub(crate) fn of_rebuild() -> String {
    let lists = [entry::text(), limits::text(), motion::text(), Lists::text(), Room::text()];
    let looks = [Margin::text(), Change::text(), LookRequest::text(), LookState::text()];
    let answers = [refusal::text(), answer::text()];
    border::text(&[&order::declared()[..], &lists, &looks, &answers].concat())
}

/// Returns the declarations for evaluations.
pub(crate) fn of_evaluation() -> String {
    let positions = [
        warp::text(),
        motion::text(),
        exclusion::text(),
        Position::text(),
        PeriodicBox::text(),
        Placed::text(),
    ];
    let pairs = [entry::text(), Lists::text(), ExcludedRows::text(), Restriction::text()];
    border::text(&[&positions[..], &pairs, &[refusal::text()]].concat())
}

impl From<margin::Change> for Change {
    fn from(it: margin::Change) -> Self {
        let margin::Change { scale, least, drift, room, half, growth } = it;
        Self { scale, least, drift, room, half, growth }
    }
}

impl From<margin::Margin> for Margin {
    fn from(it: margin::Margin) -> Self {
        let [most, growth] = it.parts();
        Self { most, growth }
    }
}
