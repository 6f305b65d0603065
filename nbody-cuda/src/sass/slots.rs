//! Issue slots per pair.

use nbody_core::Law;

use super::kernel::{Kernel, Loop};
use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule};
use crate::layout::{bytes_of, numbers_of};
use crate::schedule::resources::WORD;

/// The issue slots per ordered pair in the FORCE-LOOP of a program.
///
/// With a cutoff there are two loops: the filter finds the hits, and another loop evaluates them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots {
    /// All instructions, as if every branch were taken both ways; with a cutoff, the instructions
    /// of a hit.
    pub all: f64,
    /// The shortest path through the loop; with a cutoff, the path of a candidate beyond it.
    pub least: f64,
}

impl Slots {
    /// Counts the issue slots of a program in its disassembled kernels. Returns `None` if no loop
    /// matches the FORCE-LOOP with the program's unrolling.
    pub fn of(law: &Law, program: &Program, kernels: &[Kernel]) -> Option<Self> {
        let force = force_loop(law, program, kernels)?;
        let config = &program.config;
        if !filters(law, program) {
            return Some(Self::of_iteration(force, config));
        }
        let least = force.instructions as f64 / (WORD * config.i_per_thread) as f64;
        let near = kernel(program, kernels)?.shortest_beside(force)?.instructions;
        Some(Self { all: least + near as f64, least })
    }

    fn of_iteration(force: &Loop, config: &KernelConfig) -> Self {
        // Two directions of a pair are two ordered pairs.
        let directions = if config.schedule == Schedule::Symmetric { 2 } else { 1 };
        let pairs = (config.i_per_thread * config.unroll * directions) as f64;
        Self { all: force.instructions as f64 / pairs, least: force.least as f64 / pairs }
    }
}

/// Returns whether the program has a cutoff filter.
fn filters(law: &Law, program: &Program) -> bool {
    law.cutoff && program.config.schedule == Schedule::Ordered
}

/// Returns the kernel of pairs.
fn kernel<'a>(program: &Program, kernels: &'a [Kernel]) -> Option<&'a Kernel> {
    let name = program.kernels.first()?.to_bytes();
    kernels.iter().find(|kernel| kernel.name.as_bytes() == name)
}

/// Returns the FORCE-LOOP of a program in its disassembled kernels; with a cutoff, the loop of the
/// filter.
pub fn force_loop<'a>(law: &Law, program: &Program, kernels: &'a [Kernel]) -> Option<&'a Loop> {
    // The distance of particles in shared memory, which are aligned to 16 bytes.
    let precision = program.options.precision;
    let apart = (numbers_of(law.j, precision) * bytes_of(precision)).next_multiple_of(16);
    let particles = if filters(law, program) { WORD } else { program.config.unroll };
    kernel(program, kernels)?.force_loop(particles, apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: KernelConfig = KernelConfig {
        schedule: Schedule::Ordered,
        block: 128,
        i_per_thread: 8,
        bag: 256,
        unroll: 4,
        resident: 4,
    };

    #[test]
    fn an_iteration_has_a_pair_for_each_i_and_j_and_two_in_both_directions() {
        let iteration = Loop { instructions: 496, least: 480, ..Loop::default() };
        let slots = |config| Slots::of_iteration(&iteration, &config);
        assert_eq!(slots(CONFIG), Slots { all: 15.5, least: 15.0 });
        let symmetric = KernelConfig { schedule: Schedule::Symmetric, ..CONFIG };
        assert_eq!(slots(symmetric), Slots { all: 7.75, least: 7.5 });
    }
}
