//! Finding places for particles: regions of space, the particles in them, and the boxes around them.

use std::sync::{Arc, OnceLock};

use nbody_core::pack::Binding;
use nbody_core::untyped::{Across, Bounds, Buffer, Kept, Points, Regions, TargetBox, Weighted};
use nbody_core::{Error, Interval};

use super::buffer::Distributed;
use super::placement::{Numbers, Placement, moves, new_number};
use super::rows;
use crate::agreement::Operation;
use crate::shared::Job;

/// About the most points that divide space, about the fewest of each rank, and about the most where
/// regions of equal work are cut often.
const SAMPLE: usize = 1 << 16;
const OF_RANK: usize = 64;
const OF_WORK: usize = 4096;
/// The least distance of the particles of a sample that does not have all.
const LEAST_STRIDE: usize = 4;
/// The growth of the greatest number of particles of a rank up to which regions stay: a share of the
/// number, and multiples of its square root, by which it varies in a gas.
const IMBALANCE: f64 = 0.005;
const DEVIATIONS: f64 = 2.0;

/// The particles of one or two sets, and their positions in a space with these lengths.
#[derive(Clone, Copy)]
pub struct Located<'a> {
    /// The buffers; one set has one.
    pub buffers: [Option<&'a Distributed>; 2],
    pub positions: [&'a Binding; 2],
    pub lengths: [f64; 3],
    /// The axis that cuts are across.
    pub across: Across,
}

impl Located<'_> {
    /// Leaves each rank the particles in its region. Sets that are distributed stay as they are,
    /// unless all particles move; others follow another set, or get new regions. `work` is the work
    /// that this rank had with its particles, for regions of equal work.
    pub fn place(
        &self,
        job: &Arc<Job>,
        moves_all: bool,
        work: Option<f64>,
    ) -> Result<[Arc<Placement>; 2], Error> {
        let known = self.buffers.map(|it| it.and_then(Distributed::placement));
        let latest = known.iter().flatten().max_by_key(|placement| placement.number).cloned();
        let stays = work.is_none() && known.iter().flatten().all(|it| it.is_balanced);
        let mut regions = latest.filter(|_| stays).map(|placement| placement.regions.clone());
        let is_new = regions.is_none();
        let mut places = known.map(|placement| placement.filter(|_| !moves_all));
        for (k, buffer) in self.buffers.into_iter().enumerate() {
            if let (Some(buffer), None) = (buffer, &places[k]) {
                let regions = match &mut regions {
                    Some(regions) => regions,
                    none => none.insert(Arc::new(self.divide(job, work)?)),
                };
                let position = self.positions[k];
                places[k] =
                    Some(distribute(job, buffer, (regions, is_new), position, self.lengths)?);
            }
        }
        let [i, j] = places;
        let i = i.expect("distributed above");
        let j = j.unwrap_or_else(|| i.clone());
        Ok([i, j])
    }

    /// Divides space by a sample of all particles.
    fn divide(&self, job: &Job, work: Option<f64>) -> Result<Regions, Error> {
        let (rank, ranks) = (job.communicator.rank(), job.communicator.size());
        let most = (SAMPLE / ranks).max(OF_RANK);
        let most = if work.is_some() { most.min(OF_WORK) } else { most };
        let mut sample = Vec::new();
        for (buffer, position) in self.buffers.into_iter().zip(self.positions) {
            let Some(buffer) = buffer else { continue };
            let placement = buffer.placement();
            let (rows, n, most) = match &placement {
                Some(placement) => (buffer.own(placement)?, placement.own(), most),
                None => (buffer.all()?, buffer.len(), most * ranks),
            };
            let step = stride(n, most);
            let weight = step as f64 * work.map_or(1.0, |work| work / n.max(1) as f64);
            let found = job.parts().sample(points(&rows, n, position, self.lengths), step);
            let name = || "regions of ranks".to_owned();
            let found = job.agreement.on(&Operation { name: &name, values: &[] }, found)?;
            // Where every rank has all particles, it gives its part of them.
            let is_mine = |k: &usize| placement.is_some() || k % ranks == rank;
            let mine = found.iter().enumerate().filter(|(k, _)| is_mine(k));
            sample.extend(mine.flat_map(|(_, [x, y, z])| [*x, *y, *z, weight]));
        }
        let words: Vec<_> = sample.into_iter().map(f64::to_bits).collect();
        let words = rows::gather(&*job.communicator, &words)?.concat();
        let numbers = words.as_chunks().0.iter().map(|words| words.map(f64::from_bits));
        let mut points: Vec<_> =
            numbers.map(|[x, y, z, weight]| Weighted { at: [x, y, z], weight }).collect();
        Ok(Regions::new(&mut points, ranks, self.across))
    }
}

/// Returns the distance of the particles of a sample: 1, or a prime number, which takes particles of
/// all planes of a lattice.
fn stride(n: usize, most: usize) -> usize {
    let least = n.div_ceil(most);
    if least < LEAST_STRIDE {
        return 1;
    }
    let is_prime = |number: &usize| {
        let mut factors = (2..*number).take_while(|factor| factor * factor <= *number);
        !factors.any(|factor| number.is_multiple_of(factor))
    };
    (least..2 * least).find(is_prime).unwrap_or(least)
}

/// Returns the points of the first `n` rows.
pub fn points<'a>(
    rows: &'a Arc<Box<dyn Buffer>>,
    n: usize,
    position: &'a Binding,
    lengths: [f64; 3],
) -> Points<'a> {
    Points { particles: &***rows, n, position, lengths }
}

