//! The tuples of blocks of threads.
//!
//! A block sums the results of neighbouring particles. It evaluates every tuple that names any of them,
//! so that a tuple whose particles are in several blocks is evaluated in each: no block waits for another,
//! and results of tuples do not pass through device memory.

use nbody_core::untyped::TupleList;

use super::program::BLOCK;
use crate::border::border;

border! {
    /// Tuples that a block evaluates at once, with a thread for each.
    pub struct Share {
        /// The particles that the block sums, with a thread for each.
        pub particle: u32,
        pub particles: u32,
        /// The tuples.
        pub tuple: u32,
        pub tuples: u32,
        /// The first of the ends of the particles.
        pub end: u32,
        /// The number, from 1, of the block's next share among the further shares; 0 if there is none.
        pub next: u32,
    }
}

/// The place of a result that another block sums.
pub(super) const NOWHERE: u16 = u16::MAX;

/// Tuples, shared out to blocks of threads.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// The first share of each block, which is as large as a block allows.
    pub first: Vec<Share>,
    /// Further shares: a block that sums one particle with more tuples than threads has several.
    pub further: Vec<Share>,
    /// The tuples of all shares, one share after another.
    pub tuples: Vec<u32>,
    /// The places in its share of the results of each tuple, one for each particle. The results of a
    /// particle follow one another in the order of the tuples.
    pub slots: Vec<u16>,
    /// For each particle of each share the end of its results; they begin where the results of the
    /// particle before end.
    pub ends: Vec<u16>,
}

impl Shares {
    /// Shares out tuples.
    pub fn new(list: &TupleList) -> Self {
        let (mut shares, members) = (Self::default(), list.members());
        // For each tuple the end of its last copy in `tuples`.
        let mut copied = vec![0; list.len()];
        let mut open: Option<Share> = None;
        for particle in 0..list.particles() {
            let places = list.places_of(particle);
            if places.len() > BLOCK {
                shares.first.extend(open.take());
                shares.share_out(particle, places, members, &mut copied);
                continue;
            }
            let has_room = |share: &Share| {
                let is_new = |place: &&u32| copied[**place as usize / members] <= share.tuple;
                let tuples = share.tuples as usize + places.iter().filter(is_new).count();
                (share.particles as usize) < BLOCK && tuples <= BLOCK
            };
            let mut share = if let Some(share) = open.take_if(|share| has_room(share)) {
                share
            } else {
                shares.first.extend(open.take());
                shares.begin(particle)
            };
            shares.add(&mut share, places, members, &mut copied);
            open = Some(share);
        }
        shares.first.extend(open);
        shares
    }

    /// Shares out the many tuples of a particle, for one block.
    fn share_out(&mut self, particle: usize, places: &[u32], members: usize, copied: &mut [u32]) {
        let parts = places.chunks(BLOCK);
        let (count, before) = (parts.len(), self.further.len());
        for (k, places) in parts.enumerate() {
            let mut share = self.begin(particle);
            self.add(&mut share, places, members, copied);
            if k + 1 < count {
                share.next = (before + k + 1) as u32;
            }
            if k == 0 { self.first.push(share) } else { self.further.push(share) }
        }
    }

    /// Returns a share without tuples that begins with this particle.
    fn begin(&self, particle: usize) -> Share {
        let [particle, tuple, end] =
            [particle, self.tuples.len(), self.ends.len()].map(|begin| begin as u32);
        Share { particle, particles: 0, tuple, tuples: 0, end, next: 0 }
    }

    /// Adds a particle to a share, with its places in tuples.
    fn add(&mut self, share: &mut Share, places: &[u32], members: usize, copied: &mut [u32]) {
        let mut end = if share.particles > 0 { self.ends.last().copied().unwrap_or(0) } else { 0 };
        for &place in places {
            let (tuple, member) = (place as usize / members, place as usize % members);
            if copied[tuple] <= share.tuple {
                self.tuples.push(tuple as u32);
                self.slots.extend(std::iter::repeat_n(NOWHERE, members));
                copied[tuple] = self.tuples.len() as u32;
                share.tuples += 1;
            }
            self.slots[(copied[tuple] as usize - 1) * members + member] = end;
            end += 1;
        }
        self.ends.push(end);
        share.particles += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tuples of each particle in the order in which blocks add their results.
    fn summed(list: &TupleList) -> Vec<Vec<u32>> {
        let (shares, members) = (Shares::new(list), list.members());
        let mut all = vec![Vec::new(); list.particles()];
        for first in &shares.first {
            let mut share = *first;
            loop {
                assert!(share.particles as usize <= BLOCK && share.tuples as usize <= BLOCK);
                let tuples = share.tuple as usize..(share.tuple + share.tuples) as usize;
                let slots = &shares.slots[tuples.start * members..tuples.end * members];
                let mut begin = 0;
                for k in 0..share.particles {
                    let end = shares.ends[(share.end + k) as usize];
                    let particle = share.particle + k;
                    for slot in begin..end {
                        let mut found = slots.iter().enumerate().filter(|(_, it)| **it == slot);
                        let (at, _) = found.next().expect("a result for each slot");
                        assert!(found.next().is_none(), "one result for each slot");
                        let tuple = shares.tuples[tuples.start + at / members];
                        let index = list.indices()[tuple as usize * members + at % members];
                        assert_eq!(index, particle);
                        all[particle as usize].push(tuple);
                    }
                    begin = end;
                }
                let used = slots.iter().filter(|slot| **slot != NOWHERE).count();
                assert_eq!(used, usize::from(begin));
                let Some(next) = share.next.checked_sub(1) else { break };
                share = shares.further[next as usize];
            }
        }
        all
    }

    /// Compares the sums with the list.
    fn check(members: usize, indices: Vec<u32>, particles: usize) {
        let list = TupleList::new(members, indices, particles).unwrap();
        let expected = (0..particles).map(|particle| {
            let places = list.places_of(particle).iter();
            places.map(|place| place / members as u32).collect::<Vec<_>>()
        });
        assert_eq!(summed(&list), expected.collect::<Vec<_>>());
    }

    #[test]
    fn each_particle_adds_its_tuples_once_and_in_order() {
        for n in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 1000] {
            let chain = |members: usize| {
                (0..(n + 1).saturating_sub(members))
                    .flat_map(move |k| (0..members).map(move |m| (k + m) as u32))
                    .collect::<Vec<_>>()
            };
            for members in 1..=4 {
                check(members, chain(members), n);
            }
            let scattered = (0..3 * n as u32).flat_map(|k| {
                let far = (k * 7919 + 1) % n as u32;
                let near = k % n as u32;
                if far == near { vec![] } else { vec![far, near] }
            });
            check(2, scattered.collect(), n);
        }
    }

    #[test]
    fn a_particle_has_more_tuples_than_a_block_has_threads() {
        for tuples in [BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 1] {
            let star = (0..tuples as u32).flat_map(|k| [k + 1, 0]);
            let second = (0..tuples as u32).flat_map(|k| [5, 6 + k]);
            check(2, star.chain(second).collect(), tuples + 6);
        }
    }
}
