//! Interactions by trees on the CPU.

mod build;

use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::results;
use crate::memory::buffers::{Particles, Results};
use crate::memory::columns::Columns;
use crate::memory::packed::Packed;
use crate::numeric::simd::level::SimdLevel;
use crate::options::Options;
use crate::order::GROUP;
use crate::pairs::cpu::{CpuEngine, pairs};
use crate::pairs::engine::Engine;
use crate::pairs::sources::{Sources, Store};
use crate::parallel;
use crate::ranks::dealt::Dealt;
use crate::ranks::exchange::{Part, Team};
use crate::ranks::parts::HostLists;
use crate::records::pack;
use crate::records::rows::OwnedRows;
use crate::state::EngineState;
use crate::trees::engine::{
    ERROR_OF_PARTS, LENGTHS, PartLengths, Tree, TreePart, check_given, restore_tree,
};
use crate::trees::essential::Essential;
use crate::trees::kernel::first_field;
use crate::trees::law::TreeLaw;
use crate::trees::opening::Opening;
use crate::trees::report::{TreeReport, TreeTimes};
use crate::trees::schedule::Walks;

use crate::trees::cpu::build::{Builder, BuiltTree, PlacedTargets};

/// Sums a law over all pairs by a tree, on the CPU.
#[derive(Clone, Debug)]
pub(crate) struct CpuTree {
    law: TreeLaw,
    engine: CpuEngine,
    /// The lengths of the first field of the last results, in the order of the caller.
    lengths: Option<Vec<f64>>,
    /// The lengths that the caller has given for the next evaluation.
    given: Option<Vec<f64>>,
    /// The lengths with which the last evaluation compared its error estimates.
    compared: Option<Vec<f64>>,
    report: TreeReport,
    /// The sources of the last evaluation for other ranks.
    sources: Option<Particles>,
}

/// The i-particles in order.
struct TreeTargets {
    packed: Packed,
    positions: Vec<[f64; 3]>,
    /// The index of each i-particle in the order of the caller.
    indices: Vec<u32>,
    /// The number of first particles whose results are wanted.
    wanted: usize,
    one_set: bool,
    /// The rows of sums.
    dealt: Dealt,
}

impl TreeTargets {
    /// Returns whether the results of each group are wanted; `None` if all are.
    fn wanted_groups(&self) -> Option<Vec<bool>> {
        let has_one = |group: &[u32]| group.iter().any(|&index| (index as usize) < self.wanted);
        let groups = self.indices.chunks(GROUP);
        (self.wanted < self.indices.len()).then(|| groups.map(has_one).collect())
    }

    /// Returns the row of the sums of each particle whose result is wanted.
    fn rows(&self) -> Vec<u32> {
        let mut rows = vec![0; self.wanted];
        for (place, &index) in self.indices.iter().enumerate() {
            if let Some(of_index) = rows.get_mut(index as usize) {
                *of_index = self.dealt.row(place) as u32;
            }
        }
        rows
    }

    /// Returns for each group the binary logarithm of this share of its smallest result.
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

    /// Returns the length of the first field of each result, given the sums.
    fn lengths(&self, sums: &Columns<u64>, fields: &[Field]) -> Vec<f64> {
        let dim = pack::dim(fields);
        let (mut row, mut lengths) = (vec![0; dim], vec![0.0; self.wanted]);
        for (place, &index) in self.indices.iter().enumerate() {
            if let Some(length) = lengths.get_mut(index as usize) {
                let of_place = self.dealt.row(place);
                sums.rows(of_place..of_place + 1, &mut row);
                *length = first_field(fields, row.iter().map(|&word| f64::from_bits(word)));
            }
        }
        lengths
    }
}

impl CpuTree {
    /// Creates an engine with these options and this level of vector instructions.
    pub fn new(
        law: TreeLaw,
        parameters: &[u64],
        options: Options,
        level: SimdLevel,
    ) -> Result<Self, Error> {
        options.domain.check_tree()?;
        let engine = CpuEngine::new(law.law(), parameters, options, level)?;
        let (lengths, given, compared, report, sources) = Default::default();
        Ok(Self { law, engine, lengths, given, compared, report, sources })
    }

    /// Forgets the results that error estimates are compared with.
    fn forget_results(&mut self) {
        (self.lengths, self.given, self.compared) = (None, None, None);
    }

