//! The device over ranks.

use std::ops::Range;
use std::sync::Arc;

use nbody::Device;
use nbody_core::untyped::{
    self, Buffer, CallerWork, Communicator, Connection, DeviceColumn, Engine, LentMemory,
    Neighbours, Origin, PerParticle, Rows, Selection, Sequence, ShortRange, Tree, Tuples,
};
use nbody_core::{
    Domain, Error as CoreError, Field, Law, Opening, Options, ParticleProgram, Precision,
    SimdLevel, pack,
};
use xxhash_rust::xxh3::Xxh3;

use crate::agreement::{Agreement, Operation};
use crate::distributed::{
    Distributed, DistributedLists, DistributedPrograms, DistributedSelection,
    DistributedShortRange, DistributedTree, DistributedTuples, Kind, all, all_mut, check_lists,
};
use crate::error::Error;
use crate::shared::{Job, Shared};

/// The fewest floating-point operations of an evaluation that ranks share out: a CPU, or a GPU, does
/// half of them in the time that an exchange takes.
const LEAST_OPERATIONS_CPU: u64 = 1_000_000;
const LEAST_OPERATIONS_GPU: u64 = 2_500_000_000;
/// Rows that are compared at a time.
const BATCH: usize = 1024;

/// The devices of all ranks as one device. Engines of all pairs and of trees share out their
/// evaluations; neighbour lists distribute the particles, and so do trees on request.
#[derive(Debug)]
pub struct Ranks {
    device: Arc<dyn untyped::Device>,
    job: Job,
    is_alone: bool,
}

impl Ranks {
    /// Connects the devices of all ranks, which call this together, each with its own device. The
    /// devices must be of one kind. Where all are GPUs, and no two ranks have the same one, NCCL
    /// connects them if it is installed; else results pass through the host, or, on request
    /// (`NBODY_GPU_AWARE`), by MPI that takes the memory of GPUs.
    pub fn new(communicator: Arc<dyn Communicator>, device: &Device) -> Result<Self, CoreError> {
        Self::of_opened(communicator, Ok(device.clone()))
    }

    /// Connects devices as [`new`](Self::new) does. A rank whose device does not open tells the
    /// others, which would wait for it.
    pub fn of_opened(
        communicator: Arc<dyn Communicator>,
        device: Result<Device, CoreError>,
    ) -> Result<Self, CoreError> {
        let agreement = Agreement::new(&communicator);
        let opening = Operation { name: &|| "opening a device".to_owned(), values: &[] };
        let device = agreement.on(&opening, device)?.shared();
        let kinds = communicator.gather_all(device.kind().as_bytes())?;
        if let Some(rank) = kinds.iter().position(|kind| *kind != kinds[0]) {
            let text = |rank: usize| String::from_utf8_lossy(&kinds[rank]).into_owned();
            return Err(Error::OtherDevice { rank, found: text(rank), expected: text(0) }.into());
        }
        let is_cpu = device.simd_level().is_some();
        let least = if is_cpu { LEAST_OPERATIONS_CPU } else { LEAST_OPERATIONS_GPU };
        let connection = device.connect(&communicator);
        let connecting = Operation { name: &|| "Ranks::new".to_owned(), values: &[] };
        let connection = agreement.on(&connecting, connection)?;
        let is_alone = communicator.is_alone();
        let job = Job::new((communicator, agreement), device.clone(), connection, least);
        Ok(Self { device, job, is_alone })
    }

    /// Sets the fewest floating-point operations of an evaluation that ranks share out; each rank
    /// does a shorter evaluation by itself. The results are the same, to the last bit. All ranks set
    /// the same number.
    #[must_use]
    pub fn share_from(mut self, operations: u64) -> Self {
        self.job.least_operations = operations;
        self
    }

    /// Distributes the particles of trees over the ranks, as neighbour lists do. Each rank then
    /// sorts its own particles and builds their tree, which pays for more than about four ranks or
    /// where memory is short; the results depend on the number of ranks, within the errors of trees.
    /// Otherwise every rank has all particles, and the results have the bits of one process.
    /// Monopoles, evaluations of some i-particles, and results that are added with an opening by errors
    /// need all particles in any case. All ranks choose the same.
    #[must_use]
    pub fn distribute_trees(mut self) -> Self {
        self.job.distributes_trees = true;
        self
    }

    /// Returns the way in which results pass between ranks: `memory`, `NCCL` and its version,
    /// `GPU-aware MPI`, or `staging` through the host of GPUs.
    pub fn way(&self) -> String {
        self.job.gather().way()
    }

    /// Returns the device over ranks; of a rank that is [`Alone`](crate::Alone), its device as it is.
    pub fn device(self) -> Device {
        if self.is_alone {
            return Device::new(self.device);
        }
        Device::new(Arc::new(OverRanks { device: self.device, job: Arc::new(self.job) }))
    }
}

/// A device over ranks: the device of this rank, with engines that share out evaluations.
#[derive(Debug)]
struct OverRanks {
    device: Arc<dyn untyped::Device>,
    job: Arc<Job>,
}

#[allow(unsafe_code, reason = "the caller owns the memory of columns")]
impl untyped::Device for OverRanks {
    fn name(&self) -> String {
        format!("{} x {}", self.job.communicator.size(), self.device.kind())
    }

    fn kind(&self) -> String {
        self.device.kind()
    }

    fn simd_level(&self) -> Option<SimdLevel> {
        self.device.simd_level()
    }

