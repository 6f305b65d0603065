//! Radix sort by keys.

use crate::parallel;

/// A key and the index of its particle.
pub type Pair = (u64, u32);

/// The digits of a key.
const DIGITS: usize = 6;
/// Bits of a digit.
const BITS: usize = 11;
/// Values of a digit.
const VALUES: usize = 1 << BITS;
/// Fewer pairs than this are sorted by comparisons.
const FEW: usize = 1 << 11;
/// The fewest pairs worth a thread of their own.
const RUN: usize = 1 << 13;

/// Sorts pairs, given in the order of their indices. Each thread sorts a run; then ranges of
/// neighbouring keys are merged from all runs.
pub fn sort(pairs: Vec<Pair>) -> Vec<Pair> {
    sort_in_runs(pairs, parallel::threads(), RUN)
}

/// Sorts one run for each thread; no run is shorter than `shortest`.
fn sort_in_runs(mut pairs: Vec<Pair>, threads: usize, shortest: usize) -> Vec<Pair> {
    let run = pairs.len().div_ceil(threads.max(1)).max(shortest).max(1);
    let mut others = vec![(0, 0); pairs.len()];
    let mut runs: Vec<_> = pairs.chunks_mut(run).zip(others.chunks_mut(run)).collect();
    parallel::each_chunk(&mut runs, 1, &|_, runs| {
        for (run, others) in runs {
            sort_run(run, others);
        }
    });
    let runs: Vec<_> = pairs.chunks(run).collect();
    if runs.len() < 2 {
        return pairs;
    }
    let mut parts = Vec::with_capacity(runs.len());
    let (mut rest, mut begins) = (&mut others[..], vec![0; runs.len()]);
    for ends in ends_of_parts(&runs) {
        let ranges: Vec<_> = begins.iter().zip(&ends).map(|(&begin, &end)| begin..end).collect();
        let (part, behind) = rest.split_at_mut(ranges.iter().map(ExactSizeIterator::len).sum());
        parts.push((part, ranges));
        (rest, begins) = (behind, ends);
    }
    parallel::each_chunk(&mut parts, 1, &|_, parts| {
        for (part, ranges) in parts {
            let mut rest = &mut part[..];
            for (run, range) in runs.iter().zip(ranges) {
                let (to, behind) = rest.split_at_mut(range.len());
                to.copy_from_slice(&run[range.clone()]);
                rest = behind;
            }
            // A stable sort detects sorted runs, and keeps the order of indices with equal keys.
            part.sort_by_key(|&(key, _)| key);
        }
    });
    others
}

/// Divides sorted runs into one part for each run, of nearly equal sizes, and returns the end of
/// each part in each run.
fn ends_of_parts(runs: &[&[Pair]]) -> Vec<Vec<usize>> {
    let count = runs.len();
    let places = |run: &&[Pair]| (0..count).map(|k| run[k * run.len() / count]).collect::<Vec<_>>();
    let mut sample: Vec<_> = runs.iter().flat_map(places).collect();
    sample.sort_unstable();
    let ends = |next: &Pair| {
        runs.iter().map(|run| run.partition_point(|pair| pair < next)).collect::<Vec<_>>()
    };
    let last = runs.iter().map(|run| run.len()).collect();
    sample.iter().step_by(count).skip(1).map(ends).chain([last]).collect()
}

/// Sorts pairs, from the last digit to the first, and skips digits that are the same in all keys.
fn sort_run(pairs: &mut [Pair], others: &mut [Pair]) {
    if pairs.len() < FEW {
        return pairs.sort_unstable();
    }
    let mut counts = vec![[0_u32; VALUES]; DIGITS];
    for (key, _) in &*pairs {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[value(*key, digit)] += 1;
        }
    }
    let (mut from, mut to, mut is_swapped) = (pairs, others, false);
    for (digit, counts) in counts.iter().enumerate() {
        if counts[value(from[0].0, digit)] as usize == from.len() {
            continue;
        }
        let mut places = [0_u32; VALUES];
        let mut end = 0;
        for (place, count) in places.iter_mut().zip(counts) {
            *place = end;
            end += count;
        }
        for pair in &*from {
            let place = &mut places[value(pair.0, digit)];
            to[*place as usize] = *pair;
            *place += 1;
        }
        (from, to, is_swapped) = (to, from, !is_swapped);
    }
    if is_swapped {
        to.copy_from_slice(from);
    }
}

/// Returns a digit of a key.
#[inline(always)]
fn value(key: u64, digit: usize) -> usize {
    (key >> (BITS * digit)) as usize % VALUES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_in_the_order_of_keys_and_indices() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            state ^ state >> 29
        };
        let mut make = |kind: usize, k: u64, n: usize| match kind {
            0 => random(),
            1 => random() % 3,
            2 => random() >> (random() % 64),
            3 => random() & 0xff << 32 | 7 << 50,
            4 => k,
            5 => n as u64 - k,
            _ => 5,
        };
        let sizes = [0, 1, 2, 3, 63, 64, 65, FEW - 1, FEW, FEW + 1, 20_000];
        for (n, kind) in sizes.into_iter().flat_map(|n| (0..7).map(move |kind| (n, kind))) {
            let pairs: Vec<_> = (0..n).map(|k| (make(kind, k as u64, n), k as u32)).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            for (threads, shortest) in [(1, 1), (2, 1), (3, 64), (7, 1), (64, RUN), (64, 1)] {
                let found = sort_in_runs(pairs.clone(), threads, shortest);
                assert_eq!(found, expected, "{n} of kind {kind} by {threads}");
            }
            assert_eq!(sort(pairs), expected);
        }
    }
}
