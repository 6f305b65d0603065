//! Walks: the cells and the particles that act on a group.
// Loops over indices are those that compilers turn into vector code.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use super::GROUP;
use super::cells::Cell;
use super::estimate::Table;
use super::far::FarParticles;
use super::moments::AllMoments;
use crate::near::frame::Frame;
use crate::numeric::simd::Best;

/// Several rounding errors of coordinates in units of the largest one, by which boxes grow.
const SLACK: f32 = 4.0 * f32::EPSILON;
/// Cells of so many particles are tested by the nearest i-particle if their box is too near.
const MANY: u32 = 1024;
/// Opened cells of a depth at whose children all cells are tested so. Few groups have as many: those whose box has
/// others in it, as where the curve leads around a cluster, or which open nearly all cells anyway.
const CROWD: usize = 96;
/// Cells that are tested together.
const WIDTH: usize = 8;
/// Opened cells of one depth for which there is room; others act through their particles.
pub const QUEUE: usize = 4096;

/// A tree of cells, as walks see it. Lengths are in units of the frame, from its origin, in `f32`: rounding
/// moves the limit between cells that are opened and those that are not, but loses no particle.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Their far particles.
    pub far: FarParticles,
    seen: Vec<Seen>,
    /// The centres of charge, along each axis.
    centres: [Vec<f32>; 3],
    /// The square of the distance beyond which a cell is not opened.
    limits2: Vec<f32>,
    /// The binary logarithm of the charges times that power of the radius by which errors are estimated.
    strengths: Vec<f32>,
    /// The estimate of errors, if cells are opened by it.
    estimate: Option<Table>,
    /// The distance of the farthest of its particles, and of its far particles, from the centre of charge.
    radii: Vec<f32>,
    /// The lengths of the periodic box, infinite along open axes.
    lengths: [f32; 3],
    origin: [f64; 3],
    scale: f64,
}

/// A cell as walks see it: ranges of the particles and the far particles whose numbers follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Those that act from afar: its far particles, if it has any.
    far: [u32; 2],
    /// Its particles.
    near: [u32; 2],
    is_leaf: bool,
}

/// The box of a group of i-particles, in units of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The middle of the box.
    pub middle: [f32; 3],
    /// Half of its edges.
    pub half: [f32; 3],
    /// Several rounding errors of coordinates, by which it has grown.
    pub slack: [f32; 3],
    /// The coordinates of the i-particles along each axis, the last one's several times.
    pub points: [[f32; GROUP]; 3],
    /// The binary logarithm of the greatest error; without it only distances count.
    pub most: Option<f32>,
}

/// The list of the sources of a group: particles, in the order of the tree, and far particles, whose numbers
/// follow those of the particles.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The numbers of particles, and others behind them.
    entries: Vec<u32>,
    /// The number of the first ones.
    count: usize,
    /// The number of cells that were tested.
    pub tested: u64,
    /// The opened cells whose children are to be tested.
    queue: Vec<u32>,
}

impl Tree {
    /// Prepares cells for walks, with the distances beyond which they are not opened.
    pub fn new(
        cells: Vec<Cell>,
        far: FarParticles,
        moments: &AllMoments,
        limits: &[f64],
        estimate: Option<Table>,
        (frame, lengths): (&Frame, [f64; 3]),
    ) -> Self {
        let padded = cells.len() + WIDTH;
        let power = f64::from(estimate.as_ref().map_or(0, Table::power));
        let n = cells.first().map_or(0, |root| root.end);
        let seen = cells.iter().enumerate().map(|(k, cell)| {
            let near = [cell.first, cell.end];
            let of_cell = far.of_cell(k);
            let numbers = [of_cell.start, of_cell.end].map(|k| n + k as u32);
            let far = if of_cell.is_empty() { near } else { numbers };
            Seen { far, near, is_leaf: cell.children == 0 }
        });
        let mut tree = Self {
            seen: seen.collect(),
            centres: std::array::from_fn(|_| vec![0.0; padded]),
            limits2: vec![0.0; padded],
            radii: vec![0.0; padded],
            strengths: vec![0.0; padded],
            estimate,
            lengths: lengths
                .map(|x| if x > 0.0 { (x * frame.scale) as f32 } else { f32::INFINITY }),
            origin: frame.origin,
            scale: frame.scale,
            cells,
            far,
        };
        for (k, summary) in moments.summaries.iter().enumerate() {
            for axis in 0..3 {
                tree.centres[axis][k] = tree.along(axis, summary.centre[axis]);
            }
            let limit = limits[k] * frame.scale;
            tree.limits2[k] = (limit * limit) as f32;
            let radius = summary.radius() * frame.scale;
            tree.strengths[k] = (summary.weight.sum.log2() + power * radius.log2()) as f32;
            tree.radii[k] = (summary.radius().max(tree.far.reach[k]) * frame.scale) as f32;
        }
        tree
    }

