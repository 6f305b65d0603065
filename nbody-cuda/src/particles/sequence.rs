//! Sequences of operations that are repeated.

use nbody_core::untyped;

use crate::backend::{Batch, in_batch};
use crate::error::Error;

/// The launches of repeated operations.
#[derive(Debug)]
pub(crate) struct CudaSequence(pub Box<dyn Batch>);

impl untyped::Sequence for CudaSequence {
    fn run(&mut self, work: &mut dyn FnMut()) -> Result<(), nbody_core::Error> {
        let done = in_batch(Some(&mut self.0), || {
            work();
            Ok::<_, Error>(())
        });
        Ok(done?)
    }
}