    /// Builds the tree, and orders the i-particles.
    fn build(
        &mut self,
        i: &Particles,
        j: Sources<'_, Particles>,
        (wanted, ranks): (usize, usize),
    ) -> Result<(BuiltTree, TreeTargets), Error> {
        let (start, domain, one_set) = (Instant::now(), self.engine.options.domain, j.is_one_set());
        let law = self.engine.law;
        let of_j = PlacedTargets::new("j-particles", j.particles(), law.j, &domain)?;
        let is_same = std::ptr::eq(i, j.particles());
        let of_i = (!is_same).then(|| PlacedTargets::new("i-particles", i, law.i, &domain));
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
            law,
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
            if is_same { built.packed.part(0..indices.len())? } else { i.gather(&indices)?.packed };
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
        let dealt = Dealt::new(indices.len(), ranks);
        Ok((built, TreeTargets { packed, positions, indices, wanted, one_set, dealt }))
    }

    /// Sums the walks of all groups, given their greatest permitted errors, as this part of an
    /// evaluation.
    fn sum_walks(
        &mut self,
        (built, targets): (&BuiltTree, &TreeTargets),
        most: Option<&[f32]>,
        part: usize,
        team: &mut Team<'_, '_>,
    ) -> Result<Columns<u64>, Error> {
        let walks = Walks {
            tree: &built.tree,
            positions: &targets.positions,
            one_set: targets.one_set,
            dealt: targets.dealt,
            rank: team.rank,
            wanted: targets.wanted_groups(),
            most,
            tested: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
        };
        let sets = [&targets.packed, &built.packed];
        let sums = self.engine.sum_walks(sets, &walks)?;
        self.report.tested = walks.tested.into_inner();
        self.report.evaluations = walks.evaluations.into_inner();
        let (precision, fields) = (self.engine.options.backup(), self.engine.law.f);
        let mut rows = Results { columns: sums, precision, fields };
        let (shares, start) = (targets.dealt.shares(), Instant::now());
        let whole = Part::whole(Ok(()), &mut rows);
        (team.exchange)(Part { number: part, is_last: part == 1, shares, ..whole })?;
        if let Some(times) = self.report.times.as_mut().filter(|_| team.size > 1) {
            times.exchange += start.elapsed();
        }
        Ok(rows.columns)
    }

    /// Builds the tree, walks it and stores the sums. Returns the tree.
    fn run(
        &mut self,
        i: &Particles,
        j: Sources<Particles>,
        (out, store): (&mut Results, Store),
        lengths: Option<PartLengths<'_>>,
        team: &mut Team<'_, '_>,
    ) -> Result<BuiltTree, Error> {
        self.engine.check(i, j, out)?;
        check_given(self.given.as_deref(), out.columns.len())?;
        lengths.as_ref().map_or(Ok(()), |lengths| lengths.check(out.columns.len()))?;
        let (built, targets) = self.build(i, j, (out.columns.len(), team.size))?;
        let (start, fields, of_all) = (Instant::now(), self.engine.law.f, (&built, &targets));
        let given = self.given.take();
        let sums = match (self.law.opening().share(), &lengths) {
            (None, _) => self.sum_walks(of_all, None, 1, team)?,
            (Some(share), Some(lengths)) => {
                (self.lengths, self.compared) = (None, None);
                let before = lengths.before.map(numbers_of).transpose()?;
                let most = before.map(|before| targets.most(ERROR_OF_PARTS * share, &before));
                self.sum_walks(of_all, most.as_deref(), 1, team)?
            }
            (Some(share), None) => {
                let before = self.lengths.take().filter(|lengths| lengths.len() == targets.wanted);
                let before = match given.or(before) {
                    Some(lengths) => lengths,
                    None => targets.lengths(&self.sum_walks(of_all, None, 0, team)?, fields),
                };
                let most = targets.most(share, &before);
                let sums = self.sum_walks(of_all, Some(&most), 1, team)?;
                // Nothing is compared with results without sources, and nothing without results.
                let has_pairs = !built.tree.cells.is_empty() && targets.wanted > 0;
                self.lengths = has_pairs.then(|| targets.lengths(&sums, fields));
                self.compared = has_pairs.then_some(before);
                sums
            }
        };
        if let Some(times) = &mut self.report.times {
            times.walk = start.elapsed().saturating_sub(times.exchange);
        }
        self.engine.arrange(&sums, &targets.rows(), out, store)?;
        if let Some(PartLengths { after, .. }) = lengths {
            after.replace(&OwnedRows::new(LENGTHS, lengths_of(out)?)?)?;
        }
        Ok(built)
    }
}

