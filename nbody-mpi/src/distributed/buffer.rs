//! A buffer whose rows are on every rank, or distributed.

use std::any::Any;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nbody_core::pack::dim;
use nbody_core::untyped::{Buffer, Kept, Moves, Rows, WriteRows};
use nbody_core::{Error as CoreError, Field, Precision};

use super::ghosts::Ghosts;
use super::placement::Placement;
use super::rows::{self, Kind};
use crate::agreement::Operation;
use crate::error::Error;
use crate::shared::Job;

/// A buffer over ranks.
#[derive(Debug)]
pub(crate) struct Distributed {
    job: Arc<Job>,
    kind: Kind,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The rows in the memory of this rank.
    rows: Arc<Box<dyn Buffer>>,
    held: Held,
}

#[derive(Debug)]
enum Held {
    /// Every rank has all rows.
    All,
    /// Each rank has the rows of its particles. With `has_ghosts`, the rows of the last ghosts follow
    /// them.
    Own { placement: Arc<Placement>, ghosts: Option<Arc<Ghosts>>, has_ghosts: bool },
    /// A rank failed while the rows of this number of particles moved.
    Lost { n: usize },
}

impl Held {
    /// Returns the state of rows that follow these places, without ghosts.
    fn of(placement: &Arc<Placement>) -> Self {
        Self::Own { placement: placement.clone(), ghosts: None, has_ghosts: false }
    }
}

/// Rows of a buffer on this rank, for an engine of its device.
pub(crate) enum OnRank<'a> {
    Distributed(Arc<Box<dyn Buffer>>),
    Other(&'a dyn Buffer),
}

impl Deref for OnRank<'_> {
    type Target = dyn Buffer;

    fn deref(&self) -> &dyn Buffer {
        match self {
            Self::Distributed(rows) => &***rows,
            Self::Other(buffer) => *buffer,
        }
    }
}

/// Returns all rows of a buffer on this rank. A buffer of another device stays as it is, for engines
/// to refuse.
pub(crate) fn all(buffer: &dyn Buffer) -> Result<OnRank<'_>, CoreError> {
    match Distributed::of(buffer) {
        Some(buffer) => Ok(OnRank::Distributed(buffer.all()?)),
        None => Ok(OnRank::Other(buffer)),
    }
}

/// Returns all rows of a buffer on this rank, for changes.
pub(crate) fn all_mut(buffer: &mut dyn Buffer) -> Result<&mut dyn Buffer, CoreError> {
    if Distributed::of(buffer).is_none() {
        return Ok(buffer);
    }
    let buffer: &mut dyn Any = buffer;
    buffer.downcast_mut::<Distributed>().expect("of this type").all_mut()
}

impl Distributed {
    /// Returns a buffer over ranks of the rows that each of them has.
    pub fn boxed(job: &Arc<Job>, kind: Kind, rows: Box<dyn Buffer>) -> Box<dyn Buffer> {
        Box::new(Self::new(job, kind, rows))
    }

    /// Returns a buffer of the rows that each rank has.
    pub fn new(job: &Arc<Job>, kind: Kind, rows: Box<dyn Buffer>) -> Self {
        Self::with_state(job, kind, State { rows: Arc::new(rows), held: Held::All })
    }

    /// Returns a buffer of the rows of the particles of this rank.
    pub fn placed(
        job: &Arc<Job>,
        kind: Kind,
        placement: &Arc<Placement>,
        rows: Arc<Box<dyn Buffer>>,
    ) -> Self {
        Self::with_state(job, kind, State { rows, held: Held::of(placement) })
    }

    fn with_state(job: &Arc<Job>, kind: Kind, state: State) -> Self {
        Self { job: job.clone(), kind, state: Mutex::new(state) }
    }

    /// Returns the rows of this rank, unless others use them.
    pub fn into_rows(self) -> Option<Box<dyn Buffer>> {
        Arc::into_inner(self.state.into_inner().unwrap_or_else(PoisonError::into_inner).rows)
    }

    /// Returns a buffer as a buffer over ranks; `None` if it is of another device.
    pub fn of(buffer: &dyn Buffer) -> Option<&Self> {
        (buffer as &dyn Any).downcast_ref()
    }

