//! Samples of particles, for references of more particles than a double loop can handle.

/// Chooses `count` of the indices `0..n`, distinct and ascending; all of them if `count` is
/// larger.
///
/// The choice is the same every time: one pseudo-random index from each of `count` parts, whose
/// lengths are equal to within one. Every section of the particles is thus represented in
/// proportion. A fixed stride would do the same, but for particles on a grid, row by row, it might
/// choose a single column.
///
/// ```
/// let targets = nbody_core::sample(1_000_000, 1000);
/// assert_eq!(targets.len(), 1000);
/// assert!(targets.is_sorted() && targets[999] >= 999_000);
/// ```
pub fn sample(n: usize, count: usize) -> Vec<usize> {
    let count = count.min(n);
    // The product of two lengths may need more than 64 bits.
    let begin = |part: usize| (part as u128 * n as u128 / count as u128) as usize;
    let index = |part: usize| {
        let (begin, end) = (begin(part), begin(part + 1));
        begin + below(random(part as u64), end - begin)
    };
    (0..count).map(index).collect()
}

/// Maps a random number to one of `0..length`.
fn below(random: u64, length: usize) -> usize {
    ((u128::from(random) * length as u128) >> 64) as usize
}

/// Returns the random number `k` of `SplitMix64` (Steele, Lea & Flood 2014), seeded with 0.
fn random(k: u64) -> u64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_ascending_and_within_range() {
        let counts = || (0..40).chain([63, 64, 65, 99, 100, 101, 999, 1000, 1001, usize::MAX]);
        for n in (0..40).chain([64, 100, 1000, 12345]) {
            for count in counts() {
                let found = sample(n, count);
                assert_eq!(found.len(), count.min(n), "{n} {count}");
                assert!(found.is_sorted_by(|a, b| a < b), "{n} {count}: {found:?}");
                assert!(found.last().is_none_or(|&last| last < n), "{n} {count}: {found:?}");
            }
        }
        assert_eq!(sample(100, 100), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn every_part_has_its_index() {
        for (n, count) in [(100, 7), (1000, 999), (12345, 100), (1 << 20, 1000)] {
            for (k, index) in sample(n, count).into_iter().enumerate() {
                assert_eq!((index * count + count - 1) / n, k, "{n} {count}: {index}");
            }
        }
    }

    #[test]
    fn the_longest_lengths_do_not_overflow() {
        let found = sample(usize::MAX, 1000);
        assert!(found.is_sorted_by(|a, b| a < b));
        assert!(found[999] > usize::MAX / 1000 * 999);
    }

    /// Published figures of samples must keep referring to the same particles.
    #[test]
    fn choices_do_not_change() {
        assert_eq!(sample(1000, 5), [176, 286, 405, 794, 821]);
        // The first numbers of the generator with seed 0.
        assert_eq!([0, 1].map(random), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    /// A stride through the particles of a grid would choose a single column of 64.
    #[test]
    fn the_order_of_a_grid_does_not_show() {
        for side in [16, 64] {
            let mut columns = vec![0; side];
            let per_column = 64;
            let count = side * per_column;
            for index in sample(side * count, count) {
                columns[index % side] += 1;
            }
            let fair = per_column / 2..2 * per_column;
            assert!(columns.iter().all(|count| fair.contains(count)), "{columns:?}");
        }
    }
}
