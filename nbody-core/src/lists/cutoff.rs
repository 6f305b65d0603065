//! The cutoffs that lists cover, and the components of particles that cutoffs depend on.

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::interaction::Law;
use crate::lists::list::{GroupReach, Reach};
use crate::numeric::interval::Interval;
use crate::order::GROUP;
use crate::order::boxes::bits;
use crate::records::binding::{Binding, Place};
use crate::records::pack;
use crate::state::ListState;

/// The cutoff of an interaction with given parameters.
#[derive(Clone, Debug)]
pub struct Cutoff {
    law: &'static Law,
    /// The parameters, in the order of their record.
    parameters: Vec<Interval>,
}

impl PartialEq for Cutoff {
    /// Compares parameters by their bits, since a cutoff may depend on the sign of 0.
    fn eq(&self, other: &Self) -> bool {
        self.law == other.law && have_equal_bits(&self.parameters, &other.parameters)
    }
}

/// Returns whether these bounds have the same bits.
fn have_equal_bits(a: &[Interval], b: &[Interval]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.has_bits_of(b))
}

impl Cutoff {
    /// Returns the cutoff of a law with these parameters (one row).
    pub fn new(law: &'static Law, parameters: &[u64]) -> Self {
        let parameters = pack::reals(law.parameters, parameters);
        Self { law, parameters: parameters.map(Interval::from).collect() }
    }

    /// Refuses an interaction without a declared cutoff, or with a point among its parameters: in
    /// lists, positions of pairs are relative to an origin of their group.
    pub fn check(&self) -> Result<(), Error> {
        let law = self.law.name;
        match (self.law.cutoff, self.law.has_fixed_points()) {
            (false, _) => Err(Error::NoCutoff { law }),
            (true, true) => Err(Error::PointOfLists { law }),
            (true, false) => Ok(()),
        }
    }

    /// Returns the interaction.
    pub fn law(&self) -> &'static Law {
        self.law
    }

    /// Returns the parameters, in the order of their record.
    pub fn parameters(&self) -> &[Interval] {
        &self.parameters
    }

    /// Returns the cutoff of the same interaction with these parameters. Parameters with equal
    /// bits, NaN included, are kept.
    pub fn with_parameters(&self, parameters: &[f64]) -> Result<Self, Error> {
        let (found, expected) = (parameters.len(), self.parameters.len());
        Error::check_length("parameters of lists", found, expected)?;
        let with = |(now, &x): (&Interval, &f64)| {
            if now.lo.to_bits() == x.to_bits() { *now } else { Interval::from(x) }
        };
        let parameters = self.parameters.iter().zip(parameters).map(with).collect();
        Ok(Self { law: self.law, parameters })
    }

    /// Returns whether the cutoff depends on particles.
    pub fn reads_particles(&self) -> bool {
        self.law.cutoff_reads.iter().any(|reads| !reads.is_empty())
    }

    /// Returns the cutoff of all pairs, or `None` if it depends on particles; an error if it is
    /// infinite or NaN.
    pub fn constant(&self) -> Result<Option<f64>, Error> {
        if self.reads_particles() {
            return Ok(None);
        }
        let [i, j] =
            [self.law.i, self.law.j].map(|fields| vec![Interval::WHOLE; pack::dim(fields)]);
        let reach = self.reach([&i, &j]);
        if reach.is_finite() {
            Ok(Some(reach))
        } else {
            Err(Error::UnboundedCutoff { law: self.law.name })
        }
    }

    /// Returns the greatest cutoff of a pair of particles with components within these bounds;
    /// infinite if there is no limit or if a cutoff may be NaN.
    fn reach(&self, bounds: [&[Interval]; 2]) -> f64 {
        self.law.greatest_cutoff(&self.parameters, bounds[0], bounds[1])
    }
}

/// Returns the interactions that may have the greatest cutoff: interactions with this cutoff for all
/// pairs, otherwise all interactions whose cutoffs depend on particles. A device tells only the
/// greatest cutoff.
pub fn laws_with(greatest: f64, cutoffs: &[Cutoff]) -> Vec<&'static str> {
    let is_it = |it: &&Cutoff| it.constant().is_ok_and(|constant| constant == Some(greatest));
    let mut laws: Vec<_> = cutoffs.iter().filter(is_it).map(|it| it.law.name).collect();
    if laws.is_empty() {
        let varying = cutoffs.iter().filter(|it| it.reads_particles());
        laws = varying.map(|it| it.law.name).collect();
    }
    laws.dedup();
    laws
}

