//! The interface of all integrators.

use crate::steps::{NextStep, Steps, check_end, check_resolution};
use crate::{Energies, Error, Motion};

/// A run of any integrator.
///
/// `new(engine, &particles, step)` begins it, with [`Start`](crate::Start) in place of the
/// particles where it does not begin at time 0, or where motions are given beside the particles.
/// `resume(engine, &particles, &checkpoint, step)` continues it from a `checkpoint` to the last
/// bit.
pub trait Integrator {
    /// Advances by one step; with individual time steps, by the step of one block.
    fn advance(&mut self) -> Result<(), Error>;

    /// Waits until the device has finished all steps, so that they can be timed.
    fn wait(&self) -> Result<(), Error>;

    /// Returns the time of the last step.
    fn time(&self) -> f64;

    /// Returns the time at the end of the next step.
    fn next_time(&self) -> f64;

    /// Returns the length of the longest step that the run may take.
    fn longest_step(&self) -> f64 {
        self.next_time() - self.time()
    }

    /// Returns the number of steps so far.
    fn steps(&self) -> Steps;

    /// Returns the motions of all particles at this time within the next step, as predicted from
    /// the last step and its forces.
    fn motions_at(&self, time: f64) -> Result<Vec<Motion>, Error>;

    /// Returns the energies at the time of the last step. The results of the interaction must have
    /// a field `pot: Real`: the potential per unit mass if the results are accelerations (`acc`),
    /// an energy if they are forces (`force`).
    ///
    /// `pot` of a particle is whole: the sum over all j. The potential energy is half of the sum,
    /// ½ Σ m pot or ½ Σ pot, since each pair is met from both sides. A law that adds half of each
    /// pair to `pot` therefore has half of its potential energy here, and a total that is not
    /// conserved.
    fn energies(&mut self) -> Result<Energies, Error>;

    /// Returns the motions of all particles at the time of the last step.
    fn motions(&self) -> Result<Vec<Motion>, Error> {
        self.motions_at(self.time())
    }

    /// Returns whether the next step ends by this time, up to rounding, so that
    /// [`advance_to`](Self::advance_to) takes it. If the run goes back in time, "by" means at this
    /// time or after.
    fn ends_by(&self, time: f64) -> bool {
        NextStep { begin: self.time(), end: self.next_time() }.ends_by(time)
    }

    /// Takes all steps that end by this time. The run is then at the end of its last step, at this
    /// time or before: [`motions_at`](Self::motions_at) returns the motions at the time itself.
    ///
    /// Steps in powers of two end at the multiples of the largest step after the beginning. Refuses
    /// a time before the end of the last step, and a time so late that `f64` cannot resolve a step.
    fn advance_to(&mut self, time: f64) -> Result<(), Error> {
        self.advance_while(time, &mut || true).map(|_| ())
    }

    /// Takes the steps of [`advance_to`](Self::advance_to) as long as `goes_on`, which is asked after each
    /// step, says so. Returns whether all were taken: a call with the same time takes the rest.
    fn advance_while(
        &mut self,
        time: f64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        check_end(time)?;
        let next = NextStep { begin: self.time(), end: self.next_time() };
        next.check_ahead(time, self.longest_step())?;
        if self.ends_by(time) {
            check_resolution(time, self.longest_step())?;
        }
        while self.ends_by(time) {
            self.advance()?;
            if !goes_on() {
                return Ok(!self.ends_by(time));
            }
        }
        Ok(true)
    }
}
