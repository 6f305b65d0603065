//! Walks: they choose the cells and the particles that act on a group.
// Compilers vectorize loops over indices.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use crate::numeric::simd::level::Best;
use crate::order::GROUP;
use crate::order::frame::Frame;
use crate::parallel;
use crate::trees::cells::Cell;
use crate::trees::estimate::Table;
use crate::trees::far::FarParticles;
use crate::trees::moments::{AllMoments, Summary};
use crate::trees::siblings::{Sibling, Siblings, WIDTH, bits};

/// Allowance for rounding by which boxes grow, relative to the largest coordinate.
pub const SLACK: f32 = 4.0 * f32::EPSILON;
/// Cells of at least this many particles are tested exactly, against the nearest i-particle, if
/// they are too near to the box.
pub const MANY: u32 = 1024;
/// Above this many opened cells of a depth, all of their children are tested exactly, as if they
/// had [`MANY`] particles. Few groups reach it: groups whose box overlaps with others, as where
/// the curve leads around a cluster, or groups that open nearly all cells anyway.
pub const CROWD: usize = 96;
/// Room for the opened cells of one depth; further cells act through their particles.
pub const QUEUE: usize = 4096;

/// Number of cells whose children a thread prepares at a time.
const FAMILIES: usize = 128;

/// A tree of cells in the form for walks.
#[derive(Clone, Debug, Default)]
pub struct CellTree {
    /// The resolution.
    pub cells: Vec<Cell>,
    /// Their far particles.
    pub far: FarParticles,
    /// The root alone, then the children of each parent, in the order of the parents.
    pub(super) siblings: Vec<Siblings>,
    /// The table of errors, if the criterion is relative.
    pub(super) estimate: Option<Table>,
    /// The lengths of the periodic box, infinite along open axes.
    pub(super) lengths: [f32; 3],
    origin: [f64; 3],
    scale: f64,
}

/// The bounding box of a group of i-particles, in units of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The middle of the box.
    pub middle: [f32; 3],
    /// Half of its edges.
    pub half: [f32; 3],
    /// The allowance for rounding that `half` includes.
    pub slack: [f32; 3],
    /// The coordinates of the i-particles along each axis; the last one is repeated.
    pub points: [[f32; GROUP]; 3],
    /// The binary logarithm of the largest permissible error. `None`: only distances count.
    pub most: Option<f32>,
}

/// The sources of a group: particles in the order of the tree, and far particles, numbered after
/// the particles.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The numbers of sources; only the first `count` are valid.
    entries: Vec<u32>,
    /// The number of sources.
    count: usize,
    /// The number of tested cells.
    pub tested: u64,
    /// The children of opened cells, which are queued for testing, by their index among all
    /// siblings.
    queue: Vec<u32>,
}

impl CellTree {
    /// Prepares cells for walks; `limits` are the distances beyond which cells are not opened.
    pub fn new(
        cells: Vec<Cell>,
        far: FarParticles,
        moments: &AllMoments,
        limits: &[f64],
        estimate: Option<Table>,
        (frame, lengths): (&Frame, [f64; 3]),
    ) -> Self {
        let mut tree = Self {
            siblings: Vec::new(),
            estimate,
            lengths: lengths
                .map(|x| if x > 0.0 { (x * frame.scale) as f32 } else { f32::INFINITY }),
            origin: frame.origin,
            scale: frame.scale,
            cells,
            far,
        };
        tree.siblings = tree.all_siblings(&moments.summaries, limits);
        tree
    }

    /// Returns the root alone, then the children of each parent.
    fn all_siblings(&self, summaries: &[Summary], limits: &[f64]) -> Vec<Siblings> {
        let is_parent = |k: usize| self.cells[k].children > 0;
        let (mut parents, mut count) = (vec![0; 1 + self.cells.len()], 0);
        for k in 0..self.cells.len() {
            // A parent overwrites a cell without children.
            parents[count] = k;
            count += usize::from(is_parent(k));
        }
        parents.truncate(count);
        let mut all = vec![Siblings::default(); 1 + count];
        parallel::each_chunk(&mut all, FAMILIES, &|first, all| {
            for (family, siblings) in (first..).zip(all) {
                let cells = match family {
                    0 => 0..self.cells.len().min(1),
                    _ => self.cells[parents[family - 1]].cells(),
                };
                let mut next = parents.partition_point(|&parent| parent < cells.start) as u32;
                for k in cells {
                    next += u32::from(is_parent(k));
                    siblings.push(&self.sibling(k, next, &summaries[k], limits[k]));
                }
            }
        });
        all
    }

