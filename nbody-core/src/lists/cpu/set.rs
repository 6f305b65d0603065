//! The particles of one set of neighbour lists, on the CPU.
// The compiler turns loops over indices into vector code.
#![allow(clippy::needless_range_loop)]

use std::sync::atomic::{AtomicBool, Ordering};

use crate::domain::Domain;
use crate::error::Error;
use crate::lists::cutoff::{Levels, Watched};
use crate::lists::margin::{Margin, OUTSIDE, WRAPPED};
use crate::memory::buffers::Particles;
use crate::memory::kept::Kept;
use crate::numeric::interval::Interval;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::numeric::simd::level::Best;
use crate::numeric::space::wrap;
use crate::order::GROUP;
use crate::order::boxes::bits;
use crate::order::frame::Frame;
use crate::order::image::LIMIT;
use crate::order::ordered::{Ordered, wrapped};
use crate::parallel;
use crate::records::binding::{Binding, Place};
use crate::triclinic::Cell;

/// Blocks of particles that a thread reads at a time.
const BLOCKS: usize = 64;

/// The positions of a block of particles, an array for each axis.
pub type Block = [[f64; LINE]; 3];

/// Particles in the order of their lists, as they were when the lists were built.
#[derive(Clone, Debug)]
pub struct Set {
    pub ordered: Ordered,
    /// The place of each particle in the order.
    pub places: Vec<u32>,
    /// The positions, wrapped into a periodic box, in the order of the caller.
    before: Vec<Block>,
    pub watched: Watched,
    /// The growth of cutoffs with each of the watched numbers, and whether this assumes that the
    /// numbers stay non-negative.
    pub growth: (Vec<[f64; 2]>, bool),
    /// The bounds of the watched numbers.
    pub levels: Levels,
    /// The watched numbers, a slice for each, in order.
    pub values: Vec<Vec<f64>>,
    /// The positions that were followed last.
    pub followed: Kept<Vec<Block>>,
}

impl Set {
    /// Orders particles at these positions. The numbers that cutoffs depend on are read from the
    /// particles unless they are given.
    pub fn build(
        particles: &Particles,
        positions: &[[f64; 3]],
        (watched, numbers): (Watched, Option<&[Vec<f64>]>),
        domain: &Domain,
        frame: &Frame,
    ) -> Self {
        let wrapped = wrapped(positions, domain);
        let ordered = Ordered::of_wrapped(&wrapped, frame);
        let values = match numbers {
            Some(numbers) => numbers.iter().map(|of| ordered.take(of)).collect(),
            None => values(particles, &watched.places, &ordered.indices),
        };
        let (levels, places) = (Levels::of(&values), ordered.places());
        Self {
            ordered,
            places,
            before: blocks(&wrapped),
            watched,
            growth: Default::default(),
            levels,
            values,
            followed: Kept::default(),
        }
    }

    /// Keeps particles at these positions in the order of the caller.
    pub fn keep(positions: &[[f64; 3]], watched: Watched, domain: &Domain) -> Self {
        let places: Vec<_> = (0..positions.len() as u32).collect();
        let wrapped = wrapped(positions, domain);
        let ordered = Ordered::in_order(places.clone(), &wrapped);
        let (levels, values) = Default::default();
        Self {
            ordered,
            places,
            before: blocks(&wrapped),
            watched,
            growth: Default::default(),
            levels,
            values,
            followed: Kept::default(),
        }
    }

    /// Returns the watched numbers in the order of the caller, a slice for each.
    pub fn numbers(&self) -> Vec<Vec<f64>> {
        self.values.iter().map(|values| self.ordered.give(values)).collect()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let values: usize = self.values.iter().map(|values| size_of_val(&values[..])).sum();
        let followed = self.followed.with(|blocks| size_of_val(&blocks[..])).unwrap_or_default();
        let kept = size_of_val(&self.places[..]) + size_of_val(&self.before[..]) + followed;
        self.ordered.bytes() + self.levels.bytes() + kept + values
    }

