//! The device that creates engines of CUDA programs, on a GPU or in the emulator.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::Rows;
use nbody_core::trees::law::TreeLaw;
use nbody_core::untyped::{self, CallerWork, Communicator, DeviceColumn, LentMemory, Origin};
use nbody_core::{
    Domain, Error, Field, Law, Opening, Options, ParticleProgram, Precision, SimdLevel,
};

use crate::backend::emulator::Emulator;
use crate::backend::gpu::{self, Gpu};
use crate::backend::{Backend, Buffer, Link, Properties};
use crate::engine::buffer::{CudaParticles, CudaResults};
use crate::engine::columns::ColumnCopy;
use crate::engine::copies::RowCopies;
use crate::engine::gather::CudaGather;
use crate::engine::lent::Lent;
use crate::engine::parts::CudaParts;
use crate::lists::neighbours::CudaNeighbours;
use crate::lists::short_range::ListEngine;
use crate::pairs::engine::CudaEngine;
use crate::particles::ParticleEngine;
use crate::particles::selection::CudaSelection;
use crate::particles::sequence::CudaSequence;
use crate::totals::TotalsEngine;
use crate::trees::engine::TreeEngine;
use crate::tuples::TupleEngine;

/// A device that runs CUDA programs: a GPU, or the emulator.
#[derive(Clone, Debug)]
pub struct CudaDevice {
    backend: Arc<dyn Backend>,
    cache: Cache,
    copies: Arc<RowCopies>,
    column_copy: Arc<ColumnCopy>,
}

impl CudaDevice {
    /// Opens a GPU by its ordinal, from 0, as the CUDA driver numbers them.
    pub fn gpu(ordinal: usize) -> Result<Self, crate::error::Error> {
        Ok(Self::new(Arc::new(Gpu::open(ordinal)?), Cache::of_the_user()))
    }

    /// Returns the number of GPUs that the CUDA driver sees.
    pub fn count() -> Result<usize, crate::error::Error> {
        gpu::count()
    }

    /// Opens the emulator, which compiles CUDA programs as C++ and runs them on the CPU.
    pub fn emulator() -> Result<Self, crate::error::Error> {
        Ok(Self::new(Arc::new(Emulator::open()?), Cache::of_the_user()))
    }

    /// Returns the same device with another folder that compiled programs are cached in.
    #[must_use]
    pub fn with_cache_dir(&self, folder: impl Into<PathBuf>) -> Self {
        Self::new(self.backend.clone(), Cache::at(folder))
    }

    /// Returns the properties of a GPU; `None` in the emulator.
    pub fn properties(&self) -> Option<Properties> {
        self.backend.properties()
    }

    fn new(backend: Arc<dyn Backend>, cache: Cache) -> Self {
        let copies = Arc::new(RowCopies::new(&cache));
        let column_copy = Arc::new(ColumnCopy::new(&cache));
        Self { backend, cache, copies, column_copy }
    }
}

#[allow(unsafe_code, reason = "the caller owns the memory of columns")]
impl untyped::Device for CudaDevice {
    fn name(&self) -> String {
        self.backend.describe()
    }

    fn kind(&self) -> String {
        self.backend.kind()
    }

    fn simd_level(&self) -> Option<SimdLevel> {
        None
    }

    fn trim(&self) -> Result<(), Error> {
        Ok(self.backend.trim()?)
    }

    fn upload(
        &self,
        particles: &dyn Rows,
        precision: Precision,
    ) -> Result<Box<dyn untyped::Buffer>, Error> {
        let Self { backend, copies, .. } = self;
        Ok(Box::new(CudaParticles::upload(backend, particles, precision, copies)?))
    }

    unsafe fn write_columns(
        &self,
        particles: &mut dyn untyped::Buffer,
        columns: &[DeviceColumn],
        work: CallerWork,
    ) -> Result<(), Error> {
        self.column_copy.write(&self.backend, particles, columns, work)
    }

    unsafe fn read_columns(
        &self,
        buffer: &dyn untyped::Buffer,
        rows: Range<usize>,
        columns: &[DeviceColumn],
        work: CallerWork,
    ) -> Result<(), Error> {
        self.column_copy.read(&self.backend, buffer, (rows, columns), work)
    }

    unsafe fn follow(&self, stream: u64) -> Result<(), Error> {
        Ok(self.backend.follow(stream)?)
    }

    unsafe fn lead(&self, stream: u64) -> Result<(), Error> {
        Ok(self.backend.lead(stream)?)
    }

    fn lend(&self, bytes: usize) -> Result<Box<dyn LentMemory>, Error> {
        Ok(Box::new(Lent::new(&self.backend, bytes)?))
    }

    fn lend_words(&self, words: &[u64]) -> Result<Box<dyn LentMemory>, Error> {
        Ok(Box::new(Lent::of_words(&self.backend, words)?))
    }

    fn all_pairs(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn untyped::Engine>, Error> {
        Ok(CudaEngine::new(&self.backend, &self.cache, law, parameters, options)?)
    }

    fn tree(
        &self,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Box<dyn untyped::Tree>, Error> {
        let law = TreeLaw::new(law, parameters, opening)?;
        Ok(Box::new(TreeEngine::new(&self.backend, &self.cache, law, parameters, options)?))
    }

    fn short_range(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn untyped::ShortRange>, Error> {
        Ok(Box::new(ListEngine::new(&self.backend, &self.cache, law, parameters, options)?))
    }

    fn neighbours(
        &self,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Box<dyn untyped::Neighbours>, Error> {
        Ok(Box::new(CudaNeighbours::new(&self.backend, &self.cache, domain, origin, precision)?))
    }

    fn per_particle(
        &self,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Box<dyn untyped::PerParticle>, Error> {
        Ok(Box::new(ParticleEngine::new(&self.backend, &self.cache, fields, parameters)?))
    }

    fn total(&self, fields: &'static [Field]) -> Result<Box<dyn untyped::Buffer>, Error> {
        let numbers = nbody_core::pack::dim(fields);
        let mut buffer = Buffer::new(&self.backend, 1, numbers, Precision::Double)?;
        buffer.clear(fields)?;
        Ok(CudaResults::boxed(buffer, fields, &self.cache))
    }

    fn pair_totals(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn untyped::PairTotals>, Error> {
        Ok(Box::new(TotalsEngine::new(&self.backend, &self.cache, law, parameters, options)?))
    }

    fn tuples(
        &self,
        program: &'static ParticleProgram,
        parameters: &[u64],
    ) -> Result<Box<dyn untyped::Tuples>, Error> {
        Ok(Box::new(TupleEngine::new(&self.backend, &self.cache, program, parameters)?))
    }

    fn selection(&self) -> Result<Box<dyn untyped::Selection>, Error> {
        Ok(Box::new(CudaSelection::new(&self.backend, &self.cache)?))
    }

    fn sequence(&self) -> Option<Box<dyn untyped::Sequence>> {
        let batch = self.backend.batch()?;
        Some(Box::new(CudaSequence(batch)))
    }

    fn connect(&self, communicator: &Arc<dyn Communicator>) -> Result<untyped::Connection, Error> {
        let Self { backend, cache, .. } = self;
        let link: Option<Arc<dyn Link>> = backend.link(communicator)?.map(Arc::from);
        let gather = CudaGather::new((backend, cache), communicator, link.clone());
        let parts = CudaParts::new((backend, cache), communicator, link);
        Ok(untyped::Connection { gather: Box::new(gather), parts: Some(Box::new(parts)) })
    }
}
