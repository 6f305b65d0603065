//! Interactions by trees on the CPU.

mod build;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use super::columns::Columns;
use super::engine::{CpuEngine, Particles};
use super::evaluation::Packed;
use super::schedule::Walks;
use super::{CpuParticles, CpuResults};
use crate::numeric::simd::SimdLevel;
use crate::tree::GROUP;
use crate::tree::kernel::first_field;
use crate::tree::law::TreeLaw;
use crate::{
    Engine, Error, Field, Interaction, Opening, Options, Record, Scalar, Sources, Store,
    TreeReport, TreeTimes, pack,
};

use build::{Builder, Built, Placed};

/// Sums an interaction over all pairs by a tree, on the CPU: cells of j-particles act from afar through a
/// few far particles each. The interaction must be a sum over [charges](crate::Law::charges).
///
/// The order of summation is that of the tree: it depends on the positions of the particles, and neither on the
/// number of threads nor on timing. Of a [`SummationOrder`](crate::SummationOrder) it takes the bag and not the
/// splits. In a periodic box every pair has its nearest image: cells with several are opened.
///
/// ```
/// # use nbody_core::{CpuTree, Error, Opening};
/// # fn f<B: nbody_core::Record<Lane = f64, Host = B, With<f64> = B>, X: nbody_core::Interaction<I = B, J = B>>(gravity: X, bodies: &[B]) -> Result<(), Error> {
/// use nbody_core::Engine as _;
/// let mut tree = CpuTree::new(gravity, Opening::theta(0.6))?;
/// let results = tree.evaluate_self::<f64>(bodies)?;
/// println!("{}", tree.report());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct CpuTree<X> {
    law: TreeLaw<X>,
    engine: CpuEngine,
    /// The lengths of the first field of the last results, in the order of the caller.
    lengths: Option<Vec<f64>>,
    /// Those that the last evaluation compared estimates of errors with.
    compared: Option<Vec<f64>>,
    report: TreeReport,
}

impl<X: Interaction> CpuTree<X> {
    /// Makes an engine with the default [`Options`].
    pub fn new(interaction: X, opening: Opening) -> Result<Self, Error> {
        Self::with_options(interaction, opening, Options::default())
    }

    /// Makes an engine with these options.
    pub fn with_options(interaction: X, opening: Opening, options: Options) -> Result<Self, Error> {
        Self::with_level(interaction, opening, options, SimdLevel::best())
    }

    /// Makes an engine with these options and this level of vector instructions.
    pub fn with_level(
        interaction: X,
        opening: Opening,
        options: Options,
        level: SimdLevel,
    ) -> Result<Self, Error> {
        let law = TreeLaw::new(interaction, opening)?;
        let engine = CpuEngine::new(X::LAW, options, level)?;
        let (lengths, compared, report) = Default::default();
        Ok(Self { law, engine, lengths, compared, report })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        self.law.interaction()
    }

    /// Changes the parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        self.law.set_interaction(interaction);
        (self.lengths, self.compared) = (None, None);
    }

    /// The criterion by which cells are opened.
    pub fn opening(&self) -> Opening {
        self.law.opening()
    }

    /// Changes the criterion by which cells are opened.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        self.law.set_opening(opening)?;
        (self.lengths, self.compared) = (None, None);
        Ok(())
    }

    /// The distance from which on the interaction is harmonic, so that the trace of second moments has no effect, and
    /// three far particles do for six; infinite if it is nowhere, for several charges, and where results depend on
    /// fields of i other than its position.
    pub fn harmonic_distance(&self) -> f64 {
        self.law.harmonic_distance()
    }

    /// The lengths of results, in the order of the caller, that the last evaluation compared estimates of errors
    /// with; `None` unless cells are opened by [`Opening::relative`]. The evaluation is the same again after
    /// [`compare_with`](Self::compare_with).
    pub fn compared(&self) -> Option<&[f64]> {
        self.compared.as_deref()
    }

    /// Has the next evaluation compare estimates of errors with results of these lengths.
    pub fn compare_with(&mut self, lengths: &[f64]) {
        self.lengths = Some(lengths.to_vec());
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.engine.options
    }

    /// The size of the tree of the last evaluation, its work and its times.
    pub fn report(&self) -> &TreeReport {
        &self.report
    }
}

