//! Programs per particle, selections and sequences, on any device.

use std::any::Any;
use std::fmt;

use crate::domain::Domain;
use crate::error::Error;
use crate::law::program::ParticleProgram;
use crate::memory::buffer::Buffer;

/// The buffers that a program reads besides the particles, in the order of its records.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The second particles.
    pub q: &'a [&'a dyn Buffer],
    /// The results of interactions.
    pub f: &'a [&'a dyn Buffer],
    /// The totals of measures, each one record that all particles read.
    pub g: &'a [&'a dyn Buffer],
}

/// The first particles of a selection.
#[derive(Clone, Copy, Debug)]
pub struct First<'a> {
    /// The selection.
    pub selection: &'a dyn Selection,
    /// The number of particles.
    pub count: usize,
    /// The particles to copy, if copies are updated instead of the particles themselves.
    pub from: Option<&'a dyn Buffer>,
    /// The name of the parameter, a `u32`, that the time of the selection replaces.
    pub due: Option<&'a str>,
}

/// Runs programs per particle that have one record of parameters.
pub trait PerParticle: Any + fmt::Debug + Send + Sync {
    /// Sets the parameters; nothing is compiled again.
    ///
    /// NaN is refused, also by every update and measure until other parameters are set.
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error>;

    /// Returns the domain of the particles.
    fn domain(&self) -> Domain;

    /// Sets the domain of the particles.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error>;

    /// Returns whether positions are wrapped into the box.
    fn wraps(&self) -> bool;

    /// Sets whether positions are wrapped into the box.
    fn set_wrap(&mut self, wrap: bool);

    /// Compiles a program for buffers of these records and precisions, so that its first use compiles
    /// nothing. A processor has nothing to compile.
    fn prepare(
        &mut self,
        _program: &'static ParticleProgram,
        _particles: &dyn Buffer,
        _beside: Beside<'_>,
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Updates each particle; with a selection, only its first particles.
    fn update(
        &mut self,
        program: &'static ParticleProgram,
        particles: &mut dyn Buffer,
        beside: Beside<'_>,
        first: Option<First<'_>>,
    ) -> Result<(), Error>;

    /// Returns the total of a measure over all particles, as one row.
    fn measure(
        &mut self,
        program: &'static ParticleProgram,
        particles: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<Vec<u64>, Error>;

    /// Writes the total of a measure over all particles to a buffer of one record, which stays on the
    /// device: see [`Device::total`](crate::device::Device::total). The host does not wait.
    fn measure_into(
        &mut self,
        program: &'static ParticleProgram,
        particles: &dyn Buffer,
        beside: Beside<'_>,
        total: &mut dyn Buffer,
    ) -> Result<(), Error>;
}

/// An order of particles in which the particles that take part come first.
pub trait Selection: Any + fmt::Debug + Send + Sync {
    /// Returns the number of particles.
    fn len(&self) -> usize;

    /// Returns whether there are no particles.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Orders particles by a field, a `u32`, and returns the number of particles that take part:
    /// particles where it is not zero.
    fn select(&mut self, particles: &dyn Buffer, field: &str) -> Result<usize, Error>;

    /// Orders particles by a field, a `u32`, without waiting for the device: particles take part
    /// where it is the first to follow `now`.
    fn seek_soonest(&mut self, particles: &dyn Buffer, field: &str, now: u32) -> Result<(), Error>;

    /// Returns the number of particles that are due first, and the time until then.
    fn soonest(&self) -> Result<(usize, u32), Error>;

    /// Copies the first particles in this order.
    fn gather(&self, count: usize, from: &dyn Buffer, to: &mut dyn Buffer) -> Result<(), Error>;

    /// Keeps the first particles in this order, in this order, and removes the others, on the device.
    /// The order stays, for other buffers of the same length. The particles are unchanged if they are
    /// refused.
    fn keep(&mut self, count: usize, particles: &mut dyn Buffer) -> Result<(), Error>;

    /// Keeps the particles where a field, a `u32`, is not zero, in their order, and removes the others.
    /// Returns the number that is kept; the host receives nothing else.
    fn retain(&mut self, particles: &mut dyn Buffer, field: &str) -> Result<usize, Error> {
        let count = self.select(particles, field)?;
        if count < particles.len() {
            self.keep(count, particles)?;
        }
        Ok(count)
    }
}

/// Repeated operations.
pub trait Sequence: fmt::Debug + Send + Sync {
    /// Runs work, and defers its launches to the end.
    fn run(&mut self, work: &mut dyn FnMut()) -> Result<(), Error>;
}
