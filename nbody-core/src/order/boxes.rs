//! Boxes of groups of particles, and an implicit tree over them.
// Compilers vectorize loops over indices.
#![allow(clippy::needless_range_loop)]

use crate::numeric::simd::level::Best;
use crate::order::GROUP;
use crate::parallel;

/// Open axes along which bounds are wider than this, in units of the reach, keep the origin of
/// space: positions relative to the middle would lose digits.
pub const WIDE: f64 = 8.0;

/// The bounding box of a set of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least coordinates.
    pub least: [f64; 3],
    /// The greatest coordinates.
    pub greatest: [f64; 3],
}

impl Default for Bounds {
    /// Returns the bounds of an empty set.
    fn default() -> Self {
        Self { least: [f64::INFINITY; 3], greatest: [f64::NEG_INFINITY; 3] }
    }
}

impl Bounds {
    /// Returns the bounding box of these positions.
    #[inline(always)]
    pub fn of(positions: &[[f64; 3]]) -> Self {
        let mut bounds = Self::default();
        for position in positions {
            for axis in 0..3 {
                bounds.least[axis] = bounds.least[axis].min(position[axis]);
                bounds.greatest[axis] = bounds.greatest[axis].max(position[axis]);
            }
        }
        bounds
    }

    /// Returns the bounding box of both boxes.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            least: [0, 1, 2].map(|axis| self.least[axis].min(other.least[axis])),
            greatest: [0, 1, 2].map(|axis| self.greatest[axis].max(other.greatest[axis])),
        }
    }

    /// Returns the middle of the box.
    pub fn centre(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.least[axis] * 0.5 + self.greatest[axis] * 0.5)
    }

    /// Returns the origin for the positions of pairs within this reach: the middle, but 0 along an
    /// open axis along which these bounds are [`WIDE`], where the middle would cost digits.
    pub fn origin(&self, reach: f64, lengths: &[f64; 3]) -> [f64; 3] {
        let centre = self.centre();
        [0, 1, 2].map(|axis| {
            let is_wide = self.greatest[axis] - self.least[axis] > WIDE * reach;
            if is_wide && lengths[axis] == 0.0 { 0.0 } else { centre[axis] }
        })
    }

    /// Returns the square of the distance to another box, which is displaced.
    pub fn distance2(&self, other: &Self, displacement: &[f64; 3]) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let below = self.least[axis] - (other.greatest[axis] + displacement[axis]);
            let above = (other.least[axis] + displacement[axis]) - self.greatest[axis];
            below.max(above).max(0.0)
        });
        x * x + y * y + z * z
    }
}

/// The 32 children of a box of the next level, as an array for each axis, so that they are tested
/// together. Missing boxes contain no particle.
#[derive(Clone, Debug)]
pub struct Block {
    least: [[f64; GROUP]; 3],
    greatest: [[f64; GROUP]; 3],
}

impl Block {
    fn of(boxes: &[Bounds]) -> Self {
        let [least, greatest] = [f64::INFINITY, f64::NEG_INFINITY].map(|none| [[none; GROUP]; 3]);
        let mut block = Self { least, greatest };
        for (k, bounds) in boxes.iter().enumerate() {
            for axis in 0..3 {
                block.least[axis][k] = bounds.least[axis];
                block.greatest[axis][k] = bounds.greatest[axis];
            }
        }
        block
    }

    /// Returns the square of the distance of each box to these bounds, as [`Bounds::distance2`]
    /// does.
    #[inline(always)]
    pub fn distances2(&self, bounds: &Bounds, displacement: &[f64; 3]) -> [f64; GROUP] {
        let mut distances2 = [0.0; GROUP];
        for axis in 0..3 {
            for (k, distance2) in distances2.iter_mut().enumerate() {
                let below = bounds.least[axis] - (self.greatest[axis][k] + displacement[axis]);
                let above = (self.least[axis][k] + displacement[axis]) - bounds.greatest[axis];
                let apart = if below > above { below } else { above };
                let apart = if apart > 0.0 { apart } else { 0.0 };
                *distance2 += apart * apart;
            }
        }
        distances2
    }
}

/// Returns a bit for each number within its limit.
pub fn below(numbers: &[f64; GROUP], limits: &[f64; GROUP]) -> u32 {
    let each = numbers.iter().zip(limits).enumerate();
    each.fold(0, |bits, (k, (number, limit))| bits | u32::from(number <= limit) << k)
}

/// The boxes of groups, then boxes of 32 consecutive boxes each, and so on, up to a level of at
/// most 32 boxes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The levels, beginning with the groups.
    pub levels: Vec<Vec<Bounds>>,
    /// The boxes of each level, in blocks.
    blocks: Vec<Vec<Block>>,
}

