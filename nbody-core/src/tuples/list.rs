//! The particles of tuples, and the tuples of each particle.

use crate::error::Error;
use crate::law::program::ParticleProgram;
use crate::lists::given::check_indices;
use crate::records::rows::Rows;

/// The particles of tuples, and the tuples of each particle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TupleList {
    /// The number of particles of a tuple.
    count: usize,
    /// The number of particles that tuples may name.
    particles: usize,
    /// The particles of each tuple, one tuple after another.
    indices: Vec<u32>,
    /// The first of the places of each particle in `places`, and at last their number.
    first: Vec<u32>,
    /// For each particle its places in `indices`, in ascending order.
    places: Vec<u32>,
}

impl TupleList {
    /// Takes the particles of tuples of `count` particles, one tuple after another, among
    /// `particles` particles. Refuses indices of no particle, and tuples that name a particle
    /// twice.
    pub fn new(count: usize, indices: Vec<u32>, particles: usize) -> Result<Self, Error> {
        let width = count.max(1);
        if !indices.len().is_multiple_of(width) {
            return Err(Error::PartOfTuple { found: indices.len(), members: width });
        }
        let limit = u32::MAX as usize;
        for found in [indices.len(), particles] {
            if found > limit {
                return Err(Error::TooManyParticles { found, limit });
            }
        }
        check_indices("tuples", indices.chunks(width), particles)?;
        for (tuple, members) in indices.chunks(width).enumerate() {
            let repeated = (1..members.len()).find(|&k| members[..k].contains(&members[k]));
            if let Some(k) = repeated {
                return Err(Error::RepeatedMember { tuple, particle: members[k] });
            }
        }
        let mut first = vec![0_u32; particles + 1];
        for &index in &indices {
            first[index as usize + 1] += 1;
        }
        for k in 0..particles {
            first[k + 1] += first[k];
        }
        let (mut ends, mut places) = (first.clone(), vec![0; indices.len()]);
        for (place, &index) in indices.iter().enumerate() {
            let end = &mut ends[index as usize];
            places[*end as usize] = place as u32;
            *end += 1;
        }
        Ok(Self { count, particles, indices, first, places })
    }

    /// Refuses tuples that do not fit a program, and records that do not fit the tuples.
    pub fn check(&self, program: &ParticleProgram, records: &dyn Rows) -> Result<(), Error> {
        program.check_tuple()?;
        Error::check_length("particles of a tuple", self.count, program.members)?;
        Error::check_record("records of tuples", records.fields(), program.record)?;
        if program.record.is_empty() {
            return Ok(());
        }
        let (found, expected) = (records.count(), self.len());
        if found == expected { Ok(()) } else { Err(Error::TupleRecords { found, expected }) }
    }

    /// Refuses other numbers of particles and results than tuples were given for.
    pub fn check_lengths(&self, particles: usize, results: usize) -> Result<(), Error> {
        Error::check_length("particles of tuples", particles, self.particles)?;
        Error::check_length("results of tuples", results, self.particles)
    }

    /// Returns the number of tuples.
    pub fn len(&self) -> usize {
        self.indices.len() / self.count.max(1)
    }

    /// Returns whether there are no tuples.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Returns the number of particles of a tuple.
    pub fn members(&self) -> usize {
        self.count.max(1)
    }

    /// Returns the number of particles that tuples may name.
    pub fn particles(&self) -> usize {
        self.particles
    }

    /// Returns the particles of each tuple.
    pub(super) fn tuples(&self) -> impl Iterator<Item = &[u32]> {
        self.indices.chunks_exact(self.count.max(1))
    }

    /// Returns the particles of all tuples, one tuple after another.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the places of a particle in the indices, in ascending order.
    pub fn places_of(&self, particle: usize) -> &[u32] {
        &self.places[self.first[particle] as usize..self.first[particle + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_particle_has_its_places_in_order() {
        let list = TupleList::new(2, vec![2, 0, 0, 1, 2, 1], 4).unwrap();
        let places = [0, 1, 2, 3].map(|particle| list.places_of(particle));
        assert_eq!(places, [&[1, 2][..], &[3, 5], &[0, 4], &[]]);
        assert_eq!(list.len(), 3);
        assert!(list.check_lengths(4, 4).is_ok());
        assert!(list.check_lengths(5, 4).is_err() && list.check_lengths(4, 3).is_err());
    }

    #[test]
    fn other_indices_are_refused() {
        let refused = |count, indices: &[u32], n| {
            TupleList::new(count, indices.to_vec(), n).unwrap_err().to_string()
        };
        assert_eq!(
            refused(2, &[0, 1, 2], 3),
            "3 indices are no whole tuples of 2 particles; give 2 for each tuple"
        );
        assert!(
            refused(3, &[0, 1, 2, 2, 1, 3], 3).contains("tuples"),
            "{}",
            refused(3, &[0, 1, 3], 3)
        );
        assert_eq!(
            refused(3, &[0, 1, 2, 2, 1, 2], 3),
            "tuple 1 names particle 2 twice; the particles of a tuple differ"
        );
    }
}