    /// Returns a buffer as a buffer over ranks, for changes.
    pub fn of_mut(buffer: &mut dyn Buffer) -> Option<&mut Self> {
        (buffer as &mut dyn Any).downcast_mut()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&mut self) -> &mut State {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the places of the particles; `None` if every rank has all rows.
    pub fn placement(&self) -> Option<Arc<Placement>> {
        match &self.state().held {
            Held::All | Held::Lost { .. } => None,
            Held::Own { placement, .. } => Some(placement.clone()),
        }
    }

    /// Returns the last ghosts of the particles of this rank.
    pub fn ghosts(&self) -> Option<Arc<Ghosts>> {
        match &self.state().held {
            Held::Own { ghosts, .. } => ghosts.clone(),
            Held::All | Held::Lost { .. } => None,
        }
    }

    /// Returns all rows, which every rank then has. All ranks call this together.
    pub fn all(&self) -> Result<Arc<Box<dyn Buffer>>, CoreError> {
        let mut state = self.state();
        state.gather(&self.job, self.kind)?;
        Ok(state.rows.clone())
    }

    fn all_mut(&mut self) -> Result<&mut dyn Buffer, CoreError> {
        self.all()?;
        self.state_mut().rows_mut()
    }

    /// Replaces all rows by the rows that `make` makes of them, on every rank or on none, and returns the
    /// old ones. All ranks call this together.
    pub fn replace_all(
        &mut self,
        operation: &Operation<'_>,
        make: impl FnOnce(&dyn Buffer) -> Result<Box<dyn Buffer>, CoreError>,
    ) -> Result<Option<Box<dyn Buffer>>, CoreError> {
        let all = self.all()?;
        let rows = self.job.agreement.on(operation, make(&**all))?;
        drop(all);
        let old = std::mem::replace(&mut self.state_mut().rows, Arc::new(rows));
        Ok(Arc::into_inner(old))
    }

    /// Returns the rows of the particles of this rank, without ghosts. All ranks call this together.
    pub fn own(&self, placement: &Arc<Placement>) -> Result<Arc<Box<dyn Buffer>>, CoreError> {
        let mut state = self.state();
        state.place(&self.job, self.kind, placement)?;
        Ok(state.rows.clone())
    }

    /// Returns the rows of the particles of this rank, for changes.
    pub fn own_mut(&mut self, placement: &Arc<Placement>) -> Result<&mut dyn Buffer, CoreError> {
        self.own(placement)?;
        self.state_mut().rows_mut()
    }

    /// Returns the rows of the particles of this rank, followed by ghosts. All ranks call this
    /// together; a failure after the exchange is told to them by the caller.
    pub fn with_ghosts(&self, ghosts: &Arc<Ghosts>) -> Result<Arc<Box<dyn Buffer>>, CoreError> {
        let mut state = self.state();
        state.follow(&self.job, self.kind, ghosts)?;
        Ok(state.rows.clone())
    }

    /// Returns results of the `own` particles of this rank for [`replace_own`](Self::replace_own): the
    /// spare ones, or new ones. Refuses to if they could not replace the rows.
    pub fn fresh(
        &self,
        spare: Option<Box<dyn Buffer>>,
        own: usize,
        make: impl FnOnce(usize) -> Result<Box<dyn Buffer>, CoreError>,
    ) -> Result<Box<dyn Buffer>, CoreError> {
        let fresh = match spare {
            Some(mut spare) => spare.resize(own).map(|()| spare)?,
            None => make(own)?,
        };
        CoreError::check_record("results", self.fields(), fresh.fields())?;
        let (found, expected) = (self.precision(), fresh.precision());
        if found != expected {
            return Err(CoreError::PrecisionMismatch { what: "results", found, expected });
        }
        Ok(fresh)
    }

    /// Replaces the rows by rows of the particles of this rank, and returns the old ones.
    pub fn replace_own(
        &mut self,
        placement: &Arc<Placement>,
        rows: Box<dyn Buffer>,
    ) -> Option<Box<dyn Buffer>> {
        let state = self.state_mut();
        state.held = Held::of(placement);
        Arc::into_inner(std::mem::replace(&mut state.rows, Arc::new(rows)))
    }
}

impl State {
    /// Returns the rows for changes; ghosts are out of date then.
    fn rows_mut(&mut self) -> Result<&mut dyn Buffer, CoreError> {
        Ok(&mut **Arc::get_mut(&mut self.rows).ok_or(Error::InUse)?)
    }

