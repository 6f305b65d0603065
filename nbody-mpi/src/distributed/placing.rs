//! Finding places for particles: regions of space, the particles in them, and the boxes around them.

use std::sync::Arc;

use nbody_core::lists::cutoff::Watched;
use nbody_core::untyped::{Bounds, Buffer, Points, Regions};
use nbody_core::{Error, Interval};

use super::buffer::Distributed;
use super::host::positions;
use super::placement::{Moves, Numbers, Placement, new_number};
use super::rows;
use crate::agreement::Operation;
use crate::shared::Job;

/// Points of each rank that regions are divided by.
const SAMPLES: usize = 4096;
/// The greatest number of particles of a rank for which regions stay, in terms of the mean, and
/// beyond it.
const IMBALANCE: f64 = 1.05;
const SMALL: f64 = 8.0;

/// Divides space by samples of all particles.
pub fn divide(
    job: &Job,
    buffers: [Option<&Distributed>; 2],
    watched: &[Watched; 2],
    box_lengths: &[f64; 3],
) -> Result<Regions, Error> {
    let (rank, ranks) = (job.communicator.rank(), job.communicator.size());
    let n: usize = buffers.iter().flatten().map(|buffer| buffer.len()).sum();
    let every = n.div_ceil(SAMPLES * ranks).max(1);
    let mut sample: Vec<[f64; 3]> = Vec::new();
    for (buffer, watched) in buffers.into_iter().zip(watched) {
        let Some(buffer) = buffer else { continue };
        // Where every rank has all particles, it gives its part of them.
        let (rows, part) = if let Some(placement) = buffer.placement() {
            (buffer.own(&placement)?, 0..placement.own())
        } else {
            let part = |rank: usize| buffer.len() * rank / ranks;
            (buffer.all()?, part(rank)..part(rank + 1))
        };
        let positions = positions(points(&rows, part.end, watched, *box_lengths));
        let name = || "regions of ranks".to_owned();
        let operation = Operation { name: &name, values: &[] };
        let positions = job.agreement.on(&operation, positions)?;
        sample.extend(positions[part].iter().step_by(every));
    }
    let words: Vec<_> = sample.iter().flatten().map(|x| x.to_bits()).collect();
    let words = rows::gather(&*job.communicator, &words)?.concat();
    let point = |row: &[u64; 3]| row.map(f64::from_bits);
    let mut points: Vec<_> = words.as_chunks().0.iter().map(point).collect();
    Ok(Regions::new(&mut points, ranks))
}

/// Returns the points of the first `n` rows.
pub fn points<'a>(
    rows: &'a Arc<Box<dyn Buffer>>,
    n: usize,
    watched: &'a Watched,
    lengths: [f64; 3],
) -> Points<'a> {
    Points { particles: &***rows, n, position: &watched.position, lengths }
}

/// Leaves each rank the particles in its region.
pub fn distribute(
    job: &Arc<Job>,
    buffer: &Distributed,
    regions: &Arc<Regions>,
    (watched, box_lengths): (&Watched, [f64; 3]),
) -> Result<Arc<Placement>, Error> {
    let (rank, n) = (job.communicator.rank(), buffer.len());
    let name = || format!("distributing {n} particles");
    let operation = Operation { name: &name, values: &[] };
    let old = buffer.placement();
    let rows = match &old {
        Some(placement) => buffer.own(placement)?,
        None => buffer.all()?,
    };
    let points = points(&rows, rows.len(), watched, box_lengths);
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

/// Returns the boxes around the points of each rank.
pub fn boxes(job: &Job, Bounds { lo, hi }: Bounds) -> Result<Vec<Bounds>, Error> {
    let words = [lo, hi].concat().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let all = rows::gather(&*job.communicator, &words)?.concat();
    let numbers = all.as_chunks::<6>().0.iter().map(|words| words.map(f64::from_bits));
    Ok(numbers.map(|[a, b, c, d, e, f]| Bounds { lo: [a, b, c], hi: [d, e, f] }).collect())
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
