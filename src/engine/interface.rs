//! The interface of every engine.

use std::fmt;
use std::time::Duration;

use nbody_core::untyped;

use super::buffers::{Particles, Results};
use crate::law::{Record, Scalar};
use crate::{Device, Domain, Error, Interaction, Options, Sources, Store};

/// Evaluates the pairs of an interaction: [`AllPairs`](crate::AllPairs),
/// [`ShortRange`](crate::ShortRange) or [`Tree`](crate::Tree).
///
/// Methods that take slices upload, evaluate and download. Methods that take uploaded particles
/// ([`upload`](Self::upload)) leave the data on the device, for codes that evaluate often.
pub trait Engine<X: Interaction>: fmt::Debug {
    /// Returns the device.
    fn device(&self) -> &Device;

    /// Returns the engine without the types of the interaction.
    fn untyped(&self) -> &dyn untyped::Engine;

    /// Returns the engine without the types of the interaction.
    fn untyped_mut(&mut self) -> &mut dyn untyped::Engine;

    /// Turns the engine into one without the types of the interaction, for code that is compiled
    /// once for all interactions.
    fn into_untyped(self: Box<Self>) -> Box<dyn untyped::Engine>;

    /// Returns the interaction with the parameters of the engine.
    fn parameters(&self) -> X;

    /// Sets the parameters; nothing is compiled again. After NaN every evaluation is an error that
    /// names the parameter, and the results stay, until other parameters are set.
    fn set_parameters(&mut self, parameters: X);

    /// Returns the options.
    fn options(&self) -> Options {
        self.untyped().options()
    }

    /// Sets the domain of the particles. Changing the lengths of a periodic box costs nothing; on
    /// a GPU, changing between open space, a rectangular and a triclinic box compiles other programs
    /// or loads them from the cache. A box whose lengths the precision cannot represent is an error, and so is a
    /// periodic box for an interaction without points; the domain then stays.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.untyped_mut().set_domain(domain)
    }

    /// Compiles, at the same time, the programs for `n` particles, as i- and j-particles, and for the
    /// first ones of them as i-particles, so that evaluations compile nothing. Otherwise a program is
    /// compiled when it is first needed. Neighbour lists and processors have none that are known
    /// before.
    fn prepare(&mut self, n: usize) -> Result<(), Error> {
        self.untyped_mut().prepare(n)
    }

    /// Copies the particles to the device, rounded to the engine's precision. Numbers beyond its
    /// range become infinite and are not refused: a position of 1e300 in `f32` is at infinity,
    /// where the interaction often gives NaN.
    fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, Error>
    where
        Self: Sized,
        P: Record,
        P::Lane: Scalar,
    {
        self.device().upload(particles, self.options().precision)
    }

    /// Allocates the results of `n` i-particles, set to the result without any pair: zeros, and
    /// infinities for extremes.
    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        Results::of(self.untyped().results(n)?)
    }

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums in
    /// `out`, which must have the length of `i`, or less for [`Sources::First`]. The other
    /// evaluations call this one.
    ///
    /// If an evaluation that adds fails, the results keep their values. Over neighbour lists on a
    /// GPU the host does not wait for the check of the particles: a refused evaluation leaves the
    /// results unchanged, and the next evaluation returns the error.
    fn evaluate_with(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let j = j.with(j.particles().untyped());
        self.untyped_mut().evaluate(i.untyped(), j, out.untyped_mut(), store)
    }

    /// Measures the time of one evaluation on the device: by events on a GPU, by the clock on the
    /// CPU.
    fn time(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        let j = j.with(j.particles().untyped());
        self.untyped_mut().time(i.untyped(), j, out.untyped_mut())
    }

    /// Evaluates every (i, j) pair into `out`, which must have the length of `i`. Without
    /// j-particles every result is the result without any pair.
    fn evaluate_into(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Replace)
    }

    /// Evaluates every pair of one set of particles, given as i-particles and as j-particles in
    /// the same order (the same buffer twice where I and J are one type). A particle is paired
    /// with itself only if the interaction says so
    /// ([`Law::self_pairs`](crate::law::Law::self_pairs)).
    fn evaluate_self_into(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(i, Sources::Same(j), out, Store::Replace)
    }

    /// Evaluates the first `out.len()` particles of one set over the whole set; see
    /// [`evaluate_self_into`](Self::evaluate_self_into).
    fn evaluate_first_into(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(i, Sources::First(j), out, Store::Replace)
    }

    /// Adds the results of every (i, j) pair to the values in `out`. Engines of several
    /// interactions with one type F may add to one buffer. The sums of the evaluation are rounded
    /// to the precision of the results before they are added; a minimum replaces a greater one,
    /// and a maximum a smaller one.
    fn add_into(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Add)
    }

    /// Adds the results of every pair of one set of particles to the values in `out`; see
    /// [`evaluate_self_into`](Self::evaluate_self_into) and [`add_into`](Self::add_into).
    fn add_self_into(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(i, Sources::Same(j), out, Store::Add)
    }

    /// Returns the results of every i-particle, over all j-particles.
    fn evaluate<S: Scalar>(
        &mut self,
        i: &[<X::I as Record>::With<S>],
        j: &[<X::J as Record>::With<S>],
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error>
    where
        Self: Sized,
    {
        let mut out = self.results(i.len())?;
        let (i, j) = (self.upload(i)?, self.upload(j)?);
        self.evaluate_into(&i, &j, &mut out)?;
        self.untyped_mut().settle()?;
        out.download::<S>()
    }

    /// Returns the results of every particle of one set, over the set; see
    /// [`evaluate_self_into`](Self::evaluate_self_into).
    fn evaluate_self<S: Scalar>(
        &mut self,
        particles: &[<X::I as Record>::With<S>],
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error>
    where
        Self: Sized,
        X: Interaction<J = <X as Interaction>::I>,
    {
        let mut out = self.results(particles.len())?;
        let particles = self.upload(particles)?;
        self.evaluate_self_into(&particles, &particles, &mut out)?;
        self.untyped_mut().settle()?;
        out.download::<S>()
    }
}

impl<X: Interaction, E: Engine<X> + ?Sized> Engine<X> for Box<E> {
    fn device(&self) -> &Device {
        (**self).device()
    }

    fn untyped(&self) -> &dyn untyped::Engine {
        (**self).untyped()
    }

    fn untyped_mut(&mut self) -> &mut dyn untyped::Engine {
        (**self).untyped_mut()
    }

    fn into_untyped(self: Box<Self>) -> Box<dyn untyped::Engine> {
        (*self).into_untyped()
    }

    fn parameters(&self) -> X {
        (**self).parameters()
    }

    fn set_parameters(&mut self, parameters: X) {
        (**self).set_parameters(parameters);
    }

    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        (**self).results(n)
    }

    fn evaluate_with(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        (**self).evaluate_with(i, j, out, store)
    }

    fn time(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        (**self).time(i, j, out)
    }
}
