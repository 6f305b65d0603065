//! Programs per particle on any device.

use nbody_core::pack;
use nbody_core::untyped::{self, Beside, Buffer, First};

use super::buffers::{Particles, Total};
use super::inputs::Inputs;
use super::parameters::{assert_taken, row};
use super::selection::Selection;
use crate::law::Record;
use crate::{Device, Domain, Error, Measure, Update};

/// Runs a program per particle, an [`Update`] or a [`Measure`], on any [`Device`].
///
/// Programs compute in `f64` with IEEE arithmetic, whatever the precision of the buffers. Numbers
/// are converted exactly when they are loaded, with hi and lo of positions in mixed precision, and
/// rounded when they are stored. Totals are merged in an order that depends only on the number of
/// particles. The results are therefore the same to the last bit on every device, except for
/// functions such as `exp`, whose last bits depend on the platform.
#[derive(Debug)]
pub struct PerParticle<X> {
    parameters: X,
    device: Device,
    engine: Box<dyn untyped::PerParticle>,
}

impl<X: Record<Lane = f64, Host = X>> PerParticle<X> {
    /// Creates an engine with these parameters, in unbounded space. Programs are compiled, or
    /// loaded from the cache, when they first meet buffers of new precisions.
    pub fn new(device: &Device, parameters: X) -> Result<Self, Error> {
        let engine = device.untyped().per_particle(X::FIELDS, &row(&parameters))?;
        Ok(Self { parameters, device: device.clone(), engine })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &X {
        &self.parameters
    }

    /// Sets the parameters; nothing is compiled again.
    pub fn set_parameters(&mut self, parameters: X) {
        assert_taken(self.engine.set_parameters(&row(&parameters)));
        self.parameters = parameters;
    }

    /// Returns the domain for differences of positions.
    pub fn domain(&self) -> Domain {
        self.engine.domain()
    }

    /// Sets the domain for differences of positions, which are taken to the nearest image in a
    /// periodic box. Updates move positions into the box only after [`set_wrap`](Self::set_wrap).
    /// A box that `f64` cannot represent is an error, and the domain stays. A program without
    /// points refuses to run in a periodic box.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }
}

impl<U: Update> PerParticle<U> {
    /// Returns whether positions are wrapped into the box.
    pub fn wraps(&self) -> bool {
        self.engine.wraps()
    }

    /// Sets whether each position that the update assigns is stored as its image in the periodic
    /// box, with coordinates in [0, length) as by [`Domain::wrap`]. The default is not to wrap.
    ///
    /// Wrapping subtracts whole lengths in `f64`, before a position is rounded to the precision of
    /// the particles; a coordinate that would be rounded to the length becomes 0. Displacements
    /// stay the same up to rounding. Coordinates in open directions, and infinite or NaN coordinates
    /// stay. Fields that the update does not assign keep their bits. In a triclinic box whole
    /// vectors are subtracted, and a coordinate that would be rounded to its length is some units in
    /// the last place less.
    ///
    /// In open space there is nothing to wrap into, and updates are an error until
    /// [`set_domain`](Self::set_domain) gives a periodic box. So are updates of particles without
    /// points.
    pub fn set_wrap(&mut self, wrap: bool) {
        self.engine.set_wrap(wrap);
    }

    /// Updates each particle in place. Buffers of another length or device are an error, and no
    /// particle is changed.
    pub fn update(
        &mut self,
        particles: &mut Particles<U::P>,
        inputs: impl Inputs<Q = U::Q, F = U::F, G = U::G>,
    ) -> Result<(), Error> {
        self.update_by_name(particles, inputs)
    }

    /// Updates each particle, as [`update`](Self::update) does, in buffers of any records that
    /// have the fields of the program's records, by name and type. Other fields stay. Records that
    /// lack a field are an error.
    pub fn update_by_name<P: Record>(
        &mut self,
        particles: &mut Particles<P>,
        inputs: impl Inputs,
    ) -> Result<(), Error> {
        inputs.with(|beside| self.update_untyped(particles.untyped_mut(), beside, None))
    }

    /// Updates each particle, as [`update_by_name`](Self::update_by_name) does, in buffers without
    /// types; with a selection, only its first particles.
    pub fn update_untyped(
        &mut self,
        particles: &mut dyn Buffer,
        beside: Beside<'_>,
        first: Option<First<'_>>,
    ) -> Result<(), Error> {
        self.engine.update(U::PROGRAM, particles, beside, first)
    }

    /// Compiles the update for buffers of these records and precisions, so that its first use
    /// compiles nothing.
    pub fn prepare_untyped(
        &mut self,
        particles: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        self.engine.prepare(U::PROGRAM, particles, beside)
    }

