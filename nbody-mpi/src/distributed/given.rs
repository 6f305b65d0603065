//! Given pairs of distributed particles.

use std::sync::Arc;

use nbody_core::{Csr, Error};

use super::ghosts::Ghosts;
use super::placement::Placement;
use super::sets::Placed;
use crate::agreement::Operation;
use crate::shared::Job;

/// Finds the particles of other ranks that meet the particles of this one: the `last` ghosts, if
/// they are enough on all ranks, else ghosts of their own.
pub fn ghosts(
    job: &Job,
    rows: &Csr,
    [i, j]: [&Arc<Placement>; 2],
    last: Option<Arc<Ghosts>>,
) -> Result<Arc<Ghosts>, Error> {
    let name = || format!("ghosts of {} particles with given pairs", j.n);
    let operation = Operation { name: &name, values: &[] };
    let missing = job.agreement.on(&operation, missing(rows, i, j))?;
    if let Some(last) = last.filter(|last| last.placement.number == j.number) {
        let row = last.rows(job);
        let has_all = row.map(|row| missing.iter().all(|number| row(*number).is_some()));
        if job.agreement.all_say(&operation, has_all)? {
            return Ok(last);
        }
    }
    Ghosts::wanted(job, j, &missing)
}

/// Returns the numbers of j-particles of other ranks in the rows of this rank, in ascending order.
fn missing(rows: &Csr, i: &Placement, j: &Placement) -> Result<Vec<u32>, Error> {
    let own = j.rows()?;
    let met = i.numbers.on_host()?.iter().flat_map(|number| rows.row(*number as usize));
    let mut missing: Vec<_> = met.copied().filter(|number| own.get(*number).is_none()).collect();
    missing.sort_unstable();
    missing.dedup();
    Ok(missing)
}

/// Returns the pairs of the i-particles of this rank, by rows of its j-particles and ghosts. All ranks
/// call this together.
///
/// # Panics
///
/// If the ghosts lack a particle.
pub fn of_rank(job: &Job, rows: &Csr, placed: &Placed) -> Result<Csr, Error> {
    let row = placed.ghosts.rows(job)?;
    let mut mine = Csr { offsets: vec![0], indices: Vec::new() };
    for number in placed.i.numbers.on_host()? {
        let met = rows.row(*number as usize).iter();
        mine.indices.extend(met.map(|number| row(*number).expect("a ghost for each pair")));
        mine.offsets.push(mine.indices.len() as u64);
    }
    if placed.shape[1] {
        // Ghosts have no pairs of their own.
        let ghosts = placed.ghosts.numbers(job)?.len();
        mine.offsets.resize(mine.offsets.len() + ghosts, mine.indices.len() as u64);
    }
    Ok(mine)
}
