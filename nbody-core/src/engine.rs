//! The interface of all engines.

use std::time::Duration;

use crate::{Error, Interaction, Record, Scalar};

/// The j-particles of an evaluation.
#[derive(Debug)]
pub enum Sources<'a, J> {
    /// Particles of another set.
    Others(&'a J),
    /// The set of the i-particles: i-particle k is j-particle k. Where I and J are one type, it may be
    /// the same buffer.
    Same(&'a J),
    /// The same, but only the first of the i-particles are evaluated, as many as there are results, as
    /// those that a block time step advances.
    First(&'a J),
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
            Self::Others(j) | Self::Same(j) | Self::First(j) => j,
        }
    }

    /// Returns whether i and j are one set.
    pub fn is_one_set(self) -> bool {
        matches!(self, Self::Same(_) | Self::First(_))
    }

    /// Refuses numbers of i-particles, j-particles and results that do not belong together.
    pub fn check(self, [i, j, results]: [usize; 3]) -> Result<(), Error> {
        if self.is_one_set() {
            Error::check_length("j-particles of one set", j, i)?;
        }
        match self {
            Self::Others(_) | Self::Same(_) => Error::check_length("results", results, i),
            Self::First(_) => Error::check_at_least("particles of one set", i, results),
        }
    }

    /// Returns the same relation to these particles.
    pub fn with<T>(self, particles: &'a T) -> Sources<'a, T> {
        match self {
            Self::Others(_) => Sources::Others(particles),
            Self::Same(_) => Sources::Same(particles),
            Self::First(_) => Sources::First(particles),
        }
    }
}

/// The way in which an evaluation stores its sums in results that already hold values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Store {
    /// Replaces the values.
    #[default]
    Replace,
    /// Adds to the values.
    Add,
}

/// Sums an interaction over all pairs: on the CPU, on a GPU, in the emulator.
///
/// Methods that take slices upload, evaluate and download. Those that take uploaded particles
/// ([`upload`](Self::upload)) leave the data on the device, for codes that evaluate often.
pub trait Engine<X: Interaction> {
    /// The error of its methods.
    type Error: From<Error> + std::error::Error + Send + Sync + 'static;
    /// Particles in the memory of the engine's device.
    type Particles<P: Record<Lane = f64>>: 'static;
    /// Results in the memory of the engine's device.
    type Results;

    /// Copies the particles to the device, rounded to the engine's precision. Numbers beyond its range
    /// become infinite and are not refused: a position of 1e300 in `f32` is one at infinity, where
    /// the results are those of the interaction, often NaN.
    fn upload<P>(&self, particles: &[P]) -> Result<Self::Particles<P::Host>, Self::Error>
    where
        P: Record,
        P::Lane: Scalar;

    /// Allocates the results of `n` i-particles, with the values of no pair: zeros, and infinities for
    /// extremes.
    fn results(&self, n: usize) -> Result<Self::Results, Self::Error>;

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums in `out`, whose
    /// length must be that of `i`, or less for [`Sources::First`]. The other evaluations call this one.
    ///
    /// If an evaluation that adds fails, the results keep their values.
    fn evaluate_with(
        &mut self,
        i: &Self::Particles<X::I>,
        j: Sources<'_, Self::Particles<X::J>>,
        out: &mut Self::Results,
        store: Store,
    ) -> Result<(), Self::Error>;

    /// Measures the time of one evaluation on the device: by events on a GPU, by the clock on the CPU.
    fn time(
        &mut self,
        i: &Self::Particles<X::I>,
        j: Sources<'_, Self::Particles<X::J>>,
        out: &mut Self::Results,
    ) -> Result<Duration, Self::Error>;

    /// Copies results to the host, after the evaluations that fill them have ended.
    fn download<S: Scalar>(
        &self,
        results: &Self::Results,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Self::Error>;

    /// Evaluates every (i, j) pair into `out`, whose length must be that of `i`. Without j-particles
    /// every result has the value of no pair.
    fn evaluate_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Replace)
    }

    /// Evaluates every pair of one set of particles, given as i-particles and as j-particles in the
    /// same order (the same buffer twice where I and J are one type). A particle is paired with itself
    /// only if the interaction says so ([`Law::self_pairs`](crate::Law::self_pairs)).
    fn evaluate_self_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Same(j), out, Store::Replace)
    }

    /// Evaluates the first particles of one set, as many as `out` has results, over the whole set; see
    /// [`evaluate_self_into`](Self::evaluate_self_into).
    fn evaluate_first_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::First(j), out, Store::Replace)
    }

    /// Adds the results of every (i, j) pair to those in `out`. Engines of several interactions with
    /// one type F may add to one buffer. The sums of the evaluation are rounded to the precision of the
    /// results before they are added; a minimum or maximum replaces one that it exceeds.
    fn add_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Add)
    }

    /// Adds the results of every pair of one set of particles to those in `out`; see
    /// [`evaluate_self_into`](Self::evaluate_self_into) and [`add_into`](Self::add_into).
    fn add_self_into(
        &mut self,
        i: &Self::Particles<X::I>,
        j: &Self::Particles<X::J>,
        out: &mut Self::Results,
    ) -> Result<(), Self::Error> {
        self.evaluate_with(i, Sources::Same(j), out, Store::Add)
    }

    /// Returns the results of every i-particle, over all j-particles.
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

    /// Returns the results of every particle of one set, over the set; see
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
