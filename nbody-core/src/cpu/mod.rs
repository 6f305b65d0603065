//! All pairs on the CPU, by schedules that call the compiled loops of an interaction, and programs per
//! particle.

mod columns;
mod engine;
mod evaluation;
mod hits;
mod kept;
mod listed;
mod loops;
mod neighbours;
mod particle;
mod particle_loop;
mod peak;
mod per_particle;
mod schedule;
mod selection;
mod short_range;
mod sums;
mod tree;
mod variant;

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use columns::Columns;
use engine::CpuEngine;
pub use neighbours::{CpuNeighbours, HasCutoff};
pub use particle_loop::ParticleLoop;
pub use peak::peak;
pub use per_particle::{CpuInputs, CpuPerParticle};
pub use selection::CpuSelection;
pub use short_range::CpuShortRange;
pub use tree::CpuTree;
pub use variant::{Compiled, Variant};

use crate::numeric::simd::SimdLevel;
use crate::{
    Domain, Engine, Error, Interaction, Options, Precision, Record, Scalar, Sources, Store, pack,
};

/// Sums an interaction over all pairs on the CPU.
///
/// The order of summation is that of [`SummationOrder`](crate::SummationOrder), or, with the
/// symmetric schedule, one that depends only on the number of particles. It does not depend on the
/// number of threads, so that results are bitwise the same from run to run.
#[derive(Clone, Copy, Debug)]
pub struct CpuAllPairs<X> {
    interaction: X,
    engine: CpuEngine,
}

/// Particles in the precision of an evaluation, as structure of arrays.
#[derive(Clone, Debug)]
pub struct CpuParticles<P> {
    particles: engine::Particles,
    record: PhantomData<P>,
}

impl<P> CpuParticles<P> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Returns the precision.
    pub fn precision(&self) -> Precision {
        self.particles.precision
    }

    /// Tests whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Results on the CPU, in `f64`, which holds every accumulator exactly.
#[derive(Clone, Debug)]
pub struct CpuResults<F> {
    results: engine::Results,
    record: PhantomData<F>,
}

impl<F> CpuResults<F> {
    /// Number of results.
    pub fn len(&self) -> usize {
        self.results.columns.len()
    }

    /// Tests whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<F: Record> CpuResults<F> {
    /// Changes the number of results, which are then those of no pair.
    pub fn resize(&mut self, n: usize) -> Result<(), Error> {
        self.results.columns = Columns::filled(n, &pack::nothing(F::FIELDS))?;
        Ok(())
    }
}

impl<X: Interaction> CpuAllPairs<X> {
    /// Makes an engine with the default [`Options`].
    pub fn new(interaction: X) -> Self {
        Self { interaction, engine: CpuEngine::of_law(X::LAW) }
    }

    /// Makes an engine with these options.
    pub fn with_options(interaction: X, options: Options) -> Result<Self, Error> {
        Self::with_level(interaction, options, SimdLevel::best())
    }

    /// Makes an engine with these options and this level of vector instructions.
    pub fn with_level(interaction: X, options: Options, level: SimdLevel) -> Result<Self, Error> {
        Ok(Self { interaction, engine: CpuEngine::new(X::LAW, options, level)? })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Changes the parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        self.interaction = interaction;
    }

    /// Changes the space that the particles are in. A box that the precision cannot hold is refused,
    /// and the space is unchanged.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(self.engine.options.precision)?;
        self.engine.options.domain = domain;
        Ok(())
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.engine.options
    }

    /// The level of its vector instructions.
    pub fn level(&self) -> SimdLevel {
        self.engine.level
    }
}

impl<X: Interaction> Engine<X> for CpuAllPairs<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = CpuParticles<P>;
    type Results = CpuResults<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<CpuParticles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        Ok(CpuParticles { particles: self.engine.upload(&particles)?, record: PhantomData })
    }

    fn results(&self, n: usize) -> Result<CpuResults<X::F>, Error> {
        Ok(CpuResults { results: self.engine.results(n)?, record: PhantomData })
    }

    fn evaluate_with(
        &mut self,
        i: &CpuParticles<X::I>,
        j: Sources<'_, CpuParticles<X::J>>,
        out: &mut CpuResults<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let parameters = std::slice::from_ref(&self.interaction);
        let j = j.with(&j.particles().particles);
        self.engine.run(&parameters, &i.particles, j, &mut out.results, store)
    }

    fn time(
        &mut self,
        i: &CpuParticles<X::I>,
        j: Sources<'_, CpuParticles<X::J>>,
        out: &mut CpuResults<X::F>,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.evaluate_with(i, j, out, Store::Replace)?;
        Ok(start.elapsed())
    }

    fn download<S: Scalar>(
        &self,
        fields: &CpuResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let columns = &fields.results.columns;
        Ok(pack::unpack(fields.len(), &|records, rows| columns.rows(records, rows)))
    }
}
