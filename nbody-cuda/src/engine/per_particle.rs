//! Programs per particle on any device.

use std::ops::Range;

use nbody_core::{
    CpuInputs, CpuParticles, CpuPerParticle, Domain, FieldValue, Measure, Nothing, Precision,
    Record, Scalar, Update, pack,
};

use super::foreign;
use crate::backend::Buffer;
use crate::device::Kind;
use crate::particle::{Beside, ParticleEngine};
use crate::{CudaParticles, Device, Error, Particles, Results};

/// Runs a program per particle, an [`Update`] or a [`Measure`], on any [`Device`].
///
/// Programs compute in `f64` with IEEE arithmetic, whatever the precision of the buffers: their numbers
/// are converted exactly when they are loaded, both parts of a position in mixed precision, and rounded
/// when they are stored. Totals are merged in an order that depends on the number of particles alone. So
/// the results are the same to the last bit on every device, but for functions such as `exp`, whose last
/// bits depend on the platform.
#[derive(Debug)]
pub struct PerParticle<X> {
    device: Device,
    engine: Inner<X>,
}

#[derive(Debug)]
enum Inner<X> {
    Cpu(CpuPerParticle<X>),
    Cuda(X, ParticleEngine),
}

/// The buffers that a program reads beside the particles, with as many records: `()` for none,
/// `&results`, `&others` or `(&others, &results)`.
#[derive(Debug)]
pub struct Inputs<'a, Q: Record, F> {
    q: Option<&'a Particles<Q>>,
    f: Option<&'a Results<F>>,
}

impl From<()> for Inputs<'_, Nothing, Nothing> {
    fn from((): ()) -> Self {
        Self { q: None, f: None }
    }
}

impl<'a, F> From<&'a Results<F>> for Inputs<'a, Nothing, F> {
    fn from(results: &'a Results<F>) -> Self {
        Self { q: None, f: Some(results) }
    }
}

/// Results that an evaluation has just changed.
impl<'a, F> From<&'a mut Results<F>> for Inputs<'a, Nothing, F> {
    fn from(results: &'a mut Results<F>) -> Self {
        Self::from(&*results)
    }
}

impl<'a, Q: Record> From<&'a Particles<Q>> for Inputs<'a, Q, Nothing> {
    fn from(others: &'a Particles<Q>) -> Self {
        Self { q: Some(others), f: None }
    }
}

impl<'a, Q: Record, F> From<(&'a Particles<Q>, &'a Results<F>)> for Inputs<'a, Q, F> {
    fn from((others, results): (&'a Particles<Q>, &'a Results<F>)) -> Self {
        Self { q: Some(others), f: Some(results) }
    }
}

impl<'a, Q: Record, F> Inputs<'a, Q, F> {
    /// Returns the buffers if they are those of the CPU.
    fn on_cpu(&self) -> Option<CpuInputs<'a, Q, F>> {
        let q = match self.q {
            None => None,
            Some(Particles::Cpu(q)) => Some(q),
            Some(Particles::Cuda(_)) => return None,
        };
        let f = match self.f {
            None => None,
            Some(Results::Cpu(f)) => Some(f),
            Some(Results::Cuda(_)) => return None,
        };
        Some(CpuInputs { q, f })
    }

    /// Returns the buffers if they are those of CUDA programs.
    fn on_cuda(&self) -> Option<Beside<'a>> {
        let q = match self.q {
            None => None,
            Some(Particles::Cuda(q)) => Some(&q.buffer),
            Some(Particles::Cpu(_)) => return None,
        };
        let f = match self.f {
            None => None,
            Some(Results::Cuda(f)) => Some(&f.buffer),
            Some(Results::Cpu(_)) => return None,
        };
        Some(Beside { q, f })
    }
}

impl Device {
    /// Copies particles to the device, their reals rounded to the precision. An engine of that precision
    /// on this device accepts them, as do programs per particle.
    pub fn upload<P>(
        &self,
        particles: &[P],
        precision: Precision,
    ) -> Result<Particles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        Ok(match self.kind() {
            Kind::Cpu(_) => Particles::Cpu(CpuParticles::pack(particles, precision)?),
            Kind::Cuda(backend) => {
                let copy = self.field_copy();
                Particles::Cuda(CudaParticles::upload(backend, &particles, precision, copy)?)
            }
        })
    }
}

