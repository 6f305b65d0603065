//! Figures, pairs and state of the lists of all ranks.

use nbody_core::order::frame::Frame;
use nbody_core::{Csr, Error, ListState, NeighbourStats, Point};

use super::buffer::gathered;
use super::lists::Lists;
use super::placement::Placement;
use super::rows;
use super::sets::Placed;
use crate::agreement::Operation;

impl Lists {
    /// Returns figures of all ranks, and the times of this one. All ranks call this together.
    pub fn stats(&mut self) -> Result<NeighbourStats, Error> {
        self.settle(Ok(()), &[])?;
        let mut stats = self.of_rank.stats()?;
        let Some(built) = &self.built else { return Ok(stats) };
        if built.is_wanted {
            stats = NeighbourStats::default();
            stats.rebuilds = self.rebuilds;
            return Ok(stats);
        }
        let Placed { i, ghosts, .. } = &built.placed;
        let (n, own) = (i.n, i.own());
        let name = || "figures of lists".to_owned();
        let operation = Operation { name: &name, values: &[] };
        let rows = self.job.agreement.on(&operation, self.of_rank.to_csr())?.unwrap_or_default();
        let pairs = rows.offsets.get(own).map_or(0, |end| *end);
        let ghosts: usize = ghosts.moves.received.iter().sum();
        let sums = [stats.entries, stats.tested, stats.bytes].map(|it| it * own as f64);
        let sums = [&sums[..], &[pairs as f64, ghosts as f64]].concat();
        let words: Vec<_> = sums.into_iter().map(f64::to_bits).collect();
        let all = rows::gather(&*self.job.communicator, &words)?;
        let mean = |k: usize| {
            let terms = all.iter().map(|words| f64::from_bits(words[k]));
            if n == 0 { 0.0 } else { terms.sum::<f64>() / n as f64 }
        };
        (stats.rebuilds, stats.age, stats.particles) = (self.rebuilds, self.age, n);
        (stats.entries, stats.tested, stats.bytes) = (mean(0), mean(1), mean(2));
        (stats.neighbours, stats.ghosts) = (mean(3), mean(4));
        Ok(stats)
    }

    /// Returns the rows of all ranks, which call this together.
    pub fn csr(&mut self) -> Result<Option<Csr>, Error> {
        self.settle(Ok(()), &[])?;
        let placed = match &self.built {
            None => return self.of_rank.to_csr(),
            Some(built) if built.is_wanted => return Ok(None),
            Some(built) => &built.placed,
        };
        let name = || "rows of lists".to_owned();
        let operation = Operation { name: &name, values: &[] };
        placed.ghosts.numbers(&self.job)?;
        let mine = self.job.agreement.on(&operation, self.numbered_rows(placed))?;
        let mut all = vec![Vec::new(); placed.i.n];
        for words in rows::gather(&*self.job.communicator, &mine)? {
            let mut rest = &words[..];
            while let [number, count, others @ ..] = rest {
                let (numbers, others) = others.split_at(*count as usize);
                let row = &mut all[*number as usize];
                row.extend(numbers.iter().map(|&j| j as u32));
                row.sort_unstable();
                rest = others;
            }
        }
        let ends = all.iter().scan(0, |end, row| {
            *end += row.len() as u64;
            Some(*end)
        });
        let offsets = std::iter::once(0).chain(ends).collect();
        Ok(Some(Csr { offsets, indices: all.concat() }))
    }

    /// Returns the state of all ranks, which call this together.
    pub fn state(&mut self) -> Result<Option<ListState>, Error> {
        self.settle(Ok(()), &[])?;
        let placed = match &self.built {
            None => return self.of_rank.state(),
            Some(built) if built.is_wanted => return Ok(None),
            Some(built) => &built.placed,
        };
        let name = || "the state of lists".to_owned();
        let operation = Operation { name: &name, values: &[] };
        let state = self.job.agreement.on(&operation, self.of_rank.state())?;
        let Some(mut state) = state else { return Ok(None) };
        let places = [Some(&placed.i), (!placed.shape[0]).then_some(&placed.ghosts.placement)];
        for (k, placement) in places.into_iter().enumerate() {
            let Some(placement) = placement else { continue };
            let own = placement.own();
            let mine = state.positions[k][..own].concat();
            let all = self.gather(placement, &mine, 3)?;
            state.positions[k] = all.as_chunks().0.to_vec();
            for numbers in &mut state.numbers[k] {
                *numbers = self.gather(placement, &numbers[..own], 1)?;
            }
        }
        let [i, j] = &state.positions;
        let position =
            |k: usize| state.domain.wrap(Point(*i.get(k).unwrap_or_else(|| &j[k - i.len()]))).0;
        let dimensions = if i.iter().chain(j).all(|[.., z]| *z == 0.0) { 2 } else { 3 };
        let frame = Frame::of(i.len() + j.len(), &position, &state.domain, dimensions);
        (state.origin, state.scale) = (frame.origin, frame.scale);
        Ok(Some(state))
    }

    /// Returns the rows of the particles of this rank: the number of each, the length of its row,
    /// and the numbers in it.
    fn numbered_rows(&self, placed: &Placed) -> Result<Vec<u64>, Error> {
        let rows = self.of_rank.to_csr()?.unwrap_or_default();
        let mut words = Vec::new();
        for (k, number) in placed.i.numbers.on_host()?.iter().enumerate() {
            let row = rows.row(k);
            words.extend([u64::from(*number), row.len() as u64]);
            for &j in row {
                words.push(placed.number(&self.job, j as usize)?.into());
            }
        }
        Ok(words)
    }

    /// Gathers numbers of each particle from the ranks, a row of `width` for each own one.
    fn gather(&self, placement: &Placement, rows: &[f64], width: usize) -> Result<Vec<f64>, Error> {
        let words: Vec<_> = rows.iter().map(|x| x.to_bits()).collect();
        let numbers = placement.numbers.on_host()?;
        let all = gathered(&self.job, (numbers, placement.n), &words, width)?;
        Ok(all.into_iter().map(f64::from_bits).collect())
    }
}
