//! Lists of a subset of all particles, whose given and excluded pairs name particles by the numbers
//! that they have among all.

use crate::error::Error;
use crate::lists::csr::Csr;
use crate::lists::given::check_indices;
use crate::memory::buffer::Buffer;
use crate::records::pack::dim;

/// The numbers of the particles that lists are for: buffers with an integer of 32 bits in each row.
#[derive(Clone, Copy, Debug)]
pub struct Subset<'a> {
    /// The numbers of the i-particles; `None` if they are the j-particles.
    pub i: Option<&'a dyn Buffer>,
    /// The numbers of the j-particles, one buffer behind another.
    pub j: &'a [&'a dyn Buffer],
    /// The number of i-particles with given pairs, the first ones.
    pub own: usize,
    /// The numbers of all i-particles and of all j-particles.
    pub n: [usize; 2],
}

/// The numbers of a subset in the memory of the host.
#[derive(Clone, Debug)]
pub struct SubsetNumbers {
    /// The numbers of the i-particles and of the j-particles.
    pub of: [Vec<u32>; 2],
    pub own: usize,
    pub n: [usize; 2],
}

impl SubsetNumbers {
    /// Reads the numbers of a subset.
    pub fn read(subset: &Subset<'_>) -> Result<Self, Error> {
        let j = subset.j.iter().map(|buffer| numbers(*buffer)).collect::<Result<Vec<_>, _>>()?;
        let j = j.concat();
        let i = subset.i.map_or_else(|| Ok(j.clone()), numbers)?;
        for (numbers, n) in [&i, &j].into_iter().zip(subset.n) {
            check_indices("numbers of a subset", numbers.chunks(1), n)?;
        }
        Error::check_range(&(0..subset.own), i.len())?;
        Ok(Self { of: [i, j], own: subset.own, n: subset.n })
    }

    /// Returns the pairs of the subset among the pairs of all particles, by rows of the subset, and
    /// whether the subset has all j-particles of its rows.
    ///
    /// # Panics
    ///
    /// If a pair names a j-particle beyond all of them.
    pub fn rows(&self, all: &Csr) -> (Csr, bool) {
        const NONE: u32 = u32::MAX;
        let [i, j] = &self.of;
        let mut places = vec![NONE; self.n[1]];
        for (row, number) in (0..).zip(j) {
            places[*number as usize] = row;
        }
        let (mut rows, mut has_all) = (Csr { offsets: vec![0], indices: Vec::new() }, true);
        for number in &i[..self.own] {
            let met = all.row(*number as usize).iter().map(|number| places[*number as usize]);
            has_all &= met.clone().all(|row| row != NONE);
            rows.indices.extend(met.filter(|row| *row != NONE));
            rows.offsets.push(rows.indices.len() as u64);
        }
        rows.offsets.resize(i.len() + 1, rows.indices.len() as u64);
        (rows, has_all)
    }
}

fn numbers(buffer: &dyn Buffer) -> Result<Vec<u32>, Error> {
    let n = buffer.len();
    let mut words = vec![0; n * dim(buffer.fields())];
    buffer.read(0..n, &mut |write| write(0..n, &mut words))?;
    Ok(words.into_iter().map(|word| word as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_subset_are_named_by_its_rows() {
        let all = Csr::from_pairs(5, &[[0, 1], [1, 2], [3, 4], [4, 4]]).unwrap();
        let of = |i: &[u32], j: &[u32], own| {
            let numbers = SubsetNumbers { of: [i.to_vec(), j.to_vec()], own, n: [5, 5] };
            let (rows, has_all) = numbers.rows(&all);
            let each = (0..rows.len()).map(|k| rows.row(k).to_vec()).collect::<Vec<_>>();
            (each, has_all)
        };
        let whole = of(&[4, 2, 1], &[4, 2, 1, 3], 2);
        assert_eq!(whole, (vec![vec![3, 0], vec![2], vec![]], true));
        let without = of(&[1, 4], &[1, 4, 2], 2);
        assert_eq!(without, (vec![vec![2], vec![1]], false));
        assert_eq!(of(&[], &[], 0), (vec![], true));
    }
}
