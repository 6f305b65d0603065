//! The loops over pairs of an interaction: the only code that is compiled for each law, kind of
//! lane and kind of space. The code around them is compiled once, in this crate.

use crate::law::loops::PairSetting;
use crate::law::loops::View;
use crate::law::loops::{Code, CompiledLoops, Loops};
use std::hint::black_box;
use std::marker::PhantomData;

use crate::compiled::hits::Hits;
use crate::domain::InDomain;
use crate::law::interaction::Interaction;
use crate::law::loops::CANDIDATES;
use crate::law::loops::ListedSources;
use crate::memory::columns::lines_of_parameters;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::lanes::{Broadcast, LINE, Lanes, Line, Load, Reduce, Store, Word};
use crate::numeric::space::OfLists;
use crate::numeric::space::{Open, Space};
use crate::records::pack;
use crate::records::record::{Output, Record};

/// The most vectors of i-particles in a block of registers.
const MOST_VECTORS: usize = 4;

impl<W> Loops<W> {
    /// Returns the loops of an interaction on one kind of lane, compiled in the code-generation
    /// unit of `U`.
    pub(crate) fn of<U, X, L, P>() -> Self
    where
        U: Compile<X, L, P>,
        X: Interaction,
        L: Lanes<Scalar: Scalar<Word = W>>,
        P: InDomain<L>,
    {
        Self {
            width: L::WIDTH,
            vectors: OnLanes::<X, L, P>::VECTORS,
            code: Code::Compiled(CompiledLoops {
                several: U::several,
                one: U::one,
                listed: if const { X::LAW.has_other_points() } {
                    <U as Compile<X, L, OfLists<P>>>::listed
                } else {
                    <U as Compile<X, L, OfLists<Open>>>::listed
                },
                symmetric: if const { L::REORDERS && P::SYMMETRIC && X::LAW.saves_by_symmetry() } {
                    Some(U::symmetric)
                } else {
                    None
                },
            }),
        }
    }
}

/// Compiles the loops. The compiler puts a function into the unit of the module that has its
/// `Self` type, so that each law has units of its own. They are compiled in parallel, and only the
/// units of a changed law are compiled again.
pub(crate) trait Compile<X, L: Lanes, P> {
    fn several(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &View<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
    );
    fn one(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &View<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    );
    fn listed(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &ListedSources<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    );
    fn symmetric(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &View<'_, Word<L>>,
        i_sums: &mut [Line<Word<L>>],
        j_sums: &mut [Line<Word<L>>],
    );
}

/// An interaction on one kind of lane.
pub(crate) struct OnLanes<'a, X: Interaction, L: Lanes, P> {
    setting: &'a PairSetting<'a, Word<L>>,
    pub space: P,
    interaction: PhantomData<X>,
}

pub(crate) type Of<P, L> = <P as Record>::With<L>;

impl<'a, X: Interaction, L: Lanes, P: InDomain<L>> OnLanes<'a, X, L, P> {
    /// Number of vectors of i-particles that, with their sums, leave registers for the pair.
    const VECTORS: usize = {
        let numbers = X::I::DIM + X::F::DIM;
        let room = L::REGISTERS / if numbers == 0 { 1 } else { numbers };
        match room {
            _ if !L::REORDERS || room < 2 => 1,
            2 | 3 => 2,
            _ => MOST_VECTORS,
        }
    };

    /// Two vectors are taken together, too: with long vectors a group of a tree has no more.
    const TAKES_TWO: bool = Self::VECTORS > 2 && X::LAW.charges.is_ok();

    #[inline(always)]
    fn new(setting: &'a PairSetting<'a, Word<L>>) -> Self {
        Self { setting, space: P::in_domain(&setting.domain), interaction: PhantomData }
    }

    #[inline(always)]
    pub fn parameters(&self) -> X::With<L> {
        let words =
            const { lines_of_parameters(X::FIELDS, <L::Scalar as Scalar>::COORDINATE_WORDS) };
        let lines = &self.setting.parameters[..words];
        X::With::<L>::read(&mut Broadcast { lines, at: 0 })
    }

    /// Returns the vector of i-particles from `i` on.
    #[inline(always)]
    pub fn i_particles(lines: &[Line<Word<L>>], i: usize) -> Of<X::I, L> {
        let words = const { pack::words::<L::Scalar>(X::I::FIELDS) };
        let lines = &lines[i / LINE * words..][..words];
        Of::<X::I, L>::read(&mut Load { lines, at: i % LINE })
    }

