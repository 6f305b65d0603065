//! Lists of the j-particles that may be within reach of an i-particle of a group.
// Compilers vectorize loops over indices.
#![allow(clippy::needless_range_loop)]

use std::cell::RefCell;
use std::ops::Range;

use crate::numeric::simd::level::Best;
use crate::order::GROUP;
use crate::order::boxes::{Bounds, BoxBlock, below, bits};
use crate::order::image;
use crate::order::image::IMAGES;
use crate::order::image::INDEX_BITS;
use crate::order::ordered::Ordered;
use crate::parallel;
use crate::triclinic::Cell;

/// Groups whose lists a thread builds at a time.
const GROUPS: usize = 64;
/// Allowance for rounding in limits of distances between boxes, as a fraction of the extent of the
/// box.
pub const MARGIN: f64 = f64::EPSILON * 8.0;
/// The relative rounding error of coordinates.
pub const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;

/// The lists of j-particles, one for each group of i-particles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// The beginning of each list, and the end of the last one.
    pub begins: Vec<u64>,
    /// The lists, one after another. An entry holds the place of a j-particle in its order, and
    /// its image in the bits above; entries ascend.
    pub entries: Vec<u32>,
    /// A bit for each i-particle of the group that an entry acts on. `None`: entries act on all.
    pub masks: Option<Vec<u32>>,
}

/// Selected nodes of a block of 32.
#[derive(Clone, Copy, Debug)]
pub struct Nodes {
    /// The level.
    pub level: usize,
    /// The index of the first node of the block.
    pub first: usize,
    /// The selected nodes, a bit each.
    pub wanted: u32,
}

/// Writes for each of these nodes the greatest distance at which lists have a pair of particles,
/// one of the group and one of the node.
pub type GroupReach<'a> = dyn FnMut(Nodes, &mut [f64; GROUP]) + 'a;

/// The distances up to which lists have pairs.
pub trait Reach: Sync {
    /// Returns the greatest distance over all pairs.
    fn greatest(&self) -> f64;

    /// Returns the distances of a group.
    fn of_group(&self, group: usize) -> Box<GroupReach<'_>>;
}

/// One distance for all pairs.
impl Reach for f64 {
    fn greatest(&self) -> f64 {
        *self
    }

    fn of_group(&self, _: usize) -> Box<GroupReach<'_>> {
        Box::new(|_, reaches| *reaches = [*self; GROUP])
    }
}

impl Lists {
    /// Builds the lists of these particles in this box.
    pub fn build(i: &Ordered, j: &Ordered, cell: &Cell, reach: &dyn Reach) -> Self {
        Self::build_with_octets((i, usize::MAX), j, cell, reach).0
    }

    /// Builds the lists of groups with any of the first `wanted` i-particles; other lists are empty.
    /// Returns for each entry the [`octets`] of its group within its reach.
    pub fn build_with_octets(
        (i, wanted): (&Ordered, usize),
        j: &Ordered,
        cell: &Cell,
        reach: &dyn Reach,
    ) -> (Self, Vec<u8>) {
        let whole = j.tree.levels.iter().flatten().copied().reduce(Bounds::and);
        let (best, leaves) = (Best::new(), leaves(j));
        let list = |group: usize, part: &mut Part| {
            let first = group * GROUP;
            let indices = &i.indices[first..i.len().min(first + GROUP)];
            if indices.iter().all(|index| *index as usize >= wanted) {
                return;
            }
            let search = Search::new(i, (j, &leaves), group, cell);
            search.list(best, whole.as_ref(), reach, part);
        };
        Self::collect(i.tree.groups().len(), &list)
    }