    /// Drops the ghosts, if there are any.
    fn drop_ghosts(&mut self) -> Result<(), CoreError> {
        let Held::Own { placement, has_ghosts: true, .. } = &self.held else { return Ok(()) };
        let own = placement.own();
        self.rows_mut()?.keep(own)?;
        if let Held::Own { has_ghosts, .. } = &mut self.held {
            *has_ghosts = false;
        }
        Ok(())
    }

    /// Gathers the rows of all ranks.
    fn gather(&mut self, job: &Job, kind: Kind) -> Result<(), CoreError> {
        let placement = match &self.held {
            Held::All => return Ok(()),
            Held::Lost { .. } => return Err(Error::RowsLost.into()),
            Held::Own { placement, .. } => placement.clone(),
        };
        let name = || format!("gathering {} rows", placement.n);
        let operation = Operation { name: &name, values: &[placement.n as u64] };
        let mine = rows::first(&**self.rows, placement.own());
        let mine = mine.and_then(|mine| Ok((mine, placement.numbers.on_host()?)));
        let (mine, numbers) = job.agreement.on(&operation, mine)?;
        let width = dim(self.rows.fields());
        let words = gathered(job, (numbers, placement.n), &mine, width)?;
        self.held = Held::Lost { n: placement.n };
        let written = self.rows_mut().and_then(|buffer| rows::replace(buffer, kind, words));
        job.agreement.on(&operation, written)?;
        self.held = Held::All;
        Ok(())
    }

    /// Leaves each rank the rows of its particles.
    fn place(
        &mut self,
        job: &Job,
        kind: Kind,
        placement: &Arc<Placement>,
    ) -> Result<(), CoreError> {
        let now = match &self.held {
            Held::All | Held::Lost { .. } => None,
            Held::Own { placement, .. } => Some(placement.number),
        };
        if now == Some(placement.number) {
            return self.drop_ghosts();
        }
        let name = || format!("distributing {} rows", placement.n);
        let operation = Operation { name: &name, values: &[placement.n as u64] };
        let moved = placement.before.as_ref().filter(|(before, _)| now == Some(*before));
        let mut parts = job.parts_of(kind);
        let done = if let Some((_, moves)) = moved {
            let free = self.drop_ghosts().and_then(|()| self.rows_mut());
            let ready = free.and_then(|rows| parts.reserve(None, rows, Kept::Staying, moves));
            job.agreement.on(&operation, ready)?;
            self.held = Held::Lost { n: placement.n };
            parts.exchange(None, self.rows_mut()?, Kept::Staying, moves)
        } else {
            self.gather(job, kind)?;
            CoreError::check_length("rows to distribute", self.rows.len(), placement.n)?;
            let kept = Kept::First(0);
            let mine = parts.numbered(&*placement.numbers.on_device);
            let ready = mine.and_then(|lists| {
                let moves = Moves { received: lists.counts().to_vec(), lists };
                parts.reserve(None, self.rows_mut()?, kept, &moves)?;
                Ok(moves)
            });
            let moves = job.agreement.on(&operation, ready)?;
            self.held = Held::Lost { n: placement.n };
            parts.exchange(None, self.rows_mut()?, kept, &moves)
        };
        job.agreement.on(&operation, done)?;
        self.held = Held::of(placement);
        Ok(())
    }

