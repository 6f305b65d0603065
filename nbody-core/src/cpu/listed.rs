//! j-particles of a list, the subset that acts on a vector of i-particles, and the loop over this
//! subset.

use super::loops::{Kernel, Of, Sum, View, load, store};
use crate::law::space::InDomain;
use crate::near::list::place;
use crate::numeric::simd::{LINE, Lanes, Line, Word};
use crate::{Interaction, Record, pack};

/// j-particles of a list.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'a, W> {
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

impl<W> Listed<'_, W> {
    /// Returns the index of a j-particle in its set. Without a panic, so that the compiler removes
    /// it where an interaction needs no indices.
    #[inline(always)]
    pub fn index(&self, k: usize) -> u32 {
        let index = self.entries.get(k).and_then(|&entry| self.indices.get(place(entry)));
        index.copied().unwrap_or_default()
    }
}

impl<X: Interaction, L: Lanes, P: InDomain<L>> Kernel<'_, X, L, P> {
    /// Adds the effect of j-particles of a list on a vector of i-particles; by compensated sums if
    /// `lost` is given.
    #[inline(always)]
    pub fn listed(
        &self,
        i: &View<'_, Word<L>>,
        j: &Listed<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    ) {
        let parameters = self.parameters();
        let (block, at) = (i.range.start / LINE, i.range.start % LINE);
        let i = Self::i_particles(i.lines, i.range.start);
        if j.acts_on.is_none() && lost.is_none() {
            let mut f = load::<X::F, L>(sums);
            Self::each_chosen(
                j,
                #[inline(always)]
                |_, particle, index| {
                    X::pair(&parameters, &self.space, &i, particle, index, &mut f);
                },
            );
            return store::<Of<X::F, L>, L>(&f, sums);
        }
        let own = j.acts_on.map_or(L::splat_u32(0), |on| L::load_u32(&on.bits[block], at));
        let mut sum = Sum::<X::F, L>::load(sums, lost.as_deref());
        Self::each_chosen(
            j,
            #[inline(always)]
            |k, particle, index| {
                let meets = match j.acts_on {
                    Some(on) => !L::eq_u32(own & L::splat_u32(on.masks[k]), L::splat_u32(0)),
                    None => L::splat_mask(true),
                };
                sum.add::<P>(
                    meets,
                    #[inline(always)]
                    |f| X::pair(&parameters, &self.space, &i, particle, index, f),
                );
            },
        );
        sum.store(sums, lost);
    }

    /// Visits the chosen j-particles, in order, each with its number and its index in the set. The
    /// function must be inlined to keep its vectors in registers.
    #[inline(always)]
    fn each_chosen(j: &Listed<'_, Word<L>>, mut visit: impl FnMut(usize, &Of<X::J, L>, L::U32)) {
        let words = const { pack::words::<L::Scalar>(X::J::FIELDS) * (CHOSEN / LINE) };
        for (part, &chosen) in j.chosen.iter().enumerate() {
            let (lines, mut chosen) = (&j.lines[part * words..][..words], chosen);
            while chosen != 0 {
                let k = chosen.trailing_zeros() as usize % CHOSEN;
                chosen &= chosen - 1;
                let particle = Self::j_particle(lines, k);
                let k = part * CHOSEN + k;
                visit(k, &particle, L::splat_u32(j.index(k)));
            }
        }
    }
}
