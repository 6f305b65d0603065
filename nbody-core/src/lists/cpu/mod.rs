//! Neighbour lists on the CPU.

mod frame;
pub mod octets;
pub mod set;
mod stats;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::lists;
use crate::lists::Skin;
use crate::lists::check_greatest;
use crate::lists::cpu::frame::{FrameKey, choose_frame};
pub(crate) use crate::lists::cpu::octets::{OCTET, OCTETS, Octet, Octets};
pub(crate) use crate::lists::cpu::set::Block;
use crate::lists::cpu::set::Set;
use crate::lists::csr::Csr;
use crate::lists::cutoff::{Cutoff, Reaches, Watched, position};
use crate::lists::engine::Neighbours;
use crate::lists::engine::Origin;
use crate::lists::given::{Given, check_excluded};
use crate::lists::list::Lists;
use crate::lists::listing::{Listing, Placed};
use crate::lists::margin::{Change, Margin};
use crate::lists::stats::NeighbourStats;
use crate::lists::timer::{Laps, Timer};
use crate::memory::buffer::Buffer;
use crate::memory::buffers::particles;
use crate::memory::buffers::{Particles, check_precision};
use crate::numeric::precision::Precision;
use crate::order;
use crate::order::frame::Frame;
use crate::pairs::sources::Sources;
use crate::records::binding::{Binding, Place};
use crate::state::ListState;

/// Neighbour lists on the CPU.
#[derive(Clone, Debug)]
pub(crate) struct CpuNeighbours {
    pub(crate) domain: Domain,
    origin: Origin,
    excluded: Vec<[u32; 2]>,
    precision: Precision,
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

/// Built lists, and the sets and cutoffs they were built for.
#[derive(Clone, Debug)]
struct BuiltLists {
    /// A unique number of these lists.
    number: u64,
    i: Set,
    /// The j-particles, if they are in another buffer.
    j: Option<Set>,
    /// Particle k of i is particle k of j.
    one_set: bool,
    lists: Lists,
    octets: Octets,
    /// The pairs are given, and depend on no cutoff.
    is_given: bool,
    domain: Domain,
    cutoffs: Vec<Cutoff>,
    /// The lengths of the box, 0 along open axes.
    lengths: [f64; 3],
    /// The greatest cutoff, and the skin.
    greatest: f64,
    skin: f64,
    /// The result of the last check.
    now: Now,
}

/// The space and the cutoffs at the last check, and the margin.
#[derive(Clone, Debug)]
struct Now {
    domain: Domain,
    /// The cutoffs that the lists cover.
    cutoffs: Vec<Cutoff>,
    /// The lengths of the box, 0 along open axes.
    lengths: [f64; 3],
    margin: Margin,
}

impl Now {
    /// Returns the state of lists that have just been built for a greatest cutoff and a skin.
    fn at_first(
        domain: Domain,
        cutoffs: &[Cutoff],
        lengths: &[f64; 3],
        (reach, most): ([f64; 2], f64),
    ) -> Self {
        let (cutoffs, lengths) = (cutoffs.to_vec(), *lengths);
        Self { domain, cutoffs, lengths, margin: Margin::at_first(reach, &lengths, most) }
    }
}

/// The particles of an update or an evaluation, and the fields of their records.
pub(crate) struct Sets<'a> {
    pub i: (&'a Particles, &'static [Field]),
    /// The j-particles, if they are in another buffer.
    pub j: Option<(&'a Particles, &'static [Field])>,
    /// Particle k of i is particle k of j.
    pub one_set: bool,
}

impl<'a> Sets<'a> {
    pub fn new(i: &'a dyn Buffer, j: Sources<'a, dyn Buffer>) -> Result<Self, Error> {
        let one_set = j.is_one_set();
        let (i, j) = (particles("i-particles", i)?, particles("j-particles", j.particles())?);
        let is_same = one_set && std::ptr::eq(i, j);
        let j = (!is_same).then_some((j, j.fields));
        Ok(Self { i: (i, i.fields), j, one_set })
    }

    /// Returns whether the particles of a set are i-particles, and whether they are j-particles.
    fn roles(&self, set: usize) -> [bool; 2] {
        if self.j.is_some() { [set == 0, set == 1] } else { [true; 2] }
    }

    /// Returns the particles of each set, with their name in messages.
    fn each(&self) -> impl Iterator<Item = (&'static str, &'a Particles, &'static [Field])> {
        let name = if self.j.is_some() { "i-particles" } else { "particles" };
        let i = (name, self.i.0, self.i.1);
        [Some(i), self.j.map(|(j, fields)| ("j-particles", j, fields))].into_iter().flatten()
    }
}