    /// Returns whether lists with this margin still have every pair in this box:
    /// every position is finite, and no particle has moved beyond the margin, which the growth of
    /// its pairs' cutoffs by these watched numbers reduces.
    pub fn is_good(
        &self,
        particles: &Particles,
        (position, numbers): (&Binding, &[(usize, Place)]),
        cell: &Cell,
        margin: &Margin,
    ) -> bool {
        let (growths, best) = (self.growths(particles, numbers), Best::new());
        let (dimensions, is_far) = (position.places().len(), AtomicBool::new(false));
        let is_scaled = margin.scale.iter().any(|scale| scale.to_bits() != 1.0_f64.to_bits());
        parallel::each(self.before.len().div_ceil(BLOCKS), &|chunk| {
            let blocks = chunk * BLOCKS..self.before.len().min((chunk + 1) * BLOCKS);
            let mut lines = Vec::new();
            particles.widen(position, blocks.clone(), &mut lines);
            let each = lines.chunks(dimensions.max(1)).zip(&self.before[blocks.clone()]);
            for (block, (now, before)) in blocks.zip(each) {
                let limits = limits(margin, growths.chunks(LINE).nth(block));
                let of_box;
                let before = if is_scaled {
                    of_box = scaled(before, &margin.scale);
                    &of_box
                } else {
                    before
                };
                let far = best.run(
                    #[inline(always)]
                    || far(now, before, &limits),
                );
                for k in bits(far) {
                    let axes = |of: &dyn Fn(usize) -> f64| {
                        [0, 1, 2].map(|axis| if axis < dimensions { of(axis) } else { 0.0 })
                    };
                    let x = axes(&|axis| f64::from_bits(now[axis].0[k]));
                    let moved = moved_by(x, axes(&|axis| before[axis][k]), cell);
                    let moved2: f64 = moved.iter().map(|moved| moved.powi(2)).sum();
                    // NaN is not near.
                    let is_near = moved2 <= limits[k];
                    if !is_near {
                        is_far.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        !is_far.into_inner()
    }

    /// Returns for each particle, in the order of the caller, the possible growth of the cutoffs
    /// of its pairs, since some of these watched numbers are beyond the bounds of their groups;
    /// empty if none are. A number is given by its index and its place in the records.
    fn growths(&self, particles: &Particles, numbers: &[(usize, Place)]) -> Vec<f64> {
        let mut growths = Vec::new();
        let places: Vec<_> = numbers.iter().map(|&(_, place)| place).collect();
        let values = values(particles, &places, &self.ordered.indices);
        let (slopes, is_nonnegative) = &self.growth;
        for (&(number, _), values) in numbers.iter().zip(&values) {
            for (group, values) in values.chunks(GROUP).enumerate() {
                let bounds = self.levels.node([0, group])[number];
                if values.iter().all(|value| (bounds.lo..=bounds.hi).contains(value)) {
                    continue;
                }
                growths.resize(self.ordered.len(), 0.0);
                for (&index, &value) in self.ordered.indices[group * GROUP..].iter().zip(values) {
                    let bounds = (bounds, *is_nonnegative);
                    growths[index as usize] += growth(value, bounds, slopes[number]);
                }
            }
        }
        growths
    }

    /// Returns the positions in order, continuous with the positions of the lists: a particle that
    /// has left the periodic box stays outside. `None` if the lists are not valid as in
    /// [`is_good`](Self::is_good).
    pub fn follow(
        &self,
        particles: &Particles,
        (position, numbers): (&Binding, &[(usize, Place)]),
        cell: &Cell,
        margin: &Margin,
    ) -> Option<Vec<Block>> {
        let (best, is_far) = (Best::new(), AtomicBool::new(false));
        let growths = self.growths(particles, numbers);
        let n = self.ordered.len();
        let mut blocks = self.followed.take().unwrap_or_default();
        blocks.resize(n.div_ceil(LINE), [[0.0; LINE]; 3]);
        parallel::each_chunk(&mut blocks, BLOCKS, &|first, blocks| {
            let mut all_near = true;
            for (k, block) in (first..).zip(blocks) {
                *block = [[0.0; LINE]; 3];
                let places = k * LINE..n.min((k + 1) * LINE);
                let indices = &self.ordered.indices[places.clone()];
                particles.coordinates(position, indices, block);
                let before = &self.ordered.positions[places];
                let growths: Vec<_> = match &growths[..] {
                    [] => Vec::new(),
                    all => indices.iter().map(|&index| all[index as usize]).collect(),
                };
                let limits = limits(margin, Some(&growths));
                all_near &= best.run(
                    #[inline(always)]
                    || continues(block, before, (cell, &margin.scale), &limits),
                );
            }
            if !all_near {
                is_far.store(true, Ordering::Relaxed);
            }
        });
        let is_far = is_far.into_inner();
        (!is_far).then_some(blocks)
    }
}

/// Moves particles to the images that continue their earlier positions. Returns whether all
/// displacements are within their limits, the scaling of the box by these factors not counted.
#[inline(always)]
fn continues(
    block: &mut Block,
    before: &[[f64; 3]],
    (cell, scale): (&Cell, &[f64; 3]),
    limits: &[f64; LINE],
) -> bool {
    let mut moved2 = [0.0; LINE];
    if cell.is_tilted() {
        for (k, (before, moved2)) in before.iter().zip(&mut moved2).enumerate() {
            let moved = moved_by([0, 1, 2].map(|axis| block[axis][k]), *before, cell);
            *moved2 = moved.iter().map(|moved| moved * moved).sum();
            for axis in 0..3 {
                block[axis][k] = before[axis] + moved[axis];
            }
        }
        return moved2.iter().zip(limits).all(|(moved2, limit)| moved2 <= limit);
    }
    let lengths = &cell.lengths;
    for (axis, along) in block.iter_mut().enumerate() {
        // Missing particles of the last block are at 0 and stay there.
        let mut from = [0.0; LINE];
        for (from, before) in from.iter_mut().zip(before) {
            *from = before[axis];
        }
        if along.iter().any(|x| is_outside(*x, lengths[axis])) {
            *along = along.map(|x| wrap(x, lengths[axis]));
        }
        if scale[axis].to_bits() != 1.0_f64.to_bits() {
            for k in 0..LINE {
                let moved = moved_along(along[k], from[k] * scale[axis], lengths[axis]);
                moved2[k] += moved * moved;
                along[k] = from[k] + moved_along(along[k], from[k], lengths[axis]);
            }
            continue;
        }
        for k in 0..LINE {
            let moved = moved_along(along[k], from[k], lengths[axis]);
            moved2[k] += moved * moved;
            along[k] = from[k] + moved;
        }
    }
    moved2.iter().zip(limits).all(|(moved2, limit)| moved2 <= limit)
}

/// Returns the possible growth of cutoffs because of a number that had these bounds; infinite for
/// NaN, and for a negative number if there was none before.
fn growth(value: f64, (bounds, is_nonnegative): (Interval, bool), [up, down]: [f64; 2]) -> f64 {
    if (bounds.lo..=bounds.hi).contains(&value) {
        0.0
    } else if value > bounds.hi {
        product(up, value - bounds.hi)
    } else if value < bounds.lo && !(is_nonnegative && value < 0.0) {
        product(down, bounds.lo - value)
    } else {
        f64::INFINITY
    }
}

/// Returns a product; 0 for a slope of 0, even if the number changes infinitely.
fn product(slope: f64, by: f64) -> f64 {
    if slope == 0.0 { 0.0 } else { slope * by }
}

/// Returns the greatest squared motions of a block of particles whose cutoffs grow by this much.
fn limits(margin: &Margin, growths: Option<&[f64]>) -> [f64; LINE] {
    let mut limits = [margin.limit(0.0); LINE];
    for (limit, &growth) in limits.iter_mut().zip(growths.unwrap_or_default()) {
        *limit = margin.limit(growth);
    }
    limits
}

/// Returns positions in a box that has changed by these factors.
fn scaled(before: &Block, scale: &[f64; 3]) -> Block {
    let mut scaled = *before;
    for (along, scale) in scaled.iter_mut().zip(scale) {
        for x in along {
            *x *= scale;
        }
    }
    scaled
}

/// Returns a bit for each particle of a block whose displacement, without search for the nearest
/// image, is beyond its limit.
#[inline(always)]
fn far(now: &[Line<u64>], before: &Block, limits: &[f64; LINE]) -> u32 {
    let mut moved2 = [0.0; LINE];
    for (now, before) in now.iter().zip(before) {
        for k in 0..LINE {
            let moved = f64::from_bits(now.0[k]) - before[k];
            moved2[k] += moved * moved;
        }
    }
    let near = moved2.iter().zip(limits).enumerate();
    !near.fold(0, |near, (k, (moved2, limit))| near | u32::from(moved2 <= limit) << k)
        & (u32::MAX >> (u32::BITS as usize - LINE))
}

/// Returns whether a coordinate is so far outside a periodic box that its distance from a position
/// in the box would lose digits. It is then wrapped first, which is exact.
#[inline(always)]
fn is_outside(x: f64, length: f64) -> bool {
    length > 0.0 && x.abs() > OUTSIDE * length
}

/// Returns the displacement of a particle from its earlier position in the box.
fn moved_by(position: [f64; 3], before: [f64; 3], cell: &Cell) -> [f64; 3] {
    let is_far = |axis: usize| is_outside(position[axis], cell.lengths[axis]);
    if !cell.is_tilted() {
        return [0, 1, 2].map(|axis| {
            let (x, length) = (position[axis], cell.lengths[axis]);
            let x = if is_far(axis) { wrap(x, length) } else { x };
            moved_along(x, before[axis], length)
        });
    }
    let position = if (0..3).any(is_far) { cell.wrap(position) } else { position };
    let moved = cell.nearest([0, 1, 2].map(|axis| position[axis] - before[axis]));
    let extent = |axis: usize| position[axis].abs() + cell.lengths[axis];
    let rounding = WRAPPED * (extent(0) + extent(1) + extent(2));
    moved.map(|moved| if moved.abs() <= rounding { 0.0 } else { moved })
}

/// Returns the displacement of a particle along an axis from its earlier position, by the nearest
/// image; 0 if it is within the rounding error of the earlier position, which was wrapped into the
/// box.
#[inline(always)]
fn moved_along(position: f64, before: f64, length: f64) -> f64 {
    let to = position - before;
    if length == 0.0 {
        return to;
    }
    // Few particles have left the box.
    let is_inside = to.abs() <= length * 0.5;
    let to = if is_inside { to } else { to - length * (to / length).round_ties_even() };
    let rounding = WRAPPED * (position.abs() + length);
    if to.abs() <= rounding { 0.0 } else { to }
}

/// Returns positions in blocks, padded with 0.
fn blocks(positions: &[[f64; 3]]) -> Vec<Block> {
    let mut blocks = vec![[[0.0; LINE]; 3]; positions.len().div_ceil(LINE)];
    parallel::each_chunk(&mut blocks, BLOCKS, &|first, blocks| {
        for (block, positions) in blocks.iter_mut().zip(positions[first * LINE..].chunks(LINE)) {
            for (k, position) in positions.iter().enumerate() {
                for axis in 0..3 {
                    block[axis][k] = position[axis];
                }
            }
        }
    });
    blocks
}

/// Returns the positions of particles; an error if there are too many for lists, or one is not
/// finite.
pub fn positions(
    what: &'static str,
    particles: &Particles,
    position: &Binding,
) -> Result<Vec<[f64; 3]>, Error> {
    let found = particles.len();
    if found > LIMIT {
        return Err(Error::TooManyParticles { found, limit: LIMIT });
    }
    let mut positions = vec![[0.0; 3]; found];
    parallel::each_chunk(&mut positions, BLOCKS * LINE, &|first, positions| {
        let blocks = first / LINE..(first + positions.len()).div_ceil(LINE);
        let (mut lines, dimensions) = (Vec::new(), position.places().len());
        particles.widen(position, blocks, &mut lines);
        for (k, position) in positions.iter_mut().enumerate() {
            for (x, line) in position.iter_mut().zip(&lines[k / LINE * dimensions..][..dimensions])
            {
                *x = f64::from_bits(line.0[k % LINE]);
            }
        }
    });
    let is_finite = |position: &[f64; 3]| position.iter().all(|x| x.is_finite());
    match positions.iter().position(|position| !is_finite(position)) {
        Some(index) => Err(Error::NotFinite { what, index, found: Some(positions[index]) }),
        None => Ok(positions),
    }
}

/// Returns numbers of particles in an order, one slice for each place.
fn values(particles: &Particles, places: &[Place], order: &[u32]) -> Vec<Vec<f64>> {
    let of = |&place: &Place| {
        let binding = Binding::of_places(vec![place]);
        let mut lines: Vec<Line<u64>> = Vec::new();
        particles.widen(&binding, 0..particles.len().div_ceil(LINE), &mut lines);
        let value = |&index: &u32| {
            let word = lines[index as usize / LINE].0[index as usize % LINE];
            place.value(word)
        };
        order.iter().map(value).collect()
    };
    places.iter().map(of).collect()
}
