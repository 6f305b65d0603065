//! Neighbour lists on any device.

use nbody_core::lists::cutoff::Cutoff;
use nbody_core::untyped::{self, Origin};

use super::buffers::Particles;
use crate::law::{Record, Scalar};
use crate::lists::{ListState, NeighbourStats};
use crate::{Csr, Device, Domain, Error, Options, Precision, Sources};

/// Neighbour lists of particles on any [`Device`]: for each particle, the others that are near
/// enough to interact, or may become so before the lists are rebuilt. Several interactions can
/// share them. The pairs may also be given, such as bonds.
#[derive(Debug)]
pub struct Neighbours {
    device: Device,
    lists: Box<dyn untyped::Neighbours>,
}

/// An interaction that lists can cover: a [`ShortRange`](crate::ShortRange).
pub trait HasCutoff {
    /// Returns the cutoff with the parameters of the interaction.
    #[doc(hidden)]
    fn cutoff(&self) -> Cutoff;
}

impl Neighbours {
    /// Creates lists of particles in unbounded space and single precision: of pairs that are found
    /// within the cutoff plus a [`Skin`](crate::Skin), or of the given pairs of a [`Csr`]. The
    /// first [`update`](Self::update) builds them.
    pub fn new(device: &Device, pairs: impl Into<Origin>) -> Result<Self, Error> {
        Self::with_options(device, pairs, Options::default())
    }

    /// Creates lists of particles in the domain and the precision of these options; the other
    /// options have no effect on lists.
    ///
    /// Given pairs are rows, one for each i-particle, or [pairs of one set](Csr::from_pairs), such
    /// as bonds, which act both ways. The interactions that the lists are updated for are
    /// evaluated for these pairs, within their cutoffs if they have any. A pair that is given
    /// twice counts twice; a pair of a particle and itself counts for interactions that have self
    /// pairs.
    ///
    /// In a periodic box each given pair has its nearest image, and so has each difference of
    /// points other than positions; the position of a particle is its first point. On the CPU an
    /// [`update`](Self::update) finds the nearest image of a pair again when particles have moved
    /// so far that another image may be nearer: by a quarter of the box where pairs are short.
    pub fn with_options(
        device: &Device,
        pairs: impl Into<Origin>,
        options: Options,
    ) -> Result<Self, Error> {
        let Options { domain, precision, .. } = options;
        let lists = device.untyped().neighbours(domain, pairs.into(), precision)?;
        Ok(Self { device: device.clone(), lists })
    }

    /// Replaces the pairs, such as bonded atoms, that are excluded from all interactions over
    /// these lists; [`ShortRange::exclude`](crate::ShortRange::exclude) excludes pairs from a
    /// single interaction. The indices are two particles of one set, or an i-particle and a
    /// j-particle. The next update rebuilds the lists; it refuses indices beyond the particles.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.lists.exclude(pairs);
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the lists without types.
    pub fn untyped(&self) -> &dyn untyped::Neighbours {
        &*self.lists
    }

    pub(super) fn into_untyped(self) -> Box<dyn untyped::Neighbours> {
        self.lists
    }

    /// Returns the space that the particles are in.
    pub fn domain(&self) -> Domain {
        self.lists.domain()
    }

