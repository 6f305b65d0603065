//! Interactions by trees on the CPU.

mod build;

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use super::engine::{CpuEngine, Particles, check_precision};
use super::schedule::Walks;
use super::{CpuParticles, CpuResults};
use crate::numeric::simd::SimdLevel;
use crate::tree::{GROUP, harmonic};
use crate::{
    Charges, Engine, Error, Interaction, Opening, Options, Record, Scalar, Sources, Store,
    TreeReport, pack,
};

use build::{Builder, Built, Placed};

/// Sums an interaction over all pairs by a tree, on the CPU: cells of j-particles act from afar through a
/// few far particles each. The interaction must be a sum over [charges](crate::Law::charges).
///
/// The order of summation is that of the tree: it depends on the positions of the particles, and neither on the
/// number of threads nor on timing. In a periodic box every pair has its nearest image: cells with
/// several are opened.
///
/// ```
/// # use nbody_core::{CpuTree, Error, Opening};
/// # fn f<B: nbody_core::Record<Lane = f64, Host = B, With<f64> = B>, X: nbody_core::Interaction<I = B, J = B>>(gravity: X, bodies: &[B]) -> Result<(), Error> {
/// use nbody_core::Engine as _;
/// let mut tree = CpuTree::new(gravity, Opening::theta(0.6))?;
/// let fields = tree.evaluate_self::<f64>(bodies)?;
/// println!("{}", tree.report());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct CpuTree<X> {
    interaction: X,
    engine: CpuEngine,
    opening: Opening,
    charges: Charges,
    /// The distance from which on the kernel is harmonic.
    harmonic: f64,
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
        opening.check()?;
        let law = X::LAW.name;
        let charges = X::LAW.charges.map_err(|reason| Error::NoTree { law, reason })?;
        let engine = CpuEngine::new(X::LAW, options, level)?;
        let harmonic = harmonic::distance(&interaction, charges);
        let report = TreeReport::default();
        Ok(Self { interaction, engine, opening, charges, harmonic, report })
    }

    /// The interaction, with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Changes the parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        self.harmonic = harmonic::distance(&interaction, self.charges);
        self.interaction = interaction;
    }

    /// The criterion by which cells are opened.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// Changes the criterion by which cells are opened.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        opening.check()?;
        self.opening = opening;
        Ok(())
    }

    /// The distance from which on the interaction is harmonic, so that the trace of second moments has no effect, and
    /// three far particles do for six; infinite if it is nowhere, and for several charges.
    pub fn harmonic_distance(&self) -> f64 {
        self.harmonic
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.engine.options
    }

    /// The size of the tree of the last evaluation, its work and its times.
    pub fn report(&self) -> &TreeReport {
        &self.report
    }

    /// Refuses buffers that do not match each other or this engine.
    fn check(&self, i: &Particles, j: Sources<'_, Particles>, results: usize) -> Result<(), Error> {
        j.check([i.len(), j.particles().len(), results])?;
        for (what, particles) in [("i-particles", i), ("j-particles", j.particles())] {
            check_precision(what, particles.precision, self.engine.options.precision)?;
        }
        Ok(())
    }
}

/// Returns whether each group has one of the first particles.
fn groups_of_first(indices: &[u32], n: usize) -> Option<Vec<bool>> {
    let has_one = |group: &[u32]| group.iter().any(|&index| (index as usize) < n);
    (n < indices.len()).then(|| indices.chunks(GROUP).map(has_one).collect())
}

/// Returns the place in order of each of the first particles.
fn places(indices: &[u32], n: usize) -> Vec<u32> {
    let mut places = vec![0; n];
    for (place, &index) in indices.iter().enumerate() {
        if let Some(of_index) = places.get_mut(index as usize) {
            *of_index = place as u32;
        }
    }
    places
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
        let (results, one_set) = (out.len(), j.is_one_set());
        self.check(i, j, results)?;
        let domain = self.engine.options.domain;
        let builder = Builder {
            law: X::LAW,
            charges: self.charges,
            opening: self.opening,
            harmonic: self.harmonic,
            domain,
        };
        let start = Instant::now();
        let of_j = Placed::new("j-particles", j.particles(), X::LAW.j, &domain)?;
        let of_i = Placed::new("i-particles", i, X::LAW.i, &domain)?;
        let frame = of_j.frame(&domain);
        let keys = of_j.sorted(&frame);
        let indices: Vec<u32> = keys.iter().map(|&(_, index)| index).collect();
        let i_indices = if one_set {
            indices.clone()
        } else {
            of_i.sorted(&frame).iter().map(|&(_, index)| index).collect()
        };
        let ordered = Instant::now();
        let Built { tree, packed } =
            builder.build(j.particles(), &of_j, (&keys, &indices), &frame)?;
        let targets = i.gather(&i_indices)?;
        let built = Instant::now();
        let walks = Walks {
            tree: &tree,
            positions: &of_i.in_order(&i_indices),
            one_set,
            wanted: groups_of_first(&i_indices, results),
            tested: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
        };
        let parameters = std::slice::from_ref(&self.interaction);
        let sets = [&targets.packed, &packed];
        let places = places(&i_indices, results);
        self.engine.run_tree((&parameters, sets), &walks, &places, &mut out.results, store)?;
        self.report = TreeReport {
            targets: results,
            sources: indices.len(),
            cells: tree.cells.len(),
            far_particles: tree.far.positions.len(),
            groups: i_indices.len().div_ceil(GROUP),
            tested: walks.tested.into_inner(),
            evaluations: walks.evaluations.into_inner(),
            bytes: tree.bytes(),
            order: ordered - start,
            build: built - ordered,
            walk: built.elapsed(),
        };
        Ok(())
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
        fields: &CpuResults<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        let columns = &fields.results.columns;
        let write = |records: Range<usize>, rows: &mut [u64]| columns.rows(records, rows);
        Ok(pack::unpack(fields.len(), &write))
    }
}
