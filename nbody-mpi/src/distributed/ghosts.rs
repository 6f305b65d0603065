//! Copies of particles of other ranks that may act on particles of this one.

use std::sync::{Arc, OnceLock};

use nbody_core::Error;
use nbody_core::untyped::{Bounds, Kept, Moves, Points, RowLists};

use super::placement::{Numbers, Placement, moves, new_number};
use super::rows;
use crate::agreement::Operation;
use crate::shared::Job;

/// The ghosts of a rank.
#[derive(Debug)]
pub struct Ghosts {
    /// Other ghosts have another number.
    pub number: u64,
    /// The same number on all ranks, above 0.
    pub id: u64,
    /// The places of the particles.
    pub placement: Arc<Placement>,
    /// The particles of this rank that are ghosts of others.
    pub moves: Moves,
    /// The numbers of the ghosts, once they were needed.
    numbers: OnceLock<Numbers>,
}

impl Ghosts {
    /// Finds the particles, which are in the box `around`, within a distance of the boxes around the
    /// i-particles of other ranks.
    pub fn find(
        job: &Job,
        placement: &Arc<Placement>,
        (points, around): (Points<'_>, Bounds),
        boxes: &[Bounds],
        distance: f64,
    ) -> Result<Arc<Self>, Error> {
        let name = || format!("ghosts of {} particles", placement.n);
        let operation = Operation { name: &name, values: &[] };
        let lists = job.parts().near(points, &around, boxes, distance);
        let lists = job.agreement.on(&operation, lists)?;
        Self::of_lists(job, placement, lists)
    }

    /// Finds the particles with the numbers that each rank wants, which are on other ranks.
    pub fn wanted(
        job: &Job,
        placement: &Arc<Placement>,
        numbers: &[u32],
    ) -> Result<Arc<Self>, Error> {
        let words: Vec<_> = numbers.iter().map(|&number| u64::from(number)).collect();
        let wanted = rows::gather(&*job.communicator, &words)?;
        let lists = placement.rows().and_then(|rows| {
            let of_rank = |(rank, words): (usize, &Vec<u64>)| {
                let is_other = rank != job.communicator.rank();
                let rows = words.iter().filter_map(|number| rows.get(*number as u32));
                rows.filter(|_| is_other).collect()
            };
            job.parts().listed(wanted.iter().enumerate().map(of_rank).collect())
        });
        let name = || format!("ghosts of {} particles by their numbers", placement.n);
        let lists = job.agreement.on(&Operation { name: &name, values: &[] }, lists)?;
        Self::of_lists(job, placement, lists)
    }

    fn of_lists(
        job: &Job,
        placement: &Arc<Placement>,
        lists: Box<dyn RowLists>,
    ) -> Result<Arc<Self>, Error> {
        let moves = moves(job, lists)?;
        let (number, placement) = (new_number(), placement.clone());
        let id = 1 + job.agreement.count();
        Ok(Arc::new(Self { number, id, placement, moves, numbers: OnceLock::new() }))
    }

    /// Returns the numbers of the ghosts. All ranks call this together.
    pub fn numbers(&self, job: &Job) -> Result<&Numbers, Error> {
        if let Some(known) = self.numbers.get() {
            return Ok(known);
        }
        let name = || format!("the numbers of ghosts of {} particles", self.placement.n);
        let operation = Operation { name: &name, values: &[self.id] };
        let moves = (&self.moves, Kept::First(0));
        let numbers = self.placement.numbers.moved(job, moves, &operation)?;
        Ok(self.numbers.get_or_init(|| numbers))
    }
}
