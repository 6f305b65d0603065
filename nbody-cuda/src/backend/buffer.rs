//! Buffers of particles and results in device memory, and scratch memory.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nbody_core::pack::{self, Rows, WriteRows};
use nbody_core::{Field, Mixed, Precision};

use super::interface::Backend;
use super::memory::Memory;
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of};

/// Records in device memory.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub memory: Box<dyn Memory>,
    pub n: usize,
    pub precision: Precision,
    pub backend: Arc<dyn Backend>,
    /// The number of the last change of whole records, and later changes of single numbers in
    /// them.
    changed: u64,
    changed_numbers: Vec<(usize, u64)>,
}

/// Device memory that evaluations reuse; it only grows.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    memory: Option<(usize, Box<dyn Memory>)>,
}

/// Returns a number greater than all earlier ones.
fn new_change() -> u64 {
    static CHANGES: AtomicU64 = AtomicU64::new(0);
    CHANGES.fetch_add(1, Ordering::Relaxed)
}

impl Buffer {
    pub fn new(
        backend: &Arc<dyn Backend>,
        n: usize,
        dim: usize,
        precision: Precision,
    ) -> Result<Self, Error> {
        let memory = allocate(&**backend, &[n, dim, bytes_of(precision)])?;
        let (backend, changed, changed_numbers) = (backend.clone(), new_change(), Vec::new());
        Ok(Self { memory, n, precision, backend, changed, changed_numbers })
    }

    /// Returns a number that identifies the contents of these numbers of the records. No other
    /// contents of any buffer have it, and it stays the same while none of these numbers is
    /// written.
    pub fn contents(&self, numbers: impl IntoIterator<Item = usize>) -> u64 {
        let change = |number| self.changed_numbers.iter().find(|(other, _)| *other == number);
        let changes = numbers.into_iter().filter_map(change);
        changes.fold(self.changed, |last, (_, change)| last.max(*change))
    }

    /// Marks the contents as changed by a launch.
    pub fn changes(&mut self) {
        self.changed = new_change();
        self.changed_numbers.clear();
    }

    /// Marks these numbers of the records, and no others, as changed by a launch.
    pub fn changes_numbers(&mut self, numbers: &[usize]) {
        let change = new_change();
        for &number in numbers {
            match self.changed_numbers.iter_mut().find(|(other, _)| *other == number) {
                Some((_, last)) => *last = change,
                None => self.changed_numbers.push((number, change)),
            }
        }
    }

    /// Creates a copy of these particles in this precision. Refuses integers that need more than
    /// 32 bits.
    pub fn of_particles(
        backend: &Arc<dyn Backend>,
        particles: &dyn Rows,
        precision: Precision,
    ) -> Result<Self, Error> {
        let numbers = numbers_of(particles.fields(), precision);
        let n = particles.count();
        let mut buffer = Self::new(backend, n, numbers, precision)?;
        buffer.write(particles, n * numbers * bytes_of(precision))?;
        Ok(buffer)
    }

    /// Replaces all particles by particles of the same record from the host. The particles are
    /// unchanged if others are refused.
    pub fn replace(&mut self, particles: &dyn Rows) -> Result<(), Error> {
        let numbers = numbers_of(particles.fields(), self.precision);
        let sizes = [particles.count(), numbers, bytes_of(self.precision)];
        let bytes = product(&*self.backend, &sizes)?;
        if bytes > self.memory.words() * size_of::<u64>() {
            let other = Self::of_particles(&self.backend, particles, self.precision)?;
            *self = other;
            return Ok(());
        }
        self.write(particles, bytes)?;
        self.n = particles.count();
        Ok(())
    }

    /// Copies particles of this size from the host, in the precision of the buffer.
    fn write(&mut self, particles: &dyn Rows, bytes: usize) -> Result<(), Error> {
        let precision = self.precision;
        let words = bytes.div_ceil(size_of::<u64>());
        self.changes();
        self.memory.write_first(words, &mut |words| Ok(pack_into(particles, precision, words)?))
    }

    /// Allocates memory beside the memory of the buffer.
    pub fn beside(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        allocate(&*self.backend, &[bytes])
    }

    /// Sets the number of records, of `words` words each. The contents are lost if they need more
    /// memory.
    pub fn resize(&mut self, n: usize, words: usize) -> Result<(), Error> {
        let sizes = [n, words, bytes_of(self.precision)];
        if product(&*self.backend, &sizes)? > self.memory.words() * size_of::<u64>() {
            self.memory = allocate(&*self.backend, &sizes)?;
        }
        self.changes();
        self.n = n;
        Ok(())
    }

