//! The tuples of a range of particles, which a thread evaluates.

use std::ops::Range;

use crate::law::particle_loop::{ParticleLoop, ParticleSetting};
use crate::law::tuple_loop::{NO_SUMS, TupleWork};
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
    /// The particles of the tuples, one tuple after another, with the last one repeated up to a whole
    /// block.
    indices: Vec<u32>,
    /// The place of each among the sums of the range.
    places: Vec<u32>,
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
    /// Shares out tuples with these records of `words` words, whose results have some `numbers`.
    pub fn new(list: &TupleList, (words, records): (usize, &[u64]), numbers: usize) -> Self {
        let particles = particles_of_share(list, numbers);
        let share = || Share { indices: Vec::new(), places: Vec::new(), records: Vec::new() };
        let count = list.particles().div_ceil(particles).max(1);
        let mut all: Vec<_> = (0..count).map(|_| share()).collect();
        for (k, tuple) in list.tuples().enumerate() {
            let record = &records[k * words..(k + 1) * words];
            for (m, &index) in tuple.iter().enumerate() {
                let share = index as usize / particles;
                if tuple[..m].iter().all(|&earlier| earlier as usize / particles != share) {
                    let range = share * particles..(share + 1) * particles;
                    all[share].add(tuple, record, &|index| place_of_sums(index, &range, numbers));
                }
            }
        }
        for share in &mut all {
            share.pad(list.members());
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
        parallel::each_chunk(&mut each, 1, &|_, each| {
            for (share, results, memory) in each {
                if let Some(lines) = memory {
                    sums.begin(results, width, lines);
                    share.evaluate(evaluation, lines);
                    sums.copy(lines, results, width);
                } else {
                    sums.begin_whole(results);
                    share.evaluate(evaluation, results);
                }
            }
        });
        out.columns.pad();
    }
}

/// Returns the number of particles of a share, in whole blocks: few enough that a `u32` is the place of
/// each of their sums.
fn particles_of_share(list: &TupleList, numbers: usize) -> usize {
    let most = parallel::threads() * SHARES_OF_THREAD;
    let count = if parallel::threads() == 1 { 1 } else { list.len() / LEAST_TUPLES };
    let blocks = list.particles().div_ceil(count.clamp(1, most)).div_ceil(LINE);
    blocks.min(NO_SUMS as usize / (LINE * numbers.max(1))).max(1) * LINE
}

/// Returns the word of the first number of a particle among the sums of a range of particles.
fn place_of_sums(particle: u32, range: &Range<usize>, numbers: usize) -> u32 {
    let particle = particle as usize;
    if !range.contains(&particle) {
        return NO_SUMS;
    }
    let at = particle - range.start;
    (at / LINE * LINE * numbers + at % LINE) as u32
}

impl Share {
    /// Adds a tuple and the row of its record, with the place of each particle.
    fn add(&mut self, tuple: &[u32], record: &[u64], place: &dyn Fn(u32) -> u32) {
        let at = self.indices.len() / tuple.len() % LINE;
        if at == 0 {
            self.records.resize(self.records.len() + record.len(), Line([0; LINE]));
        }
        self.indices.extend_from_slice(tuple);
        self.places.extend(tuple.iter().map(|&index| place(index)));
        let block = self.records.len() - record.len();
        for (line, word) in self.records[block..].iter_mut().zip(record) {
            line.0[at] = *word;
        }
    }

    /// Repeats the last tuple, of `members` particles, up to a whole block.
    fn pad(&mut self, members: usize) {
        let whole = self.indices.len().next_multiple_of(LINE * members);
        while self.indices.len() < whole {
            self.indices.extend_from_within(self.indices.len() - members..);
        }
        self.places.resize(whole, NO_SUMS);
    }

    /// Adds the results of the tuples to the sums of its particles.
    fn evaluate(&self, evaluation: &Evaluation, sums: &mut [Line<u64>]) {
        let Evaluation { act, level, setting, particles, sums: numbers } = *evaluation;
        let Self { indices, places, records } = self;
        act.tuples(setting, TupleWork { level, indices, places, records, particles, sums });
        Best::new().run(
            #[inline(always)]
            || numbers.round(sums),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_places_for_its_own_particles_alone() {
        let list = TupleList::new(2, vec![3, 40, 41, 17], 48).unwrap();
        let mut share = Share { indices: Vec::new(), places: Vec::new(), records: Vec::new() };
        for tuple in list.tuples() {
            share.add(tuple, &[], &|index| place_of_sums(index, &(16..48), 5));
        }
        share.pad(2);
        assert_eq!(share.places[..4], [NO_SUMS, 80 + 8, 80 + 9, 1]);
        assert!(share.places[4..].iter().all(|place| *place == NO_SUMS));
        assert_eq!(share.indices.len(), 2 * LINE);
        assert_eq!(share.indices[..6], [3, 40, 41, 17, 41, 17]);
        assert_eq!(share.places.len(), share.indices.len());
    }
}
