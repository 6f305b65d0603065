//! Bags of j-particles of a list, with positions relative to the centre of the group that they act
//! on.
// The compiler turns loops over indices into vector code.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use crate::law::loops::{ActsOn, CHOSEN, ListedSources};
use crate::lists::cpu::{OCTET, OCTETS, Octet};
use crate::lists::listing::{Listing, Placed};
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::order::GROUP;
use crate::order::image;
use crate::order::image::INDEX_BITS;
use crate::order::image::{image, place};

const BLOCKS: usize = GROUP / LINE;
const _: () = assert!(GROUP.is_multiple_of(LINE), "a group is whole blocks");
const _: () = assert!(LINE.is_multiple_of(OCTET), "a block is whole octets");
/// The most words of a coordinate.
const COORDINATE: usize = 2;

/// The i-particles of a group, with positions relative to its centre.
pub struct GroupTargets<W> {
    /// The index of the group.
    pub group: usize,
    /// Their blocks, and their number.
    pub lines: Vec<Line<W>>,
    pub count: usize,
}

impl<W: Copy + Default> GroupTargets<W> {
    pub fn new() -> Self {
        Self { group: 0, lines: Vec::new(), count: 0 }
    }

    /// Takes the i-particles of a group from these blocks of records, with `words` lines each.
    #[inline(always)]
    pub fn take<S: Scalar<Word = W>>(
        &mut self,
        listing: &Listing,
        (group, count): (usize, usize),
        (blocks, words): (&[Line<W>], usize),
    ) {
        (self.group, self.count) = (group, count);
        self.lines.clear();
        self.lines.extend_from_slice(blocks);
        self.lines.resize(count.div_ceil(LINE) * words, Line([W::default(); LINE]));
        let centre = &listing.centres[group];
        for octet in 0..count.div_ceil(OCTET) {
            let (block, at) = (octet * OCTET / LINE, octet * OCTET % LINE);
            let now = &listing.i.positions[group * BLOCKS + block];
            let mut relative = [[0.0; OCTET]; 3];
            for axis in 0..3 {
                for k in 0..OCTET {
                    relative[axis][k] = now[axis][at + k] - centre[axis];
                }
            }
            put_positions::<S, OCTET>(
                &relative,
                listing.i,
                at,
                &mut self.lines[block * words..][..words],
            );
        }
    }
}

/// The j-particles of a bag, and constants of all bags of an evaluation.
pub struct Bag<W> {
    lines: Vec<Line<W>>,
    /// Entry of each j-particle; an octet also has entries that are not in the list.
    entries: Vec<u32>,
    /// The j-particles that are near each octet of the group, a bit each.
    near: [Vec<u8>; OCTETS],
    /// The i-particles that each j-particle acts on, a bit each, valid where its bit in
    /// `restricted` is set.
    masks: Vec<u32>,
    restricted: Vec<u64>,
    /// The place in the bag of each particle of the group that does not act on itself.
    own: [usize; GROUP],
    /// The chosen j-particles: first the j-particles that act on all i-particles of a vector, then
    /// the others.
    chosen: [Vec<u64>; 2],
    /// The words of a j-particle, and the words that are no coordinates of its position.
    words: usize,
    others: Vec<usize>,
    /// The displacement of each image number that an entry can have above its place.
    displacements: [[f64; 3]; 1 << (u32::BITS - INDEX_BITS)],
    /// A bit for each i-particle of a group.
    bits: [Line<W>; BLOCKS],
    skips_self: bool,
}

/// The place of a particle that is not in the bag.
const NOT_THERE: usize = usize::MAX;

impl<W: Copy + Default> Bag<W> {
    /// Creates a bag for j-particles of `words` words. With `skips_self`, particles of the group
    /// do not act on themselves.
    pub fn new<S: Scalar<Word = W>>(listing: &Listing, words: usize, skips_self: bool) -> Self {
        let is_of_position =
            |word: &usize| listing.j.places.iter().any(|place| place.words::<S>().contains(word));
        let displacement = |image: usize| image::displacement(image as u32, &listing.cell);
        let bit = |k: usize| S::word_from_u32(1 << k);
        Self {
            lines: Vec::new(),
            entries: Vec::new(),
            near: Default::default(),
            masks: Vec::new(),
            restricted: Vec::new(),
            own: [NOT_THERE; GROUP],
            chosen: Default::default(),
            words,
            others: (0..words).filter(|word| !is_of_position(word)).collect(),
            displacements: std::array::from_fn(displacement),
            bits: std::array::from_fn(|block| Line(std::array::from_fn(|k| bit(block * LINE + k)))),
            skips_self,
        }
    }