    fn trim(&self) -> Result<(), CoreError> {
        self.device.trim()
    }

    /// Refuses particles that differ between ranks.
    fn upload(
        &self,
        particles: &dyn Rows,
        precision: Precision,
    ) -> Result<Box<dyn Buffer>, CoreError> {
        let uploaded = self.device.upload(particles, precision);
        let boxed = |rows| Distributed::boxed(&self.job, Kind::Particles, rows);
        let uploaded = uploaded.map(boxed);
        let (count, size) = (particles.count(), self.job.communicator.size());
        let values = if size > 1 { [count as u64, hash(particles)] } else { [0; 2] };
        let name = || format!("an upload of {count} particles");
        self.job.agreement.on(&Operation { name: &name, values: &values }, uploaded)
    }

    unsafe fn write_columns(
        &self,
        particles: &mut dyn Buffer,
        columns: &[DeviceColumn],
        work: CallerWork,
    ) -> Result<(), CoreError> {
        // SAFETY: the caller keeps the same contract.
        unsafe { self.device.write_columns(all_mut(particles)?, columns, work) }
    }

    unsafe fn read_columns(
        &self,
        buffer: &dyn Buffer,
        rows: Range<usize>,
        columns: &[DeviceColumn],
        work: CallerWork,
    ) -> Result<(), CoreError> {
        // SAFETY: the caller keeps the same contract.
        unsafe { self.device.read_columns(&*all(buffer)?, rows, columns, work) }
    }

    unsafe fn follow(&self, stream: u64) -> Result<(), CoreError> {
        // SAFETY: the caller keeps the same contract.
        unsafe { self.device.follow(stream) }
    }

    unsafe fn lead(&self, stream: u64) -> Result<(), CoreError> {
        // SAFETY: the caller keeps the same contract.
        unsafe { self.device.lead(stream) }
    }

    fn lend(&self, bytes: usize) -> Result<Box<dyn LentMemory>, CoreError> {
        self.device.lend(bytes)
    }

    fn lend_words(&self, words: &[u64]) -> Result<Box<dyn LentMemory>, CoreError> {
        self.device.lend_words(words)
    }

    fn all_pairs(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn Engine>, CoreError> {
        let engine = self.device.all_pairs(law, parameters, options);
        let name = || format!("an engine of `{}` with {options}", law.name);
        let engine =
            self.job.agreement.on(&Operation { name: &name, values: parameters }, engine)?;
        Ok(Box::new(Shared::<dyn Engine>::new(&self.job, engine)))
    }

    fn tree(
        &self,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Box<dyn Tree>, CoreError> {
        let (device, ways) = (&*self.device, (opening, options));
        let tree = DistributedTree::new(&self.job, device, law, parameters, ways);
        let name = || format!("a tree of `{}` with {options}", law.name);
        let tree = self.job.agreement.on(&Operation { name: &name, values: parameters }, tree)?;
        Ok(Box::new(tree))
    }

    fn short_range(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn ShortRange>, CoreError> {
        let law = self.device.short_range(law, parameters, options)?;
        Ok(Box::new(DistributedShortRange::new(&self.job, law)))
    }

    fn neighbours(
        &self,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Box<dyn Neighbours>, CoreError> {
        let refused = check_lists(&domain);
        let lists =
            refused.and_then(|()| self.device.neighbours(domain, origin.clone(), precision));
        let lists = lists.map(|lists| DistributedLists::new(&self.job, lists, origin));
        let pairs = lists.as_ref().map_or(0, DistributedLists::pairs);
        let name = || format!("neighbour lists in {precision} precision");
        let operation = Operation { name: &name, values: &[pairs] };
        Ok(Box::new(self.job.agreement.on(&operation, lists)?))
    }

    fn per_particle(
        &self,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Box<dyn PerParticle>, CoreError> {
        let programs = self.device.per_particle(fields, parameters)?;
        Ok(Box::new(DistributedPrograms::new(&self.job, programs)))
    }

    fn total(&self, fields: &'static [Field]) -> Result<Box<dyn Buffer>, CoreError> {
        Ok(Distributed::boxed(&self.job, Kind::Results, self.device.total(fields)?))
    }

    fn tuples(
        &self,
        program: &'static ParticleProgram,
        parameters: &[u64],
    ) -> Result<Box<dyn Tuples>, CoreError> {
        let tuples = self.device.tuples(program, parameters)?;
        Ok(Box::new(DistributedTuples::new(&self.job, tuples)))
    }

    fn selection(&self) -> Result<Box<dyn Selection>, CoreError> {
        Ok(Box::new(DistributedSelection::new(&self.job, self.device.selection()?)))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        self.device.sequence()
    }

    fn connect(&self, communicator: &Arc<dyn Communicator>) -> Result<Connection, CoreError> {
        self.device.connect(communicator)
    }
}

/// Returns the hash of rows.
fn hash(particles: &dyn Rows) -> u64 {
    let (n, fields) = (particles.count(), particles.fields());
    let dim = pack::dim(fields);
    let mut rows = vec![0; n.min(BATCH) * dim];
    let mut hash = Xxh3::new();
    for begin in (0..n).step_by(BATCH) {
        let batch = begin..n.min(begin + BATCH);
        let rows = &mut rows[..batch.len() * dim];
        particles.write(batch, rows);
        hash.update(bytemuck::cast_slice(rows));
    }
    hash.digest()
}