    /// Collects the lists of groups; `list` appends the list of a group to a part.
    pub(crate) fn collect(
        groups: usize,
        list: &(dyn Fn(usize, &mut Part) + Sync),
    ) -> (Self, Vec<u8>) {
        let mut parts = vec![Part::default(); groups.div_ceil(GROUPS)];
        parallel::each_chunk(&mut parts, 1, &|k, parts| {
            let range = k * GROUPS..groups.min((k + 1) * GROUPS);
            for part in parts {
                for group in range.clone() {
                    list(group, part);
                    part.ends.push(part.entries.len());
                }
            }
        });
        let (mut begins, mut entries, mut masks) = (vec![0], Vec::new(), Vec::new());
        let (all, mut near) = (parts.iter().map(|part| part.entries.len()).sum(), Vec::new());
        entries.reserve_exact(all);
        near.reserve_exact(all);
        for part in parts {
            let before = entries.len();
            begins.extend(part.ends.into_iter().map(|end| (before + end) as u64));
            entries.extend(part.entries);
            masks.extend(part.masks);
            near.extend(part.near);
        }
        (Self { begins, entries, masks: (!masks.is_empty()).then_some(masks) }, near)
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let masks = self.masks.as_ref().map_or(0, |masks| size_of_val(&masks[..]));
        size_of_val(&self.begins[..]) + size_of_val(&self.entries[..]) + masks
    }

    /// Returns the range of a group's list in all entries.
    pub fn range(&self, group: usize) -> Range<usize> {
        self.begins[group] as usize..self.begins[group + 1] as usize
    }

    /// Returns a bit for each i-particle of the group that an entry acts on.
    pub fn mask(&self, entry: usize) -> u32 {
        self.masks.as_ref().map_or(u32::MAX, |masks| masks[entry])
    }

    /// Returns the list of a group.
    pub fn of(&self, group: usize) -> &[u32] {
        &self.entries[self.range(group)]
    }
}

/// The lists of consecutive groups.
#[derive(Clone, Default)]
pub(crate) struct Part {
    ends: Vec<usize>,
    pub entries: Vec<u32>,
    /// The mask of each entry; empty if entries act on all i-particles.
    pub masks: Vec<u32>,
    /// The [`octets`] of the group near each entry.
    pub near: Vec<u8>,
}

/// Returns a bit for each octet of a group that contains any of these particles.
pub fn octets(particles: u32) -> u8 {
    octets_of(particles.to_le_bytes().map(|octet| u32::from(octet != 0)))
}

/// Packs a 0 or 1 for each octet into bits.
#[inline(always)]
fn octets_of([a, b, c, d]: [u32; GROUP / 8]) -> u8 {
    (a | b << 1 | c << 2 | d << 3) as u8
}

/// Coordinates relative to the centre of a group, one array for each axis.
type Relative = [[f32; GROUP]; 3];

/// The positions of the particles of a leaf, an array for each axis; missing particles of the last
/// leaf are at 0.
type Leaf = [[f64; GROUP]; 3];

/// Returns the leaves of ordered particles.
fn leaves(ordered: &Ordered) -> Vec<Leaf> {
    let mut leaves = vec![[[0.0; GROUP]; 3]; ordered.tree.groups().len()];
    parallel::each_chunk(&mut leaves, GROUPS, &|first, leaves| {
        for (leaf, positions) in
            leaves.iter_mut().zip(ordered.positions[first * GROUP..].chunks(GROUP))
        {
            for (k, position) in positions.iter().enumerate() {
                for axis in 0..3 {
                    leaf[axis][k] = position[axis];
                }
            }
        }
    });
    leaves
}

/// The search for the j-particles of one group.
struct Search<'a> {
    j: &'a Ordered,
    leaves: &'a [Leaf],
    group: usize,
    cell: &'a Cell,
    bounds: Bounds,
    centre: [f64; 3],
    /// The i-particles; missing ones of the last group are at infinity.
    relative: Relative,
    /// The greatest distance of an i-particle from the centre along each axis.
    half: [f32; 3],
}

