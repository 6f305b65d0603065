//! What every engine that sums over all pairs offers.

use std::time::Duration;

use crate::{Error, Interaction, Record, Scalar};

/// The j-particles of an evaluation.
#[derive(Debug)]
pub enum Sources<'a, J> {
    /// Particles of another set.
    Others(&'a J),
    /// The i-particles themselves, as what acts: particle k of j is particle k of i. Where I and J are
    /// one type, it is the same buffer.
    Same(&'a J),
}

impl<J> Clone for Sources<'_, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<J> Copy for Sources<'_, J> {}

impl<'a, J> Sources<'a, J> {
    /// Returns the j-particles.
    pub fn particles(self) -> &'a J {
        match self {
            Self::Others(j) | Self::Same(j) => j,
        }
    }

    /// Returns whether i and j are one set.
    pub fn is_one_set(self) -> bool {
        matches!(self, Self::Same(_))
    }
}

/// The fate of the results that are there when an evaluation stores its sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// They are replaced.
    #[default]
    Replace,
    /// They are added to.
    Add,
}

/// Sums an interaction over all pairs: on the CPU, on a GPU, in the emulator.
///
/// The calls that take slices do everything; those that take what [`upload`](Self::upload)
/// returned leave the data where the engine computes, for codes that evaluate often.
pub trait Engine<X: Interaction> {
    /// What can go wrong.
    type Error: From<Error> + std::error::Error + Send + Sync + 'static;
    /// Particles where the engine computes.
    type Particles<P: Record<Lane = f64>>: 'static;
    /// Results where the engine computes.
    type Results;

    /// Takes the particles to where the engine computes, rounded to its precision. What is beyond the
    /// range of that becomes infinite, and is not refused: a position of 1e300 in `f32` is one at
    /// infinity, which gives what the interaction gives there, often NaN.
    fn upload<P>(&self, particles: &[P]) -> Result<Self::Particles<P::Host>, Self::Error>
    where
        P: Record,
        P::Lane: Scalar;

    /// Room for the results of `n` i-particles. It holds what no pair gives: zeros, and infinities
    /// for extremes.
    fn results(&self, n: usize) -> Result<Self::Results, Self::Error>;

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums in `out`, whose
    /// length must be that of `i`. The other evaluations are this one by shorter names.
    ///
    /// Where it fails, results that it would have added to are as they were.
    fn evaluate_with(
        &mut self,
        i: &Self::Particles<X::I>,
        j: Sources<'_, Self::Particles<X::J>>,
        out: &mut Self::Results,
        store: Store,
    ) -> Result<(), Self::Error>;

    /// The time that one evaluation takes where it computes: by events on a GPU, by the clock on the
    /// CPU.
    fn time(
        &mut self,
        i: &Self::Particles<X::I>,
        j: Sources<'_, Self::Particles<X::J>>,
        out: &mut Self::Results,
    ) -> Result<Duration, Self::Error>;

    /// Brings results back, after the evaluations that fill them have ended.
    fn download<S: Scalar>(
        &self,
        fields: &Self::Results,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Self::Error>;

    /// Evaluates every (i, j) pair into `out`, whose length must be that of `i`. With no
    /// j-particles every result is what no pair gives.
    fn evaluate_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Replace)
    }

    /// Evaluates every pair of one set of particles, given as what feels and as what acts, in
    /// the same order (the same buffer twice where I and J are one type). A particle meets
    /// itself only if the interaction says so ([`Law::self_pairs`](crate::Law::self_pairs)).
    fn evaluate_self_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Same(j), out, Store::Replace)
    }

    /// Adds the results of every (i, j) pair to those in `out`: engines of several interactions, whose
    /// F is one type, may add to one buffer. The sums of the evaluation are rounded to the precision of
    /// the results before they are added; an extreme replaces what is there if it is beyond that.
    fn add_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Add)
    }

    /// Adds the results of one set of particles on itself to those in `out`; see
    /// [`evaluate_self_into`](Self::evaluate_self_into) and [`add_into`](Self::add_into).
    fn add_self_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Same(j), out, Store::Add)
    }

    /// The results of the j-particles on each i-particle.
    fn evaluate<S: Scalar>(
        &mut self,
        i: &[<X::I as Record>::With<S>],
        j: &[<X::J as Record>::With<S>],
    ) -> Result<Vec<<X::F as Record>::With<S>>, Self::Error> {
        let mut out = self.results(i.len())?;
        let (i, j) = (self.upload(i)?, self.upload(j)?);
        self.evaluate_into(&i, &j, &mut out)?;
        self.download::<S>(&out)
    }

    /// The results of one set of particles on itself; see
    /// [`evaluate_self_into`](Self::evaluate_self_into).
    fn evaluate_self<S: Scalar>(
        &mut self,
        particles: &[<X::I as Record>::With<S>],
    ) -> Result<Vec<<X::F as Record>::With<S>>, Self::Error>
    where
        X: Interaction<J = <X as Interaction>::I>,
    {
        let mut out = self.results(particles.len())?;
        let particles = self.upload(particles)?;
        self.evaluate_self_into(&particles, &particles, &mut out)?;
        self.download::<S>(&out)
    }
}
