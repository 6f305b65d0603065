//! Neighbour lists: each group of i-particles meets the j-particles of its list, bag by bag and split by
//! split.
//!
//! Positions are relative to the centre of the group, computed in `f64` and then rounded, with the image
//! that the list names: they have more digits than the positions themselves, and pairs need no search
//! for the nearest image.
// Loops over indices are those that compilers turn into vector code.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use super::Job;
use crate::cpu::columns::Columns;
use crate::cpu::listed::{ActsOn, CHOSEN, Listed};
use crate::cpu::loops::View;
use crate::law::binding::Place;
use crate::near::bags::Bags;
use crate::near::image::INDEX_BITS;
use crate::near::list::{Lists, image, place};
use crate::near::{self, GROUP, image};
use crate::numeric::simd::{Best, LINE, Line};
use crate::{Accumulation, Scalar, parallel};

/// Groups that a thread evaluates at a time.
const GROUPS: usize = 8;
/// Blocks of a group.
const BLOCKS: usize = GROUP / LINE;
const _: () = assert!(GROUP.is_multiple_of(LINE), "a group is whole blocks");

/// The lists of an evaluation, and the particles that they are of, in their order.
pub(in crate::cpu) struct Listing<'a> {
    pub lists: &'a Lists,
    /// The i-particles of its group that each entry acts on, a bit each, if not all of them.
    pub masks: Option<&'a [u32]>,
    /// The parts of its group that each entry is near.
    pub near: &'a [u8],
    pub i: Placed<'a>,
    pub j: Placed<'a>,
    /// The place of each i-particle in its order.
    pub places: &'a [u32],
    /// The centre of each group.
    pub centres: &'a [[f64; 3]],
    /// The lengths of the periodic box, which are zero along open axes.
    pub lengths: [f64; 3],
    /// Whether bags are those of every engine, in which exact mathematics has the same bits. Consecutive ones
    /// are faster here.
    pub is_interleaved: bool,
}

/// The positions of particles in the order of their lists.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Placed<'a> {
    /// The positions; they are continuous in time, also where particles leave a periodic box.
    pub positions: &'a [[f64; 3]],
    /// The indices of the caller.
    pub indices: &'a [u32],
    /// The coordinates of the position in a record of the law.
    pub places: &'a [Place],
}

/// The j-particles of a bag, and what all bags of an evaluation have in common.
struct Bag<W> {
    /// The entries of the list, and the parts of the group that each is near.
    entries: Vec<u32>,
    near: Vec<u8>,
    lines: Vec<Line<W>>,
    /// The j-particles that act on a vector.
    chosen: Vec<u64>,
    /// The i-particles that each acts on, a bit each.
    masks: Vec<u32>,
    /// The first word of each coordinate in an i-particle and in a j-particle.
    words: [Vec<usize>; 2],
    /// The words of a j-particle that are not of its position.
    others: Vec<usize>,
    /// The displacements of images, one for each number that an entry may have above its place.
    displacements: [[f64; 3]; 1 << (u32::BITS - INDEX_BITS)],
    best: Best,
}

/// The sums of the particles of a group, and their rounding errors, which count if sums are compensated.
struct Running<W> {
    sums: Vec<Line<W>>,
    lost: Vec<Line<W>>,
}

impl<W> Bag<W> {
    fn new<S: Scalar>(listing: &Listing, words_of_j: usize) -> Self {
        let words = |placed: &Placed| placed.places.iter().map(|place| place.word::<S>()).collect();
        let words: [Vec<usize>; 2] = [&listing.i, &listing.j].map(words);
        let is_of_position = |word: &usize| {
            listing.j.places.iter().any(|place| {
                (place.word::<S>()..place.word::<S>() + place.number.words::<S>()).contains(word)
            })
        };
        let others = (0..words_of_j).filter(|word| !is_of_position(word)).collect();
        let displacement = |image: usize| image::displacement(image as u32, &listing.lengths);
        Self {
            entries: Vec::new(),
            near: Vec::new(),
            lines: Vec::new(),
            chosen: Vec::new(),
            masks: Vec::new(),
            words,
            others,
            displacements: std::array::from_fn(displacement),
            best: Best::new(),
        }
    }

