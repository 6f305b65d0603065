//! Statistics of neighbour lists.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use crate::lists::csr::ListedPairs;
use crate::order::GROUP;

/// Statistics of neighbour lists: rebuilds, lengths and memory. The text is a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NeighbourStats {
    /// Number of times the lists were built.
    pub rebuilds: u64,
    /// Number of updates since the last build, all of which found the lists valid.
    pub age: u64,
    /// Number of i-particles.
    pub particles: usize,
    /// Mean number of entries in a list (one list for 32 i-particles).
    pub entries: f64,
    /// Mean number of j-particles within the cutoff plus the skin of an i-particle when the lists
    /// were built.
    pub neighbours: f64,
    /// Tested pairs in an evaluation for each pair within cutoff plus skin; 0 if there are none.
    pub tested: f64,
    /// Memory in bytes for each particle.
    pub bytes: f64,
    /// Copies of j-particles of other ranks, for each i-particle; 0 unless ranks distribute the
    /// particles.
    pub ghosts: f64,
    /// Times of the parts, if measured.
    pub times: Option<NeighbourTimes>,
}

/// Total times of the parts of neighbour lists since the measurement was switched on: device time
/// on a GPU, else wall-clock time. Failed updates and evaluations do not count.
///
/// The text is a table of the number, the total and the mean of each part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NeighbourTimes {
    /// Number of updates.
    pub updates: u64,
    /// Number of rebuilds in these updates.
    pub rebuilds: u64,
    /// Number of evaluations of interactions.
    pub evaluations: u64,
    /// Time of the test whether the lists are still valid, in each update.
    pub look: Duration,
    /// Time to order the particles along the Hilbert curve, with bounding boxes and bounds of
    /// groups, in each rebuild. Zero on a GPU for given pairs, which keep the order of the caller.
    pub order: Duration,
    /// Time to find the entries of the lists, in each rebuild. Zero on a GPU for given pairs,
    /// which are uploaded.
    pub list: Duration,
    /// Time to copy particles into the order of the lists, in each evaluation. Zero on a GPU for
    /// interactions that only read positions: the test of the lists leaves these in order.
    pub pack: Duration,
    /// Time of the sums over pairs, in each evaluation.
    pub force: Duration,
}

impl AddAssign for NeighbourTimes {
    fn add_assign(&mut self, other: Self) {
        self.updates += other.updates;
        self.rebuilds += other.rebuilds;
        self.evaluations += other.evaluations;
        self.look += other.look;
        self.order += other.order;
        self.list += other.list;
        self.pack += other.pack;
        self.force += other.force;
    }
}

impl fmt::Display for NeighbourTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("look", self.updates, self.look),
            ("order", self.rebuilds, self.order),
            ("list", self.rebuilds, self.list),
            ("pack", self.evaluations, self.pack),
            ("force", self.evaluations, self.force),
        ];
        write!(f, "{:5} {:>9} {:>11} {:>11}", "part", "number", "total [ms]", "mean [ms]")?;
        for (part, number, time) in parts {
            let total = time.as_secs_f64() * 1e3;
            let mean = total / number.max(1) as f64;
            write!(f, "\n{part:5} {number:9} {total:11.3} {mean:11.4}")?;
        }
        Ok(())
    }
}

impl fmt::Display for NeighbourStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<28}{:>12}", "rebuilds", self.rebuilds)?;
        write!(f, "\n{:<28}{:>12}", "updates since the last", self.age)?;
        write!(f, "\n{:<28}{:>12}", "particles", self.particles)?;
        for (name, mean) in [
            (format!("entries per group of {GROUP}"), self.entries),
            ("neighbours per particle".to_owned(), self.neighbours),
            ("tested pairs per neighbour".to_owned(), self.tested),
            ("bytes per particle".to_owned(), self.bytes),
        ] {
            write!(f, "\n{name:<28}{mean:>12.2}")?;
        }
        if self.ghosts > 0.0 {
            write!(f, "\n{:<28}{:>12.3}", "ghosts per particle", self.ghosts)?;
        }
        self.times.map_or(Ok(()), |times| write!(f, "\n{times}"))
    }
}

impl NeighbourStats {
    /// Completes these statistics from the pairs, for lists of this many bytes.
    #[must_use]
    pub fn of(self, pairs: &ListedPairs, bytes: usize) -> Self {
        let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let (particles, groups) = (pairs.i.len(), pairs.i.tree.groups().len());
        let others = if std::ptr::eq(pairs.i, pairs.j) { 0 } else { pairs.j.len() };
        let (tested, within) = (pairs.tested(), pairs.count());
        Self {
            particles,
            entries: ratio(pairs.lists.entries.len() as u64, groups as u64),
            neighbours: ratio(within, particles as u64),
            tested: ratio(tested, within),
            bytes: ratio(bytes as u64, (particles + others) as u64),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_aligned_as_text() {
        let look = Duration::from_micros(1500);
        let times = NeighbourTimes { updates: 40, look, ..NeighbourTimes::default() };
        let text = times.to_string();
        assert_eq!(text.lines().nth(1), Some("look         40       1.500      0.0375"));
        assert_eq!(text.lines().nth(2), Some("order         0       0.000      0.0000"));
        assert!(text.lines().all(|line| line.len() == 39), "{text}");
    }

    #[test]
    fn figures_as_text_say_what_they_are_per() {
        let times = NeighbourTimes::default();
        let mut stats = NeighbourStats { rebuilds: 3, particles: 64, ..NeighbourStats::default() };
        (stats.entries, stats.neighbours) = (120.5, 40.25);
        let text = stats.to_string();
        assert_eq!(text.lines().next(), Some("rebuilds                               3"));
        assert_eq!(text.lines().nth(3), Some("entries per group of 32           120.50"));
        assert_eq!(text.lines().nth(4), Some("neighbours per particle            40.25"));
        assert!(text.lines().all(|line| line.len() == 40), "{text}");
        let timed = NeighbourStats { times: Some(times), ..stats };
        assert_eq!(timed.to_string(), format!("{text}\n{times}"));
        let of_ranks = NeighbourStats { ghosts: 0.25, ..stats };
        assert_eq!(
            of_ranks.to_string(),
            format!("{text}\nghosts per particle                0.250")
        );
    }
}