    /// Returns a j-particle, broadcast to every element.
    #[inline(always)]
    pub fn j_particle(lines: &[Line<Word<L>>], j: usize) -> Of<X::J, L> {
        let words = const { pack::words::<L::Scalar>(X::J::FIELDS) };
        let lines = &lines[j / LINE * words..][..words];
        Of::<X::J, L>::read(&mut Broadcast { lines, at: j % LINE })
    }
}

/// The effect of j-particles on i-particles. Hits of a cutoff are unpredictable, and a
/// mispredicted branch takes longer than a cutoff filter.
impl<X: Interaction, L: Lanes, P: InDomain<L>> OnLanes<'_, X, L, P> {
    /// Whether a cutoff filter finds the hits before they are evaluated.
    const FILTERS: bool = X::LAW.cutoff && L::REORDERS;

    /// Evaluates all pairs of some vectors.
    #[inline(always)]
    fn evaluate<const VECTORS: usize>(
        &self,
        parameters: &X::With<L>,
        i: &[Of<X::I, L>; MOST_VECTORS],
        j: &View<'_, Word<L>>,
        f: &mut [Of<X::F, L>; MOST_VECTORS],
    ) {
        let space = &self.space;
        let lines = j.lines;
        // With few registers, keeping a j-particle for the next vector would spill sums. It is
        // loaded again instead; `black_box` hides from the compiler that it is the same.
        let rereads = const { VECTORS > 1 && L::REGISTERS < 32 };
        let again = if rereads { black_box(lines) } else { lines };
        // Sums in an array would be stored to memory for each j-particle.
        let [mut f0, mut f1, mut f2, mut f3] = f.clone();
        for k in j.range.clone() {
            let particle = Self::j_particle(lines, k);
            let index = L::splat_u32((j.first + k) as u32);
            X::pair(parameters, space, &i[0], &particle, index, &mut f0);
            let particle = if rereads { Self::j_particle(again, k) } else { particle };
            if VECTORS > 1 {
                X::pair(parameters, space, &i[1], &particle, index, &mut f1);
            }
            if VECTORS > 2 {
                X::pair(parameters, space, &i[2], &particle, index, &mut f2);
                X::pair(parameters, space, &i[3], &particle, index, &mut f3);
            }
        }
        *f = [f0, f1, f2, f3];
    }

    /// Finds the j-particles within the cutoff of each vector, then evaluates the hits.
    #[inline(always)]
    fn filter_and_evaluate(
        &self,
        parameters: &X::With<L>,
        i: &[Of<X::I, L>; MOST_VECTORS],
        j: &View<'_, Word<L>>,
        f: &mut [Of<X::F, L>; MOST_VECTORS],
    ) {
        let mut candidates = j.range.clone();
        while !candidates.is_empty() {
            let first = candidates.start;
            candidates.start = candidates.end.min(first + CANDIDATES);
            let mut hits = [Hits::default(); MOST_VECTORS];
            for k in 0..candidates.start - first {
                let j = Self::j_particle(j.lines, first + k);
                hits[0].add(k, L::any(X::within(parameters, &self.space, &i[0], &j)));
                if Self::VECTORS > 1 {
                    hits[1].add(k, L::any(X::within(parameters, &self.space, &i[1], &j)));
                }
                if Self::VECTORS > 2 {
                    hits[2].add(k, L::any(X::within(parameters, &self.space, &i[2], &j)));
                    hits[3].add(k, L::any(X::within(parameters, &self.space, &i[3], &j)));
                }
            }
            for v in 0..Self::VECTORS {
                let mut sum = f[v].clone();
                for &k in hits[v].all() {
                    let k = first + usize::from(k);
                    let particle = Self::j_particle(j.lines, k);
                    let index = L::splat_u32((j.first + k) as u32);
                    X::pair(parameters, &self.space, &i[v], &particle, index, &mut sum);
                }
                f[v] = sum;
            }
        }
    }

    /// Evaluates both directions of the pairs of one or two j-particles with vectors of
    /// i-particles.
    #[inline(always)]
    fn evaluate_symmetric(
        &self,
        parameters: &X::With<L>,
        i: &View<'_, Word<L>>,
        j: &[Of<X::J, L>; 2],
        two: bool,
        sums: &mut [Line<Word<L>>],
        j_sums: &mut [Of<X::F, L>; 2],
    ) {
        let [mut g, mut h] = j_sums.clone();
        let vectors = i.range.clone().step_by(L::WIDTH);
        for (k, sums) in vectors.zip(sums.chunks_exact_mut(X::F::DIM)) {
            let i = Self::i_particles(i.lines, k);
            let mut f = load::<X::F, L>(sums);
            X::pair_symmetric(parameters, &self.space, &i, &j[0], &mut f, &mut g);
            if two {
                X::pair_symmetric(parameters, &self.space, &i, &j[1], &mut f, &mut h);
            }
            store::<Of<X::F, L>, L>(&f, sums);
        }
        *j_sums = [g, h];
    }

    /// Finds the vectors of i-particles within the cutoff of a j-particle, then evaluates both
    /// directions of the hits.
    #[inline(always)]
    fn filter_and_evaluate_symmetric(
        &self,
        parameters: &X::With<L>,
        i: &View<'_, Word<L>>,
        j: &Of<X::J, L>,
        sums: &mut [Line<Word<L>>],
        g: &mut Of<X::F, L>,
    ) {
        let dim = X::F::DIM;
        let mut hits = Hits::default();
        for v in 0..i.range.len().div_ceil(L::WIDTH) {
            let i = Self::i_particles(i.lines, i.range.start + v * L::WIDTH);
            hits.add(v, L::any(X::within(parameters, &self.space, &i, j)));
        }
        let mut sum = g.clone();
        for &v in hits.all() {
            let v = usize::from(v);
            let i = Self::i_particles(i.lines, i.range.start + v * L::WIDTH);
            let mut f = load::<X::F, L>(&sums[v * dim..]);
            X::pair_symmetric(parameters, &self.space, &i, j, &mut f, &mut sum);
            store::<Of<X::F, L>, L>(&f, &mut sums[v * dim..]);
        }
        *g = sum;
    }
}

