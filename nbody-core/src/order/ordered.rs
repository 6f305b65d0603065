//! Particles along a Hilbert curve.

use crate::domain::Domain;
use crate::numeric::simd::level::Best;
use crate::numeric::vector::Point;
use crate::order::boxes::BoxTree;
use crate::order::frame::Frame;
use crate::order::{hilbert, radix};
use crate::parallel;
use crate::triclinic::Cell;

/// Particles whose keys a thread computes at a time.
const CHUNK: usize = 1 << 12;

/// Particles in the order of a Hilbert curve, with the bounding boxes of groups.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    /// The index of each particle in the order of the caller.
    pub indices: Vec<u32>,
    /// The positions, wrapped into a periodic box; the third coordinate is 0 in two dimensions.
    pub positions: Vec<[f64; 3]>,
    /// The bounding boxes of groups.
    pub tree: BoxTree,
}

/// Returns the key of a position in a periodic box.
pub fn key(frame: &Frame, position: &[f64; 3]) -> u64 {
    keys(frame, std::slice::from_ref(position))[0]
}

/// Number of keys computed together: enough that compilers keep the loops and vectorize them.
const KEYS: usize = 64;

/// Returns the keys of at most [`KEYS`] positions; the remaining keys have no meaning.
#[inline(always)]
fn keys(frame: &Frame, positions: &[[f64; 3]]) -> [u64; KEYS] {
    let mut cells = [[0; KEYS]; 3];
    for (axis, cells) in cells.iter_mut().enumerate().take(frame.dimensions) {
        let mut along = [frame.origin[axis]; KEYS];
        for (x, position) in along.iter_mut().zip(positions) {
            *x = position[axis];
        }
        for (cell, x) in cells.iter_mut().zip(along) {
            *cell = frame.cell(axis, x);
        }
    }
    let [x, y, z] = cells;
    match frame.dimensions {
        2 => hilbert::indices([x, y], frame.bits()),
        _ => hilbert::indices([x, y, z], frame.bits()),
    }
}

/// Returns the sorted keys of positions in a periodic box, each with the index of its position.
pub fn sorted(wrapped: &[[f64; 3]], frame: &Frame) -> Vec<(u64, u32)> {
    let mut all = vec![(0, 0); wrapped.len()];
    let best = Best::new();
    parallel::each_chunk(&mut all, CHUNK, &|first, pairs| {
        for (first, pairs) in (first..).step_by(KEYS).zip(pairs.chunks_mut(KEYS)) {
            let keys = best.run(
                #[inline(always)]
                || keys(frame, &wrapped[first..first + pairs.len()]),
            );
            for ((k, pair), key) in (first..).zip(pairs).zip(keys) {
                *pair = (key, k as u32);
            }
        }
    });
    radix::sort(all)
}

/// Returns the image of each position in the box.
pub fn wrapped(positions: &[[f64; 3]], domain: &Domain) -> Vec<[f64; 3]> {
    let mut wrapped = positions.to_vec();
    wrap(&mut wrapped, domain);
    wrapped
}

/// Moves each position to its image in the box.
pub fn wrap(positions: &mut [[f64; 3]], domain: &Domain) {
    if domain.is_periodic() {
        parallel::each_chunk(positions, CHUNK, &|_, positions| {
            for position in positions {
                *position = domain.wrap(Point(*position)).0;
            }
        });
    }
}

/// Returns the image of a position in a rectangular box of these lengths, 0 along open axes.
pub fn wrap_in(position: [f64; 3], lengths: &[f64; 3]) -> [f64; 3] {
    Cell::rectangular(*lengths).wrap(position)
}

impl Ordered {
    /// Orders particles at these finite positions. Particles with equal keys keep their order.
    pub fn of(positions: &[[f64; 3]], domain: &Domain, frame: &Frame) -> Self {
        Self::of_wrapped(&wrapped(positions, domain), frame)
    }

