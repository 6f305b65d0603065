//! All pairs on the CPU: the scheme of the GPU, in the same order, a thread for each share of
//! the i-particles.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::{
    Accumulation, Domain, Engine, Error, Interaction, Mixed, Open, Options, Output, Periodic,
    Precision, Record, Scalar, Space, Tiling, pack,
};

/// Sums an interaction over all pairs on the CPU.
///
/// The order of summation is that of [`Tiling`], whatever the number of threads, so that
/// results are bitwise the same from run to run.
#[derive(Clone, Copy, Debug)]
pub struct CpuAllPairs<X> {
    interaction: X,
    options: Options,
    tiling: Tiling,
}

/// Particles in the precision of an evaluation.
#[derive(Clone, Debug)]
pub struct CpuParticles<P: Record> {
    rows: Rows<P>,
}

#[derive(Clone, Debug)]
enum Rows<P: Record> {
    Single(Vec<P::With<f32>>),
    Double(Vec<P::With<f64>>),
    Mixed(Vec<P::With<Mixed>>),
}

impl<P: Record> CpuParticles<P> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Single(rows) => rows.len(),
            Rows::Double(rows) => rows.len(),
            Rows::Mixed(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn precision(&self) -> Precision {
        match self.rows {
            Rows::Single(_) => Precision::Single,
            Rows::Double(_) => Precision::Double,
            Rows::Mixed(_) => Precision::Mixed,
        }
    }
}

/// Results on the CPU, in `f64`, which holds every accumulator exactly.
#[derive(Clone, Debug)]
pub struct CpuFields<F> {
    rows: Vec<F>,
}

impl<F> CpuFields<F> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl<X: Interaction> CpuAllPairs<X> {
    /// With the default [`Options`].
    pub fn new(interaction: X) -> Self {
        Self { interaction, options: Options::default(), tiling: Tiling::default() }
    }

    /// With options of the caller's choice.
    pub fn with_options(interaction: X, options: Options) -> Result<Self, Error> {
        let tiling = options.tiling.unwrap_or_default();
        tiling.check()?;
        Ok(Self { interaction, options, tiling })
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
        let wide = self.options.backup() == Precision::Double;
        match (&i.rows, &j.rows) {
            (Rows::Single(i), Rows::Single(j)) if wide => {
                self.sum::<f32, f64>(i, j, &mut out.rows, one_set);
            }
            (Rows::Single(i), Rows::Single(j)) => {
                self.sum::<f32, f32>(i, j, &mut out.rows, one_set);
            }
            (Rows::Mixed(i), Rows::Mixed(j)) if wide => {
                self.sum::<Mixed, f64>(i, j, &mut out.rows, one_set);
            }
            (Rows::Mixed(i), Rows::Mixed(j)) => {
                self.sum::<Mixed, f32>(i, j, &mut out.rows, one_set);
            }
            (Rows::Double(i), Rows::Double(j)) => {
                self.sum::<f64, f64>(i, j, &mut out.rows, one_set);
            }
            _ => {
                let (found, expected) = (j.precision(), i.precision());
                return Err(Error::PrecisionMismatch { found, expected });
            }
        }
        Ok(())
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

    /// Sums pairs in `S` into backup accumulators in `B`.
    fn sum<S: Scalar, B: Scalar>(
        &self,
        i: &[<X::I as Record>::With<S>],
        j: &[<X::J as Record>::With<S>],
        out: &mut [X::F],
        one_set: bool,
    ) {
        let domain = self.options.domain;
        match domain {
            Domain::Open => self.sum_in::<S, B, _>(Open, i, j, out, one_set),
            Domain::Periodic(_) => {
                self.sum_in::<S, B, _>(Periodic::new(&domain), i, j, out, one_set);
            }
        }
    }

    fn sum_in<S: Scalar, B: Scalar, P: Space<S>>(
        &self,
        space: P,
        i: &[<X::I as Record>::With<S>],
        j: &[<X::J as Record>::With<S>],
        out: &mut [X::F],
        one_set: bool,
    ) {
        let parameters = pack::cast::<X, X::With<S>>(&[self.interaction]);
        let sum = Sum::<X, S, P> {
            parameters: parameters[0],
            space,
            j,
            bag: self.tiling.bag,
            split: self.tiling.bags_per_split(j.len()) * self.tiling.bag,
            accumulation: self.options.accumulation,
        };
        let skip = one_set && !X::SELF_PAIRS;
        out.par_iter_mut().zip(i).enumerate().for_each(|(k, (out, i))| {
            let mut total = Accumulators::<X, f64>::default();
            X::F::fold::<f64, B>(&mut total, &sum.total::<B>(i, skip.then_some(k)));
            *out = total;
        });
    }
}

/// What the sums of all i-particles share.
struct Sum<'a, X: Interaction, S: Scalar, P> {
    parameters: X::With<S>,
    space: P,
    j: &'a [<X::J as Record>::With<S>],
    bag: usize,
    /// j-particles in a split.
    split: usize,
    accumulation: Accumulation,
}

