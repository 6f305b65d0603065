//! Built lists, and the sets and cutoffs they were built for.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::lists;
use crate::lists::Skin;
use crate::lists::cpu::octets::Octets;
use crate::lists::cpu::set::{self, Block, Set};
use crate::lists::csr::Csr;
use crate::lists::cutoff::{Cutoff, Reaches, Watched, position};
use crate::lists::given::Given;
use crate::lists::list::Lists;
use crate::lists::listing::{Listing, Placed};
use crate::lists::margin::{Change, Margin};
use crate::lists::subset::SubsetNumbers;
use crate::lists::timer::Laps;
use crate::lists::{check_greatest, rounded_length};
use crate::memory::buffer::Buffer;
use crate::memory::buffers::{Particles, particles};
use crate::order;
use crate::order::boxes::Bounds;
use crate::order::frame::Frame;
use crate::pairs::sources::Sources;
use crate::records::binding::{Binding, Place};
use crate::triclinic::Cell;

/// Built lists, and the sets and cutoffs they were built for.
#[derive(Clone, Debug)]
pub(super) struct BuiltLists {
    /// A unique number of these lists.
    pub number: u64,
    pub i: Set,
    /// The j-particles, if they are in another buffer.
    pub j: Option<Set>,
    /// Particle k of i is particle k of j.
    pub one_set: bool,
    pub lists: Lists,
    pub octets: Octets,
    /// The pairs are given, and depend on no cutoff.
    pub is_given: bool,
    pub domain: Domain,
    pub cutoffs: Vec<Cutoff>,
    /// The periodic box, 0 along open axes.
    pub cell: Cell,
    /// The greatest cutoff, and the skin.
    pub greatest: f64,
    pub skin: f64,
    /// The result of the last check.
    pub now: Now,
}

/// The space and the cutoffs at the last check, and the margin.
#[derive(Clone, Debug)]
pub(super) struct Now {
    pub domain: Domain,
    /// The cutoffs that the lists cover.
    pub cutoffs: Vec<Cutoff>,
    /// The periodic box, 0 along open axes.
    pub cell: Cell,
    pub margin: Margin,
}

impl Now {
    /// Returns the state of lists that have just been built for a greatest cutoff and a skin.
    pub fn at_first(
        domain: Domain,
        cutoffs: &[Cutoff],
        cell: &Cell,
        (reach, most): ([f64; 2], f64),
    ) -> Self {
        let (cutoffs, cell) = (cutoffs.to_vec(), *cell);
        Self { domain, cutoffs, cell, margin: Margin::at_first(reach, &cell, most) }
    }
}

/// The particles of an update or an evaluation, and the fields of their records.
pub(crate) struct Sets<'a> {
    pub i: (&'a Particles, &'static [Field]),
    /// The j-particles, if they are in another buffer.
    pub j: Option<(&'a Particles, &'static [Field])>,
    /// Particle k of i is particle k of j.
    pub one_set: bool,
    /// The results of the first particles alone may be wanted.
    pub is_first: bool,
}

impl<'a> Sets<'a> {
    pub fn new(i: &'a dyn Buffer, j: Sources<'a, dyn Buffer>) -> Result<Self, Error> {
        let (one_set, is_first) = (j.is_one_set(), j.is_first());
        let (i, j) = (particles("i-particles", i)?, particles("j-particles", j.particles())?);
        let is_same = one_set && std::ptr::eq(i, j);
        let j = (!is_same).then_some((j, j.fields));
        Ok(Self { i: (i, i.fields), j, one_set, is_first })
    }

    /// Returns whether the particles of a set are i-particles, and whether they are j-particles.
    pub fn roles(&self, set: usize) -> [bool; 2] {
        if self.j.is_some() { [set == 0, set == 1] } else { [true; 2] }
    }

    /// Returns the particles of each set, with their name in messages.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &'a Particles, &'static [Field])> {
        let name = if self.j.is_some() { "i-particles" } else { "particles" };
        let i = (name, self.i.0, self.i.1);
        [Some(i), self.j.map(|(j, fields)| ("j-particles", j, fields))].into_iter().flatten()
    }
}

/// Watched numbers of each set with the positions of its particles; the values of the numbers are
/// given if they differ from the particles' present ones.
pub(super) type Placements<'a> = (Vec<(Watched, Vec<[f64; 3]>)>, Option<&'a [Vec<Vec<f64>>; 2]>);

/// Returns the greatest permitted cutoff of lists; infinite if the pairs are given.
pub(super) fn most_of(is_given: bool, sets: &Sets) -> f64 {
    if is_given { f64::INFINITY } else { lists::cutoffs(sets.i.0.precision)[1] }
}

