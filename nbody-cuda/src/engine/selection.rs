//! Selections of particles on any device.

use nbody_core::pack::Binding;
use nbody_core::{CpuSelection, Record, Update};

use super::foreign;
use super::per_particle::Inputs;
use crate::device::Kind;
use crate::particle::selection::Order;
use crate::particle::{self, First};
use crate::{Device, Error, Particles, PerParticle};

/// An order of particles in which those that take part come first, as those that a block time step
/// advances. Within both groups they keep their order.
#[derive(Debug)]
pub struct Selection {
    device: Device,
    order: Inner,
}

#[derive(Debug)]
pub(super) enum Inner {
    Cpu(CpuSelection),
    Cuda(Box<Order>),
}

impl Selection {
    /// Creates a selection of no particles.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let order = match device.kind() {
            Kind::Cpu(_) => Inner::Cpu(CpuSelection::default()),
            Kind::Cuda(backend) => Inner::Cuda(Box::new(Order::new(backend, device.cache())?)),
        };
        Ok(Self { device: device.clone(), order })
    }

    /// Returns the number of particles in this order.
    pub fn len(&self) -> usize {
        match &self.order {
            Inner::Cpu(order) => order.len(),
            Inner::Cuda(order) => order.n,
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Orders these particles, and returns how many take part, after all earlier work on the device:
    /// those whose field `active: u32` is not zero.
    pub fn select<P: Record>(&mut self, particles: &Particles<P>) -> Result<usize, Error> {
        match (&mut self.order, particles) {
            (Inner::Cpu(order), Particles::Cpu(particles)) => Ok(order.select(particles)?),
            (Inner::Cuda(order), Particles::Cuda(particles)) => {
                let words = particle::words::<P>(particles.precision());
                let active = Binding::active(P::FIELDS)?.places()[0];
                order.seek(&particles.buffer, words, active, None)?;
                Ok(order.found()?[0] as usize)
            }
            _ => Err(foreign(&self.device, "particles")),
        }
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
        match (&mut self.order, particles) {
            (Inner::Cpu(order), Particles::Cpu(particles)) => {
                Ok(order.seek_soonest(particles, now)?)
            }
            (Inner::Cuda(order), Particles::Cuda(particles)) => {
                let words = particle::words::<P>(particles.precision());
                let due = Binding::due(P::FIELDS)?.places()[0];
                order.seek(&particles.buffer, words, due, Some(now))
            }
            _ => Err(foreign(&self.device, "particles")),
        }
    }

    /// Returns how many particles the last [`seek_soonest`](Self::seek_soonest) found to take part, and
    /// the time until then. It waits for the device to find them, and not for later work. After
    /// [`select`](Self::select) the times are zero.
    pub fn soonest(&self) -> Result<(usize, u32), Error> {
        match &self.order {
            Inner::Cpu(order) => Ok(order.soonest()),
            Inner::Cuda(order) => {
                let [count, least] = order.found()?;
                Ok((count as usize, least))
            }
        }
    }

    /// Copies the first particles in this order to another buffer of their precision, which then has as
    /// many.
    pub fn gather<P: Record>(
        &self,
        count: usize,
        from: &Particles<P>,
        to: &mut Particles<P>,
    ) -> Result<(), Error> {
        match (&self.order, from, to) {
            (Inner::Cpu(order), Particles::Cpu(from), Particles::Cpu(to)) => {
                Ok(order.gather(count, from, to)?)
            }
            (Inner::Cuda(order), Particles::Cuda(from), Particles::Cuda(to)) => {
                let words = particle::words::<P>(from.precision());
                order.gather(count, &from.buffer, words, &mut to.buffer)
            }
            _ => Err(foreign(&self.device, "particles")),
        }
    }
}

impl<U: Update> PerParticle<U> {
    /// Changes the first particles of a selection, as
    /// [`update_by_name`](Self::update_by_name) does. Second particles are those of the same index;
    /// results are those of the selected particles, in their order.
    pub fn update_selected<'a, P: Record, Q: Record, F: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &mut Particles<P>,
        inputs: impl Into<Inputs<'a, Q, F>>,
    ) -> Result<(), Error> {
        let inputs = inputs.into();
        match &selection.order {
            Inner::Cpu(order) => {
                let (engine, particles, inputs) = self.on_cpu(particles, &inputs)?;
                Ok(order.update(count, engine, particles, inputs)?)
            }
            Inner::Cuda(order) => {
                let (engine, particles, beside) = self.on_cuda(particles, &inputs)?;
                let fields = [P::FIELDS, Q::FIELDS, F::FIELDS];
                let first = First { order, count, from: None, is_due: false };
                engine.update(U::PROGRAM, fields, particles, beside, Some(first))
            }
        }
    }

    /// Changes copies of the first particles of a selection, which replace `copies` and then are as
    /// many; the particles themselves stay. Second particles are those of the same index.
    pub fn update_copies<'a, P: Record, Q: Record, F: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &Particles<P>,
        copies: &mut Particles<P>,
        inputs: impl Into<Inputs<'a, Q, F>>,
    ) -> Result<(), Error> {
        self.copy(selection, count, particles, copies, &inputs.into(), false)
    }

    /// Changes copies as [`update_copies`](Self::update_copies) does, and tells the program the time
    /// that [`seek_soonest`](Selection::seek_soonest) finds, in place of its parameter `due: u32`: the
    /// host need not know it.
    pub fn update_copies_due<'a, P: Record, Q: Record, F: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &Particles<P>,
        copies: &mut Particles<P>,
        inputs: impl Into<Inputs<'a, Q, F>>,
    ) -> Result<(), Error> {
        Binding::due(U::PROGRAM.parameters)?;
        self.copy(selection, count, particles, copies, &inputs.into(), true)
    }

    fn copy<P: Record, Q: Record, F: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &Particles<P>,
        copies: &mut Particles<P>,
        inputs: &Inputs<'_, Q, F>,
        is_due: bool,
    ) -> Result<(), Error> {
        match (&selection.order, particles) {
            (Inner::Cpu(order), Particles::Cpu(particles)) => {
                let (engine, copies, inputs) = self.on_cpu(copies, inputs)?;
                let done = if is_due {
                    order.update_copies_due(count, engine, particles, copies, inputs)
                } else {
                    order.update_copies(count, engine, particles, copies, inputs)
                };
                Ok(done?)
            }
            (Inner::Cuda(order), Particles::Cuda(particles)) => {
                let (engine, copies, beside) = self.on_cuda(copies, inputs)?;
                let first = First { order, count, from: Some(&particles.buffer), is_due };
                let fields = [P::FIELDS, Q::FIELDS, F::FIELDS];
                engine.update(U::PROGRAM, fields, copies, beside, Some(first))
            }
            _ => Err(foreign(self.device(), "particles")),
        }
    }
}