impl Tree {
    /// Builds the tree over ordered particles.
    pub fn of(positions: &[[f64; 3]]) -> Self {
        let mut groups = vec![Bounds::default(); positions.len().div_ceil(GROUP)];
        let best = Best::new();
        parallel::each_chunk(&mut groups, GROUP, &|first, groups| {
            let positions = positions[first * GROUP..].chunks(GROUP);
            for (bounds, positions) in groups.iter_mut().zip(positions) {
                *bounds = best.run(
                    #[inline(always)]
                    || Bounds::of(positions),
                );
            }
        });
        let mut levels = vec![groups];
        while let Some(boxes) = levels.last()
            && boxes.len() > GROUP
        {
            let joined = |boxes: &[Bounds]| boxes.iter().copied().reduce(Bounds::and);
            levels.push(boxes.chunks(GROUP).filter_map(joined).collect());
        }
        let blocks = |boxes: &Vec<Bounds>| boxes.chunks(GROUP).map(Block::of).collect();
        Self { blocks: levels.iter().map(blocks).collect(), levels }
    }

    /// Returns the bounding boxes of the groups.
    pub fn groups(&self) -> &[Bounds] {
        &self.levels[0]
    }

    /// Calls `visit` with each group, in order, that is within reach, as are all of its ancestors.
    /// `within` gets a level, the index of a block's first box and the block, and returns a bit
    /// for each box within reach.
    pub fn visit(
        &self,
        within: &dyn Fn(usize, usize, &Block) -> u32,
        visit: &mut dyn FnMut(usize),
    ) {
        let top = self.levels.len() - 1;
        for block in 0..self.blocks[top].len() {
            self.visit_block(top, block, within, visit);
        }
    }

    fn visit_block(
        &self,
        level: usize,
        block: usize,
        within: &dyn Fn(usize, usize, &Block) -> u32,
        visit: &mut dyn FnMut(usize),
    ) {
        let first = block * GROUP;
        for k in bits(within(level, first, &self.blocks[level][block])) {
            if level == 0 {
                visit(first + k);
            } else {
                self.visit_block(level - 1, first + k, within, visit);
            }
        }
    }
}

/// Returns the positions of the set bits of a word.
pub fn bits(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        next
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_contain_their_particles_and_are_visited_in_order() {
        for n in [0, 1, 31, 32, 33, 1024, 1025, 33_000] {
            let positions: Vec<_> =
                (0..n).map(|k| [f64::from(k), -f64::from(k), f64::from(k % 5)]).collect();
            let tree = &Tree::of(&positions);
            assert!(tree.levels.last().is_some_and(|boxes| boxes.len() <= GROUP));
            for (level, boxes) in tree.levels.iter().enumerate() {
                let particles = positions.chunks(GROUP.pow(level as u32 + 1));
                assert_eq!(boxes.len(), particles.len());
                for (bounds, particles) in boxes.iter().zip(particles) {
                    assert_eq!(*bounds, Bounds::of(particles));
                }
            }
            let mut visited = Vec::new();
            let existing = |level: usize, first: usize| {
                (0..GROUP).filter(move |k| first + k < tree.levels[level].len())
            };
            let all = |level: usize, first: usize, _: &Block| {
                existing(level, first).fold(0, |all, k| all | 1 << k)
            };
            tree.visit(&all, &mut |group| visited.push(group));
            assert_eq!(visited, (0..positions.len().div_ceil(GROUP)).collect::<Vec<_>>());
            visited.clear();
            let odd = |level: usize, first: usize, block: &Block| {
                all(level, first, block) & if level > 0 { u32::MAX } else { 0xaaaa_aaaa }
            };
            tree.visit(&odd, &mut |group| visited.push(group));
            assert!(visited.len() <= tree.groups().len() / 2 && visited.iter().all(|k| k % 2 == 1));
        }
    }

    #[test]
    fn boxes_of_a_block_are_within_reach_as_each_is() {
        let corner = |k: usize| [k * 7 % 5, k * 5 % 7, k % 3].map(|x| x as f64);
        let boxes: Vec<_> =
            (0..GROUP - 1).map(|k| Bounds::of(&[corner(k), corner(k + 3)])).collect();
        let bounds = Bounds::of(&[[1.0; 3], [1.5, 2.0, 1.25]]);
        for displacement in [[0.0; 3], [3.0, -4.0, 0.5]] {
            let limits = std::array::from_fn(|k| k as f64 / 2.0);
            let within = below(&Block::of(&boxes).distances2(&bounds, &displacement), &limits);
            let each = boxes.iter().map(|it| bounds.distance2(it, &displacement));
            let expected: Vec<_> =
                each.zip(limits).map(|(distance2, limit)| distance2 <= limit).collect();
            assert!(expected.contains(&true) && expected.contains(&false));
            let found: Vec<_> = (0..GROUP - 1).map(|k| within >> k & 1 == 1).collect();
            assert_eq!(found, expected);
            assert_eq!(within >> (GROUP - 1), 0, "a missing box");
        }
    }

    #[test]
    fn displaced_boxes_have_distances() {
        let one = Bounds { least: [0.0; 3], greatest: [1.0, 2.0, 3.0] };
        let other = Bounds { least: [4.0, 1.0, -2.0], greatest: [5.0, 9.0, -1.0] };
        assert_eq!(one.distance2(&other, &[0.0; 3]), 9.0 + 0.0 + 1.0);
        assert_eq!(one.distance2(&other, &[-4.0, 0.0, 2.0]), 0.0);
        assert_eq!(other.distance2(&one, &[0.0, 7.5, 0.0]), 9.0 + 0.0 + 1.0);
        assert_eq!(one.centre(), [0.5, 1.0, 1.5]);
    }
}