type Accumulators<X, S> = <<X as Interaction>::F as Record>::With<S>;

/// What is summed for one i-particle, and what rounding took from that, where it is compensated.
struct Running<X: Interaction, S: Scalar> {
    sum: Accumulators<X, S>,
    lost: Accumulators<X, S>,
}

impl<X: Interaction, S: Scalar> Running<X, S> {
    fn new() -> Self {
        Self { sum: Default::default(), lost: Default::default() }
    }

    /// Moves what is summed into the backup accumulators.
    fn fold_into<B: Scalar>(&mut self, backup: &mut Accumulators<X, B>) {
        let Self { sum, lost } = std::mem::replace(self, Self::new());
        X::F::fold::<B, S>(backup, &sum);
        X::F::fold::<B, S>(backup, &lost);
    }
}

impl<X: Interaction, S: Scalar, P: Space<S>> Sum<'_, X, S, P> {
    /// The sum over all j-particles but the one to skip: the splits, added in order.
    fn total<B: Scalar>(
        &self,
        i: &<X::I as Record>::With<S>,
        skip: Option<usize>,
    ) -> Accumulators<X, B> {
        let mut splits = self.j.chunks(self.split).enumerate();
        let mut total = match splits.next() {
            Some((_, j)) => self.part::<B>(i, 0, j, skip),
            None => Accumulators::<X, B>::default(),
        };
        for (k, j) in splits {
            let first = k * self.split;
            let skip = skip.and_then(|skip| skip.checked_sub(first));
            X::F::fold::<B, B>(&mut total, &self.part::<B>(i, first, j, skip));
        }
        total
    }

    /// The sum over one split, bag by bag. The index of its first j-particle is `first`.
    fn part<B: Scalar>(
        &self,
        i: &<X::I as Record>::With<S>,
        first: usize,
        j: &[<X::J as Record>::With<S>],
        skip: Option<usize>,
    ) -> Accumulators<X, B> {
        let mut backup = Accumulators::<X, B>::default();
        let mut current = Running::<X, S>::new();
        for (k, bag) in j.chunks(self.bag).enumerate() {
            let first = first + k * self.bag;
            let skip = skip.and_then(|skip| skip.checked_sub(k * self.bag));
            match skip.filter(|&skip| skip < bag.len()) {
                None => self.force_loop(i, first, bag, &mut current),
                Some(skip) => {
                    self.force_loop(i, first, &bag[..skip], &mut current);
                    self.force_loop(i, first + skip + 1, &bag[skip + 1..], &mut current);
                }
            }
            if self.accumulation.folds_each_bag() {
                current.fold_into::<B>(&mut backup);
            }
        }
        if !self.accumulation.folds_each_bag() {
            current.fold_into::<B>(&mut backup);
        }
        backup
    }

    /// Never inlined: one copy of the pair for each precision and space is enough to compile.
    #[inline(never)]
    fn force_loop(
        &self,
        i: &<X::I as Record>::With<S>,
        first: usize,
        bag: &[<X::J as Record>::With<S>],
        current: &mut Running<X, S>,
    ) {
        let Running { sum, lost } = current;
        let pair = |k: usize, j, f: &mut _| {
            X::pair(&self.parameters, &self.space, i, j, (first + k) as u32, f);
        };
        if self.accumulation == Accumulation::Compensated {
            for (k, j) in bag.iter().enumerate() {
                let mut term = Accumulators::<X, S>::default();
                pair(k, j, &mut term);
                X::F::compensate::<S>(&term, sum, lost);
            }
        } else {
            bag.iter().enumerate().for_each(|(k, j)| pair(k, j, sum));
        }
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
        let rows = match self.options.precision {
            Precision::Single => Rows::Single(pack::cast(particles)),
            Precision::Double => Rows::Double(pack::cast(particles)),
            Precision::Mixed => Rows::Mixed(pack::cast(particles)),
        };
        Ok(CpuParticles { rows })
    }

    fn fields(&self, n: usize) -> Result<CpuFields<X::F>, Error> {
        let mut rows = Vec::new();
        let reserved = rows.try_reserve_exact(n);
        reserved.map_err(|_| Error::OutOfMemory { n, bytes: size_of::<X::F>() })?;
        rows.resize(n, X::F::default());
        Ok(CpuFields { rows })
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
        Ok(pack::cast(&fields.rows))
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