    /// Replaces all results by rows of the host. Refuses integers that need more than 32 bits; the
    /// results are then unchanged.
    pub fn write_results(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let (columns, n, precision) = (pack::dim(rows.fields()), rows.count(), self.precision);
        let bytes = product(&*self.backend, &[n, columns, bytes_of(precision)])?;
        let words = bytes.div_ceil(size_of::<u64>());
        let mut packed = vec![0; words];
        let single = precision != Precision::Double;
        let rounded = if single { Precision::Single } else { precision };
        pack_into(rows, rounded, &mut packed)?;
        self.resize(n, columns)?;
        self.memory.write_first(words, &mut |to| {
            if single {
                let packed: &[f32] = bytemuck::cast_slice(&packed);
                transpose(&packed[..n * columns], columns, bytemuck::cast_slice_mut(to));
            } else {
                transpose(&packed, columns, to);
            }
            Ok(())
        })
    }

    /// Copies to the host the columns of results from `first` on that have these fields, and passes
    /// `take` a function that writes their numbers.
    pub fn read_columns(
        &self,
        first: usize,
        fields: &[Field],
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let (n, real) = (self.n, bytes_of(self.precision));
        let begin = first * n * real;
        let end = begin + pack::dim(fields) * n * real;
        // Whole words of the memory; the first word may begin with a number of another column.
        let words = begin / size_of::<u64>()..end.div_ceil(size_of::<u64>());
        let others = begin % size_of::<u64>() / real;
        self.memory.read_words(words, &mut |words| match self.precision {
            Precision::Single | Precision::Mixed => take(&|records, rows| {
                let words = &bytemuck::cast_slice(words)[others..];
                pack::rows_of_columns::<f32>(words, n, fields, records, rows);
            }),
            Precision::Double => take(&|records, rows| {
                pack::rows_of_columns::<f64>(words, n, fields, records, rows);
            }),
        })
    }

    /// Copies results to the host, and passes `take` a function that writes them as records with
    /// these fields.
    pub fn read(&self, fields: &[Field], take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        self.read_columns(0, fields, take)
    }

    /// Copies some results as [`read`](Self::read) does; `take` receives them as all rows.
    pub fn read_rows(
        &self,
        fields: &[Field],
        rows: Range<usize>,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        if rows == (0..self.n) {
            return self.read(fields, take);
        }
        let (real, n, dim) = (bytes_of(self.precision), rows.len(), pack::dim(fields));
        let mut columns = vec![0_u64; (n * dim * real).div_ceil(size_of::<u64>())];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut columns);
        for (c, column) in bytes.chunks_exact_mut((n * real).max(1)).take(dim).enumerate() {
            let begin = (c * self.n + rows.start) * real;
            let words = begin / size_of::<u64>()..(begin + n * real).div_ceil(size_of::<u64>());
            self.memory.read_words(words, &mut |words| {
                let from = &bytemuck::cast_slice::<_, u8>(words)[begin % size_of::<u64>()..];
                column.copy_from_slice(&from[..n * real]);
            })?;
        }
        match self.precision {
            Precision::Single | Precision::Mixed => take(&|records, to| {
                let columns = bytemuck::cast_slice(&columns);
                pack::rows_of_columns::<f32>(columns, n, fields, records, to);
            }),
            Precision::Double => take(&|records, to| {
                let columns = bytemuck::cast_slice(&columns);
                pack::rows_of_columns::<f64>(columns, n, fields, records, to);
            }),
        }
        Ok(())
    }

    /// Copies a range of particles with these fields to the host, and passes `take` a function
    /// that writes them as records.
    pub fn read_particles(
        &self,
        fields: &[Field],
        particles: Range<usize>,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let real = bytes_of(self.precision);
        let record = numbers_of(fields, self.precision) * real;
        // Whole words of the memory; the first word may begin with a number of another particle.
        let [begin, end] = [particles.start, particles.end].map(|k| k * record);
        let words = begin / 8..end.div_ceil(8);
        let others = begin % 8 / real;
        self.memory.read_words(words, &mut |words| match self.precision {
            Precision::Single => take(&|records, rows| {
                let words = &bytemuck::cast_slice(words)[others..];
                pack::rows_of_records::<f32>(words, fields, records, rows);
            }),
            Precision::Mixed => take(&|records, rows| {
                let words = &bytemuck::cast_slice(words)[others..];
                pack::rows_of_records::<Mixed>(words, fields, records, rows);
            }),
            Precision::Double => take(&|records, rows| {
                pack::rows_of_records::<f64>(words, fields, records, rows);
            }),
        })
    }

    /// Fills a buffer of results with these fields with the results of no pair.
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
        if found == expected {
            Ok(())
        } else {
            Err(nbody_core::Error::ForeignBuffer { what, found, expected }.into())
        }
    }
}

