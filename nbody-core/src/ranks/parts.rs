//! Parts of particles, which move between the devices of ranks.

use std::any::Any;
use std::fmt;

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::ranks::regions::{Bounds, Regions};
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

/// Finds parts of particles on the device of a rank, and moves them between the devices of all
/// ranks.
pub trait Parts: fmt::Debug + Send + Sync {
    /// Lists the particles in the region of each rank, in the order of their rows.
    fn by_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error>;

    /// Lists the particles within a distance of each box, in the order of their rows; none for a
    /// box of no points.
    fn near(
        &mut self,
        points: Points<'_>,
        boxes: &[Bounds],
        distance: f64,
    ) -> Result<Box<dyn RowLists>, Error>;

    /// Lists the rows whose indices a buffer has, an integer of 32 bits in each row, for this rank.
    fn numbered(&mut self, indices: &dyn Buffer) -> Result<Box<dyn RowLists>, Error>;

    /// Returns the box around the particles in each region. Coordinates that are not finite do not
    /// count.
    fn boxes(&mut self, points: Points<'_>, regions: &Regions) -> Result<Vec<Bounds>, Error>;

    /// Returns the points of the first particle and of every `step`-th one after it.
    fn sample(&mut self, points: Points<'_>, step: usize) -> Result<Vec<[f64; 3]>, Error>;

    /// Sends the rows in the list of each rank to it, and replaces the rows after the first `keep`
    /// ones by the rows that it receives from each rank, `received[r]` from rank r. The rows are
    /// rows of `from`, if it is given, else of `to`. All ranks call this together.
    fn exchange(
        &mut self,
        from: Option<&dyn Buffer>,
        to: &mut dyn Buffer,
        keep: usize,
        lists: &dyn RowLists,
        received: &[usize],
    ) -> Result<(), Error>;
}
