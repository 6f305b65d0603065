//! Interactions over neighbour lists on the CPU.

use std::sync::{Arc, Mutex, PoisonError};

use super::columns::Columns;
use super::engine::{CpuEngine, check_precision};
use super::kept::Kept;
use super::neighbours::{CpuNeighbours, Followed, HasCutoff, Sets};
use super::{CpuParticles, CpuResults};
use crate::law::binding::Binding;
use crate::near::cutoff::Cutoff;
use crate::numeric::simd::SimdLevel;
use crate::pack::Rows;
use crate::{
    Domain, Error, Interaction, Math, Options, Record, Scalar, Skin, Sources, Store, pack,
};

/// Sums an interaction over neighbour lists, on the CPU: one that has a cutoff, or any one over pairs that
/// are given.
///
/// The order of summation is that of the lists: it depends on the positions of the particles when the
/// lists were built, and neither on the number of threads nor on timing.
#[derive(Clone, Debug)]
pub struct CpuShortRange<X> {
    interaction: X,
    engine: CpuEngine,
    excluded: Arc<Excluded>,
    /// The results of the last evaluation, in the order of the lists.
    sums: Kept<Columns<u64>>,
}

/// The pairs that an interaction leaves out.
#[derive(Debug, Default)]
struct Excluded {
    pairs: Vec<[u32; 2]>,
    /// The number of some lists, and the i-particles of its group that each of their entries acts on.
    masks: Mutex<Option<(u64, Arc<Vec<u32>>)>>,
}

impl Excluded {
    /// Returns the i-particles of its group that each entry acts on, if some pairs are left out.
    fn masks(&self, followed: &Followed) -> Result<Option<Arc<Vec<u32>>>, Error> {
        if self.pairs.is_empty() {
            return Ok(None);
        }
        // The lock is not held while masks are found: this thread may begin another evaluation meanwhile.
        let lock = || self.masks.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().as_ref().filter(|(number, _)| *number == followed.number()).cloned();
        if let Some((_, masks)) = kept {
            return Ok(Some(masks));
        }
        let masks = Arc::new(followed.masks_without(&self.pairs)?);
        *lock() = Some((followed.number(), masks.clone()));
        Ok(Some(masks))
    }
}

impl<X: Interaction> CpuShortRange<X> {
    /// Makes an engine with the default [`Options`].
    pub fn new(interaction: X) -> Result<Self, Error> {
        Self::with_options(interaction, Options::default())
    }

    /// Makes an engine with these options, of which the space must be open: the lists have theirs.
    pub fn with_options(interaction: X, options: Options) -> Result<Self, Error> {
        Self::with_level(interaction, options, SimdLevel::best())
    }

    /// Makes an engine with these options and this level of vector instructions.
    pub fn with_level(interaction: X, options: Options, level: SimdLevel) -> Result<Self, Error> {
        if options.domain != Domain::Open {
            return Err(Error::DomainOfLists);
        }
        let engine = CpuEngine::new(X::LAW, options, level)?;
        Ok(Self { interaction, engine, excluded: Arc::default(), sums: Kept::default() })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Changes the parameters. Lists that are updated for other parameters of the cutoff are built
    /// again by the next update.
    pub fn set_interaction(&mut self, interaction: X) {
        self.interaction = interaction;
    }

    /// Leaves out these pairs of this interaction alone, such as bonded atoms, instead of those that were
    /// left out before, and beside those that the lists leave out. The indices are those of two particles
    /// of one set, or of an i-particle and a j-particle; evaluations refuse indices beyond the particles.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.excluded = Arc::new(Excluded { pairs: pairs.to_vec(), masks: Mutex::default() });
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.engine.options
    }

    /// Allocates the results of `n` i-particles, with the values of no pair.
    pub fn results(&self, n: usize) -> Result<CpuResults<X::F>, Error> {
        Ok(CpuResults { results: self.engine.results(n)?, record: std::marker::PhantomData })
    }

