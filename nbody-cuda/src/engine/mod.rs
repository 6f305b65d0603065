//! Engines: what evaluates, whatever the device.

pub mod buffer;
pub mod cuda;
pub mod evaluation;

use std::time::Duration;

use nbody_core::{
    CpuAllPairs, CpuParticles, CpuResults, Domain, Engine, Interaction, Options, Record, Scalar,
    SimdLevel, Sources, Store,
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

/// Particles where an [`AllPairs`] computes.
#[derive(Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Particles<P: Record> {
    Cpu(CpuParticles<P>),
    Cuda(CudaParticles<P>),
}

/// Results where an [`AllPairs`] computes.
#[derive(Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Results<F> {
    Cpu(CpuResults<F>),
    Cuda(CudaResults<F>),
}

impl<P: Record> Particles<P> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Cpu(particles) => particles.len(),
            Self::Cuda(particles) => particles.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F> Results<F> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Cpu(fields) => fields.len(),
            Self::Cuda(fields) => fields.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<X: Interaction> AllPairs<X> {
    /// With the default [`Options`]. On a GPU this compiles the program, or takes it from the
    /// cache.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// With options of the caller's choice.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = match device.kind() {
            Kind::Cpu(level) => {
                let level = level.unwrap_or_else(SimdLevel::best);
                Inner::Cpu(CpuAllPairs::with_level(interaction, options, level)?)
            }
            Kind::Cuda(backend) => {
                Inner::Cuda(CudaAllPairs::new(backend, device.cache(), interaction, options)?)
            }
        };
        Ok(Self { device: device.clone(), engine })
    }

    /// Where it computes.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        match &self.engine {
            Inner::Cpu(engine) => engine.interaction(),
            Inner::Cuda(engine) => engine.interaction(),
        }
    }

    /// Changes the parameters; nothing is compiled again.
    pub fn set_interaction(&mut self, interaction: X) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_interaction(interaction),
            Inner::Cuda(engine) => engine.set_interaction(interaction),
        }
    }

    /// Changes the space that the particles are in. The lengths of a box change at no cost; on a
    /// GPU, another program is compiled or taken from the cache where a box comes or goes. A box that
    /// the precision cannot hold is refused, and the space stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_domain(domain)?,
            Inner::Cuda(engine) => engine.set_domain(domain)?,
        }
        Ok(())
    }

    /// How it computes.
    pub fn options(&self) -> Options {
        match &self.engine {
            Inner::Cpu(engine) => engine.options(),
            Inner::Cuda(engine) => engine.options(),
        }
    }

    /// What its CUDA programs are compiled for, instead of what a model chooses for the numbers of
    /// particles; `None` leaves it to the model again. On the CPU there is nothing to choose.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(_) => Ok(()),
            Inner::Cuda(engine) => engine.set_kernel_config(config),
        }
    }

    /// Measures what evaluates these particles in the least time, and keeps it, for this engine and
    /// beside the compiled programs for all that come. `one_set` evaluates them as one set. `tell`
    /// is told of each measurement and of how many there are. On the CPU, and where the order of
    /// summation is fixed, there is nothing to measure.
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

    /// The CUDA program of the last evaluation, or the one for many particles before the first;
    /// `None` on the CPU.
    pub fn program(&self) -> Option<&Program> {
        match &self.engine {
            Inner::Cpu(_) => None,
            Inner::Cuda(engine) => Some(engine.program()),
        }
    }

    /// How its CUDA program came to be ready to run; `None` on the CPU.
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
    match j {
        Sources::Others(Particles::Cpu(j)) => Placed::Cpu(Sources::Others(j)),
        Sources::Same(Particles::Cpu(j)) => Placed::Cpu(Sources::Same(j)),
        Sources::Others(Particles::Cuda(j)) => Placed::Cuda(Sources::Others(j)),
        Sources::Same(Particles::Cuda(j)) => Placed::Cuda(Sources::Same(j)),
    }
}

/// The refusal of what is not on this device.
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
        fields: &Results<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        match (&self.engine, fields) {
            (Inner::Cpu(engine), Results::Cpu(fields)) => Ok(engine.download::<S>(fields)?),
            (Inner::Cuda(engine), Results::Cuda(fields)) => engine.download::<S>(fields),
            _ => Err(foreign(&self.device, "results")),
        }
    }
}