/// Leaves each rank the particles in its region.
fn distribute(
    job: &Arc<Job>,
    buffer: &Distributed,
    (regions, is_new): (&Arc<Regions>, bool),
    position: &Binding,
    lengths: [f64; 3],
) -> Result<Arc<Placement>, Error> {
    let n = buffer.len();
    let name = || format!("distributing {n} particles");
    let operation = Operation { name: &name, values: &[] };
    let mean = n / job.communicator.size();
    let (numbers, before, usual) = if let Some(old) = buffer.placement() {
        let rows = buffer.own(&old)?;
        let points = points(&rows, old.own(), position, lengths);
        let leaving = job.agreement.on(&operation, job.parts().leaving(points, regions))?;
        let moves = moves(job, leaving)?;
        let numbers = old.numbers.moved(job, (&moves, Kept::Staying), &operation)?;
        (numbers, Some((old.number, moves)), old.most)
    } else {
        let rows = buffer.all()?;
        let points = points(&rows, n, position, lengths);
        let mine = job.agreement.on(&operation, job.parts().in_region(points, regions))?;
        (job.agreement.on(&operation, Numbers::listed(job, &*mine))?, None, mean)
    };
    let counts =
        rows::gather_equal(&*job.communicator, &[numbers.on_device.len() as u64])?.concat();
    let now = counts.iter().max().copied().unwrap_or(0) as usize;
    let most = if is_new { now } else { usual };
    let is_balanced = is_balanced(now, most);
    let (number, regions) = (new_number(), regions.clone());
    let rows = OnceLock::new();
    let placement = Placement { number, n, numbers, regions, most, is_balanced, before, rows };
    let placement = Arc::new(placement);
    buffer.own(&placement)?;
    Ok(placement)
}

/// Returns whether regions stay in which the fullest rank has `now` particles, and had `most` when they
/// were cut.
fn is_balanced(now: usize, most: usize) -> bool {
    let [now, most] = [now, most].map(|n| n as f64);
    now - most <= IMBALANCE * most + DEVIATIONS * most.sqrt()
}

/// Returns a box around the particles of this rank. In a periodic space, that is the region that they
/// have moved to, so that nothing waits for the device.
pub fn box_around(
    job: &Job,
    points: Points<'_>,
    placement: &Placement,
    is_moved: bool,
) -> Result<Bounds, Error> {
    let (lengths, dimensions) = (points.lengths, points.position.places().len());
    if !is_moved || lengths[..dimensions].contains(&0.0) {
        return Ok(job.parts().boxes(points, &Regions::WHOLE, None)?[0].bounds);
    }
    if points.n == 0 {
        return Ok(Bounds::NOTHING);
    }
    // Positions are in the box of the space; axes that they lack have no length.
    let mut bounds = placement.regions.bounds(job.communicator.rank());
    for (axis, length) in lengths.into_iter().enumerate() {
        bounds.lo[axis] = bounds.lo[axis].max(0.0);
        bounds.hi[axis] = bounds.hi[axis].min(if axis < dimensions { length } else { 0.0 });
    }
    Ok(bounds)
}

/// Returns the boxes of all ranks, given the boxes of this one, the same number on each rank.
pub fn boxes(job: &Job, mine: &[TargetBox]) -> Result<Vec<Vec<TargetBox>>, Error> {
    let numbers = |it: &TargetBox| [&it.bounds.lo[..], &it.bounds.hi, &[it.least]].concat();
    let words: Vec<_> = mine.iter().flat_map(numbers).map(f64::to_bits).collect();
    let all = rows::gather_equal(&*job.communicator, &words)?;
    let found = |words: &[u64; 7]| {
        let [a, b, c, d, e, f, least] = words.map(f64::from_bits);
        TargetBox { bounds: Bounds { lo: [a, b, c], hi: [d, e, f] }, least }
    };
    Ok(all.iter().map(|words| words.as_chunks().0.iter().map(found).collect()).collect())
}

/// Returns the bounds of components over all ranks; none if no rank has particles.
pub fn hull(job: &Job, bounds: &[Interval]) -> Result<Vec<Interval>, Error> {
    let words: Vec<_> = bounds.iter().flat_map(|it| [it.lo, it.hi]).map(f64::to_bits).collect();
    let all = rows::gather(&*job.communicator, &words)?;
    let of_rank = |words: &Vec<u64>| -> Vec<_> {
        let pairs = words.as_chunks::<2>().0.iter();
        pairs.map(|pair| Interval::new(f64::from_bits(pair[0]), f64::from_bits(pair[1]))).collect()
    };
    let bounds = all.iter().filter(|words| !words.is_empty()).map(of_rank);
    let join = |a: Vec<Interval>, b: Vec<Interval>| {
        a.into_iter().zip(b).map(|(a, b)| a.hull(b)).collect::<Vec<_>>()
    };
    Ok(bounds.reduce(join).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{is_balanced, stride};

    #[test]
    fn samples_take_every_particle_or_have_prime_distances() {
        let strides = [(0, 100), (1, 100), (300, 100), (301, 100), (1000, 100), (1701, 100)];
        assert_eq!(strides.map(|(n, most)| stride(n, most)), [1, 1, 1, 5, 11, 19]);
    }

    #[test]
    fn regions_stay_while_numbers_vary_as_in_a_gas() {
        let stay = [(90, 100), (120, 100), (1_007_000, 1_000_000), (0, 0)];
        assert!(stay.iter().all(|&(now, most)| is_balanced(now, most)));
        let are_cut = [(121, 100), (1_007_001, 1_000_000), (1, 0)];
        assert!(!are_cut.iter().any(|&(now, most)| is_balanced(now, most)));
    }
}
