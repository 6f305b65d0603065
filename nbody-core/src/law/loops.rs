//! The loops of a law over pairs, as values: functions on blocks of particles. The Rust compiler
//! made them with the law, or a C++ compiler made them at run time.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::FieldKind;
use crate::law::checked_pair::{CheckNumbers, CheckedPair, CompiledPair};
use crate::memory::folding::Folding;
use crate::numeric::precision::Precision;
use crate::numeric::simd::lanes::Line;
use crate::numeric::simd::level::SimdLevel;
use crate::numeric::space::SpaceKind;
use crate::options::Math;
use crate::order::image::place;
use std::ops::Range;

/// The kind of lane and of space of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The vector instructions.
    pub level: SimdLevel,
    /// The precision of the particles.
    pub precision: Precision,
    /// The arithmetic.
    pub math: Math,
    /// The space.
    pub space: SpaceKind,
}

impl Variant {
    /// Returns the variant of references: scalars in `f64`.
    pub(crate) const fn of_references(space: SpaceKind) -> Self {
        let (level, precision) = (SimdLevel::Scalar, Precision::Double);
        Self { level, precision, math: Math::Exact, space }
    }
}

/// Code of the Rust compiler for an interaction.
pub struct Compiled {
    /// The loops of a variant.
    pub(crate) loops: BySize,
    /// The pair functions of checks, the same for all variants.
    pub(crate) bounded: CompiledPair,
    pub(crate) narrow: CompiledPair,
}

/// Loops by the size of the words that they take.
pub enum BySize {
    /// Loops on words of 32 bits.
    Bits32(Loops<u32>),
    /// Loops on words of 64 bits.
    Bits64(Loops<u64>),
}

/// Constants of all pairs of an evaluation.
pub struct PairSetting<'a, W> {
    /// The interaction, as one record.
    pub parameters: &'a [Line<W>],
    /// The space.
    pub domain: Domain,
    /// Whether self pairs are left out.
    pub skips_self: bool,
    pub(crate) folding: &'a Folding,
}

/// Particles of a set, or of a copy of part of it.
pub struct View<'a, W> {
    /// The blocks that contain them.
    pub lines: &'a [Line<W>],
    /// The index in the set of the first particle of these blocks.
    pub first: usize,
    /// The range of particles in these blocks.
    pub range: Range<usize>,
}

/// The loops over pairs, for one kind of lane and of space; a schedule calls them with particles,
/// in its order. Sums are lines, one for each number of a result: the first elements of a line
/// belong to the i-particles of a vector.
pub struct Loops<W: 'static> {
    /// i-particles in a vector.
    pub width: usize,
    /// Number of vectors of i-particles that `several` takes; for a law with charges it takes two
    /// as well.
    pub vectors: usize,
    /// The functions.
    pub code: Code<W>,
}

/// The functions of loops.
#[derive(Clone, Copy)]
pub enum Code<W: 'static> {
    /// Functions of the Rust compiler.
    Compiled(CompiledLoops<W>),
    /// Functions that were compiled at run time.
    Loaded(&'static dyn LoadedLoops<W>),
}

/// Functions of the Rust compiler: see the methods of [`Loops`].
#[derive(Clone, Copy)]
pub struct CompiledLoops<W> {
    pub(crate) several: Several<W>,
    pub(crate) one: One<W>,
    pub(crate) listed: OnListed<W>,
    pub(crate) symmetric: Option<OnSymmetric<W>>,
}

/// Functions that were compiled at run time: see the methods of [`Loops`].
#[allow(missing_docs, reason = "documented there")]
pub trait LoadedLoops<W>: Send + Sync {
    fn several(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &View<'_, W>,
        sums: &mut [Line<W>],
    );
    fn one(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &View<'_, W>,
        sums: &mut [Line<W>],
        lost: Option<&mut [Line<W>]>,
    );
    fn listed(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &ListedSources<'_, W>,
        sums: &mut [Line<W>],
        lost: Option<&mut [Line<W>]>,
    );
    fn has_symmetric(&self) -> bool;
    fn symmetric(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &View<'_, W>,
        i_sums: &mut [Line<W>],
        j_sums: &mut [Line<W>],
    );
}

/// Compiles the loops of a law at run time.
pub trait LoadLoops: Send + Sync {
    /// Returns the loops of this variant.
    fn load(&self, variant: Variant) -> Result<BySize, Error>;

    /// Returns the pair function on these numbers of checks.
    fn load_checked(&self, numbers: CheckNumbers) -> Result<CheckedPair, Error>;
}

impl<W> Loops<W> {
    /// Adds the effect of the j-particles on several vectors of i-particles.
    pub(crate) fn several(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &View<'_, W>,
        sums: &mut [Line<W>],
    ) {
        match &self.code {
            Code::Compiled(code) => (code.several)(setting, i, j, sums),
            Code::Loaded(code) => code.several(setting, i, j, sums),
        }
    }