impl<P: Record<Lane = f64>> Particles<P> {
    /// Returns the precision.
    pub fn precision(&self) -> Precision {
        match self {
            Self::Cpu(particles) => particles.precision(),
            Self::Cuda(particles) => particles.precision(),
        }
    }

    /// Copies the particles to the host, after all earlier work on the device. Positions in mixed
    /// precision are the sums of both parts.
    pub fn download(&self) -> Result<Vec<P>, Error> {
        self.download_range(0..self.len())
    }

    /// Copies some of the particles to the host, as [`download`](Self::download) does. A range beyond
    /// the particles is an error.
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<P>, Error> {
        match self {
            Self::Cpu(particles) => Ok(particles.download_range(range)?),
            Self::Cuda(particles) => particles.download_range(range),
        }
    }

    /// Copies one field of all particles to the host, as [`download`](Self::download) does, but none of the
    /// others: `let masses: Vec<f64> = bodies.download_field("mass")?`. A [`FieldValue`] is `f64`,
    /// `u32`, a `Vector`, a `Point` or an array. Another name or type than those of the record is an
    /// error.
    pub fn download_field<T: FieldValue>(&self, name: &str) -> Result<Vec<T>, Error> {
        match self {
            Self::Cpu(particles) => Ok(particles.download_field(name)?),
            Self::Cuda(particles) => particles.download_field(name),
        }
    }
}

impl<X: Record<Lane = f64, Host = X>> PerParticle<X> {
    /// Creates it with these parameters, in unbounded space. Programs are compiled, or loaded from the
    /// cache, when they first meet buffers of their precisions.
    pub fn new(device: &Device, parameters: X) -> Result<Self, Error> {
        let engine = match device.kind() {
            Kind::Cpu(_) => Inner::Cpu(CpuPerParticle::new(parameters)),
            Kind::Cuda(backend) => {
                let row = std::slice::from_ref(&parameters);
                Inner::Cuda(parameters, ParticleEngine::new(backend, device.cache(), &row))
            }
        };
        Ok(Self { device: device.clone(), engine })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &X {
        match &self.engine {
            Inner::Cpu(engine) => engine.parameters(),
            Inner::Cuda(parameters, _) => parameters,
        }
    }

    /// Sets the parameters; nothing is recompiled.
    pub fn set_parameters(&mut self, parameters: X) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_parameters(parameters),
            Inner::Cuda(own, engine) => {
                engine.set_parameters(&std::slice::from_ref(&parameters));
                *own = parameters;
            }
        }
    }

    /// Returns the domain in which positions have differences.
    pub fn domain(&self) -> Domain {
        match &self.engine {
            Inner::Cpu(engine) => engine.domain(),
            Inner::Cuda(_, engine) => engine.domain(),
        }
    }

    /// Sets the domain in which positions have differences: to the nearest image in a periodic box.
    /// Updates move positions into the box if they are told to ([`set_wrap`](Self::set_wrap)). A box that `f64` cannot represent is an error, and the
    /// domain stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_domain(domain)?,
            Inner::Cuda(_, engine) => engine.set_domain(domain)?,
        }
        Ok(())
    }
}

impl<U: Update> PerParticle<U> {
    /// Returns whether positions are wrapped into the box.
    pub fn wraps(&self) -> bool {
        match &self.engine {
            Inner::Cpu(engine) => engine.wraps(),
            Inner::Cuda(_, engine) => engine.wrap,
        }
    }

