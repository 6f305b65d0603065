//! Selections of particles on the CPU.

use super::engine::check_precision;
use super::{CpuInputs, CpuParticles, CpuPerParticle};
use crate::law::binding::Binding;
use crate::numeric::simd::LINE;
use crate::{Error, Record, Update};

/// An order of particles in which those that take part come first: those whose field `active: u32` is not
/// zero. Within both groups they keep their order.
#[derive(Clone, Debug, Default)]
pub struct CpuSelection {
    indices: Vec<u32>,
}

impl CpuSelection {
    /// Orders these particles, and returns how many take part.
    pub fn select<P: Record>(&mut self, particles: &CpuParticles<P>) -> Result<usize, Error> {
        let binding = Binding::active(P::FIELDS)?;
        let mut lines = Vec::new();
        let n = particles.len();
        particles.particles.widen(&binding, 0..n.div_ceil(LINE), &mut lines);
        let is_active = |k: &u32| lines[*k as usize / LINE].0[*k as usize % LINE] != 0;
        self.indices.clear();
        self.indices.extend((0..n as u32).filter(is_active));
        let active = self.indices.len();
        self.indices.extend((0..n as u32).filter(|k| !is_active(k)));
        Ok(active)
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Returns the indices of the first particles in this order.
    fn first(&self, count: usize) -> Result<&[u32], Error> {
        Error::check_range(&(0..count), self.len())?;
        Ok(&self.indices[..count])
    }

    /// Copies the first particles in this order to another buffer, which then has as many.
    pub fn gather<P: Clone>(
        &self,
        count: usize,
        from: &CpuParticles<P>,
        to: &mut CpuParticles<P>,
    ) -> Result<(), Error> {
        Error::check_length("particles to select from", from.len(), self.len())?;
        let (found, expected) = (to.particles.precision, from.particles.precision);
        check_precision("selected particles", found, expected)?;
        to.particles = from.particles.gather(self.first(count)?)?;
        Ok(())
    }

    /// Changes the first particles in this order. Results are those of these particles, in this order.
    pub fn update<U: Update, P: Record, Q: Record, F: Record>(
        &self,
        count: usize,
        update: &CpuPerParticle<U>,
        particles: &mut CpuParticles<P>,
        inputs: CpuInputs<Q, F>,
    ) -> Result<(), Error> {
        Error::check_length("particles to select from", particles.len(), self.len())?;
        let indices = self.first(count)?;
        let mut part = particles.clone();
        self.gather(count, particles, &mut part)?;
        let q = self.gathered(count, inputs.q)?;
        update.update_by_name(&mut part, CpuInputs { q: q.as_ref(), f: inputs.f })?;
        particles.particles.scatter(&part.particles, indices);
        Ok(())
    }

    /// Changes particles, each by the second particle that has its place in this order.
    pub fn update_from<U: Update, P: Record, Q: Record, F: Record>(
        &self,
        update: &CpuPerParticle<U>,
        particles: &mut CpuParticles<P>,
        inputs: CpuInputs<Q, F>,
    ) -> Result<(), Error> {
        let q = self.gathered(particles.len(), inputs.q)?;
        update.update_by_name(particles, CpuInputs { q: q.as_ref(), f: inputs.f })
    }

    fn gathered<Q: Clone>(
        &self,
        count: usize,
        q: Option<&CpuParticles<Q>>,
    ) -> Result<Option<CpuParticles<Q>>, Error> {
        let Some(q) = q else { return Ok(None) };
        Error::check_length("second particles to select from", q.len(), self.len())?;
        let particles = q.particles.gather(self.first(count)?)?;
        Ok(Some(CpuParticles { particles, record: q.record }))
    }
}
