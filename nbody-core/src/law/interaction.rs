//! Interactions: the trait of a declaration, and its value.

use std::fmt;

use crate::domain::Domain;
use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::law::charges::Charges;
use crate::law::checked_pair::{CheckNumbers, CheckedPair};
use crate::law::loops::{BySize, Compiled, LoadLoops, Variant};
use crate::numeric::interval::steps::Step;
use crate::numeric::lane::Lane;
use crate::numeric::space::{Space, SpaceKind};
use crate::records::record::numbers_of_variable;
use crate::records::record::{Output, Record};

/// Operation counts of a pair of particles, from the interaction's expression tree. Both branches
/// of an `if` count.
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
    /// Comparisons, minima, maxima, selections and conversions to integers.
    pub compare: u32,
}

impl Operations {
    /// Returns the number of floating-point operations per pair, each counted as one.
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
    /// The initial values, folding and merging of results, and the names by which kernels use the
    /// law, in the namespace `nbody`.
    pub sums: &'static str,
    /// The addition to compensated sums; follows `sums` in programs that use it.
    pub compensated: &'static str,
}

/// The evaluation of both directions of a pair at once: the action of j on i, and of i on j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThirdLaw {
    /// The CUDA function `pair_symmetric`, which follows the declaration's [`law`](CudaText::law).
    pub cuda: &'static str,
    /// The cost of one evaluation, which serves two ordered pairs.
    pub operations: Operations,
}

/// An interaction as a value, [`Interaction::LAW`]: everything that engines, programs and the
/// cache know of it, so that they are not compiled again for each interaction. It is not `Copy`,
/// so that safe code cannot change the text that engines run.
pub struct Law {
    /// The name in commands: the name of the declaration's struct of parameters, in snake case.
    pub name: &'static str,
    /// Whether a particle interacts with itself when i and j are one set: `SELF_PAIRS` of the
    /// declaration, `false` by default.
    pub self_pairs: bool,
    /// Whether the interaction ends at a distance: the declaration has `fn cutoff`.
    pub cutoff: bool,
    /// The numbers of an i-particle and of a j-particle that the cutoff depends on, by their index
    /// in the record; numbers of positions are left out.
    pub cutoff_reads: [&'static [usize]; 2],
    /// The cutoff as a program of interval arithmetic, which bounds it for groups of particles;
    /// empty without a cutoff.
    #[doc(hidden)]
    pub reach: &'static [Step],
    /// The charges of j that the result is a sum over, needed by trees; otherwise the reason, with
    /// the expression, for people to read.
    pub charges: Result<Charges, &'static str>,
    /// The cost of one ordered pair, counted in the declaration's `fn pair`.
    pub operations: Operations,
    /// A bound of the sum of all numbers that one pair adds to counts; `None` if it depends on the
    /// data.
    pub most_counted: Option<u32>,
    /// The generated part of its CUDA programs.
    pub cuda: CudaText,
    /// The evaluation of both directions of a pair at once; `None` where i and j are of different
    /// types, or where the parity of `fn pair` under the exchange of i and j is not known.
    pub third_law: Option<ThirdLaw>,
    /// The layout of the parameters.
    pub parameters: &'static [Field],
    /// The layout of an i-particle, [`Interaction::I`].
    pub i: &'static [Field],
    /// The layout of a j-particle, [`Interaction::J`].
    pub j: &'static [Field],
    /// The layout of a result, [`Interaction::F`].
    pub f: &'static [Field],
    /// The loops over pairs on the CPU.
    pub(crate) cpu_loops: CpuLoops,
}

/// The origin of a law's loops over pairs on the CPU.
#[derive(Clone, Copy)]
pub(crate) enum CpuLoops {
    /// The Rust compiler: [`Interaction::cpu_loops`].
    Compiled(fn(Variant) -> Compiled),
    /// A C++ compiler, at run time.
    Loaded(&'static dyn LoadLoops),
    /// There are no loops.
    None,
}

impl PartialEq for Law {
    /// Compares everything but the loops on the CPU. One law of the compiler may be at several
    /// addresses.
    fn eq(&self, other: &Self) -> bool {
        let Self { name, self_pairs, cutoff, cutoff_reads, reach, .. } = self;
        let Self {
            charges, operations, most_counted, cuda, third_law, parameters, i, j, f, ..
        } = self;
        std::ptr::eq(self, other)
            || (*name, *self_pairs, *cutoff) == (other.name, other.self_pairs, other.cutoff)
                && (*cutoff_reads, *reach) == (other.cutoff_reads, other.reach)
                && (charges, operations) == (&other.charges, &other.operations)
                && *most_counted == other.most_counted
                && (cuda, third_law) == (&other.cuda, &other.third_law)
                && [*parameters, i, j, f] == [other.parameters, other.i, other.j, other.f]
    }
}

/// Prints only the name, since the texts are long.
impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Law").field(&self.name).finish()
    }
}

