//! Cells: ranges of particles whose keys have the same leading bits.

use std::ops::Range;

use crate::order::frame::Frame;

/// The most children of a cell.
pub const FAN: usize = 8;

/// The most particles of an undivided cell.
pub const LEAF: usize = 16;

/// A cell, and the place of its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The first of its particles.
    pub first: u32,
    /// The end of its particles.
    pub end: u32,
    /// The first child; the others follow it.
    pub child: u32,
    /// The number of its children; a cell without any is a leaf.
    pub children: u16,
    /// The depth of the cell in the grid of the frame.
    pub level: u16,
}

impl Cell {
    /// Returns its particles.
    pub fn particles(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }

    /// Returns its children.
    pub fn cells(self) -> Range<usize> {
        self.child as usize..self.child as usize + usize::from(self.children)
    }

    /// Returns the number of its particles.
    pub fn count(self) -> usize {
        self.particles().len()
    }
}

/// Divides particles with these ascending keys into cells, each behind its parent, the children of
/// a cell together. A cell of more than [`LEAF`] particles is divided by the next bits of its
/// keys, or into parts of equal numbers of particles if all keys are equal. Bits that leave all
/// particles in one child are skipped.
pub fn divide(keys: &[(u64, u32)], frame: &Frame) -> Vec<Cell> {
    let (bits, dimensions) = (frame.bits(), frame.dimensions as u32);
    let mut cells = Vec::new();
    if keys.is_empty() {
        return cells;
    }
    cells.push(Cell { first: 0, end: keys.len() as u32, ..Cell::default() });
    let mut next = 0;
    while next < cells.len() {
        let cell: Cell = cells[next];
        if cell.count() > LEAF {
            let child = cells.len();
            let range = cell.particles();
            let [least, greatest] = [range.start, range.end - 1].map(|k| keys[k].0);
            if let Some(level) = level_of_division(least, greatest, bits, dimensions) {
                let shift = (bits - level) * dimensions;
                let mut first = range.start;
                while first < range.end {
                    let digit = keys[first].0 >> shift;
                    let of_child = &keys[first..range.end];
                    let end = first + of_child.partition_point(|(key, _)| key >> shift == digit);
                    cells.push(part(first, end, level));
                    first = end;
                }
            } else {
                let count = range.len().div_ceil(8).max(LEAF);
                for first in range.clone().step_by(count) {
                    cells.push(part(first, range.end.min(first + count), bits));
                }
            }
            cells[next].child = child as u32;
            cells[next].children = (cells.len() - child) as u16;
        }
        next += 1;
    }
    cells
}

/// Returns the range of cells of each depth.
pub fn depths(cells: &[Cell]) -> Vec<Range<usize>> {
    let (mut depths, mut next) = (Vec::new(), 0..cells.len().min(1));
    while !next.is_empty() {
        let last = cells[next.clone()].iter().rfind(|cell| cell.children > 0);
        let end = last.map_or(next.end, |last| last.cells().end);
        let deeper = next.end..end;
        depths.push(std::mem::replace(&mut next, deeper));
    }
    depths
}

fn part(first: usize, end: usize, level: u32) -> Cell {
    Cell { first: first as u32, end: end as u32, level: level as u16, ..Cell::default() }
}

/// Returns the level of the children of a cell with this first and last key; `None` if they are
/// equal.
fn level_of_division(first: u64, last: u64, bits: u32, dimensions: u32) -> Option<u32> {
    let differ = (first ^ last).checked_ilog2()?;
    Some(bits - differ / dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::frame::Grid;

    fn frame() -> Frame {
        Frame { origin: [0.0; 3], scale: 1.0, dimensions: 3, grid: Grid::TREES }
    }

    /// Checks that children partition the particles of their parent, in order, and that leaves are
    /// small.
    fn check(keys: &[u64]) -> Vec<Cell> {
        let keys: Vec<_> = keys.iter().zip(0..).map(|(&key, index)| (key, index)).collect();
        let cells = divide(&keys, &frame());
        let mut parents = vec![0; cells.len()];
        for (k, cell) in cells.iter().enumerate() {
            if cell.children == 0 {
                assert!((1..=LEAF).contains(&cell.count()), "{cell:?}");
                continue;
            }
            let of_cell = cell.cells();
            assert!(of_cell.start > k && of_cell.len() >= 2 && cell.count() > LEAF, "{cell:?}");
            let mut end = cell.first;
            for child in of_cell {
                parents[child] += 1;
                assert_eq!(cells[child].first, end);
                assert!(cells[child].level > cell.level || cells[child].level == 21);
                end = cells[child].end;
            }
            assert_eq!(end, cell.end);
        }
        let expected: Vec<_> = (0..cells.len()).map(|k| usize::from(k > 0)).collect();
        assert_eq!(parents, expected);
        let mut end = 0;
        for depth in depths(&cells) {
            assert!(depth.start == end && depth.end > end);
            end = depth.end;
            let mut below = cells[depth].iter().flat_map(|cell| cell.cells());
            assert!(below.all(|child| child >= end));
        }
        assert_eq!(end, cells.len());
        cells
    }

    #[test]
    fn cells_share_out_all_particles() {
        assert_eq!(check(&[]), []);
        assert_eq!(check(&[7]).len(), 1);
        assert_eq!(check(&[5; LEAF]).len(), 1);
        let mut keys: Vec<u64> =
            (0..5000_u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (1 + k % 60)).collect();
        keys.sort_unstable();
        check(&keys);
    }

    #[test]
    fn children_have_the_next_digit_of_their_keys() {
        let digit = |k: u64| k << 60 | k << 40;
        let keys: Vec<_> = (0..8).flat_map(|k| [digit(k); 3]).collect();
        let cells = check(&keys);
        assert_eq!((cells[0].children, cells.len()), (8, 9));
        assert!(cells[1..].iter().all(|cell| cell.level == 1 && cell.count() == 3));
        // The keys differ only in the last three bits.
        let keys: Vec<_> = (0..8).flat_map(|k| [5 << 60 | k; 3]).collect();
        assert!(check(&keys)[1..].iter().all(|cell| cell.level == 21));
    }

    #[test]
    fn coincident_particles_have_cells_too() {
        let cells = check(&vec![42; 10_000]);
        let depth = |mut k: usize| {
            let mut depth = 0;
            while cells[k].children > 0 {
                (k, depth) = (cells[k].child as usize, depth + 1);
            }
            depth
        };
        assert_eq!(depth(0), 4);
    }
}
