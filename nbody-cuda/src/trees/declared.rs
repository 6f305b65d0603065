//! Arguments of the kernels of trees, and the state that kernels leave in memory.

use std::fmt::Debug;

use nbody_core::order::frame;
use nbody_core::order::frame::Grid;
use nbody_core::trees;

use crate::border::{self, Address, Const, Declared as _, Named, border};
use crate::config::warp;
use crate::engine::parts::BoxAround;
use crate::order::keys::{Frame, Position, Positions, cells_of_trees, kind};
use crate::order::sort::{self, Sort};
use crate::schedule::dealt::{Dealt, Stored};

border! {
    /// A cell and the place of its children.
    pub struct Cell {
        /// The first particle of the cell, and the end of its particles.
        pub first: u32,
        pub end: u32,
        /// The first child times `FAN`, plus the number of children minus one; or `NO_CHILD`.
        pub children: u32,
        /// The number of divisions that lead from the frame to the cell.
        pub level: u32,
    }

    /// The record of a cell that walks read. Lengths are in units of the frame.
    #[align(16)]
    pub struct Seen {
        /// The centre of charge.
        pub centre: [f32; 3],
        /// The square of the distance beyond which the cell may act from afar.
        pub limit2: f32,
        /// The first particle.
        pub first: u32,
        /// The number of particles; above `COUNT_BITS` bits, the number of far particles.
        pub counts: u32,
        /// The first child times `FAN`, plus the number of children minus one; or `NO_CHILD`.
        pub children: u32,
        /// The binary logarithm of the charge of the cell times a power of its radius.
        pub strength: f32,
    }

    /// Levels of keys in sight, one bit each. A boundary hides boundaries behind it of its own
    /// level and of finer levels. The levels in sight on both sides of a boundary that are coarser
    /// than its own are the levels of the cells that contain it.
    pub struct Sights {
        pub before: u32,
        pub behind: u32,
    }

    /// The memory of cells.
    pub struct Cells {
        pub cells: Address<Cell>,
        /// The next cell after each cell and its descendants; 0 if there is none.
        pub next: Address<u32>,
        /// The marks of boundaries.
        pub marks: Address<u64>,
        /// The levels in sight of each block, and of its warps.
        pub sights: Address<Sights>,
        /// The number of cells of each depth and block; then, for each block, the number before
        /// each warp.
        pub counts: Address<u32>,
        /// The first cell of each depth, and the end of the last depth.
        pub firsts: Address<u32>,
        pub capacity: u32,
    }

    /// The number of depths that have cells, and the number of cells.
    pub struct Extent {
        pub depths: u32,
        pub cells: u32,
        /// Whether the cells do not fit the memory.
        pub is_short: u32,
    }

    /// Records in columns: word w of record k is at [w * stride + k].
    pub struct Columns {
        pub words: Address<u64>,
        pub stride: u64,
    }

    /// The j-particles in order, and the moments of cells.
    pub struct TreeSources {
        /// Records of the particles, followed by records of far particles.
        pub words: Address<Real>,
        pub positions: Address<Const<Position>>,
        /// A `Summary` of each cell.
        pub summaries: Columns,
        /// The `Charged` moments of each cell.
        pub charges: Columns,
        pub n: u32,
    }

    /// The particles of a set, as given and in order.
    pub struct OrderedSet {
        pub from: Positions,
        pub sort: Sort,
        pub at: Address<Position>,
        /// The words of the records; null for i-particles.
        pub words: Address<Real>,
    }

    /// The work of walks.
    pub struct Work {
        /// The number of tested cells.
        pub tested: u64,
        /// The number of evaluated pairs.
        pub evaluations: u64,
        /// The number of walks of groups.
        pub walks: u64,
    }

    /// The counters of the launches of an evaluation.
    pub struct Counters {
        /// The first particle whose position is not finite, j-particles before i-particles; or
        /// `ELSEWHERE` with the first j-particle that is not at the position of its i-particle.
        /// The host resets it.
        pub refused: u32,
        /// The number of the next group to walk, heavy groups first.
        pub next: u32,
        /// The work of all groups.
        pub work: Work,
    }

    /// The efforts of groups in the last walks.
    pub struct Efforts {
        /// For each i-particle, the effort of its group.
        pub of_particles: Address<u32>,
        /// The number of heavy groups, followed by the groups.
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

    /// The state that the launches of an evaluation leave to later launches.
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
        /// 1 if the j-particles are in another buffer, 2 if they must also have the positions of
        /// the i-particles.
        pub two_sets: u32,
        /// Whether an opening angle opens cells.
        pub is_by_angle: u32,
        /// The opening angle.
        pub theta: f64,
        /// The distance from which on the kernel is harmonic.
        pub harmonic: f64,
    }

    /// A tree, and the i-particles that walk through it, in their order.
    pub struct WalkedTree {
        pub cells: Address<Const<Seen>>,
        /// The next cell after each cell and its descendants.
        pub next: Address<Const<u32>>,
        /// The radii of cells, far particles included.
        pub radii: Address<Const<f32>>,
        /// The j-particles in order, followed by the far particles.
        pub sources: Address<Const<ParticleJ>>,
        pub frame: Address<Const<Frame>>,
        /// The positions of the i-particles in order.
        pub at: Address<Const<Position>>,
        /// The index of each of these i-particles.
        pub order: Address<Const<u32>>,
        /// The lengths of the last results.
        pub before: Address<Const<f64>>,
        /// The binary logarithm of |K(d)| / d^p, at steps of the squared distance.
        pub estimate: Address<Const<f32>>,
        /// Room for the opened cells of two depths, for each warp.
        pub queues: Address<u32>,
        pub counters: Address<Counters>,
        /// The greatest error, in units of the last results.
        pub share: f64,
        /// The numbers of i-particles and j-particles.
        pub ni: u32,
        pub nj: u32,
        /// The number of far particles that each cell has room for.
        pub room: u32,
        /// Whether i and j are one set.
        pub one_set: u32,
        /// Whether the estimate of errors also opens cells.
        pub is_estimated: u32,
        /// Whether to count the work of the walk.
        pub counts: u32,
        pub efforts: Efforts,
        pub stored: Stored,
        /// The groups of this rank, and the rows of results of all ranks; null for one rank.
        pub dealt: Dealt,
        pub rows: Address<Backup>,
    }
}

