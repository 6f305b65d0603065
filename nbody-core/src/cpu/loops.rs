//! The loops over pairs of an interaction: all that is compiled for each of them, and that again
//! for every kind of lane and of space. What is around them is compiled once, in this crate.

use std::hint::black_box;
use std::marker::PhantomData;
use std::ops::Range;

use super::sums::Folding;
use crate::law::space::InDomain;
use crate::numeric::simd::{Broadcast, LINE, Lanes, Line, Load, Reduce, Store, Word};
use crate::{Domain, Interaction, Output, Record, pack};

/// The most vectors of i-particles in a block of registers.
const MOST_VECTORS: usize = 4;
/// j-particles that [`Loops::both`] takes at a time.
pub(crate) const AT_ONCE: usize = 2;

/// What the loops go over.
pub(crate) struct Sets<'a, W> {
    /// The interaction, as one record.
    pub parameters: &'a [Line<W>],
    pub domain: Domain,
    pub i: &'a [Line<W>],
    pub j: &'a [Line<W>],
    /// Whether particles must not meet themselves.
    pub skips_self: bool,
    pub folding: &'a Folding,
}

/// The compiled loops over pairs, for one kind of lane and of space. Sums are lines of numbers, as
/// many for a vector as a result has, of which the first elements are used, one for each
/// i-particle.
pub(crate) struct Loops<W> {
    /// i-particles in a vector.
    pub width: usize,
    /// Vectors that `several` takes.
    pub vectors: usize,
    /// Adds what these j-particles do to several vectors of i-particles from `i` on.
    pub several: Several<W>,
    /// Adds what these j-particles do to the vector of i-particles from `i` on, but for what
    /// particles do to themselves if they must not; where `lost` is given, by compensated sums.
    pub one: One<W>,
    /// Adds what one or two j-particles do to some vectors of i-particles, and writes what these do
    /// to them to the element `at` of `j_sums` and to the next. `None` where it does not pay.
    pub both: Option<Both<W>>,
}

