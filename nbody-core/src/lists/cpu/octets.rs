//! The entries of lists by octets: eight consecutive j-particles, some of them in the list.
//!
//! The particles of an octet are together in memory, so that they are read and moved by vectors;
//! single entries would be read number by number.

use crate::lists::list::Lists;
use crate::order::GROUP;
use crate::order::image::place;
use crate::parallel;

/// Particles of an octet.
pub const OCTET: usize = 8;
/// Octets of a group.
pub const OCTETS: usize = GROUP / OCTET;

/// Groups whose octets a thread collects at a time.
const GROUPS: usize = 16;

/// The octets of each list, in the order of its entries.
#[derive(Clone, Debug, Default)]
pub struct Octets {
    /// The beginning of the octets of each group, and the end of the last group.
    begins: Vec<usize>,
    octets: Vec<Octet>,
}

/// An octet of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Octet {
    /// The entry of the first particle of the octet, which need not be in the list.
    pub first: u32,
    /// The particles near each octet of the group, a bit each. Particles near none are not in the
    /// list.
    pub near: [u8; OCTETS],
}

impl Octet {
    /// Returns the particles that are in the list, a bit each.
    pub fn listed(self) -> u8 {
        self.near.iter().fold(0, |all, near| all | near)
    }
}

impl Octets {
    /// Collects the octets of lists. For each entry, `near` has the octets of its group that it is
    /// near, a bit each, at least one.
    pub fn of(lists: &Lists, near: &[u8]) -> Self {
        let groups = lists.begins.len().saturating_sub(1);
        let mut parts = vec![(Vec::new(), Vec::new()); groups.div_ceil(GROUPS)];
        parallel::each_chunk(&mut parts, 1, &|k, parts| {
            for (ends, octets) in parts {
                for range in
                    (k * GROUPS..groups.min((k + 1) * GROUPS)).map(|group| lists.range(group))
                {
                    append(octets, &lists.entries[range.clone()], &near[range]);
                    ends.push(octets.len());
                }
            }
        });
        let mut all = Self { begins: vec![0], octets: Vec::new() };
        all.octets.reserve_exact(parts.iter().map(|(_, octets)| octets.len()).sum());
        for (ends, octets) in parts {
            let before = all.octets.len();
            all.begins.extend(ends.into_iter().map(|end: usize| before + end));
            all.octets.extend(octets);
        }
        all
    }

    /// Returns the octets of the list of a group.
    pub fn of_group(&self, group: usize) -> &[Octet] {
        &self.octets[self.begins[group]..self.begins[group + 1]]
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.begins[..]) + size_of_val(&self.octets[..])
    }
}

/// Appends the octets of the entries of a list. An entry begins a new octet unless it follows the
/// last entry within the same octet, so that octets and bits have the order of the entries.
fn append(octets: &mut Vec<Octet>, entries: &[u32], near: &[u8]) {
    let mut last = None;
    for (&entry, &near) in entries.iter().zip(near) {
        let at = place(entry) % OCTET;
        let first = entry - at as u32;
        if last.is_none_or(|last| entry <= last || entry - at as u32 > last) {
            octets.push(Octet { first, near: [0; OCTETS] });
        }
        last = Some(entry);
        if let Some(octet) = octets.last_mut() {
            for (k, of_octet) in octet.near.iter_mut().enumerate() {
                *of_octet |= (near >> k & 1) << at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::order::image::INDEX_BITS;

    proptest! {
        #[test]
        fn octets_have_the_entries_in_their_order(
            rows in proptest::collection::vec(
                proptest::collection::vec((0..40_u32, 0..3_u32, 1..16_u8), 0..60), 0..4,
            ),
        ) {
            let mut lists = Lists { begins: vec![0], ..Lists::default() };
            let mut near = Vec::new();
            for row in &rows {
                for &(place, image, of_entry) in row {
                    lists.entries.push(place | image << INDEX_BITS);
                    near.push(of_entry);
                }
                lists.begins.push(near.len() as u64);
            }
            let octets = Octets::of(&lists, &near);
            for group in 0..rows.len() {
                let (mut found, range) = (Vec::new(), lists.range(group));
                for octet in octets.of_group(group) {
                    prop_assert_eq!(place(octet.first) % OCTET, 0);
                    for at in (0..OCTET).filter(|at| octet.listed() >> at & 1 == 1) {
                        let bits = octet.near.iter().enumerate();
                        let near = bits.fold(0, |all, (k, near)| all | (near >> at & 1) << k);
                        found.push((octet.first + at as u32, near));
                    }
                }
                let expected = range.map(|k| (lists.entries[k], near[k]));
                prop_assert_eq!(found, expected.collect::<Vec<_>>());
            }
        }
    }
}
