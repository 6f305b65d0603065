//! The loop of a program per particle or per tuple, as a value.

use crate::domain::Domain;
use crate::error::Error;
use crate::law::tuple_loop::TupleWork;
use crate::numeric::simd::lanes::Line;

/// Constants of all particles.
pub struct ParticleSetting<'a> {
    /// The parameters, as one record.
    pub parameters: &'a [Line<u64>],
    /// The space.
    pub domain: Domain,
}

/// The records that a program reads besides the particle, in blocks.
#[derive(Clone, Copy)]
pub struct BesideBlocks<'a> {
    /// The second particle.
    pub q: &'a [Line<u64>],
    /// The results.
    pub f: &'a [Line<u64>],
    /// All second particles, in blocks, and their number, for a program that reads them by an index.
    pub others: (&'a [Line<u64>], usize),
    /// The total that all particles read: the first record of a block.
    pub g: &'a [Line<u64>],
}

/// The loop of a program over some blocks of particles, or over tuples, in `f64`.
pub struct ParticleLoop(pub ParticleCode);

/// The function of a loop.
#[derive(Clone, Copy)]
pub enum ParticleCode {
    /// An update, by the Rust compiler.
    Update(UpdateBlocks),
    /// A measure, by the Rust compiler.
    Measure(MeasureBlocks),
    /// A tuple, by the Rust compiler.
    Tuples(EvaluateTuples),
    /// A function that was compiled at run time.
    Loaded(&'static dyn LoadedParticleLoop),
}

/// Updates the particles of some blocks.
type UpdateBlocks = fn(&ParticleSetting, &mut [Line<u64>], BesideBlocks);

/// Writes the contribution of each particle to the total, from blocks whose first particle has
/// this index.
type MeasureBlocks = fn(&ParticleSetting, &[Line<u64>], BesideBlocks, usize, &mut [Line<u64>]);

/// Evaluates tuples, and merges their results into sums.
type EvaluateTuples = fn(&ParticleSetting, TupleWork);

/// A function that was compiled at run time: see the methods of [`ParticleLoop`].
#[allow(missing_docs, reason = "documented there")]
pub trait LoadedParticleLoop: Send + Sync {
    fn update(&self, setting: &ParticleSetting, p: &mut [Line<u64>], beside: BesideBlocks);
    fn measure(
        &self,
        setting: &ParticleSetting,
        p: &[Line<u64>],
        beside: BesideBlocks,
        first: usize,
        totals: &mut [Line<u64>],
    );
    fn tuples(&self, setting: &ParticleSetting, work: TupleWork);
}

/// Compiles the loop of a program at run time.
pub trait LoadParticleLoop: Send + Sync {
    /// Returns the loop.
    fn load(&self) -> Result<ParticleLoop, Error>;
}

impl ParticleLoop {
    /// Updates the particles of some blocks.
    pub(crate) fn update(
        &self,
        setting: &ParticleSetting,
        p: &mut [Line<u64>],
        beside: BesideBlocks,
    ) {
        match self.0 {
            ParticleCode::Update(update) => update(setting, p, beside),
            ParticleCode::Loaded(code) => code.update(setting, p, beside),
            ParticleCode::Measure(_) | ParticleCode::Tuples(_) => {
                unreachable!("checked: the loop of an update")
            }
        }
    }

    /// Writes the contribution of each particle to the total, from blocks whose first particle has
    /// this index.
    pub(crate) fn measure(
        &self,
        setting: &ParticleSetting,
        p: &[Line<u64>],
        beside: BesideBlocks,
        first: usize,
        totals: &mut [Line<u64>],
    ) {
        match self.0 {
            ParticleCode::Measure(measure) => measure(setting, p, beside, first, totals),
            ParticleCode::Loaded(code) => code.measure(setting, p, beside, first, totals),
            ParticleCode::Update(_) | ParticleCode::Tuples(_) => {
                unreachable!("checked: the loop of a measure")
            }
        }
    }

    /// Evaluates tuples, and merges their results into sums.
    pub(crate) fn tuples(&self, setting: &ParticleSetting, work: TupleWork) {
        match self.0 {
            ParticleCode::Tuples(tuples) => tuples(setting, work),
            ParticleCode::Loaded(code) => code.tuples(setting, work),
            ParticleCode::Update(_) | ParticleCode::Measure(_) => {
                unreachable!("checked: the loop of a tuple")
            }
        }
    }
}
