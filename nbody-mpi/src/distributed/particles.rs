//! Programs per particle, and selections, of distributed particles.

use std::any::Any;
use std::sync::Arc;

use nbody_core::pack::{self, OwnedRows, fold_rows};
use nbody_core::untyped::{Beside, Buffer, First, PerParticle, Selection};
use nbody_core::{Domain, Error, ParticleProgram, Precision};

use super::buffer::{Distributed, OnRank, all, all_mut};
use super::placement::Placement;
use super::rows;
use crate::agreement::Operation;
use crate::shared::Job;

/// Programs per particle: each rank runs them on its particles.
#[derive(Debug)]
pub(crate) struct DistributedPrograms {
    job: Arc<Job>,
    programs: Box<dyn PerParticle>,
}

impl DistributedPrograms {
    pub fn new(job: &Arc<Job>, programs: Box<dyn PerParticle>) -> Self {
        Self { job: job.clone(), programs }
    }
}

/// Returns the latest places of the particles of these buffers; `None` if every rank has all rows,
/// or if the buffers do not belong together.
fn placement(particles: &dyn Buffer, beside: Beside<'_>) -> Option<Arc<Placement>> {
    let mut latest: Option<Arc<Placement>> = None;
    for &buffer in [particles].iter().chain(beside.q).chain(beside.f) {
        let buffer = Distributed::of(buffer).filter(|it| it.len() == particles.len())?;
        if let Some(placement) = buffer.placement()
            && latest.as_ref().is_none_or(|latest| latest.number < placement.number)
        {
            latest = Some(placement);
        }
    }
    latest
}

/// Returns the rows of the particles of this rank, or, without places, all rows.
fn on_rank<'a>(
    buffer: &'a dyn Buffer,
    placement: Option<&Arc<Placement>>,
) -> Result<OnRank<'a>, Error> {
    match (placement, Distributed::of(buffer)) {
        (Some(placement), Some(buffer)) => Ok(OnRank::Distributed(buffer.own(placement)?)),
        _ => all(buffer),
    }
}

/// Calls `run` with buffers beside the particles on this rank.
fn with_beside<'a, T>(
    beside: Beside<'a>,
    placement: Option<&Arc<Placement>>,
    run: impl FnOnce(Beside<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let of = |buffers: &[&'a dyn Buffer]| {
        buffers.iter().map(|it| on_rank(*it, placement)).collect::<Result<Vec<_>, _>>()
    };
    let (q, f) = (of(beside.q)?, of(beside.f)?);
    // Every rank has the totals.
    let g = beside.g.iter().map(|it| all(*it)).collect::<Result<Vec<_>, _>>()?;
    let [q, f, g] = [&q, &f, &g].map(|rows| rows.iter().map(|it| &**it).collect::<Vec<_>>());
    run(Beside { q: &q, f: &f, g: &g })
}

impl PerParticle for DistributedPrograms {
    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.programs.set_parameters(parameters)
    }

    fn domain(&self) -> Domain {
        self.programs.domain()
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.programs.set_domain(domain)
    }

    fn wraps(&self) -> bool {
        self.programs.wraps()
    }

    fn set_wrap(&mut self, wrap: bool) {
        self.programs.set_wrap(wrap);
    }

    fn update(
        &mut self,
        program: &'static ParticleProgram,
        particles: &mut dyn Buffer,
        beside: Beside<'_>,
        first: Option<First<'_>>,
    ) -> Result<(), Error> {
        // A selection counts all particles, and so do indices of second particles.
        let needs_all = first.is_some() || program.gathers > 0;
        let placement = if needs_all { None } else { placement(particles, beside) };
        let from = first.and_then(|first| first.from).map(all).transpose()?;
        let first = first.map(|first| {
            let selection = (first.selection as &dyn Any).downcast_ref::<DistributedSelection>();
            let selection = selection.map_or(first.selection, |it| &*it.selection);
            First { selection, from: from.as_deref(), ..first }
        });
        with_beside(beside, placement.as_ref(), |beside| {
            let particles = match (&placement, Distributed::of(particles).is_some()) {
                (Some(placement), true) => {
                    Distributed::of_mut(particles).expect("of this type").own_mut(placement)?
                }
                _ => all_mut(particles)?,
            };
            self.programs.update(program, particles, beside, first)
        })
    }

    fn measure(
        &mut self,
        program: &'static ParticleProgram,
        particles: &dyn Buffer,
        beside: Beside<'_>,
    ) -> Result<Vec<u64>, Error> {
        // The particle of an extreme is known by its number, and so are second particles.
        let is_named = program.total.iter().any(|field| field.kind.keeps_index());
        let is_named = is_named || program.gathers > 0;
        let placement = if is_named { None } else { placement(particles, beside) };
        let rows = on_rank(particles, placement.as_ref())?;
        let total = with_beside(beside, placement.as_ref(), |beside| {
            self.programs.measure(program, &*rows, beside)
        });
        if placement.is_none() {
            return total;
        }
        let name = || format!("a measure `{}`", program.name);
        let total = self.job.agreement.on(&Operation { name: &name, values: &[] }, total)?;
        // In the order of ranks.
        let totals = rows::gather(&*self.job.communicator, &total)?;
        if !program.g.is_empty() && totals.iter().all(|it| pack::is_spoilt(program.total, it)) {
            return Ok(total);
        }
        let merged = totals.into_iter().reduce(|mut sum, total| {
            fold_rows(program.total, Precision::Double, &total, &mut sum);
            sum
        });
        Ok(merged.unwrap_or(total))
    }

    /// Every rank writes the total that the hosts have merged.
    fn measure_into(
        &mut self,
        program: &'static ParticleProgram,
        particles: &dyn Buffer,
        beside: Beside<'_>,
        total: &mut dyn Buffer,
    ) -> Result<(), Error> {
        program.check_measure()?;
        Error::check_record("totals", total.fields(), program.total)?;
        let (found, expected) = (total.precision(), Precision::Double);
        if found != expected {
            return Err(Error::PrecisionMismatch { what: "totals", found, expected });
        }
        Error::check_one_total("totals", total.len())?;
        let row = self.measure(program, particles, beside)?;
        all_mut(total)?.write_results(&OwnedRows::new(program.total, row)?)
    }
}

