//! The compiled loop of a program per particle, as a value.

use crate::domain::Domain;
use crate::numeric::simd::lanes::Line;

/// Constants of all particles.
pub(crate) struct Setting<'a> {
    /// The parameters, as one record.
    pub parameters: &'a [Line<u64>],
    pub domain: Domain,
}

/// The records that a program reads besides the particle, in blocks.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    pub q: &'a [Line<u64>],
    pub f: &'a [Line<u64>],
}

/// The compiled loop of a program over some blocks of particles, in `f64`.
pub struct ParticleLoop(pub(crate) Compiled);

#[derive(Clone, Copy)]
pub(crate) enum Compiled {
    Update(UpdateBlocks),
    Measure(MeasureBlocks),
}

/// Updates the particles of some blocks.
pub(crate) type UpdateBlocks = fn(&Setting, &mut [Line<u64>], Beside);

/// Writes the contribution of each particle to the total, from blocks whose first particle has
/// this index.
pub(crate) type MeasureBlocks = fn(&Setting, &[Line<u64>], Beside, usize, &mut [Line<u64>]);
