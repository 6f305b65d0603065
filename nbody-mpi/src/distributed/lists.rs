//! Neighbour lists of distributed particles.

use std::mem;
use std::ptr;
use std::sync::Arc;

use nbody_core::lists::cutoff::{self, Cutoff};
use nbody_core::lists::given::check_excluded;
use nbody_core::order::lengths;
use nbody_core::untyped::{Across, Buffer, Neighbours, Origin};
use nbody_core::{Error, FieldKind, ListState, Skin, Sources};

use super::buffer::{Distributed, all};
use super::ghosts::Ghosts;
use super::placing::{Located, box_around, boxes, hull, points};
use super::sets::{Placed, Sets, bounds, watched};
use crate::agreement::Operation;
use crate::shared::Job;

/// The pairs that a particle is assumed to have in lists.
const LISTED: u64 = 64;
/// The number of updates before the end of lists, as the lists before them have lasted, from which
/// on evaluations wait for the outcome of a look.
const MARGIN: u64 = 2;
/// The factor by which ghosts reach beyond cutoff and skin, for rounding errors.
const MORE: f64 = 1.0 + 1e-6;

/// The lists of a rank, for its particles or for all.
#[derive(Debug)]
pub struct Lists {
    pub job: Arc<Job>,
    /// The lists of this rank.
    pub of_rank: Box<dyn Neighbours>,
    /// The skin; `None` for given pairs.
    skin: Option<Skin>,
    excluded: Vec<[u32; 2]>,
    /// The number of i-particles, the first ones, that have lists; `None` for all.
    wanted: Option<usize>,
    pub built: Option<Built>,
    /// The number of times that lists of distributed particles were built.
    pub rebuilds: u64,
    /// The number of times that this rank has built its lists for them.
    built_on_rank: u64,
    /// Whether the lists of this rank have its own excluded pairs.
    is_own: bool,
    /// The number of updates since then, and of the updates for which the lists before were valid.
    pub age: u64,
    lasted: u64,
    restored: Option<ListState>,
    /// A look that has begun, and whose outcome the ranks have not exchanged: whether the lists of
    /// this rank may be valid.
    begun: Option<Result<bool, Error>>,
}

/// The particles and cutoffs that the lists of this rank were built for.
#[derive(Debug)]
pub struct Built {
    pub placed: Placed,
    cutoffs: Vec<Cutoff>,
    /// Whether they must be built again.
    pub is_wanted: bool,
}

impl Lists {
    pub fn new(job: &Arc<Job>, lists: Box<dyn Neighbours>, origin: &Origin) -> Self {
        let skin = if let Origin::Found(skin) = origin { Some(*skin) } else { None };
        let (excluded, wanted, built, restored, begun) = Default::default();
        let (rebuilds, built_on_rank, age, lasted, is_own) = Default::default();
        Self {
            job: job.clone(),
            of_rank: lists,
            skin,
            excluded,
            wanted,
            built,
            rebuilds,
            built_on_rank,
            is_own,
            age,
            lasted,
            restored,
            begun,
        }
    }

    /// Returns whether ranks distribute these particles.
    fn distributes(&self, sets: &Sets, is_first: bool, cutoffs: &[Cutoff]) -> bool {
        let precision = self.of_rank.precision();
        let flops = |cutoff: &Cutoff| u64::from(cutoff.law().operations.flops().max(1));
        let work = LISTED * cutoffs.iter().map(flops).sum::<u64>();
        let [n, of_j] = sets.lengths();
        let names_particles =
            |cutoff: &Cutoff| cutoff.law().f.iter().any(|field| field.kind == FieldKind::ArgMin);
        self.job.distributes()
            && self.skin.is_some()
            && !is_first
            && self.wanted.is_none()
            && !cutoffs.iter().any(|cutoff| cutoff.check().is_err() || names_particles(cutoff))
            && (!sets.one_set || n == of_j)
            && sets.j.is_none_or(|j| !ptr::eq(j, sets.i))
            && [Some(sets.i), sets.j].into_iter().flatten().all(|it| it.precision() == precision)
            && (n as u64).saturating_mul(work) >= self.job.least_operations
    }

    /// Looks at distributed particles, and builds the lists if they are known not to be valid. On a
    /// GPU the host does not wait for the look.
    fn renew(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        if let Some(built) = self.built.take_if(|built| !built.is_wanted)
            && built.placed.has(sets)
        {
            self.begun = Some(self.look_at(&built.placed, sets, &cutoffs));
            self.built = Some(Built { cutoffs: cutoffs.clone(), ..built });
            // An evaluation over lists that are not valid would be in vain.
            if !self.job.is_cpu() && self.age + MARGIN < self.lasted {
                return Ok(());
            }
            if self.settle(Ok(()))?.is_some() {
                return Ok(());
            }
        }
        self.build_again(sets, cutoffs)
    }

