//! Neighbour lists on any device.

use nbody_core::lists::cutoff::Cutoff;
use nbody_core::untyped::{self, Origin};

use super::buffers::Particles;
use crate::{
    Csr, Device, Domain, Error, ListState, NeighbourStats, Precision, Record, Scalar, Skin, Sources,
};

/// Neighbour lists of particles on any [`Device`]: for each of them the others that are near enough to
/// interact, or will be so before the lists are built again. Several interactions share them. The pairs may
/// also be given, such as those of bonds.
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
    /// Creates lists of particles in this space, for particles in single precision. They are built by the
    /// first [`update`](Self::update).
    pub fn new(device: &Device, domain: Domain, skin: Skin) -> Result<Self, Error> {
        Self::with_precision(device, domain, skin, Precision::default())
    }

    /// Creates lists for particles in this precision.
    pub fn with_precision(
        device: &Device,
        domain: Domain,
        skin: Skin,
        precision: Precision,
    ) -> Result<Self, Error> {
        Self::of(device, domain, Origin::Found(skin), precision)
    }

    /// Creates lists of the pairs in these rows, one for each i-particle, for particles in single precision:
    /// the interactions that they are updated for are evaluated for these pairs, within their cutoffs if
    /// they have any. A pair that is given twice counts twice; one of a particle and itself counts for
    /// interactions that have self pairs.
    ///
    /// In a periodic box the image of each pair is the nearest one, and that of each difference of other points of
    /// the particles than their positions, which are the first ones. On the CPU an [`update`](Self::update) finds it
    /// again when particles have moved so far that another may be nearer: by a quarter of the box where pairs are
    /// short.
    pub fn from_csr(device: &Device, domain: Domain, rows: Csr) -> Result<Self, Error> {
        Self::from_csr_with_precision(device, domain, rows, Precision::default())
    }

    /// Creates the lists of [`from_csr`](Self::from_csr) for particles in this precision.
    pub fn from_csr_with_precision(
        device: &Device,
        domain: Domain,
        rows: Csr,
        precision: Precision,
    ) -> Result<Self, Error> {
        Self::of(device, domain, Origin::Given(rows), precision)
    }

    /// Creates lists of these pairs of one set of `n` particles, as of bonds, each of which acts both ways:
    /// the lists of [`from_csr`](Self::from_csr) with the rows of [`Csr::from_pairs`].
    pub fn from_pairs(
        device: &Device,
        domain: Domain,
        n: usize,
        pairs: &[[u32; 2]],
    ) -> Result<Self, Error> {
        Self::from_csr(device, domain, Csr::from_pairs(n, pairs)?)
    }

    pub(super) fn of(
        device: &Device,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Self, Error> {
        let lists = device.untyped().neighbours(domain, origin, precision)?;
        Ok(Self { device: device.clone(), lists })
    }

    /// Leaves out these pairs, such as bonded atoms, instead of those that were left out before. The
    /// indices are those of two particles of one set, or of an i-particle and a j-particle. No interaction
    /// over these lists is evaluated for them; [`ShortRange::exclude`](crate::ShortRange::exclude) leaves
    /// out pairs of one interaction. The lists are built again by the next update, which refuses indices
    /// beyond the particles.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.lists.exclude(pairs);
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the lists as engines know them.
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

    /// Changes the space, as a barostat does at every step, before the next update. That builds the lists again
    /// unless the box is one of other lengths within the margin: there positions that scale with the box have not
    /// moved.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.lists.set_domain(domain)
    }

    /// Returns the precision of the particles.
    pub fn precision(&self) -> Precision {
        self.lists.precision()
    }

    /// Returns how often lists were built, after all earlier work on the device; the error of the last update
    /// if it was not yet known.
    pub fn rebuilds(&mut self) -> Result<u64, Error> {
        self.lists.rebuilds()
    }

    /// Returns figures of the lists; zeros for lists that are not built; the error of the last update if it
    /// was not yet known. Lists are copied to the host and counted there, which takes long.
    pub fn stats(&mut self) -> Result<NeighbourStats, Error> {
        self.lists.stats()
    }

    /// Begins to measure the times of the parts of updates and evaluations, from zero, or ends it. They are
    /// in the [`stats`](Self::stats), and are not measured at first.
    ///
    /// On a GPU the times are those of events. While they are measured, each update and each evaluation waits
    /// for the device, also in a [`Sequence`](crate::Sequence), and a step takes longer than without them.
    pub fn set_timed(&mut self, is_timed: bool) {
        self.lists.set_timed(is_timed);
    }

    /// Returns for each i-particle the j-particles that were within the cutoff plus the skin when the lists
    /// were built, in ascending order; in one set without the particle itself. The cutoff is the greatest
    /// one of the interactions that the lists were updated for. Of lists that were given these are the given
    /// pairs. `None` if the lists are not built.
    pub fn to_csr(&self) -> Result<Option<Csr>, Error> {
        self.lists.to_csr()
    }

    /// Makes the next update build the lists again, whether they are still good or not.
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

    /// Returns where the particles were when the lists were built, from which
    /// [`restore`](Self::restore) has other lists be the same. `None` if they are not built, and on a GPU for
    /// given pairs, which depend on no positions there.
    pub fn state(&self) -> Result<Option<ListState>, Error> {
        self.lists.state()
    }

    /// Has the next update, for the same interactions, build the lists as they were with this state, and then look
    /// whether they are still good.
    pub fn restore(&mut self, state: &ListState) -> Result<(), Error> {
        self.lists.restore(state)
    }

    /// Looks whether the lists of these particles are still good for these interactions, and builds them
    /// again if not. The skin is the margin of all changes together: the motions of the two particles of a pair
    /// since the lists were built, in a box that has changed the ones that do not scale with it, the growth of
    /// their cutoff, and the change of the box, as a share of the greatest cutoff. So they are built again when a
    /// particle has moved by more than half of the skin, or less if cutoffs have grown or the box is smaller;
    /// smaller cutoffs cost a look. How much a cutoff grows with a field is known of sums, products with
    /// parameters, minima and maxima; of another one any growth of a field beyond the values of 32 particles that
    /// are together builds the lists again. The records must have the fields of the interactions, by name and
    /// type.
    ///
    /// Positions that are not finite are refused, as are cutoffs that may be infinite or NaN, those of half a
    /// periodic box or more, and a greatest cutoff whose square is beyond the precision: in `f32` below 4.4e-16
    /// or above 4.6e18, in `f64` below 8.7e-19 or above 1.3e30, unless it is 0. On a GPU the host does not wait for
    /// the look: evaluations for positions that are not finite leave the results as they are, and the next update
    /// returns the error.
    ///
    /// There must be an interaction at least, or nothing says what the lists are to reach.
    pub fn update<P: Record>(
        &mut self,
        particles: &Particles<P>,
        interactions: &[&dyn HasCutoff],
    ) -> Result<(), Error> {
        self.update_with(particles, Sources::Same(particles), interactions)
    }

    /// Does the same for i-particles and the j-particles that act on them.
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