    /// Takes other entries: those of a range among all lists that are this far apart.
    fn take(&mut self, listing: &Listing, range: Range<usize>, step: usize) {
        take_each(&mut self.entries, &listing.lists.entries[range.clone()], step);
        take_each(&mut self.near, &listing.near[range.clone()], step);
        if let Some(masks) = listing.masks {
            take_each(&mut self.masks, &masks[range], step);
        } else {
            self.masks.clear();
            self.masks.resize(self.entries.len(), u32::MAX);
        }
    }

    /// Chooses the entries that are near a part of their group.
    fn choose(&mut self, part: u8) {
        // A part that has no bit is the whole group.
        let part = if part == 0 { u8::MAX } else { part };
        self.chosen.clear();
        self.chosen.extend(self.near.chunks(CHOSEN).map(|near| {
            let octets = near.chunks(8).enumerate();
            octets.fold(0, |chosen, (k, octet)| chosen | u64::from(flags(octet, part)) << (8 * k))
        }));
    }
}

/// Replaces elements by those of a slice that are this far apart.
fn take_each<T: Copy>(to: &mut Vec<T>, from: &[T], step: usize) {
    to.clear();
    if step == 1 {
        to.extend_from_slice(from);
    } else {
        to.extend(from.iter().step_by(step));
    }
}