    /// Empties the bag and makes room for this many j-particles.
    #[inline(always)]
    fn clear(&mut self, count: usize) {
        let room = count.next_multiple_of(CHOSEN);
        self.lines.resize(room / LINE * self.words, Line([W::default(); LINE]));
        self.entries.resize(count, 0);
        self.masks.resize(count, 0);
        for near in &mut self.near {
            near.clear();
            near.resize(room / OCTET, 0);
        }
        self.restricted.clear();
        self.restricted.resize(room / CHOSEN, 0);
        self.own = [NOT_THERE; GROUP];
    }

    /// Takes the j-particles of octets; `index` is their first entry among all lists. Returns the
    /// index after their last entry.
    #[inline(always)]
    pub fn take_octets<S: Scalar<Word = W>>(
        &mut self,
        listing: &Listing,
        group: usize,
        from: &[Line<W>],
        octets: &[Octet],
        mut index: usize,
    ) -> usize {
        self.clear(octets.len() * OCTET);
        let centre = &listing.centres[group];
        for (q, octet) in octets.iter().enumerate() {
            // Shows the compiler that an octet is within its block.
            let (block, at) =
                (place(octet.first) / LINE, place(octet.first) % LINE / OCTET * OCTET);
            let (to, first) = (q * OCTET / LINE * self.words, q % (LINE / OCTET) * OCTET);
            let lines = &mut self.lines[to..][..self.words];
            for &word in &self.others {
                let record = &from[block * self.words + word];
                lines[word].0[first..][..OCTET].copy_from_slice(&record.0[at..][..OCTET]);
            }
            let displacement = &self.displacements[image(octet.first) as usize];
            let now = &listing.j.positions[block];
            let mut relative = [[0.0; OCTET]; 3];
            for axis in 0..3 {
                for k in 0..OCTET {
                    relative[axis][k] = (now[axis][at + k] + displacement[axis]) - centre[axis];
                }
            }
            put_positions::<S, OCTET>(&relative, listing.j, first, lines);
            for (near, bits) in self.near.iter_mut().zip(octet.near) {
                near[q] = bits;
            }
            let entries = &mut self.entries[q * OCTET..][..OCTET];
            for k in 0..OCTET {
                entries[k] = octet.first + k as u32;
            }
            if let Some(masks) = listing.masks {
                for k in (0..OCTET).filter(|k| octet.listed() >> k & 1 == 1) {
                    self.restrict(q * OCTET + k, masks[index]);
                    index += 1;
                }
            }
            if self.is_own(group, octet.first) {
                (0..OCTET).for_each(|k| self.leave_out(group, q * OCTET + k));
            }
        }
        index
    }

    /// Takes the j-particles of the entries in `range` with stride `step`, among all lists. The
    /// order is kept: if some j-particle is restricted to some i-particles, all count as
    /// restricted.
    #[inline(always)]
    pub fn take_entries<S: Scalar<Word = W>>(
        &mut self,
        listing: &Listing,
        group: usize,
        from: &[Line<W>],
        (range, step): (Range<usize>, usize),
    ) {
        self.clear(range.len().div_ceil(step));
        let centre = &listing.centres[group];
        let mut is_restricted = listing.masks.is_some();
        for (k, index) in range.step_by(step).enumerate() {
            let entry = listing.lists.entries[index];
            let (block, at) = (place(entry) / LINE, place(entry) % LINE);
            let lines = &mut self.lines[k / LINE * self.words..][..self.words];
            for &word in &self.others {
                lines[word].0[k % LINE] = from[block * self.words + word].0[at];
            }
            let displacement = &self.displacements[image(entry) as usize];
            let now = &listing.j.positions[block];
            let relative =
                [0, 1, 2].map(|axis| [(now[axis][at] + displacement[axis]) - centre[axis]]);
            put_positions::<S, 1>(&relative, listing.j, k % LINE, lines);
            for near in &mut self.near {
                near[k / OCTET] |= 1 << (k % OCTET);
            }
            self.entries[k] = entry;
            self.restrict(k, listing.masks.map_or(u32::MAX, |masks| masks[index]));
            if self.is_own(group, entry) {
                is_restricted = true;
                self.leave_out(group, k);
            }
        }
        if is_restricted {
            self.restricted.fill(u64::MAX);
        }
    }

