//! The frame of every engine: untyped engines, and one typed shell for each of them.

mod all_pairs;
mod buffers;
mod neighbours;
mod per_particle;
mod selection;
mod sequence;
mod short_range;
mod tree;

use std::fmt;
use std::time::Duration;

pub use all_pairs::AllPairs;
pub use buffers::{Particles, Results};
pub use neighbours::{HasCutoff, Neighbours};
pub use per_particle::{Inputs, PerParticle};
pub use selection::Selection;
pub use sequence::Sequence;
pub use short_range::ShortRange;
pub use tree::Tree;

use nbody_core::{pack, untyped};

use crate::{Device, Domain, Error, Interaction, Options, Record, Scalar, Sources, Store};

/// Evaluates the pairs of an interaction: [`AllPairs`], [`ShortRange`] or [`Tree`].
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

    /// Returns the interaction with the parameters of the engine.
    fn interaction(&self) -> X;

    /// Sets the interaction with its parameters; nothing is compiled again.
    fn set_interaction(&mut self, interaction: X);

    /// Returns the options.
    fn options(&self) -> Options {
        self.untyped().options()
    }

    /// Sets the domain of the particles. Changing the lengths of a periodic box costs nothing; on a GPU, changing
    /// between a periodic box and open space compiles other programs or loads them from the cache. A box whose lengths
    /// the precision cannot represent is an error, and the domain stays.
    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.untyped_mut().set_domain(domain)
    }

    /// Copies the particles to the device, rounded to the engine's precision. Numbers beyond its range
    /// become infinite and are not refused: a position of 1e300 in `f32` is one at infinity, where
    /// the results are those of the interaction, often NaN.
    fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, Error>
    where
        Self: Sized,
        P: Record,
        P::Lane: Scalar,
    {
        self.device().upload(particles, self.options().precision)
    }

    /// Allocates the results of `n` i-particles, with the values of no pair: zeros, and infinities for
    /// extremes.
    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        Results::of(self.untyped().results(n)?)
    }

    /// Evaluates the pairs of the i-particles with these j-particles, and stores the sums in `out`, whose
    /// length must be that of `i`, or less for [`Sources::First`]. The other evaluations call this one.
    ///
    /// If an evaluation that adds fails, the results keep their values. Over neighbour lists on a GPU the host does not
    /// wait for the look at particles: an evaluation that is refused leaves the results as they are, and the next one
    /// returns the error.
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

    /// Measures the time of one evaluation on the device: by events on a GPU, by the clock on the CPU.
    fn time(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        let j = j.with(j.particles().untyped());
        self.untyped_mut().time(i.untyped(), j, out.untyped_mut())
    }

    /// Evaluates every (i, j) pair into `out`, whose length must be that of `i`. Without j-particles
    /// every result has the value of no pair.
    fn evaluate_into(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(i, Sources::Others(j), out, Store::Replace)
    }

    /// Evaluates every pair of one set of particles, given as i-particles and as j-particles in the
    /// same order (the same buffer twice where I and J are one type). A particle is paired with itself
    /// only if the interaction says so ([`Law::self_pairs`](crate::Law::self_pairs)).
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

    /// Adds the results of every (i, j) pair to the values in `out`. Engines of several interactions with
    /// one type F may add to one buffer. The sums of the evaluation are rounded to the precision of the
    /// results before they are added; a minimum or maximum replaces one that it exceeds.
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

    fn interaction(&self) -> X {
        (**self).interaction()
    }

    fn set_interaction(&mut self, interaction: X) {
        (**self).set_interaction(interaction);
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

/// Returns the parameters of an interaction or a program as one row.
fn row<X: Record<Lane = f64>>(parameters: &X) -> Vec<u64> {
    pack::rows(&std::slice::from_ref(parameters))
}

/// Asserts that an engine has taken the parameters of its own record.
fn assert_taken(set: Result<(), Error>) {
    set.expect("a record has all numbers of its fields");
}
