//! The particles of one set of neighbour lists, on the CPU.
// Loops over indices are those that compilers turn into vector code.
#![allow(clippy::needless_range_loop)]

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::engine::Particles;
use crate::cpu::kept::Kept;
use crate::law::binding::{Binding, Place};
use crate::law::space::wrap;
use crate::near::boxes::bits;
use crate::near::cutoff::{Levels, Watched};
use crate::near::frame::Frame;
use crate::near::image::LIMIT;
use crate::near::order::{Ordered, wrapped};
use crate::numeric::simd::{Best, LINE, Line};
use crate::{Domain, Error, parallel};

/// Blocks of particles that a thread reads at a time.
const BLOCKS: usize = 64;

/// The positions of a block of particles, an array for each axis.
pub type Block = [[f64; LINE]; 3];

/// Particles in the order of their lists, as they were when these were built.
#[derive(Clone, Debug)]
pub struct Set {
    pub ordered: Ordered,
    /// The place of each particle in the order.
    pub places: Vec<u32>,
    /// The positions, wrapped into a periodic box, in the order of the caller.
    before: Vec<Block>,
    pub watched: Watched,
    /// The bounds of the watched numbers.
    pub levels: Levels,
    /// These numbers, a slice for each, in order.
    pub values: Vec<Vec<f64>>,
    /// The positions that were followed last.
    pub followed: Kept<Vec<Block>>,
}

