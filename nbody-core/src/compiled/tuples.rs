//! The loop over tuples, compiled for each tuple that is declared.

use std::marker::PhantomData;

use crate::compiled::particles::parameters;
use crate::domain::InDomain;
use crate::law::particle_loop::{ParticleCode, ParticleLoop, ParticleSetting};
use crate::law::program::{Members, Tuple};
use crate::law::tuple_loop::{Merge, TupleWork};
use crate::numeric::rows::Writer;
use crate::numeric::simd::level::Best;
use crate::numeric::space::Either;
use crate::records::record::Record;
use crate::records::rows::RowReader;

impl ParticleLoop {
    /// Returns the loop of a tuple.
    pub fn of_tuple<X: Tuple>() -> Self {
        Self(ParticleCode::Tuples(tuples::<X>))
    }
}

fn tuples<X: Tuple>(setting: &ParticleSetting, work: TupleWork) {
    let best = Best::new();
    if work.is_rounded {
        best.run(|| run::<X, true>(setting, work));
    } else {
        best.run(|| run::<X, false>(setting, work));
    }
}

/// Evaluates each tuple, and merges its results into the sums of its particles.
#[inline(always)]
fn run<X: Tuple, const ROUNDED: bool>(setting: &ParticleSetting, work: TupleWork) {
    let TupleWork { indices, records, particles, first, sums, .. } = work;
    let parameters: X = parameters(setting);
    let space = Either::<f64>::in_domain(&setting.domain);
    for (k, tuple) in indices.chunks_exact(<X::Members as Members>::COUNT).enumerate() {
        let t: X::T = row(records, k);
        let p = X::Members::each(|m| row::<X::P>(particles, tuple[m] as usize));
        let mut f = X::Members::each(|_| X::F::default());
        X::tuple(&parameters, &space, &t, p.as_ref(), f.as_mut());
        for (f, &index) in f.as_ref().iter().zip(tuple) {
            let Some(at) = (index as usize).checked_sub(first) else { continue };
            let row = at * X::F::DIM..(at + 1) * X::F::DIM;
            let Some(sums) = sums.get_mut(row) else { continue };
            let sums = sums.iter_mut().enumerate();
            f.write(&mut Sums::<X::F, _, ROUNDED> { sums, record: PhantomData });
        }
    }
}

/// Returns a record of rows.
#[inline(always)]
fn row<P: Record<Lane = f64>>(rows: &[u64], k: usize) -> P {
    P::read(&mut RowReader(rows[k * P::DIM..][..P::DIM].iter()))
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

/// Merges the numbers of a result into the sums of a particle.
struct Sums<F, I, const ROUNDED: bool> {
    sums: I,
    record: PhantomData<F>,
}

impl<'a, F, I, const ROUNDED: bool> Sums<F, I, ROUNDED>
where
    F: Record,
    I: Iterator<Item = (usize, &'a mut u64)>,
{
    #[inline(always)]
    fn merge(&mut self, word: u64) {
        let (c, sum) = self.sums.next().expect("a record has a sum for each number");
        *sum = Operations::<F>::of(c).merged(*sum, word);
    }
}

impl<'a, F, I, const ROUNDED: bool> Writer<f64> for Sums<F, I, ROUNDED>
where
    F: Record,
    I: Iterator<Item = (usize, &'a mut u64)>,
{
    #[inline(always)]
    fn real(&mut self, value: f64) {
        let value = if ROUNDED { f64::from(value as f32) } else { value };
        self.merge(value.to_bits());
    }
    #[inline(always)]
    fn index(&mut self, value: u32) {
        self.merge(value.into());
    }
    #[inline(always)]
    fn coordinate(&mut self, value: f64) {
        self.real(value);
    }
}
