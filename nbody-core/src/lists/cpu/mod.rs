//! Neighbour lists on the CPU.

mod built;
mod frame;
pub mod octets;
pub mod set;
mod stats;

use crate::domain::Domain;
use crate::error::Error;
use crate::lists::check_greatest;
use crate::lists::cpu::built::{BuiltLists, Placements};
pub(crate) use crate::lists::cpu::built::{Followed, Sets};
use crate::lists::cpu::frame::{FrameKey, choose_frame};
pub(crate) use crate::lists::cpu::octets::{OCTET, OCTETS, Octet};
use crate::lists::cpu::set::Set;
use crate::lists::csr::Csr;
use crate::lists::cutoff::{Cutoff, Watched};
use crate::lists::engine::{Neighbours, Origin};
use crate::lists::given::check_excluded;
use crate::lists::stats::NeighbourStats;
use crate::lists::subset::{Subset, SubsetNumbers};
use crate::lists::timer::{Laps, Timer};
use crate::memory::buffer::Buffer;
use crate::memory::buffers::check_precision;
use crate::numeric::precision::Precision;
use crate::order;
use crate::order::frame::Frame;
use crate::pairs::sources::Sources;
use crate::state::ListState;

/// Neighbour lists on the CPU.
#[derive(Clone, Debug)]
pub(crate) struct CpuNeighbours {
    pub(crate) domain: Domain,
    origin: Origin,
    excluded: Vec<[u32; 2]>,
    precision: Precision,
    /// The number of i-particles, the first ones, that have lists; `None` for all.
    pub(crate) wanted: Option<usize>,
    /// The numbers of the particles, if they are a subset, and the given pairs of the subset.
    pub(crate) subset: Option<SubsetNumbers>,
    given: Option<Csr>,
    built: Option<BuiltLists>,
    /// The cells of the order, with the numbers of particles, the dimensions and the space for
    /// which they were chosen.
    frame: Option<(FrameKey, Frame)>,
    /// The state from which the next update rebuilds the lists before it looks at the particles.
    restored: Option<ListState>,
    rebuilds: u64,
    age: u64,
    pub(crate) timer: Timer,
}

impl CpuNeighbours {
    /// Creates lists for particles in this precision.
    pub fn new(domain: Domain, origin: Origin, precision: Precision) -> Result<Self, Error> {
        origin.check()?;
        domain.check(precision)?;
        let (excluded, subset, given, built, frame) = Default::default();
        let (restored, rebuilds, age, timer) = Default::default();
        let lists = Self {
            domain,
            origin,
            excluded,
            precision,
            wanted: None,
            subset,
            given,
            built,
            frame,
            restored,
            rebuilds,
            age,
            timer,
        };
        Ok(lists)
    }

    /// Returns the positions that these lists were built for.
    fn state_of(&self, built: &BuiltLists) -> ListState {
        let positions = [Some(&built.i), built.j.as_ref()];
        let numbers = positions.map(|set| set.map_or(Vec::new(), Set::numbers));
        let positions = positions.map(|set| set.map_or(Vec::new(), |set| set.ordered.given()));
        let frame = self.frame.map(|(_, frame)| frame);
        // Given lists have the order of the caller.
        let (origin, scale) = frame.map_or(([0.0; 3], 1.0), |frame| (frame.origin, frame.scale));
        let parameters = ListState::parameters_of(&built.cutoffs);
        let (domain, room) = (built.domain, [0; 2]);
        ListState { positions, origin, scale, domain, parameters, numbers, room }
    }