    /// Returns a coordinate in units of the frame.
    fn along(&self, axis: usize, x: f64) -> f32 {
        ((x - self.origin[axis]) * self.scale) as f32
    }

    /// Returns the box of i-particles at these positions, which are in the periodic box.
    pub fn group(&self, positions: &[[f64; 3]], most: Option<f32>) -> Group {
        let (mut least, mut greatest) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut points = [[0.0; GROUP]; 3];
        for k in 0..GROUP {
            let Some(position) = positions.get(k).or(positions.last()) else { break };
            for axis in 0..3 {
                let x = self.along(axis, position[axis]);
                least[axis] = least[axis].min(x);
                greatest[axis] = greatest[axis].max(x);
                points[axis][k] = x;
            }
        }
        // Rounding does not move a cell out of the box.
        let slack = std::array::from_fn(|axis| SLACK * least[axis].abs().max(greatest[axis].abs()));
        let half = |axis: usize| 0.5 * greatest[axis] - 0.5 * least[axis] + slack[axis];
        let middle = |axis: usize| 0.5 * least[axis] + 0.5 * greatest[axis];
        Group {
            middle: std::array::from_fn(middle),
            half: std::array::from_fn(half),
            slack,
            points,
            most,
        }
    }

    /// Lists the sources of a group, but for a range of particles: cells in the order of their depth.
    pub(crate) fn walk(&self, group: &Group, without: Range<u32>, walked: &mut Walked, best: Best) {
        walked.count = 0;
        if self.cells.is_empty() {
            return;
        }
        best.run(
            #[inline(always)]
            || self.walk_all(group, &without, walked),
        );
    }

