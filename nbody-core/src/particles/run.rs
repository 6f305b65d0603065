//! Programs per particle on the CPU, without their types.

use std::ops::Range;

use crate::domain::Domain;
use crate::error::Error;
use crate::law::particle_loop::{BesideBlocks, ParticleLoop, ParticleSetting};
use crate::law::program::ParticleProgram;
use crate::memory::buffers::{Particles, Results};
use crate::memory::columns::{Columns, narrow, widen};
use crate::memory::folding::Folding;
use crate::memory::packed::Packed;
use crate::numeric::mixed::Mixed;
use crate::numeric::precision::Precision;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::parallel;
use crate::records::binding::Binding;
use crate::records::numbers::{Number, axes};
use crate::records::pack;
use crate::records::rows::OwnedRows;

/// Number of particles whose totals are merged in one tree; the totals of the trees are merged
/// likewise.
const MERGED: usize = 256;
/// Blocks of a group. A group is converted at a time, so that its numbers stay in the cache.
const BLOCKS: usize = MERGED / LINE;

/// A program with its parameters and the records that it reads besides the particle.
pub(crate) struct Run<'a> {
    pub program: &'static ParticleProgram,
    pub domain: Domain,
    /// Whether positions are wrapped into the box.
    pub wrap: bool,
    /// The program's numbers in the records of each buffer.
    pub p: Binding,
    pub q: Vec<(&'a Particles, Binding)>,
    pub others: Others,
    pub f: Vec<(&'a Results, Binding)>,
    pub g: Shared,
}

/// Copies of blocks, in memory that is used again.
#[derive(Default)]
struct Copies {
    q: Vec<Line<u64>>,
    f: Vec<Line<u64>>,
    one: Vec<Line<u64>>,
}

/// Copies the bound numbers of some blocks of several buffers: of each block, one record after another.
/// `widen` copies the numbers of one buffer, with `one` as their place among several.
fn join<'a, T>(
    buffers: &'a [(T, Binding)],
    one: &mut Vec<Line<u64>>,
    joined: &mut Vec<Line<u64>>,
    widen: impl Fn(&'a T, &'a Binding, &mut Vec<Line<u64>>),
) {
    if let [(buffer, binding)] = buffers {
        return widen(buffer, binding, joined);
    }
    let dim: usize = buffers.iter().map(|(_, binding)| binding.places().len()).sum();
    let mut at = 0;
    for (buffer, binding) in buffers {
        widen(buffer, binding, one);
        let numbers = binding.places().len().max(1);
        joined.resize(one.len() / numbers * dim, Line([0; LINE]));
        for (to, from) in joined.chunks_mut(dim.max(1)).zip(one.chunks(numbers)) {
            to[at..][..from.len()].copy_from_slice(from);
        }
        at += binding.places().len();
    }
}

/// All second particles in `f64`, for a program that reads them by an index.
#[derive(Default)]
pub(crate) struct Others {
    lines: Vec<Line<u64>>,
    n: usize,
}

impl Others {
    /// Copies the program's numbers of particles in several buffers, `n` in each.
    pub fn new(buffers: &[(&Particles, Binding)], n: usize) -> Self {
        let (mut lines, blocks) = (Vec::new(), 0..n.div_ceil(LINE));
        join(buffers, &mut Vec::new(), &mut lines, |particles, binding, to| {
            particles.widen(binding, blocks.clone(), to);
        });
        Self { lines, n }
    }
}

/// The records that all particles read, the totals of measures.
pub(crate) struct Shared {
    /// The program's numbers in `f64`, in the first element of each line.
    lines: Vec<Line<u64>>,
    /// Whether a number is NaN. Comparisons would drop it: it spoils all that the program writes.
    is_nan: bool,
}

impl Shared {
    /// Reads totals in buffers of one record.
    pub fn new(totals: &[(&Results, Binding)]) -> Result<Self, Error> {
        for (total, _) in totals {
            Error::check_one_total("totals", total.columns.len())?;
        }
        let mut lines = Vec::new();
        join(totals, &mut Vec::new(), &mut lines, |total, binding, to| {
            total.columns.widen::<f64>(&binding.in_results(), 0..1, to);
        });
        let places = totals.iter().flat_map(|(_, binding)| binding.places());
        let is_nan = lines.iter().zip(places).any(|(line, place)| {
            place.number != Number::Index && f64::from_bits(line.0[0]).is_nan()
        });
        Ok(Self { lines, is_nan })
    }
}

