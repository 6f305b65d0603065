//! Interactions by trees, on any device that has them.

use std::time::Duration;

use nbody_core::{
    CpuTree, Engine, Interaction, Opening, Options, Record, Scalar, SimdLevel, Sources, Store,
    TreeReport,
};

use super::{Placed, foreign, placed};
use crate::device::Kind;
use crate::{Device, Error, Particles, Results};

/// Sums an interaction over all pairs by a tree: cells of j-particles act from afar through a few far particles
/// each ([`CpuTree`]). The interaction must be a sum over [charges](nbody_core::Law::charges). So far only the
/// CPU has trees.
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
    engine: CpuTree<X>,
}

impl<X: Interaction> Tree<X> {
    /// Creates an engine with the default [`Options`].
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
        let Kind::Cpu(level) = device.kind() else {
            return Err(Error::NoTrees { device: device.name() });
        };
        let level = level.unwrap_or_else(SimdLevel::best);
        let engine = CpuTree::with_level(interaction, opening, options, level)?;
        Ok(Self { device: device.clone(), engine })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the interaction with its parameters.
    pub fn interaction(&self) -> &X {
        self.engine.interaction()
    }

    /// Sets the interaction with its parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        self.engine.set_interaction(interaction);
    }

    /// Returns the criterion by which cells are opened.
    pub fn opening(&self) -> Opening {
        self.engine.opening()
    }

    /// Sets the criterion by which cells are opened.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        Ok(self.engine.set_opening(opening)?)
    }

    /// Returns the options.
    pub fn options(&self) -> Options {
        self.engine.options()
    }

    /// Returns the size of the tree of the last evaluation, its work and its times.
    pub fn report(&self) -> &TreeReport {
        self.engine.report()
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
        Ok(Particles::Cpu(self.engine.upload(particles)?))
    }

    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        Ok(Results::Cpu(self.engine.results(n)?))
    }

    fn evaluate_with(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        match (i, placed(j), out) {
            (Particles::Cpu(i), Placed::Cpu(j), Results::Cpu(out)) => {
                Ok(self.engine.evaluate_with(i, j, out, store)?)
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
        match (i, placed(j), out) {
            (Particles::Cpu(i), Placed::Cpu(j), Results::Cpu(out)) => {
                Ok(self.engine.time(i, j, out)?)
            }
            _ => Err(foreign(&self.device, "particles or results")),
        }
    }

    fn download<S: Scalar>(
        &self,
        results: &Results<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        match results {
            Results::Cpu(results) => Ok(self.engine.download::<S>(results)?),
            Results::Cuda(_) => Err(foreign(&self.device, "results")),
        }
    }
}
