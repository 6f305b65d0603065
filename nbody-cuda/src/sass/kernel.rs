//! Disassembled kernels and their loops.

use std::collections::{BTreeMap, BTreeSet};

/// A disassembled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kernel {
    /// The name.
    pub name: String,
    /// The instructions of the kernel and of the functions in it, without NOPs.
    pub instructions: usize,
    /// The loops, in the order of their first instructions.
    pub loops: Vec<Loop>,
}

/// A loop of a kernel: all instructions from which its first instruction can be reached again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loop {
    /// Whether the loop contains no other loop.
    pub innermost: bool,
    /// The number of instructions, on any path.
    pub instructions: usize,
    /// The number of instructions on the shortest path through the loop.
    pub least: usize,
    /// Arithmetic, comparisons and selections in single precision.
    pub fp32: usize,
    /// Arithmetic and comparisons in double precision.
    pub fp64: usize,
    /// Roots, reciprocals, exponentials, sines; and conversions, which use the same unit.
    pub special: usize,
    /// Reads of shared memory.
    pub shared_loads: usize,
    /// Writes to shared memory.
    pub shared_stores: usize,
    /// Reads and writes of global memory.
    pub global: usize,
    /// Reads and writes of local memory.
    pub local: usize,
    /// Exchanges between the threads of a warp.
    pub shuffles: usize,
    /// Integers, addresses, predicates and moves.
    pub integer: usize,
    /// Branches, calls, and reconvergence of threads.
    pub branches: usize,
    /// All other instructions.
    pub other: usize,
    /// The addresses from which the loop reads shared memory: a base register and an offset.
    pub(super) reads: Vec<(String, i64)>,
}

impl Kernel {
    /// Returns the FORCE-LOOP. Among the innermost loops that read this number of particles per
    /// iteration, at this distance in shared memory, it is the loop with the fewest instructions.
    /// The other such loops are for pairs on the diagonal and have additional selections.
    ///
    /// Returns `None` if there is no such loop, for example if the compiler unrolled it
    /// differently.
    pub fn force_loop(&self, particles: usize, bytes_apart: usize) -> Option<&Loop> {
        let innermost = self.loops.iter().filter(|each| each.innermost);
        let reading = innermost.filter(|each| each.particles(bytes_apart).contains(&particles));
        reading.min_by_key(|each| each.instructions)
    }

    /// Returns the shortest of the other innermost loops that read shared memory and compute.
    pub(super) fn shortest_beside(&self, force: &Loop) -> Option<&Loop> {
        let others = self.loops.iter().filter(|each| each.innermost && *each != force);
        let computing = others.filter(|each| each.shared_loads > 0 && each.fp32 + each.fp64 > 0);
        computing.min_by_key(|each| each.instructions)
    }
}

impl Loop {
    /// Returns the numbers of particles that an iteration may read from shared memory, where
    /// consecutive particles are `bytes_apart` bytes apart: a number for each base register, as if
    /// all reads relative to it were reads of particles.
    ///
    /// The numbers show whether the compiler unrolled the loop as requested. All particles are
    /// read relative to one register, and tables relative to others.
    pub fn particles(&self, bytes_apart: usize) -> BTreeSet<usize> {
        let Some(apart) = i64::try_from(bytes_apart).ok().filter(|&apart| apart > 0) else {
            return BTreeSet::new();
        };
        let mut bases: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
        for (base, offset) in &self.reads {
            bases.entry(base).or_default().insert(*offset);
        }
        let count = |offsets: &BTreeSet<i64>| {
            let first = offsets.first().copied().unwrap_or_default();
            let number = |&offset: &i64| offset.saturating_sub(first) / apart;
            offsets.iter().map(number).collect::<BTreeSet<_>>().len()
        };
        bases.values().map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_loop_is_the_shortest_that_reads_the_particles_of_an_iteration() {
        let each = |innermost, particles: i64, instructions| Loop {
            innermost,
            instructions,
            reads: (0..particles).map(|k| ("R1".to_owned(), 16 * k)).collect(),
            ..Loop::default()
        };
        let (force, diagonal) = (each(true, 4, 217), each(true, 4, 237));
        let (outer, ragged) = (each(false, 4, 30), each(true, 1, 60));
        let mut kernel = Kernel { name: String::new(), instructions: 0, loops: Vec::new() };
        assert_eq!(kernel.force_loop(4, 16), None);
        kernel.loops = vec![outer, diagonal, force.clone(), ragged.clone()];
        assert_eq!(kernel.force_loop(4, 16), Some(&force));
        assert_eq!(kernel.force_loop(1, 16), Some(&ragged));
        assert_eq!(kernel.force_loop(8, 16), None);
    }

    #[test]
    fn particles_are_counted_by_their_addresses() {
        let read = |reads: &[(&str, i64)], apart| {
            let reads = reads.iter().map(|&(base, offset)| (base.to_owned(), offset)).collect();
            Loop { reads, ..Loop::default() }.particles(apart).into_iter().collect::<Vec<_>>()
        };
        let four = [("R1", 0x18), ("R1", -0x18), ("R1", -0x10), ("R1", 8), ("R1", -8)];
        assert_eq!(read(&four, 16), [4]);
        assert_eq!(read(&four, 32), [2]);
        assert_eq!(read(&four, 0), []);
        assert_eq!(read(&[], 16), []);
        assert_eq!(read(&[&four[..], &[("R2", 64), ("R2", 0), ("R3", 0)]].concat(), 16), [1, 2, 4]);
        assert_eq!(read(&[("", i64::MIN), ("", i64::MAX)], 1), [2]);
    }
}
