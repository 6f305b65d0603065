//! j-particles of a list, the subset that acts on a vector of i-particles, and the loop over this
//! subset.

use crate::compiled::pairs::{Of, OnLanes, RunningSum, load, store};
use crate::domain::InDomain;
use crate::law::interaction::Interaction;
use crate::law::loops::CHOSEN;
use crate::law::loops::ListedSources;
use crate::law::loops::View;
use crate::numeric::simd::lanes::{LINE, Lanes, Line, Word};
use crate::records::pack;
use crate::records::record::Record;

impl<X: Interaction, L: Lanes, P: InDomain<L>> OnLanes<'_, X, L, P> {
    /// Adds the effect of j-particles of a list on a vector of i-particles; by compensated sums if
    /// `lost` is given.
    #[inline(always)]
    pub fn listed(
        &self,
        i: &View<'_, Word<L>>,
        j: &ListedSources<'_, Word<L>>,
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
        let mut sum = RunningSum::<X::F, L>::load(sums, lost.as_deref());
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
    fn each_chosen(
        j: &ListedSources<'_, Word<L>>,
        mut visit: impl FnMut(usize, &Of<X::J, L>, L::U32),
    ) {
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