    /// Begins a look at distributed particles.
    fn look_at(&mut self, placed: &Placed, sets: &Sets, cutoffs: &[Cutoff]) -> Result<bool, Error> {
        let [i, j] = placed.rows(sets)?;
        self.of_rank.look(&**i, placed.sources(&**j), cutoffs.to_vec())
    }

    /// Returns whether a look has begun whose outcome is not known.
    pub fn is_open(&self) -> bool {
        self.begun.is_some()
    }

    /// Returns whether an evaluation over the lists of this rank may have a meaning.
    pub fn may_be_valid(&self) -> bool {
        !matches!(self.begun, Some(Ok(false) | Err(_)))
    }

    /// Waits for the look that has begun. Returns what this rank has done meanwhile; `None` if the
    /// lists are not valid on all ranks, and must be built again.
    pub fn settle<T>(&mut self, done: Result<T, Error>) -> Result<Option<T>, Error> {
        let Some(begun) = self.begun.take() else { return done.map(Some) };
        let valid = begun.and_then(|may| if may { self.of_rank.is_valid() } else { Ok(false) });
        let Some(built) = &mut self.built else { return done.map(Some) };
        let valid = built.placed.renumbered(valid, false);
        let name = || format!("an update of lists of {} particles", built.placed.i.n);
        let operation = Operation { name: &name, values: &[] };
        let (answer, done) = match (valid, done) {
            (Ok(true), Ok(done)) => (Ok(true), Some(done)),
            // The work may have been refused because the lists are not valid.
            (Ok(false), done) => (Ok(false), done.ok()),
            (Ok(true), Err(error)) | (Err(error), _) => (Err(error), None),
        };
        let was_wanted = mem::replace(&mut built.is_wanted, true);
        let is_valid = self.job.agreement.all_say(&operation, answer)?;
        // Lists may have been wanted since the look began.
        built.is_wanted = was_wanted || !is_valid;
        self.age += u64::from(is_valid);
        Ok(done.filter(|_| is_valid && !was_wanted))
    }

    /// Builds lists that are not valid, for the particles of an evaluation.
    pub fn make_valid(&mut self, sets: &Sets) -> Result<(), Error> {
        match &self.built {
            Some(built) if built.is_wanted => {
                let cutoffs = built.cutoffs.clone();
                self.build_again(sets, cutoffs)
            }
            _ => Ok(()),
        }
    }

    /// Builds the lists.
    fn build_again(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        // Particles that others have distributed stay where they are.
        let moves_all = self.built.take().is_some_and(|built| built.placed.has(sets));
        self.begun = None;
        let name = || "a build of lists".to_owned();
        let operation = Operation { name: &name, values: &[] };
        let before = self.job.agreement.on(&operation, self.of_rank.rebuilds())?;
        self.of_rank.rebuild();
        let built = self.arrange(sets, cutoffs, moves_all);
        self.built = Some(built.inspect_err(|_| self.of_rank.rebuild())?);
        self.built_on_rank += self.of_rank.rebuilds()? - before;
        (self.rebuilds, self.lasted, self.age) = (self.rebuilds + 1, self.age, 0);
        Ok(())
    }

    /// Distributes the particles, unless they are, and builds the lists.
    fn arrange(
        &mut self,
        sets: &Sets,
        cutoffs: Vec<Cutoff>,
        moves_all: bool,
    ) -> Result<Built, Error> {
        let job = self.job.clone();
        let watched = watched(&cutoffs, sets)?;
        let box_lengths = lengths(&self.of_rank.domain(), watched[0].position.places().len());
        let located = Located {
            buffers: [Some(sets.i), sets.j.filter(|_| !sets.one_set)],
            positions: watched.each_ref().map(|it| &it.position),
            lengths: box_lengths,
            across: Across::Last,
        };
        let moves = |it: &Distributed| moves_all || it.placement().is_none();
        let is_moved = located.buffers.map(|it| it.is_some_and(moves));
        let [i, j] = located.place(&job, moves_all, None)?;
        let [rows_i, rows_j] = [sets.i.own(&i)?, sets.j.unwrap_or(sets.i).own(&j)?];
        let operation = || format!("lists of {:?} particles", sets.lengths());
        let operation = Operation { name: &operation, values: &[] };
        let points_of = [(&rows_i, i.own()), (&rows_j, j.own())];
        let points_of = [0, 1].map(|k| {
            let (rows, n) = points_of[k];
            points(rows, n, &watched[k].position, box_lengths)
        });
        let found = || {
            let around_i = box_around(&job, points_of[0], &i, is_moved[0])?;
            let around_j = if sets.shape()[0] {
                around_i
            } else {
                box_around(&job, points_of[1], &j, is_moved[1])?
            };
            let [of_i, of_j] = &watched;
            let bounds = [bounds(&**rows_i, i.own(), of_i)?, bounds(&**rows_j, j.own(), of_j)?];
            Ok(([around_i, around_j], bounds))
        };
        let (around, bounds) = job.agreement.on(&operation, found())?;
        let boxes = boxes(&job, &around[..1])?.concat();
        let all = |k: usize| match watched[k].places.len() {
            0 => Ok(Vec::new()),
            _ => hull(&job, &bounds[k]),
        };
        let [of_i, of_j] = [all(0)?, all(1)?];
        let greatest = cutoff::greatest(&cutoffs, watched.each_ref(), [&of_i, &of_j])?;
        let [share, length] = self.skin.unwrap_or_default().parts();
        // In a box that shrinks, the margin of lists counts the greatest cutoff of their rank alone.
        let is_varying = watched.iter().any(|watched| !watched.places.is_empty());
        let more = if is_varying { length / 2.0 } else { 0.0 };
        let reach = (greatest * (1.0 + share) + length + more) * MORE;
        let ghosts = Ghosts::find(&job, &j, (points_of[1], around[1]), &boxes, reach)?;
        drop((rows_i, rows_j));
        let placed = Placed { i, ghosts, shape: sets.shape() };
        let built = self.build(&placed, sets, cutoffs.clone());
        job.agreement.on(&operation, built)?;
        Ok(Built { placed, cutoffs, is_wanted: false })
    }

