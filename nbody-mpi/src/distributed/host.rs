//! Parts of particles by way of the host, for any device.

use std::sync::Arc;

use nbody_core::Error;
use nbody_core::order::ordered::wrap_in;
use nbody_core::pack::dim;
use nbody_core::untyped::{
    Bounds, Buffer, Communicator, HostLists, Kept, Moves, Parts, Points, Regions, RowLists,
    TargetBox, replaced,
};

use super::rows::{self, Kind};

/// Finds and moves parts of particles by way of the host.
#[derive(Debug)]
pub(crate) struct HostParts {
    communicator: Arc<dyn Communicator>,
    kind: Kind,
}

impl HostParts {
    pub fn new(communicator: &Arc<dyn Communicator>, kind: Kind) -> Self {
        Self { communicator: communicator.clone(), kind }
    }
}

/// Returns the positions of particles, in the box of a periodic space.
fn positions(points: Points<'_>) -> Result<Vec<[f64; 3]>, Error> {
    let Points { particles, n, position, lengths } = points;
    let (words, width) = (rows::first(particles, n)?, dim(particles.fields()).max(1));
    let of_row = |row: &[u64]| {
        let mut point = [0.0; 3];
        for (x, place) in point.iter_mut().zip(position.places()) {
            *x = place.value(row[place.component()]);
        }
        wrap_in(point, &lengths)
    };
    Ok(words.chunks_exact(width).map(of_row).collect())
}

impl Parts for HostParts {
    fn in_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error> {
        let (mut lists, own) = (vec![Vec::new(); regions.ranks()], self.communicator.rank());
        let rows = (0..).zip(positions(points)?);
        let mine = rows.filter(|(_, point)| regions.rank(point) == own);
        lists[own] = mine.map(|(row, _)| row).collect();
        Ok(HostLists::boxed(lists))
    }

    fn leaving(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error> {
        let (mut lists, own) = (vec![Vec::new(); regions.ranks()], self.communicator.rank());
        for (row, point) in (0..).zip(positions(points)?) {
            let rank = regions.rank(&point);
            if rank != own {
                lists[rank].push(row);
                lists[own].push(row);
            }
        }
        Ok(HostLists::boxed(lists))
    }

    fn near(
        &mut self,
        points: Points<'_>,
        around: &Bounds,
        boxes: &[Bounds],
        distance: f64,
    ) -> Result<Box<dyn RowLists>, Error> {
        let (lengths, positions) = (points.lengths, positions(points)?);
        let near = |(rank, bounds): (usize, &Bounds)| {
            if rank == self.communicator.rank() || !bounds.is_near_box(around, distance, &lengths) {
                return Vec::new();
            }
            let rows = positions.iter().zip(0..);
            let near = rows.filter(|(point, _)| bounds.is_near(point, distance, &lengths));
            near.map(|(_, row)| row).collect()
        };
        Ok(HostLists::boxed(boxes.iter().enumerate().map(near).collect()))
    }

    fn listed(&mut self, rows: Vec<Vec<u32>>) -> Result<Box<dyn RowLists>, Error> {
        Ok(HostLists::boxed(rows))
    }

    fn numbered(&mut self, indices: &dyn Buffer) -> Result<Box<dyn RowLists>, Error> {
        let mut lists = vec![Vec::new(); self.communicator.size()];
        let words = rows::first(indices, indices.len())?;
        lists[self.communicator.rank()] = words.into_iter().map(|word| word as u32).collect();
        Ok(HostLists::boxed(lists))
    }

    fn boxes(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
        lengths: Option<&dyn Buffer>,
    ) -> Result<Vec<TargetBox>, Error> {
        let lengths = lengths.map(|it| rows::first(it, points.n)).transpose()?;
        let nothing = TargetBox { bounds: Bounds::NOTHING, least: f64::INFINITY };
        let mut boxes = vec![nothing; regions.ranks()];
        for (k, point) in positions(points)?.into_iter().enumerate() {
            let found = &mut boxes[regions.rank(&point)];
            found.bounds.add(&point);
            let length = lengths.as_ref().map_or(f64::INFINITY, |words| f64::from_bits(words[k]));
            found.least = found.least.min(if length.is_nan() { 0.0 } else { length });
        }
        Ok(boxes)
    }

    fn sample(&mut self, points: Points<'_>, step: usize) -> Result<Vec<[f64; 3]>, Error> {
        Ok(positions(points)?.into_iter().step_by(step.max(1)).collect())
    }

    /// Memory of the host is not reserved.
    fn reserve(
        &mut self,
        _: Option<&dyn Buffer>,
        _: &dyn Buffer,
        _: Kept,
        _: &Moves,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn exchange(
        &mut self,
        from: Option<&dyn Buffer>,
        to: &mut dyn Buffer,
        kept: Kept,
        Moves { lists, received }: &Moves,
    ) -> Result<(), Error> {
        let (mut lists, width) = (lists.rows()?, dim(to.fields()));
        let from = from.unwrap_or(&*to);
        let (before, places, mine) = match kept {
            Kept::First(_) => (Vec::new(), Vec::new(), rows::picked(from, &lists.concat())?),
            Kept::Staying => {
                let places = std::mem::take(&mut lists[self.communicator.rank()]);
                let before = rows::first(from, from.len())?;
                let of_row = |row: &u32| &before[*row as usize * width..][..width];
                let mine = lists.iter().flatten().flat_map(of_row).copied().collect();
                (before, places, mine)
            }
        };
        let mut rest = &mine[..];
        let mut next = |rows: &Vec<u32>| {
            let (mine, others) = rest.split_at(rows.len() * width);
            rest = others;
            mine
        };
        let sent: Vec<_> = lists.iter().map(&mut next).collect();
        let words = rows::exchange(&*self.communicator, &sent, received, width)?;
        match kept {
            Kept::First(0) => rows::replace(to, self.kind, words),
            Kept::First(keep) => rows::replace_after(to, keep, words),
            Kept::Staying if width == 0 => Ok(()),
            Kept::Staying => {
                let mut rows: Vec<&[u64]> = before.chunks_exact(width).collect();
                let arrived: Vec<&[u64]> = words.chunks_exact(width).collect();
                replaced(&mut rows, &places, &arrived);
                rows::replace(to, self.kind, rows.concat())
            }
        }
    }
}