    /// Looks whether the lists are valid, and if `builds`, builds them if not. Returns whether they
    /// were valid.
    fn renew(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>, builds: bool) -> Result<bool, Error> {
        let mut laps = self.timer.start();
        laps.times.updates = 1;
        if cutoffs.is_empty() {
            return Err(Error::NoInteractions);
        }
        cutoffs.iter().try_for_each(|it| it.law().check_domain(&self.domain))?;
        if let Origin::Found(_) = self.origin {
            cutoffs.iter().try_for_each(Cutoff::check)?;
        }
        for (what, particles, _) in sets.each() {
            check_precision(what, particles.precision, self.precision)?;
        }
        if let Some((j, _)) = sets.j.filter(|_| sets.one_set) {
            Error::check_length("j-particles of one set", j.len(), sets.i.0.len())?;
        }
        let watched = sets.each().enumerate().map(|(k, (_, _, fields))| {
            let watched = Watched::new(&cutoffs, sets.roles(k), fields)?;
            let is_given = matches!(self.origin, Origin::Given(_));
            Ok(if is_given { watched.only_positions() } else { watched })
        });
        let watched = watched.collect::<Result<Vec<_>, Error>>()?;
        if let Origin::Found(_) = self.origin {
            // As on every device, before the particles are looked at.
            let constants = cutoffs.iter().map(Cutoff::constant);
            let greatest = constants.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
            let cell = order::cell(&self.domain, watched[0].position.places().len());
            let greatest = greatest.fold(0.0, f64::max);
            check_greatest(greatest, &cutoffs, self.precision, &cell)?;
        }
        let positions = |k: usize, (what, particles, _): (_, _, _)| {
            set::positions(what, particles, &watched[k].position)
        };
        // The positions of one set in two buffers are compared whenever there are two buffers.
        let both = || sets.each().enumerate().map(|(k, each)| positions(k, each));
        if let Some(_) = sets.j.filter(|_| sets.one_set)
            && let [i, j] = &both().collect::<Result<Vec<_>, _>>()?[..]
            && i != j
        {
            return Err(Error::OtherPositions);
        }
        self.check_indices(sets)?;
        if let Some(state) = self.restored.take() {
            self.build_again(sets, state, (&watched, &cutoffs), &mut laps)?;
        }
        let domain = self.domain;
        let is_good = self.built.as_mut().is_some_and(|built| {
            built.has_sets(sets).is_ok() && built.look(domain, &cutoffs, sets, &watched)
        });
        laps.end(|times| &mut times.look);
        if is_good {
            self.age += 1;
            self.timer.add(&laps.times);
            return Ok(true);
        }
        if !builds {
            self.built = None;
            return Ok(false);
        }
        let positions = both().collect::<Result<Vec<_>, _>>()?;
        let places = watched.into_iter().zip(positions).collect();
        self.build(domain, sets, (places, None), cutoffs, &mut laps)?;
        self.timer.add(&laps.times);
        Ok(false)
    }

    /// Rebuilds the lists from a state.
    fn build_again(
        &mut self,
        sets: &Sets,
        state: ListState,
        (watched, cutoffs): (&[Watched], &[Cutoff]),
        laps: &mut Laps,
    ) -> Result<(), Error> {
        state.check_lengths([sets.i.0.len(), sets.j.map_or(0, |(j, _)| j.len())])?;
        let count = |set: usize| watched.get(set).map_or(0, |watched| watched.places.len());
        state.check_numbers([count(0), count(1)])?;
        let cutoffs = state.cutoffs(cutoffs)?;
        let dimensions = watched[0].position.places().len().max(2);
        let n = state.positions.each_ref().map(Vec::len);
        self.frame = Some(((n, dimensions, state.domain), state.frame(dimensions)));
        let places = watched.iter().cloned().zip(state.positions).collect();
        self.build(state.domain, sets, (places, Some(&state.numbers)), cutoffs, laps)
    }

    /// Builds the lists of particles at these positions in a space; for a restored state the
    /// numbers that cutoffs depend on are given.
    fn build(
        &mut self,
        domain: Domain,
        sets: &Sets,
        (places, numbers): Placements,
        cutoffs: Vec<Cutoff>,
        laps: &mut Laps,
    ) -> Result<(), Error> {
        self.built = None;
        let mut built = match &self.origin {
            Origin::Found(skin) => {
                let frame = choose_frame(domain, &places, &mut self.frame);
                let places = (places, numbers);
                let wanted = self.wanted.unwrap_or(usize::MAX);
                BuiltLists::find((domain, *skin), (sets, wanted), places, cutoffs, &frame, laps)?
            }
            Origin::Given(all) => {
                let rows = self.given.as_ref().unwrap_or(all);
                BuiltLists::give(domain, rows, sets, places, cutoffs, laps)
            }
        };
        built.exclude(&self.excluded, self.subset.as_ref())?;
        self.built = Some(built);
        self.rebuilds += 1;
        self.age = 0;
        laps.end(|times| &mut times.list);
        laps.times.rebuilds = 1;
        Ok(())
    }

