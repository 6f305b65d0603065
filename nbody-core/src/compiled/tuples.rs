//! The loop over tuples, compiled for each tuple that is declared and for each level of vector
//! instructions. Their results differ in special functions alone.

use std::marker::PhantomData;

use crate::domain::InDomain;
use crate::law::particle_loop::{ParticleCode, ParticleLoop, ParticleSetting};
use crate::law::program::{Members, Tuple};
use crate::law::tuple_loop::{Merge, TupleWork};
use crate::memory::columns::lines_of_parameters;
use crate::numeric::lane::Lane;
use crate::numeric::rows::Reader;
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::exact::Exact;
use crate::numeric::simd::lanes::{Broadcast, LINE, Lanes, Line, Load, Store};
use crate::numeric::simd::level::SimdLevel;
#[cfg(target_arch = "x86_64")]
use crate::numeric::simd::{avx2, avx512};
use crate::numeric::space::Either;
use crate::records::record::Record;

impl ParticleLoop {
    /// Returns the loop of a tuple.
    pub fn of_tuple<X: Tuple>() -> Self {
        Self(ParticleCode::Tuples(tuples::<X>))
    }
}

fn tuples<X: Tuple>(setting: &ParticleSetting, work: TupleWork) {
    match work.level {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => vectorized::<X, Exact<avx512::Double>>(setting, work),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => vectorized::<X, Exact<avx2::Double>>(setting, work),
        _ => vectorized::<X, f64>(setting, work),
    }
}

fn vectorized<X: Tuple, L>(setting: &ParticleSetting, work: TupleWork)
where
    L: Lanes<Scalar = f64> + Lane<Coordinate = L>,
{
    L::vectorize(
        #[inline(always)]
        || run::<X, L>(setting, work),
    );
}

/// Evaluates a tuple in each element of the lane, and merges their results into the sums of their
/// particles, one tuple after another.
#[inline(always)]
fn run<X: Tuple, L>(setting: &ParticleSetting, work: TupleWork)
where
    L: Lanes<Scalar = f64> + Lane<Coordinate = L>,
{
    let TupleWork { indices, places, records, particles, sums, .. } = work;
    let lines = &setting.parameters[..const { lines_of_parameters(X::FIELDS, 1) }];
    let parameters = X::With::<L>::read(&mut Broadcast { lines, at: 0 });
    let space = Either::<L>::in_domain(&setting.domain);
    let count = <X::Members as Members>::COUNT;
    if X::F::DIM == 0 {
        return;
    }
    // The results of each particle of the tuples, a line for each number.
    let mut found = vec![Line([0; LINE]); count * X::F::DIM];
    let width = const { L::WIDTH * <X::Members as Members>::COUNT };
    let chunks = indices.chunks_exact(width).zip(places.chunks_exact(width));
    for (begin, (tuples, places)) in (0..).step_by(L::WIDTH).zip(chunks) {
        let lines = &records[begin / LINE * X::T::DIM..][..X::T::DIM];
        let t = <X::T as Record>::With::<L>::read(&mut Load { lines, at: begin % LINE });
        let p = X::Members::each(
            #[inline(always)]
            |m| {
                rows::<X::P, L>(
                    particles,
                    #[inline(always)]
                    |k| tuples[k * count + m] as usize,
                )
            },
        );
        let mut f = X::Members::each(
            #[inline(always)]
            |_| <X::F as Record>::With::<L>::default(),
        );
        X::tuple(&parameters, &space, &t, p.as_ref(), f.as_mut());
        for (f, lines) in f.as_ref().iter().zip(found.chunks_exact_mut(X::F::DIM)) {
            f.write(&mut Store::<L> { lines: lines.iter_mut() });
        }
        for (k, places) in places.chunks_exact(count).enumerate() {
            for (of_member, &place) in found.chunks_exact(X::F::DIM).zip(places) {
                let (first, at) = (place as usize / LINE, place as usize % LINE);
                let Some(sums) = sums.get_mut(first..first + X::F::DIM) else { continue };
                for (c, (sum, line)) in sums.iter_mut().zip(of_member).enumerate() {
                    let sum = &mut sum.0[at];
                    *sum = Operations::<X::F>::of(c).merged(*sum, line.0[k % LINE]);
                }
            }
        }
    }
}

/// Returns the records at some places of rows, one in each element.
#[inline(always)]
fn rows<P: Record, L: Lanes<Scalar = f64>>(
    rows: &[u64],
    place: impl Fn(usize) -> usize,
) -> P::With<L> {
    let mut each = [&[][..]; LINE];
    for (k, row) in each.iter_mut().enumerate().take(L::WIDTH) {
        let begin = place(k) * P::DIM;
        *row = &rows[begin..begin + P::DIM];
    }
    P::With::<L>::read(&mut Rows { rows: each, next: 0 })
}

/// Reads several rows at once.
struct Rows<'a> {
    rows: [&'a [u64]; LINE],
    next: usize,
}

impl Rows<'_> {
    /// Returns the next word of the first `width` rows.
    #[inline(always)]
    fn next(&mut self, width: usize) -> Line<u64> {
        let mut line = Line([0; LINE]);
        for k in 0..width {
            line.0[k] = self.rows[k][self.next];
        }
        self.next += 1;
        line
    }
}

impl<L: Lanes<Scalar = f64>> Reader<L> for Rows<'_> {
    #[inline(always)]
    fn real(&mut self) -> L {
        L::load(&self.next(L::WIDTH), 0)
    }
    #[inline(always)]
    fn index(&mut self) -> L::U32 {
        L::load_u32(&self.next(L::WIDTH), 0)
    }
    #[inline(always)]
    fn coordinate(&mut self) -> L::Coordinate {
        L::coordinate_from(
            #[inline(always)]
            || self.real(),
        )
    }
}

/// The operations of the first numbers of a result, so that the compiler knows them.
struct Operations<F>(PhantomData<F>);

const KNOWN: usize = 64;

impl<F: Record> Operations<F> {
    const FIRST: [Merge; KNOWN] = {
        let (mut all, mut c) = ([Merge::Sum; KNOWN], 0);
        while c < KNOWN {
            all[c] = Merge::of(F::FIELDS, c);
            c += 1;
        }
        all
    };

    #[inline(always)]
    fn of(c: usize) -> Merge {
        if c < KNOWN { Self::FIRST[c] } else { Merge::of(F::FIELDS, c) }
    }
}
