//! One result over all pairs on any device.

use std::marker::PhantomData;

use nbody_core::{pack, untyped};
#[cfg(feature = "cuda")]
use nbody_cuda::{Build, Program, programs};

use super::buffers::Particles;
use super::parameters::{assert_taken, row};
use crate::law::{Record, Scalar};
use crate::{Device, Domain, Error, Interaction, Options, Sources};

/// Sums the results of all i-particles of an interaction over all pairs, on any [`Device`]: a
/// histogram of distances, or the energy of a system. Results of particles are not stored.
///
/// Pairs are ordered pairs, as everywhere: in one set, a total has the action of each particle of a
/// pair on the other. Sums are added up in `f64` whatever the accumulation, and compensated only if
/// [`Accumulation::Compensated`](crate::Accumulation::Compensated) asks for it. Their order depends
/// on the numbers of particles alone, so that totals are bitwise the same from run to run, for any
/// number of threads and on any GPU. Counts are exact. Numbers that a pair adds to them must be
/// known: numbers, `u32` constants, or choices between them, up to 1024 in a pair.
#[derive(Debug)]
pub struct PairTotals<X> {
    interaction: PhantomData<X>,
    device: Device,
    engine: Box<dyn untyped::PairTotals>,
}

/// A total over pairs, in which counts have 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTotal<F> {
    total: untyped::PairTotal,
    record: PhantomData<F>,
}

impl<F: Record<Lane = f64>> PairTotal<F> {
    /// Returns the total as a result; an error if a count needs more than the 32 bits that a
    /// result has for it.
    pub fn result(&self) -> Result<F, Error> {
        Ok(pack::record(self.total.row()?))
    }

    /// Returns the counts of a field, `Count` or `[Count; N]`; an error if no such field has this
    /// name.
    pub fn counts(&self, field: &str) -> Result<&[u64], Error> {
        self.total.counts(field)
    }

    /// Returns the total without the type of the result.
    pub fn untyped(&self) -> &untyped::PairTotal {
        &self.total
    }
}

impl<X: Interaction> PairTotals<X> {
    /// Creates an engine with the default [`Options`]. On a GPU this compiles the program, or
    /// loads it from the cache. Devices over ranks have no such engine, and numbers of the data
    /// that are added to counts are an error.
    pub fn new(device: &Device, interaction: X) -> Result<Self, Error> {
        Self::with_options(device, interaction, Options::default())
    }

    /// Creates an engine with these options. [`Options::pairs`] and the splits of
    /// [`Options::order`] have no effect.
    pub fn with_options(device: &Device, interaction: X, options: Options) -> Result<Self, Error> {
        let engine = device.untyped().pair_totals(X::LAW, &row(&interaction), options)?;
        Ok(Self { interaction: PhantomData, device: device.clone(), engine })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the engine without the types of the interaction.
    pub fn untyped(&self) -> &dyn untyped::PairTotals {
        &*self.engine
    }

    /// Returns the CUDA program; `None` on the CPU.
    #[cfg(feature = "cuda")]
    pub fn program(&self) -> Option<&Program> {
        programs::compiled(&*self.engine).map(|(program, _)| program)
    }

    /// Returns the compilation of that program; `None` on the CPU.
    #[cfg(feature = "cuda")]
    pub fn build(&self) -> Option<&Build> {
        programs::compiled(&*self.engine).map(|(_, build)| build)
    }

    /// Returns the options, with the accumulation of totals.
    pub fn options(&self) -> Options {
        self.engine.options()
    }

    /// Returns the interaction with the parameters of the engine.
    pub fn parameters(&self) -> X {
        pack::record(self.engine.parameters())
    }

    /// Sets the parameters; nothing is compiled again. After NaN every evaluation is an error that
    /// names the parameter.
    pub fn set_parameters(&mut self, interaction: X) {
        assert_taken(self.engine.set_parameters(&row(&interaction)));
    }

    /// Sets the domain of the particles; see [`Engine::set_domain`](crate::Engine::set_domain).
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }

    /// Copies the particles to the device, rounded to the engine's precision.
    pub fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        self.device.upload(particles, self.options().precision)
    }

    /// Returns the total over the pairs of uploaded i-particles with these j-particles, with counts
    /// of 64 bits. The other evaluations call this one. [`Sources::First`] is as
    /// [`Sources::Same`].
    pub fn total_of(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
    ) -> Result<PairTotal<X::F>, Error> {
        let total = self.engine.total(i.untyped(), j.with(j.particles().untyped()))?;
        Ok(PairTotal { total, record: PhantomData })
    }

    /// Returns the total over every (i, j) pair of two sets. A count of more than 32 bits is an
    /// error: [`total_of`](Self::total_of) has counts of 64 bits.
    pub fn total<S: Scalar>(
        &mut self,
        i: &[<X::I as Record>::With<S>],
        j: &[<X::J as Record>::With<S>],
    ) -> Result<X::F, Error> {
        let (i, j) = (self.upload(i)?, self.upload(j)?);
        self.total_of(&i, Sources::Others(&j))?.result()
    }

    /// Returns the total over every pair of one set, as [`total`](Self::total) does. A particle is
    /// paired with itself only if the interaction says so
    /// ([`Law::self_pairs`](crate::law::Law::self_pairs)).
    pub fn total_self<S: Scalar>(
        &mut self,
        particles: &[<X::I as Record>::With<S>],
    ) -> Result<X::F, Error>
    where
        X: Interaction<J = <X as Interaction>::I>,
    {
        let particles = self.upload(particles)?;
        self.total_of(&particles, Sources::Same(&particles))?.result()
    }
}
