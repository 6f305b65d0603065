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

    /// Keeps the first particles in this order, in this order, and removes the others, on the device.
    /// The order stays, for other buffers with a row for each of the earlier particles; it does not fit the
    /// fewer particles, which it refuses. The particles are unchanged if they are refused: another device,
    /// another number of particles than in the order, a count beyond it, too little memory for the copies
    /// that are kept.
    pub fn keep<P: Record>(
        &mut self,
        count: usize,
        particles: &mut Particles<P>,
    ) -> Result<(), Error> {
        self.order.keep(count, particles.untyped_mut())
    }

    /// Keeps the particles where a field, a `u32`, is not zero, in their order, and removes the others,
    /// on the device. Returns the number that is kept, after all earlier work on the device; the host
    /// receives nothing else. This is [`select`](Self::select) and then [`keep`](Self::keep); if
    /// all particles are kept, nothing is written.
    pub fn retain<P: Record>(
        &mut self,
        particles: &mut Particles<P>,
        field: &str,
    ) -> Result<usize, Error> {
        self.order.retain(particles.untyped_mut(), field)
    }
}
