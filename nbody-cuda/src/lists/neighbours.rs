//! Neighbour lists built by CUDA programs, for particles with any fields.

mod check;

use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::lists::csr::ListedPairs;
use nbody_core::lists::cutoff::{Cutoff, Levels, Reaches, Watched};
use nbody_core::lists::{check_greatest, rounded_length};
use nbody_core::order::frame::Frame;
use nbody_core::order::ordered::wrapped;
use nbody_core::untyped::{self, Origin, Subset};
use nbody_core::{
    Cell, Csr, Domain, Field, Interval, ListState, NeighbourStats, Precision, Skin, Sources,
};

use super::device_lists::download::Downloaded;
use super::device_lists::{DeviceLists, Outcome};
use super::extent::{ListExtent, ListedSet};
use super::given::Given;
use super::reach::Varying;
use super::sets::{ListSets, moved, positions_of, set_of, watched};
use crate::backend::{Backend, Buffer};
use crate::error::Error;

/// Neighbour lists built by CUDA programs.
#[derive(Debug)]
pub(crate) struct CudaNeighbours {
    pub lists: DeviceLists,
    backend: Arc<dyn Backend>,
    domain: Domain,
    skin: Skin,
    precision: Precision,
    /// The cutoffs that the lists were built for.
    cutoffs: Vec<Cutoff>,
    /// The numbers that these cutoffs depend on, in the records of each set.
    watched: Vec<Watched>,
    /// The cutoffs that good lists cover. If the next rebuild on the device is for other cutoffs,
    /// `next` has these cutoffs and the numbers that they depend on.
    covered: Vec<Cutoff>,
    next: Option<(Vec<Cutoff>, Vec<Watched>)>,
    /// The number of rebuilds known so far.
    rebuilds: u64,
    fields: Vec<&'static [Field]>,
    one_set: bool,
    /// The cells of the order, with the numbers of particles and the domain that they were chosen
    /// for.
    frame: Option<([usize; 2], Domain, Frame)>,
    /// The state from which the next update builds the lists, before it looks at the particles.
    restored: Option<ListState>,
}

