//! Parts of particles, which move between the devices of ranks.

use std::any::Any;
use std::fmt;

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::ranks::regions::{Bounds, Regions, TargetBox};
use crate::records::binding::Binding;

/// The points of particles.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// The particles.
    pub particles: &'a dyn Buffer,
    /// The number of particles that count: the first ones.
    pub n: usize,
    /// The place of the position in their records.
    pub position: &'a Binding,
    /// The lengths of a periodic space, 0 along open axes.
    pub lengths: [f64; 3],
}

/// Rows of a buffer, by their indices: a list for each rank.
pub trait RowLists: Any + fmt::Debug + Send + Sync {
    /// Returns the number of rows in each list.
    fn counts(&self) -> &[usize];

    /// Returns the rows of each list.
    fn rows(&self) -> Result<Vec<Vec<u32>>, Error>;
}

/// Rows of a buffer in the memory of the host.
#[derive(Debug)]
pub struct HostLists {
    rows: Vec<Vec<u32>>,
    counts: Vec<usize>,
}

impl HostLists {
    /// Returns a list for each rank.
    pub fn boxed(rows: Vec<Vec<u32>>) -> Box<dyn RowLists> {
        let counts = rows.iter().map(Vec::len).collect();
        Box::new(Self { rows, counts })
    }
}

impl RowLists for HostLists {
    fn counts(&self) -> &[usize] {
        &self.counts
    }

    fn rows(&self) -> Result<Vec<Vec<u32>>, Error> {
        Ok(self.rows.clone())
    }
}

/// Rows that a rank sends to other ranks, and the numbers of rows that it receives.
#[derive(Debug)]
pub struct Moves {
    /// The rows for each rank.
    pub lists: Box<dyn RowLists>,
    /// The number of rows from each rank.
    pub received: Vec<usize>,
}

/// The rows of a rank that stay when rows move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The first rows of the target; the received rows replace the rows after them, one rank after
    /// another.
    First(usize),
    /// All rows of the source but the rows in the list of this rank, whose places received rows take
    /// ([`replaced`]).
    Staying,
}

/// Replaces some rows, in ascending order, by other ones. The k-th other row takes the k-th place;
/// further ones follow the last row. If there are fewer, the last rows that stay take the other places,
/// in their order.
pub fn replaced<T: Clone>(rows: &mut Vec<T>, places: &[u32], others: &[T]) {
    let filled = places.len().min(others.len());
    let (mine, more) = others.split_at(filled);
    for (place, other) in places.iter().zip(mine) {
        rows[*place as usize] = other.clone();
    }
    rows.extend_from_slice(more);
    let holes = &places[filled..];
    let end = rows.len() - holes.len();
    let is_hole = |row: &usize| holes.binary_search(&(*row as u32)).is_ok();
    let staying = (end..rows.len()).filter(|row| !is_hole(row));
    let staying: Vec<_> = staying.map(|row| rows[row].clone()).collect();
    for (hole, row) in holes.iter().zip(staying) {
        rows[*hole as usize] = row;
    }
    rows.truncate(end);
}

/// Finds parts of particles on the device of a rank, and moves them between the devices of all
/// ranks.
pub trait Parts: fmt::Debug + Send + Sync {
    /// Lists the particles in the region of this rank for it, in the order of their rows.
    fn in_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error>;

    /// Lists the particles outside the region of this rank for the ranks of their regions, and all of
    /// them for this rank, in the order of their rows.
    fn leaving(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error>;

    /// Lists the particles within a distance of the box of each other rank for it, in the order of
    /// their rows; none for a box of no points. All particles are in the box `around`.
    fn near(
        &mut self,
        points: Points<'_>,
        around: &Bounds,
        boxes: &[Bounds],
        distance: f64,
    ) -> Result<Box<dyn RowLists>, Error>;

    /// Takes a list of rows for each rank.
    fn listed(&mut self, rows: Vec<Vec<u32>>) -> Result<Box<dyn RowLists>, Error>;

    /// Lists the rows whose indices a buffer has, an integer of 32 bits in each row, for this rank.
    fn numbered(&mut self, indices: &dyn Buffer) -> Result<Box<dyn RowLists>, Error>;

    /// Returns the box around the particles in each region, with the least of their `lengths`, a buffer of
    /// [`LENGTHS`](crate::untyped::LENGTHS): 0 if one is NaN, infinite without lengths. Coordinates that
    /// are not finite do not count.
    fn boxes(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
        lengths: Option<&dyn Buffer>,
    ) -> Result<Vec<TargetBox>, Error>;

    /// Returns the points of the first particle and of every `step`-th one after it.
    fn sample(&mut self, points: Points<'_>, step: usize) -> Result<Vec<[f64; 3]>, Error>;

    /// Reserves the device memory that [`exchange`](Self::exchange) needs for the same rows: a rank that
    /// lacked it then would leave the others waiting.
    fn reserve(
        &mut self,
        from: Option<&dyn Buffer>,
        to: &dyn Buffer,
        kept: Kept,
        moves: &Moves,
    ) -> Result<(), Error>;

    /// Sends rows to their ranks, and adds the rows that it receives to the kept ones. The rows are
    /// rows of `from`, if it is given, which stay there, else of `to`. All ranks call this together.
    fn exchange(
        &mut self,
        from: Option<&dyn Buffer>,
        to: &mut dyn Buffer,
        kept: Kept,
        moves: &Moves,
    ) -> Result<(), Error>;
}

#[cfg(test)]
mod tests {
    use super::replaced;

    /// Each row stays in its place, or takes the place of one that leaves.
    #[test]
    fn rows_stay_in_their_places_and_fill_others() {
        for n in 0..9_usize {
            for leaving in 0..1_u32 << n {
                let places: Vec<_> = (0..n as u32).filter(|k| leaving >> k & 1 != 0).collect();
                for arrivals in 0..9 {
                    let others: Vec<_> = (100..100 + arrivals).collect();
                    let mut rows: Vec<_> = (0..n as u32).collect();
                    replaced(&mut rows, &places, &others);
                    let stays = |k: &u32| leaving >> k & 1 == 0;
                    let mut expected: Vec<_> = (0..n as u32).filter(stays).chain(others).collect();
                    let moved = rows.iter().zip(0..).filter(|(row, k)| **row < 100 && *row != k);
                    assert!(moved.count() <= places.len().saturating_sub(arrivals as usize));
                    rows.sort_unstable();
                    expected.sort_unstable();
                    assert_eq!(rows, expected, "{n} rows, {places:?} leave, {arrivals} arrive");
                }
            }
        }
        let mut rows = vec![0, 1, 2, 3, 4, 5, 6, 7];
        replaced(&mut rows, &[1, 3, 6], &[10]);
        assert_eq!(rows, [0, 10, 2, 7, 4, 5]);
    }
}
