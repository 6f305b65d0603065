//! Typed particles and results in device memory.

use std::marker::PhantomData;

use crate::backend::Buffer;

/// Particles in device memory, in the precision of the engine.
#[derive(Debug)]
pub struct CudaParticles<P> {
    pub(crate) buffer: Buffer,
    pub(crate) record: PhantomData<P>,
}

/// Results in device memory, in the precision of the backup accumulators.
#[derive(Debug)]
pub struct CudaResults<F> {
    pub(crate) buffer: Buffer,
    pub(crate) record: PhantomData<F>,
}

impl<P> CudaParticles<P> {
    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.buffer.n
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F> CudaResults<F> {
    /// Returns the number of results.
    pub fn len(&self) -> usize {
        self.buffer.n
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