impl<'a> Search<'a> {
    fn new(
        i: &Ordered,
        (j, leaves): (&'a Ordered, &'a [Leaf]),
        group: usize,
        cell: &'a Cell,
    ) -> Self {
        let bounds = i.tree.groups()[group];
        let centre = bounds.centre();
        let positions = &i.positions[group * GROUP..i.len().min((group + 1) * GROUP)];
        let (mut relative, mut half) = ([[f32::INFINITY; GROUP]; 3], [0.0_f32; 3]);
        for (k, position) in positions.iter().enumerate() {
            for axis in 0..3 {
                relative[axis][k] = (position[axis] - centre[axis]) as f32;
                half[axis] = half[axis].max(relative[axis][k].abs());
            }
        }
        Self { j, leaves, group, cell, bounds, centre, relative, half }
    }

    /// Appends the entries of the group; `whole` is the bounding box of all j-particles.
    fn list(&self, best: Best, whole: Option<&Bounds>, reach: &dyn Reach, part: &mut Part) {
        let Some(whole) = whole else { return };
        let top = self.j.tree.levels.len() - 1;
        let (greatest, of_group) = (reach.greatest(), reach.of_group(self.group));
        let levels = vec![[0.0; GROUP]; top + 1];
        let reaches = RefCell::new(Reaches { greatest, of_group, levels });
        let mut candidates = Candidates::default();
        for image in (0..IMAGES).filter(|&image| image::exists(image, self.cell)) {
            let displacement = image::displacement(image, self.cell);
            if self.bounds.distance2(whole, &displacement) > self.node_limit(greatest) {
                continue;
            }
            let within = |level: usize, first: usize, block: &BoxBlock| {
                self.within([level, first], block, &displacement, best, &mut reaches.borrow_mut())
            };
            self.j.tree.visit(&within, &mut |leaf| {
                let limit = self.limit(reaches.borrow().levels[0][leaf % GROUP]);
                best.run(
                    #[inline(always)]
                    || self.list_leaf((leaf, image), &displacement, limit, &mut candidates, part),
                );
            });
        }
        best.run(
            #[inline(always)]
            || self.test(&mut candidates, part),
        );
    }

    /// Returns a bit for each node of a block within its reach. Reaches are computed only for
    /// nodes within the reach of their parent, which is no less but for rounding. Missing boxes
    /// are beyond.
    fn within(
        &self,
        [level, first]: [usize; 2],
        block: &BoxBlock,
        displacement: &[f64; 3],
        best: Best,
        reaches: &mut Reaches,
    ) -> u32 {
        const ROUNDING: f64 = 1.0 + 1.0 / 1024.0;
        let above = reaches.levels.get(level + 1);
        let most = above.map_or(reaches.greatest, |above| above[first / GROUP % GROUP] * ROUNDING);
        let distances2 = best.run(
            #[inline(always)]
            || block.distances2(&self.bounds, displacement),
        );
        let existing = u32::MAX >> GROUP.saturating_sub(self.j.tree.levels[level].len() - first);
        let wanted = below(&distances2, &[self.node_limit(most); GROUP]) & existing;
        let here = &mut reaches.levels[level];
        (reaches.of_group)(Nodes { level, first, wanted }, here);
        let limits = here.map(|reach| self.node_limit(reach));
        wanted & below(&distances2, &limits)
    }

    /// Returns the limit of the square of the distance between boxes, with an allowance for
    /// rounding.
    fn node_limit(&self, reach: f64) -> f64 {
        let extent = self.cell.lengths.iter().fold(0.0_f64, |most, &length| most.max(length));
        let reach = reach + extent * MARGIN;
        reach * reach * (1.0 + MARGIN)
    }

    /// Returns the limit of the square of the distance between particles, with an allowance for
    /// the rounding of relative coordinates and of the square.
    fn limit(&self, reach: f64) -> f32 {
        let half = self.half.map(f64::from);
        let error = 4.0 * ROUNDOFF * (half[0] + half[1] + half[2] + reach);
        let reach = reach + error;
        (reach * reach * (1.0 + 16.0 * ROUNDOFF)) as f32
    }