/// A selection among all particles, which every rank has.
#[derive(Debug)]
pub(crate) struct DistributedSelection {
    job: Arc<Job>,
    selection: Box<dyn Selection>,
    /// Memory for the particles that are kept.
    spare: Option<Box<dyn Buffer>>,
}

impl DistributedSelection {
    pub fn new(job: &Arc<Job>, selection: Box<dyn Selection>) -> Self {
        Self { job: job.clone(), selection, spare: None }
    }
}

/// Returns a buffer of particles that these ones may replace: the spare one, or a new one.
fn like(
    rows: &dyn Buffer,
    spare: Option<Box<dyn Buffer>>,
    job: &Job,
) -> Result<Box<dyn Buffer>, Error> {
    let (fields, precision) = (rows.fields(), rows.precision());
    match spare.filter(|it| (it.fields(), it.precision()) == (fields, precision)) {
        Some(spare) => Ok(spare),
        None => job.device.upload(&OwnedRows::new(fields, Vec::new())?, precision),
    }
}

impl Selection for DistributedSelection {
    fn len(&self) -> usize {
        self.selection.len()
    }

    fn select(&mut self, particles: &dyn Buffer, field: &str) -> Result<usize, Error> {
        self.selection.select(&*all(particles)?, field)
    }

    fn seek_soonest(&mut self, particles: &dyn Buffer, field: &str, now: u32) -> Result<(), Error> {
        self.selection.seek_soonest(&*all(particles)?, field, now)
    }

    fn soonest(&self) -> Result<(usize, u32), Error> {
        self.selection.soonest()
    }

    fn gather(&self, count: usize, from: &dyn Buffer, to: &mut dyn Buffer) -> Result<(), Error> {
        self.selection.gather(count, &*all(from)?, all_mut(to)?)
    }

    /// Agrees on the particles that stay before any rank removes others.
    fn retain(&mut self, particles: &mut dyn Buffer, field: &str) -> Result<usize, Error> {
        let selected = self.select(particles, field);
        let n = particles.len();
        let name = || format!("keeping particles of {n} by `{field}`");
        let operation = Operation { name: &name, values: &[n as u64] };
        let all_stay = selected.as_ref().map(|count| *count == n).map_err(Error::clone);
        let all_stay = self.job.agreement.all_say(&operation, all_stay)?;
        let count = selected?;
        if !all_stay {
            self.keep(count, particles)?;
        }
        Ok(count)
    }

    /// Keeps them on every rank or on none.
    fn keep(&mut self, count: usize, particles: &mut dyn Buffer) -> Result<(), Error> {
        let n = particles.len();
        let Some(particles) = Distributed::of_mut(particles) else {
            return self.selection.keep(count, particles);
        };
        let Self { job, selection, spare } = self;
        let name = || format!("keeping {count} of {n} particles");
        let operation = Operation { name: &name, values: &[count as u64, n as u64] };
        *spare = particles.replace_all(&operation, |rows| {
            let mut kept = like(rows, spare.take(), job)?;
            selection.gather(count, rows, &mut *kept)?;
            Ok(kept)
        })?;
        Ok(())
    }
}
