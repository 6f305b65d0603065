//! The lengths of the results of distributed particles, which openings by errors compare with.

use std::sync::Arc;

use nbody_core::untyped::{Buffer, EngineState, LENGTHS, OwnedRows, check_given};
use nbody_core::{Error, Precision};

use super::buffer::Distributed;
use super::placement::Placement;
use super::rows::{self, Kind};
use crate::agreement::Operation;
use crate::shared::Job;

/// The lengths of results over ranks.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    /// The lengths of the last results, and the lengths that the last evaluation compared with.
    last: Option<Distributed>,
    compared: Option<Distributed>,
    /// The lengths of all results, from the caller, for the next evaluation.
    given: Option<Vec<f64>>,
    /// A buffer for the next lengths.
    spare: Option<Box<dyn Buffer>>,
}

impl Lengths {
    /// Forgets all lengths.
    pub fn forget(&mut self) {
        *self = Self { spare: self.spare.take(), ..Self::default() };
    }

    /// Takes lengths of all results for the next evaluation.
    pub fn give(&mut self, lengths: &[f64]) {
        self.given = Some(lengths.to_vec());
    }

    /// Returns whether the last results, of this number, are known, or were given.
    pub fn are_known(&self, results: usize) -> bool {
        self.given.is_some() || self.last.as_ref().is_some_and(|it| it.len() == results)
    }

    /// Refuses given lengths of another number of results.
    pub fn check(&self, results: usize) -> Result<(), Error> {
        check_given(self.given.as_deref(), results)
    }

    /// Returns the lengths of the last results of the particles of this rank, if they are known. All
    /// ranks call this together.
    pub fn before(
        &mut self,
        job: &Arc<Job>,
        placement: &Arc<Placement>,
    ) -> Result<Option<Arc<Box<dyn Buffer>>>, Error> {
        if let Some(given) = self.given.take() {
            let words = given.into_iter().map(f64::to_bits).collect();
            let given = OwnedRows::new(LENGTHS, words)
                .and_then(|given| job.device.upload(&given, Precision::Double));
            let name = || format!("lengths of {} results", placement.n);
            let given = job.agreement.on(&Operation { name: &name, values: &[] }, given)?;
            self.last = Some(Distributed::new(job, Kind::Particles, given));
        }
        let known = self.last.as_ref().filter(|it| it.len() == placement.n);
        known.map(|it| it.own(placement)).transpose()
    }

    /// Returns a buffer for the lengths of this number of results.
    pub fn fresh(&mut self, job: &Job, own: usize) -> Result<Box<dyn Buffer>, Error> {
        let mut fresh = match self.spare.take() {
            Some(spare) => spare,
            None => job.device.upload(&OwnedRows::new(LENGTHS, Vec::new())?, Precision::Double)?,
        };
        fresh.resize(own)?;
        Ok(fresh)
    }

    /// Keeps the lengths of the results of this rank, and the lengths that they were compared with.
    pub fn keep(
        &mut self,
        (job, placement): (&Arc<Job>, &Arc<Placement>),
        compared: Arc<Box<dyn Buffer>>,
        last: Box<dyn Buffer>,
    ) {
        self.last = Some(Distributed::placed(job, Kind::Particles, placement, Arc::new(last)));
        let before = Distributed::placed(job, Kind::Particles, placement, compared);
        self.spare = self.compared.replace(before).and_then(Distributed::into_rows);
    }

    /// Returns the lengths of all results that the last evaluation compared with. All ranks call this
    /// together.
    pub fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        let Some(compared) = &self.compared else { return Ok(None) };
        let words = rows::first(compared, compared.len())?;
        Ok(Some(words.into_iter().map(f64::from_bits).collect()))
    }

    /// Returns the state of a tree: the given lengths, which nothing was compared with, or the lengths
    /// that the last evaluation compared with. All ranks call this together.
    pub fn state(&self) -> Result<EngineState, Error> {
        let lengths = match &self.given {
            Some(given) => Some(given.clone()),
            None => self.compared()?,
        };
        Ok(lengths.map(EngineState::Results).unwrap_or_default())
    }
}
