//! Programs per particle on the CPU.

use std::ops::Range;

use super::particle::Run;
use super::{CpuParticles, CpuResults};
use crate::law::binding::Binding;
use crate::{
    Domain, Error, FieldValue, Measure, ParticleProgram, Precision, Record, Scalar, Update, pack,
};

/// Runs a program per particle, an [`Update`] or a [`Measure`], on the CPU.
///
/// It computes in `f64`. Numbers of particles are rounded to their precision when they are stored, and
/// totals are merged in an order that depends on the number of particles alone.
#[derive(Clone, Copy, Debug)]
pub struct CpuPerParticle<X> {
    parameters: X,
    domain: Domain,
    wrap: bool,
}

/// The buffers that a program reads beside the particles, with as many records as there are particles.
/// A program needs neither, if its type is [`Nothing`](crate::Nothing).
#[derive(Debug)]
pub struct CpuInputs<'a, Q, F> {
    /// The second particles.
    pub q: Option<&'a CpuParticles<Q>>,
    /// The results of an interaction.
    pub f: Option<&'a CpuResults<F>>,
}

// Not derived: the derived impl requires that Q and F can be copied.
impl<Q, F> Clone for CpuInputs<'_, Q, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, F> Copy for CpuInputs<'_, Q, F> {}

impl<Q, F> Default for CpuInputs<'_, Q, F> {
    fn default() -> Self {
        Self { q: None, f: None }
    }
}

impl<P: Record<Lane = f64>> CpuParticles<P> {
    /// Returns these particles, their reals rounded to the precision.
    pub fn pack<R>(particles: &[R], precision: Precision) -> Result<Self, Error>
    where
        R: Record<Host = P>,
        R::Lane: Scalar,
    {
        let particles = super::engine::Particles::pack(&particles, precision)?;
        Ok(Self { particles, record: std::marker::PhantomData })
    }

    /// Returns the particles as records.
    pub fn download(&self) -> Vec<P> {
        self.records(0..self.len())
    }

    /// Returns some of the particles as records.
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<P>, Error> {
        Error::check_range(&range, self.len())?;
        Ok(self.records(range))
    }

    /// Returns one field of all particles; see `Particles::download_field`.
    pub fn download_field<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, Error> {
        let (_, binding) = pack::find_field::<T>(P::FIELDS, name)?;
        Ok(pack::values(self.len(), &|records, rows| self.particles.rows(&binding, records, rows)))
    }

    fn records(&self, range: Range<usize>) -> Vec<P> {
        let binding = Binding::whole(P::FIELDS);
        pack::unpack(range.len(), &|records, rows| {
            let records = range.start + records.start..range.start + records.end;
            self.particles.rows(&binding, records, rows);
        })
    }
}

impl<X: Record<Lane = f64, Host = X>> CpuPerParticle<X> {
    /// Creates it with these parameters, in unbounded space.
    pub fn new(parameters: X) -> Self {
        Self { parameters, domain: Domain::Open, wrap: false }
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &X {
        &self.parameters
    }

    /// Sets the parameters.
    pub fn set_parameters(&mut self, parameters: X) {
        self.parameters = parameters;
    }

    /// Returns the domain in which positions have differences.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Sets the domain in which positions have differences. A box that `f64` cannot represent is an
    /// error, and the domain stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(Precision::Double)?;
        self.domain = domain;
        Ok(())
    }

    fn run<'a, P: Record, Q: Record, F: Record>(
        &self,
        program: &'static ParticleProgram,
        inputs: CpuInputs<'a, Q, F>,
    ) -> Result<Run<'a>, Error> {
        let bind = |fields, buffer| Binding::new(program.name, fields, buffer);
        let q = inputs.q.map(|q| Ok((&q.particles, bind(program.q, Q::FIELDS)?)));
        let f = inputs.f.map(|f| Ok((&f.results, bind(program.f, F::FIELDS)?)));
        let p = bind(program.p, P::FIELDS)?;
        let (domain, wrap) = (self.domain, self.wrap);
        Ok(Run { program, domain, wrap, p, q: q.transpose()?, f: f.transpose()? })
    }
}

impl<U: Update> CpuPerParticle<U> {
    /// Returns whether positions are wrapped into the box.
    pub fn wraps(&self) -> bool {
        self.wrap
    }

    /// Sets whether positions are wrapped into the box: see `PerParticle::set_wrap`.
    pub fn set_wrap(&mut self, wrap: bool) {
        self.wrap = wrap;
    }

    /// Changes each particle. Inputs of another length are an error, and no particle is changed.
    pub fn update(
        &self,
        particles: &mut CpuParticles<U::P>,
        inputs: CpuInputs<U::Q, U::F>,
    ) -> Result<(), Error> {
        self.update_by_name(particles, inputs)
    }

    /// Changes each particle, whatever its record and those of the inputs, which must have the fields
    /// of the program's records by name and type. Other fields stay.
    pub fn update_by_name<P: Record, Q: Record, F: Record>(
        &self,
        particles: &mut CpuParticles<P>,
        inputs: CpuInputs<Q, F>,
    ) -> Result<(), Error> {
        let parameters = std::slice::from_ref(&self.parameters);
        let run = self.run::<P, Q, F>(U::PROGRAM, inputs)?;
        run.update(&parameters, &mut particles.particles)
    }
}

impl<M: Measure> CpuPerParticle<M> {
    /// Returns the total over all particles.
    pub fn measure(
        &self,
        particles: &CpuParticles<M::P>,
        inputs: CpuInputs<M::Q, M::F>,
    ) -> Result<M::T, Error> {
        self.measure_by_name(particles, inputs)
    }

    /// Returns the total over all particles, whatever their record; see
    /// [`update_by_name`](Self::update_by_name).
    pub fn measure_by_name<P: Record, Q: Record, F: Record>(
        &self,
        particles: &CpuParticles<P>,
        inputs: CpuInputs<Q, F>,
    ) -> Result<M::T, Error> {
        let parameters = std::slice::from_ref(&self.parameters);
        let run = self.run::<P, Q, F>(M::PROGRAM, inputs)?;
        Ok(pack::record(&run.measure(&parameters, &particles.particles)?))
    }
}