/// The i-particles in order.
struct Targets {
    packed: Packed,
    positions: Vec<[f64; 3]>,
    /// The index of each among those of the caller.
    indices: Vec<u32>,
    /// The number of the first ones whose results are wanted.
    wanted: usize,
    one_set: bool,
}

impl Targets {
    /// Returns whether the results of each group are wanted, if not all are.
    fn wanted_groups(&self) -> Option<Vec<bool>> {
        let has_one = |group: &[u32]| group.iter().any(|&index| (index as usize) < self.wanted);
        let groups = self.indices.chunks(GROUP);
        (self.wanted < self.indices.len()).then(|| groups.map(has_one).collect())
    }

    /// Returns the place in order of each particle whose result is wanted.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.wanted];
        for (place, &index) in self.indices.iter().enumerate() {
            if let Some(of_index) = places.get_mut(index as usize) {
                *of_index = place as u32;
            }
        }
        places
    }

    /// Returns the binary logarithm of this share of the least result in each group.
    fn most(&self, share: f64, lengths: &[f64]) -> Vec<f32> {
        let least = |group: &[u32]| {
            let lengths = group.iter().filter_map(|&index| lengths.get(index as usize));
            // NaN stays: such a group opens every cell.
            let stays = |least: f64, x: f64| least.is_nan() || x >= least;
            let least =
                lengths.fold(f64::INFINITY, |least, &x| if stays(least, x) { least } else { x });
            (share * least).log2() as f32
        };
        self.indices.chunks(GROUP).map(least).collect()
    }

    /// Returns the length of the first field of each result, given the sums in order.
    fn lengths(&self, sums: &Columns<u64>, fields: &[Field]) -> Vec<f64> {
        let dim = pack::dim(fields);
        let (mut row, mut lengths) = (vec![0; dim], vec![0.0; self.wanted]);
        for (place, &index) in self.indices.iter().enumerate() {
            if let Some(length) = lengths.get_mut(index as usize) {
                sums.rows(place..place + 1, &mut row);
                *length = first_field(fields, row.iter().map(|&word| f64::from_bits(word)));
            }
        }
        lengths
    }
}

impl<X: Interaction> CpuTree<X> {
    /// Builds the tree, and orders the i-particles.
    fn build(
        &mut self,
        i: &Particles,
        j: Sources<'_, Particles>,
        wanted: usize,
    ) -> Result<(Built, Targets), Error> {
        let (start, domain, one_set) = (Instant::now(), self.engine.options.domain, j.is_one_set());
        let of_j = Placed::new("j-particles", j.particles(), X::LAW.j, &domain)?;
        let is_same = std::ptr::eq(i, j.particles());
        let of_i = (!is_same).then(|| Placed::new("i-particles", i, X::LAW.i, &domain));
        let of_i = of_i.transpose()?;
        let of_i = of_i.as_ref().unwrap_or(&of_j);
        if one_set && !is_same {
            of_i.check_same(&of_j)?;
        }
        let frame = of_j.frame(&domain);
        let keys = of_j.sorted(&frame);
        let sources: Vec<u32> = keys.iter().map(|&(_, index)| index).collect();
        // Particles of one set are at the same positions.
        let has_one_order = one_set || is_same;
        let indices = if has_one_order {
            sources.clone()
        } else {
            of_i.sorted(&frame).iter().map(|&(_, index)| index).collect()
        };
        let ordered = Instant::now();
        let builder = Builder {
            law: X::LAW,
            charges: self.law.charges(),
            opening: self.law.opening(),
            harmonic: self.law.harmonic_distance(),
            domain,
        };
        let table = &mut |is_of_one_sign| self.law.table(frame.scale, is_of_one_sign);
        let mut built = builder.build(j.particles(), &of_j, (&keys, &sources), &frame, table)?;
        let positions = if has_one_order {
            std::mem::take(&mut built.positions)
        } else {
            of_i.in_order(&indices)
        };
        let packed =
            if is_same { built.packed.first(indices.len())? } else { i.gather(&indices)?.packed };
        self.report = TreeReport {
            targets: wanted,
            sources: sources.len(),
            cells: built.tree.cells.len(),
            far_particles: built.tree.far.positions.len(),
            groups: indices.len().div_ceil(GROUP),
            bytes: built.tree.bytes(),
            expansion: self.law.opening().far_particles(),
            error_order: self.law.error_order(built.is_of_one_sign),
            times: Some(TreeTimes::new(ordered - start, ordered.elapsed(), Duration::ZERO)),
            ..TreeReport::default()
        };
        Ok((built, Targets { packed, positions, indices, wanted, one_set }))
    }