impl Law {
    /// Returns the loops over pairs on the CPU; an error if the law has none.
    pub(crate) fn loops(&self, variant: Variant) -> Result<BySize, Error> {
        match self.cpu_loops {
            CpuLoops::Compiled(code) => Ok(code(variant).loops),
            CpuLoops::Loaded(loops) => loops.load(variant),
            CpuLoops::None => Err(Error::NoLoops { law: self.name }),
        }
    }

    /// Returns the pair function on these numbers of checks; an error if the law has no loops.
    pub(crate) fn checked_pair(&self, numbers: CheckNumbers) -> Result<CheckedPair, Error> {
        match self.cpu_loops {
            CpuLoops::Compiled(code) => {
                let Compiled { bounded, narrow, .. } =
                    code(Variant::of_references(SpaceKind::Open));
                Ok(CheckedPair::Compiled(match numbers {
                    CheckNumbers::Bounded => bounded,
                    CheckNumbers::Narrow => narrow,
                }))
            }
            CpuLoops::Loaded(loops) => loops.load_checked(numbers),
            CpuLoops::None => Err(Error::NoLoops { law: self.name }),
        }
    }

    /// Refuses a law without loops on the CPU.
    pub(crate) fn check_loops(&self) -> Result<(), Error> {
        match self.cpu_loops {
            CpuLoops::Compiled(_) | CpuLoops::Loaded(_) => Ok(()),
            CpuLoops::None => Err(Error::NoLoops { law: self.name }),
        }
    }

    /// Refuses a periodic box for a law that cannot subtract two points: the box would change
    /// nothing. Positions that are declared as a `Vector` have no images.
    pub fn check_domain(&self, domain: &Domain) -> Result<(), Error> {
        let (name, [i, j]) = (self.name, [points(self.i), points(self.j)]);
        // The second point of a difference may be one of the parameters.
        let has_difference = i + j > 0 && i + j + points(self.parameters) > 1;
        if has_difference || domain.is_open() {
            return Ok(());
        }
        Err(Error::NoPoint { name, record: if i == 0 { "I" } else { "J" } })
    }

    /// Returns whether particles have points besides their position; lists do not know the images
    /// of such points.
    pub(crate) const fn has_other_points(&self) -> bool {
        points(self.i) > 1 || points(self.j) > 1 || self.has_fixed_points()
    }

    /// Returns whether there are points among the parameters.
    pub(crate) const fn has_fixed_points(&self) -> bool {
        points(self.parameters) > 0
    }

    /// Returns whether evaluating both directions of a pair at once saves operations.
    pub(crate) const fn saves_by_symmetry(&self) -> bool {
        match self.third_law {
            Some(ThirdLaw { operations, .. }) => saves(self.cutoff, operations, self.operations),
            None => false,
        }
    }

    /// Returns the stack that an evaluation needs, in bytes, with `bytes` per number. Without
    /// optimisation the compiler keeps up to 27 copies of the records.
    pub(crate) fn stack(&self, bytes: usize) -> usize {
        const COPIES: usize = 32;
        let records = [self.parameters, self.i, self.j, self.f];
        let numbers: usize = records.into_iter().map(numbers_of_variable).sum();
        numbers.saturating_mul(COPIES * bytes)
    }
}

/// Returns whether evaluating both directions of a pair at once saves operations, in the cutoff
/// filter or in the pair. An addition to a sum in memory costs as much as several operations.
pub(crate) const fn saves(has_cutoff: bool, both: Operations, ordered: Operations) -> bool {
    has_cutoff || 6 * both.flops() < 10 * ordered.flops()
}

