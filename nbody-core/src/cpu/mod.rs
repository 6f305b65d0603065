//! All pairs on the CPU: the scheme of the GPU, in the same order, a thread for each share of
//! the i-particles.

mod columns;
mod loops;
mod ordered;
mod sums;
mod symmetric;

use std::any::Any;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

use columns::Columns;
use loops::Kernel;
use ordered::Job;
use sums::Folding;
use symmetric::FEWEST;

use crate::simd::{LINE, Lanes, SimdLevel, Task};
use crate::{
    Accumulation, Domain, Engine, Error, Interaction, Mixed, Open, Options, Pairs, Periodic,
    Precision, Record, Scalar, Space, Tiling,
};

/// Sums an interaction over all pairs on the CPU.
///
/// The order of summation is that of [`Tiling`], or, where both directions of a pair are evaluated
/// at once, one of the number of particles; whatever the number of threads, so that results are
/// bitwise the same from run to run.
#[derive(Clone, Copy, Debug)]
pub struct CpuAllPairs<X> {
    interaction: X,
    options: Options,
    tiling: Tiling,
    level: SimdLevel,
}

/// Particles in the precision of an evaluation, as structure of arrays.
#[derive(Clone, Debug)]
pub struct CpuParticles<P> {
    columns: Precise,
    record: PhantomData<P>,
}

/// Columns of the words of one precision.
#[derive(Clone, Debug)]
enum Precise {
    Single(Columns<u32>),
    Double(Columns<u64>),
    Mixed(Columns<u32>),
}

impl<P: Record> CpuParticles<P> {
    fn pack<Q>(particles: &[Q], precision: Precision) -> Result<Self, Error>
    where
        Q: Record<Host = P>,
        Q::Lane: Scalar,
    {
        let columns = match precision {
            Precision::Single => Precise::Single(Columns::pack::<Q, f32>(particles)?),
            Precision::Double => Precise::Double(Columns::pack::<Q, f64>(particles)?),
            Precision::Mixed => Precise::Mixed(Columns::pack::<Q, Mixed>(particles)?),
        };
        Ok(Self { columns, record: PhantomData })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.columns {
            Precise::Single(columns) | Precise::Mixed(columns) => columns.len(),
            Precise::Double(columns) => columns.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn precision(&self) -> Precision {
        match self.columns {
            Precise::Single(_) => Precision::Single,
            Precise::Double(_) => Precision::Double,
            Precise::Mixed(_) => Precision::Mixed,
        }
    }

    /// The columns, if they are of these words.
    fn columns<W: 'static>(&self) -> Option<&Columns<W>> {
        match &self.columns {
            Precise::Single(columns) | Precise::Mixed(columns) => {
                (columns as &dyn Any).downcast_ref()
            }
            Precise::Double(columns) => (columns as &dyn Any).downcast_ref(),
        }
    }
}

/// Results on the CPU, in `f64`, which holds every accumulator exactly.
#[derive(Clone, Debug)]
pub struct CpuFields<F> {
    columns: Columns<u64>,
    record: PhantomData<F>,
}

impl<F> CpuFields<F> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<X: Interaction> CpuAllPairs<X> {
    /// With the default [`Options`].
    pub fn new(interaction: X) -> Self {
        let (options, tiling) = (Options::default(), Tiling::default());
        Self { interaction, options, tiling, level: SimdLevel::best() }
    }

    /// With options of the caller's choice.
    pub fn with_options(interaction: X, options: Options) -> Result<Self, Error> {
        Self::with_level(interaction, options, SimdLevel::best())
    }

    /// With instructions of the caller's choice, too.
    pub fn with_level(interaction: X, options: Options, level: SimdLevel) -> Result<Self, Error> {
        let tiling = options.tiling.unwrap_or_default();
        tiling.check()?;
        level.check()?;
        Ok(Self { interaction, options, tiling, level })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Changes the parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        self.interaction = interaction;
    }

    /// Changes the space that the particles are in.
    pub fn set_domain(&mut self, domain: Domain) {
        self.options.domain = domain;
    }

    /// How it computes.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The instructions that it uses.
    pub fn level(&self) -> SimdLevel {
        self.level
    }

    fn run(
        &self,
        i: &CpuParticles<X::I>,
        j: &CpuParticles<X::J>,
        out: &mut CpuFields<X::F>,
        one_set: bool,
    ) -> Result<(), Error> {
        Error::check_length("results", out.len(), i.len())?;
        if one_set {
            Error::check_length("j-particles of one set", j.len(), i.len())?;
        }
        let (found, expected) = (j.precision(), i.precision());
        if found != expected {
            return Err(Error::PrecisionMismatch { found, expected });
        }
        let skips_self = one_set && !X::SELF_PAIRS;
        let folding = Folding::new::<X::F>(self.options.backup())?;
        let both = one_set && self.evaluates_both(i.len());
        X::evaluate_on_cpu(Evaluation { engine: self, i, j, out, skips_self, both, folding })
    }

