//! Interactions by trees, on any device.

mod cuda;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use nbody_core::tree::law::TreeLaw;
use nbody_core::{
    CpuTree, Engine, Interaction, Opening, Options, Record, Scalar, SimdLevel, Sources, Store,
    TreeReport, pack,
};

use super::{Placed, foreign, placed};
use crate::device::Kind;
use crate::particle::field::FieldCopy;
use crate::{CudaParticles, CudaResults, Device, Error, Particles, Program, Results, Walk};
use cuda::{Criterion, TreeEngine};

/// Sums an interaction over all pairs by a tree, on any [`Device`]: cells of j-particles act from afar through a few
/// far particles each ([`CpuTree`]). The interaction must be a sum over [charges](nbody_core::Law::charges).
///
/// The order of summation is that of the tree: it depends on the positions of the particles, and not on timing. With
/// [`Opening::relative`] it depends on the results before, too. Of a
/// [`SummationOrder`](nbody_core::SummationOrder) a tree takes the bag and not the splits.
///
/// ```
/// use nbody_core::{Engine as _, Opening, Point};
/// use nbody_cuda::{Device, Tree};
/// # fn sum<X>(gravity: X, bodies: &[X::I]) -> Result<(), nbody_cuda::Error>
/// # where X: nbody_core::Interaction, X::I: nbody_core::Record {
/// let mut tree = Tree::new(&Device::cpu(), gravity, Opening::theta(0.6))?;
/// let particles = tree.upload(bodies)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Tree<X> {
    device: Device,
    engine: Inner<X>,
}

#[derive(Debug)]
enum Inner<X> {
    Cpu(Box<CpuTree<X>>),
    Cuda(Box<CudaTree<X>>),
}

/// A tree of CUDA programs.
#[derive(Debug)]
struct CudaTree<X> {
    law: TreeLaw<X>,
    engine: TreeEngine,
    field_copy: Arc<FieldCopy>,
}

impl<X: Interaction> CudaTree<X> {
    fn evaluate(
        &mut self,
        i: &CudaParticles<X::I>,
        j: Sources<'_, CudaParticles<X::J>>,
        out: &mut CudaResults<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let mut criterion = Criterion {
            opening: self.law.opening(),
            harmonic: self.law.harmonic_distance(),
            error_orders: [false, true].map(|is_of_one_sign| self.law.error_order(is_of_one_sign)),
            table: &mut |scale, is_of_one_sign| self.law.table(scale, is_of_one_sign),
        };
        let j = j.with(&j.particles().buffer);
        self.engine.run(&i.buffer, j, (&mut out.buffer, store), &mut criterion)
    }
}

impl<X: Interaction> Tree<X> {
    /// Creates an engine with the default [`Options`]. On a GPU the first evaluation compiles its programs, or loads
    /// them from the cache.
    pub fn new(device: &Device, interaction: X, opening: Opening) -> Result<Self, Error> {
        Self::with_options(device, interaction, opening, Options::default())
    }

