//! Selections by CUDA programs, of rows of described records.

use nbody_core::pack::Binding;
use nbody_core::{Error, untyped};

use super::buffer::{particles, particles_mut};
use crate::particle::selection::Order;

impl untyped::Selection for Order {
    fn len(&self) -> usize {
        self.n
    }

    fn select(&mut self, buffer: &dyn untyped::Buffer, field: &str) -> Result<usize, Error> {
        let p = particles("particles", &*self.backend, buffer)?;
        let active = Binding::integer(field, p.fields)?;
        self.seek(&p.buffer, p.words(), active, None)?;
        Ok(self.found()?[0] as usize)
    }

    fn seek_soonest(
        &mut self,
        buffer: &dyn untyped::Buffer,
        field: &str,
        now: u32,
    ) -> Result<(), Error> {
        let p = particles("particles", &*self.backend, buffer)?;
        let due = Binding::integer(field, p.fields)?;
        Ok(self.seek(&p.buffer, p.words(), due, Some(now))?)
    }

    fn soonest(&self) -> Result<(usize, u32), Error> {
        let [count, least] = self.found()?;
        Ok((count as usize, least))
    }

    fn gather(
        &self,
        count: usize,
        from: &dyn untyped::Buffer,
        to: &mut dyn untyped::Buffer,
    ) -> Result<(), Error> {
        let from = particles("particles", &*self.backend, from)?;
        let to = particles_mut("selected particles", &*self.backend, to)?;
        Error::check_record("selected particles", to.fields, from.fields)?;
        Ok(self.copy_first(count, &from.buffer, from.words(), &mut to.buffer)?)
    }
}
