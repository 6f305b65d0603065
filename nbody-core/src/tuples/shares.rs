//! The tuples of a range of particles, which a thread evaluates.

use crate::law::particle_loop::{ParticleLoop, ParticleSetting};
use crate::law::tuple_loop::TupleWork;
use crate::memory::buffers::Results;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::numeric::simd::level::{Best, SimdLevel};
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
    /// The records of the tuples, in blocks.
    records: Vec<Line<u64>>,
}

/// The loop that shares call, with its inputs.
pub(super) struct Evaluation<'a> {
    pub act: &'a ParticleLoop,
    pub level: SimdLevel,
    pub setting: &'a ParticleSetting<'a>,
    /// The particles, as rows.
    pub particles: &'a [u64],
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
                    all[share].add(tuple, &records[k * words..(k + 1) * words]);
                }
            }
        }
        Self { all, particles }
    }

    /// Evaluates all tuples, and stores the sums of all particles, with memory for lines of sums.
    pub fn evaluate(
        &self,
        evaluation: &Evaluation,
        memory: &mut Vec<Line<u64>>,
        out: &mut Results,
    ) {
        let sums = evaluation.sums;
        let (width, of_sums) = (out.columns.words(), sums.width());
        if of_sums == 0 {
            return;
        }
        let blocks = if sums.is_whole { 0 } else { out.columns.len().div_ceil(LINE) };
        memory.resize(blocks * of_sums, Line([0; LINE]));
        let blocks = self.particles / LINE;
        let results = out.columns.lines_mut().chunks_mut(blocks * width);
        let mut memory = memory.chunks_mut(blocks * of_sums);
        let shares = self.all.iter().zip(results);
        let mut each: Vec<_> =
            shares.map(|(share, results)| (share, results, memory.next())).collect();
        parallel::each_chunk(&mut each, 1, &|k, each| {
            for (share, results, memory) in each {
                let evaluate = |lines: &mut [Line<u64>]| {
                    share.evaluate(evaluation, k * self.particles, lines);
                };
                if let Some(lines) = memory {
                    sums.begin(results, width, lines);
                    evaluate(lines);
                    sums.copy(lines, results, width);
                } else {
                    sums.begin_whole(results);
                    evaluate(results);
                }
            }
        });
        out.columns.pad();
    }
}

impl Share {
    /// Adds a tuple and the row of its record.
    fn add(&mut self, tuple: &[u32], record: &[u64]) {
        let at = self.indices.len() / tuple.len() % LINE;
        if at == 0 {
            self.records.resize(self.records.len() + record.len(), Line([0; LINE]));
        }
        self.indices.extend_from_slice(tuple);
        let block = self.records.len() - record.len();
        for (line, word) in self.records[block..].iter_mut().zip(record) {
            line.0[at] = *word;
        }
    }

    /// Adds the results of the tuples to the sums of the particles from `first` on.
    fn evaluate(&self, evaluation: &Evaluation, first: usize, sums: &mut [Line<u64>]) {
        let Evaluation { act, level, setting, particles, sums: numbers } = *evaluation;
        let Self { indices, records } = self;
        act.tuples(setting, TupleWork { level, indices, records, particles, first, sums });
        Best::new().run(
            #[inline(always)]
            || numbers.round(sums),
        );
    }
}
