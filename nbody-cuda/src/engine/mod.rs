//! Engines, which evaluate on any device.

pub mod buffer;
pub mod cuda;
pub mod evaluation;
pub mod neighbours;
pub mod per_particle;
pub mod selection;
pub mod sequence;
pub mod short_range;
pub mod tree;

use std::time::Duration;

use nbody_core::{
    CpuAllPairs, CpuParticles, CpuResults, Domain, Engine, Interaction, Options, Record, Scalar,
    SimdLevel, Sources, Store, pack,
};

use crate::device::Kind;
use crate::{
    Build, CudaAllPairs, CudaParticles, CudaResults, Device, Error, KernelConfig, Program, Tuned,
};

/// Sums an interaction over all pairs, on any [`Device`].
///
/// [`evaluate`](Engine::evaluate) takes slices and returns a `Vec`; codes that evaluate often
/// [`upload`](Engine::upload) once and [`evaluate_into`](Engine::evaluate_into).
#[derive(Debug)]
pub struct AllPairs<X> {
    device: Device,
    engine: Inner<X>,
}

#[derive(Debug)]
enum Inner<X> {
    Cpu(CpuAllPairs<X>),
    Cuda(CudaAllPairs<X>),
}

/// Particles on the device of an [`AllPairs`].
#[derive(Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Particles<P: Record> {
    Cpu(CpuParticles<P>),
    Cuda(CudaParticles<P>),
}

/// Results on the device of an [`AllPairs`].
#[derive(Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Results<F> {
    Cpu(CpuResults<F>),
    Cuda(CudaResults<F>),
}

impl<P: Record> Particles<P> {
    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Cpu(particles) => particles.len(),
            Self::Cuda(particles) => particles.len(),
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F> Results<F> {
    /// Returns the number of results.
    pub fn len(&self) -> usize {
        match self {
            Self::Cpu(results) => results.len(),
            Self::Cuda(results) => results.len(),
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F: Record> Results<F> {
    /// Changes the number of results, whose values are then those of no pair or of another evaluation:
    /// one that replaces them must follow. Memory is kept for a smaller number.
    pub fn resize(&mut self, n: usize) -> Result<(), Error> {
        match self {
            Self::Cpu(results) => Ok(results.resize(n)?),
            Self::Cuda(results) => results.buffer.resize(n, pack::dim(F::FIELDS)),
        }
    }
}

impl<X: Interaction> AllPairs<X> {
    /// Creates an engine with the default [`Options`]. On a GPU this compiles the program, or loads
    /// it from the cache.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// Creates an engine with these options.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = match device.kind() {
            Kind::Cpu(level) => {
                let level = level.unwrap_or_else(SimdLevel::best);
                Inner::Cpu(CpuAllPairs::with_level(interaction, options, level)?)
            }
            Kind::Cuda(backend) => {
                Inner::Cuda(CudaAllPairs::new(backend, device, interaction, options)?)
            }
        };
        Ok(Self { device: device.clone(), engine })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the interaction with its parameters.
    pub fn interaction(&self) -> &X {
        match &self.engine {
            Inner::Cpu(engine) => engine.interaction(),
            Inner::Cuda(engine) => engine.interaction(),
        }
    }

    /// Sets the interaction with its parameters; nothing is recompiled.
    pub fn set_interaction(&mut self, interaction: X) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_interaction(interaction),
            Inner::Cuda(engine) => engine.set_interaction(interaction),
        }
    }

    /// Sets the domain of the particles. Changing the lengths of a periodic box costs nothing; on a
    /// GPU, changing between a periodic box and open space compiles another program or loads it
    /// from the cache. A box whose lengths the precision cannot represent is an error, and the
    /// domain stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_domain(domain)?,
            Inner::Cuda(engine) => engine.set_domain(domain)?,
        }
        Ok(())
    }

    /// Returns the options.
    pub fn options(&self) -> Options {
        match &self.engine {
            Inner::Cpu(engine) => engine.options(),
            Inner::Cuda(engine) => engine.options(),
        }
    }

    /// Sets the kernel configuration, instead of that which a model chooses for the numbers of
    /// particles; `None` leaves the choice to the model again. It has no effect on the CPU.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(_) => Ok(()),
            Inner::Cuda(engine) => engine.set_kernel_config(config),
        }
    }

    /// Measures kernel configurations for these particles and returns the fastest, which this
    /// engine uses from then on; the cache keeps it for later engines. `one_set` evaluates i and j
    /// as one set. `tell` receives each measurement and their total number. On the CPU, and where
    /// the configuration or the summation order is fixed, it measures nothing and returns `None`.
    pub fn tune(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
        one_set: bool,
        tell: &mut dyn FnMut(&Tuned, usize),
    ) -> Result<Option<Tuned>, Error> {
        match (&mut self.engine, i, j, out) {
            (Inner::Cpu(_), Particles::Cpu(_), Particles::Cpu(_), Results::Cpu(_)) => Ok(None),
            (Inner::Cuda(engine), Particles::Cuda(i), Particles::Cuda(j), Results::Cuda(out)) => {
                engine.tune(i, j, out, one_set, tell)
            }
            _ => Err(foreign(&self.device, "particles or results")),
        }
    }

    /// Returns the CUDA program of the last evaluation, or before the first evaluation that for
    /// many particles; `None` on the CPU.
    pub fn program(&self) -> Option<&Program> {
        match &self.engine {
            Inner::Cpu(_) => None,
            Inner::Cuda(engine) => Some(engine.program()),
        }
    }

    /// Returns how that program was compiled; `None` on the CPU.
    pub fn build(&self) -> Option<&Build> {
        match &self.engine {
            Inner::Cpu(_) => None,
            Inner::Cuda(engine) => Some(engine.build()),
        }
    }
}