impl CudaNeighbours {
    /// Creates lists for particles in this precision.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Self, Error> {
        domain.check(precision)?;
        origin.check()?;
        let mut lists = DeviceLists::new(backend, cache)?;
        let skin = match origin {
            Origin::Found(skin) => skin,
            Origin::Given(rows) => {
                lists.given = Some(Given::new(rows));
                Skin::default()
            }
        };
        Ok(Self {
            lists,
            backend: backend.clone(),
            domain,
            skin,
            precision,
            cutoffs: Vec::new(),
            watched: Vec::new(),
            covered: Vec::new(),
            next: None,
            rebuilds: 0,
            fields: Vec::new(),
            one_set: true,
            frame: None,
            restored: None,
        })
    }

    fn renew(&mut self, sets: &ListSets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        let extent = self.prepare(sets, cutoffs)?;
        let outcome = self.lists.update(self.listed(sets), extent)?;
        self.settle();
        self.refuse(outcome)
    }

    /// Begins a look whether the lists are good for these particles; returns whether they may be.
    fn look_at(&mut self, sets: &ListSets, cutoffs: Vec<Cutoff>) -> Result<bool, Error> {
        let is_covered = cutoffs.iter().all(|cutoff| self.covers(cutoff));
        let extent = self.prepare(sets, cutoffs)?;
        if !is_covered || self.next.is_some() {
            self.lists.forget();
            return Ok(false);
        }
        let outcome = self.lists.look_at(self.listed(sets), extent)?;
        self.refuse(outcome)?;
        Ok(self.lists.built().is_some())
    }

    /// Returns the particles of each set, as the device reads them.
    fn listed<'a>(&self, sets: &ListSets<'a>) -> [Option<ListedSet<'a>>; 2] {
        let each = sets.each().zip(&self.watched);
        let mut lists = each.map(|((_, buffer, fields), watched)| set_of(buffer, fields, watched));
        [lists.next().flatten(), lists.next().flatten()]
    }

    /// Checks the particles and the cutoffs before a look.
    fn prepare(&mut self, sets: &ListSets, cutoffs: Vec<Cutoff>) -> Result<ListExtent, Error> {
        if cutoffs.is_empty() {
            return Err(nbody_core::Error::NoInteractions.into());
        }
        cutoffs.iter().try_for_each(|it| it.law().check_domain(&self.domain))?;
        if !self.is_given() {
            cutoffs.iter().try_for_each(Cutoff::check)?;
        }
        for (what, buffer, _) in sets.each() {
            buffer.check(what, &self.backend, self.precision)?;
        }
        if let Some((j, _)) = sets.j.filter(|_| sets.one_set) {
            nbody_core::Error::check_length("j-particles of one set", j.n, sets.i.0.n)?;
        }
        self.know()?;
        if let Some(state) = self.restored.take() {
            self.build_again(sets, &state, &cutoffs)?;
        }
        self.cover(sets, cutoffs)?;
        let extent = self.plan(sets).inspect_err(|_| self.lists.forget())?;
        let of_both = [extent.n[0], extent.nj()];
        self.lists.subset.check(of_both)?;
        let named = self.lists.subset.named(of_both);
        self.lists.excluded.upload(&*self.backend, named, extent.one_set)?;
        Ok(extent)
    }

    /// Returns the positions at which the lists were built; `None` if lists are given or not
    /// built.
    fn read_state(&self) -> Result<Option<ListState>, Error> {
        if self.lists.built().is_none() || self.is_given() {
            return Ok(None);
        }
        let Some(ListExtent { frame, domain, .. }) = self.lists.base()? else { return Ok(None) };
        let room = self.lists.room()?;
        let parameters = ListState::parameters_of(self.built_for()?.0);
        let Downloaded { sets, values, .. } = self.lists.download()?;
        let numbers = [0, 1].map(|k| values[k].iter().map(|of| sets[k].give(of)).collect());
        let positions = sets.map(|set| set.given());
        let Frame { origin, scale, .. } = frame;
        Ok(Some(ListState { positions, origin, scale, domain, parameters, numbers, room }))
    }

    /// Returns the cutoffs that the lists were built for, and the numbers that they depend on.
    fn built_for(&self) -> Result<(&[Cutoff], &[Watched]), Error> {
        Ok(match &self.next {
            Some((cutoffs, watched)) if self.lists.has_built()?.is_some() => (cutoffs, watched),
            _ => (&self.cutoffs, &self.watched),
        })
    }

    /// Builds the lists as they were in this state, for interactions with these cutoffs.
    fn build_again(
        &mut self,
        sets: &ListSets,
        state: &ListState,
        cutoffs: &[Cutoff],
    ) -> Result<(), Error> {
        let n = sets.n();
        state.check_lengths(n)?;
        if self.is_given() {
            return Ok(());
        }
        let cutoffs = state.cutoffs(cutoffs)?;
        let watched = watched(sets, &cutoffs)?;
        let count = |set: usize| watched.get(set).map_or(0, |watched| watched.places.len());
        state.check_numbers([count(0), count(1)])?;
        let both = [&watched[0], &watched[watched.len() - 1]];
        self.lists.set_cutoffs(Varying::of(&cutoffs, both, self.precision))?;
        self.covered.clone_from(&cutoffs);
        (self.cutoffs, self.watched) = (cutoffs, watched);
        self.fields = sets.each().map(|(_, _, fields)| fields).collect();
        (self.next, self.one_set) = (None, sets.one_set);
        self.lists.forget();
        self.frame = Some((n, state.domain, state.frame(self.dimensions())));
        let now = std::mem::replace(&mut self.domain, state.domain);
        let built = self.build_moved(sets, state);
        self.domain = now;
        built
    }

    /// Builds the lists of particles with the positions and the numbers of a state, in its domain.
    fn build_moved(&mut self, sets: &ListSets, state: &ListState) -> Result<(), Error> {
        let extent = self.plan(sets)?;
        // Positions in a box have more digits than single precision.
        let precision = Precision::Double;
        let of_state = state.positions.iter().zip(&state.numbers);
        let each = sets.each().zip(&self.watched).zip(of_state);
        let buffers = each.map(|(((_, buffer, fields), watched), (positions, numbers))| {
            let moved = moved(buffer, fields, watched, positions, numbers)?;
            Buffer::of_particles(&self.backend, &moved, precision)
        });
        let buffers = buffers.collect::<Result<Vec<_>, Error>>()?;
        let mut lists = buffers
            .iter()
            .zip(sets.each())
            .zip(&self.watched)
            .map(|((buffer, (_, _, fields)), watched)| set_of(buffer, fields, watched));
        let lists = [lists.next().flatten(), lists.next().flatten()];
        let both = [&self.watched[0], &self.watched[self.watched.len() - 1]];
        let places = |precision| Varying::of(&self.cutoffs, both, precision);
        self.lists.set_places(places(precision))?;
        let outcome = self.lists.restore(lists, extent, state.room);
        self.lists.set_places(places(self.precision))?;
        self.settle();
        self.refuse(outcome?)
    }

    /// Returns whether the caller gives the pairs. Given pairs depend on no cutoff.
    pub fn is_given(&self) -> bool {
        self.lists.given.is_some()
    }

    /// Returns the space in which the evaluation of pairs finds differences of positions. It is
    /// open for lists that the device finds, since their entries have an image.
    pub fn space_of_pairs(&self) -> Domain {
        if self.is_given() { self.domain } else { Domain::Open }
    }

    /// Returns whether the lists are for this cutoff.
    fn covers(&self, cutoff: &Cutoff) -> bool {
        self.covered.contains(cutoff) || self.is_given() && has_law(&self.covered, cutoff)
    }

    /// Makes the next update build lists for these cutoffs, unless the lists cover them.
    fn cover(&mut self, sets: &ListSets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        let fields: Vec<_> = sets.each().map(|(_, _, fields)| fields).collect();
        let has_sets = (self.one_set, &self.fields) == (sets.one_set, &fields);
        if has_sets && cutoffs.iter().all(|cutoff| self.covers(cutoff)) {
            return Ok(());
        }
        if has_sets && cutoffs.iter().all(|cutoff| self.cutoffs.contains(cutoff)) {
            (self.covered, self.next) = (self.cutoffs.clone(), None);
            return Ok(());
        }
        let watched = watched(sets, &cutoffs)?;
        self.covered.clone_from(&cutoffs);
        if self.is_given() {
            self.lists.forget();
        } else {
            let both = [&watched[0], &watched[watched.len() - 1]];
            let varying = Varying::of(&cutoffs, both, self.precision);
            if has_sets && self.may_stay(&cutoffs, &varying) {
                self.next = Some((cutoffs, watched));
                return Ok(());
            }
            self.lists.set_cutoffs(varying)?;
        }
        (self.cutoffs, self.watched, self.fields) = (cutoffs, watched, fields);
        (self.next, self.one_set) = (None, sets.one_set);
        Ok(())
    }

    /// Returns whether the lists may be good for these cutoffs, too: the cutoffs are of the same
    /// laws, and cutoffs that depend on particles are unchanged.
    fn may_stay(&self, cutoffs: &[Cutoff], varying: &Varying) -> bool {
        let is_known = |cutoff: &Cutoff| {
            self.cutoffs.contains(cutoff)
                || !cutoff.reads_particles() && has_law(&self.cutoffs, cutoff)
        };
        self.lists.built().is_some()
            && varying == self.lists.varying()
            && cutoffs.iter().all(is_known)
    }

    /// Takes over the cutoffs of lists that the device has rebuilt.
    fn settle(&mut self) {
        let [rebuilds, _] = self.lists.counts_of_looks();
        if rebuilds != self.rebuilds
            && let Some((cutoffs, watched)) = self.next.take()
        {
            (self.cutoffs, self.watched) = (cutoffs, watched);
        }
        self.rebuilds = rebuilds;
    }

    /// Returns the error if lists were not built.
    fn refuse(&mut self, outcome: Outcome) -> Result<(), Error> {
        if let Outcome::NotFinite(_) = outcome {
            self.frame = None;
        }
        self.check_outcome(outcome)
    }

    fn check_outcome(&self, outcome: Outcome) -> Result<(), Error> {
        match outcome {
            Outcome::Good | Outcome::Built(_) => Ok(()),
            Outcome::NotFinite(index) => Err(match index.checked_sub(self.lists.looked_at[0]) {
                None => not_finite("particles", index),
                Some(index) => not_finite("j-particles", index),
            }),
            Outcome::Elsewhere => Err(nbody_core::Error::OtherPositions.into()),
            Outcome::Unbounded(k) => {
                let law = self.lists.varying().law(k).unwrap_or_default();
                Err(nbody_core::Error::UnboundedCutoff { law }.into())
            }
            Outcome::BeyondBox => {
                let [greatest, _] = self.lists.reach_found()?;
                Ok(check_greatest(greatest, &self.covered, self.precision, &self.cell())?)
            }
        }
    }

    fn cell(&self) -> Cell {
        nbody_core::order::cell(&self.domain, self.dimensions())
    }

    /// Returns the box of the images in the lists. The evaluation finds the images of given pairs.
    pub fn cell_of_images(&self) -> Cell {
        if self.is_given() { Cell::default() } else { self.cell() }
    }

    /// Returns the number of dimensions of positions.
    fn dimensions(&self) -> usize {
        self.watched.first().map_or(3, |watched| watched.position.places().len().max(2))
    }

    /// Returns the particles and the reach of the lists to build.
    fn plan(&mut self, sets: &ListSets) -> Result<ListExtent, Error> {
        self.lists.set_tilted(!self.is_given() && self.domain.is_triclinic());
        let mut greatest = 0.0_f64;
        for cutoff in self.covered.iter().filter(|_| !self.is_given()) {
            greatest = greatest.max(cutoff.constant()?.unwrap_or(0.0));
        }
        check_greatest(greatest, &self.covered, self.precision, &self.cell())?;
        let n = sets.n();
        let known = self
            .frame
            .filter(|(found, _, frame)| *found == n && frame.dimensions == self.dimensions());
        let frame = match known.and_then(|(_, domain, it)| it.resized(&domain, &self.domain)) {
            Some(frame) => frame,
            // Given lists have the order of the caller, and a closed box has its own cells.
            _ if self.is_given() || self.is_closed() => {
                Frame::of(0, &|_| [0.0; 3], &self.domain, self.dimensions())
            }
            _ => self.choose_frame(sets)?,
        };
        self.frame = Some((n, self.domain, frame));
        let (has_j, one_set) = (sets.j.is_some(), sets.one_set);
        let (cutoff, skin) = (greatest, self.skin);
        Ok(ListExtent { n, has_j, one_set, domain: self.domain, frame, cutoff, skin })
    }

    /// Returns whether space is periodic along each axis.
    fn is_closed(&self) -> bool {
        self.cell().lengths[..self.dimensions()].iter().all(|length| *length > 0.0)
    }

    /// Chooses the cells of the order from the positions.
    fn choose_frame(&self, sets: &ListSets) -> Result<Frame, Error> {
        let watched = &self.watched;
        let mut positions = Vec::new();
        for ((_, buffer, fields), watched) in sets.each().zip(watched) {
            positions.extend(positions_of(buffer, fields, &watched.position)?);
        }
        let positions = wrapped(&positions, &self.domain);
        let dimensions = watched[0].position.places().len().max(2);
        Ok(Frame::of(positions.len(), &|k| positions[k], &self.domain, dimensions))
    }

    /// Waits for the outcome of the last look, and returns the error if lists were not built.
    fn know(&mut self) -> Result<(), Error> {
        let outcome = self.lists.outcome()?;
        self.settle();
        self.refuse(outcome)
    }

    fn figures(&mut self) -> Result<NeighbourStats, Error> {
        self.know()?;
        let mut stats = NeighbourStats::default();
        [stats.rebuilds, stats.age] = self.lists.counts_of_looks();
        stats.times = self.lists.timer.totals();
        let bytes = if self.lists.built().is_some() { self.lists.bytes() } else { 0 };
        Ok(self.with_pairs(&mut |pairs| stats.of(pairs, bytes))?.unwrap_or(stats))
    }

    /// Calls a function with the lists, copied to the host, if they are built.
    fn with_pairs<T>(&self, take: &mut dyn FnMut(&ListedPairs) -> T) -> Result<Option<T>, Error> {
        let Some(extent) = self.lists.built() else { return Ok(None) };
        let Downloaded { lists, sets: [i, j], values: [of_i, of_j] } = &self.lists.download()?;
        let (j, of_j) = if extent.has_j { (j, of_j) } else { (i, of_i) };
        let (cell, one_set) = (self.lists.cell_built(extent)?, self.one_set);
        let all = &|_, _| f64::INFINITY;
        let pairs = ListedPairs { lists, i, j, cell, one_set, greatest: f64::INFINITY, reach: all };
        if self.is_given() {
            return Ok(Some(take(&pairs)));
        }
        let [cutoff, skin] = self.lists.reach(extent)?;
        let levels = [of_i, of_j].map(|values| Levels::of(values));
        let (cutoffs, watched) = self.built_for()?;
        let both = [0, watched.len() - 1].map(|set| &watched[set]);
        let mut reaches = Reaches::new(cutoffs, (both[0], &levels[0]), (both[1], &levels[1]))?;
        reaches.skin = skin;
        let numbers = |values: &[Vec<f64>], place: usize| -> Vec<Interval> {
            values.iter().map(|values| Interval::from(values[place])).collect()
        };
        let reach = &|i, j| reaches.of_numbers(&numbers(of_i, i), &numbers(of_j, j));
        Ok(Some(take(&ListedPairs { greatest: cutoff + skin, reach, ..pairs })))
    }
}