    /// Appends ghosts to the rows of the particles of this rank.
    fn follow(&mut self, job: &Job, kind: Kind, ghosts: &Arc<Ghosts>) -> Result<(), CoreError> {
        let Ghosts { number, placement, moves, .. } = &**ghosts;
        if let Held::Own { placement: known, ghosts: Some(present), has_ghosts: true } = &self.held
            && (known.number, present.number) == (placement.number, *number)
        {
            return Ok(());
        }
        self.place(job, kind, placement)?;
        let name = || format!("ghosts of {} particles", placement.n);
        let operation = Operation { name: &name, values: &[placement.n as u64, ghosts.id] };
        let (mut parts, kept) = (job.parts_of(kind), Kept::First(placement.own()));
        let ready = self.rows_mut().and_then(|rows| parts.reserve(None, rows, kept, moves));
        job.agreement.on(&operation, ready)?;
        parts.exchange(None, self.rows_mut()?, kept, moves)?;
        let (placement, ghosts) = (placement.clone(), Some(ghosts.clone()));
        self.held = Held::Own { placement, ghosts, has_ghosts: true };
        Ok(())
    }
}

/// Returns the rows of all `n` particles in their order; `mine` has the rows of the particles with
/// these numbers, which this rank has.
pub(super) fn gathered(
    job: &Job,
    (numbers, n): (&[u32], usize),
    mine: &[u64],
    width: usize,
) -> Result<Vec<u64>, CoreError> {
    let numbers: Vec<_> = numbers.iter().map(|&number| u64::from(number)).collect();
    let numbers = rows::gather(&*job.communicator, &numbers)?;
    let words = rows::gather(&*job.communicator, mine)?;
    let mut all = vec![0; n * width];
    for (numbers, words) in numbers.iter().zip(&words) {
        for (number, row) in numbers.iter().zip(words.chunks_exact(width.max(1))) {
            all[*number as usize * width..][..width].copy_from_slice(row);
        }
    }
    Ok(all)
}

impl Buffer for Distributed {
    fn fields(&self) -> &'static [Field] {
        self.state().rows.fields()
    }

    fn len(&self) -> usize {
        let state = self.state();
        match &state.held {
            Held::All => state.rows.len(),
            Held::Own { placement, .. } => placement.n,
            Held::Lost { n } => *n,
        }
    }

    fn device(&self) -> String {
        self.state().rows.device()
    }

    fn precision(&self) -> Precision {
        self.state().rows.precision()
    }

    /// Gathers the rows of all ranks, which call this together.
    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), CoreError> {
        self.all()?.read(rows, take)
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), CoreError> {
        self.all()?.read_field(field, take)
    }

    fn write_field(&mut self, rows: &dyn Rows) -> Result<(), CoreError> {
        self.all_mut()?.write_field(rows)
    }

    fn resize(&mut self, n: usize) -> Result<(), CoreError> {
        let state = self.state_mut();
        state.rows_mut()?.resize(n)?;
        state.held = Held::All;
        Ok(())
    }

    fn replace(&mut self, rows: &dyn Rows) -> Result<(), CoreError> {
        let state = self.state_mut();
        state.rows_mut()?.replace(rows)?;
        state.held = Held::All;
        Ok(())
    }

    fn write_at(&mut self, addresses: &[u32], rows: &dyn Rows) -> Result<(), CoreError> {
        self.all_mut()?.write_at(addresses, rows)
    }

    /// Appends on every rank or on none.
    fn append(&mut self, others: &dyn Buffer) -> Result<(), CoreError> {
        let Some(others) = Self::of(others) else {
            let (what, found) = ("particles to append", others.device());
            let expected = format!("{} over ranks", self.device());
            return Err(CoreError::ForeignBuffer { what, found, expected });
        };
        let (n, count, job) = (self.len(), others.len(), self.job.clone());
        let others = others.all()?;
        let done = self.all_mut().and_then(|rows| rows.append(&**others));
        let has_more = done.is_ok();
        let name = || format!("appending {count} particles to {n}");
        let values = [n as u64, count as u64];
        let agreed = job.agreement.on(&Operation { name: &name, values: &values }, done);
        if has_more && agreed.is_err() {
            self.state_mut().rows_mut()?.keep(n)?;
        }
        agreed
    }

    fn keep(&mut self, n: usize) -> Result<(), CoreError> {
        self.all_mut()?.keep(n)
    }

    fn write_results(&mut self, rows: &dyn Rows) -> Result<(), CoreError> {
        let state = self.state_mut();
        state.rows_mut()?.write_results(rows)?;
        state.held = Held::All;
        Ok(())
    }
}