/// Returns the position among the fields of a law: the first point.
pub fn position(fields: &'static [Field]) -> &'static [Field] {
    let is_point = |field: &Field| matches!(field.kind, FieldKind::Point(_));
    fields.iter().position(is_point).map_or(&[], |k| &fields[k..=k])
}

/// The components of a set's particles that matter for lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// The coordinates of the position.
    pub position: Binding,
    /// The components that cutoffs depend on.
    pub places: Vec<Place>,
    /// For each cutoff and each role (i, j), an element for each component of the record: its
    /// index in `places` if the cutoff depends on it.
    numbers: Vec<[Vec<Option<usize>>; 2]>,
}

impl Watched {
    /// Finds these components in the records of a buffer, whose particles are i-particles,
    /// j-particles or both.
    pub fn new(
        cutoffs: &[Cutoff],
        roles: [bool; 2],
        buffer: &'static [Field],
    ) -> Result<Self, Error> {
        let mut watched =
            Self { position: Binding::whole(&[]), places: Vec::new(), numbers: Vec::new() };
        let mut first = None;
        for cutoff in cutoffs {
            let law = cutoff.law;
            let mut numbers = [Vec::new(), Vec::new()];
            for (role, fields) in [law.i, law.j].into_iter().enumerate().filter(|(k, _)| roles[*k])
            {
                let position = Binding::new(law.name, position(fields), buffer)?;
                if position.places().len() == 1 {
                    return Err(Error::OneDimension { law: law.name });
                }
                let record = Binding::new(law.name, fields, buffer)?;
                let reads = law.cutoff_reads[role];
                let places = record.places().iter().enumerate();
                numbers[role] = places
                    .map(|(k, &place)| reads.contains(&k).then(|| watched.index_of(place)))
                    .collect();
                match &first {
                    None => first = Some((law.name, position)),
                    Some((_, other)) if other.places() == position.places() => {}
                    Some((other, _)) => {
                        return Err(Error::TwoPositions { laws: [other, law.name] });
                    }
                }
            }
            watched.numbers.push(numbers);
        }
        if let Some((_, position)) = first {
            watched.position = position;
        }
        Ok(watched)
    }

    /// Watches positions alone: for lists that do not depend on cutoffs.
    #[must_use]
    pub fn only_positions(self) -> Self {
        Self { places: Vec::new(), numbers: Vec::new(), ..self }
    }

    /// Returns the indices in `places` of the components that a cutoff depends on in a role, in
    /// the order of [`Law::cutoff_reads`].
    pub fn places_of(&self, cutoff: usize, role: usize) -> impl Iterator<Item = usize> {
        self.numbers[cutoff][role].iter().copied().flatten()
    }

    /// Finds the components that a cutoff depends on in the records of another buffer, whose
    /// particles have these roles: the index of each in `places`, and its place in that buffer.
    pub fn numbers_in(
        &self,
        (cutoff, law): (usize, &'static Law),
        roles: [bool; 2],
        buffer: &'static [Field],
    ) -> Result<Vec<(usize, Place)>, Error> {
        let mut found = Vec::new();
        for (role, fields) in [law.i, law.j].into_iter().enumerate().filter(|(k, _)| roles[*k]) {
            let record = Binding::new(law.name, fields, buffer)?;
            let numbers = self.numbers[cutoff][role].iter().zip(record.places());
            found.extend(numbers.filter_map(|(k, &place)| Some(((*k)?, place))));
        }
        Ok(found)
    }

    /// Returns for each place the largest rates at which the cutoff of a pair can grow while the
    /// component grows, and while it falls; infinite where there is no bound. `is_nonnegative`
    /// promises that all components of all particles are 0 or more.
    pub fn slopes(&self, cutoffs: &[Cutoff], is_nonnegative: bool) -> Vec<[f64; 2]> {
        let bounds =
            if is_nonnegative { Interval::new(0.0, f64::INFINITY) } else { Interval::WHOLE };
        let mut slopes = vec![[0.0_f64; 2]; self.places.len()];
        for (cutoff, roles) in cutoffs.iter().zip(&self.numbers) {
            for (role, numbers) in roles.iter().enumerate() {
                for (number, place) in numbers.iter().enumerate() {
                    let Some(place) = *place else { continue };
                    let found = cutoff.law.slopes(&cutoff.parameters, [role, number], bounds);
                    slopes[place] = [0, 1].map(|way| slopes[place][way].max(found[way]));
                }
            }
        }
        slopes
    }

    fn index_of(&mut self, place: Place) -> usize {
        let known = self.places.iter().position(|known| *known == place);
        known.unwrap_or_else(|| {
            self.places.push(place);
            self.places.len() - 1
        })
    }

    /// Writes to `record` the bounds of the components that a cutoff depends on in a role;
    /// `bounds` are the bounds of all places.
    fn fill(&self, cutoff: usize, role: usize, bounds: &[Interval], record: &mut [Interval]) {
        for (number, place) in record.iter_mut().zip(&self.numbers[cutoff][role]) {
            if let Some(place) = *place {
                *number = bounds[place];
            }
        }
    }

    /// Returns the bounds of all components of a record in a role, for a cutoff; `bounds` are the
    /// bounds of all places. Components that the cutoff does not depend on are unbounded.
    fn bounds(&self, cutoff: usize, role: usize, bounds: &[Interval]) -> Vec<Interval> {
        let number = |place: &Option<usize>| place.map_or(Interval::WHOLE, |place| bounds[place]);
        self.numbers[cutoff][role].iter().map(number).collect()
    }
}

/// The bounds of the watched components in each group, and in each node of the tree.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    places: usize,
    /// For each level of the tree, the bounds in each node.
    levels: Vec<Vec<Interval>>,
}

