//! Arguments of the kernels of neighbour lists.

use nbody_core::lists::{list, margin};
use nbody_core::order::{boxes, image};

use super::subset::Numbers;
use crate::border::{self, Address, Declared as _, border};
use crate::config::warp;
use crate::order;
use crate::order::keys::Position;

border! {
    /// The lists of groups of i-particles. An entry is the place of a j-particle in the order,
    /// with its image in the bits above. A list without room has every j-particle, in each image.
    pub struct Lists {
        /// The first entry of each list.
        pub begins: Address<u64>,
        /// The length of each list.
        pub counts: Address<u32>,
        pub entries: Address<u32>,
        /// The origin of each group, three coordinates: the positions of its pairs are relative to
        /// it.
        pub origins: Address<f64>,
    }

    /// The memory of the entries of lists.
    pub struct Room {
        pub capacity: u64,
        /// The number of entries that lists have taken, which may exceed the capacity.
        pub used: Address<u64>,
    }

    /// The periodic box.
    pub struct PeriodicBox {
        /// The lengths, 0 along open axes.
        pub length: [f64; 3],
        /// The components bx, cx and cy of the vectors of a triclinic box.
        pub tilt: [f64; 3],
    }

    /// Lists to build, and where.
    pub struct NewLists<R> {
        pub lists: Lists,
        pub room: Room,
        /// The number of i-particles, the first ones, that have lists.
        pub wanted: u32,
        pub reach: R,
    }

    /// The order of a set.
    pub struct Placed {
        /// The caller's index of each particle.
        pub order: Address<u32>,
        /// The positions when the lists were built, all x first.
        pub before: Address<f64>,
        pub n: u32,
    }

    /// The j-particles that each i-particle excludes, in rows of ascending indices.
    pub struct ExcludedRows {
        /// The first index of each row; null if no particle is excluded.
        pub begins: Address<u64>,
        pub indices: Address<u32>,
    }

    /// The pairs of lists that act, if some do not.
    pub struct Restriction {
        /// For each entry, a bit for each i-particle that it acts on; null if each entry acts on
        /// all of them.
        pub masks: Address<u32>,
        /// Pairs that all interactions over the lists exclude, and pairs that this interaction
        /// excludes.
        pub excluded: [ExcludedRows; 2],
        /// The numbers by which excluded pairs name particles.
        pub numbers: Numbers,
    }

    /// The margin of a particle.
    pub struct Margin {
        /// The greatest sum of the motion of a particle and its part of the growth of cutoffs; -1
        /// if there is no margin.
        pub most: f64,
        /// The upper bound, exclusive, of a particle's part of the growth of cutoffs.
        pub growth: f64,
    }

    /// Changes since the lists were built, other than changes of particles.
    pub struct Change {
        /// The factors of positions, one per axis.
        pub scale: [f64; 3],
        /// The least factor, or 1.
        pub least: f64,
        /// The greatest displacement of a position with the box.
        pub drift: f64,
        /// The greatest motion that keeps the nearest image.
        pub room: f64,
        /// Half of the shortest length of the box, or the bound of cutoffs in this precision.
        pub half: f64,
        /// The growth of the cutoffs that depend on no particle.
        pub growth: f64,
    }

    /// A request to look at lists, and to rebuild them if necessary.
    pub struct LookRequest {
        /// The margin of lists whose cutoffs depend on no particle.
        pub margin: Margin,
        pub change: Change,
        /// Whether to build the lists without a look.
        pub forced: u32,
        /// 1 if the j-particles are in another buffer, 2 if they must also have the positions of
        /// the i-particles.
        pub two_sets: u32,
        /// The number of phases that order the i-particles.
        pub i_phases: u32,
        /// The number of phases that order all particles.
        pub phases: u32,
    }

    /// The state that launches leave to the next launch.
    pub struct LookState {
        /// Whether the last look found that lists must be built.
        pub wanted: u32,
        /// The first particle whose position is not finite, i-particles before j-particles; or
        /// another reason.
        pub refused: u32,
        /// The number of blocks that have built their lists.
        pub done: u32,
        /// The count of blocks at a barrier.
        pub arrived: u32,
        /// The number of entries that lists have taken, which may exceed the capacity.
        pub used: u64,
    }
}

border! {
    /// Reasons to refuse particles. They are above the numbers of particles, which stand for
    /// positions that are not finite.
    pub mod refusal {
        pub const NOTHING: u32 = u32::MAX;
        /// A cutoff is at least half of a periodic box, or beyond the precision.
        pub const BEYOND_BOX: u32 = NOTHING - 1;
        /// The first cutoff may be infinite or NaN; each later cutoff has 1 less.
        pub const UNBOUNDED: u32 = BEYOND_BOX - 1;
        /// Marks the number of a j-particle that is not at the position of its i-particle.
        pub const ELSEWHERE: u32 = 1 << 31;
    }

    /// The answer to the host. The upper bits have one of these values; below is a number of
    /// entries, or a reason.
    pub mod answer {
        pub const STILL_GOOD: u32 = 0;
        pub const BUILT: u32 = 1;
        pub const REFUSED: u32 = 2;
        /// Bits of the number.
        pub const ANSWER_BITS: u32 = 60;
    }

    /// Limits of distances within reach.
    pub mod limits {
        /// The growth of the limits of distances of boxes, for rounding, in units of the extent of
        /// a box.
        pub const MARGIN: f64 = list::MARGIN;
        /// The relative rounding error of coordinates of particles.
        pub const ROUNDOFF: f64 = list::ROUNDOFF;
        /// The width of bounds, in units of the reach, beyond which positions are not relative to
        /// the middle.
        pub const WIDE: f64 = boxes::WIDE;
    }

    /// The motion of particles since lists were built.
    pub mod motion {
        /// Beyond this distance, in lengths of the box, a coordinate is wrapped before its motion
        /// is found.
        pub const OUTSIDE: f64 = margin::OUTSIDE;
        /// The relative rounding error of a position that was wrapped into the box.
        pub const WRAPPED: f64 = margin::WRAPPED;
    }

    /// The table of j-particles that i-particles of a group exclude.
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
        /// The length of a list without room.
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
    let pairs =
        [entry::text(), Lists::text(), ExcludedRows::text(), Numbers::text(), Restriction::text()];
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
