//! Interactions over neighbour lists, on any device.

use std::marker::PhantomData;
use std::time::Duration;

use nbody_core::lists::cutoff::Cutoff;
use nbody_core::{Listed, pack, untyped};
#[cfg(feature = "cuda")]
use nbody_cuda::{Build, Program, programs};

use super::buffers::{Particles, Results};
use super::interface::Engine;
use super::neighbours::{HasCutoff, Neighbours};
use super::parameters::{assert_taken, row};
use crate::law::Record;
use crate::{Device, Domain, Error, Interaction, Options, Sources, Store};

/// Sums an interaction over neighbour lists, on any [`Device`]: an interaction with a cutoff, or
/// any interaction over given pairs.
///
/// As an [`Engine`] it has lists of its own, in the space of its options: each evaluation checks
/// whether they are still valid, and rebuilds them if not. Several interactions share
/// [`Neighbours`] by [`evaluate_over`](Self::evaluate_over).
///
/// The order of summation is the order of the lists. It depends on the positions of the particles
/// when the lists were built, and neither on the number of threads nor on timing. Only in the
/// evaluation right after lists on a GPU have outgrown their memory are the sums folded at other
/// places, and the last bits may differ.
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
    /// Creates an engine with the default [`Options`]. Lists refuse an interaction that has no
    /// cutoff. Programs are compiled, or loaded from the cache, when they first meet records with
    /// other fields.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// Creates an engine with these options.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = Listed::new(device.shared(), X::LAW, &row(&interaction), options)?;
        Ok(Self { interaction: PhantomData, device: device.clone(), engine })
    }

    /// Takes these lists as its own: with another skin, given pairs or excluded pairs. Their space
    /// becomes the space of the engine.
    #[must_use]
    pub fn with_lists(mut self, lists: Neighbours) -> Self {
        self.engine.set_lists(lists.into_untyped());
        self
    }

    /// Returns its own lists; creates them if they do not exist yet.
    pub fn lists(&mut self) -> Result<&mut dyn untyped::Neighbours, Error> {
        self.engine.lists()
    }

    /// Replaces this interaction's exclusions, such as bonded atoms; the exclusions of the lists
    /// still apply. The indices are two particles of one set, or an i-particle and a j-particle;
    /// the next evaluation refuses indices beyond the particles.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.engine.exclude(pairs);
    }

    /// Evaluates the pairs of one set within the cutoff over shared lists, and replaces the
    /// results, which are in the order of the particles. The particles have the fields of the
    /// interaction, by name and type.
    ///
    /// Lists that are no longer valid for the particles are refused, and the results stay: a
    /// particle has moved by more than half of the skin since the last
    /// [`update`](Neighbours::update), or numbers that cutoffs depend on have left the bounds of
    /// the lists. After an update this check costs nothing on a GPU, even if programs have changed
    /// other fields. If positions or numbers that cutoffs depend on were written since, or the
    /// buffer is another one, the device checks them first, and the host waits for it. Given pairs
    /// are valid wherever the particles are; on the CPU in a periodic box, until another image of
    /// a particle may be the nearest.
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

    /// Evaluates the pairs of i-particles and j-particles within the cutoff over shared lists, and
    /// stores the sums for the i-particles. It refuses lists as
    /// [`evaluate_over`](Self::evaluate_over) does.
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

    /// Measures the time of an evaluation over shared lists: by events on a GPU, by the clock on
    /// the CPU.
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

    /// Refuses shared lists in another space than the box of the options.
    fn check_domain(&self, lists: &Neighbours) -> Result<(), Error> {
        let domain = untyped::Engine::options(&self.engine).domain;
        let is_one = domain == Domain::Open || domain == lists.domain();
        if is_one { Ok(()) } else { Err(Error::DomainOfLists) }
    }
}

#[cfg(feature = "cuda")]
impl<X: Interaction> ShortRange<X> {
    /// Returns the CUDA program of the last evaluation; `None` on the CPU and before the first
    /// evaluation.
    pub fn program(&self) -> Option<&Program> {
        programs::compiled(self.engine.over()).map(|(program, _)| program)
    }

    /// Returns how that program was compiled; `None` where there is none.
    pub fn build(&self) -> Option<&Build> {
        programs::compiled(self.engine.over()).map(|(_, build)| build)
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

    fn into_untyped(self: Box<Self>) -> Box<dyn untyped::Engine> {
        Box::new(self.engine)
    }

    fn parameters(&self) -> X {
        pack::record(untyped::Engine::parameters(&self.engine))
    }

    /// Sets the parameters; nothing is compiled again. Lists that are updated for other
    /// parameters of the cutoff are built again by the next update. NaN is refused as by every
    /// engine ([`Engine::set_parameters`]).
    fn set_parameters(&mut self, parameters: X) {
        assert_taken(untyped::Engine::set_parameters(&mut self.engine, &row(&parameters)));
    }
}

impl<X: Interaction> HasCutoff for ShortRange<X> {
    fn cutoff(&self) -> Cutoff {
        self.engine.cutoff().clone()
    }
}
