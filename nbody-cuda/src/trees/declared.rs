//! Arguments that kernels of trees take from the host, and the state that they leave in memory.

use std::fmt::Debug;

use nbody_core::near::frame::{self, Grid};
use nbody_core::tree;

use crate::border::{self, Address, Const, Declared as _, Named, border};
use crate::config::warp;
use crate::order::keys::{Frame, Position, Positions, cells_of_trees, kind};
use crate::order::sort::{self, Sort};

border! {
    /// A cell, and where its children are.
    pub struct Cell {
        /// The first particle, and the end of its particles.
        pub first: u32,
        pub end: u32,
        /// The first child times `FAN`, and one less than the number of children; or `NO_CHILD`.
        pub children: u32,
        /// The number of divisions of all cells of the frame that it comes from.
        pub level: u32,
    }

    /// A cell as walks see it; lengths are in units of the frame.
    #[align(16)]
    pub struct Seen {
        /// The centre of charge.
        pub centre: [f32; 3],
        /// The square of the distance beyond which it may act from afar.
        pub limit2: f32,
        /// The first particle.
        pub first: u32,
        /// The number of particles, and above `COUNT_BITS` bits that of far particles.
        pub counts: u32,
        /// The first child times `FAN`, and one less than the number of children; or `NO_CHILD`.
        pub children: u32,
        /// The binary logarithm of its charge times a power of its radius.
        pub strength: f32,
    }

    /// Levels of keys in sight, a bit for each: a boundary hides those behind it of its own level and of finer ones.
    /// The levels in sight from a boundary on both sides that are coarser than its own are those of the cells that it
    /// is in.
    pub struct Sights {
        pub before: u32,
        pub behind: u32,
    }

    /// The memory of cells.
    pub struct Cells {
        pub cells: Address<Cell>,
        /// The cell behind each one and all that is in it; 0 if there is none.
        pub next: Address<u32>,
        /// The marks of boundaries.
        pub marks: Address<u64>,
        /// The sights of each block, and of its warps.
        pub sights: Address<Sights>,
        /// The numbers of cells of each depth and block; and of each block, those before each warp.
        pub counts: Address<u32>,
        /// The first cell of each depth, and the end of the last ones.
        pub firsts: Address<u32>,
        pub capacity: u32,
    }

    /// The depths that have cells, and the number of cells.
    pub struct Extent {
        pub depths: u32,
        pub cells: u32,
        /// There was no room for so many.
        pub is_short: u32,
    }

    /// Records in columns: word w of record k is at [w * stride + k].
    pub struct Columns {
        pub words: Address<u64>,
        pub stride: u64,
    }

    /// The j-particles in order, and the moments of cells.
    pub struct TreeSources {
        /// Records of the particles, and behind them those of far particles.
        pub words: Address<Real>,
        pub positions: Address<Const<Position>>,
        /// A `Summary` of each cell.
        pub summaries: Columns,
        /// The `Charged` moments of each cell.
        pub charges: Columns,
        pub n: u32,
    }

    /// The particles of a set: as they are, and in order.
    pub struct OrderedSet {
        pub from: Positions,
        pub sort: Sort,
        pub at: Address<Position>,
        /// The words of the records; null for those of i.
        pub words: Address<Real>,
    }

    /// The work of walks.
    pub struct Work {
        /// The tested cells.
        pub tested: u64,
        /// The evaluated pairs.
        pub evaluations: u64,
        /// The walks of groups.
        pub walks: u64,
    }

    /// The counters of the launches of an evaluation.
    pub struct Counters {
        /// The first particle whose position is not finite, those of j before those of i; or `ELSEWHERE` with the first
        /// one of j that is not at the place of that of i. The host resets it.
        pub refused: u32,
        /// The number of the next group of a walk, the heavy ones first.
        pub next: u32,
        /// The work of all groups.
        pub work: Work,
    }

    /// The efforts of groups in the last walk.
    pub struct Efforts {
        /// The effort of the group of each i-particle.
        pub of_particles: Address<u32>,
        /// The number of heavy groups, and then these.
        pub heavy: Address<u32>,
        /// Whether each group is heavy.
        pub is_heavy: Address<u32>,
    }

    /// Coordinates of the sample along an axis.
    pub struct Along {
        pub least: f64,
        pub low: f64,
        pub high: f64,
        pub greatest: f64,
    }

    /// The state that the launches of an evaluation leave to those after them.
    pub struct TreeState {
        pub counters: Counters,
        pub frame: Frame,
        pub extent: Extent,
        /// The number of far particles of all cells.
        pub far: u32,
        pub along: [Along; 3],
    }

    /// A request to build a tree.
    pub struct BuildRequest {
        /// 1 if j-particles are in another buffer, 2 if they must be at the places of i.
        pub two_sets: u32,
        /// Whether an opening angle opens cells.
        pub is_by_angle: u32,
        /// The angle.
        pub theta: f64,
        /// The distance from which on the kernel is harmonic.
        pub harmonic: f64,
    }

    /// A tree, and the i-particles of a walk in its order.
    pub struct WalkedTree {
        pub cells: Address<Const<Seen>>,
        /// The cell behind each one and all that is in it.
        pub next: Address<Const<u32>>,
        /// The radii of cells with their far particles.
        pub radii: Address<Const<f32>>,
        /// The j-particles in order, and behind them the far particles.
        pub sources: Address<Const<ParticleJ>>,
        pub frame: Address<Const<Frame>>,
        /// The positions of the i-particles in order.
        pub at: Address<Const<Position>>,
        /// The indices of the i-particles.
        pub order: Address<Const<u32>>,
        /// The lengths of the last results.
        pub before: Address<Const<f64>>,
        /// The lengths of the new results; null if only distances count.
        pub lengths: Address<f64>,
        /// The binary logarithm of |K(d)| / d^p for steps of the square of a distance.
        pub estimate: Address<Const<f32>>,
        /// The room for the opened cells of two depths, for each warp.
        pub queues: Address<u32>,
        pub counters: Address<Counters>,
        /// The greatest error in units of the last results.
        pub share: f64,
        /// The numbers of i-particles and of j-particles.
        pub ni: u32,
        pub nj: u32,
        /// The first i-particles, whose results are wanted.
        pub wanted: u32,
        /// The room for the far particles of a cell.
        pub room: u32,
        /// Whether i and j are one set.
        pub one_set: u32,
        /// Whether cells are opened by the estimate, too.
        pub is_estimated: u32,
        /// Whether the results are added to earlier ones.
        pub adds: u32,
        /// Whether the work of the walk counts.
        pub counts: u32,
        pub efforts: Efforts,
    }
}

