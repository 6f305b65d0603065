//! Typed particles and results in device memory.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use nbody_core::pack::{self, Rows, WriteRows};
use nbody_core::{FieldValue, Precision, Record};

use crate::Error;
use crate::backend::{Backend, Buffer};
use crate::particle::field::FieldCopy;

/// Particles in device memory, in the precision of the engine.
#[derive(Debug)]
pub struct CudaParticles<P> {
    pub(crate) buffer: Buffer,
    pub(crate) field_copy: Arc<FieldCopy>,
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

    /// Returns the precision.
    pub fn precision(&self) -> Precision {
        self.buffer.precision
    }
}

impl<P: Record<Lane = f64>> CudaParticles<P> {
    pub(crate) fn upload(
        backend: &Arc<dyn Backend>,
        particles: &dyn Rows,
        precision: Precision,
        field_copy: &Arc<FieldCopy>,
    ) -> Result<Self, Error> {
        let buffer = Buffer::of_particles(backend, particles, precision)?;
        Ok(Self { buffer, field_copy: field_copy.clone(), record: PhantomData })
    }

    /// Copies some of the particles to the host, after all earlier work.
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<P>, Error> {
        nbody_core::Error::check_range(&range, self.len())?;
        let (n, mut particles) = (range.len(), Vec::new());
        let take = &mut |write: &WriteRows| particles = pack::unpack(n, write);
        self.buffer.read_particles(P::FIELDS, range, take)?;
        Ok(particles)
    }

    /// Copies one field of all particles to the host, after all earlier work.
    pub fn download_field<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, Error> {
        let (field, binding) = pack::find_field::<T>(P::FIELDS, name)?;
        let (n, mut values) = (self.len(), Vec::new());
        let take = &mut |write: &WriteRows| values = pack::values(n, write);
        self.field_copy.read(&self.buffer, P::FIELDS, field, &binding, take)?;
        Ok(values)
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
