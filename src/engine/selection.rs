//! Selections of particles on any device.

use nbody_core::untyped;

use super::buffers::Particles;
use crate::law::Record;
use crate::{Device, Error};

/// An order of particles: first the particles that take part, such as the active particles of a
/// block time step, then the others, each group in its original order.
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

    /// Returns the selection without types.
    pub fn untyped(&self) -> &dyn untyped::Selection {
        &*self.order
    }

    /// Orders these particles by a field, a `u32`, and returns the number of particles that take
    /// part, after all earlier work on the device: particles where the field is not zero.
    pub fn select<P: Record>(
        &mut self,
        particles: &Particles<P>,
        field: &str,
    ) -> Result<usize, Error> {
        self.order.select(particles.untyped(), field)
    }

    /// Orders these particles by a field, a `u32`, the time at which each is due, and returns the
    /// number of particles that take part and the time until then: particles whose time follows
    /// `now` first. Times are modulo 2³².
    pub fn select_soonest<P: Record>(
        &mut self,
        particles: &Particles<P>,
        field: &str,
        now: u32,
    ) -> Result<(usize, u32), Error> {
        self.seek_soonest(particles, field, now)?;
        self.soonest()
    }

    /// Orders these particles as [`select_soonest`](Self::select_soonest) does, without waiting
    /// for the device; [`soonest`](Self::soonest) returns the number and the time.
    pub fn seek_soonest<P: Record>(
        &mut self,
        particles: &Particles<P>,
        field: &str,
        now: u32,
    ) -> Result<(), Error> {
        self.order.seek_soonest(particles.untyped(), field, now)
    }

    /// Returns the number of particles that the last [`seek_soonest`](Self::seek_soonest) found to
    /// take part, and the time until then. Waits for the device to find them, but not for later
    /// work. After [`select`](Self::select) the times are zero.
    pub fn soonest(&self) -> Result<(usize, u32), Error> {
        self.order.soonest()
    }

    /// Copies the first particles in this order to another buffer of their precision, which is
    /// resized to their number.
    pub fn gather<P: Record>(
        &self,
        count: usize,
        from: &Particles<P>,
        to: &mut Particles<P>,
    ) -> Result<(), Error> {
        self.order.gather(count, from.untyped(), to.untyped_mut())
    }
}