/// Returns a number that was never returned before.
fn new_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl BuiltLists {
    /// Builds lists of the pairs within the cutoffs plus the skin, for groups with any of the first
    /// `wanted` i-particles.
    pub fn find(
        (domain, skin): (Domain, Skin),
        (sets, wanted): (&Sets, usize),
        (places, numbers): Placements,
        cutoffs: Vec<Cutoff>,
        frame: &Frame,
        laps: &mut Laps,
    ) -> Result<Self, Error> {
        let cell = order::cell(&domain, frame.dimensions);
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
        check_greatest(greatest, &cutoffs, sets.i.0.precision, &cell)?;
        reaches.skin = skin.length([reaches.typical(), greatest], &cell);
        let skin = reaches.skin;
        let (lists, near) =
            Lists::build_with_octets((&i.ordered, wanted), &of_j.ordered, &cell, &reaches);
        let octets = Octets::of(&lists, &near);
        let (one_set, is_given, number) = (sets.one_set, false, new_number());
        let most = most_of(false, sets);
        let now = Now::at_first(domain, &cutoffs, &cell, ([greatest, skin], most));
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
            cell,
            greatest,
            skin,
            now,
        })
    }

    /// Builds lists of the pairs in these rows.
    pub fn give(
        domain: Domain,
        rows: &Csr,
        sets: &Sets,
        places: Vec<(Watched, Vec<[f64; 3]>)>,
        cutoffs: Vec<Cutoff>,
        laps: &mut Laps,
    ) -> Self {
        let cell = order::cell(&domain, places[0].0.position.places().len());
        let mut built =
            places.into_iter().map(|(watched, positions)| Set::keep(&positions, watched, &domain));
        let i = built.next().expect("there is one set or two");
        let j = built.next();
        laps.end(|times| &mut times.order);
        let of_j = j.as_ref().unwrap_or(&i);
        let Given { lists, near, greatest, skin } =
            Given::new(rows, &i.ordered, &of_j.ordered, &cell);
        let (one_set, is_given, number) = (sets.one_set, true, new_number());
        let octets = Octets::of(&lists, &near);
        // The nearest image of a pair does not depend on the cutoffs.
        let most = most_of(true, sets);
        let now = Now::at_first(domain, &cutoffs, &cell, ([0.0, skin], most));
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
            cell,
            greatest,
            skin,
            now,
        }
    }

    /// Returns the greatest cutoff with the skin.
    pub fn reach(&self) -> f64 {
        // Without a periodic box given pairs are valid for ever.
        self.greatest + if self.skin.is_finite() { self.skin } else { 0.0 }
    }

    /// Returns the length by which positions are rounded again. Given pairs have an origin of their
    /// own, and in a box the images that continue the positions when the lists were built.
    pub fn rounded_length(&self) -> f64 {
        let is_open = self.cell.lengths == [0.0; 3];
        if self.is_given && is_open { 0.0 } else { rounded_length(&self.cell, self.reach()) }
    }

    /// Returns the origin of the positions of each group.
    fn origins(&self) -> Vec<[f64; 3]> {
        let groups = self.i.ordered.tree.groups().iter();
        // Given pairs may be far apart: the middle of a group is no better than any other point.
        let origin = |bounds: &Bounds| {
            if self.is_given { [0.0; 3] } else { bounds.origin(self.reach(), &self.cell.lengths) }
        };
        groups.map(origin).collect()
    }

    /// Excludes these pairs from the lists.
    pub fn exclude(
        &mut self,
        pairs: &[[u32; 2]],
        subset: Option<&SubsetNumbers>,
    ) -> Result<(), Error> {
        if !pairs.is_empty() {
            self.lists.masks = Some(self.masks_without(pairs, subset)?);
        }
        Ok(())
    }

    /// Returns for each entry the i-particles of its group that it acts on, a bit each, with these
    /// pairs excluded.
    pub fn masks_without(
        &self,
        pairs: &[[u32; 2]],
        subset: Option<&SubsetNumbers>,
    ) -> Result<Vec<u32>, Error> {
        let j = self.j.as_ref().unwrap_or(&self.i);
        let n = subset.map_or([self.i.ordered.len(), j.ordered.len()], |subset| subset.n);
        let rows = Csr::of_excluded(pairs, n, self.one_set)?;
        let rows = match subset {
            Some(subset) => subset.rows(&rows).0,
            None => rows,
        };
        Ok(self.lists.masks_without(&rows, &self.i.ordered, &j.places, &self.cell))
    }

    /// Returns whether lists for the cutoffs `known` are valid for all of `cutoffs`.
    pub fn covers(&self, known: &[Cutoff], cutoffs: &[Cutoff]) -> bool {
        cutoffs.iter().all(|cutoff| {
            let is_law = |other: &Cutoff| other.law() == cutoff.law();
            known.contains(cutoff) || self.is_given && known.iter().any(is_law)
        })
    }

    /// Returns the cutoffs that the lists cover if the particles have not moved too far, and the
    /// growth of the cutoffs that depend on no particle; `None` if `cutoffs` belong to other laws
    /// or depend on other numbers.
    pub fn growth(&self, cutoffs: &[Cutoff]) -> Option<(Vec<Cutoff>, f64)> {
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
    pub fn has_sets(&self, sets: &Sets) -> Result<(), Error> {
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

    pub fn sets(&self) -> impl Iterator<Item = &Set> {
        [Some(&self.i), self.j.as_ref()].into_iter().flatten()
    }

    /// Finds in the records of a set the numbers that these cutoffs depend on: the index of each
    /// among the watched numbers, and its place. The records may differ from the records that the
    /// lists were built with.
    pub fn numbers(
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
    pub fn look(
        &mut self,
        domain: Domain,
        cutoffs: &[Cutoff],
        sets: &Sets,
        watched: &[Watched],
    ) -> bool {
        let cell = order::cell(&domain, watched[0].position.places().len().max(2));
        let Some((cutoffs, growth)) = self.growth(cutoffs) else { return false };
        let most = most_of(self.is_given, sets);
        let Some(change) = Change::of(&self.cell, &cell, growth, most) else { return false };
        let greatest = if self.is_given { 0.0 } else { self.greatest };
        let Some(margin) = change.margin(greatest, self.skin) else { return false };
        let now = sets.each().zip(watched).enumerate();
        let is_good = self.sets().zip(now).all(|(set, (k, ((_, particles, fields), watched)))| {
            // Other records may lack numbers that the cutoffs of the lists depend on.
            let numbers = self.numbers(0..self.cutoffs.len(), (sets, k), fields);
            numbers.is_ok_and(|numbers| {
                let bound = (&watched.position, &numbers[..]);
                set.is_good(particles, bound, &cell, &margin)
            })
        });
        if is_good {
            self.now = Now { domain, cutoffs, cell, margin };
        }
        is_good
    }

    /// Follows the particles from their positions in the lists; an error if they have moved too
    /// far, or if numbers that this cutoff depends on have changed.
    pub fn follow(&self, cutoff: &Cutoff, sets: &Sets) -> Result<Followed<'_>, Error> {
        let law = cutoff.law();
        let mut positions = Vec::new();
        let own = self.cutoffs.iter().position(|it| it == cutoff);
        let own = own.map_or(0..0, |own| own..own + 1);
        for (k, ((set, (what, particles, fields)), fields_of_law)) in
            self.sets().zip(sets.each()).zip([law.i, law.j]).enumerate()
        {
            let binding = Binding::new(law.name, position(fields_of_law), fields)?;
            let numbers = self.numbers(own.clone(), (sets, k), fields)?;
            let (bound, Now { cell, margin, .. }) = ((&binding, &numbers[..]), &self.now);
            let Some(now) = set.follow(particles, bound, cell, margin) else {
                // Positions that are not finite have an error of their own.
                set::positions(what, particles, &binding)?;
                return Err(Error::OldLists { what });
            };
            positions.push(now);
        }
        let origins = self.origins();
        let place = |fields| Binding::new(law.name, position(fields), fields);
        let places = [place(law.i)?, place(law.j)?];
        Ok(Followed { built: self, positions, origins, places })
    }
}

/// Lists with the present positions of the particles.
pub(crate) struct Followed<'a> {
    built: &'a BuiltLists,
    /// The positions of each set.
    positions: Vec<Vec<Block>>,
    origins: Vec<[f64; 3]>,
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
    pub fn masks_without(
        &self,
        pairs: &[[u32; 2]],
        subset: Option<&SubsetNumbers>,
    ) -> Result<Vec<u32>, Error> {
        self.built.masks_without(pairs, subset)
    }

    /// Returns the lists for an evaluation, with other masks of the entries if given, this kind of
    /// bags, and relative or absolute positions.
    pub fn listing<'b>(
        &'b self,
        masks: Option<&'b [u32]>,
        wanted: usize,
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
            places: &self.built.i.places[..wanted],
            wanted,
            centres: &self.origins,
            cell: self.built.now.cell,
            is_interleaved,
        }
    }
}
