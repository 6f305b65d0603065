//! Figures of lists on the CPU, and their pairs.

use crate::lists::cpu::{BuiltLists, CpuNeighbours};
use crate::lists::csr::{Csr, ListedPairs};
use crate::lists::cutoff::Reaches;
use crate::lists::stats::NeighbourStats;
use crate::numeric::interval::Interval;

impl CpuNeighbours {
    /// Returns figures of the lists. It counts the neighbours, which takes about as long as an
    /// evaluation.
    pub(crate) fn figures(&self) -> NeighbourStats {
        let (rebuilds, age, times) = (self.rebuilds, self.age, self.timer.totals());
        let stats = NeighbourStats { rebuilds, age, times, ..NeighbourStats::default() };
        self.built.as_ref().map_or(stats, |built| built.stats(stats))
    }

    /// Returns the j-particles of each i-particle.
    pub(crate) fn to_csr(&self) -> Option<Csr> {
        self.built.as_ref().and_then(|built| built.with_pairs(|pairs| Some(pairs.csr())))
    }
}

impl BuiltLists {
    fn stats(&self, stats: NeighbourStats) -> NeighbourStats {
        let kept = self.lists.bytes() + self.octets.bytes();
        let bytes = kept + self.sets().map(crate::lists::cpu::Set::bytes).sum::<usize>();
        self.with_pairs(|pairs| stats.of(pairs, bytes))
    }

    fn with_pairs<T>(&self, task: impl FnOnce(&ListedPairs) -> T) -> T {
        let of_j = self.j.as_ref().unwrap_or(&self.i);
        let pairs = ListedPairs {
            lists: &self.lists,
            i: &self.i.ordered,
            j: &of_j.ordered,
            cell: self.cell,
            one_set: self.one_set,
            greatest: self.reach(),
            reach: &|_, _| f64::INFINITY,
        };
        if self.is_given {
            return task(&ListedPairs { greatest: f64::INFINITY, ..pairs });
        }
        let watched = [&self.i, of_j].map(|set| (&set.watched, &set.levels));
        let reaches = Reaches::new(&self.cutoffs, watched[0], watched[1]);
        let mut reaches = reaches.expect("cutoffs that had bounds when the lists were built");
        reaches.skin = self.skin;
        let numbers = |set: &crate::lists::cpu::Set, place: usize| -> Vec<Interval> {
            set.values.iter().map(|values| Interval::from(values[place])).collect()
        };
        let reach =
            |i: usize, j: usize| reaches.of_numbers(&numbers(&self.i, i), &numbers(of_j, j));
        task(&ListedPairs { reach: &reach, ..pairs })
    }
}