impl CpuNeighbours {
    /// Creates lists for particles in this precision.
    pub fn new(domain: Domain, origin: Origin, precision: Precision) -> Result<Self, Error> {
        origin.check()?;
        domain.check(precision)?;
        let (excluded, built, frame, restored) = Default::default();
        let (rebuilds, age, timer) = Default::default();
        let lists = Self {
            domain,
            origin,
            excluded,
            precision,
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

    fn renew(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
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
            let lengths = order::lengths(&self.domain, watched[0].position.places().len());
            let greatest = greatest.fold(0.0, f64::max);
            check_greatest(greatest, &cutoffs, self.precision, &lengths)?;
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
            return Ok(());
        }
        let positions = both().collect::<Result<Vec<_>, _>>()?;
        let places = watched.into_iter().zip(positions).collect();
        self.build(domain, sets, (places, None), cutoffs, &mut laps)?;
        self.timer.add(&laps.times);
        Ok(())
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
                BuiltLists::find(domain, *skin, sets, places, cutoffs, &frame, laps)?
            }
            Origin::Given(rows) => BuiltLists::give(domain, rows, sets, places, cutoffs, laps),
        };
        built.exclude(&self.excluded)?;
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

    fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.excluded = pairs.to_vec();
        self.built = None;
    }

    fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error> {
        self.renew(&Sets::new(i, j)?, cutoffs)
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

/// Watched numbers of each set with the positions of its particles; the values of the numbers are
/// given if they differ from the particles' present ones.
type Placements<'a> = (Vec<(Watched, Vec<[f64; 3]>)>, Option<&'a [Vec<Vec<f64>>; 2]>);

/// Returns the greatest permitted cutoff of lists; infinite if the pairs are given.
fn most_of(is_given: bool, sets: &Sets) -> f64 {
    if is_given { f64::INFINITY } else { lists::cutoffs(sets.i.0.precision)[1] }
}