    /// Orders particles at these positions in the box.
    pub fn of_wrapped(wrapped: &[[f64; 3]], frame: &Frame) -> Self {
        let indices = sorted(wrapped, frame).into_iter().map(|(_, index)| index).collect();
        Self::in_order(indices, wrapped)
    }

    /// Returns particles at these positions in the box, in the given order.
    pub fn in_order(indices: Vec<u32>, wrapped: &[[f64; 3]]) -> Self {
        let mut positions = vec![[0.0; 3]; indices.len()];
        parallel::each_chunk(&mut positions, CHUNK, &|first, positions| {
            for (position, &index) in positions.iter_mut().zip(&indices[first..]) {
                *position = wrapped[index as usize];
            }
        });
        let tree = BoxTree::of(&positions);
        Self { indices, positions, tree }
    }

    /// Returns the place of each particle in the order, by the index of the caller.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, &index) in self.indices.iter().enumerate() {
            places[index as usize] = place as u32;
        }
        places
    }

    /// Returns the positions in the order of the caller.
    pub fn given(&self) -> Vec<[f64; 3]> {
        let mut given = vec![[0.0; 3]; self.len()];
        for (&index, &position) in self.indices.iter().zip(&self.positions) {
            given[index as usize] = position;
        }
        given
    }

    /// Sorts one number for each particle from the order of the caller into this order.
    pub fn take(&self, numbers: &[f64]) -> Vec<f64> {
        self.indices.iter().map(|&index| numbers[index as usize]).collect()
    }

    /// Sorts one number for each particle from this order into the order of the caller.
    pub fn give(&self, numbers: &[f64]) -> Vec<f64> {
        let mut given = vec![0.0; self.len()];
        for (&index, &number) in self.indices.iter().zip(numbers) {
            given[index as usize] = number;
        }
        given
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let boxes: usize = self.tree.levels.iter().map(|boxes| size_of_val(&boxes[..])).sum();
        size_of_val(&self.indices[..]) + size_of_val(&self.positions[..]) + boxes
    }

    /// Tests whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_the_order_are_neighbours_in_space() {
        let grid = |k: u32| [k % 16, k / 16 % 16, k / 256].map(f64::from);
        let positions: Vec<_> = (0..4096).map(|k| grid(k * 1237 % 4096)).collect();
        let frame = Frame::of(positions.len(), &|k| positions[k], &Domain::Open, 3);
        let ordered = Ordered::of(&positions, &Domain::Open, &frame);
        let mut seen = ordered.indices.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..4096).collect::<Vec<_>>());
        for (place, &index) in ordered.indices.iter().enumerate() {
            assert_eq!(ordered.positions[place], positions[index as usize]);
        }
        let volume = |bounds: &crate::order::boxes::Bounds| {
            (0..3).map(|axis| bounds.greatest[axis] - bounds.least[axis] + 1.0).product::<f64>()
        };
        let mean = ordered.tree.groups().iter().map(volume).sum::<f64>() / 128.0;
        assert!(mean < 64.0, "{mean}");
    }

    #[test]
    fn one_key_keeps_the_order_of_indices() {
        let positions = vec![[0.5; 3]; 100];
        let frame = Frame::of(100, &|k| positions[k], &Domain::Open, 3);
        let ordered = Ordered::of(&positions, &Domain::Open, &frame);
        assert_eq!(ordered.indices, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn positions_are_in_the_box() {
        let domain = Domain::periodic([1.0, f64::INFINITY, 2.0]).unwrap();
        let positions = [[1.25, -7.0, -0.5], [0.25, 9.0, 4.0]];
        let frame = Frame::of(2, &|k| positions[k], &domain, 3);
        let ordered = Ordered::of(&positions, &domain, &frame);
        let mut found = ordered.positions.clone();
        found.sort_by(|a, b| a[1].total_cmp(&b[1]));
        assert_eq!(found, [[0.25, -7.0, 1.5], [0.25, 9.0, 0.0]]);
    }
}