impl Run<'_> {
    /// Refuses inputs of another length.
    pub fn check(&self, n: usize) -> Result<(), Error> {
        for (q, _) in &self.q {
            Error::check_length("second particles", q.len(), n)?;
        }
        for (f, _) in &self.f {
            Error::check_length("results", f.columns.len(), n)?;
        }
        Ok(())
    }

    /// Returns the records that are read besides some blocks of particles, in `f64`. Results of one
    /// record that is read whole are not copied.
    fn beside<'b>(&'b self, blocks: Range<usize>, copies: &'b mut Copies) -> BesideBlocks<'b> {
        let Copies { q, f, one } = copies;
        join(&self.q, one, q, |particles, binding, to| {
            particles.widen(binding, blocks.clone(), to);
        });
        let f = match &self.f[..] {
            [(results, binding)] if binding.is_whole() => results.columns.blocks(blocks),
            all => {
                join(all, one, f, |results, binding, to| {
                    results.columns.widen::<f64>(&binding.in_results(), blocks.clone(), to);
                });
                &f[..]
            }
        };
        let others = (&self.others.lines[..], self.others.n);
        BesideBlocks { q, f, others, g: &self.g.lines }
    }

    /// Returns for each number of the particle the length of the rectangular box into which it is
    /// wrapped, or 0.
    fn lengths(&self) -> Vec<f64> {
        let is_rectangular = self.wrap && !self.domain.is_triclinic();
        let domain = if is_rectangular { self.domain } else { Domain::Open };
        let [lengths, _] = domain.factors();
        axes(self.program.p).map(|axis| axis.map_or(0.0, |axis| lengths[axis])).collect()
    }

    /// Moves the points of a block into the triclinic box; each coordinate stays less than the
    /// length when it is rounded.
    fn wrap_points<S: Scalar>(&self, lines: &mut [Line<u64>]) {
        let (cell, axes): (_, Vec<_>) = (self.domain.cell(), axes(self.program.p).collect());
        let mut first = 0;
        while first < axes.len() {
            // A point ends before a number that is no coordinate or the x of another point.
            let next = axes[first + 1..].iter().take_while(|axis| axis.is_some_and(|it| it > 0));
            let point = first..first + 1 + next.count();
            first = point.end;
            if axes[point.start].is_none() {
                continue;
            }
            let cell = cell.in_dimensions(point.len());
            for k in 0..LINE {
                let mut position = [0.0; 3];
                for (x, line) in position.iter_mut().zip(&lines[point.clone()]) {
                    *x = f64::from_bits(line.0[k]);
                }
                let stored = cell.wrap_stored::<S>(position);
                for (x, line) in stored.iter().zip(&mut lines[point.clone()]) {
                    line.0[k] = x.to_bits();
                }
            }
        }
    }

    /// Runs a task with the stack that the program needs.
    fn with_stack(&self, task: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        let bytes = self.program.stack();
        if parallel::with_stack(bytes, task) { Ok(()) } else { Err(Error::OutOfStack { bytes }) }
    }

    /// Spoils the numbers of particles that the update assigns.
    fn spoil(&self, changed: &[bool], lines: &mut [Line<u64>]) {
        for block in lines.chunks_mut(changed.len().max(1)) {
            let numbers = block.iter_mut().zip(self.p.places()).zip(changed);
            for ((line, place), _) in numbers.filter(|(_, is_changed)| **is_changed) {
                *line = Line([place.number.spoilt(); LINE]);
            }
        }
    }

    /// Updates each particle.
    pub fn update(&self, parameters: &OwnedRows, p: &mut Particles) -> Result<(), Error> {
        self.check(p.len())?;
        let parameters = Columns::of_parameters::<f64>(parameters)?;
        let setting = ParticleSetting { parameters: parameters.lines(), domain: self.domain };
        let act = &self.program.cpu_loop()?;
        let precision = p.precision;
        self.with_stack(&mut || match (&mut p.packed, precision) {
            (Packed::Bits64(columns), _) => self.update_in::<f64>(&setting, act, columns),
            (Packed::Bits32(columns), Precision::Mixed) => {
                self.update_in::<Mixed>(&setting, act, columns);
            }
            (Packed::Bits32(columns), _) => self.update_in::<f32>(&setting, act, columns),
        })
    }

    fn update_in<S: Scalar>(
        &self,
        setting: &ParticleSetting,
        act: &ParticleLoop,
        columns: &mut Columns<S::Word>,
    ) {
        let dim = self.p.places().len();
        let (changed, lengths) = (self.program.changed_numbers(), self.lengths());
        let words = columns.words().max(1);
        let chunk = pack::chunk(columns.len(), words).div_ceil(LINE) * words;
        parallel::each_chunk(columns.lines_mut(), chunk, &|first, lines| {
            let (mut p, mut copies) = (vec![Line([0; LINE]); BLOCKS * dim], Copies::default());
            let mut begin = first / words;
            for lines in lines.chunks_mut(BLOCKS * words) {
                let end = begin + lines.len() / words;
                let p = &mut p[..(end - begin) * dim];
                for (lines, p) in lines.chunks(words).zip(p.chunks_mut(dim)) {
                    widen::<S>(&self.p, lines, p);
                }
                act.update(setting, p, self.beside(begin..end, &mut copies));
                if self.g.is_nan {
                    self.spoil(&changed, p);
                }
                for (lines, p) in lines.chunks_mut(words).zip(p.chunks_mut(dim)) {
                    if self.wrap && self.domain.is_triclinic() {
                        self.wrap_points::<S>(p);
                    }
                    narrow::<S>(&self.p, &changed, &lengths, p, lines);
                }
                begin = end;
            }
        });
        columns.pad();
    }

    /// Returns the total over all particles, as 64-bit words.
    pub fn measure(&self, parameters: &OwnedRows, p: &Particles) -> Result<Vec<u64>, Error> {
        self.check(p.len())?;
        let parameters = Columns::of_parameters::<f64>(parameters)?;
        let setting = ParticleSetting { parameters: parameters.lines(), domain: self.domain };
        let act = &self.program.cpu_loop()?;
        let mut total = Ok(Vec::new());
        self.with_stack(&mut || total = self.total(&setting, act, p))?;
        total
    }

    fn total(
        &self,
        setting: &ParticleSetting,
        act: &ParticleLoop,
        p: &Particles,
    ) -> Result<Vec<u64>, Error> {
        let tree = TotalTree::new(self.program);
        let mut totals = tree.merge_groups(p.len(), &|blocks, totals| {
            let (mut own, mut copies) = (Vec::new(), Copies::default());
            p.widen(&self.p, blocks.clone(), &mut own);
            let first = blocks.start * LINE;
            act.measure(setting, &own, self.beside(blocks, &mut copies), first, totals);
        })?;
        while totals.len() > 1 {
            totals = tree.merge_groups(totals.len(), &|blocks, lines| {
                lines.copy_from_slice(totals.blocks(blocks));
            })?;
        }
        let mut total = tree.nothing;
        totals.rows(0..totals.len(), &mut total);
        if self.g.is_nan {
            total = pack::spoilt(self.program.total);
        }
        Ok(total)
    }
}