/// Returns a number that was never returned before.
fn new_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl BuiltLists {
    /// Builds lists of the pairs within the cutoffs plus the skin.
    fn find(
        domain: Domain,
        skin: Skin,
        sets: &Sets,
        (places, numbers): Placements,
        cutoffs: Vec<Cutoff>,
        frame: &Frame,
        laps: &mut Laps,
    ) -> Result<Self, Error> {
        let lengths = order::lengths(&domain, frame.dimensions);
        let places = sets.each().zip(places).enumerate();
        let built = places.map(|(k, ((_, particles, _), (watched, positions)))| {
            let watched = (watched, numbers.map(|of_sets| &of_sets[k][..]));
            Set::build(particles, &positions, watched, &domain, frame)
        });
        let mut built = built.collect::<Vec<_>>();
        let is_nonnegative = built.iter().all(|set| set.levels.is_nonnegative());
        for set in &mut built {
            set.growth = (set.watched.slopes(&cutoffs, is_nonnegative), is_nonnegative);
        }
        let mut built = built.into_iter();
        let i = built.next().expect("there is one set or two");
        let j = built.next();
        laps.end(|times| &mut times.order);
        let of_j = j.as_ref().unwrap_or(&i);
        let watched = [&i, of_j].map(|set| (&set.watched, &set.levels));
        let mut reaches = Reaches::new(&cutoffs, watched[0], watched[1])?;
        let greatest = reaches.greatest();
        check_greatest(greatest, &cutoffs, sets.i.0.precision, &lengths)?;
        reaches.skin = skin.length([reaches.typical(), greatest], &lengths);
        let skin = reaches.skin;
        let (lists, near) = Lists::build_with_octets(&i.ordered, &of_j.ordered, &lengths, &reaches);
        let octets = Octets::of(&lists, &near);
        let (one_set, is_given, number) = (sets.one_set, false, new_number());
        let most = most_of(false, sets);
        let now = Now::at_first(domain, &cutoffs, &lengths, ([greatest, skin], most));
        Ok(Self {
            number,
            i,
            j,
            one_set,
            lists,
            octets,
            is_given,
            domain,
            cutoffs,
            lengths,
            greatest,
            skin,
            now,
        })
    }

    /// Builds lists of the pairs in these rows.
    fn give(
        domain: Domain,
        rows: &Csr,
        sets: &Sets,
        places: Vec<(Watched, Vec<[f64; 3]>)>,
        cutoffs: Vec<Cutoff>,
        laps: &mut Laps,
    ) -> Self {
        let lengths = order::lengths(&domain, places[0].0.position.places().len());
        let mut built =
            places.into_iter().map(|(watched, positions)| Set::keep(&positions, watched, &domain));
        let i = built.next().expect("there is one set or two");
        let j = built.next();
        laps.end(|times| &mut times.order);
        let of_j = j.as_ref().unwrap_or(&i);
        let Given { lists, near, greatest, skin } =
            Given::new(rows, &i.ordered, &of_j.ordered, &lengths);
        let (one_set, is_given, number) = (sets.one_set, true, new_number());
        let octets = Octets::of(&lists, &near);
        // The nearest image of a pair does not depend on the cutoffs.
        let most = most_of(true, sets);
        let now = Now::at_first(domain, &cutoffs, &lengths, ([0.0, skin], most));
        Self {
            number,
            i,
            j,
            one_set,
            lists,
            octets,
            is_given,
            domain,
            cutoffs,
            lengths,
            greatest,
            skin,
            now,
        }
    }

    /// Returns the greatest cutoff with the skin.
    fn reach(&self) -> f64 {
        // Without a periodic box given pairs are valid for ever.
        self.greatest + if self.skin.is_finite() { self.skin } else { 0.0 }
    }

    /// Excludes these pairs from the lists.
    fn exclude(&mut self, pairs: &[[u32; 2]]) -> Result<(), Error> {
        if !pairs.is_empty() {
            self.lists.masks = Some(self.masks_without(pairs)?);
        }
        Ok(())
    }

    /// Returns for each entry the i-particles of its group that it acts on, a bit each, with these
    /// pairs excluded.
    fn masks_without(&self, pairs: &[[u32; 2]]) -> Result<Vec<u32>, Error> {
        let j = self.j.as_ref().unwrap_or(&self.i);
        let n = [self.i.ordered.len(), j.ordered.len()];
        let rows = Csr::of_excluded(pairs, n, self.one_set)?;
        Ok(self.lists.masks_without(&rows, &self.i.ordered, &j.places, &self.lengths))
    }

    /// Returns whether lists for the cutoffs `known` are valid for all of `cutoffs`.
    fn covers(&self, known: &[Cutoff], cutoffs: &[Cutoff]) -> bool {
        cutoffs.iter().all(|cutoff| {
            let is_law = |other: &Cutoff| other.law() == cutoff.law();
            known.contains(cutoff) || self.is_given && known.iter().any(is_law)
        })
    }

    /// Returns the cutoffs that the lists cover if the particles have not moved too far, and the
    /// growth of the cutoffs that depend on no particle; `None` if `cutoffs` belong to other laws
    /// or depend on other numbers.
    fn growth(&self, cutoffs: &[Cutoff]) -> Option<(Vec<Cutoff>, f64)> {
        if self.covers(&self.cutoffs, cutoffs) {
            return Some((self.cutoffs.clone(), 0.0));
        }
        let constant = |cutoffs: &[Cutoff]| {
            let mut each = cutoffs.iter().filter_map(|cutoff| cutoff.constant().transpose());
            each.try_fold(0.0, |most: f64, cutoff| cutoff.ok().map(|cutoff| most.max(cutoff)))
        };
        let is_known = |cutoff: &Cutoff| {
            let is_law = |other: &Cutoff| other.law() == cutoff.law();
            self.cutoffs.contains(cutoff)
                || !cutoff.reads_particles() && self.cutoffs.iter().any(is_law)
        };
        let growth = constant(cutoffs)? - constant(&self.cutoffs)?;
        cutoffs.iter().all(is_known).then(|| (cutoffs.to_vec(), growth.max(0.0)))
    }

    /// Refuses sets other than the sets of the lists.
    fn has_sets(&self, sets: &Sets) -> Result<(), Error> {
        if (sets.j.is_some(), sets.one_set) != (self.j.is_some(), self.one_set) {
            return Err(Error::OtherSets);
        }
        for ((what, particles, _), set) in sets.each().zip(self.sets()) {
            let (found, expected) = (particles.len(), set.ordered.len());
            if found != expected {
                return Err(Error::OtherLength { what, found, expected });
            }
        }
        Ok(())
    }

    fn sets(&self) -> impl Iterator<Item = &Set> {
        [Some(&self.i), self.j.as_ref()].into_iter().flatten()
    }

    /// Finds in the records of a set the numbers that these cutoffs depend on: the index of each
    /// among the watched numbers, and its place. The records may differ from the records that the
    /// lists were built with.
    fn numbers(
        &self,
        cutoffs: Range<usize>,
        (sets, k): (&Sets, usize),
        fields: &'static [Field],
    ) -> Result<Vec<(usize, Place)>, Error> {
        let mut numbers = Vec::new();
        if let Some(set) = self.sets().nth(k).filter(|_| !self.is_given) {
            for cutoff in cutoffs {
                let of = (cutoff, self.cutoffs[cutoff].law());
                numbers.extend(set.watched.numbers_in(of, sets.roles(k), fields)?);
            }
        }
        numbers.sort_by_key(|(number, _)| *number);
        numbers.dedup_by_key(|(number, _)| *number);
        Ok(numbers)
    }

    /// Tests whether the lists are valid for these cutoffs in a space, and if so adopts the
    /// cutoffs.
    fn look(
        &mut self,
        domain: Domain,
        cutoffs: &[Cutoff],
        sets: &Sets,
        watched: &[Watched],
    ) -> bool {
        let lengths = order::lengths(&domain, watched[0].position.places().len().max(2));
        let Some((cutoffs, growth)) = self.growth(cutoffs) else { return false };
        let most = most_of(self.is_given, sets);
        let Some(change) = Change::of(&self.lengths, &lengths, growth, most) else { return false };
        let greatest = if self.is_given { 0.0 } else { self.greatest };
        let Some(margin) = change.margin(greatest, self.skin) else { return false };
        let now = sets.each().zip(watched).enumerate();
        let is_good = self.sets().zip(now).all(|(set, (k, ((_, particles, fields), watched)))| {
            // Other records may lack numbers that the cutoffs of the lists depend on.
            let numbers = self.numbers(0..self.cutoffs.len(), (sets, k), fields);
            numbers.is_ok_and(|numbers| {
                let bound = (&watched.position, &numbers[..]);
                set.is_good(particles, bound, &lengths, &margin)
            })
        });
        if is_good {
            self.now = Now { domain, cutoffs, lengths, margin };
        }
        is_good
    }

    /// Follows the particles from their positions in the lists; an error if they have moved too
    /// far, or if numbers that this cutoff depends on have changed.
    fn follow(&self, cutoff: &Cutoff, sets: &Sets) -> Result<Followed<'_>, Error> {
        let law = cutoff.law();
        let mut positions = Vec::new();
        let own = self.cutoffs.iter().position(|it| it == cutoff);
        let own = own.map_or(0..0, |own| own..own + 1);
        for (k, ((set, (what, particles, fields)), fields_of_law)) in
            self.sets().zip(sets.each()).zip([law.i, law.j]).enumerate()
        {
            let binding = Binding::new(law.name, position(fields_of_law), fields)?;
            let numbers = self.numbers(own.clone(), (sets, k), fields)?;
            let (bound, Now { lengths, margin, .. }) = ((&binding, &numbers[..]), &self.now);
            let Some(now) = set.follow(particles, bound, lengths, margin) else {
                // Positions that are not finite have an error of their own.
                set::positions(what, particles, &binding)?;
                return Err(Error::OldLists { what });
            };
            positions.push(now);
        }
        let boxes = self.i.ordered.tree.groups().iter();
        let centres = boxes.map(|bounds| bounds.origin(self.reach(), &self.lengths)).collect();
        let place = |fields| Binding::new(law.name, position(fields), fields);
        let places = [place(law.i)?, place(law.j)?];
        Ok(Followed { built: self, positions, centres, places })
    }
}