border! {
    /// Cells as walks see them.
    pub mod cell {
        /// The most children of a cell.
        pub const FAN: u32 = tree::FAN as u32;
        pub const NO_CHILD: u32 = 0;
        /// Bits of the number of particles of a cell.
        pub const COUNT_BITS: u32 = 28;
    }

    /// The division into cells.
    pub mod division {
        /// The most particles of a cell that is not divided.
        pub const LEAF: u32 = tree::LEAF as u32;
        /// More depths than cells can have.
        pub const DEPTHS: u32 = 48;
        /// The phases that divide cells.
        pub const CELL_PHASES: u32 = 4;
    }

    /// The phases of the build: behind the division those of leaves, depths, far particles and the answer.
    pub mod phases {
        pub const BUILD_PHASES: u32 = division::CELL_PHASES + 1 + (division::DEPTHS - 2) + 2;
    }

    /// The sample that chooses a frame.
    pub mod sample {
        /// The particles whose positions choose a frame.
        pub const SAMPLE: u32 = frame::SAMPLE as u32;
        /// The share of the sample beyond the middle range on each side.
        pub const TAIL: u32 = frame::TAIL as u32;
        /// The greatest range of cells of one size, in units of the middle range.
        pub const SPREAD: f64 = Grid::TREES.spread;
        /// The edge of a periodic box in units of cells.
        pub const IN_BOX: f64 = frame::IN_BOX;
    }

    /// Far particles.
    pub mod far {
        /// The least charge that others are divided by, in units of the largest.
        pub const LEAST: f64 = tree::far::LEAST;
        /// The least second moment along an axis, in units of the largest.
        pub const FLAT: f64 = tree::FLAT;
        /// The least distance of a cell, in units of that of its farthest far particle.
        pub const CLEAR: f64 = tree::far::CLEAR;
        /// Rotations of each two axes.
        pub const SWEEPS: u32 = tree::SWEEPS as u32;
    }

    /// Reasons to refuse particles.
    pub mod refusal {
        pub const NOTHING: u32 = u32::MAX;
        /// The mark of a particle of j that is not at the place of that of i.
        pub const ELSEWHERE: u32 = 1 << 31;
    }

    /// The answer to the host: one of these in the upper bits. Below it a number: of the cells, of those that are
    /// needed, or of a particle.
    pub mod answer {
        pub const BUILT: u32 = 0;
        pub const TOO_SMALL: u32 = 1;
        pub const REFUSED: u32 = 2;
        /// Bits below the answer.
        pub const ANSWER_BITS: u32 = 60;
        /// The bit that tells whether the charges are of one sign.
        pub const SIGN_BIT: u32 = 59;
        /// The bit that tells whether the unit is of a periodic box: no power of two.
        pub const BOX_BIT: u32 = 51;
        /// Bits below the exponent of the unit.
        pub const EXPONENT_BITS: u32 = 40;
    }

    /// The tests of cells.
    pub mod tests_of_cells {
        /// Several rounding errors of coordinates in units of the largest one, by which boxes grow.
        pub const SLACK: f32 = tree::walk::SLACK;
        /// Cells of so many particles are tested by the nearest i-particle if their box is too near.
        pub const MANY: u32 = tree::walk::MANY;
        /// Bits of the square of a distance below the steps of the estimate.
        pub const STEP_BITS: u32 = tree::estimate::SHIFT;
    }

    /// Walks of groups.
    pub mod walk_of_group {
        /// The opened cells of a depth in shared memory.
        pub const AT_HAND: u32 = 64;
        /// The opened cells of a depth, at whose children all cells are tested by the nearest i-particle.
        pub const CROWD: u32 = tree::walk::CROWD as u32;
        /// The opened cells of a depth; others act through their particles.
        pub const QUEUE: u32 = tree::walk::QUEUE as u32;
    }
}