impl Levels {
    /// Finds the bounds for ordered particles; each slice has one component of all particles.
    pub fn of(values: &[Vec<f64>]) -> Self {
        let places = values.len();
        let n = values.first().map_or(0, Vec::len);
        let mut levels = vec![Vec::new()];
        for first in (0..n).step_by(GROUP) {
            let group = first..n.min(first + GROUP);
            levels[0].extend(values.iter().filter_map(|values| hull(&values[group.clone()])));
        }
        while let Some(below) = levels.last()
            && below.len() > GROUP * places
        {
            let joined = below.chunks(GROUP * places).flat_map(|nodes| {
                let of = |place| nodes[place..].iter().step_by(places).copied();
                (0..places).filter_map(move |place| of(place).reduce(Interval::hull))
            });
            let joined = joined.collect();
            levels.push(joined);
        }
        Self { places, levels }
    }

    /// All particles in one node, with these bounds.
    fn in_one(bounds: Vec<Interval>) -> Self {
        Self { places: bounds.len(), levels: vec![bounds] }
    }

    /// Returns the bounds of each component in a node.
    pub fn node(&self, [level, node]: [usize; 2]) -> &[Interval] {
        if self.places == 0 {
            &[]
        } else {
            &self.levels[level][node * self.places..][..self.places]
        }
    }

    /// Returns the number of groups; 0 if no component is watched.
    fn groups(&self) -> usize {
        self.levels.first().map_or(0, |groups| groups.len().checked_div(self.places).unwrap_or(0))
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| size_of_val(&level[..])).sum()
    }

    /// Returns whether all components are 0 or more.
    pub fn is_nonnegative(&self) -> bool {
        self.all().iter().all(|bounds| bounds.lo >= 0.0)
    }

    /// Returns the bounds of each component over all particles.
    pub fn all(&self) -> Vec<Interval> {
        let top = self.levels.last().map_or(&[][..], Vec::as_slice);
        let of = |place| top.iter().skip(place).step_by(self.places).copied();
        (0..self.places).filter_map(|place| of(place).reduce(Interval::hull)).collect()
    }
}

impl Reach for Reaches<'_> {
    fn greatest(&self) -> f64 {
        Reaches::greatest(self) + self.skin
    }

    fn of_group(&self, group: usize) -> Box<GroupReach<'_>> {
        if let Some(constant) = self.constant {
            return Box::new(move |_, reaches| *reaches = [constant + self.skin; GROUP]);
        }
        let i = self.records(0, self.i.1.node([0, group]));
        let mut j = self.records(1, &self.j.1.all());
        let mut last: Option<(&[Interval], f64)> = None;
        Box::new(move |nodes, reaches| {
            for k in bits(nodes.wanted) {
                let bounds = self.j.1.node([nodes.level, nodes.first + k]);
                let known = last
                    .filter(|(known, _)| have_equal_bits(known, bounds))
                    .map(|(_, reach)| reach);
                let reach = known.unwrap_or_else(|| {
                    let each = self.cutoffs.iter().enumerate().map(|(k, cutoff)| {
                        self.j.0.fill(k, 1, bounds, &mut j[k]);
                        cutoff.reach([&i[k], &j[k]])
                    });
                    each.fold(0.0, f64::max) + self.skin
                });
                last = Some((bounds, reach));
                reaches[k] = reach;
            }
        })
    }
}

fn hull(values: &[f64]) -> Option<Interval> {
    values.iter().copied().map(Interval::from).reduce(Interval::hull)
}

/// Number of groups sampled for the typical cutoff, which chooses the skin.
const SAMPLES: usize = 32;

/// Upper bounds of the cutoffs of pairs, from the bounds of the components that they depend on.
pub struct Reaches<'a> {
    cutoffs: &'a [Cutoff],
    i: (&'a Watched, &'a Levels),
    j: (&'a Watched, &'a Levels),
    /// A length added to each cutoff.
    pub skin: f64,
    /// The cutoff of all pairs, if it depends on no particle.
    constant: Option<f64>,
}

