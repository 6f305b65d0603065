//! Particles and results of known types in the memory of a device.

use std::marker::PhantomData;

use crate::backend::Buffer;

/// Particles in the memory of a device, in the precision of an evaluation.
#[derive(Debug)]
pub struct CudaParticles<P> {
    pub(crate) buffer: Buffer,
    pub(crate) record: PhantomData<P>,
}

/// Results in the memory of a device, in the precision of the backup accumulators.
#[derive(Debug)]
pub struct CudaResults<F> {
    pub(crate) buffer: Buffer,
    pub(crate) record: PhantomData<F>,
}

impl<P> CudaParticles<P> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.buffer.n
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F> CudaResults<F> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.buffer.n
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