    /// Updates the first particles of a selection, as [`update_by_name`](Self::update_by_name)
    /// does. Second particles have the index of their particle; results are in the order of the
    /// selected particles.
    pub fn update_selected<P: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &mut Particles<P>,
        inputs: impl Inputs,
    ) -> Result<(), Error> {
        let first = First { selection: selection.untyped(), count, from: None, due: None };
        inputs.with(|beside| self.update_untyped(particles.untyped_mut(), beside, Some(first)))
    }

    /// Updates copies of the first particles of a selection, which replace the contents of
    /// `copies`; the particles themselves stay. Second particles have the index of their particle.
    pub fn update_copies<P: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &Particles<P>,
        copies: &mut Particles<P>,
        inputs: impl Inputs,
    ) -> Result<(), Error> {
        self.copy(selection, count, particles, copies, inputs, None)
    }

    /// Updates copies as [`update_copies`](Self::update_copies) does, with the time that
    /// [`seek_soonest`](Selection::seek_soonest) finds in place of this parameter, a `u32`. The
    /// host need not know the time.
    pub fn update_copies_due<P: Record>(
        &mut self,
        parameter: &str,
        selection: &Selection,
        count: usize,
        particles: &Particles<P>,
        copies: &mut Particles<P>,
        inputs: impl Inputs,
    ) -> Result<(), Error> {
        self.copy(selection, count, particles, copies, inputs, Some(parameter))
    }

    fn copy<P: Record>(
        &mut self,
        selection: &Selection,
        count: usize,
        particles: &Particles<P>,
        copies: &mut Particles<P>,
        inputs: impl Inputs,
        due: Option<&str>,
    ) -> Result<(), Error> {
        let from = Some(particles.untyped());
        let first = First { selection: selection.untyped(), count, from, due };
        inputs.with(|beside| self.update_untyped(copies.untyped_mut(), beside, Some(first)))
    }
}

impl<M: Measure> PerParticle<M> {
    /// Returns the total over all particles; without particles, 0 for sums and counts, and an
    /// infinity for extremes. Buffers of another length or device are an error.
    pub fn measure(
        &mut self,
        particles: &Particles<M::P>,
        inputs: impl Inputs<Q = M::Q, F = M::F, G = M::G>,
    ) -> Result<M::T, Error> {
        self.measure_by_name(particles, inputs)
    }

    /// Returns the total over all particles, as [`measure`](Self::measure) does, for buffers of
    /// any records that have the fields of the program's records, by name and type.
    pub fn measure_by_name<P: Record>(
        &mut self,
        particles: &Particles<P>,
        inputs: impl Inputs,
    ) -> Result<M::T, Error> {
        inputs.with(|beside| self.measure_untyped(particles.untyped(), beside))
    }

    /// Compiles the measure for buffers of these records and precisions, so that its first use
    /// compiles nothing.
    pub fn prepare_measure(
        &mut self,
        particles: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        self.engine.prepare(M::PROGRAM, particles, beside)
    }

    /// Returns the total over all particles, as [`measure_by_name`](Self::measure_by_name) does,
    /// for buffers without types.
    pub fn measure_untyped(
        &mut self,
        particles: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<M::T, Error> {
        Ok(pack::record(&self.engine.measure(M::PROGRAM, particles, beside)?))
    }

    /// Allocates a total on the device, set to the total of no particle.
    pub fn total(&self) -> Result<Total<M::T>, Error> {
        Total::of(self.device.untyped().total(M::T::FIELDS)?)
    }

    /// Writes the total over all particles to `total`, as [`measure`](Self::measure) returns it, but
    /// on the device: on a GPU the host neither waits for it nor receives it. Later programs read
    /// it as their `type G`.
    pub fn measure_into(
        &mut self,
        particles: &Particles<M::P>,
        inputs: impl Inputs<Q = M::Q, F = M::F, G = M::G>,
        total: &mut Total<M::T>,
    ) -> Result<(), Error> {
        self.measure_into_by_name(particles, inputs, total)
    }

    /// Writes the total over all particles, as [`measure_into`](Self::measure_into) does, for
    /// buffers of any records that have the fields of the program's records, by name and type.
    pub fn measure_into_by_name<P: Record>(
        &mut self,
        particles: &Particles<P>,
        inputs: impl Inputs,
        total: &mut Total<M::T>,
    ) -> Result<(), Error> {
        let total = total.untyped_mut();
        inputs.with(|beside| self.measure_into_untyped(particles.untyped(), beside, total))
    }

    /// Writes the total over all particles, as [`measure_into_by_name`](Self::measure_into_by_name)
    /// does, for buffers without types.
    pub fn measure_into_untyped(
        &mut self,
        particles: &dyn Buffer,
        beside: Beside<'_>,
        total: &mut dyn Buffer,
    ) -> Result<(), Error> {
        self.engine.measure_into(M::PROGRAM, particles, beside, total)
    }
}