    /// Sets the space before the next update, as a barostat does at every step. That update
    /// rebuilds the lists, unless only the lengths of the box have changed and by less than the
    /// margin: positions that scale with the box then count as unmoved. Another triclinic box always
    /// rebuilds them.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.lists.set_domain(domain)
    }

    /// Returns the precision of the particles.
    pub fn precision(&self) -> Precision {
        self.lists.precision()
    }

    /// Returns the number of times that the lists were built, after all earlier work on the
    /// device; the error of the last update if it was not yet reported.
    pub fn rebuilds(&mut self) -> Result<u64, Error> {
        self.lists.rebuilds()
    }

    /// Returns figures of the lists, which are zeros before they are built; the error of the last
    /// update if it was not yet reported. The lists are copied to the host and counted there,
    /// which takes long.
    pub fn stats(&mut self) -> Result<NeighbourStats, Error> {
        self.lists.stats()
    }

    /// Starts the measurement of the times of the parts of updates and evaluations from zero, or
    /// stops it. The times are in the [`stats`](Self::stats). The measurement is off at first.
    ///
    /// On a GPU, events measure the times. During the measurement each update and each evaluation
    /// waits for the device, also in a [`Sequence`](crate::Sequence), and a step takes longer.
    pub fn set_timed(&mut self, is_on: bool) {
        self.lists.set_timed(is_on);
    }

    /// Returns for each i-particle, in ascending order, the j-particles that were within the
    /// cutoff plus the skin when the lists were built; in one set without the particle itself. The
    /// cutoff is the greatest of the interactions for which the lists were updated. For given
    /// lists, returns the given pairs. `None` if the lists are not built.
    pub fn to_csr(&self) -> Result<Option<Csr>, Error> {
        self.lists.to_csr()
    }

    /// Makes the next update rebuild the lists, whether they are still valid or not.
    pub fn rebuild(&mut self) {
        self.lists.rebuild();
    }

    /// Copies particles to the device, rounded to the precision of the lists.
    pub fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        self.device.upload(particles, self.precision())
    }

    /// Returns the positions of the particles when the lists were built;
    /// [`restore`](Self::restore) rebuilds the same lists from them. `None` if the lists are not
    /// built, and on a GPU for given pairs, which depend on no positions there.
    pub fn state(&self) -> Result<Option<ListState>, Error> {
        self.lists.state()
    }

    /// Makes the next update, for the same interactions, rebuild the lists from this state, and
    /// then check whether they are still valid.
    pub fn restore(&mut self, state: &ListState) -> Result<(), Error> {
        self.lists.restore(state)
    }

    /// Checks whether the lists of these particles are still valid for these interactions, and
    /// rebuilds them if not. The skin is the margin for all changes since the lists were built:
    /// the motions of the two particles of a pair (beyond their scaling with a box that has
    /// changed), the growth of their cutoff, and the relative shrinking of the box times the
    /// greatest cutoff plus the skin. The lists are thus rebuilt when a particle has moved by more
    /// than half of the skin, or by less if cutoffs have grown or the box is smaller; smaller
    /// cutoffs only cost a check. The growth of a cutoff with a field is known for sums, products
    /// with parameters, minima and maxima. For other cutoffs, the lists are rebuilt as soon as a
    /// field exceeds its values in a group of 32 particles. The records must have the fields of
    /// the interactions, by name and type.
    ///
    /// Positions that are not finite are refused, as are cutoffs that may be infinite or NaN,
    /// cutoffs of half a periodic box or more, and a greatest cutoff whose square is beyond the
    /// precision: in `f32` below 4.4e-16 or above 4.6e18, in `f64` below 8.7e-19 or above 1.3e30,
    /// unless it is 0. On a GPU the host does not wait for the check: evaluations for positions
    /// that are not finite leave the results unchanged, and the next update returns the error.
    ///
    /// There must be at least one interaction, which defines the reach of the lists.
    pub fn update<P: Record>(
        &mut self,
        particles: &Particles<P>,
        interactions: &[&dyn HasCutoff],
    ) -> Result<(), Error> {
        self.update_with(particles, Sources::Same(particles), interactions)
    }

    /// Updates the lists in the same way for i-particles and the j-particles that act on them.
    pub fn update_with<P: Record, Q: Record>(
        &mut self,
        i: &Particles<P>,
        j: Sources<'_, Particles<Q>>,
        interactions: &[&dyn HasCutoff],
    ) -> Result<(), Error> {
        let cutoffs = interactions.iter().map(|interaction| interaction.cutoff()).collect();
        self.lists.update(i.untyped(), j.with(j.particles().untyped()), cutoffs)
    }
}
