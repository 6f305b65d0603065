//! Particles and results in the memory of a device.

use std::sync::Arc;

use nbody_core::pack::{self, Rows, WriteRows};
use nbody_core::{Field, Mixed, Precision};

use super::{Backend, Memory};
use crate::Error;
use crate::layout::bytes_of;

/// Records in the memory of a backend.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub memory: Box<dyn Memory>,
    pub n: usize,
    pub precision: Precision,
    pub backend: Arc<dyn Backend>,
}

/// Memory that only grows, kept from one evaluation to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    memory: Option<(usize, Box<dyn Memory>)>,
}

impl Buffer {
    pub fn new(
        backend: &Arc<dyn Backend>,
        n: usize,
        dim: usize,
        precision: Precision,
    ) -> Result<Self, Error> {
        let memory = allocate(&**backend, &[n, dim, bytes_of(precision)])?;
        Ok(Self { memory, n, precision, backend: backend.clone() })
    }

    /// Takes the particles from the host, in the precision of the buffer.
    pub fn write(&mut self, particles: &dyn Rows) -> Result<(), Error> {
        let precision = self.precision;
        self.memory.write(&mut |words| match precision {
            Precision::Single => {
                pack::pack_into::<f32>(particles, bytemuck::cast_slice_mut(words));
            }
            Precision::Double => pack::pack_into::<f64>(particles, words),
            Precision::Mixed => {
                pack::pack_into::<Mixed>(particles, bytemuck::cast_slice_mut(words));
            }
        })
    }

    /// Shows to `take` what writes the numbers of results of these fields as they come to the host.
    pub fn read(&self, fields: &[Field], take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        let n = self.n;
        self.memory.read(&mut |words| match self.precision {
            Precision::Single | Precision::Mixed => take(&|records, rows| {
                let words = bytemuck::cast_slice(words);
                pack::rows_of_columns::<f32>(words, n, fields, records, rows);
            }),
            Precision::Double => take(&|records, rows| {
                pack::rows_of_columns::<f64>(words, n, fields, records, rows);
            }),
        })
    }

    /// Fills a buffer of results of these fields with what no pair gives.
    pub fn clear(&mut self, fields: &[Field]) -> Result<(), Error> {
        let (n, nothing) = (self.n, pack::nothing(fields));
        if nothing.iter().all(|word| *word == 0) {
            return self.memory.zero();
        }
        match self.precision {
            Precision::Single | Precision::Mixed => {
                let nothing = pack::convert::<f32>(fields, &nothing);
                self.memory.write(&mut |words| repeat(&nothing, n, bytemuck::cast_slice_mut(words)))
            }
            Precision::Double => self.memory.write(&mut |words| repeat(&nothing, n, words)),
        }
    }

    /// Refuses a buffer of another backend or precision.
    pub fn check(
        &self,
        what: &'static str,
        backend: &Arc<dyn Backend>,
        precision: Precision,
    ) -> Result<(), Error> {
        if Arc::ptr_eq(&self.backend, backend) && self.precision == precision {
            return Ok(());
        }
        let name = |backend: &dyn Backend, precision| {
            format!("{} in {precision} precision", backend.describe())
        };
        let (found, expected) = (name(&*self.backend, self.precision), name(&**backend, precision));
        if found == expected { Ok(()) } else { Err(Error::ForeignBuffer { what, found, expected }) }
    }
}

impl Scratch {
    /// Memory of the product of these sizes, in bytes, at least. Where there was less, it is new,
    /// and zero if `zero` says so.
    pub fn reserve(
        &mut self,
        backend: &dyn Backend,
        sizes: &[usize],
        zero: bool,
    ) -> Result<&dyn Memory, Error> {
        let needed = sizes.iter().fold(1_usize, |product, &size| product.saturating_mul(size));
        let memory = match self.memory.take() {
            Some((found, memory)) if found >= needed => (found, memory),
            // What is there goes first, so that both need not fit at once.
            less => {
                drop(less);
                let mut memory = allocate(backend, sizes)?;
                if zero {
                    memory.zero()?;
                }
                (needed, memory)
            }
        };
        Ok(&*self.memory.insert(memory).1)
    }

    /// Returns the memory that was reserved.
    pub fn memory(&self) -> &dyn Memory {
        &*self.memory.as_ref().expect("reserved before").1
    }
}

fn allocate(backend: &dyn Backend, sizes: &[usize]) -> Result<Box<dyn Memory>, Error> {
    let bytes = sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    // What has more bytes than half of all addresses, nothing has room for; a backend may then round
    // up without a thought.
    match bytes.filter(|&bytes| isize::try_from(bytes).is_ok()) {
        Some(bytes) => backend.allocate(bytes),
        None => Err(Error::OutOfMemory { bytes: usize::MAX, device: backend.describe() }),
    }
}

/// Each word of a record `n` times.
fn repeat<W: Copy>(record: &[W], n: usize, words: &mut [W]) {
    for (column, word) in words.chunks_mut(n.max(1)).zip(record) {
        column.fill(*word);
    }
}