impl Set {
    /// Orders particles at these positions.
    pub fn build(
        particles: &Particles,
        positions: &[[f64; 3]],
        watched: Watched,
        domain: &Domain,
        frame: &Frame,
    ) -> Self {
        let wrapped = wrapped(positions, domain);
        let ordered = Ordered::of_wrapped(&wrapped, frame);
        let values = values(particles, &watched.places, &ordered.indices);
        let (levels, places) = (Levels::of(&values), ordered.places());
        Self {
            ordered,
            places,
            before: blocks(&wrapped),
            watched,
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
            levels,
            values,
            followed: Kept::default(),
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let values: usize = self.values.iter().map(|values| size_of_val(&values[..])).sum();
        let followed = self.followed.with(|blocks| size_of_val(&blocks[..])).unwrap_or_default();
        let kept = size_of_val(&self.places[..]) + size_of_val(&self.before[..]) + followed;
        self.ordered.bytes() + self.levels.bytes() + kept + values
    }

    /// Returns whether lists with this skin still have every pair: no particle has moved by more than half
    /// of the skin, its position is finite, and none of these watched numbers is beyond its bounds.
    pub fn is_good(
        &self,
        particles: &Particles,
        (position, numbers): (&Binding, &[(usize, Place)]),
        lengths: &[f64; 3],
        skin: f64,
    ) -> bool {
        let (limit, best) = (limit(skin), Best::new());
        let (dimensions, is_far) = (position.places().len(), AtomicBool::new(false));
        parallel::each(self.before.len().div_ceil(BLOCKS), &|chunk| {
            let blocks = chunk * BLOCKS..self.before.len().min((chunk + 1) * BLOCKS);
            let mut lines = Vec::new();
            particles.widen(position, blocks.clone(), &mut lines);
            for (now, before) in lines.chunks(dimensions.max(1)).zip(&self.before[blocks]) {
                let far = best.run(
                    #[inline(always)]
                    || far(now, before, limit),
                );
                for k in bits(far) {
                    let moved2: f64 = (0..dimensions)
                        .map(|axis| {
                            let (x, before) = (f64::from_bits(now[axis].0[k]), before[axis][k]);
                            let length = lengths[axis];
                            let x = if is_outside(x, length) { wrap(x, length) } else { x };
                            moved_along(x, before, length).powi(2)
                        })
                        .sum();
                    // NaN is not near.
                    let is_near = moved2 <= limit;
                    if !is_near {
                        is_far.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        !is_far.into_inner() && self.has_good_values(particles, numbers)
    }

    /// Returns whether none of these watched numbers is beyond its bounds: the index of each, and its place in
    /// the records of the particles.
    fn has_good_values(&self, particles: &Particles, numbers: &[(usize, Place)]) -> bool {
        let places: Vec<_> = numbers.iter().map(|&(_, place)| place).collect();
        let values = values(particles, &places, &self.ordered.indices);
        numbers.iter().zip(&values).all(|(&(number, _), values)| {
            let groups = values.chunks(crate::near::GROUP).enumerate();
            groups.into_iter().all(|(group, values)| {
                let bounds = self.levels.node([0, group])[number];
                values.iter().all(|value| (bounds.lo..=bounds.hi).contains(value))
            })
        })
    }

    /// Returns the positions in order, which continue those of the lists: a particle that has left the
    /// periodic box is beyond it. `None` if the lists are not good as in [`is_good`](Self::is_good).
    pub fn follow(
        &self,
        particles: &Particles,
        (position, numbers): (&Binding, &[(usize, Place)]),
        lengths: &[f64; 3],
        skin: f64,
    ) -> Option<Vec<Block>> {
        let (limit, best, is_far) = (limit(skin), Best::new(), AtomicBool::new(false));
        let n = self.ordered.len();
        let mut blocks = self.followed.take().unwrap_or_default();
        blocks.resize(n.div_ceil(LINE), [[0.0; LINE]; 3]);
        parallel::each_chunk(&mut blocks, BLOCKS, &|first, blocks| {
            let mut all_near = true;
            for (k, block) in (first..).zip(blocks) {
                *block = [[0.0; LINE]; 3];
                let places = k * LINE..n.min((k + 1) * LINE);
                particles.coordinates(position, &self.ordered.indices[places.clone()], block);
                let before = &self.ordered.positions[places];
                all_near &= best.run(
                    #[inline(always)]
                    || continues(block, before, lengths, limit),
                );
            }
            if !all_near {
                is_far.store(true, Ordering::Relaxed);
            }
        });
        (!is_far.into_inner() && self.has_good_values(particles, numbers)).then_some(blocks)
    }
}

/// Moves particles to the images of their positions that continue those before. Returns whether all of their
/// displacements are within a limit.
#[inline(always)]
fn continues(block: &mut Block, before: &[[f64; 3]], lengths: &[f64; 3], limit: f64) -> bool {
    let mut moved2 = [0.0; LINE];
    for (axis, along) in block.iter_mut().enumerate() {
        // Particles that are missing in the last block are at 0 and stay there.
        let mut from = [0.0; LINE];
        for (from, before) in from.iter_mut().zip(before) {
            *from = before[axis];
        }
        if along.iter().any(|x| is_outside(*x, lengths[axis])) {
            *along = along.map(|x| wrap(x, lengths[axis]));
        }
        for k in 0..LINE {
            let moved = moved_along(along[k], from[k], lengths[axis]);
            moved2[k] += moved * moved;
            along[k] = from[k] + moved;
        }
    }
    moved2.iter().all(|&moved2| moved2 <= limit)
}

/// Returns the greatest square of a displacement with which lists of this skin are good; that of an infinite
/// one is not.
fn limit(skin: f64) -> f64 {
    (skin * 0.5 * (skin * 0.5)).min(f64::MAX)
}

/// Returns a bit for each particle of a block whose displacement, not that to the nearest image, is beyond a
/// limit.
#[inline(always)]
fn far(now: &[Line<u64>], before: &Block, limit: f64) -> u32 {
    let mut moved2 = [0.0; LINE];
    for (now, before) in now.iter().zip(before) {
        for k in 0..LINE {
            let moved = f64::from_bits(now.0[k]) - before[k];
            moved2[k] += moved * moved;
        }
    }
    let near = moved2.iter().enumerate();
    !near.fold(0, |near, (k, &moved2)| near | u32::from(moved2 <= limit) << k)
        & (u32::MAX >> (u32::BITS as usize - LINE))
}

/// Returns whether a coordinate is so far outside a periodic box that its distance from a position in the box
/// would lose digits: it is wrapped first, which is exact.
#[inline(always)]
fn is_outside(x: f64, length: f64) -> bool {
    const LENGTHS: f64 = 1024.0;
    length > 0.0 && x.abs() > LENGTHS * length
}

/// Returns the displacement of a particle along an axis from its position before, by the nearest image; 0 if it
/// is no more than the rounding of the position before, which was wrapped into the box.
#[inline(always)]
fn moved_along(position: f64, before: f64, length: f64) -> f64 {
    let to = position - before;
    if length == 0.0 {
        return to;
    }
    // Few particles have left the box.
    let is_inside = to.abs() <= length * 0.5;
    let to = if is_inside { to } else { to - length * (to / length).round_ties_even() };
    let rounding = 4.0 * f64::EPSILON * (position.abs() + length);
    if to.abs() <= rounding { 0.0 } else { to }
}

/// Returns positions in blocks; those missing in the last one are 0.
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

/// Returns the positions of particles; an error if there are too many for lists, or one is not finite.
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
        Some(index) => Err(Error::NotFinite { what, index, found: positions[index] }),
        None => Ok(positions),
    }
}

/// Returns numbers of particles in an order, those of each place as one slice.
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
