//! A device: it creates buffers and engines.

use crate::lists::engine::Neighbours;
use crate::lists::engine::Origin;
use crate::lists::engine::ShortRange;
use crate::memory::buffer::Buffer;
use crate::memory::device_column::{CallerWork, DeviceColumn};
use crate::pairs::engine::Engine;
use crate::particles::engine::PerParticle;
use crate::particles::engine::Selection;
use crate::particles::engine::Sequence;
use crate::totals::engine::PairTotals;
use crate::trees::engine::Tree;
use crate::tuples::engine::Tuples;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::law::program::ParticleProgram;
use crate::memory::lent::LentMemory;
use crate::numeric::precision::Precision;
use crate::numeric::simd::level::SimdLevel;
use crate::options::Options;
use crate::ranks::communicator::Communicator;
use crate::ranks::connection::Connection;
use crate::records::rows::Rows;
use crate::trees::opening::Opening;

/// Creates buffers and engines.
pub trait Device: Any + fmt::Debug + Send + Sync {
    /// Returns the display name.
    fn name(&self) -> String;

    /// Returns the kind of hardware: devices of one kind give the same bits.
    fn kind(&self) -> String {
        self.name()
    }

    /// Returns the level of the CPU's vector instructions; `None` on another device.
    fn simd_level(&self) -> Option<SimdLevel>;

    /// Releases memory that is kept for reuse.
    fn trim(&self) -> Result<(), Error>;

    /// Copies particles to the device, their reals rounded to the precision.
    fn upload(&self, particles: &dyn Rows, precision: Precision) -> Result<Box<dyn Buffer>, Error>;

    /// Replaces numbers of all particles by numbers in memory of this device that the caller owns. A
    /// refused copy changes nothing.
    ///
    /// # Safety
    ///
    /// The memory holds a number for each particle, and nothing else writes it until the copy has
    /// ended: with [`CallerWork::Ordered`], work that the device [leads](Self::lead) may.
    #[allow(unsafe_code)]
    unsafe fn write_columns(
        &self,
        _particles: &mut dyn Buffer,
        _columns: &[DeviceColumn],
        _work: CallerWork,
    ) -> Result<(), Error> {
        Err(Error::NoDeviceMemory { device: self.name() })
    }

    /// Copies numbers of these rows of a buffer to memory of this device that the caller owns.
    ///
    /// # Safety
    ///
    /// The memory has room for a number for each row, and nothing else uses it until the copy has
    /// ended: with [`CallerWork::Ordered`], work that the device [leads](Self::lead) may.
    #[allow(unsafe_code)]
    unsafe fn read_columns(
        &self,
        _buffer: &dyn Buffer,
        _rows: Range<usize>,
        _columns: &[DeviceColumn],
        _work: CallerWork,
    ) -> Result<(), Error> {
        Err(Error::NoDeviceMemory { device: self.name() })
    }

    /// Makes later work of this device wait for the work that is in a stream of the caller, as the
    /// driver of the device numbers it. The host does not wait.
    ///
    /// # Safety
    ///
    /// The stream is one of the device.
    #[allow(unsafe_code)]
    unsafe fn follow(&self, _stream: u64) -> Result<(), Error> {
        Err(Error::NoDeviceMemory { device: self.name() })
    }

    /// Makes later work in a stream of the caller wait for the work of this device so far. The host
    /// does not wait.
    ///
    /// # Safety
    ///
    /// The stream is one of the device.
    #[allow(unsafe_code)]
    unsafe fn lead(&self, _stream: u64) -> Result<(), Error> {
        Err(Error::NoDeviceMemory { device: self.name() })
    }

    /// Allocates memory of this device for a caller, uninitialised.
    fn lend(&self, _bytes: usize) -> Result<Box<dyn LentMemory>, Error> {
        Err(Error::NoDeviceMemory { device: self.name() })
    }

    /// Allocates memory of this device with words of a caller, which later work of this device reads.
    fn lend_words(&self, _words: &[u64]) -> Result<Box<dyn LentMemory>, Error> {
        Err(Error::NoDeviceMemory { device: self.name() })
    }

    /// Creates an engine that evaluates all pairs, with these parameters of the law.
    fn all_pairs(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn Engine>, Error>;

    /// Creates an engine of one result over all pairs, with these parameters of the law. Devices
    /// without one refuse.
    fn pair_totals(
        &self,
        _law: &'static Law,
        _parameters: &[u64],
        _options: Options,
    ) -> Result<Box<dyn PairTotals>, Error> {
        Err(Error::NoPairTotals { device: self.name() })
    }

    /// Creates an engine that evaluates by a tree.
    fn tree(
        &self,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Box<dyn Tree>, Error>;

    /// Creates an engine that evaluates over neighbour lists.
    fn short_range(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Box<dyn ShortRange>, Error>;

    /// Creates neighbour lists.
    fn neighbours(
        &self,
        domain: Domain,
        origin: Origin,
        precision: Precision,
    ) -> Result<Box<dyn Neighbours>, Error>;

    /// Creates an engine of programs per particle whose parameters have these fields and values.
    fn per_particle(
        &self,
        fields: &'static [Field],
        parameters: &[u64],
    ) -> Result<Box<dyn PerParticle>, Error>;

    /// Creates a total of these fields: results of one record in double precision, set to the total
    /// of no particle. Measures write it, programs per particle read it.
    fn total(&self, fields: &'static [Field]) -> Result<Box<dyn Buffer>, Error>;

    /// Creates an engine that evaluates tuples of particles, with these parameters of the program.
    fn tuples(
        &self,
        program: &'static ParticleProgram,
        parameters: &[u64],
    ) -> Result<Box<dyn Tuples>, Error>;

    /// Creates a selection of no particles.
    fn selection(&self) -> Result<Box<dyn Selection>, Error>;

    /// Creates a sequence of repeated operations; `None` where launches cost nothing.
    fn sequence(&self) -> Option<Box<dyn Sequence>>;

    /// Connects the devices of all ranks, which call this together.
    fn connect(&self, communicator: &Arc<dyn Communicator>) -> Result<Connection, Error>;
}
