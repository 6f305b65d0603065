//! Measured kernel configurations, cached besides the compiled programs.

use std::fmt::Write as _;
use std::time::Duration;

use nbody_compile::{Cache, Entry, TUNED};
use nbody_core::{CudaText, Law, Options};

use crate::config::{KernelConfig, Schedule};

/// The version of the entries' format.
const FORMAT: &str = "nbody tuned 2";

/// A measurement: the numbers of particles, the kernel configuration, and the time per evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuned {
    /// The numbers of i-particles and j-particles.
    pub n: [usize; 2],
    /// Whether i and j are one set in one buffer.
    pub one_set: bool,
    /// The kernel configuration.
    pub config: KernelConfig,
    /// The number of splits of the j-particles; in the symmetric schedule, of blocks.
    pub parts: usize,
    /// The median time of several evaluations.
    pub time: Duration,
}

impl Tuned {
    /// Returns whether the measurement was for similar numbers of particles: the same numbers to
    /// the nearest power of two.
    pub(crate) fn suits(&self, n: [usize; 2], one_set: bool) -> bool {
        let octave = |n: usize| (n.max(1) as f64).log2().round();
        self.one_set == one_set && self.n.map(octave) == n.map(octave)
    }

    fn print(&self, text: &mut String) {
        let Self { n: [ni, nj], one_set, config, parts, time } = *self;
        let KernelConfig { schedule, block, i_per_thread, bag, unroll, resident } = config;
        let (schedule, one_set) = (schedule.name(), u8::from(one_set));
        let time = time.as_nanos();
        let _ = writeln!(
            text,
            "{ni} {nj} {one_set} {schedule} {block} {i_per_thread} {bag} {unroll} {resident} {parts} \
             {time}"
        );
    }

    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        let &[ni, nj, one_set, schedule, ref numbers @ ..] = &words[..] else { return None };
        let number = |word: &&str| word.parse().ok();
        let schedule = Schedule::ALL.into_iter().find(|it| it.name() == schedule)?;
        let numbers: Vec<usize> = numbers.iter().map(number).collect::<Option<_>>()?;
        let &[block, i_per_thread, bag, unroll, resident, parts, time] = &numbers[..] else {
            return None;
        };
        Some(Self {
            n: [ni.parse().ok()?, nj.parse().ok()?],
            one_set: one_set == "1",
            config: KernelConfig { schedule, block, i_per_thread, bag, unroll, resident },
            parts,
            time: Duration::from_nanos(time as u64),
        })
    }
}

/// Returns the key of a cache entry, by the device, the law, and the options that programs depend
/// on.
pub(crate) fn key(device: &str, law: &Law, options: Options) -> String {
    let CudaText { law: text, sums, compensated: _ } = law.cuda;
    let symmetric = law.third_law.map_or("", |third_law| third_law.cuda);
    let (pairs, options) = (options.pairs.name(), options.to_string());
    Cache::key(&[FORMAT, device, text, symmetric, sums, pairs, &options].map(str::as_bytes))
}

/// Reads the measurements with this key; none if the entry is missing or damaged.
pub(crate) fn load(cache: &Cache, key: &str) -> Vec<Tuned> {
    let Entry::Found(bytes) = cache.load(key, TUNED) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().map(Tuned::parse).collect::<Option<_>>().unwrap_or_default()
}

/// Stores a measurement and removes measurements for similar numbers of particles. The error is
/// the reason why nothing was stored.
pub(crate) fn store(cache: &Cache, key: &str, tuned: Tuned) -> Result<(), String> {
    let mut all = load(cache, key);
    all.retain(|other| !other.suits(tuned.n, tuned.one_set));
    all.push(tuned);
    let mut text = String::new();
    for tuned in all {
        tuned.print(&mut text);
    }
    cache.store(key, TUNED, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuned(n: usize, one_set: bool, parts: usize) -> Tuned {
        let config = KernelConfig {
            schedule: Schedule::Symmetric,
            block: 128,
            i_per_thread: 12,
            bag: 256,
            unroll: 1,
            resident: 3,
        };
        Tuned { n: [n, n], one_set, config, parts, time: Duration::from_micros(7) }
    }

    #[test]
    fn a_measurement_replaces_that_for_similar_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        assert_eq!(load(&cache, "k"), []);
        for entry in [tuned(1000, true, 1), tuned(1000, false, 2), tuned(1100, true, 3)] {
            store(&cache, "k", entry).unwrap();
        }
        assert_eq!(load(&cache, "k"), [tuned(1000, false, 2), tuned(1100, true, 3)]);
    }

    #[test]
    fn a_damaged_entry_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        cache.store("k", TUNED, b"1000 1000 1 ordered 128 4 256 4").unwrap();
        assert_eq!(load(&cache, "k"), []);
    }
}