/// A real of the precision of the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Real;

impl Named for Real {
    fn declare(name: &str) -> String {
        format!("real {name}")
    }
}

/// A j-particle of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ParticleJ;

impl Named for ParticleJ {
    fn declare(name: &str) -> String {
        format!("ParticleJ {name}")
    }
}

/// Returns the declarations for the division into cells.
fn of_cells() -> Vec<String> {
    let constants = [cells_of_trees::text(), cell::text(), division::text()];
    let cells = [Sights::text(), Cell::text(), Cells::text(), Extent::text()];
    [&sort::declared()[..], &constants, &cells].concat()
}

/// Returns the declarations for programs that only divide cells.
#[cfg(test)]
pub(crate) fn of_division() -> String {
    border::text(&of_cells())
}

/// Returns the declarations for the build of trees, behind that of `real`.
pub(crate) fn of_build() -> String {
    let constants = [phases::text(), sample::text(), far::text(), refusal::text(), answer::text()];
    let keys = [Position::text(), Frame::text(), kind::text(), Positions::text()];
    let sets = [Seen::text(), Columns::text(), TreeSources::text(), OrderedSet::text()];
    let work = [Work::text(), Counters::text(), Efforts::text()];
    let state = [Along::text(), TreeState::text(), BuildRequest::text()];
    border::text(&[&of_cells()[..], &constants, &keys, &sets, &work, &state].concat())
}

/// Returns the declarations for walks.
pub(crate) fn of_walks() -> String {
    let constants = [warp::text(), cell::text(), tests_of_cells::text(), walk_of_group::text()];
    let tree = [Position::text(), Frame::text(), Seen::text()];
    let work = [Work::text(), Counters::text(), Efforts::text(), WalkedTree::text()];
    border::text(&[&constants[..], &tree, &work].concat())
}
