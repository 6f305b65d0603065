//! The pairs of lists that were within reach when the lists were built.

use crate::lists::list::Lists;
use crate::order::image::{image, place};
use crate::order::ordered::Ordered;
use crate::order::{GROUP, image};
use crate::parallel;
use crate::triclinic::Cell;

/// The neighbours of each i-particle, in compressed sparse rows, by the indices of the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csr {
    /// The beginning of the row of each i-particle, and the end of the last row.
    pub offsets: Vec<u64>,
    /// The indices of j-particles: the rows, one after another.
    pub indices: Vec<u32>,
}

impl Csr {
    /// Returns the neighbours of an i-particle; nothing if the offsets lack its row, or the
    /// indices a part of it. [`check`](Self::check) refuses such rows.
    pub fn row(&self, i: usize) -> &[u32] {
        let ends = self.offsets.get(i..).and_then(<[u64]>::first_chunk);
        let row = ends.and_then(|&[begin, end]| {
            self.indices.get(usize::try_from(begin).ok()?..usize::try_from(end).ok()?)
        });
        row.unwrap_or_default()
    }
}

/// Lists with their particles.
pub struct ListedPairs<'a> {
    /// The lists.
    pub lists: &'a Lists,
    /// The i-particles, where they were when the lists were built.
    pub i: &'a Ordered,
    /// The j-particles.
    pub j: &'a Ordered,
    /// The periodic box, 0 along open axes.
    pub cell: Cell,
    /// Whether i-particle k is j-particle k, and so no neighbour of itself.
    pub one_set: bool,
    /// The greatest reach over all pairs.
    pub greatest: f64,
    /// The reach of a pair, by the places of both particles in their orders.
    pub reach: &'a (dyn Fn(usize, usize) -> f64 + Sync),
}

impl ListedPairs<'_> {
    /// Returns the number of pairs that an evaluation tests.
    pub fn tested(&self) -> u64 {
        let groups = 0..self.i.tree.groups().len();
        let tested = |group: usize| {
            let particles = self.i.len().min((group + 1) * GROUP) - group * GROUP;
            (particles * self.lists.of(group).len()) as u64
        };
        groups.map(tested).sum()
    }

    /// Returns the number of pairs within reach. Each image of a j-particle counts.
    pub fn count(&self) -> u64 {
        let mut counts = vec![0_u64; self.i.tree.groups().len()];
        parallel::each_chunk(&mut counts, 1, &|group, counts| {
            for count in counts {
                self.each(group, &mut |_, _| *count += 1);
            }
        });
        counts.iter().sum()
    }

    /// Returns the indices of the j-particles within reach of each i-particle, in ascending order.
    pub fn csr(&self) -> Csr {
        let mut rows = vec![Vec::new(); self.i.len()];
        parallel::each_chunk(&mut rows, GROUP, &|first, rows| {
            // There may be no i-particles.
            if !rows.is_empty() {
                self.each(first / GROUP, &mut |i, j| rows[i - first].push(self.j.indices[j]));
            }
            for row in rows {
                row.sort_unstable();
                row.dedup();
            }
        });
        let mut places = vec![0; rows.len()];
        for (place, &index) in self.i.indices.iter().enumerate() {
            places[index as usize] = place;
        }
        let mut csr = Csr { offsets: vec![0], indices: Vec::new() };
        csr.indices.reserve_exact(rows.iter().map(Vec::len).sum());
        for place in places {
            csr.indices.extend(&rows[place]);
            csr.offsets.push(csr.indices.len() as u64);
        }
        csr
    }

    /// Calls a function with the places of both particles of each pair within reach, for one
    /// group.
    fn each(&self, group: usize, visit: &mut dyn FnMut(usize, usize)) {
        let particles = group * GROUP..self.i.len().min((group + 1) * GROUP);
        let range = self.lists.range(group);
        for (k, &entry) in range.clone().zip(&self.lists.entries[range]) {
            let (j, mask) = (place(entry), self.lists.mask(k));
            let displacement = image::displacement(image(entry), &self.cell);
            let at = [0, 1, 2].map(|axis| self.j.positions[j][axis] + displacement[axis]);
            for i in particles.clone() {
                let is_itself = self.one_set && self.i.indices[i] == self.j.indices[j];
                if is_itself || mask >> (i % GROUP) & 1 == 0 {
                    continue;
                }
                let [x, y, z] = [0, 1, 2].map(|axis| at[axis] - self.i.positions[i][axis]);
                let distance2 = x * x + y * y + z * z;
                if distance2 <= self.greatest * self.greatest {
                    let reach = (self.reach)(i, j);
                    if distance2 <= reach * reach {
                        visit(i, j);
                    }
                }
            }
        }
    }
}
