//! Parts of particles by way of the host, for any device.

use std::sync::Arc;

use nbody_core::Error;
use nbody_core::order::ordered::wrap_in;
use nbody_core::pack::dim;
use nbody_core::untyped::{
    Bounds, Buffer, Communicator, HostLists, Parts, Points, Regions, RowLists,
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
    fn by_region(
        &mut self,
        points: Points<'_>,
        regions: &Regions,
    ) -> Result<Box<dyn RowLists>, Error> {
        let mut lists = vec![Vec::new(); regions.ranks()];
        for (row, point) in (0..).zip(positions(points)?) {
            lists[regions.rank(&point)].push(row);
        }
        Ok(HostLists::boxed(lists))
    }

    fn near(
        &mut self,
        points: Points<'_>,
        boxes: &[Bounds],
        distance: f64,
    ) -> Result<Box<dyn RowLists>, Error> {
        let (lengths, positions) = (points.lengths, positions(points)?);
        let near = |bounds: &Bounds| {
            let rows = positions.iter().zip(0..);
            let near = rows.filter(|(point, _)| bounds.is_near(point, distance, &lengths));
            near.map(|(_, row)| row).collect()
        };
        Ok(HostLists::boxed(boxes.iter().map(near).collect()))
    }

    fn numbered(&mut self, indices: &dyn Buffer) -> Result<Box<dyn RowLists>, Error> {
        let mut lists = vec![Vec::new(); self.communicator.size()];
        let words = rows::first(indices, indices.len())?;
        lists[self.communicator.rank()] = words.into_iter().map(|word| word as u32).collect();
        Ok(HostLists::boxed(lists))
    }

    fn boxes(&mut self, points: Points<'_>, regions: &Regions) -> Result<Vec<Bounds>, Error> {
        let mut boxes = vec![Bounds::NOTHING; regions.ranks()];
        for point in positions(points)? {
            boxes[regions.rank(&point)].add(&point);
        }
        Ok(boxes)
    }

    fn sample(&mut self, points: Points<'_>, step: usize) -> Result<Vec<[f64; 3]>, Error> {
        Ok(positions(points)?.into_iter().step_by(step.max(1)).collect())
    }

    fn exchange(
        &mut self,
        from: Option<&dyn Buffer>,
        to: &mut dyn Buffer,
        keep: usize,
        lists: &dyn RowLists,
        received: &[usize],
    ) -> Result<(), Error> {
        let lists = lists.rows()?;
        let width = dim(to.fields());
        let mine = rows::picked(from.unwrap_or(&*to), &lists.concat())?;
        let mut rest = &mine[..];
        let mut next = |rows: &Vec<u32>| {
            let (mine, others) = rest.split_at(rows.len() * width);
            rest = others;
            mine
        };
        let sent: Vec<_> = lists.iter().map(&mut next).collect();
        let words = rows::exchange(&*self.communicator, &sent, received, width)?;
        match keep {
            0 => rows::replace(to, self.kind, words),
            _ => rows::replace_after(to, keep, words),
        }
    }
}
