//! The build of lists: particles move to their ranks, and ghosts are found.

use nbody_core::lists::cutoff::{self, Cutoff, Watched};
use nbody_core::order::lengths;
use nbody_core::untyped::{Across, Origin, TargetBox};
use nbody_core::{Error, Skin};

use super::{Built, Lists};
use crate::agreement::Operation;
use crate::distributed::buffer::Distributed;
use crate::distributed::ghosts::Ghosts;
use crate::distributed::given::missing;
use crate::distributed::placing::{Located, box_around, boxes, hull, points};
use crate::distributed::rows;
use crate::distributed::sets::{Placed, Sets, bounds, watched};

/// The factor by which ghosts reach beyond cutoff and skin, for rounding errors.
const MORE: f64 = 1.0 + 1e-6;

impl Lists {
    /// Builds the lists.
    pub(super) fn build_again(&mut self, sets: &Sets, cutoffs: Vec<Cutoff>) -> Result<(), Error> {
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
        let mine = TargetBox { bounds: around[0], least: f64::INFINITY };
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
}