/// Refuses an object of another backend.
pub(crate) fn check_backend(
    what: &'static str,
    found: &Arc<dyn Backend>,
    expected: &Arc<dyn Backend>,
) -> Result<(), Error> {
    if Arc::ptr_eq(found, expected) {
        return Ok(());
    }
    let [found, expected] = [found, expected].map(|backend| backend.describe());
    if found == expected {
        Ok(())
    } else {
        Err(nbody_core::Error::ForeignBuffer { what, found, expected }.into())
    }
}

impl Scratch {
    /// Returns memory of at least the product of `sizes`, in bytes. If it must grow, the contents
    /// are lost; new memory is zeroed if `zero` is set.
    pub fn reserve(
        &mut self,
        backend: &dyn Backend,
        sizes: &[usize],
        zero: bool,
    ) -> Result<&dyn Memory, Error> {
        let needed = sizes.iter().fold(1_usize, |product, &size| product.saturating_mul(size));
        let memory = match self.memory.take() {
            Some((found, memory)) if found >= needed => (found, memory),
            // The old memory is freed first, since both might not fit at once.
            too_small => {
                drop(too_small);
                let mut memory = allocate(backend, sizes)?;
                if zero {
                    memory.zero()?;
                }
                (needed, memory)
            }
        };
        Ok(&*self.memory.insert(memory).1)
    }

    /// Returns the reserved memory.
    pub fn memory(&self) -> &dyn Memory {
        self.get().expect("reserved before")
    }

    /// Returns the reserved memory for writing.
    pub fn memory_mut(&mut self) -> &mut dyn Memory {
        &mut *self.memory.as_mut().expect("memory is reserved before it is used").1
    }

    /// Returns the memory, if any was reserved.
    pub fn get(&self) -> Option<&dyn Memory> {
        self.memory.as_ref().map(|(_, memory)| &**memory)
    }
}

/// Writes records row by row in this precision. Refuses integers that need more than 32 bits.
pub(crate) fn pack_into(
    records: &dyn Rows,
    precision: Precision,
    words: &mut [u64],
) -> Result<(), nbody_core::Error> {
    match precision {
        Precision::Single => pack::pack_into::<f32>(records, bytemuck::cast_slice_mut(words)),
        Precision::Double => pack::pack_into::<f64>(records, words),
        Precision::Mixed => pack::pack_into::<Mixed>(records, bytemuck::cast_slice_mut(words)),
    }
}

fn allocate(backend: &dyn Backend, sizes: &[usize]) -> Result<Box<dyn Memory>, Error> {
    backend.allocate(product(backend, sizes)?)
}

/// Returns the product of sizes in bytes, or an error if no backend has that much memory.
fn product(backend: &dyn Backend, sizes: &[usize]) -> Result<usize, Error> {
    let bytes = sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    // At most half of the address space, so that backends can round up without overflow.
    bytes
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| Error::OutOfMemory { bytes: usize::MAX, device: backend.describe() })
}

/// Fills columns of `n` words with the words of a record.
fn repeat<W: Copy>(record: &[W], n: usize, words: &mut [W]) {
    for (column, word) in words.chunks_mut(n.max(1)).zip(record) {
        column.fill(*word);
    }
}

/// Writes rows of this many numbers as columns.
fn transpose<W: Copy>(rows: &[W], columns: usize, to: &mut [W]) {
    let n = rows.len() / columns.max(1);
    for (k, row) in rows.chunks_exact(columns.max(1)).enumerate() {
        for (c, word) in row.iter().enumerate() {
            to[c * n + k] = *word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::emulator::Emulator;

    #[test]
    fn contents_have_a_new_number_where_they_change_alone() {
        let backend: Arc<dyn Backend> = Arc::new(Emulator::open().unwrap());
        let buffer = || Buffer::new(&backend, 3, 5, Precision::Single).unwrap();
        let (mut buffer, other) = (buffer(), buffer());
        let contents = |buffer: &Buffer| [buffer.contents([0, 1]), buffer.contents([3])];
        assert_ne!(contents(&buffer), contents(&other));
        let before = contents(&buffer);
        buffer.changes_numbers(&[2, 4]);
        assert_eq!(contents(&buffer), before);
        buffer.changes_numbers(&[4, 1]);
        let [first, second] = contents(&buffer);
        assert_eq!((first > before[0], second), (true, before[1]));
        buffer.changes_numbers(&[1]);
        assert!(buffer.contents([0, 1]) > first);
        buffer.changes();
        let [all, also] = contents(&buffer);
        assert!(all > first && also == all);
        buffer.resize(2, 5).unwrap();
        assert!(contents(&buffer)[0] > all);
    }
}