impl<'a> Reaches<'a> {
    /// Returns the reaches of these cutoffs, without a skin; an error if the cutoff of some pair
    /// may be infinite or NaN.
    pub fn new(
        cutoffs: &'a [Cutoff],
        i: (&'a Watched, &'a Levels),
        j: (&'a Watched, &'a Levels),
    ) -> Result<Self, Error> {
        let mut reaches = Self { cutoffs, i, j, skin: 0.0, constant: None };
        let [of_i, of_j] = [i, j].map(|(_, levels)| levels.all());
        let lacks =
            |(watched, bounds): (&Watched, &[Interval])| bounds.len() < watched.places.len();
        if lacks((i.0, &of_i)) || lacks((j.0, &of_j)) {
            // There are no particles.
            return Ok(Self { constant: Some(0.0), ..reaches });
        }
        for (k, cutoff) in cutoffs.iter().enumerate() {
            if !reaches.of_cutoff(k, [&of_i, &of_j]).is_finite() {
                return Err(Error::UnboundedCutoff { law: cutoff.law.name });
            }
        }
        if of_i.is_empty() && of_j.is_empty() {
            reaches.constant = Some(reaches.greatest());
        }
        Ok(reaches)
    }

    /// Returns the greatest cutoff.
    pub fn greatest(&self) -> f64 {
        if let Some(constant) = self.constant {
            return constant;
        }
        let [of_i, of_j] = [self.i, self.j].map(|(_, levels)| levels.all());
        self.of_bounds([&of_i, &of_j])
    }

    /// Returns the median of the greatest cutoffs within 32 groups, spread evenly along the order:
    /// a few unusual particles do not change it.
    pub fn typical(&self) -> f64 {
        if let Some(constant) = self.constant {
            return constant;
        }
        let of = |(_, levels): (&Watched, &'a Levels), k: usize| {
            levels.node([0, k * levels.groups() / SAMPLES])
        };
        let mut all: Vec<_> =
            (0..SAMPLES).map(|k| self.of_bounds([of(self.i, k), of(self.j, k)])).collect();
        all.sort_by(f64::total_cmp);
        all[SAMPLES / 2]
    }

    /// Returns the cutoff, plus the skin, of a pair of particles with these components.
    pub fn of_numbers(&self, i: &[Interval], j: &[Interval]) -> f64 {
        self.constant.unwrap_or_else(|| self.of_bounds([i, j])) + self.skin
    }

    /// Returns for each cutoff the bounds of all components of a record in a role; `bounds` are
    /// the bounds of all places.
    fn records(&self, role: usize, bounds: &[Interval]) -> Vec<Vec<Interval>> {
        let watched = [self.i.0, self.j.0][role];
        (0..self.cutoffs.len()).map(|cutoff| watched.bounds(cutoff, role, bounds)).collect()
    }

    fn of_bounds(&self, bounds: [&[Interval]; 2]) -> f64 {
        let each = (0..self.cutoffs.len()).map(|cutoff| self.of_cutoff(cutoff, bounds));
        each.fold(0.0, f64::max)
    }

    fn of_cutoff(&self, cutoff: usize, [i, j]: [&[Interval]; 2]) -> f64 {
        let i = self.i.0.bounds(cutoff, 0, i);
        let j = self.j.0.bounds(cutoff, 1, j);
        self.cutoffs[cutoff].reach([&i, &j])
    }
}

/// Returns the greatest cutoff of all pairs of particles, from the bounds of the components that
/// cutoffs depend on, of all i-particles and of all j-particles; 0 without bounds. An error if the
/// cutoff of some pair may be infinite or NaN.
pub fn greatest(
    cutoffs: &[Cutoff],
    watched: [&Watched; 2],
    bounds: [&[Interval]; 2],
) -> Result<f64, Error> {
    let levels = bounds.map(|bounds| Levels::in_one(bounds.to_vec()));
    let reaches = Reaches::new(cutoffs, (watched[0], &levels[0]), (watched[1], &levels[1]))?;
    Ok(reaches.greatest())
}

impl ListState {
    /// Returns the parameters of these cutoffs.
    pub fn parameters_of(cutoffs: &[Cutoff]) -> Vec<Vec<f64>> {
        let of = |cutoff: &Cutoff| cutoff.parameters().iter().map(|it| it.lo).collect();
        cutoffs.iter().map(of).collect()
    }

    /// Returns the cutoffs at the last build; `now` has the same interactions.
    pub fn cutoffs(&self, now: &[Cutoff]) -> Result<Vec<Cutoff>, Error> {
        Error::check_length("interactions of lists", now.len(), self.parameters.len())?;
        let each = now.iter().zip(&self.parameters);
        each.map(|(now, parameters)| now.with_parameters(parameters)).collect()
    }
}

#[cfg(test)]
mod tests;
