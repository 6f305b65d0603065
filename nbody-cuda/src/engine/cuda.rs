//! All pairs by CUDA programs: on a GPU or in the emulator.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use nbody_core::{Domain, Engine, Interaction, Options, Record, Scalar, Sources, Store, pack};

use crate::backend::Backend;
use crate::compile::build::Build;
use crate::compile::cache::Cache;
use crate::engine::evaluation::CudaEngine;
use crate::tuning::measured::Tuned;
use crate::{CudaParticles, CudaResults, Error, KernelConfig, Program};

/// Sums an interaction over all pairs by CUDA programs.
///
/// The sums are made in a fixed order, so that results are bitwise the same from run to run.
#[derive(Debug)]
pub struct CudaAllPairs<X> {
    interaction: X,
    engine: Box<CudaEngine>,
}

impl<X: Interaction> CudaAllPairs<X> {
    pub(crate) fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        interaction: X,
        options: Options,
    ) -> Result<Self, Error> {
        let parameters = std::slice::from_ref(&interaction);
        let engine = CudaEngine::new(backend, cache, X::LAW, &parameters, options)?;
        Ok(Self { interaction, engine })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Changes the parameters; the programs stay.
    pub fn set_interaction(&mut self, interaction: X) {
        self.interaction = interaction;
        self.engine.set_parameters(&std::slice::from_ref(&interaction));
    }

    /// Changes the space that the particles are in. The lengths of a box change at no cost; other
    /// programs are taken only where a box comes or goes. A box that the precision cannot hold is
    /// refused, and the space stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }

    /// What its programs are compiled for, instead of what a model chooses for the numbers of
    /// particles; `None` leaves it to the model again. Results change only with the bag.
    pub fn set_kernel_config(&mut self, config: Option<KernelConfig>) -> Result<(), Error> {
        self.engine.set_kernel_config(config)
    }

    /// How it computes.
    pub fn options(&self) -> Options {
        self.engine.options()
    }

    /// The CUDA program of the last evaluation, or the one for many particles before the first.
    pub fn program(&self) -> &Program {
        &self.engine.kernel().program
    }

    /// How that program came to be ready to run.
    pub fn build(&self) -> &Build {
        &self.engine.kernel().build
    }

    /// Measures what evaluates these particles in the least time, and keeps it, for this engine and
    /// beside the compiled programs for all that come. `one_set` evaluates them as one set.
    /// `tell` is told of each measurement and of how many there are.
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
        Ok(CudaParticles { buffer, record: PhantomData })
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
        let (j, one_set) = (&j.particles().buffer, j.is_one_set());
        self.engine.run(&i.buffer, j, &mut out.buffer, one_set, store)
    }

    fn time(
        &mut self,
        i: &CudaParticles<X::I>,
        j: Sources<'_, CudaParticles<X::J>>,
        out: &mut CudaResults<X::F>,
    ) -> Result<Duration, Error> {
        let (j, one_set) = (&j.particles().buffer, j.is_one_set());
        self.engine.timed(&i.buffer, j, &mut out.buffer, one_set)
    }

    fn download<S: Scalar>(
        &self,
        fields: &CudaResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let n = fields.len();
        let mut results = Vec::new();
        let take = &mut |rows: &pack::WriteRows| results = pack::unpack(n, rows);
        fields.buffer.read(X::F::FIELDS, take)?;
        Ok(results)
    }
}