    /// Refuses pairs with indices beyond these particles.
    fn check_indices(&self, sets: &Sets) -> Result<(), Error> {
        let i = sets.i.0.len();
        let j = sets.j.map_or(i, |(j, _)| j.len());
        let [i, j] = match &self.subset {
            None => [i, j],
            Some(subset) => {
                let [of_i, of_j] = subset.of.each_ref().map(Vec::len);
                Error::check_length("i-particles of the subset", i, of_i)?;
                Error::check_length("j-particles of the subset", j, of_j)?;
                subset.n
            }
        };
        if let Origin::Given(rows) = &self.origin {
            Error::check_length("rows", rows.len(), i)?;
            rows.check_indices(j)?;
        }
        check_excluded(&self.excluded, [i, j])
    }

    /// Returns the lists for an interaction and these particles, if they are still valid for both.
    pub(crate) fn lists_for(&self, cutoff: &Cutoff, sets: &Sets) -> Result<Followed<'_>, Error> {
        let law = cutoff.law();
        law.check_domain(&self.domain)?;
        let Some(built) = &self.built else { return Err(Error::NoLists { law: law.name }) };
        if built.now.domain != self.domain {
            return Err(Error::NoLists { law: law.name });
        }
        if !built.covers(&built.now.cutoffs, std::slice::from_ref(cutoff)) {
            return Err(Error::OtherLists { law: law.name });
        }
        built.has_sets(sets)?;
        built.follow(cutoff, sets)
    }
}

impl Neighbours for CpuNeighbours {
    fn domain(&self) -> Domain {
        self.domain
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(self.precision)?;
        self.domain = domain;
        Ok(())
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn list_first(&mut self, n: Option<usize>) {
        if n != self.wanted {
            (self.wanted, self.built) = (n, None);
        }
    }

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.excluded = pairs.to_vec();
        self.built = None;
    }

    fn is_unrestricted(&self) -> bool {
        let finds = matches!(self.origin, Origin::Found(_));
        finds && self.excluded.is_empty() && self.subset.is_none() && self.wanted.is_none()
    }

    fn set_subset(&mut self, subset: Option<&Subset<'_>>) -> Result<bool, Error> {
        (self.subset, self.given) = (None, None);
        self.subset = subset.map(SubsetNumbers::read).transpose()?;
        let Origin::Given(all) = &self.origin else { return Ok(true) };
        self.built = None;
        if let Some(subset) = subset {
            Error::check_length("rows", all.len(), subset.n[0])?;
            all.check_indices(subset.n[1])?;
        }
        let given = self.subset.as_ref().map(|numbers| numbers.rows(all));
        let has_all = given.as_ref().is_none_or(|(_, has_all)| *has_all);
        self.given = given.map(|(rows, _)| rows);
        Ok(has_all)
    }

    fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error> {
        self.renew(&Sets::new(i, j)?, cutoffs, true).map(|_| ())
    }

    fn look(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<bool, Error> {
        self.renew(&Sets::new(i, j)?, cutoffs, false)
    }

    fn is_valid(&mut self) -> Result<bool, Error> {
        Ok(self.built.is_some())
    }

    fn rebuild(&mut self) {
        self.built = None;
    }

    fn rebuilds(&mut self) -> Result<u64, Error> {
        Ok(self.rebuilds)
    }

    fn stats(&mut self) -> Result<NeighbourStats, Error> {
        Ok(self.figures())
    }

    fn set_timed(&mut self, is_on: bool) {
        self.timer.set(is_on);
    }

    fn rounded_length(&self) -> Result<f64, Error> {
        Ok(self.built.as_ref().map_or(0.0, BuiltLists::rounded_length))
    }

    fn to_csr(&self) -> Result<Option<Csr>, Error> {
        Ok(self.to_csr())
    }

    fn state(&self) -> Result<Option<ListState>, Error> {
        Ok(self.built.as_ref().map(|built| self.state_of(built)))
    }

    fn restore(&mut self, state: &ListState) -> Result<(), Error> {
        state.check(self.precision)?;
        self.built = None;
        self.restored = Some(state.clone());
        Ok(())
    }
}