/// Lists with the present positions of the particles.
pub(crate) struct Followed<'a> {
    built: &'a BuiltLists,
    /// The positions of each set.
    positions: Vec<Vec<Block>>,
    centres: Vec<[f64; 3]>,
    /// The coordinates of an i-particle and of a j-particle in the records of the law.
    places: [Binding; 2],
}

impl Followed<'_> {
    /// Keeps the memory of the positions for the next time.
    pub fn end(self) {
        for (set, positions) in self.built.sets().zip(self.positions) {
            set.followed.put(positions);
        }
    }

    /// Returns the indices of the i-particles and of the j-particles in order.
    pub fn orders(&self) -> [&[u32]; 2] {
        let BuiltLists { i, j, .. } = self.built;
        [i, j.as_ref().unwrap_or(i)].map(|set| &set.ordered.indices[..])
    }

    /// Returns the unique number of the lists.
    pub fn number(&self) -> u64 {
        self.built.number
    }

    /// Returns for each entry the i-particles of its group that it acts on, a bit each, with these
    /// pairs excluded.
    pub fn masks_without(&self, pairs: &[[u32; 2]]) -> Result<Vec<u32>, Error> {
        self.built.masks_without(pairs)
    }

    /// Returns the lists for an evaluation, with other masks of the entries if given, this kind of
    /// bags, and relative or absolute positions.
    pub fn listing<'b>(
        &'b self,
        masks: Option<&'b [u32]>,
        is_interleaved: bool,
        is_relative: bool,
    ) -> Listing<'b> {
        let [of_i, of_j] = self.orders();
        let i = self.positions.first().map_or(&[][..], |i| &i[..]);
        let j = self.positions.last().map_or(&[][..], |j| &j[..]);
        let [at_i, at_j] =
            [0, 1].map(|set| if is_relative { self.places[set].places() } else { &[] });
        Listing {
            lists: &self.built.lists,
            masks: masks.or(self.built.lists.masks.as_deref()),
            octets: &self.built.octets,
            i: Placed { positions: i, indices: of_i, places: at_i },
            j: Placed { positions: j, indices: of_j, places: at_j },
            places: &self.built.i.places,
            centres: &self.centres,
            lengths: self.built.now.lengths,
            is_interleaved,
        }
    }
}
