//! The children of a cell as walks see them, which are tested together.
// Loops over indices are those that compilers turn into vector code.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use crate::trees::cells::Cell;

/// The most children of a cell.
pub const WIDTH: usize = crate::trees::FAN;

/// The children of a cell, by columns, so that a test of all of them reads a few lines of the cache. Lengths are
/// in units of the frame, from its origin, in `f32`: rounding moves the limit between cells that are opened and those
/// that are not, but loses no particle.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct Siblings {
    /// The centres of charge, along each axis.
    pub centres: [[f32; WIDTH]; 3],
    /// The square of the distance beyond which a cell is not opened.
    pub limits2: [f32; WIDTH],
    /// The binary logarithm of the charges times that power of the radius by which errors are estimated.
    pub strengths: [f32; WIDTH],
    /// The ranges of particles.
    near: [[u32; WIDTH]; 2],
    /// The ranges of the particles that act from afar: far particles, or particles where there are none.
    far: [[u32; WIDTH]; 2],
    /// The number of the children of each among all siblings.
    pub children: [u32; WIDTH],
    /// Bits for those that there are.
    pub all: u32,
    /// Bits for the leaves.
    pub leaves: u32,
    /// Bits for those that act from afar through one particle.
    ones: u32,
    /// Bits for the leaves of one particle.
    alone: u32,
    /// The distance of the farthest of its particles, and of its far particles, from the centre of charge.
    pub radii: [f32; WIDTH],
}

/// One of them.
pub struct Sibling {
    /// The cell.
    pub cell: Cell,
    /// The number of its children among all siblings, if it has any.
    pub children: u32,
    /// The range of the particles that act from afar.
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
    /// Adds the next one.
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

    /// Returns a bit for each that has some of these particles.
    #[inline(always)]
    pub fn with_any_of(&self, particles: &Range<u32>) -> u32 {
        let [begins, ends] = &self.near;
        bits(|k| begins[k] < particles.end && particles.start < ends[k])
    }

    /// Returns a bit for each that has so many particles.
    #[inline(always)]
    pub fn with_many(&self, many: u32) -> u32 {
        let [begins, ends] = &self.near;
        bits(|k| ends[k] - begins[k] >= many)
    }

    /// Returns the particles that one acts through, from afar or not.
    #[inline(always)]
    pub fn range(&self, k: usize, is_far: bool) -> [u32; 2] {
        let [begins, ends] = if is_far { &self.far } else { &self.near };
        [begins[k], ends[k]]
    }

    /// Returns the particle that each acts through if these all act through one: cells from afar or leaves of one
    /// particle that is not of the group.
    #[inline(always)]
    pub fn single(&self, met: u32, far: u32, own: u32) -> Option<&[u32; WIDTH]> {
        let single = self.ones & far | self.alone & !own;
        (met & !single == 0).then_some(&self.far[0])
    }
}

/// Returns a bit for each of some cells.
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
