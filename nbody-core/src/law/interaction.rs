//! The interaction of two particles.

use crate::cpu::{Compiled, Variant};
use crate::pack::dim;
use crate::{Field, Lane, Output, Record, Space};

/// What a pair of particles costs, as counted in the interaction's expression tree. Both
/// branches of an `if` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Additions, subtractions and sign changes that need an instruction.
    pub add: u32,
    /// Multiplications.
    pub mul: u32,
    /// Divisions and reciprocals.
    pub div: u32,
    /// Square roots and reciprocal square roots.
    pub sqrt: u32,
    /// Exponentials, logarithms, trigonometric and other functions.
    pub special: u32,
    /// Comparisons, minima, maxima, selections and roundings.
    pub compare: u32,
}

impl Operations {
    /// Floating-point operations per pair, each counted as one.
    pub const fn flops(self) -> u32 {
        let divisions = self.div.saturating_add(self.sqrt).saturating_add(self.special);
        self.add.saturating_add(self.mul).saturating_add(divisions).saturating_add(self.compare)
    }
}

/// The generated part of a CUDA program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaText {
    /// The declaration: structs, constants, functions and `pair`, in the namespace `nbody::law`.
    pub law: &'static str,
    /// How results begin, are folded and merged, and the names by which kernels know the law, in the
    /// namespace `nbody`.
    pub sums: &'static str,
    /// How compensated sums take what a pair gives, behind `sums` in programs that have them.
    pub compensated: &'static str,
}

/// Both directions of a pair at once: what j does to i, and what i does to j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThirdLaw {
    /// The CUDA function `pair_symmetric`, behind the [`law`](CudaText::law) of [`Interaction::CUDA`].
    pub cuda: &'static str,
    /// What one evaluation, which serves two ordered pairs, costs.
    pub operations: Operations,
}

/// An interaction as a value: what engines know of it, so that they need not be compiled for each.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its name: [`Interaction::NAME`].
    pub name: &'static str,
    /// Whether a particle meets itself when i and j are one set.
    pub self_pairs: bool,
    /// Whether it ends at a distance.
    pub cutoff: bool,
    /// What one pair costs.
    pub operations: Operations,
    /// The generated part of the CUDA program: [`Interaction::CUDA`].
    pub cuda: CudaText,
    /// How both directions of a pair are evaluated at once.
    pub third_law: Option<ThirdLaw>,
    /// Its parameters.
    pub parameters: &'static [Field],
    /// What an i-particle is made of.
    pub i: &'static [Field],
    /// What a j-particle is made of.
    pub j: &'static [Field],
    /// What a result is made of.
    pub f: &'static [Field],
    pub(crate) cpu_loops: fn(Variant) -> Compiled,
}

impl Law {
    /// How much stack an evaluation needs, with so many bytes for a number: a compiler that does not
    /// optimise keeps up to 27 copies of the records.
    pub(crate) fn stack(&self, bytes: usize) -> usize {
        const COPIES: usize = 32;
        let records = [self.parameters, self.i, self.j, self.f];
        let numbers: usize = records.into_iter().map(dim).sum();
        numbers.saturating_mul(COPIES * bytes)
    }
}

/// A pairwise interaction; the value holds its uniform parameters.
///
/// Written by `#[nbody::interaction]` from a module with an `impl Interaction for ...`, and by
/// nothing else; see the macro's documentation.
///
/// # Safety
///
/// Engines run [`CUDA`](Self::CUDA), and the functions of [`THIRD_LAW`](Self::THIRD_LAW), on memory that
/// is laid out as the fields of the records say: the text must declare its structs so, and neither read
/// nor write anything else.
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
pub unsafe trait Interaction: Record<Lane = f64, Host = Self, With<f64> = Self> {
    /// The i-particle: what feels.
    type I: Record<Lane = f64, Host = Self::I, With<f64> = Self::I>;
    /// The j-particle: what acts.
    type J: Record<Lane = f64, Host = Self::J, With<f64> = Self::J>;
    /// What is accumulated, one for each i-particle.
    type F: Output<Lane = f64, Host = Self::F, With<f64> = Self::F>;

    /// The interaction's name in commands: that of its struct, in snake case.
    const NAME: &'static str;
    /// Whether a particle meets itself when i and j are one set; `false` unless the
    /// declaration says otherwise.
    const SELF_PAIRS: bool;
    /// Whether it ends at a distance: [`Interaction::cutoff`] may be less than infinite.
    const CUTOFF: bool = false;
    /// What one pair costs.
    const OPERATIONS: Operations;
    /// The generated part of the CUDA program: the structs, `pair` and `fold`.
    const CUDA: CudaText;
    /// How both directions of a pair are evaluated at once, where i and j are of one type and
    /// the parity of everything under their exchange allows it (Newton's third law, and more).
    const THIRD_LAW: Option<ThirdLaw> = None;
    /// All of this, and the fields of the records, as a value.
    const LAW: &'static Law = &Law {
        name: Self::NAME,
        self_pairs: Self::SELF_PAIRS,
        cutoff: Self::CUTOFF,
        operations: Self::OPERATIONS,
        cuda: Self::CUDA,
        third_law: Self::THIRD_LAW,
        parameters: Self::FIELDS,
        i: Self::I::FIELDS,
        j: Self::J::FIELDS,
        f: Self::F::FIELDS,
        cpu_loops: Self::cpu_loops,
    };

    /// The distance from which on the pair contributes nothing; infinite unless the declaration
    /// says otherwise.
    #[allow(unused_variables)]
    fn cutoff<L: Lane, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        i: &<Self::I as Record>::With<L>,
        j: &<Self::J as Record>::With<L>,
    ) -> L {
        L::splat(f64::INFINITY)
    }

    /// Whether the pair is closer than [`Interaction::cutoff`], or its distance is not a number. Where
    /// it is not, `pair` adds nothing.
    #[allow(unused_variables)]
    #[inline(always)]
    fn within<L: Lane, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        i: &<Self::I as Record>::With<L>,
        j: &<Self::J as Record>::With<L>,
    ) -> L::Mask {
        L::splat_mask(true)
    }

    /// Adds to `f` what `j`, the j-particle of this index, does to `i` in this space.
    fn pair<L: Lane, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        i: &<Self::I as Record>::With<L>,
        j: &<Self::J as Record>::With<L>,
        index: L::U32,
        f: &mut <Self::F as Record>::With<L>,
    );

    /// Adds to `f` what `j` does to `i`, and to `g` what `i` does to `j`, where both directions can
    /// be evaluated at once ([`Interaction::THIRD_LAW`]); otherwise it adds nothing.
    #[allow(unused_variables)]
    #[inline(always)]
    fn pair_symmetric<L: Lane, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        i: &<Self::I as Record>::With<L>,
        j: &<Self::J as Record>::With<L>,
        f: &mut <Self::F as Record>::With<L>,
        g: &mut <Self::F as Record>::With<L>,
    ) {
    }

    /// The compiled loops over pairs on the CPU. It has no default so that they are compiled once, in
    /// the package that declares the interaction, and not in every program that uses it.
    #[doc(hidden)]
    fn cpu_loops(variant: Variant) -> Compiled;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_add_up_as_far_as_a_counter_goes() {
        let most = Operations { add: u32::MAX, mul: 1, ..Operations::default() };
        assert_eq!(most.flops(), u32::MAX);
        let few = Operations { add: 1, mul: 2, div: 4, sqrt: 8, special: 16, compare: 32 };
        assert_eq!(few.flops(), 63);
    }
}
