//! All pairs on the CPU: the scheme of the GPU, in the same order, a thread for each share of
//! the i-particles.

mod columns;
mod evaluation;
mod loops;
mod ordered;
mod sums;
mod symmetric;
mod variant;

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use columns::Columns;
use evaluation::{Evaluation, Packed};
use sums::Folding;
use symmetric::FEWEST;
pub use variant::{Compiled, Variant};

use crate::simd::SimdLevel;
use crate::{
    Accumulation, Domain, Engine, Error, Interaction, Mixed, Options, Pairs, Precision, Record,
    Scalar, Tiling, pack,
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
    packed: Packed,
    precision: Precision,
    record: PhantomData<P>,
}

impl<P: Record> CpuParticles<P> {
    fn pack<Q>(particles: &[Q], precision: Precision) -> Result<Self, Error>
    where
        Q: Record<Host = P>,
        Q::Lane: Scalar,
    {
        let packed = match precision {
            Precision::Single => Packed::Bits32(columns_of_32::<Q, f32>(particles)?),
            Precision::Double => Packed::Bits64(columns_of_64(particles)?),
            Precision::Mixed => Packed::Bits32(columns_of_32::<Q, Mixed>(particles)?),
        };
        Ok(Self { packed, precision, record: PhantomData })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses particles of another precision than the engine's.
    fn check(&self, expected: Precision) -> Result<(), Error> {
        let found = self.precision;
        if found == expected { Ok(()) } else { Err(Error::PrecisionMismatch { found, expected }) }
    }
}

fn columns_of_32<P, S>(particles: &[P]) -> Result<Columns<u32>, Error>
where
    P: Record,
    P::Lane: Scalar,
    S: Scalar<Word = u32>,
{
    Columns::<u32>::of_rows(particles.len(), pack::words::<P, S>(), &|records, rows| {
        pack::rows::<P, S>(&particles[records], rows);
    })
}

fn columns_of_64<P>(particles: &[P]) -> Result<Columns<u64>, Error>
where
    P: Record,
    P::Lane: Scalar,
{
    Columns::<u64>::of_rows(particles.len(), pack::words::<P, f64>(), &|records, rows| {
        pack::rows::<P, f64>(&particles[records], rows);
    })
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
        let Options { precision, math, domain, accumulation, .. } = self.options;
        i.check(precision)?;
        j.check(precision)?;
        let nothing = pack::pack::<X::F, f64>(&[Default::default()]);
        let folding = Folding::new(X::F::FIELDS, nothing, self.options.backup());
        let parameters = CpuParticles::pack(&[self.interaction], precision)?;
        let variant =
            Variant { level: self.level, precision, math, is_periodic: domain.is_periodic() };
        let evaluation = Evaluation {
            loops: X::cpu_loops(variant),
            domain,
            skips_self: one_set && !X::SELF_PAIRS,
            both: one_set && self.evaluates_both(i.len()),
            tiling: self.tiling,
            accumulation,
            folding: &folding,
        };
        let sets = [&parameters.packed, &i.packed, &j.packed];
        if variant.widens() {
            let fields = [X::FIELDS, X::I::FIELDS, X::J::FIELDS];
            evaluation.run_widened(sets, fields, &mut out.columns)
        } else {
            evaluation.run(sets, &mut out.columns);
            Ok(())
        }
    }

    /// Whether both directions of a pair of one set of `n` particles are evaluated at once, where
    /// there are loops for that.
    fn evaluates_both(&self, n: usize) -> bool {
        let Options { pairs, tiling, accumulation, .. } = self.options;
        let possible = tiling.is_none() && accumulation != Accumulation::Compensated;
        // With a cutoff most pairs are likely to be beyond it, and those are looked at faster one way
        // at a time.
        let pays = n >= FEWEST && !X::CUTOFF;
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
        let columns = Columns::filled(n, &pack::pack::<X::F, f64>(&[Default::default()]))?;
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
        Ok(fields.columns.unpack())
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