    /// Evaluates the pairs of one set within the cutoff, and replaces the results, which are in the order
    /// of the particles. These have the fields of the interaction, by name and type.
    pub fn evaluate_into<P: Record>(
        &self,
        near: &CpuNeighbours,
        particles: &CpuParticles<P>,
        out: &mut CpuResults<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(near, particles, Sources::Same(particles), out, Store::Replace)
    }

    /// Evaluates as [`evaluate_into`](Self::evaluate_into) does, and adds to the results.
    pub fn add_into<P: Record>(
        &self,
        near: &CpuNeighbours,
        particles: &CpuParticles<P>,
        out: &mut CpuResults<X::F>,
    ) -> Result<(), Error> {
        self.evaluate_with(near, particles, Sources::Same(particles), out, Store::Add)
    }

    /// Evaluates the pairs of i-particles and j-particles within the cutoff, and stores the sums for the
    /// i-particles. The other evaluations call this one.
    pub fn evaluate_with<P: Record, Q: Record>(
        &self,
        near: &CpuNeighbours,
        i: &CpuParticles<P>,
        j: Sources<'_, CpuParticles<Q>>,
        out: &mut CpuResults<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        self.evaluate_sets(near, &Sets::new(i, j), out, store)
    }

    /// Returns the results of every particle of one set in this space, by lists that are built for this
    /// evaluation alone.
    pub fn evaluate<S: Scalar>(
        &self,
        domain: Domain,
        particles: &[<X::I as Record>::With<S>],
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error>
    where
        X: Interaction<J = <X as Interaction>::I>,
    {
        let precision = self.engine.options.precision;
        let mut near = CpuNeighbours::with_precision(domain, Skin::Length(0.0), precision)?;
        let particles = near.upload(particles)?;
        near.update(&particles, &[self])?;
        let mut out = self.results(particles.len())?;
        self.evaluate_into(&near, &particles, &mut out)?;
        self.download::<S>(&out)
    }

    /// Returns the results.
    pub fn download<S: Scalar>(
        &self,
        fields: &CpuResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let columns = &fields.results.columns;
        Ok(pack::unpack(fields.len(), &|records, rows| columns.rows(records, rows)))
    }

    fn evaluate_sets(
        &self,
        near: &CpuNeighbours,
        sets: &Sets,
        out: &mut CpuResults<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let mut laps = near.timer.start();
        let (engine, law) = (&self.engine, X::LAW);
        let (i, of_i) = sets.i;
        let (j, of_j) = sets.j.unwrap_or(sets.i);
        check_precision("particles", i.precision, engine.options.precision)?;
        check_precision("j-particles", j.precision, engine.options.precision)?;
        Error::check_length("results", out.len(), i.len())?;
        let followed = near.lists_for(&self.cutoff(), sets)?;
        let [i_order, j_order] = followed.orders();
        // Lists have the image of the first point of each particle. Where there are others, all of them are
        // where the caller has them, and each difference finds its nearest image.
        let is_relative = !law.has_other_points();
        let domain = if is_relative { Domain::Open } else { near.domain() };
        let i = i.bound(&Binding::new(law.name, law.i, of_i)?, is_relative, i_order)?;
        let j = j.bound(&Binding::new(law.name, law.j, of_j)?, is_relative, j_order)?;
        let parameters = std::slice::from_ref(&self.interaction);
        let masks = self.excluded.masks(&followed)?;
        let masks = masks.as_deref().map(Vec::as_slice);
        let Options { math, order, .. } = engine.options;
        let is_interleaved = math == Math::Exact || order.is_some();
        let listing = followed.listing(masks, is_interleaved, is_relative);
        laps.end(|times| &mut times.pack);
        let mut sums = self.sums.take();
        let inputs = (&parameters as &dyn Rows, [&i, &j], sets.one_set);
        engine.run_lists(inputs, (&listing, domain), &mut sums, &mut out.results, store)?;
        if let Some(sums) = sums {
            self.sums.put(sums);
        }
        followed.end();
        laps.end(|times| &mut times.force);
        laps.times.evaluations = 1;
        near.timer.add(&laps.times);
        Ok(())
    }
}

impl<X: Interaction> HasCutoff for CpuShortRange<X> {
    fn cutoff(&self) -> Cutoff {
        Cutoff::of(&self.interaction)
    }
}
