//! Copies of particles of other ranks that may act on particles of this one.

use std::sync::{Arc, OnceLock};

use nbody_core::Error;
use nbody_core::untyped::{Bounds, Points};

use super::placement::{Moves, Numbers, Placement, new_number};
use crate::agreement::Operation;
use crate::shared::Job;

/// The ghosts of a rank.
#[derive(Debug)]
pub struct Ghosts {
    /// Other ghosts have another number.
    pub number: u64,
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
    ) -> Result<Self, Error> {
        let name = || format!("ghosts of {} particles", placement.n);
        let operation = Operation { name: &name, values: &[] };
        let lists = job.parts().near(points, &around, boxes, distance);
        let lists = job.agreement.on(&operation, lists)?;
        let moves = Moves::new(job, lists)?;
        let (number, placement) = (new_number(), placement.clone());
        Ok(Self { number, placement, moves, numbers: OnceLock::new() })
    }

    /// Returns the numbers of the ghosts. All ranks call this together.
    pub fn numbers(&self, job: &Job) -> Result<&[u32], Error> {
        if self.numbers.get().is_none() {
            let numbers = self.moves.exchanged(job, &self.placement.numbers)?;
            let _ = self.numbers.set(numbers);
        }
        self.numbers.get().map_or(Ok(&[]), Numbers::on_host)
    }
}
