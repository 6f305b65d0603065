//! The tuples of a range of particles, which a thread evaluates.

use crate::law::particle_loop::{ParticleLoop, ParticleSetting};
use crate::law::tuple_loop::TupleWork;
use crate::memory::buffers::Results;
use crate::numeric::simd::lanes::LINE;
use crate::numeric::simd::level::Best;
use crate::parallel;
use crate::tuples::list::TupleList;
use crate::tuples::sums::Sums;

/// The fewest tuples that a thread takes: fewer take less time than to wake a thread.
const LEAST_TUPLES: usize = 4096;
/// The shares of a thread, so that threads end together.
const SHARES_OF_THREAD: usize = 4;

/// All tuples, by ranges of particles. A tuple whose particles are in several ranges is in the share
/// of each, and is evaluated in each: no thread waits for the results of another.
#[derive(Debug)]
pub(super) struct Shares {
    all: Vec<Share>,
    /// The number of particles of each share but the last, in whole blocks.
    particles: usize,
}

/// The tuples that name particles of a range.
#[derive(Debug)]
struct Share {
    /// The particles of the tuples, one tuple after another.
    indices: Vec<u32>,
    /// The records of the tuples, as rows.
    records: Vec<u64>,
}

/// The loop that shares call, with its inputs.
pub(super) struct Evaluation<'a> {
    pub act: &'a ParticleLoop,
    pub setting: &'a ParticleSetting<'a>,
    /// The particles, as rows.
    pub particles: &'a [u64],
    pub is_rounded: bool,
    pub sums: &'a Sums,
}

impl Shares {
    /// Shares out tuples with these records of `words` words.
    pub fn new(list: &TupleList, (words, records): (usize, &[u64])) -> Self {
        let most = parallel::threads() * SHARES_OF_THREAD;
        let count = if parallel::threads() == 1 { 1 } else { list.len() / LEAST_TUPLES };
        let particles = list.particles().div_ceil(count.clamp(1, most)).max(1);
        let particles = particles.next_multiple_of(LINE);
        let share = || Share { indices: Vec::new(), records: Vec::new() };
        let count = list.particles().div_ceil(particles).max(1);
        let mut all: Vec<_> = (0..count).map(|_| share()).collect();
        for (k, tuple) in list.tuples().enumerate() {
            for (m, &index) in tuple.iter().enumerate() {
                let share = index as usize / particles;
                if tuple[..m].iter().all(|&earlier| earlier as usize / particles != share) {
                    let share = &mut all[share];
                    share.indices.extend_from_slice(tuple);
                    share.records.extend_from_slice(&records[k * words..(k + 1) * words]);
                }
            }
        }
        Self { all, particles }
    }

    /// Evaluates all tuples, and stores the sums of all particles, with memory for their rows.
    pub fn evaluate(&self, evaluation: &Evaluation, rows: &mut [u64], out: &mut Results) {
        let (sums, best) = (evaluation.sums, Best::new());
        let (width, words) = (sums.width(), out.columns.words().max(1));
        let rows = rows.chunks_mut(self.particles * width);
        let lines = out.columns.lines_mut().chunks_mut(self.particles / LINE * words);
        let mut each: Vec<_> = self.all.iter().zip(rows).zip(lines).collect();
        parallel::each_chunk(&mut each, 1, &|k, each| {
            for ((share, rows), lines) in each {
                sums.begin(rows);
                share.evaluate(evaluation, k * self.particles, rows);
                let blocks = rows.chunks(LINE * width).zip(lines.chunks_mut(words));
                best.run(|| blocks.for_each(|(rows, lines)| sums.store(rows, lines)));
            }
        });
        out.columns.pad();
    }
}

impl Share {
    /// Merges the results of the tuples into the sums of the particles from `first` on.
    fn evaluate(&self, evaluation: &Evaluation, first: usize, sums: &mut [u64]) {
        let Evaluation { act, setting, particles, is_rounded, .. } = *evaluation;
        let Self { indices, records } = self;
        act.tuples(setting, TupleWork { indices, records, particles, first, sums, is_rounded });
    }
}