/// Returns the number of points in a record.
pub(crate) const fn points(fields: &[Field]) -> usize {
    let (mut count, mut k) = (0, 0);
    while k < fields.len() {
        count += matches!(fields[k].kind, FieldKind::Point(_)) as usize;
        k += 1;
    }
    count
}

/// The part of a [`Law`] that the macro writes. The rest follows from the types of the
/// interaction, so that it cannot disagree with them.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields of `Law`")]
pub struct Declaration {
    pub name: &'static str,
    pub self_pairs: bool,
    pub cutoff: bool,
    pub cutoff_reads: [&'static [usize]; 2],
    pub reach: &'static [Step],
    pub charges: Result<Charges, &'static str>,
    pub operations: Operations,
    pub most_counted: Option<u32>,
    pub cuda: CudaText,
    pub third_law: Option<ThirdLaw>,
}

impl Declaration {
    /// Returns the law of the declared interaction.
    pub const fn law<X: Interaction>(self) -> Law {
        let Self {
            name,
            self_pairs,
            cutoff,
            cutoff_reads,
            reach,
            charges,
            operations,
            most_counted,
            cuda,
            third_law,
        } = self;
        Law {
            name,
            self_pairs,
            cutoff,
            cutoff_reads,
            reach,
            charges,
            operations,
            most_counted,
            cuda,
            third_law,
            parameters: X::FIELDS,
            i: X::I::FIELDS,
            j: X::J::FIELDS,
            f: X::F::FIELDS,
            cpu_loops: CpuLoops::Compiled(X::cpu_loops),
        }
    }
}

/// A pairwise interaction; the value holds its uniform parameters.
///
/// Written by `#[nbody::interaction]` from a module with an `impl Interaction for ...`, and by
/// nothing else; see the macro's documentation.
///
/// # Safety
///
/// Engines run the CUDA text of [`LAW`](Self::LAW) on memory that is laid out as the fields of the
/// records say: the text must declare its structs so, and neither read nor write anything else.
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the CUDA text")]
pub unsafe trait Interaction: Record<Lane = f64, Host = Self, With<f64> = Self> {
    /// The i-particle, on which j-particles act.
    type I: Record<Lane = f64, Host = Self::I, With<f64> = Self::I>;
    /// The j-particle, which acts on i-particles.
    type J: Record<Lane = f64, Host = Self::J, With<f64> = Self::J>;
    /// The result, which is accumulated for each i-particle.
    type F: Output<Lane = f64, Host = Self::F, With<f64> = Self::F>;

    /// The interaction as a value: its name, layouts, costs and texts.
    const LAW: &'static Law;

    /// Returns the distance beyond which the pair contributes nothing; infinite unless the
    /// declaration says otherwise.
    #[allow(unused_variables)]
    fn cutoff<L: Lane, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        i: &<Self::I as Record>::With<L>,
        j: &<Self::J as Record>::With<L>,
    ) -> L {
        L::splat(f64::INFINITY)
    }

    /// Returns whether the distance of the pair is less than [`Interaction::cutoff`], or NaN. For
    /// other pairs `pair` adds nothing.
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

    /// Adds to `f` the contribution of `j`, whose index is given, to the result of `i`.
    fn pair<L: Lane, S: Space<L>>(
        this: &Self::With<L>,
        space: &S,
        i: &<Self::I as Record>::With<L>,
        j: &<Self::J as Record>::With<L>,
        index: L::U32,
        f: &mut <Self::F as Record>::With<L>,
    );

    /// Adds to `f` the contribution of `j` to the result of `i`, and to `g` the contribution of
    /// `i` to the result of `j`, where both directions can be evaluated at once
    /// ([`Law::third_law`]); otherwise it adds nothing.
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

    /// Returns the compiled loops over pairs on the CPU. Without a default, the loops are compiled
    /// once, in the package that declares the interaction, and not in every program that uses it.
    #[doc(hidden)]
    fn cpu_loops(variant: Variant) -> Compiled;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_counts_saturate() {
        let most = Operations { add: u32::MAX, mul: 1, ..Operations::default() };
        assert_eq!(most.flops(), u32::MAX);
        let few = Operations { add: 1, mul: 2, div: 4, sqrt: 8, special: 16, compare: 32 };
        assert_eq!(few.flops(), 63);
    }
}