border! {
    /// A box in units of the frame.
    pub struct BoxSeen {
        pub middle: [f32; 3],
        /// Half of the edges, with an allowance for rounding.
        pub half: [f32; 3],
    }

    /// A bit for each rank: whether a cell is tested for it, and acts from afar on it.
    pub struct Marks {
        pub open: u64,
        pub far: u64,
    }

    /// A tree whose sources are listed for other ranks.
    pub struct EssentialTree {
        pub cells: Address<Const<Seen>>,
        /// The radii of cells, far particles included.
        pub radii: Address<Const<f32>>,
        pub frame: Address<Const<Frame>>,
        pub extent: Address<Const<Extent>>,
        /// The first cell of each depth, and the end of the last depth.
        pub firsts: Address<Const<u32>>,
        /// The boxes around the i-particles of ranks, the end of the boxes of each rank, and these
        /// boxes in units of the frame.
        pub boxes: Address<Const<BoxAround>>,
        pub ends: Address<Const<u32>>,
        pub seen: Address<BoxSeen>,
        pub marks: Address<Marks>,
        /// For each rank, the sources in the cells of each block, and then the sources of earlier blocks;
        /// after them the sources for each rank.
        pub counts: Address<u32>,
        /// The addresses that receive the number of sources for each rank.
        pub replies: Address<Const<u64>>,
        /// A bit for each rank that has i-particles.
        pub asking: u64,
        pub ranks: u32,
        /// The number of j-particles, which far particles follow, and the far particles that each
        /// cell has room for.
        pub nj: u32,
        pub room: u32,
        /// For an opening by errors: the binary logarithms of the greatest errors in these boxes, and
        /// of |K(d)| / d^p at steps of the squared distance; else null.
        pub most: Address<Const<f32>>,
        pub estimate: Address<Const<f32>>,
    }
}

