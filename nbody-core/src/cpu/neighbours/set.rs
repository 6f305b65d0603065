//! The particles of one set of neighbour lists, on the CPU.

use crate::cpu::engine::Particles;
use crate::law::binding::{Binding, Place};
use crate::near::cutoff::{Levels, Watched};
use crate::near::frame::Frame;
use crate::near::image::LIMIT;
use crate::near::order::{Ordered, wrapped};
use crate::numeric::simd::{LINE, Line};
use crate::{Domain, Error, parallel};

/// Blocks of particles that a thread reads at a time.
const BLOCKS: usize = 64;

/// Particles in the order of their lists, as they were when these were built.
#[derive(Clone, Debug)]
pub struct Set {
    pub ordered: Ordered,
    pub watched: Watched,
    /// The bounds of the watched numbers.
    pub levels: Levels,
    /// These numbers, a slice for each, in order.
    pub values: Vec<Vec<f64>>,
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
        let ordered = Ordered::of(positions, domain, frame);
        let values = values(particles, &watched.places, &ordered.indices);
        let levels = Levels::of(&values);
        Self { ordered, watched, levels, values }
    }

    /// Keeps particles at these positions in the order of the caller.
    pub fn keep(positions: &[[f64; 3]], watched: Watched, domain: &Domain) -> Self {
        let indices = (0..positions.len() as u32).collect();
        let ordered = Ordered::in_order(indices, &wrapped(positions, domain));
        Self { ordered, watched, levels: Levels::default(), values: Vec::new() }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let values: usize = self.values.iter().map(|values| size_of_val(&values[..])).sum();
        self.ordered.bytes() + self.levels.bytes() + values
    }

    /// Returns whether lists with this skin still have every pair, if particles have moved to these
    /// positions: none by more than half of the skin, and no watched number is beyond its bounds.
    pub fn is_good(
        &self,
        particles: &Particles,
        positions: &[[f64; 3]],
        lengths: &[f64; 3],
        skin: f64,
    ) -> bool {
        let limit = skin * 0.5 * (skin * 0.5);
        let moved = self.ordered.indices.iter().zip(&self.ordered.positions);
        let near = |(&index, before): (&u32, &[f64; 3])| {
            let [x, y, z] = moved_by(&positions[index as usize], before, lengths);
            x * x + y * y + z * z <= limit
        };
        if !moved.into_iter().all(near) {
            return false;
        }
        let values = values(particles, &self.watched.places, &self.ordered.indices);
        values.iter().enumerate().all(|(place, values)| {
            let groups = values.chunks(crate::near::GROUP).enumerate();
            groups.into_iter().all(|(group, values)| {
                let bounds = self.levels.node([0, group])[place];
                values.iter().all(|value| (bounds.lo..=bounds.hi).contains(value))
            })
        })
    }

    /// Returns the positions in order, which continue those of the lists: a particle that has left the
    /// periodic box is beyond it.
    pub fn follow(&self, positions: &[[f64; 3]], lengths: &[f64; 3]) -> Vec<[f64; 3]> {
        let both = self.ordered.indices.iter().zip(&self.ordered.positions);
        let follow = |(&index, before): (&u32, &[f64; 3])| {
            let moved = moved_by(&positions[index as usize], before, lengths);
            [0, 1, 2].map(|axis| before[axis] + moved[axis])
        };
        both.map(follow).collect()
    }
}

/// Returns the displacement of a particle from its position before, by the nearest image; 0 if it is no
/// more than the rounding of the position before, which was wrapped into the box.
fn moved_by(position: &[f64; 3], before: &[f64; 3], lengths: &[f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let (moved, length) = (position[axis] - before[axis], lengths[axis]);
        if length == 0.0 {
            return moved;
        }
        let moved = moved - length * (moved / length).round_ties_even();
        let rounding = 4.0 * f64::EPSILON * (position[axis].abs() + length);
        if moved.abs() <= rounding { 0.0 } else { moved }
    })
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
        let binding = Binding::of_place(place);
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

/// Returns the frame of particles at these positions.
pub fn frame(positions: &[[f64; 3]], domain: &Domain, dimensions: usize) -> Frame {
    let wrapped = wrapped(positions, domain);
    Frame::of(wrapped.len(), &|k| wrapped[k], domain, dimensions)
}