    /// Sets whether each position that the update assigns is replaced by its image in the periodic box
    /// when it is stored: coordinates between 0 and the length, which is excluded, as
    /// [`Domain::wrap`] has them. It is not so at the beginning.
    ///
    /// Wrapping takes off whole lengths in `f64`, before a position is rounded to the precision of the
    /// particles; a coordinate that would be rounded to the length becomes 0. Displacements are as
    /// before, to rounding. Open directions have no effect, nor has unbounded space, and infinite or NaN
    /// coordinates stay. Fields that the update does not assign keep their bits.
    pub fn set_wrap(&mut self, wrap: bool) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_wrap(wrap),
            Inner::Cuda(_, engine) => engine.wrap = wrap,
        }
    }

    /// Changes each particle, where it lies. Buffers of another length or device are an error, and no
    /// particle is changed.
    pub fn update<'a>(
        &mut self,
        particles: &mut Particles<U::P>,
        inputs: impl Into<Inputs<'a, U::Q, U::F>>,
    ) -> Result<(), Error> {
        self.update_by_name(particles, inputs)
    }

    /// Changes each particle, as [`update`](Self::update) does, in buffers of any records that have the
    /// fields of the program's records, by name and type. Other fields stay. Records that lack one are
    /// an error.
    pub fn update_by_name<'a, P, Q, F>(
        &mut self,
        particles: &mut Particles<P>,
        inputs: impl Into<Inputs<'a, Q, F>>,
    ) -> Result<(), Error>
    where
        P: Record,
        Q: Record,
        F: Record,
    {
        let inputs = inputs.into();
        if let Inner::Cpu(_) = self.engine {
            let (engine, particles, inputs) = self.on_cpu(particles, &inputs)?;
            return Ok(engine.update_by_name(particles, inputs)?);
        }
        let (engine, particles, beside) = self.on_cuda(particles, &inputs)?;
        engine.update(U::PROGRAM, [P::FIELDS, Q::FIELDS, F::FIELDS], particles, beside, None)
    }

    /// Returns the engine and the buffers of the CPU.
    #[allow(clippy::type_complexity, reason = "an engine and the buffers that it takes")]
    pub(super) fn on_cpu<'b, P: Record, Q: Record, F>(
        &mut self,
        particles: &'b mut Particles<P>,
        inputs: &Inputs<'b, Q, F>,
    ) -> Result<(&CpuPerParticle<U>, &'b mut CpuParticles<P>, CpuInputs<'b, Q, F>), Error> {
        match (&self.engine, particles) {
            (Inner::Cpu(engine), Particles::Cpu(particles)) => {
                let inputs = inputs.on_cpu().ok_or_else(|| foreign(&self.device, BESIDE))?;
                Ok((engine, particles, inputs))
            }
            _ => Err(foreign(&self.device, "particles")),
        }
    }

    /// Returns the engine and the buffers of CUDA programs.
    pub(super) fn on_cuda<'b, P: Record, Q: Record, F>(
        &mut self,
        particles: &'b mut Particles<P>,
        inputs: &Inputs<'b, Q, F>,
    ) -> Result<(&mut ParticleEngine, &'b mut Buffer, Beside<'b>), Error> {
        match (&mut self.engine, particles) {
            (Inner::Cuda(_, engine), Particles::Cuda(particles)) => {
                let beside = inputs.on_cuda().ok_or_else(|| foreign(&self.device, BESIDE))?;
                Ok((engine, &mut particles.buffer, beside))
            }
            _ => Err(foreign(&self.device, "particles")),
        }
    }
}

impl<M: Measure> PerParticle<M> {
    /// Returns the total over all particles; that of no particle is 0 in sums and counts, and an infinity
    /// in extremes. Buffers of another length or device are an error.
    pub fn measure<'a>(
        &mut self,
        particles: &Particles<M::P>,
        inputs: impl Into<Inputs<'a, M::Q, M::F>>,
    ) -> Result<M::T, Error> {
        self.measure_by_name(particles, inputs)
    }

    /// Returns the total over all particles, as [`measure`](Self::measure) does, of buffers of any
    /// records that have the fields of the program's records, by name and type.
    pub fn measure_by_name<'a, P, Q, F>(
        &mut self,
        particles: &Particles<P>,
        inputs: impl Into<Inputs<'a, Q, F>>,
    ) -> Result<M::T, Error>
    where
        P: Record,
        Q: Record,
        F: Record,
    {
        let inputs = inputs.into();
        match (&mut self.engine, particles) {
            (Inner::Cpu(engine), Particles::Cpu(particles)) => {
                let inputs = inputs.on_cpu().ok_or_else(|| foreign(&self.device, BESIDE))?;
                Ok(engine.measure_by_name(particles, inputs)?)
            }
            (Inner::Cuda(_, engine), Particles::Cuda(particles)) => {
                let beside = inputs.on_cuda().ok_or_else(|| foreign(&self.device, BESIDE))?;
                let fields = [P::FIELDS, Q::FIELDS, F::FIELDS];
                let total = engine.measure(M::PROGRAM, fields, &particles.buffer, beside)?;
                Ok(pack::record(&total))
            }
            _ => Err(foreign(&self.device, "particles")),
        }
    }
}

/// The buffers that a program reads beside the particles, in messages.
const BESIDE: &str = "second particles or results";
