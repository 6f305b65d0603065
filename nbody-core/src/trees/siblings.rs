//! The children of a cell in the form for walks, which test them together.
// Compilers vectorize loops over indices.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use crate::trees::cells::Cell;

/// The most children of a cell.
pub const WIDTH: usize = crate::trees::cells::FAN;

/// The children of a cell as a structure of arrays: testing all of them reads a few cache lines.
/// Lengths are in units of the frame, from its origin, in `f32`: rounding shifts the limit between
/// opened and unopened cells, but loses no particle.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct Siblings {
    /// The centres of charge, along each axis.
    pub centres: [[f32; WIDTH]; 3],
    /// The squares of the distances beyond which cells are not opened.
    pub limits2: [f32; WIDTH],
    /// The binary logarithm of the charges times the radius raised to the exponent of the error
    /// bound.
    pub strengths: [f32; WIDTH],
    /// The ranges of particles.
    near: [[u32; WIDTH]; 2],
    /// The ranges of entries that act from a distance: far particles, or particles if a cell has
    /// none.
    far: [[u32; WIDTH]; 2],
    /// The index of each cell's own children among all siblings.
    pub children: [u32; WIDTH],
    /// A bit for each cell that exists.
    pub all: u32,
    /// A bit for each leaf.
    pub leaves: u32,
    /// A bit for each cell that acts from a distance through a single particle.
    ones: u32,
    /// A bit for each leaf of one particle.
    alone: u32,
    /// The distance of the farthest particle or far particle from the centre of charge.
    pub radii: [f32; WIDTH],
}

/// One of these cells.
pub struct Sibling {
    /// The cell.
    pub cell: Cell,
    /// The index of its children among all siblings, if it has any.
    pub children: u32,
    /// The range of entries that act from a distance.
    pub far: [u32; 2],
    /// The centre of charge.
    pub centre: [f32; 3],
    /// The square of the distance beyond which it is not opened.
    pub limit2: f32,
    /// The binary logarithm of its charges times a power of its radius.
    pub strength: f32,
    /// The distance of the farthest particle from the centre of charge.
    pub radius: f32,
}

impl Siblings {
    /// Adds the next cell.
    pub fn push(&mut self, sibling: &Sibling) {
        let k = self.all.count_ones() as usize;
        let Sibling { cell, children, far, .. } = *sibling;
        for axis in 0..3 {
            self.centres[axis][k] = sibling.centre[axis];
        }
        self.limits2[k] = sibling.limit2;
        self.strengths[k] = sibling.strength;
        self.radii[k] = sibling.radius;
        [self.near[0][k], self.near[1][k]] = [cell.first, cell.end];
        [self.far[0][k], self.far[1][k]] = far;
        self.children[k] = children;
        self.all |= 1 << k;
        self.leaves |= u32::from(cell.children == 0) << k;
        self.ones |= u32::from(far[1] - far[0] == 1) << k;
        self.alone |= u32::from(cell.count() == 1) << k;
    }

    /// Returns a bit for each cell that contains any of these particles.
    #[inline(always)]
    pub fn with_any_of(&self, particles: &Range<u32>) -> u32 {
        let [begins, ends] = &self.near;
        bits(|k| begins[k] < particles.end && particles.start < ends[k])
    }

    /// Returns a bit for each cell of at least this many particles.
    #[inline(always)]
    pub fn with_many(&self, many: u32) -> u32 {
        let [begins, ends] = &self.near;
        bits(|k| ends[k] - begins[k] >= many)
    }

    /// Returns the range of entries that a cell acts through, from a distance or not.
    #[inline(always)]
    pub fn range(&self, k: usize, is_far: bool) -> [u32; 2] {
        let [begins, ends] = if is_far { &self.far } else { &self.near };
        [begins[k], ends[k]]
    }

    /// Returns the entry that each met cell acts through, if all of them act through one: distant
    /// cells with one entry, or leaves of one particle outside the group.
    #[inline(always)]
    pub fn single(&self, met: u32, far: u32, own: u32) -> Option<&[u32; WIDTH]> {
        let single = self.ones & far | self.alone & !own;
        (met & !single == 0).then_some(&self.far[0])
    }
}

/// Returns a bit for each cell for which `is_set` holds.
#[inline(always)]
pub fn bits(is_set: impl Fn(usize) -> bool) -> u32 {
    let mut bytes = [0; WIDTH];
    for k in 0..WIDTH {
        bytes[k] = u8::from(is_set(k));
    }
    // Byte k moves to bit k of the highest byte.
    (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_cells() {
        for expected in 0..1 << WIDTH {
            assert_eq!(bits(|k| expected >> k & 1 == 1), expected);
        }
    }
}