    /// Adds the effect of the j-particles on a vector of i-particles, without self pairs if they
    /// are left out; by compensated sums if `lost` is given.
    pub(crate) fn one(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &View<'_, W>,
        sums: &mut [Line<W>],
        lost: Option<&mut [Line<W>]>,
    ) {
        match &self.code {
            Code::Compiled(code) => (code.one)(setting, i, j, sums, lost),
            Code::Loaded(code) => code.one(setting, i, j, sums, lost),
        }
    }

    /// Adds the effect of j-particles of a list on a vector of i-particles; by compensated sums if
    /// `lost` is given. Positions are relative, so that there are no periodic images, unless the
    /// law has other points.
    pub(crate) fn listed(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &ListedSources<'_, W>,
        sums: &mut [Line<W>],
        lost: Option<&mut [Line<W>]>,
    ) {
        match &self.code {
            Code::Compiled(code) => (code.listed)(setting, i, j, sums, lost),
            Code::Loaded(code) => code.listed(setting, i, j, sums, lost),
        }
    }

    /// Returns whether there are loops for both directions at once; there are none where they are
    /// not faster.
    pub(crate) fn has_symmetric(&self) -> bool {
        match &self.code {
            Code::Compiled(code) => code.symmetric.is_some(),
            Code::Loaded(code) => code.has_symmetric(),
        }
    }

    /// Adds the effect of j-particles on some vectors of i-particles, and writes the reaction on
    /// each j-particle to its element of `j_sums`, whose first block is the block of the first
    /// j-particle.
    pub(crate) fn symmetric(
        &self,
        setting: &PairSetting<'_, W>,
        i: &View<'_, W>,
        j: &View<'_, W>,
        i_sums: &mut [Line<W>],
        j_sums: &mut [Line<W>],
    ) {
        match &self.code {
            Code::Compiled(code) => {
                let symmetric = code.symmetric.expect("asked for before");
                symmetric(setting, i, j, i_sums, j_sums);
            }
            Code::Loaded(code) => code.symmetric(setting, i, j, i_sums, j_sums),
        }
    }
}

impl<W> PairSetting<'_, W> {
    /// Returns the kind of each number of a result.
    pub fn kinds(&self) -> &[FieldKind] {
        self.folding.kinds()
    }
}

type Several<W> = fn(&PairSetting<'_, W>, &View<'_, W>, &View<'_, W>, &mut [Line<W>]);

type One<W> =
    fn(&PairSetting<'_, W>, &View<'_, W>, &View<'_, W>, &mut [Line<W>], Option<&mut [Line<W>]>);

type OnListed<W> = fn(
    &PairSetting<'_, W>,
    &View<'_, W>,
    &ListedSources<'_, W>,
    &mut [Line<W>],
    Option<&mut [Line<W>]>,
);

type OnSymmetric<W> =
    fn(&PairSetting<'_, W>, &View<'_, W>, &View<'_, W>, &mut [Line<W>], &mut [Line<W>]);

/// j-particles of a list.
#[derive(Clone, Copy)]
pub struct ListedSources<'a, W> {
    /// The blocks of the j-particles, [`CHOSEN`] particles for each word of `chosen`.
    pub lines: &'a [Line<W>],
    /// The j-particles that act on the vector, a bit each.
    pub chosen: &'a [u64],
    /// The place of each j-particle in its order; the higher bits have other uses.
    pub entries: &'a [u32],
    /// The index in the set of each place in the order.
    pub indices: &'a [u32],
    /// The i-particles that each j-particle acts on; `None` if it is all of them.
    pub acts_on: Option<ActsOn<'a, W>>,
}

/// The i-particles of a group that j-particles act on.
#[derive(Clone, Copy)]
pub struct ActsOn<'a, W> {
    /// The i-particles for each j-particle, a bit each.
    pub masks: &'a [u32],
    /// The bit of each i-particle, in blocks.
    pub bits: &'a [Line<W>],
}

/// Number of bits that choose j-particles.
pub const CHOSEN: usize = u64::BITS as usize;

impl<W> ListedSources<'_, W> {
    /// Returns the index of a j-particle in its set. Without a panic, so that the compiler removes
    /// it where an interaction needs no indices.
    #[inline(always)]
    pub fn index(&self, k: usize) -> u32 {
        let index = self.entries.get(k).and_then(|&entry| self.indices.get(place(entry)));
        index.copied().unwrap_or_default()
    }
}

/// Number of candidates, particles or vectors, that the cutoff filter tests before it evaluates
/// the hits.
pub const CANDIDATES: usize = 256;
