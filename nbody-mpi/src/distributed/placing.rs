//! Finding places for particles: regions of space, the particles in them, and the boxes around them.

use std::sync::Arc;

use nbody_core::pack::Binding;
use nbody_core::untyped::{Bounds, Buffer, Points, Regions, Weighted};
use nbody_core::{Error, Interval};

use super::buffer::Distributed;
use super::placement::{Moves, Numbers, Placement, new_number};
use super::rows;
use crate::agreement::Operation;
use crate::shared::Job;

/// The most points that divide space, and the fewest and the most of each rank.
const SAMPLE: usize = 1 << 16;
const OF_RANK: [usize; 2] = [64, 4096];
/// The greatest number of particles of a rank for which regions stay, in terms of the mean, and
/// beyond it.
const IMBALANCE: f64 = 1.05;
const SMALL: f64 = 8.0;

/// The particles of one or two sets, and their positions in a space with these lengths.
#[derive(Clone, Copy)]
pub struct Located<'a> {
    /// The buffers; one set has one.
    pub buffers: [Option<&'a Distributed>; 2],
    pub positions: [&'a Binding; 2],
    pub lengths: [f64; 3],
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
        let mut places = known.map(|placement| placement.filter(|_| !moves_all));
        for (k, buffer) in self.buffers.into_iter().enumerate() {
            if let (Some(buffer), None) = (buffer, &places[k]) {
                let regions = match &mut regions {
                    Some(regions) => regions,
                    none => none.insert(Arc::new(self.divide(job, work)?)),
                };
                places[k] =
                    Some(distribute(job, buffer, regions, self.positions[k], self.lengths)?);
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
        let most = (SAMPLE / ranks).clamp(OF_RANK[0], OF_RANK[1]);
        let mut sample = Vec::new();
        for (buffer, position) in self.buffers.into_iter().zip(self.positions) {
            let Some(buffer) = buffer else { continue };
            let placement = buffer.placement();
            let (rows, n, most) = match &placement {
                Some(placement) => (buffer.own(placement)?, placement.own(), most),
                None => (buffer.all()?, buffer.len(), most * ranks),
            };
            let step = n.div_ceil(most).max(1);
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
        Ok(Regions::new(&mut points, ranks))
    }
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
    regions: &Arc<Regions>,
    position: &Binding,
    lengths: [f64; 3],
) -> Result<Arc<Placement>, Error> {
    let (rank, n) = (job.communicator.rank(), buffer.len());
    let name = || format!("distributing {n} particles");
    let operation = Operation { name: &name, values: &[] };
    let old = buffer.placement();
    let rows = match &old {
        Some(placement) => buffer.own(placement)?,
        None => buffer.all()?,
    };
    let points = points(&rows, rows.len(), position, lengths);
    let lists = job.agreement.on(&operation, job.parts().by_region(points, regions))?;
    drop(rows);
    let (numbers, before) = match &old {
        Some(old) => {
            let moves = Moves::new(job, lists)?;
            (moves.numbers(job, &old.numbers)?, Some((old.number, moves)))
        }
        // Every rank has listed the particles of all.
        None => (Numbers::listed(job, &*lists, rank)?, None),
    };
    let counts = rows::gather(&*job.communicator, &[numbers.on_device.len() as u64])?.concat();
    let (most, mean) = (counts.iter().max().copied().unwrap_or(0), n / counts.len());
    let is_balanced = most as f64 <= IMBALANCE * mean as f64 + SMALL;
    let (number, regions) = (new_number(), regions.clone());
    let placement = Arc::new(Placement { number, n, numbers, regions, is_balanced, before });
    buffer.own(&placement)?;
    Ok(placement)
}

/// Returns the boxes of all ranks, given the boxes of this one, the same number on each rank.
pub fn boxes(job: &Job, mine: &[Bounds]) -> Result<Vec<Vec<Bounds>>, Error> {
    let words = mine.iter().flat_map(|it| [it.lo, it.hi].concat()).map(f64::to_bits);
    let all = rows::gather(&*job.communicator, &words.collect::<Vec<_>>())?;
    let bounds = |words: &[u64; 6]| {
        let [a, b, c, d, e, f] = words.map(f64::from_bits);
        Bounds { lo: [a, b, c], hi: [d, e, f] }
    };
    Ok(all.iter().map(|words| words.as_chunks().0.iter().map(bounds).collect()).collect())
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