impl untyped::Neighbours for CudaNeighbours {
    fn domain(&self) -> Domain {
        self.domain
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), nbody_core::Error> {
        domain.check(self.precision)?;
        self.domain = domain;
        Ok(())
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn list_first(&mut self, n: Option<usize>) {
        if n != self.lists.wanted {
            self.lists.wanted = n;
            self.lists.forget();
        }
    }

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.lists.excluded.set(pairs);
        self.lists.forget();
    }

    fn is_unrestricted(&self) -> bool {
        let DeviceLists { excluded, subset, wanted, .. } = &self.lists;
        let takes_all = !subset.is_some() && wanted.is_none();
        !self.is_given() && excluded.pairs().is_empty() && takes_all
    }

    fn set_subset(&mut self, subset: Option<&Subset<'_>>) -> Result<bool, nbody_core::Error> {
        self.lists.subset.set(&self.backend, subset, self.is_given())?;
        let DeviceLists { given: Some(given), subset, .. } = &mut self.lists else {
            return Ok(true);
        };
        let has_all = given.list(&self.backend, subset)?;
        self.lists.forget();
        Ok(has_all)
    }

    fn update(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), nbody_core::Error> {
        let backend = self.backend.clone();
        Ok(self.renew(&ListSets::new(&*backend, i, j)?, cutoffs)?)
    }