/// The j-particles of an evaluation, by their device.
enum Placed<'a, P: Record> {
    Cpu(Sources<'a, CpuParticles<P>>),
    Cuda(Sources<'a, CudaParticles<P>>),
}

fn placed<P: Record>(j: Sources<'_, Particles<P>>) -> Placed<'_, P> {
    match j.particles() {
        Particles::Cpu(particles) => Placed::Cpu(j.with(particles)),
        Particles::Cuda(particles) => Placed::Cuda(j.with(particles)),
    }
}

/// Returns the error for particles or results of another device.
fn foreign(device: &Device, what: &'static str) -> Error {
    let (found, expected) = ("another device".to_owned(), device.name());
    Error::ForeignBuffer { what, found, expected }
}

impl<X: Interaction> Engine<X> for AllPairs<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = Particles<P>;
    type Results = Results<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        Ok(match &self.engine {
            Inner::Cpu(engine) => Particles::Cpu(engine.upload(particles)?),
            Inner::Cuda(engine) => Particles::Cuda(engine.upload(particles)?),
        })
    }

    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        Ok(match &self.engine {
            Inner::Cpu(engine) => Results::Cpu(engine.results(n)?),
            Inner::Cuda(engine) => Results::Cuda(engine.results(n)?),
        })
    }

    fn evaluate_with(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        match (&mut self.engine, i, placed(j), out) {
            (Inner::Cpu(engine), Particles::Cpu(i), Placed::Cpu(j), Results::Cpu(out)) => {
                Ok(engine.evaluate_with(i, j, out, store)?)
            }
            (Inner::Cuda(engine), Particles::Cuda(i), Placed::Cuda(j), Results::Cuda(out)) => {
                engine.evaluate_with(i, j, out, store)
            }
            _ => Err(foreign(&self.device, "particles or results")),
        }
    }

    fn time(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        match (&mut self.engine, i, placed(j), out) {
            (Inner::Cpu(engine), Particles::Cpu(i), Placed::Cpu(j), Results::Cpu(out)) => {
                Ok(engine.time(i, j, out)?)
            }
            (Inner::Cuda(engine), Particles::Cuda(i), Placed::Cuda(j), Results::Cuda(out)) => {
                engine.time(i, j, out)
            }
            _ => Err(foreign(&self.device, "particles or results")),
        }
    }

    fn download<S: Scalar>(
        &self,
        results: &Results<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        match (&self.engine, results) {
            (Inner::Cpu(engine), Results::Cpu(results)) => Ok(engine.download::<S>(results)?),
            (Inner::Cuda(engine), Results::Cuda(results)) => engine.download::<S>(results),
            _ => Err(foreign(&self.device, "results")),
        }
    }
}
