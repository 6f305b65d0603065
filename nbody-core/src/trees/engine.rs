//! Evaluates the pairs of a law by a tree, on any device.

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::memory::buffer::Buffer;
use crate::numeric::precision::Precision;
use crate::pairs::engine::Engine;
use crate::pairs::sources::{Sources, Store};
use crate::ranks::regions::TargetBox;
use crate::state::EngineState;
use crate::state::check_state;
use crate::trees::essential::Essential;
use crate::trees::opening::Opening;
use crate::trees::report::TreeReport;

/// The lengths of results, as a record, in double precision.
pub const LENGTHS: &[Field] = &[Field { name: "length", kind: FieldKind::Real }];

/// The greatest error of cells in walks where each rank has a tree, in units of the greatest error of one
/// tree: more cells act, each with an error. Cells that act on other ranks do so at a greater distance.
pub const ERROR_OF_PARTS: f64 = 0.75;

/// The part of a rank in the evaluation of a tree of distributed particles.
#[derive(Debug, Default)]
pub struct TreePart<'a> {
    /// The boxes around the i-particles of each rank whose sources are listed.
    pub boxes: &'a [Vec<TargetBox>],
    /// The lengths of results, for an opening by errors.
    pub lengths: Option<PartLengths<'a>>,
}

/// The lengths of the results of a rank: buffers of [`LENGTHS`], with a row for each result.
#[derive(Debug)]
pub struct PartLengths<'a> {
    /// The lengths that estimates of errors are compared with; without them distances alone open cells.
    pub before: Option<&'a dyn Buffer>,
    /// Receives the lengths of the results as they are stored: of the sums, where results are added.
    pub after: &'a mut dyn Buffer,
}

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
    /// positions in the periodic box. With lengths, the tree keeps none of its own. On a GPU the walks
    /// may not have ended when this returns.
    fn evaluate_part(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        to: (&mut dyn Buffer, Store),
        part: TreePart<'_>,
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

impl PartLengths<'_> {
    /// Returns these lengths for one of several evaluations.
    pub fn reborrow(&mut self) -> PartLengths<'_> {
        PartLengths { before: self.before, after: &mut *self.after }
    }

    /// Refuses other buffers, and other numbers of results.
    pub fn check(&self, results: usize) -> Result<(), Error> {
        for lengths in self.before.into_iter().chain([&*self.after]) {
            let what = "lengths of results";
            Error::check_record(what, lengths.fields(), LENGTHS)?;
            Error::check_length(what, lengths.len(), results)?;
            let (found, expected) = (lengths.precision(), Precision::Double);
            if found != expected {
                return Err(Error::PrecisionMismatch { what, found, expected });
            }
        }
        Ok(())
    }
}

/// Takes the state of a tree.
pub fn restore_tree(tree: &mut dyn Tree, state: &EngineState) -> Result<(), Error> {
    match state {
        EngineState::Results(lengths) => tree.compare_with(lengths),
        state => check_state(state),
    }
}