    /// Restricts a j-particle to these i-particles.
    #[inline(always)]
    fn restrict(&mut self, k: usize, mask: u32) {
        self.masks[k] = mask;
        self.restricted[k / CHOSEN] |= u64::from(mask != u32::MAX) << (k % CHOSEN);
    }

    /// Returns whether an entry is a particle of the group itself, which does not act on itself.
    #[inline(always)]
    fn is_own(&self, group: usize, entry: u32) -> bool {
        let own = (group * GROUP) as u32 | image::ITSELF << INDEX_BITS;
        self.skips_self && entry.wrapping_sub(own) < GROUP as u32
    }

    /// Excludes the pair of a particle of the group with itself.
    #[inline(always)]
    fn leave_out(&mut self, group: usize, k: usize) {
        let itself = place(self.entries[k]) - group * GROUP;
        let is_restricted = self.restricted[k / CHOSEN] >> (k % CHOSEN) & 1 == 1;
        let mask = if is_restricted { self.masks[k] } else { u32::MAX };
        self.masks[k] = mask & !(1 << itself);
        if self.own[itself] == NOT_THERE {
            self.own[itself] = k;
        } else {
            // A pair that is given twice has a second entry.
            self.restricted[k / CHOSEN] |= 1 << (k % CHOSEN);
        }
    }

    /// Chooses the j-particles that are near a vector of i-particles of the group.
    #[inline(always)]
    pub fn choose(&mut self, i: Range<usize>) {
        let (i, [all, some]) = (i.start..i.end.min(GROUP), &mut self.chosen);
        let octets = &self.near[i.start / OCTET..i.end.div_ceil(OCTET)];
        all.clear();
        all.resize(self.restricted.len(), 0);
        for near in octets {
            for (all, near) in all.iter_mut().zip(near.as_chunks().0) {
                *all |= u64::from_le_bytes(*near);
            }
        }
        some.clone_from(&self.restricted);
        for k in self.own[i].iter().copied().filter(|&k| k != NOT_THERE) {
            some[k / CHOSEN] |= 1 << (k % CHOSEN);
        }
        for (all, some) in all.iter_mut().zip(some) {
            (*all, *some) = (*all & !*some, *all & *some);
        }
    }

    /// Returns the chosen j-particles that act on all i-particles of the vector, and then the
    /// others; none of either kind is left out.
    pub fn listed<'a>(
        &'a self,
        listing: &'a Listing,
    ) -> impl Iterator<Item = ListedSources<'a, W>> {
        let acts_on = |words: &Range<usize>| ActsOn {
            masks: &self.masks[words.start * CHOSEN..self.masks.len().min(words.end * CHOSEN)],
            bits: &self.bits,
        };
        self.chosen.iter().enumerate().filter_map(move |(k, chosen)| {
            let first = chosen.iter().position(|&chosen| chosen != 0)?;
            let end = chosen.iter().rposition(|&chosen| chosen != 0)? + 1;
            let lines = CHOSEN / LINE * self.words;
            Some(ListedSources {
                lines: &self.lines[first * lines..end * lines],
                entries: &self.entries[first * CHOSEN..self.entries.len().min(end * CHOSEN)],
                chosen: &chosen[first..end],
                indices: listing.j.indices,
                acts_on: (k == 1).then(|| acts_on(&(first..end))),
            })
        })
    }
}

/// Rounds positions and writes them to the lines of a block, starting at an element.
#[inline(always)]
fn put_positions<S: Scalar, const N: usize>(
    positions: &[[f64; N]; 3],
    placed: Placed,
    at: usize,
    block: &mut [Line<S::Word>],
) {
    for (along, place) in positions.iter().zip(placed.places) {
        let mut rounded = [[S::Word::default(); N]; COORDINATE];
        for k in 0..N {
            let mut words = rounded.iter_mut();
            S::coordinate_to_words(S::coordinate(along[k]), |word| {
                words.next().expect("a coordinate has two words at most")[k] = word;
            });
        }
        let lines = block[place.word::<S>()..][..place.number.words::<S>()].iter_mut();
        for (line, rounded) in lines.zip(&rounded) {
            line.0[at..][..N].copy_from_slice(rounded);
        }
    }
}
