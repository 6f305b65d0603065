//! Evaluates the pairs of a law by a tree, on any device.

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::pairs::engine::Engine;
use crate::pairs::sources::{Sources, Store};
use crate::ranks::regions::Bounds;
use crate::state::EngineState;
use crate::state::check_state;
use crate::trees::essential::Essential;
use crate::trees::opening::Opening;
use crate::trees::report::TreeReport;

/// Evaluates the pairs of a law by a tree.
pub trait Tree: Engine {
    /// Returns the criterion that opens cells.
    fn opening(&self) -> Opening;

    /// Sets the criterion that opens cells.
    fn set_opening(&mut self, opening: Opening) -> Result<(), Error>;

    /// Returns the distance beyond which the law is harmonic.
    fn harmonic_distance(&self) -> f64;

    /// Returns the lengths of the results that the last evaluation compared error estimates with.
    fn compared(&self) -> Result<Option<Vec<f64>>, Error>;

    /// Makes the next evaluation compare error estimates with results of these lengths. An
    /// evaluation of another number of results is an error, and the lengths are kept for the next
    /// one. Without lengths the next evaluation finds its own.
    fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error>;

    /// Evaluates as [`evaluate`](Engine::evaluate) does, and lists the sources that act on other
    /// i-particles: for each rank, the sources for i-particles anywhere in its boxes, which are of
    /// positions in the periodic box. On a GPU the walks may not have ended when this returns.
    fn evaluate_for(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        to: (&mut dyn Buffer, Store),
        boxes: &[Vec<Bounds>],
    ) -> Result<Essential<'_>, Error>;

    /// Starts or stops the measurement of the times of the parts of evaluations.
    fn set_timed(&mut self, is_on: bool);

    /// Returns the size of the tree of the last evaluation, its work and its times.
    fn report(&self) -> Result<TreeReport, Error>;
}

/// Refuses lengths that were given for another number of results.
pub fn check_given(given: Option<&[f64]>, results: usize) -> Result<(), Error> {
    let what = "lengths of results to compare with";
    given.map_or(Ok(()), |given| Error::check_length(what, given.len(), results))
}

/// Takes the state of a tree.
pub fn restore_tree(tree: &mut dyn Tree, state: &EngineState) -> Result<(), Error> {
    match state {
        EngineState::Results(lengths) => tree.compare_with(lengths),
        state => check_state(state),
    }
}