    /// Builds the lists of this rank.
    fn build(&mut self, placed: &Placed, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        check_excluded(&self.excluded, sets.lengths())?;
        let [i, j] = placed.rows(sets)?;
        self.is_own = true;
        self.of_rank.list_first(placed.shape[1].then(|| placed.i.own()));
        self.of_rank.exclude(&placed.pairs(&self.job, &self.excluded)?);
        let done = self.of_rank.update(&**i, placed.sources(&**j), cutoffs);
        // The outcome is known once the lists are counted.
        let counted = done.and_then(|()| self.of_rank.rebuilds());
        placed.renumbered(counted.map(|_| ()), ())
    }

    pub fn list_first(&mut self, n: Option<usize>) {
        self.wanted = n;
        if !self.is_own {
            self.of_rank.list_first(n);
        }
        self.rebuild();
    }

    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.excluded = pairs.to_vec();
        if !self.is_own {
            self.of_rank.exclude(pairs);
        }
        self.rebuild();
    }

    pub fn update(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<(), Error> {
        let sets = Sets::new(i, j);
        let Some(sets) = sets.filter(|sets| self.distributes(sets, j.is_first(), &cutoffs)) else {
            (self.built, self.begun) = (None, None);
            if mem::take(&mut self.is_own) {
                self.of_rank.list_first(self.wanted);
                self.of_rank.exclude(&self.excluded);
            }
            if let Some(state) = self.restored.take() {
                self.of_rank.restore(&state)?;
            }
            return self.of_rank.update(&*all(i)?, j.with(&*all(j.particles())?), cutoffs);
        };
        if let Some(state) = self.restored.take() {
            state.check_lengths([sets.lengths()[0], sets.j.map_or(0, Buffer::len)])?;
            self.rebuild();
        }
        self.renew(&sets, cutoffs)
    }

    /// Begins a look at all particles, or at the particles of this rank.
    pub fn look(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        cutoffs: Vec<Cutoff>,
    ) -> Result<bool, Error> {
        let Some(built) = self.built.take() else {
            return self.of_rank.look(&*all(i)?, j.with(&*all(j.particles())?), cutoffs);
        };
        let sets = Sets::new(i, j).filter(|sets| built.placed.has(sets) && !built.is_wanted);
        match sets {
            Some(sets) => self.begun = Some(self.look_at(&built.placed, &sets, &cutoffs)),
            None => self.of_rank.rebuild(),
        }
        self.built = sets.map(|_| built);
        Ok(self.built.is_some() && self.may_be_valid())
    }

    /// Returns whether the last look has found the lists valid.
    pub fn is_valid(&mut self) -> Result<bool, Error> {
        if self.built.is_none() && !self.is_own {
            return self.of_rank.is_valid();
        }
        self.settle(Ok(())).map(|valid| valid.is_some() && self.built.is_some())
    }

    pub fn rebuild(&mut self) {
        match &mut self.built {
            Some(built) => built.is_wanted = true,
            None => self.of_rank.rebuild(),
        }
    }

    pub fn rebuilds(&mut self) -> Result<u64, Error> {
        self.settle(Ok(()))?;
        Ok(self.rebuilds + self.of_rank.rebuilds()? - self.built_on_rank)
    }

    pub fn restore(&mut self, state: &ListState) -> Result<(), Error> {
        state.check(self.of_rank.precision())?;
        self.restored = Some(state.clone());
        Ok(())
    }
}