    /// Returns a cell in the form for walks; `children` is the index of its children among all
    /// siblings.
    fn sibling(&self, k: usize, children: u32, summary: &Summary, limit: f64) -> Sibling {
        let (cell, far) = (self.cells[k], self.far.of_cell(k));
        let (limit, radius) = (limit * self.scale, summary.radius());
        let strength = |table: &Table| {
            summary.weight.sum.log2() + f64::from(table.power()) * (radius * self.scale).log2()
        };
        Sibling {
            cell,
            children,
            far: if far.is_empty() {
                [cell.first, cell.end]
            } else {
                [far.start, far.end].map(|k| self.cells[0].end + k as u32)
            },
            centre: std::array::from_fn(|axis| self.along(axis, summary.centre[axis])),
            limit2: (limit * limit) as f32,
            strength: self.estimate.as_ref().map_or(0.0, strength) as f32,
            radius: (radius.max(self.far.reach[k]) * self.scale) as f32,
        }
    }

    /// Returns a coordinate in units of the frame.
    fn along(&self, axis: usize, x: f64) -> f32 {
        ((x - self.origin[axis]) * self.scale) as f32
    }

    /// Returns the bounding box of i-particles at these positions in the periodic box.
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
        // The allowance covers the rounding of positions.
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

    /// Lists the sources of a group, except a range of particles; cells come in the order of their
    /// depth.
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