/// Returns a bit for each of at most 8 bytes that has some of these bits.
fn flags(bytes: &[u8], bits: u8) -> u8 {
    const ONES: u64 = u64::MAX / 0xff;
    let Ok(word) = bytes.try_into().map(u64::from_le_bytes) else {
        let each = bytes.iter().enumerate();
        return each.fold(0, |flags, (k, byte)| flags | u8::from(byte & bits != 0) << k);
    };
    // Each bit in question, added to the others of its byte, reaches the highest one; a product moves
    // these together.
    let word = word & (u64::from(bits) * ONES);
    let some = (((word & (0x7f * ONES)) + 0x7f * ONES) | word) >> 7 & ONES;
    (some.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates the pairs of lists.
    pub(super) fn listed(&self, listing: &Listing, out: &mut Columns<u64>) {
        let lines = BLOCKS * self.nothing.len().max(1);
        parallel::each_chunk(out.lines_mut(), GROUPS * lines, &|first, out| {
            let mut bag = Bag::new::<S>(listing, self.j.words());
            for (k, out) in out.chunks_mut(lines).enumerate() {
                self.group(listing, first / lines + k, &mut bag, out);
            }
        });
    }

    /// Evaluates the list of a group; its splits are merged in order.
    fn group(
        &self,
        listing: &Listing,
        group: usize,
        bag: &mut Bag<S::Word>,
        out: &mut [Line<u64>],
    ) {
        let folding = self.setting.folding;
        let particles = group * GROUP..self.i.len().min((group + 1) * GROUP);
        let i = self.relative(listing, group, particles.clone(), &bag.words[0]);
        let i = View { lines: &i, first: 0, range: 0..particles.len() };
        let entries = listing.lists.range(group).len();
        let bags = if listing.is_interleaved {
            Bags::new(self.order, entries)
        } else {
            Bags::consecutive(self.order.bag, entries)
        };
        folding.begin(out);
        for (split, of_split) in bags.splits().enumerate() {
            let of_split = of_split.map(|bag| bags.entries(bag));
            if split == 0 {
                self.split(listing, group, &i, of_split, bag, out);
                continue;
            }
            let mut part = out.to_vec();
            folding.begin(&mut part);
            self.split(listing, group, &i, of_split, bag, &mut part);
            folding.fold_blocks::<f64>(&part, out);
        }
    }

    /// Adds to `out` the effect of some bags of a list on the particles of its group.
    fn split(
        &self,
        listing: &Listing,
        group: usize,
        i: &View<S::Word>,
        bags: impl Iterator<Item = (Range<usize>, usize)>,
        bag: &mut Bag<S::Word>,
        out: &mut [Line<u64>],
    ) {
        let begin = listing.lists.range(group).start;
        let vectors = i.range.len().div_ceil(self.loops.width);
        let compensated = self.accumulation == Accumulation::Compensated;
        let sums = self.nothing.repeat(vectors);
        let mut running = Running { lost: sums.clone(), sums };
        for (range, step) in bags.filter(|(range, _)| !range.is_empty()) {
            bag.take(listing, begin + range.start..begin + range.end, step);
            self.bag_of_list(listing, group, i, bag, &mut running);
            if self.accumulation.folds_each_bag() {
                self.fold(0, &mut running.sums, out);
            }
        }
        if !self.accumulation.folds_each_bag() {
            self.fold(0, &mut running.sums, out);
        }
        if compensated {
            self.setting.folding.only_numbers::<S>(&mut running.lost);
            self.fold(0, &mut running.lost, out);
        }
    }

    /// Adds the effect of a bag on the particles of a group to their sums.
    fn bag_of_list(
        &self,
        listing: &Listing,
        group: usize,
        i: &View<S::Word>,
        bag: &mut Bag<S::Word>,
        running: &mut Running<S::Word>,
    ) {
        let (width, words) = (self.loops.width, self.nothing.len());
        let bits = bits::<S>();
        let best = bag.best;
        best.run(
            #[inline(always)]
            || self.fill(listing, group, bag),
        );
        let restricted = self.restrict(listing, group, bag);
        for vector in 0..i.range.len().div_ceil(width) {
            let range = vector * width..(vector + 1) * width;
            bag.choose(near::list::part(range.start, width));
            let i = View { lines: i.lines, first: 0, range };
            let of_vector = vector * words..(vector + 1) * words;
            let (before, after) = (0..restricted.start, restricted.end..bag.chosen.len());
            for (chosen, is_restricted) in
                [(before, false), (restricted.clone(), true), (after, false)]
            {
                if chosen.is_empty() {
                    continue;
                }
                let j = bag.listed(listing, chosen, is_restricted, &bits);
                let compensated = self.accumulation == Accumulation::Compensated;
                let Running { sums, lost } = &mut *running;
                let lost = compensated.then(|| &mut lost[of_vector.clone()]);
                (self.loops.listed)(self.setting, &i, &j, &mut sums[of_vector.clone()], lost);
            }
        }
    }

    /// Returns the i-particles of a group, with positions relative to its centre.
    fn relative(
        &self,
        listing: &Listing,
        group: usize,
        particles: Range<usize>,
        coordinates: &[usize],
    ) -> Vec<Line<S::Word>> {
        let blocks = particles.start / LINE..particles.end.div_ceil(LINE);
        let mut lines = self.i.blocks(blocks).to_vec();
        let (words, centre) = (self.i.words(), &listing.centres[group]);
        for (k, position) in listing.i.positions[particles].iter().enumerate() {
            let block = &mut lines[k / LINE * words..];
            put_position::<S>(position, centre, coordinates, k % LINE, block);
        }
        lines
    }

    /// Fills a bag with the j-particles of its entries.
    #[inline(always)]
    fn fill(&self, listing: &Listing, group: usize, bag: &mut Bag<S::Word>) {
        let (words, centre) = (self.j.words(), listing.centres[group]);
        let entries = &bag.entries;
        let blocks = entries.len().next_multiple_of(CHOSEN) / LINE;
        bag.lines.resize(blocks * words, Line([S::Word::default(); LINE]));
        let (from, positions) = (self.j.lines(), listing.j.positions);
        for (lines, entries) in bag.lines.chunks_mut(words.max(1)).zip(entries.chunks(LINE)) {
            for &word in &bag.others {
                for (to, &entry) in lines[word].0.iter_mut().zip(entries) {
                    let at = place(entry);
                    *to = from[at / LINE * words + word].0[at % LINE];
                }
            }
            let mut relative = [[0.0; LINE]; 3];
            for (k, &entry) in entries.iter().enumerate().take(LINE) {
                let position = &positions[place(entry)];
                let displacement = &bag.displacements[image(entry) as usize];
                for axis in 0..3 {
                    relative[axis][k] = position[axis] + displacement[axis] - centre[axis];
                }
            }
            for (relative, &first) in relative.iter().zip(&bag.words[1]) {
                for (k, &x) in relative.iter().enumerate() {
                    put_coordinate::<S>(x, k, &mut lines[first..]);
                }
            }
        }
    }

    /// Finds the i-particles that the j-particles of a bag act on, and returns the range of words of
    /// [`CHOSEN`] bits that have all those which do not act on every one.
    fn restrict(&self, listing: &Listing, group: usize, bag: &mut Bag<S::Word>) -> Range<usize> {
        let entries = &bag.entries;
        let mut own = 0..0;
        if self.setting.skips_self {
            let first = (group * GROUP) as u32 | image::ITSELF << INDEX_BITS;
            let below = |end: u32| entries.iter().filter(|&&entry| entry < end).count();
            own = below(first)..below(first + GROUP as u32);
            for (mask, entry) in bag.masks[own.clone()].iter_mut().zip(&entries[own.clone()]) {
                *mask &= !(1 << (entry - first));
            }
        }
        match listing.masks {
            Some(_) => 0..entries.len().div_ceil(CHOSEN),
            None if own.is_empty() => 0..0,
            None => own.start / CHOSEN..own.end.div_ceil(CHOSEN),
        }
    }
}

impl<W> Bag<W> {
    /// Returns the chosen j-particles of some words.
    fn listed<'a>(
        &'a self,
        listing: &'a Listing,
        chosen: Range<usize>,
        is_restricted: bool,
        bits: &'a [Line<W>],
    ) -> Listed<'a, W> {
        let words = self.lines.len() / self.chosen.len().max(1);
        let of_entries = chosen.start * CHOSEN..self.entries.len().min(chosen.end * CHOSEN);
        let acts_on = ActsOn { masks: &self.masks[of_entries.clone()], bits };
        Listed {
            lines: &self.lines[chosen.start * words..chosen.end * words],
            entries: &self.entries[of_entries],
            chosen: &self.chosen[chosen],
            indices: listing.j.indices,
            acts_on: is_restricted.then_some(acts_on),
        }
    }
}