impl Engine for CpuTree {
    fn law(&self) -> &'static Law {
        self.engine.law
    }

    fn options(&self) -> Options {
        self.engine.options
    }

    fn parameters(&self) -> &[u64] {
        self.engine.parameters.row()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        // The law refuses no row that the engine takes.
        self.engine.set_parameters(parameters)?;
        self.law.set_parameters(parameters)?;
        self.forget_results();
        Ok(())
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check_tree()?;
        self.engine.set_domain(domain)
    }

    fn evaluated_pairs(&self) -> Result<Option<u64>, Error> {
        Ok(Some(self.report.evaluations))
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        Ok(Box::new(self.engine.results(n)?))
    }

    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        let [i, of_j] = pairs(self.engine.law, i, j)?;
        let out = results(out, self.engine.law.f)?;
        Team::alone(|team| self.run(i, j.with(of_j), (out, store), None, team).map(|_| ()))
    }

    fn evaluate_shared(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        team: &mut Team<'_, '_>,
    ) -> Result<(), Error> {
        if team.size == 1 {
            let done = self.evaluate(i, j, out, store);
            return (team.exchange)(Part::whole(done, out));
        }
        team.share_out(out, |out, team| {
            let [i, of_j] = pairs(self.engine.law, i, j)?;
            let out = results(out, self.engine.law.f)?;
            self.run(i, j.with(of_j), (out, store), None, team).map(|_| ())
        })
    }

    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        self.evaluate(i, j, out, Store::Replace)?;
        Ok(start.elapsed())
    }

    fn is_stateless(&self) -> bool {
        self.law.opening().share().is_none()
    }

    fn state(&self) -> Result<EngineState, Error> {
        // Lengths that are not yet compared with are the state that was restored.
        let lengths = self.given.clone().or_else(|| self.compared.clone());
        Ok(lengths.map(EngineState::Results).unwrap_or_default())
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        restore_tree(self, state)
    }
}

impl Tree for CpuTree {
    fn opening(&self) -> Opening {
        self.law.opening()
    }

    fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        self.law.set_opening(opening)?;
        self.forget_results();
        Ok(())
    }

    fn harmonic_distance(&self) -> f64 {
        self.law.harmonic_distance()
    }

    fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        Ok(self.compared.clone())
    }

    fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error> {
        if lengths.is_empty() {
            self.forget_results();
        } else {
            self.given = Some(lengths.to_vec());
        }
        Ok(())
    }

    fn evaluate_part(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        (out, store): (&mut dyn Buffer, Store),
        TreePart { boxes, lengths }: TreePart<'_>,
    ) -> Result<Essential<'_>, Error> {
        let [i, of_j] = pairs(self.engine.law, i, j)?;
        let out = results(out, self.engine.law.f)?;
        let built = Team::alone(|team| self.run(i, j.with(of_j), (out, store), lengths, team))?;
        let share = self.law.opening().share();
        let list = |rank: usize| built.tree.essential(&boxes[rank], share);
        let lists = HostLists::boxed(parallel::map(boxes.len(), 0, &list));
        let (precision, fields) = (of_j.precision, self.engine.law.j);
        let packed = if boxes.is_empty() { built.packed.part(0..0)? } else { built.packed };
        let sources = self.sources.insert(Particles { packed, precision, fields });
        Ok(Essential { sources, lists })
    }

    fn set_timed(&mut self, _: bool) {}

    fn report(&self) -> Result<TreeReport, Error> {
        Ok(self.report)
    }
}

/// Returns the numbers of a buffer of lengths.
fn numbers_of(lengths: &dyn Buffer) -> Result<Vec<f64>, Error> {
    let mut words = vec![0; lengths.len()];
    lengths.read(0..words.len(), &mut |write| write(0..lengths.len(), &mut words))?;
    Ok(words.into_iter().map(f64::from_bits).collect())
}

/// Returns the lengths of the first field of results, as words.
fn lengths_of(out: &Results) -> Result<Vec<u64>, Error> {
    let (n, width) = (out.columns.len(), pack::dim(out.fields));
    let mut words = vec![0; n * width];
    out.read(0..n, &mut |write| write(0..n, &mut words))?;
    let length = |row: &[u64]| first_field(out.fields, row.iter().map(|&it| f64::from_bits(it)));
    Ok(words.chunks_exact(width).map(|row| length(row).to_bits()).collect())
}

impl CpuEngine {
    /// Sums the walks of a tree for i- and j-particles in its order, with far particles behind the
    /// j-particles. The sums are in the order of their rows.
    pub fn sum_walks(&self, sets: [&Packed; 2], walks: &Walks) -> Result<Columns<u64>, Error> {
        let mut sums = Columns::filled(walks.dealt.shares().n, &pack::nothing(self.law.f))?;
        self.evaluate_by(walks, self.options.domain, sets, walks.one_set, &mut sums)?;
        Ok(sums)
    }
}