type Several<W> = fn(&Sets<'_, W>, usize, Range<usize>, &mut [Line<W>]);
type One<W> = fn(&Sets<'_, W>, usize, Range<usize>, &mut [Line<W>], Option<&mut [Line<W>]>);
pub(crate) type Both<W> =
    fn(&Sets<'_, W>, Range<usize>, Range<usize>, &mut [Line<W>], usize, &mut [Line<W>]);

/// Whether evaluating both directions of a pair at once saves operations: those of the cutoff filter,
/// or of the pair. What is added to sums in memory takes as much as some of them.
const fn saves<X: Interaction>() -> bool {
    match X::THIRD_LAW {
        Some(law) => X::CUTOFF || 6 * law.operations.flops() < 10 * X::OPERATIONS.flops(),
        None => false,
    }
}

impl<W> Loops<W> {
    /// The loops of an interaction on lanes of one kind, compiled in the code-generation unit of
    /// `U`.
    pub fn of<U, X, L, P>() -> Self
    where
        U: Compile<X, L, P>,
        X: Interaction,
        L: Lanes<Scalar: crate::Scalar<Word = W>>,
        P: InDomain<L>,
    {
        Self {
            width: L::WIDTH,
            vectors: Kernel::<X, L, P>::VECTORS,
            several: U::several,
            one: U::one,
            both: if const { L::REORDERS && saves::<X>() } { Some(U::both) } else { None },
        }
    }
}

/// Compiles the loops. The compiler puts a function into the unit of the module that has its `Self`
/// type, so that each law has units of its own: they are compiled in parallel, and only those of a
/// law that was changed are compiled again.
pub(crate) trait Compile<X, L: Lanes, P> {
    fn several(sets: &Sets<'_, Word<L>>, i: usize, j: Range<usize>, sums: &mut [Line<Word<L>>]);
    fn one(
        sets: &Sets<'_, Word<L>>,
        i: usize,
        j: Range<usize>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    );
    fn both(
        sets: &Sets<'_, Word<L>>,
        i: Range<usize>,
        j: Range<usize>,
        i_sums: &mut [Line<Word<L>>],
        at: usize,
        j_sums: &mut [Line<Word<L>>],
    );
}

/// An interaction on lanes of one kind.
struct Kernel<'a, X: Interaction, L: Lanes, P> {
    sets: &'a Sets<'a, Word<L>>,
    space: P,
    interaction: PhantomData<X>,
}

type Of<P, L> = <P as Record>::With<L>;

impl<'a, X: Interaction, L: Lanes, P: InDomain<L>> Kernel<'a, X, L, P> {
    /// How many vectors of i-particles, with their sums, leave registers for what a pair computes.
    const VECTORS: usize = {
        let numbers = X::I::DIM + X::F::DIM;
        let room = L::REGISTERS / if numbers == 0 { 1 } else { numbers };
        match room {
            _ if !L::REORDERS || room < 2 => 1,
            2 | 3 => 2,
            _ => MOST_VECTORS,
        }
    };

    #[inline(always)]
    fn new(sets: &'a Sets<'a, Word<L>>) -> Self {
        Self { sets, space: P::in_domain(&sets.domain), interaction: PhantomData }
    }

    #[inline(always)]
    fn parameters(&self) -> X::With<L> {
        let words = const { pack::words::<L::Scalar>(X::FIELDS) };
        let lines = &self.sets.parameters[..words];
        X::With::<L>::read(&mut Broadcast { lines, at: 0 })
    }

    /// The vector of i-particles from `i` on.
    #[inline(always)]
    fn i_particles(&self, i: usize) -> Of<X::I, L> {
        let words = const { pack::words::<L::Scalar>(X::I::FIELDS) };
        let lines = &self.sets.i[i / LINE * words..][..words];
        Of::<X::I, L>::read(&mut Load { lines, at: i % LINE })
    }

    /// A j-particle, in every element.
    #[inline(always)]
    fn j_particle(&self, j: usize) -> Of<X::J, L> {
        Self::j_particle_of(self.sets.j, j)
    }

    #[inline(always)]
    fn j_particle_of(lines: &[Line<Word<L>>], j: usize) -> Of<X::J, L> {
        let words = const { pack::words::<L::Scalar>(X::J::FIELDS) };
        let lines = &lines[j / LINE * words..][..words];
        Of::<X::J, L>::read(&mut Broadcast { lines, at: j % LINE })
    }
}

/// What j-particles do to i-particles. Which pairs are within a cutoff cannot be foretold, and a
/// branch that is guessed wrong takes longer than to note those that are.
impl<X: Interaction, L: Lanes, P: InDomain<L>> Kernel<'_, X, L, P> {
    /// Whether the pairs within the cutoff are noted before they are evaluated.
    const NOTES_FIRST: bool = X::CUTOFF && L::REORDERS;

    /// Evaluates all pairs of some vectors.
    #[inline(always)]
    fn all(
        &self,
        parameters: &X::With<L>,
        i: &[Of<X::I, L>; MOST_VECTORS],
        j: Range<usize>,
        f: &mut [Of<X::F, L>; MOST_VECTORS],
    ) {
        let space = &self.space;
        // With few registers, a j-particle that is kept for the next vector displaces sums. It is read
        // again for that one, which a compiler would undo if it knew that it is the same.
        let again = if const { L::REGISTERS < 32 } { black_box(self.sets.j) } else { self.sets.j };
        for k in j {
            let j = self.j_particle(k);
            let index = L::splat_u32(k as u32);
            X::pair(parameters, space, &i[0], &j, index, &mut f[0]);
            let j = Self::j_particle_of(again, k);
            if Self::VECTORS > 1 {
                X::pair(parameters, space, &i[1], &j, index, &mut f[1]);
            }
            if Self::VECTORS > 2 {
                X::pair(parameters, space, &i[2], &j, index, &mut f[2]);
                X::pair(parameters, space, &i[3], &j, index, &mut f[3]);
            }
        }
    }

    /// Notes which j-particles are within the cutoff of each vector, then evaluates these.
    #[inline(always)]
    fn noted(
        &self,
        parameters: &X::With<L>,
        i: &[Of<X::I, L>; MOST_VECTORS],
        mut j: Range<usize>,
        f: &mut [Of<X::F, L>; MOST_VECTORS],
    ) {
        while !j.is_empty() {
            let first = j.start;
            j.start = j.end.min(first + MOST_NOTES);
            let mut notes = [Notes::default(); MOST_VECTORS];
            for k in 0..j.start - first {
                let j = self.j_particle(first + k);
                notes[0].add(k, L::any(X::within(parameters, &self.space, &i[0], &j)));
                if Self::VECTORS > 1 {
                    notes[1].add(k, L::any(X::within(parameters, &self.space, &i[1], &j)));
                }
                if Self::VECTORS > 2 {
                    notes[2].add(k, L::any(X::within(parameters, &self.space, &i[2], &j)));
                    notes[3].add(k, L::any(X::within(parameters, &self.space, &i[3], &j)));
                }
            }
            for v in 0..Self::VECTORS {
                let mut sum = f[v];
                for &k in notes[v].all() {
                    let k = first + usize::from(k);
                    let (j, index) = (self.j_particle(k), L::splat_u32(k as u32));
                    X::pair(parameters, &self.space, &i[v], &j, index, &mut sum);
                }
                f[v] = sum;
            }
        }
    }

    /// Notes which vectors of i-particles are within the cutoff of a j-particle, then evaluates both
    /// directions of these pairs.
    #[inline(always)]
    fn both_noted(
        &self,
        parameters: &X::With<L>,
        i: Range<usize>,
        j: &Of<X::J, L>,
        sums: &mut [Line<Word<L>>],
        g: &mut Of<X::F, L>,
    ) {
        let dim = X::F::DIM;
        let mut notes = Notes::default();
        for v in 0..i.len().div_ceil(L::WIDTH) {
            let i = self.i_particles(i.start + v * L::WIDTH);
            notes.add(v, L::any(X::within(parameters, &self.space, &i, j)));
        }
        let mut sum = *g;
        for &v in notes.all() {
            let v = usize::from(v);
            let i = self.i_particles(i.start + v * L::WIDTH);
            let mut f = load::<X::F, L>(&sums[v * dim..]);
            X::pair_symmetric(parameters, &self.space, &i, j, &mut f, &mut sum);
            store::<Of<X::F, L>, L>(&f, &mut sums[v * dim..]);
        }
        *g = sum;
    }
}

/// How many particles or vectors are looked at before those noted are evaluated.
pub(crate) const MOST_NOTES: usize = 256;

/// Those of [`MOST_NOTES`] that are within the cutoff.
#[derive(Clone, Copy)]
struct Notes {
    indices: [u8; MOST_NOTES],
    count: usize,
}

impl Default for Notes {
    #[inline(always)]
    fn default() -> Self {
        Self { indices: [0; MOST_NOTES], count: 0 }
    }
}

impl Notes {
    /// Notes an index if it is within; without a branch.
    #[inline(always)]
    fn add(&mut self, index: usize, is_within: bool) {
        // No more are added than there is room for, which the remainder tells the compiler.
        self.indices[self.count % MOST_NOTES] = index as u8;
        self.count += usize::from(is_within);
    }

    #[inline(always)]
    fn all(&self) -> &[u8] {
        &self.indices[..self.count.min(MOST_NOTES)]
    }
}

#[inline(always)]
fn load<F: Output, L: Lanes>(sums: &[Line<Word<L>>]) -> Of<F, L> {
    Of::<F, L>::read(&mut Load::<L> { lines: &sums[..F::DIM], at: 0 })
}

#[inline(always)]
fn store<F: Record<Lane = L>, L: Lanes>(f: &F, sums: &mut [Line<Word<L>>]) {
    f.write(&mut Store::<L> { lines: sums[..F::DIM].iter_mut() });
}

impl<U, X: Interaction, L: Lanes, P: InDomain<L>> Compile<X, L, P> for U {
    fn several(sets: &Sets<'_, Word<L>>, i: usize, j: Range<usize>, sums: &mut [Line<Word<L>>]) {
        L::vectorize(
            #[inline(always)]
            || {
                let kernel = Kernel::<X, L, P>::new(sets);
                let parameters = kernel.parameters();
                let vectors = Kernel::<X, L, P>::VECTORS;
                let vector = |k: usize| i + k.min(vectors - 1) * L::WIDTH;
                let i = [
                    kernel.i_particles(vector(0)),
                    kernel.i_particles(vector(1)),
                    kernel.i_particles(vector(2)),
                    kernel.i_particles(vector(3)),
                ];
                let dim = X::F::DIM;
                let mut f = [Of::<X::F, L>::default(); MOST_VECTORS];
                for k in 0..vectors {
                    f[k] = load::<X::F, L>(&sums[k * dim..]);
                }
                if const { Kernel::<X, L, P>::NOTES_FIRST } {
                    kernel.noted(&parameters, &i, j, &mut f);
                } else {
                    kernel.all(&parameters, &i, j, &mut f);
                }
                for k in 0..vectors {
                    store::<Of<X::F, L>, L>(&f[k], &mut sums[k * dim..]);
                }
            },
        );
    }

    fn one(
        sets: &Sets<'_, Word<L>>,
        i: usize,
        j: Range<usize>,
        sums: &mut [Line<Word<L>>],
        lost: Option<&mut [Line<Word<L>>]>,
    ) {
        L::vectorize(
            #[inline(always)]
            || {
                let kernel = Kernel::<X, L, P>::new(sets);
                let parameters = kernel.parameters();
                let (own, i) = (L::count_from(i as u32), kernel.i_particles(i));
                let meets_self = L::splat_mask(!sets.skips_self);
                let compensated = lost.is_some();
                let mut sum = load::<X::F, L>(sums);
                let mut rest =
                    lost.as_ref().map_or_else(Default::default, |lost| load::<X::F, L>(lost));
                for k in j {
                    let j = kernel.j_particle(k);
                    let index = L::splat_u32(k as u32);
                    let meets = meets_self | !L::eq_u32(own, index);
                    let before = if compensated { Of::<X::F, L>::default() } else { sum };
                    let mut after = before;
                    X::pair(&parameters, &kernel.space, &i, &j, index, &mut after);
                    let after = X::F::select::<L>(meets, &after, &before);
                    if compensated {
                        X::F::compensate::<L>(&after, &mut sum, &mut rest);
                    } else {
                        sum = after;
                    }
                }
                store::<Of<X::F, L>, L>(&sum, sums);
                if let Some(lost) = lost {
                    store::<Of<X::F, L>, L>(&rest, lost);
                }
            },
        );
    }

    fn both(
        sets: &Sets<'_, Word<L>>,
        i: Range<usize>,
        j: Range<usize>,
        i_sums: &mut [Line<Word<L>>],
        at: usize,
        j_sums: &mut [Line<Word<L>>],
    ) {
        L::vectorize(
            #[inline(always)]
            || {
                let kernel = Kernel::<X, L, P>::new(sets);
                let parameters = kernel.parameters();
                let two = j.len() == AT_ONCE;
                let j = [kernel.j_particle(j.start), kernel.j_particle(j.end - 1)];
                let [mut g, mut h] = [Of::<X::F, L>::default(); AT_ONCE];
                if const { Kernel::<X, L, P>::NOTES_FIRST } {
                    let mut sums = [g, h];
                    for k in 0..=usize::from(two) {
                        kernel.both_noted(&parameters, i.clone(), &j[k], i_sums, &mut sums[k]);
                    }
                    [g, h] = sums;
                } else {
                    let vectors = i.step_by(L::WIDTH);
                    for (k, sums) in vectors.zip(i_sums.chunks_exact_mut(X::F::DIM)) {
                        let i = kernel.i_particles(k);
                        let mut f = load::<X::F, L>(sums);
                        X::pair_symmetric(&parameters, &kernel.space, &i, &j[0], &mut f, &mut g);
                        if two {
                            X::pair_symmetric(
                                &parameters,
                                &kernel.space,
                                &i,
                                &j[1],
                                &mut f,
                                &mut h,
                            );
                        }
                        store::<Of<X::F, L>, L>(&f, sums);
                    }
                }
                let kinds = sets.folding.kinds();
                g.write(&mut Reduce::<L> { lines: j_sums.iter_mut(), kinds, at });
                if two {
                    h.write(&mut Reduce::<L> { lines: j_sums.iter_mut(), kinds, at: at + 1 });
                }
            },
        );
    }
}
