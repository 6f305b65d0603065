//! Issue slots of a pair.

use nbody_core::{Interaction, Record};

use super::{Kernel, Loop};
use crate::buffer::bytes_of;
use crate::{Choices, Program, Scheme};

/// The issue slots that an ordered pair takes in the FORCE-LOOP of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots {
    /// As if every branch were taken both ways.
    pub all: f64,
    /// On the shortest way through the loop; the same if it does not branch.
    pub least: f64,
}

impl Slots {
    /// Those of a program, by what it was compiled to. `None` if no loop looks like the FORCE-LOOP,
    /// unrolled as the program asks for.
    pub fn of<X: Interaction>(program: &Program, kernels: &[Kernel]) -> Option<Self> {
        Some(Self::of_a_turn(force_loop::<X>(program, kernels)?, &program.choices))
    }

    fn of_a_turn(force: &Loop, choices: &Choices) -> Self {
        // Both directions of a pair are two ordered pairs.
        let directions = if choices.scheme == Scheme::Symmetric { 2 } else { 1 };
        let pairs = (choices.i_per_thread * choices.unroll * directions) as f64;
        Self { all: force.instructions as f64 / pairs, least: force.least as f64 / pairs }
    }
}

/// The FORCE-LOOP of a program, in what it was compiled to.
pub fn force_loop<'a, X: Interaction>(
    program: &Program,
    kernels: &'a [Kernel],
) -> Option<&'a Loop> {
    let name = program.kernels().first()?.to_bytes();
    let kernel = kernels.iter().find(|kernel| kernel.name.as_bytes() == name)?;
    // As they lie in shared memory: aligned to 16 bytes.
    let real = bytes_of(program.options.precision);
    let apart = (<X::J as Record>::DIM * real).next_multiple_of(16);
    kernel.force_loop(program.choices.unroll, apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOICES: Choices = Choices {
        scheme: Scheme::AllPairs,
        block: 128,
        i_per_thread: 8,
        bag: 256,
        unroll: 4,
        resident: 4,
    };

    #[test]
    fn a_turn_has_a_pair_for_each_i_and_j_and_two_where_both_feel() {
        let turn = Loop { instructions: 496, least: 480, ..Loop::default() };
        let slots = |choices| Slots::of_a_turn(&turn, &choices);
        assert_eq!(slots(CHOICES), Slots { all: 15.5, least: 15.0 });
        let both = Choices { scheme: Scheme::Symmetric, ..CHOICES };
        assert_eq!(slots(both), Slots { all: 7.75, least: 7.5 });
    }
}
