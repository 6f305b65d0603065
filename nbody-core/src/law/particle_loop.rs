//! The compiled loop of a program per particle, as a value.

use crate::domain::Domain;
use crate::numeric::simd::lanes::Line;

/// Constants of all particles.
pub(crate) struct ParticleSetting<'a> {
    /// The parameters, as one record.
    pub parameters: &'a [Line<u64>],
    pub domain: Domain,
}

/// The records that a program reads besides the particle, in blocks.
#[derive(Clone, Copy)]
pub(crate) struct BesideBlocks<'a> {
    pub q: &'a [Line<u64>],
    pub f: &'a [Line<u64>],
}

/// The compiled loop of a program over some blocks of particles, in `f64`.
pub struct ParticleLoop(pub(crate) CompiledLoop);

#[derive(Clone, Copy)]
pub(crate) enum CompiledLoop {
    Update(UpdateBlocks),
    Measure(MeasureBlocks),
}

/// Updates the particles of some blocks.
pub(crate) type UpdateBlocks = fn(&ParticleSetting, &mut [Line<u64>], BesideBlocks);

/// Writes the contribution of each particle to the total, from blocks whose first particle has
/// this index.
pub(crate) type MeasureBlocks =
    fn(&ParticleSetting, &[Line<u64>], BesideBlocks, usize, &mut [Line<u64>]);
