//! The loop over particles of a program per particle: the only engine code that is compiled for
//! each program.

use crate::domain::InDomain;
use crate::law::particle_loop::BesideBlocks;
use crate::law::particle_loop::ParticleCode;
use crate::law::particle_loop::ParticleLoop;
use crate::law::particle_loop::ParticleSetting;
use crate::law::program::{Measure, Others, Update};
use crate::memory::columns::lines_of_parameters;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::simd::lanes::{LINE, Line, Load};
use crate::numeric::space::Either;
use crate::records::joined::Records;
use crate::records::record::Record;

impl ParticleLoop {
    /// Returns the loop of an update.
    pub fn of_update<U: Update>() -> Self {
        Self(ParticleCode::Update(update::<U>))
    }

    /// Returns the loop of a measure.
    pub fn of_measure<M: Measure>() -> Self {
        Self(ParticleCode::Measure(measure::<M>))
    }
}

fn update<U: Update>(setting: &ParticleSetting, p: &mut [Line<u64>], beside: BesideBlocks) {
    let parameters: U = parameters(setting);
    let space = Either::<f64>::in_domain(&setting.domain);
    let (g, others) = (element(beside.g, 0), All(beside.others));
    for (b, p) in p.chunks_exact_mut(const { at_least_one(<U::P as Record>::DIM) }).enumerate() {
        let (q, f) = (block::<U::Q>(beside.q, b), block::<U::F>(beside.f, b));
        for k in 0..LINE {
            let mut particle: U::P = element(p, k);
            U::update(
                &parameters,
                &space,
                &mut particle,
                &element(q, k),
                &element(f, k),
                &g,
                &others,
            );
            particle.write(&mut Element { lines: p.iter_mut(), at: k });
        }
    }
}

fn measure<M: Measure>(
    setting: &ParticleSetting,
    p: &[Line<u64>],
    beside: BesideBlocks,
    first: usize,
    totals: &mut [Line<u64>],
) {
    let parameters: M = parameters(setting);
    let space = Either::<f64>::in_domain(&setting.domain);
    let (g, others) = (element(beside.g, 0), All(beside.others));
    for (b, totals) in
        totals.chunks_exact_mut(const { at_least_one(<M::T as Record>::DIM) }).enumerate()
    {
        let (p, q) = (block::<M::P>(p, b), block::<M::Q>(beside.q, b));
        let f = block::<M::F>(beside.f, b);
        for k in 0..LINE {
            let (p, q, f) = (element(p, k), element(q, k), element(f, k));
            let index = (first + b * LINE + k) as u32;
            let mut total = M::T::default();
            M::measure(&parameters, &space, &p, &q, &f, &g, &others, index, &mut total);
            total.write(&mut Element { lines: totals.iter_mut(), at: k });
        }
    }
}

const fn at_least_one(n: usize) -> usize {
    if n == 0 { 1 } else { n }
}

/// Returns a block of records.
#[inline(always)]
fn block<P: Records>(lines: &[Line<u64>], b: usize) -> &[Line<u64>] {
    &lines[b * P::DIM..][..P::DIM]
}

/// Returns the parameters.
#[inline(always)]
pub(super) fn parameters<P: Record<Lane = f64>>(setting: &ParticleSetting) -> P {
    let lines = &setting.parameters[..const { lines_of_parameters(P::FIELDS, 1) }];
    P::read(&mut Load { lines, at: 0 })
}

/// Returns a record of a block.
#[inline(always)]
fn element<P: Records<Lane = f64>>(lines: &[Line<u64>], at: usize) -> P {
    P::read(&mut Load { lines: &lines[..P::DIM], at })
}

/// All second particles in blocks, and their number.
struct All<'a>((&'a [Line<u64>], usize));

impl<Q: Records<Lane = f64>> Others<Q, u32> for All<'_> {
    #[inline(always)]
    fn at(&self, index: u32) -> Q {
        let (lines, n) = self.0;
        let k = index as usize;
        if k < n { element(block::<Q>(lines, k / LINE), k % LINE) } else { Q::read(&mut NoRecord) }
    }
}

/// Reads a record that does not exist.
struct NoRecord;

impl Reader<f64> for NoRecord {
    #[inline(always)]
    fn real(&mut self) -> f64 {
        f64::NAN
    }
    #[inline(always)]
    fn index(&mut self) -> u32 {
        u32::MAX
    }
    #[inline(always)]
    fn coordinate(&mut self) -> f64 {
        f64::NAN
    }
}

/// Writes a record of a block.
struct Element<'a> {
    lines: std::slice::IterMut<'a, Line<u64>>,
    at: usize,
}

impl Element<'_> {
    #[inline(always)]
    fn put(&mut self, word: u64) {
        self.lines.next().expect("a record has a line for each number").0[self.at] = word;
    }
}

impl Writer<f64> for Element<'_> {
    #[inline(always)]
    fn real(&mut self, value: f64) {
        self.put(value.to_bits());
    }
    #[inline(always)]
    fn index(&mut self, value: u32) {
        self.put(value.into());
    }
    #[inline(always)]
    fn coordinate(&mut self, value: f64) {
        self.put(value.to_bits());
    }
}