border! {
    /// Phases that mark sources: the boxes, each depth, the counts and the places.
    pub mod phases_of_marks {
        pub const COUNT_PHASE: u32 = 1 + division::DEPTHS;
        pub const MARK_PHASES: u32 = COUNT_PHASE + 2;
    }

    /// Sources for other ranks.
    pub mod essential {
        /// The square of the distance at which a cell acts on other ranks, in units of the square of
        /// the distance at which it acts on this one.
        pub const MARGIN: f32 = trees::essential::MARGIN;
    }

    /// Cells of walks.
    pub mod cell {
        /// The largest number of children of a cell.
        pub const FAN: u32 = trees::FAN as u32;
        pub const NO_CHILD: u32 = 0;
        /// Bits of the number of particles of a cell.
        pub const COUNT_BITS: u32 = 28;
    }

    /// The division into cells.
    pub mod division {
        /// The largest number of particles of an undivided cell.
        pub const LEAF: u32 = trees::LEAF as u32;
        /// More depths than cells can have.
        pub const DEPTHS: u32 = 48;
        /// The number of phases that divide cells.
        pub const CELL_PHASES: u32 = 4;
    }

    /// Phases of the build: the division, then leaves, depths, far particles and the answer.
    pub mod phases {
        pub const BUILD_PHASES: u32 = division::CELL_PHASES + 1 + (division::DEPTHS - 2) + 2;
    }

    /// The sample that chooses a frame.
    pub mod sample {
        /// The number of particles that choose a frame.
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
        /// The least magnitude of a charge that divides other charges, in units of the largest
        /// charge.
        pub const LEAST: f64 = trees::far::LEAST;
        /// The least second moment along an axis, in units of the largest.
        pub const FLAT: f64 = trees::FLAT;
        /// The least distance at which far particles act, in units of the distance from their
        /// centre to the farthest of them.
        pub const CLEAR: f64 = trees::far::CLEAR;
        /// Jacobi sweeps over all pairs of axes.
        pub const SWEEPS: u32 = trees::SWEEPS as u32;
    }

    /// Reasons to refuse particles.
    pub mod refusal {
        pub const NOTHING: u32 = u32::MAX;
        /// Marks a j-particle that is not at the position of its i-particle.
        pub const ELSEWHERE: u32 = 1 << 31;
    }

    /// The answer to the host. The upper bits have one of these values; below is a number: of
    /// cells, of cells needed, or of the refused particle.
    pub mod answer {
        pub const BUILT: u32 = 0;
        pub const TOO_SMALL: u32 = 1;
        pub const REFUSED: u32 = 2;
        /// Bits below the answer.
        pub const ANSWER_BITS: u32 = 60;
        /// Set if all charges are of one sign.
        pub const SIGN_BIT: u32 = 59;
        /// Set if the unit is the unit of a periodic box, no power of two.
        pub const BOX_BIT: u32 = 51;
        /// Bits below the exponent of the unit.
        pub const EXPONENT_BITS: u32 = 40;
    }

    /// The tests of cells.
    pub mod tests_of_cells {
        /// The growth of boxes: several rounding errors of coordinates, in units of the largest
        /// coordinate.
        pub const SLACK: f32 = trees::walk::SLACK;
        /// Cells with at least this number of particles are tested against the nearest i-particle
        /// if the box of the group is too near.
        pub const MANY: u32 = trees::walk::MANY;
        /// Bits of a squared distance below the steps of the estimate.
        pub const STEP_BITS: u32 = trees::estimate::SHIFT;
    }

    /// Walks of groups.
    pub mod walk_of_group {
        /// The number of opened cells of a depth in shared memory.
        pub const AT_HAND: u32 = 64;
        /// Above this number of opened cells of a depth, all children are tested against the
        /// nearest i-particle.
        pub const CROWD: u32 = trees::walk::CROWD as u32;
        /// The largest number of opened cells of a depth; further cells act through their
        /// particles.
        pub const QUEUE: u32 = trees::walk::QUEUE as u32;
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

/// A number of a result of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Backup;

impl Named for Backup {
    fn declare(name: &str) -> String {
        format!("backup {name}")
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

/// Returns the declarations for the build of trees, which need the declaration of `real`.
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

/// Returns the declarations for lists of sources for other ranks.
pub(crate) fn of_essential() -> String {
    let constants = [
        warp::text(),
        cell::text(),
        tests_of_cells::text(),
        phases_of_marks::text(),
        essential::text(),
    ];
    let tree = [Frame::text(), Seen::text(), Extent::text(), BoxAround::text()];
    let own = [BoxSeen::text(), Marks::text(), EssentialTree::text()];
    border::text(&[&constants[..], &tree, &own].concat())
}
