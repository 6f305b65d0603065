//! All pairs on any device.

use std::marker::PhantomData;

use nbody_core::{pack, untyped};
#[cfg(feature = "cuda")]
use nbody_cuda::{Build, KernelConfig, Program, Tuned, programs};

use super::interface::Engine;
use super::parameters::{assert_taken, row};
use crate::{Device, Error, Interaction, Options};
#[cfg(feature = "cuda")]
use crate::{Particles, Results, Sources};

/// Sums an interaction over all pairs, on any [`Device`].
///
/// [`evaluate`](Engine::evaluate) takes slices and returns a `Vec`; codes that evaluate often
/// [`upload`](Engine::upload) once and [`evaluate_into`](Engine::evaluate_into).
///
/// The order of summation is given by [`SummationOrder`](crate::SummationOrder); with the
/// symmetric schedule it depends only on the number of particles. It depends neither on the number
/// of threads nor on timing, so that results are bitwise the same from run to run.
#[derive(Debug)]
pub struct AllPairs<X> {
    interaction: PhantomData<X>,
    device: Device,
    engine: Box<dyn untyped::Engine>,
}

impl<X: Interaction> AllPairs<X> {
    /// Creates an engine with the default [`Options`]. On a GPU this compiles the program, or
    /// loads it from the cache.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// Creates an engine with these options.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = device.untyped().all_pairs(X::LAW, &row(&interaction), options)?;
        Ok(Self { interaction: PhantomData, device: device.clone(), engine })
    }
}

#[cfg(feature = "cuda")]
impl<X: Interaction> AllPairs<X> {
    /// Returns the CUDA program of the last evaluation; before the first evaluation, the program
    /// for many particles; `None` on the CPU.
    pub fn program(&self) -> Option<&Program> {
        programs::compiled(&*self.engine).map(|(program, _)| program)
    }

    /// Returns the compilation of that program; `None` on the CPU.
    pub fn build(&self) -> Option<&Build> {
        programs::compiled(&*self.engine).map(|(_, build)| build)
    }

    /// Sets the kernel configuration, instead of the one that a model chooses for the numbers of
    /// particles; `None` returns the choice to the model. It has no effect on the CPU.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        programs::set_kernel_config(&mut *self.engine, config)
    }

    /// Measures kernel configurations for these particles and returns the fastest, which this
    /// engine uses from then on; the cache keeps it for later engines. `tell` receives each
    /// measurement and their total number. On the CPU, and where the configuration or the
    /// summation order is fixed, it measures nothing and returns `None`.
    pub fn tune(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
        tell: &mut dyn FnMut(&Tuned, usize),
    ) -> Result<Option<Tuned>, Error> {
        let j = j.with(j.particles().untyped());
        programs::tune(&mut *self.engine, i.untyped(), j, out.untyped_mut(), tell)
    }
}

impl<X: Interaction> Engine<X> for AllPairs<X> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn untyped(&self) -> &dyn untyped::Engine {
        &*self.engine
    }

    fn untyped_mut(&mut self) -> &mut dyn untyped::Engine {
        &mut *self.engine
    }

    fn into_untyped(self: Box<Self>) -> Box<dyn untyped::Engine> {
        self.engine
    }

    fn parameters(&self) -> X {
        pack::record(untyped::Engine::parameters(&*self.engine))
    }

    fn set_parameters(&mut self, parameters: X) {
        assert_taken(self.engine.set_parameters(&row(&parameters)));
    }
}