    /// Creates an engine with these options.
    pub fn with_options(
        device: &Device,
        interaction: X,
        opening: Opening,
        options: Options,
    ) -> Result<Self, Error> {
        let engine = match device.kind() {
            Kind::Cpu(level) => {
                let level = level.unwrap_or_else(SimdLevel::best);
                let engine = CpuTree::with_level(interaction, opening, options, level)?;
                Inner::Cpu(Box::new(engine))
            }
            Kind::Cuda(backend) => {
                let law = TreeLaw::new(interaction, opening)?;
                let mut engine = TreeEngine::new(backend, device.cache(), X::LAW, options)?;
                engine.set_parameters(&std::slice::from_ref(&interaction));
                let field_copy = device.field_copy().clone();
                Inner::Cuda(Box::new(CudaTree { law, engine, field_copy }))
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
            Inner::Cuda(tree) => tree.law.interaction(),
        }
    }

    /// Sets the interaction with its parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_interaction(interaction),
            Inner::Cuda(tree) => {
                tree.law.set_interaction(interaction);
                tree.engine.set_parameters(&std::slice::from_ref(&interaction));
            }
        }
    }

    /// Returns the criterion by which cells are opened.
    pub fn opening(&self) -> Opening {
        match &self.engine {
            Inner::Cpu(engine) => engine.opening(),
            Inner::Cuda(tree) => tree.law.opening(),
        }
    }

    /// Sets the criterion by which cells are opened.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(engine) => engine.set_opening(opening)?,
            Inner::Cuda(tree) => {
                tree.law.set_opening(opening)?;
                tree.engine.forget_results();
            }
        }
        Ok(())
    }

    /// Returns the distance from which on the interaction is harmonic, so that the trace of second moments has no
    /// effect, and three far particles do for six; infinite if it is nowhere, for several charges, and where
    /// results depend on fields of i other than its position.
    pub fn harmonic_distance(&self) -> f64 {
        match &self.engine {
            Inner::Cpu(engine) => engine.harmonic_distance(),
            Inner::Cuda(tree) => tree.law.harmonic_distance(),
        }
    }

    /// Returns the lengths of results, in the order of the caller, that the last evaluation compared estimates of
    /// errors with; `None` unless cells are opened by [`Opening::relative`]. The evaluation is the same again
    /// after [`compare_with`](Self::compare_with).
    pub fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        match &self.engine {
            Inner::Cpu(engine) => Ok(engine.compared().map(<[f64]>::to_vec)),
            Inner::Cuda(tree) => tree.engine.compared(),
        }
    }

    /// Has the next evaluation compare estimates of errors with results of these lengths.
    pub fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(engine) => {
                engine.compare_with(lengths);
                Ok(())
            }
            Inner::Cuda(tree) => tree.engine.compare_with(lengths),
        }
    }

    /// Returns the walk.
    pub fn walk(&self) -> Walk {
        match &self.engine {
            Inner::Cpu(_) => Walk::Groups,
            Inner::Cuda(tree) => tree.engine.walk,
        }
    }

    /// Sets the walk. The CPU walks by groups.
    pub fn set_walk(&mut self, walk: Walk) -> Result<(), Error> {
        match &mut self.engine {
            Inner::Cpu(_) if walk == Walk::Groups => Ok(()),
            Inner::Cpu(_) => Err(Error::NoWalk { device: self.device.name() }),
            Inner::Cuda(tree) => {
                tree.engine.walk = walk;
                Ok(())
            }
        }
    }

    /// Returns the options.
    pub fn options(&self) -> Options {
        match &self.engine {
            Inner::Cpu(engine) => engine.options(),
            Inner::Cuda(tree) => tree.engine.options,
        }
    }

    /// Returns the CUDA program of the walk; `None` on the CPU and before the first evaluation by this walk.
    pub fn program(&self) -> Option<&Program> {
        match &self.engine {
            Inner::Cpu(_) => None,
            Inner::Cuda(tree) => tree.engine.program(),
        }
    }

    /// Measures the times of sort, build and walk on a GPU from now on, or no more: the parts then wait for one
    /// another. The CPU always measures them.
    pub fn set_timed(&mut self, is_on: bool) {
        if let Inner::Cuda(tree) = &mut self.engine {
            tree.engine.is_timed = is_on;
        }
    }

    /// Returns the size of the tree of the last evaluation, its work and its times, once the device has done it. No tree
    /// is built on a GPU where there are no pairs.
    pub fn report(&self) -> Result<TreeReport, Error> {
        match &self.engine {
            Inner::Cpu(engine) => Ok(*engine.report()),
            Inner::Cuda(tree) => tree.engine.report(),
        }
    }
}

impl<X: Interaction> Engine<X> for Tree<X> {
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
            Inner::Cuda(tree) => Particles::Cuda(CudaParticles {
                buffer: tree.engine.upload(&particles)?,
                field_copy: tree.field_copy.clone(),
                record: PhantomData,
            }),
        })
    }

    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        Ok(match &self.engine {
            Inner::Cpu(engine) => Results::Cpu(engine.results(n)?),
            Inner::Cuda(tree) => {
                let buffer = tree.engine.results(n)?;
                Results::Cuda(CudaResults { buffer, record: PhantomData })
            }
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
            (Inner::Cuda(tree), Particles::Cuda(i), Placed::Cuda(j), Results::Cuda(out)) => {
                tree.evaluate(i, j, out, store)
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
            (Inner::Cuda(tree), Particles::Cuda(i), Placed::Cuda(j), Results::Cuda(out)) => {
                let backend = tree.engine.backend();
                backend.time(&mut || tree.evaluate(i, j, out, Store::Replace))
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
            (Inner::Cuda(_), Results::Cuda(results)) => {
                let (n, mut records) = (results.len(), Vec::new());
                let take = &mut |rows: &pack::WriteRows| records = pack::unpack(n, rows);
                results.buffer.read(X::F::FIELDS, take)?;
                Ok(records)
            }
            _ => Err(foreign(&self.device, "results")),
        }
    }
}
