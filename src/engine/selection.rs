//! Selections of particles on any device.

use nbody_core::untyped;

use super::buffers::Particles;
use crate::{Device, Error, Record};

/// An order of particles in which those that take part come first, as those that a block time step
/// advances. Within both groups they keep their order.
#[derive(Debug)]
pub struct Selection {
    device: Device,
    order: Box<dyn untyped::Selection>,
}

impl Selection {
    /// Creates a selection of no particles.
    pub fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self { device: device.clone(), order: device.untyped().selection()? })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the number of particles in this order.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the selection as engines know it.
    pub fn untyped(&self) -> &dyn untyped::Selection {
        &*self.order
    }

    /// Orders these particles, and returns how many take part, after all earlier work on the device:
    /// those whose field `active: u32` is not zero.
    pub fn select<P: Record>(&mut self, particles: &Particles<P>) -> Result<usize, Error> {
        self.order.select(particles.untyped())
    }

    /// Orders these particles, and returns how many take part and the time until then: those whose
    /// field `due: u32` follows `now` first. Times are modulo 2³².
    pub fn select_soonest<P: Record>(
        &mut self,
        particles: &Particles<P>,
        now: u32,
    ) -> Result<(usize, u32), Error> {
        self.seek_soonest(particles, now)?;
        self.soonest()
    }

    /// Orders these particles as [`select_soonest`](Self::select_soonest) does, without waiting for the
    /// device: [`soonest`](Self::soonest) returns what it found.
    pub fn seek_soonest<P: Record>(
        &mut self,
        particles: &Particles<P>,
        now: u32,
    ) -> Result<(), Error> {
        self.order.seek_soonest(particles.untyped(), now)
    }

    /// Returns how many particles the last [`seek_soonest`](Self::seek_soonest) found to take part, and
    /// the time until then. It waits for the device to find them, and not for later work. After
    /// [`select`](Self::select) the times are zero.
    pub fn soonest(&self) -> Result<(usize, u32), Error> {
        self.order.soonest()
    }

    /// Copies the first particles in this order to another buffer of their precision, which then has as
    /// many.
    pub fn gather<P: Record>(
        &self,
        count: usize,
        from: &Particles<P>,
        to: &mut Particles<P>,
    ) -> Result<(), Error> {
        self.order.gather(count, from.untyped(), to.untyped_mut())
    }
}
