//! Interactions over neighbour lists, on any device.

use std::marker::PhantomData;
use std::time::Duration;

use nbody_core::lists::cutoff::Cutoff;
use nbody_core::{Listed, pack, untyped};
#[cfg(feature = "cuda")]
use nbody_cuda::{Build, Program, programs};

use super::{Engine, HasCutoff, Neighbours, Particles, Results, assert_taken, row};
use crate::{Device, Domain, Error, Interaction, Options, Record, Sources, Store};

/// Sums an interaction over neighbour lists, on any [`Device`]: one that has a cutoff, or any one over pairs that
/// are given.
///
/// As an [`Engine`] it has lists of its own, in the space of its options: each evaluation looks whether they are still
/// good, and builds them again if not. Several interactions share [`Neighbours`] by
/// [`evaluate_over`](Self::evaluate_over).
///
/// The order of summation is that of the lists: it depends on the positions of the particles when the
/// lists were built, and neither on the number of threads nor on timing. In the one evaluation after lists on a GPU
/// outgrew their memory the sums are folded elsewhere, and the last bits may differ.
#[derive(Debug)]
pub struct ShortRange<X> {
    interaction: PhantomData<X>,
    device: Device,
    engine: Listed<Owner>,
}

/// The owner of the engines of typed interactions.
#[derive(Debug)]
enum Owner {}

impl<X: Interaction> ShortRange<X> {
    /// Creates an engine with the default [`Options`]. Lists refuse an interaction that has no cutoff.
    /// Programs are compiled, or loaded from the cache, when they first meet records of other fields.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// Creates an engine with these options.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = Listed::new(device.shared(), X::LAW, &row(&interaction), options)?;
        Ok(Self { interaction: PhantomData, device: device.clone(), engine })
    }

    /// Takes lists as its own: with another skin, with given pairs, or with pairs that are left out. Their space is
    /// that of the engine from now on.
    #[must_use]
    pub fn with_lists(mut self, lists: Neighbours) -> Self {
        self.engine.set_lists(lists.into_untyped());
        self
    }

    /// Returns its own lists, which are created if they do not exist yet.
    pub fn lists(&mut self) -> Result<&mut dyn untyped::Neighbours, Error> {
        self.engine.lists()
    }

    /// Replaces this interaction's exclusions, such as bonded atoms; the exclusions of the lists still apply.
    /// The indices are two particles of one set, or an i-particle and a j-particle; the next evaluation
    /// refuses indices beyond the particles.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.engine.exclude(pairs);
    }

    /// Returns the CUDA program of the last evaluation, and how it was compiled; `None` on the CPU and
    /// before the first.
    #[cfg(feature = "cuda")]
    pub fn program(&self) -> Option<(&Program, &Build)> {
        programs::compiled(self.engine.over())
    }

    /// Evaluates the pairs of one set within the cutoff over shared lists, and replaces the results, which are in the
    /// order of the particles. These have the fields of the interaction, by name and type.
    ///
    /// Lists that are not good for the particles as they are now are refused, and the results stay: where a
    /// particle has moved by more than half of the skin since the last [`update`](Neighbours::update), or
    /// something that cutoffs depend on has changed beyond the bounds of the lists. After an update this costs
    /// nothing on a GPU, whatever other fields programs change since. If positions or numbers that cutoffs
    /// depend on were written since, or the buffer is another one, the device looks at them first, for which
    /// the host waits. Pairs that were given are good wherever the particles are; on the CPU in a periodic box, until
    /// another image of a particle may be the nearest.
    pub fn evaluate_over<P: Record>(
        &mut self,
        lists: &Neighbours,
        particles: &Particles<P>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_over_with(lists, particles, Sources::Same(particles), out, Store::Replace)
    }

    /// Evaluates as [`evaluate_over`](Self::evaluate_over) does, and adds to the results.
    pub fn add_over<P: Record>(
        &mut self,
        lists: &Neighbours,
        particles: &Particles<P>,
        out: &mut Results<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_over_with(lists, particles, Sources::Same(particles), out, Store::Add)
    }

    /// Evaluates the pairs of i-particles and j-particles within the cutoff over shared lists, and stores the sums for
    /// the i-particles. It refuses lists as [`evaluate_over`](Self::evaluate_over) does.
    pub fn evaluate_over_with<P: Record, Q: Record>(
        &mut self,
        lists: &Neighbours,
        i: &Particles<P>,
        j: Sources<'_, Particles<Q>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        self.check_domain(lists)?;
        let j = j.with(j.particles().untyped());
        self.engine.evaluate_over(lists.untyped(), i.untyped(), j, out.untyped_mut(), store)
    }

    /// Measures the time of an evaluation over shared lists: by events on a GPU, by the clock on the CPU.
    pub fn time_over<P: Record>(
        &mut self,
        lists: &Neighbours,
        particles: &Particles<P>,
        out: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        self.check_domain(lists)?;
        let i = particles.untyped();
        self.engine.time_over(lists.untyped(), i, Sources::Same(i), out.untyped_mut())
    }

    /// Refuses shared lists in another space than a box of the options.
    fn check_domain(&self, lists: &Neighbours) -> Result<(), Error> {
        let domain = untyped::Engine::options(&self.engine).domain;
        let is_one = domain == Domain::Open || domain == lists.domain();
        if is_one { Ok(()) } else { Err(Error::DomainOfLists) }
    }
}

impl<X: Interaction> Engine<X> for ShortRange<X> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn untyped(&self) -> &dyn untyped::Engine {
        &self.engine
    }

    fn untyped_mut(&mut self) -> &mut dyn untyped::Engine {
        &mut self.engine
    }

    fn interaction(&self) -> X {
        pack::record(untyped::Engine::parameters(&self.engine))
    }

    /// Sets the interaction with its parameters; nothing is recompiled. Lists that are updated for other
    /// parameters of the cutoff are built again by the next update.
    fn set_interaction(&mut self, interaction: X) {
        assert_taken(untyped::Engine::set_parameters(&mut self.engine, &row(&interaction)));
    }
}

impl<X: Interaction> HasCutoff for ShortRange<X> {
    fn cutoff(&self) -> Cutoff {
        self.engine.cutoff().clone()
    }
}