    /// Tests all cells. Branches on the outcome would often be mispredicted, so each test writes a
    /// cell to both lists and advances the end of one.
    #[inline(always)]
    fn walk_all(&self, group: &Group, without: &Range<u32>, walked: &mut Walked) {
        let is_periodic = self.lengths.iter().any(|length| *length < f32::INFINITY);
        // The numbers of processed and of queued cells, and the end of the previous depth in the
        // queue.
        let (mut next, mut queued, mut of_depth) = (0, 0, 0);
        let mut many = MANY;
        let mut siblings = &self.siblings[0];
        loop {
            let distances2 = self.distances2(siblings, &group.middle, &group.half, is_periodic);
            let mut far = self.beyond_limits(siblings, &distances2, group.most);
            // A cell with particles of the group never acts from a distance, even where rounding
            // says so.
            let own = siblings.with_any_of(without);
            let mut large = siblings.with_many(many) & siblings.all & !own & !far;
            if large != 0 {
                // Most cells are too near to any one i-particle.
                let one = group.points.map(|along| along[GROUP / 2]);
                let distances2 = self.distances2(siblings, &one, &group.slack, is_periodic);
                large &= bits(|k| siblings.limits2[k] < distances2[k]);
            }
            if large != 0 {
                let nearest2 = self.nearest(siblings, group, large, is_periodic);
                far |= large & self.beyond_limits(siblings, &nearest2, group.most);
            }
            far &= siblings.all & !own;
            let mut opened = siblings.all & !(far | siblings.leaves);
            let room = QUEUE - (queued - of_depth);
            if room < WIDTH {
                opened = first_bits(opened, room);
            }
            let met = siblings.all & !opened;
            walked.queue.resize(walked.queue.len().max(queued + WIDTH), 0);
            queued += push(&mut walked.queue[queued..], &siblings.children, opened);
            if let Some(numbers) = siblings.single(met, far, own) {
                walked.reserve();
                walked.count += push(&mut walked.entries[walked.count..], numbers, met);
            } else {
                walked.add_ranges(siblings, met, far, without);
            }
            walked.tested += u64::from(siblings.all.count_ones());
            if next == queued {
                break;
            }
            if next == of_depth {
                of_depth = queued;
                many = if queued - next > CROWD { 0 } else { MANY };
            }
            siblings = &self.siblings[walked.queue[next] as usize];
            next += 1;
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let far = size_of_val(&self.far.positions[..]) + size_of_val(&self.far.charges[..]);
        let first = size_of_val(&self.far.first[..]) + size_of_val(&self.far.reach[..]);
        size_of_val(&self.cells[..]) + size_of_val(&self.siblings[..]) + far + first
    }

    /// Returns the squares of the distances of cells from the nearest i-particle, as `matter`
    /// selects them. The search stops, with larger squares left, when every selected cell is known
    /// to be too near.
    #[inline(always)]
    fn nearest(
        &self,
        siblings: &Siblings,
        group: &Group,
        matter: u32,
        is_periodic: bool,
    ) -> [f32; WIDTH] {
        const SOME: usize = 8;
        const FEW: u32 = 3;
        let mut nearest2 = [0.0; WIDTH];
        if !is_periodic && matter.count_ones() <= FEW {
            let mut left = matter;
            while left != 0 {
                let k = left.trailing_zeros() as usize;
                nearest2[k] = nearest_of_one(siblings, k, group);
                left &= left - 1;
            }
            return nearest2;
        }
        let limits2 = &siblings.limits2;
        nearest2 = [f32::INFINITY; WIDTH];
        for first in (0..GROUP).step_by(SOME) {
            for m in first..first + SOME {
                let point = group.points.map(|along| along[m]);
                let distances2 = self.distances2(siblings, &point, &group.slack, is_periodic);
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

    /// Returns the squares of the distances of cells from a box. In a periodic box the result is 0
    /// for a cell with several images near the group, so that it is opened.
    #[inline(always)]
    pub(super) fn distances2(
        &self,
        siblings: &Siblings,
        middle: &[f32; 3],
        half: &[f32; 3],
        is_periodic: bool,
    ) -> [f32; WIDTH] {
        let mut distances2 = [0.0_f32; WIDTH];
        if is_periodic {
            return self.distances2_in_box(siblings, middle, half);
        }
        for axis in 0..3 {
            let centres = &siblings.centres[axis];
            for k in 0..WIDTH {
                let outside = ((centres[k] - middle[axis]).abs() - half[axis]).max(0.0);
                distances2[k] += outside * outside;
            }
        }
        distances2
    }

    fn distances2_in_box(
        &self,
        siblings: &Siblings,
        middle: &[f32; 3],
        half: &[f32; 3],
    ) -> [f32; WIDTH] {
        let mut distances2 = [0.0_f32; WIDTH];
        let mut is_clear = [true; WIDTH];
        for axis in 0..3 {
            let centres = &siblings.centres[axis];
            let (length, half) = (self.lengths[axis], half[axis]);
            for k in 0..WIDTH {
                let mut apart = centres[k] - middle[axis];
                if length < f32::INFINITY {
                    apart -= length * (apart / length).round_ties_even();
                }
                is_clear[k] &= apart.abs() + half + siblings.radii[k] < 0.5 * length;
                let outside = (apart.abs() - half).max(0.0);
                distances2[k] += outside * outside;
            }
        }
        std::array::from_fn(|k| if is_clear[k] { distances2[k] } else { 0.0 })
    }

    /// Returns a bit for each cell that acts from a distance, given its squared distance.
    #[inline(always)]
    fn beyond_limits(
        &self,
        siblings: &Siblings,
        distances2: &[f32; WIDTH],
        most: Option<f32>,
    ) -> u32 {
        let beyond = bits(|k| siblings.limits2[k] < distances2[k]);
        let (Some(estimate), Some(most)) = (&self.estimate, most) else { return beyond };
        let kernel = distances2.map(|distance2| estimate.at(distance2));
        beyond & bits(|k| siblings.strengths[k] + kernel[k] <= most)
    }
}

/// Returns the square of the distance of one cell from the nearest i-particle; all i-particles are
/// tested together.
#[inline(always)]
fn nearest_of_one(siblings: &Siblings, k: usize, group: &Group) -> f32 {
    let mut distances2 = [0.0_f32; GROUP];
    for axis in 0..3 {
        let (centre, slack) = (siblings.centres[axis][k], group.slack[axis]);
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

/// Returns the lowest `room` set bits.
fn first_bits(mut bits: u32, room: usize) -> u32 {
    let mut first = 0;
    for _ in 0..room.min(bits.count_ones() as usize) {
        first |= bits & bits.wrapping_neg();
        bits &= bits - 1;
    }
    first
}

/// Compacts the numbers flagged in `are` to the front of a list, and returns their count; the
/// entries behind have no meaning.
#[inline(always)]
fn push(list: &mut [u32], numbers: &[u32; WIDTH], are: u32) -> usize {
    let list: &mut [u32; WIDTH] = list.first_chunk_mut().expect("there is room");
    let mut count = 0;
    for k in 0..WIDTH {
        list[count] = numbers[k];
        count += (are >> k & 1) as usize;
    }
    count
}

/// Number of entries written together; the next ones overwrite any excess.
const ENTRIES: usize = 16;

impl Walked {
    /// Returns the numbers of the particles and far particles.
    pub fn entries(&self) -> &[u32] {
        &self.entries[..self.count]
    }

    /// Adds the entries that the met cells act through, from a distance or not.
    #[inline(always)]
    fn add_ranges(&mut self, siblings: &Siblings, met: u32, far: u32, without: &Range<u32>) {
        let mut left = met;
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            self.add(siblings.range(k, far >> k & 1 == 1), without);
        }
    }

    /// Adds a range of particles or far particles, except the range `without`.
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
    fn reserve(&mut self) {
        let needed = self.count + ENTRIES;
        if self.entries.len() < needed {
            self.entries.resize(2 * needed, 0);
        }
    }

    #[inline(always)]
    fn add_range(&mut self, first: u32, end: u32) {
        for first in (first..end).step_by(ENTRIES) {
            self.reserve();
            let entries: &mut [u32; ENTRIES] =
                self.entries[self.count..].first_chunk_mut().expect("resized");
            for (entry, k) in entries.iter_mut().zip(first..) {
                *entry = k;
            }
            self.count += (end - first).min(ENTRIES as u32) as usize;
        }
    }
}
