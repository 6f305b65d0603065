//! The places of particles: the rank of each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use nbody_core::untyped::{Buffer, Kept, Moves, OwnedRows, Regions, RowLists};
use nbody_core::{Error, Field, FieldKind, Precision};

use super::rows;
use crate::agreement::Operation;
use crate::shared::Job;

/// The numbers of particles, as a record.
const NUMBERS: &[Field] = &[Field { name: "number", kind: FieldKind::U32 }];

/// Numbers of particles on the device of a rank.
#[derive(Debug)]
pub struct Numbers {
    pub on_device: Box<dyn Buffer>,
    on_host: OnceLock<Vec<u32>>,
}

impl Numbers {
    /// Returns the numbers in the list of this rank.
    pub fn listed(job: &Job, lists: &dyn RowLists) -> Result<Self, Error> {
        let rows = &lists.rows()?[job.communicator.rank()];
        let rows = OwnedRows::new(NUMBERS, rows.iter().map(|&row| row.into()).collect())?;
        Ok(Self::of(job.device.upload(&rows, Precision::Single)?))
    }

    fn of(on_device: Box<dyn Buffer>) -> Self {
        Self { on_device, on_host: OnceLock::new() }
    }

    /// Returns the numbers of the particles that this rank has after moves. All ranks call this
    /// together.
    pub fn moved(
        &self,
        job: &Job,
        (moves, kept): (&Moves, Kept),
        operation: &Operation<'_>,
    ) -> Result<Self, Error> {
        let from = Some(&*self.on_device);
        let nothing = OwnedRows::new(NUMBERS, Vec::new())?;
        let ready = job.device.upload(&nothing, Precision::Single).and_then(|to| {
            job.parts().reserve(from, &*to, kept, moves)?;
            Ok(to)
        });
        let mut to = job.agreement.on(operation, ready)?;
        let done = job.parts().exchange(from, &mut *to, kept, moves);
        job.agreement.on(operation, done.map(|()| Self::of(to)))
    }

    /// Returns the numbers on the host.
    pub fn on_host(&self) -> Result<&[u32], Error> {
        if let Some(known) = self.on_host.get() {
            return Ok(known);
        }
        let words = rows::first(&*self.on_device, self.on_device.len())?;
        Ok(self.on_host.get_or_init(|| words.into_iter().map(|word| word as u32).collect()))
    }
}

/// Tells the ranks the number of rows that they receive.
pub fn moves(job: &Job, lists: Box<dyn RowLists>) -> Result<Moves, Error> {
    let mut counts: Vec<_> = lists.counts().iter().map(|count| *count as u64).collect();
    counts[job.communicator.rank()] = 0;
    let each: Vec<&[u64]> = counts.chunks(1).collect();
    let received = rows::exchange(&*job.communicator, &each, &vec![1; counts.len()], 1)?;
    let received = received.into_iter().map(|count| count as usize).collect();
    Ok(Moves { lists, received })
}

/// The particles of a set that are on this rank.
#[derive(Debug)]
pub struct Placement {
    /// A later placement has a greater number.
    pub number: u64,
    /// The number of particles on all ranks.
    pub n: usize,
    /// The numbers of the particles of this rank, in the order of its rows.
    pub numbers: Numbers,
    /// The regions that the particles were in.
    pub regions: Arc<Regions>,
    /// The greatest number of particles of a rank when the regions were cut for them; the mean, if they
    /// were cut for others.
    pub most: usize,
    /// Whether no rank has many more now.
    pub is_balanced: bool,
    /// The number of the placement that this one replaces, and the rows that have left.
    pub before: Option<(u64, Moves)>,
    /// The rows of the particles of this rank, once they were needed.
    pub rows: OnceLock<RowsOfNumbers>,
}

/// The rows of particles by their numbers: four bytes for each particle of all ranks.
#[derive(Debug)]
pub struct RowsOfNumbers(Vec<u32>);

impl RowsOfNumbers {
    const NONE: u32 = u32::MAX;

    /// Returns the rows of the particles with these numbers, of `n` particles.
    fn new(n: usize, numbers: &[u32]) -> Self {
        let mut rows = vec![Self::NONE; n];
        for (row, number) in (0..).zip(numbers) {
            rows[*number as usize] = row;
        }
        Self(rows)
    }

    /// Returns the row of a particle; `None` if it is on another rank.
    pub fn get(&self, number: u32) -> Option<u32> {
        self.0.get(number as usize).copied().filter(|row| *row != Self::NONE)
    }
}

impl Placement {
    /// Returns the number of particles of this rank.
    pub fn own(&self) -> usize {
        self.numbers.on_device.len()
    }

    /// Returns the rows of the particles of this rank.
    pub fn rows(&self) -> Result<&RowsOfNumbers, Error> {
        let numbers = self.numbers.on_host()?;
        Ok(self.rows.get_or_init(|| RowsOfNumbers::new(self.n, numbers)))
    }
}

/// Returns a number that was never returned before.
pub fn new_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