#[inline(always)]
pub(crate) fn load<F: Output, L: Lanes>(sums: &[Line<Word<L>>]) -> Of<F, L> {
    Of::<F, L>::read(&mut Load::<L> { lines: &sums[..F::DIM], at: 0 })
}

#[inline(always)]
pub(crate) fn store<F: Record<Lane = L>, L: Lanes>(f: &F, sums: &mut [Line<Word<L>>]) {
    f.write(&mut Store::<L> { lines: sums[..F::DIM].iter_mut() });
}

/// The sums of a vector, compensated or not.
pub(crate) struct RunningSum<F: Output, L: Lanes> {
    total: Of<F, L>,
    lost: Of<F, L>,
    is_compensated: bool,
}

impl<F: Output, L: Lanes> RunningSum<F, L> {
    #[inline(always)]
    pub fn load(sums: &[Line<Word<L>>], lost: Option<&[Line<Word<L>>]>) -> Self {
        let is_compensated = lost.is_some();
        let lost = lost.map_or_else(Default::default, load::<F, L>);
        Self { total: load::<F, L>(sums), lost, is_compensated }
    }

    /// Adds the effect of a pair where the mask `meets` is set.
    #[inline(always)]
    pub fn add<S: Space<L>>(&mut self, meets: L::Mask, pair: impl FnOnce(&mut Of<F, L>)) {
        let before = if self.is_compensated { Of::<F, L>::default() } else { self.total.clone() };
        let mut after = before.clone();
        pair(&mut after);
        let after = F::select::<L>(meets, &after, &before);
        if self.is_compensated {
            F::compensate::<L, S>(&after, &mut self.total, &mut self.lost);
        } else {
            self.total = after;
        }
    }

    #[inline(always)]
    pub fn store(&self, sums: &mut [Line<Word<L>>], lost: Option<&mut [Line<Word<L>>]>) {
        store::<Of<F, L>, L>(&self.total, sums);
        if let Some(lost) = lost {
            store::<Of<F, L>, L>(&self.lost, lost);
        }
    }
}