    /// Sums the walks of all groups, with the greatest errors of these.
    fn sum_walks(
        &mut self,
        built: &Built,
        targets: &Targets,
        most: Option<&[f32]>,
    ) -> Result<Columns<u64>, Error> {
        let walks = Walks {
            tree: &built.tree,
            positions: &targets.positions,
            one_set: targets.one_set,
            wanted: targets.wanted_groups(),
            most,
            tested: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
        };
        let parameters = std::slice::from_ref(self.law.interaction());
        let sets = [&targets.packed, &built.packed];
        let sums = self.engine.sum_walks((&parameters, sets), &walks)?;
        self.report.tested = walks.tested.into_inner();
        self.report.evaluations = walks.evaluations.into_inner();
        Ok(sums)
    }
}

impl<X: Interaction> Engine<X> for CpuTree<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = CpuParticles<P>;
    type Results = CpuResults<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<CpuParticles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        Ok(CpuParticles { particles: self.engine.upload(&particles)?, record: PhantomData })
    }

    fn results(&self, n: usize) -> Result<CpuResults<X::F>, Error> {
        Ok(CpuResults { results: self.engine.results(n)?, record: PhantomData })
    }

    fn evaluate_with(
        &mut self,
        i: &CpuParticles<X::I>,
        j: Sources<'_, CpuParticles<X::J>>,
        out: &mut CpuResults<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let (i, j) = (&i.particles, j.with(&j.particles().particles));
        self.engine.check(i, j, &out.results)?;
        let (built, targets) = self.build(i, j, out.len())?;
        let start = Instant::now();
        let sums = match self.law.opening().share() {
            None => self.sum_walks(&built, &targets, None)?,
            Some(share) => {
                let before = self.lengths.take().filter(|lengths| lengths.len() == targets.wanted);
                let before = match before {
                    Some(lengths) => lengths,
                    None => targets.lengths(&self.sum_walks(&built, &targets, None)?, X::LAW.f),
                };
                let sums = self.sum_walks(&built, &targets, Some(&targets.most(share, &before)))?;
                // Nothing is compared with results without sources.
                let has_sources = !built.tree.cells.is_empty();
                self.lengths = has_sources.then(|| targets.lengths(&sums, X::LAW.f));
                self.compared = has_sources.then_some(before);
                sums
            }
        };
        if let Some(times) = &mut self.report.times {
            times.walk = start.elapsed();
        }
        self.engine.arrange(&sums, &targets.places(), &mut out.results, store)
    }

    fn time(
        &mut self,
        i: &CpuParticles<X::I>,
        j: Sources<'_, CpuParticles<X::J>>,
        out: &mut CpuResults<X::F>,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.evaluate_with(i, j, out, Store::Replace)?;
        Ok(start.elapsed())
    }

    fn download<S: Scalar>(
        &self,
        out: &CpuResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let columns = &out.results.columns;
        let write = |records: Range<usize>, rows: &mut [u64]| columns.rows(records, rows);
        Ok(pack::unpack(out.len(), &write))
    }
}
