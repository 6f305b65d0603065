//! The CPU: schedules that call the compiled loops of a law, lists, trees, and programs per
//! particle.

pub mod peak;

use std::sync::Arc;

use crate::lists::cpu::CpuNeighbours;
use crate::lists::short_range::CpuShortRange;
use crate::memory::buffers::{Particles, Results};
use crate::pairs::cpu::CpuEngine;
use crate::particles::cpu::CpuPerParticle;
use crate::particles::selection::CpuSelection;
use crate::totals::cpu::CpuPairTotals;
use crate::totals::engine::PairTotals;
use crate::trees::cpu::CpuTree;

use crate::device::Device;
use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::law::program::ParticleProgram;
use crate::lists::engine::{Neighbours, Origin, ShortRange};
use crate::memory::buffer::Buffer;
use crate::numeric::precision::Precision;
use crate::numeric::simd::level::SimdLevel;
use crate::options::Options;
use crate::pairs::engine::Engine;
use crate::particles::engine::{PerParticle, Selection, Sequence};
use crate::ranks::communicator::Communicator;
use crate::ranks::connection::Connection;
use crate::ranks::gather::CpuGather;
use crate::records::rows::Rows;
use crate::trees::engine::Tree;
use crate::trees::law::TreeLaw;
use crate::trees::opening::Opening;
use crate::tuples::cpu::CpuTuples;
use crate::tuples::engine::Tuples;

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

    /// Bits depend neither on the vector instructions nor on the number of threads.
    fn kind(&self) -> String {
        "cpu".to_owned()
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

    fn pair_totals(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn PairTotals>, Error> {
        Ok(Box::new(CpuPairTotals::new(law, parameters, options, self.level())?))
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

    fn total(&self, fields: &'static [Field]) -> Result<Box<dyn Buffer>, Error> {
        Ok(Box::new(Results::new(fields, 1, Precision::Double)?))
    }

    fn tuples(
        &self,
        program: &'static ParticleProgram,
        parameters: &[u64],
    ) -> Result<Box<dyn Tuples>, Error> {
        Ok(Box::new(CpuTuples::new(program, parameters, self.level())?))
    }

    fn selection(&self) -> Result<Box<dyn Selection>, Error> {
        Ok(Box::new(CpuSelection::default()))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        None
    }

    fn connect(&self, communicator: &Arc<dyn Communicator>) -> Result<Connection, Error> {
        let gather = Box::new(CpuGather::new(communicator.clone()));
        Ok(Connection { gather, parts: None })
    }
}