impl<U, X: Interaction, L: Lanes, P: InDomain<L>> Compile<X, L, P> for U {
    fn several(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &View<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
    ) {
        L::vectorize(
            #[inline(always)]
            || {
                let kernel = OnLanes::<X, L, P>::new(setting);
                let parameters = kernel.parameters();
                let is_two = OnLanes::<X, L, P>::TAKES_TWO && i.range.len() == 2 * L::WIDTH;
                let vectors = if is_two { 2 } else { OnLanes::<X, L, P>::VECTORS };
                let vector = |k: usize| i.range.start + k.min(vectors - 1) * L::WIDTH;
                let i = [
                    OnLanes::<X, L, P>::i_particles(i.lines, vector(0)),
                    OnLanes::<X, L, P>::i_particles(i.lines, vector(1)),
                    OnLanes::<X, L, P>::i_particles(i.lines, vector(2)),
                    OnLanes::<X, L, P>::i_particles(i.lines, vector(3)),
                ];
                let dim = X::F::DIM;
                let mut f: [Of<X::F, L>; MOST_VECTORS] = Default::default();
                for k in 0..vectors {
                    f[k] = load::<X::F, L>(&sums[k * dim..]);
                }
                if const { OnLanes::<X, L, P>::FILTERS } {
                    kernel.filter_and_evaluate(&parameters, &i, j, &mut f);
                } else if const { OnLanes::<X, L, P>::TAKES_TWO } {
                    if is_two {
                        kernel.evaluate::<2>(&parameters, &i, j, &mut f);
                    } else {
                        kernel.evaluate::<MOST_VECTORS>(&parameters, &i, j, &mut f);
                    }
                } else {
                    match const { OnLanes::<X, L, P>::VECTORS } {
                        1 => kernel.evaluate::<1>(&parameters, &i, j, &mut f),
                        2 => kernel.evaluate::<2>(&parameters, &i, j, &mut f),
                        _ => kernel.evaluate::<MOST_VECTORS>(&parameters, &i, j, &mut f),
                    }
                }
                for k in 0..vectors {
                    store::<Of<X::F, L>, L>(&f[k], &mut sums[k * dim..]);
                }
            },
        );
    }

    fn one(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &View<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    ) {
        L::vectorize(
            #[inline(always)]
            || {
                let kernel = OnLanes::<X, L, P>::new(setting);
                let parameters = kernel.parameters();
                let own = L::count_from((i.first + i.range.start) as u32);
                let i = OnLanes::<X, L, P>::i_particles(i.lines, i.range.start);
                let meets_self = L::splat_mask(!setting.skips_self);
                let mut sum = RunningSum::<X::F, L>::load(sums, lost.as_deref());
                for k in j.range.clone() {
                    let particle = OnLanes::<X, L, P>::j_particle(j.lines, k);
                    if const { OnLanes::<X, L, P>::FILTERS }
                        && !L::any(X::within(&parameters, &kernel.space, &i, &particle))
                    {
                        continue;
                    }
                    let index = L::splat_u32((j.first + k) as u32);
                    sum.add::<P>(
                        meets_self | !L::eq_u32(own, index),
                        #[inline(always)]
                        |f| X::pair(&parameters, &kernel.space, &i, &particle, index, f),
                    );
                }
                sum.store(sums, lost);
            },
        );
    }

    fn listed(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &ListedSources<'_, Word<L>>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    ) {
        L::vectorize(
            #[inline(always)]
            || OnLanes::<X, L, P>::new(setting).listed(i, j, sums, lost),
        );
    }

    fn symmetric(
        setting: &PairSetting<'_, Word<L>>,
        i: &View<'_, Word<L>>,
        j: &View<'_, Word<L>>,
        i_sums: &mut [Line<Word<L>>],
        j_sums: &mut [Line<Word<L>>],
    ) {
        L::vectorize(
            #[inline(always)]
            || {
                let kernel = OnLanes::<X, L, P>::new(setting);
                let parameters = kernel.parameters();
                let (dim, kinds) = (X::F::DIM, &setting.folding.kinds()[..X::F::DIM]);
                let first = j.range.start / LINE;
                // Two at a time, so that i-particles and their sums are read half as often.
                for k in j.range.clone().step_by(2) {
                    let two = k + 1 < j.range.end;
                    let last = k + usize::from(two);
                    let pair = [
                        OnLanes::<X, L, P>::j_particle(j.lines, k),
                        OnLanes::<X, L, P>::j_particle(j.lines, last),
                    ];
                    let mut sums: [Of<X::F, L>; 2] = Default::default();
                    if const { OnLanes::<X, L, P>::FILTERS } {
                        for it in 0..1 + last - k {
                            let (j, g) = (&pair[it], &mut sums[it]);
                            kernel.filter_and_evaluate_symmetric(&parameters, i, j, i_sums, g);
                        }
                    } else {
                        kernel.evaluate_symmetric(
                            &parameters,
                            i,
                            &pair,
                            last > k,
                            i_sums,
                            &mut sums,
                        );
                    }
                    for it in 0..1 + last - k {
                        let lines = &mut j_sums[((k + it) / LINE - first) * dim..][..dim];
                        let at = (k + it) % LINE;
                        sums[it].write(&mut Reduce::<L> { lines: lines.iter_mut(), kinds, at });
                    }
                }
            },
        );
    }
}
