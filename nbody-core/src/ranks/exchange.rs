//! Exchanges of an evaluation that ranks share out.

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::ranks::shares::Shares;

/// A part of an evaluation that this rank has done.
pub struct Part<'a> {
    /// The number of the part, from 0, equal on all ranks.
    pub number: usize,
    /// Whether no other part of the evaluation follows.
    pub is_last: bool,
    /// The outcome.
    pub done: Result<(), Error>,
    /// The rows of all ranks.
    pub rows: &'a mut dyn Buffer,
    /// The division of the rows; the share of one rank alone has no other rows.
    pub shares: Shares,
}

impl<'a> Part<'a> {
    /// An evaluation that this rank has done alone.
    pub fn whole(done: Result<(), Error>, rows: &'a mut dyn Buffer) -> Self {
        let shares = Shares::new(rows.len(), 1);
        Self { number: 0, is_last: true, done, rows, shares }
    }
}

/// Exchanges rows of ranks after a part of an evaluation. Refuses if any rank has failed, and
/// otherwise replaces rows of the other ranks by the rows that they have.
pub type Exchange<'a> = dyn FnMut(Part<'_>) -> Result<(), Error> + 'a;

/// The ranks that share out an evaluation.
pub struct Team<'a, 'b> {
    /// The number of this rank.
    pub rank: usize,
    /// The number of ranks.
    pub size: usize,
    /// Exchanges rows with the other ranks.
    pub exchange: &'a mut Exchange<'b>,
}

impl Team<'_, '_> {
    /// Calls `work` with a rank that evaluates alone.
    pub fn alone<T>(work: impl FnOnce(&mut Team<'_, '_>) -> T) -> T {
        work(&mut Team { rank: 0, size: 1, exchange: &mut |part| part.done })
    }

    /// Does work of this rank. If the work fails before the last exchange, the other ranks, which
    /// would wait for the next exchange, are told.
    pub fn share_out(
        &mut self,
        out: &mut dyn Buffer,
        work: impl FnOnce(&mut dyn Buffer, &mut Team<'_, '_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Self { rank, size, exchange } = self;
        let mut has_ended = false;
        let mut told = |part: Part<'_>| {
            let is_last = part.is_last;
            let agreed = exchange(part);
            has_ended = is_last || agreed.is_err();
            agreed
        };
        match work(out, &mut Team { rank: *rank, size: *size, exchange: &mut told }) {
            Err(error) if !has_ended => exchange(Part::whole(Err(error), out)),
            done => done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::buffers::Results;
    use crate::memory::columns::Columns;
    use crate::numeric::precision::Precision;

    /// A failure before or between exchanges is told once; a failure that an exchange returns is
    /// known to all ranks. After the last exchange nobody would hear of it.
    #[test]
    fn the_other_ranks_hear_of_each_failure_once() {
        let failure = || Error::DomainOfLists;
        let columns = Columns::filled(0, &[]).unwrap();
        let mut out = Results { columns, precision: Precision::Double, fields: &[] };
        // The number of exchanges before the failure, and whether the last exchange fails.
        let cases = [(0, false), (1, false), (2, false), (3, false), (1, true), (2, true)];
        for (exchanges, fails) in cases {
            let mut told = Vec::new();
            let mut exchange = |part: Part<'_>| {
                told.push(part.done.is_err());
                if fails && told.len() == exchanges { Err(failure()) } else { part.done }
            };
            let mut team = Team { rank: 1, size: 2, exchange: &mut exchange };
            let done = team.share_out(&mut out, |out, team| {
                assert_eq!((team.rank, team.size), (1, 2));
                (0..exchanges).try_for_each(|k| {
                    (team.exchange)(Part { is_last: k == 2, ..Part::whole(Ok(()), out) })
                })?;
                Err(failure())
            });
            assert_eq!(done, Err(failure()));
            let mut expected = vec![false; exchanges];
            expected.extend((!fails && exchanges < 3).then_some(true));
            assert_eq!(told, expected, "{exchanges} {fails}");
        }
    }
}