/// Writes a position relative to a centre to an element of the lines of a block.
fn put_position<S: Scalar>(
    position: &[f64; 3],
    centre: &[f64; 3],
    coordinates: &[usize],
    at: usize,
    block: &mut [Line<S::Word>],
) {
    for (axis, &first) in coordinates.iter().enumerate() {
        put_coordinate::<S>(position[axis] - centre[axis], at, &mut block[first..]);
    }
}

/// Writes a coordinate to an element of lines, the first of which is that of its first word.
#[inline(always)]
fn put_coordinate<S: Scalar>(x: f64, at: usize, lines: &mut [Line<S::Word>]) {
    let mut lines = lines.iter_mut();
    S::coordinate_to_words(S::coordinate(x), |word| {
        lines.next().expect("a line for each word of a coordinate").0[at] = word;
    });
}

/// Returns a bit for each i-particle of a group.
fn bits<S: Scalar>() -> [Line<S::Word>; BLOCKS] {
    std::array::from_fn(|block| {
        Line(std::array::from_fn(|k| S::word_from_u32(1 << (block * LINE + k))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_flags() {
        let bytes: Vec<_> =
            (0..4096_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for bits in [1, 2, 0x10, 0x80, 0xff, 0] {
            for bytes in bytes.chunks(8).chain(bytes.chunks(5)) {
                let is_set = |k: usize| flags(bytes, bits) >> k & 1 == 1;
                assert!((0..bytes.len()).all(|k| is_set(k) == (bytes[k] & bits != 0)));
                assert_eq!(u32::from(flags(bytes, bits)) >> bytes.len(), 0);
            }
        }
    }
}