    /// Whether both directions of a pair of one set of `n` particles are evaluated at once.
    fn evaluates_both(&self, n: usize) -> bool {
        let Some(law) = X::THIRD_LAW else { return false };
        let Options { pairs, tiling, accumulation, .. } = self.options;
        let possible = tiling.is_none() && accumulation != Accumulation::Compensated;
        // What is added to sums in memory takes as much as some operations. With a cutoff most pairs
        // are likely to be beyond it, and those are looked at faster one way at a time.
        let saves = 6 * law.operations.flops() < 10 * X::OPERATIONS.flops();
        let pays = n >= FEWEST && !X::CUTOFF && saves;
        possible && (pairs == Pairs::Unordered || pairs == Pairs::Auto && pays)
    }

    fn timed(
        &self,
        i: &CpuParticles<X::I>,
        j: &CpuParticles<X::J>,
        out: &mut CpuFields<X::F>,
        one_set: bool,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.run(i, j, out, one_set)?;
        Ok(start.elapsed())
    }
}

/// One evaluation, for lanes of any kind.
pub struct Evaluation<'a, X: Interaction> {
    engine: &'a CpuAllPairs<X>,
    i: &'a CpuParticles<X::I>,
    j: &'a CpuParticles<X::J>,
    out: &'a mut CpuFields<X::F>,
    skips_self: bool,
    /// Whether both directions of a pair are evaluated at once.
    both: bool,
    folding: Folding,
}

impl<X: Interaction> Task for Evaluation<'_, X> {
    type Result = Result<(), Error>;

    fn run<L: Lanes>(self) -> Result<(), Error> {
        match self.engine.options.domain {
            Domain::Open => self.evaluate::<L, _>(Open),
            domain @ Domain::Periodic(_) => self.evaluate::<L, _>(Periodic::new(&domain)),
        }
    }
}

impl<X: Interaction> Evaluation<'_, X> {
    /// Evaluates on the lanes of the engine's level, in the precision of the particles.
    pub fn dispatch(self) -> Result<(), Error> {
        let &CpuAllPairs { level, options, .. } = self.engine;
        level.run(self.i.precision(), options.math, self)
    }

    fn evaluate<L: Lanes, P: Space<L>>(self, space: P) -> Result<(), Error> {
        // Both are of the precision that chose the lanes.
        let (Some(i), Some(j)) = (self.i.columns(), self.j.columns()) else { return Ok(()) };
        let Self { engine, out, skips_self, both, folding, .. } = self;
        let nothing = Columns::filled::<X::F, L::Scalar>(LINE)?;
        let kernel = Kernel::<X, L, P> {
            parameters: &Columns::pack::<X, L::Scalar>(&[engine.interaction])?,
            space,
            i,
            j,
            skips_self,
            folding: &folding,
            interaction: PhantomData,
        };
        let job = Job::<L::Scalar> {
            loops: &kernel,
            n: i.len(),
            skips_self,
            bag: engine.tiling.bag,
            accumulation: engine.options.accumulation,
            folding: &folding,
            nothing: nothing.lines(),
        };
        let both = both && const { L::REORDERS && X::THIRD_LAW.is_some() };
        job.evaluate(j.len(), engine.tiling, both, &mut out.columns);
        Ok(())
    }
}

impl<X: Interaction> Engine<X> for CpuAllPairs<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = CpuParticles<P>;
    type Fields = CpuFields<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<CpuParticles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        CpuParticles::pack(particles, self.options.precision)
    }

    fn fields(&self, n: usize) -> Result<CpuFields<X::F>, Error> {
        let columns = Columns::filled::<X::F, f64>(n)?;
        Ok(CpuFields { columns, record: PhantomData })
    }

    fn evaluate_into(
        &mut self,
        i: &CpuParticles<X::I>,
        j: &CpuParticles<X::J>,
        out: &mut CpuFields<X::F>,
    ) -> Result<(), Error> {
        self.run(i, j, out, false)
    }

    fn evaluate_self_into(
        &mut self,
        i: &CpuParticles<X::I>,
        j: &CpuParticles<X::J>,
        out: &mut CpuFields<X::F>,
    ) -> Result<(), Error> {
        self.run(i, j, out, true)
    }

    fn download<S: Scalar>(
        &self,
        fields: &CpuFields<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        Ok(fields.columns.unpack::<_, f64>())
    }

    fn time(
        &mut self,
        i: &CpuParticles<X::I>,
        j: &CpuParticles<X::J>,
        out: &mut CpuFields<X::F>,
    ) -> Result<Duration, Error> {
        self.timed(i, j, out, false)
    }

    fn time_self(
        &mut self,
        i: &CpuParticles<X::I>,
        j: &CpuParticles<X::J>,
        out: &mut CpuFields<X::F>,
    ) -> Result<Duration, Error> {
        self.timed(i, j, out, true)
    }
}
