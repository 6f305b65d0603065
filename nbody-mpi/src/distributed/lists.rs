//! Neighbour lists of distributed particles.

use std::mem;
use std::ptr;
use std::sync::Arc;

use nbody_core::lists::cutoff::{self, Cutoff, Watched};
use nbody_core::order::lengths;
use nbody_core::untyped::{Across, Buffer, LookedAt, Neighbours, Origin, Subset, TargetBox};
use nbody_core::{Csr, Error, FieldKind, ListState, Skin, Sources};
use xxhash_rust::xxh3::Xxh3;

use super::buffer::{Distributed, all};
use super::ghosts::Ghosts;
use super::given::missing;
use super::placing::{Located, box_around, boxes, hull, points};
use super::rows;
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
    origin: Origin,
    has_excluded: bool,
    /// A hash of given and excluded pairs, which all ranks must have.
    pub pairs: u64,
    /// The number of i-particles, the first ones, that have lists; `None` for all.
    wanted: Option<usize>,
    pub built: Option<Built>,
    /// The number of times that the lists were built, until this rank had built its lists
    /// `built_on_rank` times.
    pub rebuilds: u64,
    built_on_rank: u64,
    /// Whether the lists of this rank are for its own particles.
    is_own: bool,
    /// The places of the i-particles and the ghosts of the subset that the lists of this rank are
    /// for, if they know its numbers, and whether it has all particles of given pairs.
    subset: Option<([u64; 2], bool)>,
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
    pub fn new(job: &Arc<Job>, lists: Box<dyn Neighbours>, origin: Origin) -> Self {
        let (has_excluded, wanted, built, restored, begun) = Default::default();
        let pairs = hash(&origin, &[]);
        let (rebuilds, built_on_rank, age, lasted, is_own) = Default::default();
        let subset = None;
        Self {
            job: job.clone(),
            of_rank: lists,
            origin,
            has_excluded,
            pairs,
            wanted,
            built,
            rebuilds,
            built_on_rank,
            is_own,
            subset,
            age,
            lasted,
            restored,
            begun,
        }
    }

    /// Returns whether ranks distribute these particles.
    fn distributes(&self, sets: &Sets, is_first: bool, cutoffs: &[Cutoff]) -> bool {
        let precision = self.of_rank.precision();
        let [n, of_j] = sets.lengths();
        let names_particles =
            |cutoff: &Cutoff| cutoff.law().f.iter().any(|field| field.kind == FieldKind::ArgMin);
        self.job.distributes()
            && !is_first
            && self.wanted.is_none()
            && !cutoffs.iter().any(names_particles)
            && (!sets.one_set || n == of_j)
            && sets.j.is_none_or(|j| !ptr::eq(j, sets.i))
            && sets.buffers().all(|it| it.precision() == precision)
            && self.pays(sets, cutoffs)
    }

    fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Given(_))
    }

    /// Returns whether it pays to distribute the particles. Given pairs follow particles that are
    /// distributed; a set without positions is in no region.
    fn pays(&self, sets: &Sets, cutoffs: &[Cutoff]) -> bool {
        if self.is_given() {
            let has_positions =
                |it: &[Watched; 2]| it.iter().all(|it| !it.position.places().is_empty());
            let is_placed = || {
                self.built.as_ref().is_some_and(|built| built.placed.has(sets))
                    || sets.buffers().any(|it| it.placement().is_some())
            };
            return !cutoffs.is_empty()
                && is_placed()
                && watched(cutoffs, sets).is_ok_and(|it| has_positions(&it));
        }
        let flops = |cutoff: &Cutoff| u64::from(cutoff.law().operations.flops().max(1));
        let work = LISTED * cutoffs.iter().map(flops).sum::<u64>();
        let n = sets.lengths()[0] as u64;
        !cutoffs.iter().any(|cutoff| cutoff.check().is_err())
            && n.saturating_mul(work) >= self.job.least_operations
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
            let may_last = self.is_given() || self.age + MARGIN < self.lasted;
            if !self.job.is_cpu() && may_last {
                return Ok(());
            }
            if self.settle(Ok(()))?.is_some() {
                return Ok(());
            }
        }
        self.build_again(sets, cutoffs)
    }

    /// Begins a look at distributed particles: at the particles of this rank while ghosts are sent.
    fn look_at(&mut self, placed: &Placed, sets: &Sets, cutoffs: &[Cutoff]) -> Result<bool, Error> {
        let own = [placed.i.own(); 2];
        let mut begun = None;
        let mut begin = |rows: &dyn Buffer| {
            let sources = placed.sources(rows);
            let at = LookedAt::Before(own);
            begun = Some(self.of_rank.look(rows, sources, cutoffs.to_vec(), at));
        };
        let [i, j] = placed.rows_during(sets, Some(&mut begin))?;
        let at = match begun.transpose()? {
            Some(false) => return Ok(false),
            Some(true) => LookedAt::From(own),
            None => LookedAt::All,
        };
        self.of_rank.look(&**i, placed.sources(&**j), cutoffs.to_vec(), at)
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

    /// Builds lists that are not valid, for the particles of an evaluation. Given pairs follow
    /// particles that have moved.
    pub fn make_valid(&mut self, sets: &Sets) -> Result<(), Error> {
        match &self.built {
            Some(built) if built.is_wanted || self.is_given() && !built.placed.has(sets) => {
                let cutoffs = built.cutoffs.clone();
                self.build_again(sets, cutoffs)
            }
            _ => Ok(()),
        }
    }

    /// Builds the lists.
    fn build_again(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        // Particles that others have distributed stay where they are.
        let built = self.built.take();
        let moves_all = built.as_ref().is_some_and(|built| built.placed.has(sets));
        self.begun = None;
        let before = self.of_rank.rebuilds();
        self.of_rank.rebuild();
        let before = match &built {
            Some(built) => built.placed.renumbered(before, self.built_on_rank),
            None => before,
        };
        let name = || format!("lists of {:?} particles", sets.lengths());
        let operation = Operation { name: &name, values: &[self.pairs] };
        let before = self.job.agreement.on(&operation, before)?;
        self.rebuilds += before - self.built_on_rank;
        self.built_on_rank = before;
        let placed = match self.origin {
            Origin::Found(skin) => self.find(sets, &cutoffs, (skin, moves_all)),
            Origin::Given(_) => self.follow(sets, &cutoffs),
        };
        let built = placed.and_then(|placed| {
            let built = self.build(&placed, sets, cutoffs.clone());
            self.job.agreement.on(&operation, built)?;
            Ok(Built { placed, cutoffs, is_wanted: false })
        });
        self.built = Some(built.inspect_err(|_| self.of_rank.rebuild())?);
        self.built_on_rank = self.of_rank.rebuilds()?;
        (self.rebuilds, self.lasted, self.age) = (self.rebuilds + 1, self.age, 0);
        Ok(())
    }

    /// Distributes the particles, unless they are, and finds the ghosts within reach.
    fn find(
        &self,
        sets: &Sets,
        cutoffs: &[Cutoff],
        (skin, moves_all): (Skin, bool),
    ) -> Result<Placed, Error> {
        let job = self.job.clone();
        let watched = watched(cutoffs, sets)?;
        let located = self.located(sets, &watched);
        let box_lengths = located.lengths;
        let moves = |it: &Distributed| moves_all || it.placement().is_none();
        let is_moved = located.buffers.map(|it| it.is_some_and(moves));
        let [i, j] = located.place(&job, moves_all, None)?;
        let [rows_i, rows_j] = [sets.i.own(&i)?, sets.j.unwrap_or(sets.i).own(&j)?];
        let name = || "the extent of particles in lists".to_owned();
        let operation = Operation { name: &name, values: &[] };
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
        let mine = TargetBox { bounds: around[0], least: 0.0 };
        let boxes = boxes(&job, &[mine])?.concat();
        let boxes: Vec<_> = boxes.iter().map(|it| it.bounds).collect();
        let all = |k: usize| match watched[k].places.len() {
            0 => Ok(Vec::new()),
            _ => hull(&job, &bounds[k]),
        };
        let [of_i, of_j] = [all(0)?, all(1)?];
        let greatest = cutoff::greatest(cutoffs, watched.each_ref(), [&of_i, &of_j])?;
        let [share, length] = skin.parts();
        // In a box that shrinks, the margin of lists counts the greatest cutoff of their rank alone.
        let is_varying = watched.iter().any(|watched| !watched.places.is_empty());
        let more = if is_varying { length / 2.0 } else { 0.0 };
        let reach = (greatest * (1.0 + share) + length + more) * MORE;
        let ghosts = Ghosts::find(&job, &j, (points_of[1], around[1]), &boxes, reach)?;
        Ok(Placed { i, ghosts, shape: sets.shape() })
    }

    /// Finds the particles that the particles of this rank have given pairs with: the last ghosts, if
    /// they are enough on all ranks, else ghosts of their own.
    fn follow(&mut self, sets: &Sets, cutoffs: &[Cutoff]) -> Result<Placed, Error> {
        if let Origin::Given(rows) = &self.origin {
            let [n, of_j] = sets.lengths();
            Error::check_length("rows", rows.len(), n)?;
            rows.check_indices(of_j)?;
        }
        let watched = watched(cutoffs, sets)?;
        let [i, j] = self.located(sets, &watched).place(&self.job, false, None)?;
        let shape = sets.shape();
        let last = sets.j.unwrap_or(sets.i).ghosts().filter(|it| it.placement.number == j.number);
        let job = self.job.clone();
        // After a failure, ranks may have different ones.
        let id = last.as_ref().map_or(0, |ghosts| ghosts.id);
        let ids = rows::gather_equal(&*job.communicator, &[id])?.concat();
        let last = last.filter(|_| ids.iter().all(|other| *other == id));
        let name = || format!("ghosts of {:?} particles with given pairs", sets.lengths());
        let operation = Operation { name: &name, values: &[] };
        if let Some(ghosts) = last {
            let placed = Placed { i: i.clone(), ghosts, shape };
            let has_all = self.set_subset(&placed);
            if job.agreement.all_say(&operation, has_all)? {
                return Ok(placed);
            }
        }
        let Origin::Given(rows) = &self.origin else { unreachable!("pairs are given") };
        let missing = job.agreement.on(&operation, missing(rows, &i, &j))?;
        Ok(Placed { i, ghosts: Ghosts::wanted(&job, &j, &missing)?, shape })
    }

    /// Tells the lists of this rank the numbers of their particles. Returns whether these have all
    /// particles of given pairs. All ranks call this together.
    pub fn set_subset(&mut self, placed: &Placed) -> Result<bool, Error> {
        let Placed { i, ghosts, shape } = placed;
        let numbers = [i.number, ghosts.number];
        if let Some((_, has_all)) = self.subset.filter(|(known, _)| *known == numbers) {
            return Ok(has_all);
        }
        let j = [&ghosts.placement.numbers, ghosts.numbers(&self.job)?];
        let set = self.of_rank.set_subset(Some(&Subset {
            i: (!shape[1]).then_some(&*i.numbers.on_device),
            j: &j.map(|numbers| &*numbers.on_device),
            own: i.own(),
            n: [i.n, ghosts.placement.n],
        }));
        self.subset = None;
        if set.is_err() {
            self.of_rank.set_subset(None)?;
        }
        let has_all = set?;
        self.subset = Some((numbers, has_all));
        Ok(has_all)
    }

    /// Sets a subset of the caller.
    pub fn replace_subset(&mut self, subset: Option<&Subset<'_>>) -> Result<bool, Error> {
        (self.built, self.begun) = (None, None);
        self.leave_subset()?;
        self.of_rank.set_subset(subset)
    }

    /// Tells the lists of this rank that their particles are all particles.
    fn unset_subset(&mut self) -> Result<(), Error> {
        if self.subset.take().is_some() {
            self.of_rank.set_subset(None)?;
        }
        Ok(())
    }

    /// Lets the lists of this rank be for all particles.
    fn leave_subset(&mut self) -> Result<(), Error> {
        if mem::take(&mut self.is_own) {
            self.of_rank.list_first(self.wanted);
            self.of_rank.rebuild();
        }
        self.unset_subset()
    }

    /// Tells the lists of this rank the numbers of the particles that they were built for. All ranks
    /// call this together.
    pub fn name_particles(&mut self) -> Result<(), Error> {
        let Some(built) = self.built.take() else { return Ok(()) };
        let done = self.set_subset(&built.placed);
        self.built = Some(built);
        done.map(|_| ())
    }

    /// Returns the particles with their positions.
    fn located<'a>(&self, sets: &Sets<'a>, watched: &'a [Watched; 2]) -> Located<'a> {
        Located {
            buffers: [Some(sets.i), sets.j.filter(|_| !sets.one_set)],
            positions: watched.each_ref().map(|it| &it.position),
            lengths: lengths(&self.of_rank.domain(), watched[0].position.places().len()),
            across: Across::Last,
        }
    }

    /// Builds the lists of this rank.
    fn build(&mut self, placed: &Placed, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
        let [i, j] = placed.rows(sets)?;
        self.is_own = true;
        self.of_rank.list_first(placed.shape[1].then(|| placed.i.own()));
        if self.is_given() || self.has_excluded {
            let has_all = self.set_subset(placed)?;
            assert!(has_all, "each given pair has its ghosts");
        } else {
            self.unset_subset()?;
        }
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
        self.has_excluded = !pairs.is_empty();
        self.pairs = hash(&self.origin, pairs);
        self.of_rank.exclude(pairs);
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
            self.leave_subset()?;
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
        at: LookedAt,
    ) -> Result<bool, Error> {
        let Some(built) = self.built.take() else {
            self.leave_subset()?;
            return self.of_rank.look(&*all(i)?, j.with(&*all(j.particles())?), cutoffs, at);
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

/// Returns a hash of given and excluded pairs.
fn hash(origin: &Origin, excluded: &[[u32; 2]]) -> u64 {
    let mut hash = Xxh3::new();
    if let Origin::Given(Csr { offsets, indices }) = origin {
        hash.update(bytemuck::cast_slice(offsets));
        hash.update(bytemuck::cast_slice(indices));
    }
    hash.update(bytemuck::cast_slice(excluded));
    hash.digest()
}
