//! Selections of particles on the CPU.

use super::engine::check_precision;
use super::{CpuInputs, CpuParticles, CpuPerParticle};
use crate::law::binding::Binding;
use crate::numeric::simd::LINE;
use crate::{Error, Record, Update, pack};

/// An order of particles in which those that take part come first. Within both groups they keep their
/// order.
#[derive(Clone, Debug, Default)]
pub struct CpuSelection {
    indices: Vec<u32>,
    /// The number of those that take part, and the time until then.
    soonest: (usize, u32),
    /// The time at which they take part.
    due: u32,
}

impl CpuSelection {
    /// Orders these particles, and returns how many take part: those whose field `active: u32` is not
    /// zero.
    pub fn select<P: Record>(&mut self, particles: &CpuParticles<P>) -> Result<usize, Error> {
        let active = integers(&Binding::active(P::FIELDS)?, particles);
        let count = self.order(active.len(), &|k| active[k] != 0);
        (self.soonest, self.due) = ((count, 0), 0);
        Ok(count)
    }

    /// Orders these particles, and returns how many take part and the time until then: those whose
    /// field `due: u32` follows `now` first. Times are modulo 2³².
    pub fn select_soonest<P: Record>(
        &mut self,
        particles: &CpuParticles<P>,
        now: u32,
    ) -> Result<(usize, u32), Error> {
        self.seek_soonest(particles, now)?;
        Ok(self.soonest())
    }

    /// Orders these particles as [`select_soonest`](Self::select_soonest) does.
    pub fn seek_soonest<P: Record>(
        &mut self,
        particles: &CpuParticles<P>,
        now: u32,
    ) -> Result<(), Error> {
        let due = integers(&Binding::due(P::FIELDS)?, particles);
        let least = due.iter().map(|due| due.wrapping_sub(now)).min().unwrap_or(0);
        let count = self.order(due.len(), &|k| due[k].wrapping_sub(now) == least);
        (self.soonest, self.due) = ((count, least), now.wrapping_add(least));
        Ok(())
    }

    /// Returns how many particles the last [`seek_soonest`](Self::seek_soonest) found to take part, and
    /// the time until then.
    pub fn soonest(&self) -> (usize, u32) {
        self.soonest
    }

    /// Orders `n` particles, and returns how many take part.
    fn order(&mut self, n: usize, takes_part: &dyn Fn(usize) -> bool) -> usize {
        self.indices.clear();
        self.indices.extend((0..n).filter(|&k| takes_part(k)).map(|k| k as u32));
        let count = self.indices.len();
        self.indices.extend((0..n).filter(|&k| !takes_part(k)).map(|k| k as u32));
        count
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

    /// Changes copies of the first particles in this order, which replace `copies`.
    pub fn update_copies<U: Update, P: Record, Q: Record, F: Record>(
        &self,
        count: usize,
        update: &CpuPerParticle<U>,
        particles: &CpuParticles<P>,
        copies: &mut CpuParticles<P>,
        inputs: CpuInputs<Q, F>,
    ) -> Result<(), Error> {
        self.gather(count, particles, copies)?;
        let q = self.gathered(count, inputs.q)?;
        update.update_by_name(copies, CpuInputs { q: q.as_ref(), f: inputs.f })
    }

    /// Changes copies as [`update_copies`](Self::update_copies) does, and tells the program the time
    /// that [`seek_soonest`](Self::seek_soonest) found, in place of its parameter `due: u32`.
    pub fn update_copies_due<U: Update, P: Record, Q: Record, F: Record>(
        &self,
        count: usize,
        update: &CpuPerParticle<U>,
        particles: &CpuParticles<P>,
        copies: &mut CpuParticles<P>,
        inputs: CpuInputs<Q, F>,
    ) -> Result<(), Error> {
        let due = Binding::due(U::FIELDS)?.places()[0];
        let mut parameters = pack::rows(&std::slice::from_ref(update.parameters()));
        parameters[due.component()] = self.due.into();
        let mut update = *update;
        update.set_parameters(pack::record(&parameters));
        self.update_copies(count, &update, particles, copies, inputs)
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

/// Returns an integer of each particle.
fn integers<P>(binding: &Binding, particles: &CpuParticles<P>) -> Vec<u32> {
    let (n, mut lines) = (particles.len(), Vec::new());
    particles.particles.widen(binding, 0..n.div_ceil(LINE), &mut lines);
    (0..n).map(|k| lines[k / LINE].0[k % LINE] as u32).collect()
}
