//! Selections of particles on the CPU.

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Particles, check_precision};
use crate::memory::buffers::{particles, particles_mut};
use crate::memory::packed::Packed;
use crate::numeric::simd::lanes::LINE;
use crate::particles::engine::Selection;
use crate::records::binding::Binding;

/// An order of particles: first the particles that take part, then the others, each group in its
/// original order.
#[derive(Debug, Default)]
pub(crate) struct CpuSelection {
    indices: Vec<u32>,
    /// Memory for the particles that are kept.
    spare: Option<Packed>,
    /// The number of particles that are due first, and the time until then.
    soonest: (usize, u32),
    /// The time at which they take part.
    due: u32,
}

impl CpuSelection {
    /// Returns the time at which the particles take part.
    pub fn due(&self) -> u32 {
        self.due
    }

    /// Orders `n` particles, and returns the number that take part.
    fn order(&mut self, n: usize, takes_part: &dyn Fn(usize) -> bool) -> usize {
        self.indices.clear();
        self.indices.extend((0..n).filter(|&k| takes_part(k)).map(|k| k as u32));
        let count = self.indices.len();
        self.indices.extend((0..n).filter(|&k| !takes_part(k)).map(|k| k as u32));
        count
    }

    /// Returns the indices of the first particles in this order.
    pub fn first(&self, count: usize) -> Result<&[u32], Error> {
        Error::check_range(&(0..count), self.indices.len())?;
        Ok(&self.indices[..count])
    }

    /// Copies the first particles in this order to another buffer, which is resized to their
    /// number.
    pub fn gather(&self, count: usize, from: &Particles, to: &mut Particles) -> Result<(), Error> {
        Error::check_record("selected particles", to.fields, from.fields)?;
        let copies = self.gathered("particles to select from", from, count)?;
        check_precision("selected particles", to.precision, from.precision)?;
        *to = copies;
        Ok(())
    }

    /// Returns copies of the first particles in this order.
    pub fn gathered(
        &self,
        what: &'static str,
        from: &Particles,
        count: usize,
    ) -> Result<Particles, Error> {
        Error::check_length(what, from.len(), self.indices.len())?;
        from.gather(self.first(count)?)
    }
}

impl Selection for CpuSelection {
    fn len(&self) -> usize {
        self.indices.len()
    }

    fn select(&mut self, buffer: &dyn Buffer, field: &str) -> Result<usize, Error> {
        let p = particles("particles", buffer)?;
        let active = integers(field, p)?;
        let count = self.order(active.len(), &|k| active[k] != 0);
        (self.soonest, self.due) = ((count, 0), 0);
        Ok(count)
    }

    fn seek_soonest(&mut self, buffer: &dyn Buffer, field: &str, now: u32) -> Result<(), Error> {
        let p = particles("particles", buffer)?;
        let due = integers(field, p)?;
        let least = due.iter().map(|due| due.wrapping_sub(now)).min().unwrap_or(0);
        let count = self.order(due.len(), &|k| due[k].wrapping_sub(now) == least);
        (self.soonest, self.due) = ((count, least), now.wrapping_add(least));
        Ok(())
    }

    fn soonest(&self) -> Result<(usize, u32), Error> {
        Ok(self.soonest)
    }

    fn gather(&self, count: usize, from: &dyn Buffer, to: &mut dyn Buffer) -> Result<(), Error> {
        let from = particles("particles", from)?;
        self.gather(count, from, particles_mut("selected particles", to)?)
    }

    fn keep(&mut self, count: usize, particles: &mut dyn Buffer) -> Result<(), Error> {
        let p = particles_mut("particles", particles)?;
        Error::check_length("particles to select from", p.len(), self.indices.len())?;
        Error::check_range(&(0..count), self.indices.len())?;
        let kept = p.packed.gather(&self.indices[..count], self.spare.take())?;
        self.spare = Some(std::mem::replace(&mut p.packed, kept));
        Ok(())
    }
}

/// Returns the field of this name of each particle, a `u32`.
fn integers(field: &str, particles: &Particles) -> Result<Vec<u32>, Error> {
    let binding = Binding::of_places(vec![Binding::integer(field, particles.fields)?]);
    let (n, mut lines) = (particles.len(), Vec::new());
    particles.widen(&binding, 0..n.div_ceil(LINE), &mut lines);
    Ok((0..n).map(|k| lines[k / LINE].0[k % LINE] as u32).collect())
}