    fn look(
        &mut self,
        i: &dyn untyped::Buffer,
        j: Sources<'_, dyn untyped::Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<bool, nbody_core::Error> {
        let backend = self.backend.clone();
        Ok(self.look_at(&ListSets::new(&*backend, i, j)?, cutoffs)?)
    }

    fn is_valid(&mut self) -> Result<bool, nbody_core::Error> {
        self.know()?;
        Ok(self.lists.built().is_some())
    }

    fn rebuild(&mut self) {
        self.lists.forget();
    }

    fn rebuilds(&mut self) -> Result<u64, nbody_core::Error> {
        self.know()?;
        Ok(self.lists.counts_of_looks()[0])
    }

    fn stats(&mut self) -> Result<NeighbourStats, nbody_core::Error> {
        Ok(self.figures()?)
    }

    fn set_timed(&mut self, is_on: bool) {
        self.lists.timer.set(is_on);
    }

    fn rounded_length(&self) -> Result<f64, nbody_core::Error> {
        let Some(extent) = self.lists.built().filter(|_| !self.is_given()) else { return Ok(0.0) };
        let [cutoff, skin] = self.lists.reach(extent)?;
        Ok(rounded_length(&self.cell(), cutoff + skin))
    }

    fn to_csr(&self) -> Result<Option<Csr>, nbody_core::Error> {
        Ok(self.with_pairs(&mut |pairs| pairs.csr())?)
    }

    fn state(&self) -> Result<Option<ListState>, nbody_core::Error> {
        Ok(self.read_state()?)
    }

    fn restore(&mut self, state: &ListState) -> Result<(), nbody_core::Error> {
        state.check(self.precision)?;
        self.lists.forget();
        self.restored = Some(state.clone());
        Ok(())
    }
}

/// Returns the error for a particle whose position the host does not know.
fn not_finite(what: &'static str, index: usize) -> Error {
    nbody_core::Error::NotFinite { what, index, found: None }.into()
}

/// Returns whether a cutoff of the same interaction is among these cutoffs.
fn has_law(cutoffs: &[Cutoff], cutoff: &Cutoff) -> bool {
    cutoffs.iter().any(|other| other.law() == cutoff.law())
}
