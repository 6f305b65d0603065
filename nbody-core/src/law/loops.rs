//! The compiled loops of a law over pairs, as values: functions on blocks of particles.

use crate::domain::Domain;
use crate::memory::folding::Folding;
use crate::numeric::precision::Precision;
use crate::numeric::simd::lanes::Line;
use crate::numeric::simd::level::SimdLevel;
use crate::options::Math;
use crate::order::image::place;
use std::ops::Range;

/// The kind of lane and of space of loops.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub(crate) level: SimdLevel,
    pub(crate) precision: Precision,
    pub(crate) math: Math,
    pub(crate) is_periodic: bool,
}

/// The compiled loops of an interaction.
pub struct Compiled(pub(crate) BySize);

/// Loops by the size of the words that they take.
pub(crate) enum BySize {
    Bits32(Loops<u32>),
    Bits64(Loops<u64>),
}

/// Constants of all pairs of an evaluation.
pub(crate) struct PairSetting<'a, W> {
    /// The interaction, as one record.
    pub parameters: &'a [Line<W>],
    pub domain: Domain,
    /// Whether self pairs are left out.
    pub skips_self: bool,
    pub folding: &'a Folding,
}

/// Particles of a set, or of a copy of part of it.
pub(crate) struct View<'a, W> {
    /// The blocks that contain them.
    pub lines: &'a [Line<W>],
    /// The index in the set of the first particle of these blocks.
    pub first: usize,
    /// The range of particles in these blocks.
    pub range: Range<usize>,
}

/// The compiled loops over pairs, for one kind of lane and of space; a schedule calls them with
/// particles, in its order. Sums are lines, one for each number of a result: the first elements of
/// a line belong to the i-particles of a vector.
pub(crate) struct Loops<W> {
    /// i-particles in a vector.
    pub width: usize,
    /// Number of vectors of i-particles that `several` takes; for a law with charges it takes two
    /// as well.
    pub vectors: usize,
    /// Adds the effect of the j-particles on several vectors of i-particles.
    pub several: Several<W>,
    /// Adds the effect of the j-particles on a vector of i-particles, without self pairs if they
    /// are left out; by compensated sums if `lost` is given.
    pub one: One<W>,
    /// Adds the effect of j-particles of a list on a vector of i-particles; by compensated sums if
    /// `lost` is given. Positions are relative, so that there are no periodic images, unless the
    /// law has other points.
    pub listed: OnListed<W>,
    /// Adds the effect of j-particles on some vectors of i-particles, and writes the reaction on
    /// each j-particle to its element of `j_sums`, whose first block is the block of the first
    /// j-particle. `None` where it is not faster.
    pub symmetric: Option<OnSymmetric<W>>,
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

pub(crate) type OnSymmetric<W> =
    fn(&PairSetting<'_, W>, &View<'_, W>, &View<'_, W>, &mut [Line<W>], &mut [Line<W>]);

/// j-particles of a list.
#[derive(Clone, Copy)]
pub(crate) struct ListedSources<'a, W> {
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
pub(crate) struct ActsOn<'a, W> {
    /// The i-particles for each j-particle, a bit each.
    pub masks: &'a [u32],
    /// The bit of each i-particle, in blocks.
    pub bits: &'a [Line<W>],
}

/// Number of bits that choose j-particles.
pub(crate) const CHOSEN: usize = u64::BITS as usize;

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
pub(crate) const CANDIDATES: usize = 256;
