//! The CPU: schedules that call the compiled loops of a law, lists, trees, and programs per
//! particle.

mod buffers;
mod columns;
mod engine;
mod evaluation;
mod hits;
mod kept;
mod listed;
mod loops;
mod neighbours;
mod pair;
mod particle;
mod particle_loop;
mod peak;
mod per_particle;
mod schedule;
mod selection;
mod short_range;
mod sums;
mod tree;
mod variant;

use engine::{CpuEngine, Particles};
use neighbours::CpuNeighbours;
pub(crate) use pair::{Pair, Sources};
pub use particle_loop::ParticleLoop;
pub use peak::peak;
use per_particle::CpuPerParticle;
use selection::CpuSelection;
use short_range::CpuShortRange;
use tree::CpuTree;
pub use variant::{Compiled, Variant};

use crate::numeric::simd::SimdLevel;
use crate::pack::Rows;
use crate::tree::law::TreeLaw;
use crate::untyped::{
    Buffer, Device, Engine, Neighbours, Origin, PerParticle, Selection, Sequence, ShortRange, Tree,
};
use crate::{Domain, Error, Field, Law, Opening, Options, Precision};

/// The CPU as a device.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    /// The requested level of vector instructions.
    level: Option<SimdLevel>,
}

impl Cpu {
    /// Returns the CPU with this level of vector instructions, or with the best available.
    pub fn new(level: Option<SimdLevel>) -> Self {
        Self { level }
    }

    fn level(self) -> SimdLevel {
        self.level.unwrap_or_else(SimdLevel::best)
    }
}

impl Device for Cpu {
    fn name(&self) -> String {
        self.level.map_or_else(|| "cpu".to_owned(), |level| format!("cpu:{level}"))
    }

    fn simd_level(&self) -> Option<SimdLevel> {
        Some(self.level())
    }

    fn trim(&self) -> Result<(), Error> {
        Ok(())
    }

    fn upload(&self, particles: &dyn Rows, precision: Precision) -> Result<Box<dyn Buffer>, Error> {
        Ok(Box::new(Particles::pack(particles, precision)?))
    }

    fn all_pairs(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn Engine>, Error> {
        Ok(Box::new(CpuEngine::new(law, parameters, options, self.level())?))
    }

    fn tree(
        &self,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Box<dyn Tree>, Error> {
        let law = TreeLaw::new(law, parameters, opening)?;
        Ok(Box::new(CpuTree::new(law, parameters, options, self.level())?))
    }

    fn short_range(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn ShortRange>, Error> {
        Ok(Box::new(CpuShortRange::new(law, parameters, options, self.level())?))
    }

    fn neighbours(
        &self,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Box<dyn Neighbours>, Error> {
        Ok(Box::new(CpuNeighbours::new(domain, origin, precision)?))
    }

    fn per_particle(
        &self,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Box<dyn PerParticle>, Error> {
        Ok(Box::new(CpuPerParticle::new(fields, parameters)?))
    }

    fn selection(&self) -> Result<Box<dyn Selection>, Error> {
        Ok(Box::new(CpuSelection::default()))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        None
    }
}