    /// Collects the candidates of a leaf, and tests them whenever there are enough.
    #[inline(always)]
    fn list_leaf(
        &self,
        (leaf, image): (usize, u32),
        displacement: &[f64; 3],
        limit: f32,
        candidates: &mut Candidates,
        part: &mut Part,
    ) {
        let (first, count) = (leaf * GROUP, self.j.len().min((leaf + 1) * GROUP) - leaf * GROUP);
        let mut relative = [[0.0; GROUP]; 3];
        for axis in 0..3 {
            for (relative, x) in relative[axis].iter_mut().zip(&self.leaves[leaf][axis]) {
                *relative = ((x + displacement[axis]) - self.centre[axis]) as f32;
            }
        }
        let existing = u32::MAX >> (GROUP - count);
        for k in bits(self.near_box(&relative, limit) & existing) {
            for axis in 0..3 {
                candidates.at[axis][candidates.count] = relative[axis][k];
            }
            candidates.limits[candidates.count] = limit;
            candidates.entries[candidates.count] = (first + k) as u32 | image << INDEX_BITS;
            candidates.count += 1;
            if candidates.count == CANDIDATES {
                self.test(candidates, part);
            }
        }
    }

    /// Returns a bit for each j-particle near the box of the group; no i-particle is nearer than
    /// the box.
    #[inline(always)]
    fn near_box(&self, [x, y, z]: &Relative, limit: f32) -> u32 {
        let gap = |x: f32, axis: usize| {
            let gap = x.abs() - self.half[axis];
            if gap > 0.0 { gap } else { 0.0 }
        };
        let near = |k: usize| !is_beyond([gap(x[k], 0), gap(y[k], 1), gap(z[k], 2)], limit);
        (0..GROUP).fold(0, |bits, k| bits | u32::from(near(k)) << k)
    }

    /// Appends the candidates near some i-particle, and removes all candidates.
    #[inline(always)]
    fn test(&self, candidates: &mut Candidates, part: &mut Part) {
        let Candidates { at: [x, y, z], limits, .. } = candidates;
        let mut octets = [[0; CANDIDATES]; GROUP / 8];
        for (octet, near) in octets.iter_mut().enumerate() {
            let mut any = [0; CANDIDATES];
            for i in octet * 8..octet * 8 + 8 {
                let [a, b, c] = [self.relative[0][i], self.relative[1][i], self.relative[2][i]];
                for k in 0..CANDIDATES {
                    let d = [a - x[k], b - y[k], c - z[k]];
                    any[k] |= u32::from(!is_beyond(d, limits[k]));
                }
            }
            *near = any;
        }
        let (mut entries, mut near) = ([0; CANDIDATES], [0; CANDIDATES]);
        let mut count = 0;
        for k in 0..candidates.count {
            let of_entry = octets_of([octets[0][k], octets[1][k], octets[2][k], octets[3][k]]);
            (entries[count % CANDIDATES], near[count % CANDIDATES]) =
                (candidates.entries[k], of_entry);
            count += usize::from(of_entry != 0);
        }
        part.entries.extend_from_slice(&entries[..count]);
        part.near.extend_from_slice(&near[..count]);
        candidates.count = 0;
    }
}

/// The distances up to which a group's list has pairs.
struct Reaches<'a> {
    /// The greatest distance of all groups.
    greatest: f64,
    of_group: Box<GroupReach<'a>>,
    /// The distance of each node in the last tested block of each level.
    levels: Vec<[f64; GROUP]>,
}

/// Number of j-particles tested together.
const CANDIDATES: usize = 16;

/// The j-particles near the box of a group, relative to its centre.
#[derive(Default)]
struct Candidates {
    at: [[f32; CANDIDATES]; 3],
    /// The limit of the square of each candidate's distance.
    limits: [f32; CANDIDATES],
    entries: [u32; CANDIDATES],
    count: usize,
}

/// Tests whether the square of a displacement exceeds a limit; NaN never does.
#[inline(always)]
fn is_beyond([x, y, z]: [f32; 3], limit: f32) -> bool {
    x * x + y * y + z * z > limit
}

#[cfg(test)]
mod tests;
