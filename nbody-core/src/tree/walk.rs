//! Walks: the cells and the particles that act on a group.
// Loops over indices are those that compilers turn into vector code.
#![allow(clippy::needless_range_loop)]

use super::cells::Cell;
use super::far::FarParticles;
use super::moments::AllMoments;
use crate::near::frame::Frame;
use crate::numeric::simd::Best;

/// Cells that are tested together.
const WIDTH: usize = 8;

/// A tree of cells, as walks see it. Lengths are in units of the frame, from its origin, in `f32`: rounding
/// moves the limit between cells that are opened and those that are not, and loses none.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Their far particles.
    pub far: FarParticles,
    /// The centres of charge, along each axis.
    centres: [Vec<f32>; 3],
    /// The square of the distance beyond which a cell is not opened.
    limits2: Vec<f32>,
    /// The distance of the farthest of its particles, and of its far particles, from the centre of charge.
    radii: Vec<f32>,
    /// The lengths of the periodic box, infinite along open axes.
    lengths: [f32; 3],
    origin: [f64; 3],
    scale: f64,
}

/// The box of a group of i-particles, in units of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The middle of the box.
    pub middle: [f32; 3],
    /// Half of its edges.
    pub half: [f32; 3],
}

/// The list of what acts on a group: particles, in the order of the tree, and far particles, whose numbers
/// follow those of the particles.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The numbers of particles.
    pub entries: Vec<u32>,
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
        (frame, lengths): (&Frame, [f64; 3]),
    ) -> Self {
        let padded = cells.len() + WIDTH;
        let mut tree = Self {
            centres: std::array::from_fn(|_| vec![0.0; padded]),
            limits2: vec![0.0; padded],
            radii: vec![0.0; padded],
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
            tree.radii[k] = (summary.radius().max(tree.far.reach[k]) * frame.scale) as f32;
        }
        tree
    }

    /// Returns a coordinate in units of the frame.
    fn along(&self, axis: usize, x: f64) -> f32 {
        ((x - self.origin[axis]) * self.scale) as f32
    }

    /// Returns the box of i-particles at these positions, which are in the periodic box.
    pub fn group(&self, positions: &[[f64; 3]]) -> Group {
        let (mut least, mut greatest) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in positions {
            for axis in 0..3 {
                let x = self.along(axis, position[axis]);
                least[axis] = least[axis].min(x);
                greatest[axis] = greatest[axis].max(x);
            }
        }
        Group {
            middle: std::array::from_fn(|axis| 0.5 * least[axis] + 0.5 * greatest[axis]),
            half: std::array::from_fn(|axis| 0.5 * greatest[axis] - 0.5 * least[axis]),
        }
    }

    /// Lists what acts on a group, but for a range of particles: cells in the order of their depth.
    pub(crate) fn walk(
        &self,
        group: &Group,
        without: std::ops::Range<u32>,
        walked: &mut Walked,
        best: Best,
    ) {
        let Walked { entries, tested, queue } = walked;
        entries.clear();
        queue.clear();
        if self.cells.is_empty() {
            return;
        }
        let mut next = 0;
        // The root is tested like the children of a cell.
        let (mut first, mut count) = (0, 1);
        loop {
            for begin in (first..first + count).step_by(WIDTH) {
                let far = best.run(
                    #[inline(always)]
                    || self.far_ones(begin, group),
                );
                for k in begin..(begin + WIDTH).min(first + count) {
                    let (cell, far_particles) = (self.cells[k], self.far.of_cell(k));
                    if far >> (k - begin) & 1 == 1 && !far_particles.is_empty() {
                        let n = self.particles() as u32;
                        entries
                            .extend(n + far_particles.start as u32..n + far_particles.end as u32);
                    } else if cell.children == 0 || far >> (k - begin) & 1 == 1 {
                        let (before, behind) = (
                            cell.first..cell.end.min(without.start),
                            cell.first.max(without.end)..cell.end,
                        );
                        if without.is_empty() {
                            entries.extend(cell.first..cell.end);
                        } else {
                            entries.extend(before);
                            entries.extend(behind);
                        }
                    } else {
                        queue.push(k as u32);
                    }
                }
            }
            *tested += count as u64;
            let Some(&opened) = queue.get(next) else { break };
            next += 1;
            let cell = self.cells[opened as usize];
            (first, count) = (cell.child as usize, usize::from(cell.children));
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let far = size_of_val(&self.far.positions[..]) + size_of_val(&self.far.charges[..]);
        let first = size_of_val(&self.far.first[..]) + size_of_val(&self.far.reach[..]);
        // Three coordinates, a limit and a radius.
        let limits = 5 * size_of_val(&self.limits2[..]);
        size_of_val(&self.cells[..]) + far + first + limits
    }

    /// Returns the number of particles.
    pub fn particles(&self) -> usize {
        self.cells.first().map_or(0, |root| root.end as usize)
    }

    /// Returns a bit for each of some cells that is not opened.
    #[inline(always)]
    fn far_ones(&self, begin: usize, group: &Group) -> u32 {
        let mut distances2 = [0.0_f32; WIDTH];
        let mut is_clear = [true; WIDTH];
        let radii: &[f32; WIDTH] = self.radii[begin..].first_chunk().expect("padded");
        for axis in 0..3 {
            let centres: &[f32; WIDTH] = self.centres[axis][begin..].first_chunk().expect("padded");
            let (middle, half) = (group.middle[axis], group.half[axis]);
            let length = self.lengths[axis];
            if length < f32::INFINITY {
                for k in 0..WIDTH {
                    let apart = centres[k] - middle;
                    let apart = (apart - length * (apart / length).round_ties_even()).abs();
                    // All pairs have one image.
                    is_clear[k] &= apart + half + radii[k] < 0.5 * length;
                    let outside = (apart - half).max(0.0);
                    distances2[k] += outside * outside;
                }
            } else {
                for k in 0..WIDTH {
                    let outside = ((centres[k] - middle).abs() - half).max(0.0);
                    distances2[k] += outside * outside;
                }
            }
        }
        let limits2: &[f32; WIDTH] = self.limits2[begin..].first_chunk().expect("padded");
        let mut far = 0;
        for k in 0..WIDTH {
            far |= u32::from(limits2[k] < distances2[k] && is_clear[k]) << k;
        }
        far
    }
}