/// Merges totals in a fixed order.
struct TotalTree {
    folding: Folding,
    /// The total of no particle.
    nothing: Vec<u64>,
}

/// A function that writes the totals of the particles of some blocks.
type Totals<'a> = dyn Fn(Range<usize>, &mut [Line<u64>]) + Sync + 'a;

impl TotalTree {
    fn new(program: &ParticleProgram) -> Self {
        let folding = Folding::new(program.total, Precision::Double);
        Self { folding, nothing: pack::nothing(program.total) }
    }

    /// Returns the totals of groups of `n` particles.
    fn merge_groups(&self, n: usize, of: &Totals) -> Result<Columns<u64>, Error> {
        let dim = self.nothing.len();
        let mut merged = Columns::filled(n.div_ceil(MERGED), &self.nothing)?;
        parallel::each_chunk(merged.lines_mut(), dim, &|first, lines| {
            let mut group = vec![Line([0; LINE]); BLOCKS * dim];
            for k in 0..LINE {
                let begin = (first / dim.max(1) * LINE + k) * MERGED;
                let count = n.saturating_sub(begin).min(MERGED);
                if count == 0 {
                    break;
                }
                self.folding.begin(&mut group);
                let blocks = count.div_ceil(LINE);
                let first = begin / LINE;
                of(first..first + blocks, &mut group[..blocks * dim]);
                for (line, nothing) in group[(blocks - 1) * dim..].iter_mut().zip(&self.nothing) {
                    line.0[count - (blocks - 1) * LINE..].fill(*nothing);
                }
                self.merge_group(&mut group);
                for (line, total) in lines.iter_mut().zip(&group) {
                    line.0[k] = total.0[0];
                }
            }
        });
        Ok(merged)
    }

    /// Merges the totals of a group into the total of its first particle: the first 128 with the
    /// 128 that follow, then 64 with 64, and so on.
    fn merge_group(&self, group: &mut [Line<u64>]) {
        let dim = self.nothing.len().max(1);
        let mut half = BLOCKS / 2;
        while half > 0 {
            let (into, from) = group.split_at_mut(half * dim);
            for (into, from) in into.chunks_mut(dim).zip(from.chunks(dim)) {
                self.folding.fold::<f64>(LINE, from, 0, into);
            }
            half /= 2;
        }
        let block = &mut group[..self.nothing.len()];
        let mut from = block.to_vec();
        let mut half = LINE / 2;
        while half > 0 {
            for (from, line) in from.iter_mut().zip(&*block) {
                from.0[..half].copy_from_slice(&line.0[half..2 * half]);
            }
            self.folding.fold::<f64>(half, &from, 0, block);
            half /= 2;
        }
    }
}
