//! The typed engine of CUDA programs, on a GPU or in the emulator.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use nbody_core::{Domain, Engine, Interaction, Options, Record, Scalar, Sources, Store, pack};

use crate::backend::Backend;
use crate::compile::build::Build;
use crate::engine::evaluation::CudaEngine;
use crate::particle::field::FieldCopy;
use crate::tuning::measured::Tuned;
use crate::{CudaParticles, CudaResults, Device, Error, KernelConfig, Program};

/// Sums an interaction over all pairs by CUDA programs.
///
/// The summation order is fixed, so that results are bitwise reproducible.
#[derive(Debug)]
pub struct CudaAllPairs<X> {
    interaction: X,
    engine: Box<CudaEngine>,
    field_copy: Arc<FieldCopy>,
}

impl<X: Interaction> CudaAllPairs<X> {
    pub(crate) fn new(
        backend: &Arc<dyn Backend>,
        device: &Device,
        interaction: X,
        options: Options,
    ) -> Result<Self, Error> {
        let parameters = std::slice::from_ref(&interaction);
        let engine = CudaEngine::new(backend, device.cache(), X::LAW, &parameters, options)?;
        Ok(Self { interaction, engine, field_copy: device.field_copy().clone() })
    }

    /// Returns the interaction with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Sets the interaction with its parameters; nothing is recompiled.
    pub fn set_interaction(&mut self, interaction: X) {
        self.interaction = interaction;
        self.engine.set_parameters(&std::slice::from_ref(&interaction));
    }

    /// Sets the domain of the particles. Changing the lengths of a periodic box costs nothing;
    /// changing between a periodic box and open space compiles other programs or loads them from
    /// the cache. A box whose lengths the precision cannot represent is an error, and the domain
    /// stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }

    /// Sets the kernel configuration, instead of that which a model chooses for the numbers of
    /// particles; `None` leaves the choice to the model again.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        self.engine.set_kernel_config(config)
    }

    /// Returns the options.
    pub fn options(&self) -> Options {
        self.engine.options()
    }

    /// Returns the program of the last evaluation, or before the first evaluation that for many
    /// particles.
    pub fn program(&self) -> &Program {
        &self.engine.kernel().program
    }

    /// Returns how that program was compiled.
    pub fn build(&self) -> &Build {
        &self.engine.kernel().build
    }

    /// Measures kernel configurations for these particles and returns the fastest, which this
    /// engine uses from then on; the cache keeps it for later engines. `one_set` evaluates i and j
    /// as one set. `tell` receives each measurement and their total number. Where the configuration
    /// or the summation order is fixed, it measures nothing and returns `None`.
    pub fn tune(
        &mut self,
        i: &CudaParticles<X::I>,
        j: &CudaParticles<X::J>,
        out: &mut CudaResults<X::F>,
        one_set: bool,
        tell: &mut dyn FnMut(&Tuned, usize),
    ) -> Result<Option<Tuned>, Error> {
        self.engine.tune(&i.buffer, &j.buffer, &out.buffer, one_set, tell)
    }
}

impl<X: Interaction> Engine<X> for CudaAllPairs<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = CudaParticles<P>;
    type Results = CudaResults<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<CudaParticles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        let buffer = self.engine.upload(&particles)?;
        let field_copy = self.field_copy.clone();
        Ok(CudaParticles { buffer, field_copy, record: PhantomData })
    }

    fn results(&self, n: usize) -> Result<CudaResults<X::F>, Error> {
        let buffer = self.engine.results(n)?;
        Ok(CudaResults { buffer, record: PhantomData })
    }

    fn evaluate_with(
        &mut self,
        i: &CudaParticles<X::I>,
        j: Sources<'_, CudaParticles<X::J>>,
        out: &mut CudaResults<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        self.engine.run(&i.buffer, j.with(&j.particles().buffer), &mut out.buffer, store)
    }

    fn time(
        &mut self,
        i: &CudaParticles<X::I>,
        j: Sources<'_, CudaParticles<X::J>>,
        out: &mut CudaResults<X::F>,
    ) -> Result<Duration, Error> {
        self.engine.timed(&i.buffer, j.with(&j.particles().buffer), &mut out.buffer)
    }

    fn download<S: Scalar>(
        &self,
        results: &CudaResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let mut records = Vec::new();
        let take = &mut |rows: &pack::WriteRows| records = pack::unpack(results.len(), rows);
        results.buffer.read(X::F::FIELDS, take)?;
        Ok(records)
    }
}