    /// Tests all cells. Branches on whether they are opened would often be mispredicted: each test writes a cell
    /// to both lists, and moves the end of one.
    #[inline(always)]
    fn walk_all(&self, group: &Group, without: &Range<u32>, walked: &mut Walked) {
        let is_periodic = self.lengths.iter().any(|length| *length < f32::INFINITY);
        // The opened cells, of which some are done, and the end of those of the depth before.
        let (mut next, mut queued, mut of_depth) = (0, 0, 0);
        let mut many = MANY;
        // The root is tested like the children of a cell.
        let (mut first, mut count) = (0, 1);
        let mut are_large = true; // some of them may be
        loop {
            for begin in (first..first + count).step_by(WIDTH) {
                let distances2 = self.distances2(begin, &group.middle, &group.half, is_periodic);
                let mut far = self.beyond_limits(begin, &distances2, group.most);
                let count = (first + count - begin).min(WIDTH);
                if are_large {
                    let large = self.large_ones(begin, count, without, many) & !far;
                    if large != 0 {
                        let nearest2 = self.nearest(begin, group, large, is_periodic);
                        far |= large & self.beyond_limits(begin, &nearest2, group.most);
                    }
                }
                walked.queue.resize(walked.queue.len().max(queued + WIDTH), 0);
                let mut met = [[0; 2]; WIDTH];
                let mut meeting = 0;
                for (k, seen) in self.seen[begin..begin + count].iter().enumerate() {
                    // A cell with particles of the group never acts on it from afar, whatever rounding says.
                    let has_own = seen.near[0] < without.end && without.start < seen.near[1];
                    let is_far = far >> k & 1 == 1 && !has_own;
                    let has_no_room = queued - of_depth >= QUEUE;
                    let is_met = is_far | seen.is_leaf | has_no_room;
                    met[meeting % WIDTH] = if is_far { seen.far } else { seen.near };
                    meeting += usize::from(is_met);
                    walked.queue[queued] = (begin + k) as u32;
                    queued += usize::from(!is_met);
                }
                for range in &met[..meeting] {
                    walked.add(*range, without);
                }
            }
            walked.tested += count as u64;
            if next == queued {
                break;
            }
            if next == of_depth {
                of_depth = queued;
                many = if queued - next > CROWD { 0 } else { MANY };
            }
            let cell = &self.cells[walked.queue[next] as usize];
            next += 1;
            (first, count) = (cell.child as usize, usize::from(cell.children));
            are_large = cell.count() >= many as usize;
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let far = size_of_val(&self.far.positions[..]) + size_of_val(&self.far.charges[..]);
        let first = size_of_val(&self.far.first[..]) + size_of_val(&self.far.reach[..]);
        // Three coordinates, a limit, a strength and a radius.
        let limits = 6 * size_of_val(&self.limits2[..]);
        size_of_val(&self.cells[..]) + size_of_val(&self.seen[..]) + far + first + limits
    }

    /// Returns a bit for each of some cells that has many particles, but none of the group.
    #[inline(always)]
    fn large_ones(&self, begin: usize, count: usize, without: &Range<u32>, many: u32) -> u32 {
        let mut large = 0;
        for (k, seen) in self.seen[begin..begin + count].iter().enumerate() {
            let [first, end] = seen.near;
            let has_own = first < without.end && without.start < end;
            large |= u32::from(!has_own && end - first >= many) << k;
        }
        large
    }

    /// Returns the squares of the distances of some cells from the nearest i-particle, or smaller ones that are still
    /// too near where none is far enough; only those of some cells matter.
    #[inline(always)]
    fn nearest(&self, begin: usize, group: &Group, matter: u32, is_periodic: bool) -> [f32; WIDTH] {
        const SOME: usize = 8;
        const FEW: u32 = 3;
        if !is_periodic && matter.count_ones() <= FEW {
            return std::array::from_fn(|k| {
                if matter >> k & 1 == 1 { self.nearest_of_one(begin + k, group) } else { 0.0 }
            });
        }
        let limits2: &[f32; WIDTH] = self.limits2[begin..].first_chunk().expect("padded");
        let mut nearest2 = [f32::INFINITY; WIDTH];
        for first in (0..GROUP).step_by(SOME) {
            for m in first..first + SOME {
                let point = group.points.map(|along| along[m]);
                let distances2 = self.distances2(begin, &point, &group.slack, is_periodic);
                for k in 0..WIDTH {
                    nearest2[k] = nearest2[k].min(distances2[k]);
                }
            }
            if (0..WIDTH).all(|k| matter >> k & 1 == 0 || limits2[k] >= nearest2[k]) {
                break;
            }
        }
        nearest2
    }

    /// Returns the square of the distance of a cell from the nearest i-particle, all of which are taken together.
    #[inline(always)]
    fn nearest_of_one(&self, cell: usize, group: &Group) -> f32 {
        let mut distances2 = [0.0_f32; GROUP];
        for axis in 0..3 {
            let (centre, slack) = (self.centres[axis][cell], group.slack[axis]);
            for (distance2, x) in distances2.iter_mut().zip(&group.points[axis]) {
                let outside = ((centre - x).abs() - slack).max(0.0);
                *distance2 += outside * outside;
            }
        }
        let mut half = GROUP / 2;
        while half > 0 {
            for m in 0..half {
                distances2[m] = distances2[m].min(distances2[m + half]);
            }
            half /= 2;
        }
        distances2[0]
    }

    /// Returns the squares of the distances of some cells from a box. In a periodic box, where cells are opened, too,
    /// which have several images near a group, that of such a cell is 0.
    #[inline(always)]
    fn distances2(
        &self,
        begin: usize,
        middle: &[f32; 3],
        half: &[f32; 3],
        is_periodic: bool,
    ) -> [f32; WIDTH] {
        let mut distances2 = [0.0_f32; WIDTH];
        if is_periodic {
            return self.distances2_in_box(begin, middle, half);
        }
        for axis in 0..3 {
            let centres: &[f32; WIDTH] = self.centres[axis][begin..].first_chunk().expect("padded");
            for k in 0..WIDTH {
                let outside = ((centres[k] - middle[axis]).abs() - half[axis]).max(0.0);
                distances2[k] += outside * outside;
            }
        }
        distances2
    }

    fn distances2_in_box(&self, begin: usize, middle: &[f32; 3], half: &[f32; 3]) -> [f32; WIDTH] {
        let mut distances2 = [0.0_f32; WIDTH];
        let mut is_clear = [true; WIDTH];
        let radii: &[f32; WIDTH] = self.radii[begin..].first_chunk().expect("padded");
        for axis in 0..3 {
            let centres: &[f32; WIDTH] = self.centres[axis][begin..].first_chunk().expect("padded");
            let (length, half) = (self.lengths[axis], half[axis]);
            for k in 0..WIDTH {
                let mut apart = centres[k] - middle[axis];
                if length < f32::INFINITY {
                    apart -= length * (apart / length).round_ties_even();
                }
                is_clear[k] &= apart.abs() + half + radii[k] < 0.5 * length;
                let outside = (apart.abs() - half).max(0.0);
                distances2[k] += outside * outside;
            }
        }
        std::array::from_fn(|k| if is_clear[k] { distances2[k] } else { 0.0 })
    }

    #[inline(always)]
    fn beyond_limits(&self, begin: usize, distances2: &[f32; WIDTH], most: Option<f32>) -> u32 {
        let limits2: &[f32; WIDTH] = self.limits2[begin..].first_chunk().expect("padded");
        let mut far = 0;
        for k in 0..WIDTH {
            far |= u32::from(limits2[k] < distances2[k]) << k;
        }
        if let (Some(estimate), Some(most)) = (&self.estimate, most) {
            let strengths: &[f32; WIDTH] = self.strengths[begin..].first_chunk().expect("padded");
            for k in 0..WIDTH {
                let is_small = strengths[k] + estimate.at(distances2[k]) <= most;
                far &= !(u32::from(!is_small) << k);
            }
        }
        far
    }
}

/// Entries that are written together, some of them to be overwritten by the next ones.
const ENTRIES: usize = 16;

impl Walked {
    /// Returns the numbers of the particles and far particles.
    pub fn entries(&self) -> &[u32] {
        &self.entries[..self.count]
    }

    /// Adds a range of particles or far particles, but for those without which the list is.
    #[inline(always)]
    fn add(&mut self, [first, end]: [u32; 2], without: &Range<u32>) {
        if first < without.end && without.start < end {
            self.add_range(first, end.min(without.start).max(first));
            self.add_range(first.max(without.end).min(end), end);
        } else {
            self.add_range(first, end);
        }
    }

    #[inline(always)]
    fn add_range(&mut self, first: u32, end: u32) {
        for first in (first..end).step_by(ENTRIES) {
            let needed = self.count + ENTRIES;
            if self.entries.len() < needed {
                self.entries.resize(2 * needed, 0);
            }
            let entries: &mut [u32; ENTRIES] =
                self.entries[self.count..].first_chunk_mut().expect("resized");
            for (entry, k) in entries.iter_mut().zip(first..) {
                *entry = k;
            }
            self.count += (end - first).min(ENTRIES as u32) as usize;
        }
    }
}
