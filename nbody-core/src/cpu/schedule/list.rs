//! Neighbour lists: each group of i-particles meets the j-particles of its list, bag by bag.
//!
//! Positions are relative to the centre of the group, computed in `f64` and then rounded, with the image
//! that the list names: they have more digits than the positions themselves, and pairs need no search
//! for the nearest image.

use std::ops::Range;

use super::Job;
use crate::cpu::columns::Columns;
use crate::cpu::loops::{Listed, View};
use crate::law::binding::Place;
use crate::near::list::{Lists, image, place};
use crate::near::{GROUP, image};
use crate::numeric::simd::{LINE, Line};
use crate::{Accumulation, Scalar, parallel};

/// Groups that a thread evaluates at a time.
const GROUPS: usize = 8;
/// Blocks of a group.
const BLOCKS: usize = GROUP / LINE;
const _: () = assert!(GROUP.is_multiple_of(LINE), "a group is whole blocks");

/// The lists of an evaluation, and the particles that they are of, in their order.
pub(in crate::cpu) struct Listing<'a> {
    pub lists: &'a Lists,
    pub i: Placed<'a>,
    pub j: Placed<'a>,
    /// The centre of each group.
    pub centres: &'a [[f64; 3]],
    /// The lengths of the periodic box, which are zero along open axes.
    pub lengths: [f64; 3],
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

/// The j-particles of a bag.
struct Bag<W> {
    lines: Vec<Line<W>>,
    indices: Vec<u32>,
    acts_on: Vec<u32>,
    /// The first word of each coordinate in an i-particle and in a j-particle.
    words: [Vec<usize>; 2],
}

impl<W> Bag<W> {
    fn new<S: Scalar>(listing: &Listing) -> Self {
        let words = |placed: &Placed| placed.places.iter().map(|place| place.word::<S>()).collect();
        let words = [&listing.i, &listing.j].map(words);
        Self { lines: Vec::new(), indices: Vec::new(), acts_on: Vec::new(), words }
    }
}

impl<S: Scalar> Job<'_, S> {
    /// Evaluates the pairs of lists.
    pub(super) fn listed(&self, listing: &Listing, out: &mut Columns<u64>) {
        let lines = BLOCKS * self.nothing.len().max(1);
        parallel::each_chunk(out.lines_mut(), GROUPS * lines, &|first, out| {
            let mut bag = Bag::new::<S>(listing);
            for (k, out) in out.chunks_mut(lines).enumerate() {
                self.group(listing, first / lines + k, &mut bag, out);
            }
        });
    }

    /// Evaluates the list of a group.
    fn group(
        &self,
        listing: &Listing,
        group: usize,
        bag: &mut Bag<S::Word>,
        out: &mut [Line<u64>],
    ) {
        let (width, words) = (self.loops.width, self.nothing.len());
        self.setting.folding.begin(out);
        let particles = group * GROUP..self.i.len().min((group + 1) * GROUP);
        let vectors = particles.len().div_ceil(width);
        let i = self.relative(listing, group, particles, &bag.words[0]);
        let bits = bits::<S>();
        let compensated = self.accumulation == Accumulation::Compensated;
        let mut sums = self.nothing.repeat(vectors);
        let mut lost = sums.clone();
        let list = listing.lists.range(group);
        for first in list.clone().step_by(self.order.bag) {
            let part = first..list.end.min(first.saturating_add(self.order.bag));
            self.fill(listing, group, part.clone(), bag);
            let listed = Listed { indices: &bag.indices, acts_on: &bag.acts_on, bits: &bits };
            let j =
                View { lines: &bag.lines, first: 0, range: 0..part.len(), listed: Some(listed) };
            for vector in 0..vectors {
                let range = vector * width..(vector + 1) * width;
                let i = View { lines: &i, first: 0, range, listed: None };
                let of_vector = vector * words..(vector + 1) * words;
                let lost = compensated.then(|| &mut lost[of_vector.clone()]);
                (self.loops.one)(self.setting, &i, &j, &mut sums[of_vector], lost);
            }
            if self.accumulation.folds_each_bag() {
                self.fold(0, &mut sums, out);
            }
        }
        if !self.accumulation.folds_each_bag() {
            self.fold(0, &mut sums, out);
        }
        if compensated {
            self.setting.folding.only_numbers::<S>(&mut lost);
            self.fold(0, &mut lost, out);
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

    /// Fills a bag with the j-particles of some entries of a list.
    fn fill(&self, listing: &Listing, group: usize, part: Range<usize>, bag: &mut Bag<S::Word>) {
        let (words, centre) = (self.j.words(), &listing.centres[group]);
        let first = group * GROUP;
        bag.lines.resize(part.len().div_ceil(LINE) * words, Line([S::Word::default(); LINE]));
        bag.indices.clear();
        bag.acts_on.clear();
        for (k, at_entry) in part.enumerate() {
            let entry = listing.lists.entries[at_entry];
            let (at, its_image) = (place(entry), image(entry));
            let to = &mut bag.lines[k / LINE * words..][..words];
            let from = &self.j.lines()[at / LINE * words..][..words];
            for (to, from) in to.iter_mut().zip(from) {
                to.0[k % LINE] = from.0[at % LINE];
            }
            let displacement = image::displacement(its_image, &listing.lengths);
            let position = &listing.j.positions[at];
            let position = [0, 1, 2].map(|axis| position[axis] + displacement[axis]);
            put_position::<S>(&position, centre, &bag.words[1], k % LINE, to);
            let is_own = self.setting.skips_self
                && its_image == image::ITSELF
                && (first..first + GROUP).contains(&at);
            bag.indices.push(listing.j.indices[at]);
            let others = if is_own { !(1 << (at - first)) } else { u32::MAX };
            bag.acts_on.push(others & listing.lists.mask(at_entry));
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
        let mut lines = block[first..].iter_mut();
        S::coordinate_to_words(S::coordinate(position[axis] - centre[axis]), |word| {
            lines.next().expect("a line for each word of a coordinate").0[at] = word;
        });
    }
}

/// Returns a bit for each i-particle of a group.
fn bits<S: Scalar>() -> [Line<S::Word>; BLOCKS] {
    std::array::from_fn(|block| {
        Line(std::array::from_fn(|k| S::word_from_u32(1 << (block * LINE + k))))
    })
}
