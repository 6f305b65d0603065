//! Copies between buffers and memory of the device that the caller owns.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::{Binding, Place};
use nbody_core::untyped::{self, CallerWork, DeviceColumn, NumberType};
use nbody_core::{Error, Field, FieldKind, Mixed, Precision};

use super::buffer::{CudaParticles, CudaResults, other_buffer, particles_mut};
use crate::backend::{Backend, Buffer, Kernel, LateKernel, Launch};
use crate::border::{self, Declared as _, border};
use crate::compile::program::Program;
use crate::layout::{PARTICLE_LIMIT, bytes_of, numbers_of};

/// Threads of a block.
const BLOCK: usize = 256;

border! {
    /// Numbers of records, one for each record.
    pub struct Numbers {
        /// The address of the first number.
        pub address: u64,
        /// Bytes from number to number.
        pub stride: u64,
        pub kind: u32,
        /// Whether it is the index of a minimum.
        pub is_index: u32,
    }

    /// A copy of numbers.
    pub struct Column {
        pub from: Numbers,
        pub to: Numbers,
    }
}

border! {
    /// Tables of columns.
    pub mod columns {
        /// The columns of one launch, which are its argument: more take several launches.
        pub const MOST: u32 = 16;
    }
}

border! {
    /// Types of numbers.
    pub mod kind {
        pub const F32: u32 = 0;
        pub const F64: u32 = 1;
        /// A number in double-single format.
        pub const PAIR: u32 = 2;
        pub const I32: u32 = 3;
        pub const U32: u32 = 4;
        pub const I64: u32 = 5;
        pub const U64: u32 = 6;
        /// The greatest finite `float`.
        pub const GREATEST: f32 = f32::MAX;
    }
}

/// The program that copies columns.
#[derive(Debug)]
pub(crate) struct ColumnCopy {
    kernel: LateKernel,
}

/// The numbers of records in a buffer.
struct Rows<'a> {
    buffer: &'a Buffer,
    fields: &'static [Field],
    /// Whether they are columns, as results are.
    is_results: bool,
}

impl ColumnCopy {
    pub fn new(cache: &Cache) -> Self {
        Self { kernel: LateKernel::new(cache, Program::column_copy) }
    }

    /// Replaces numbers of all particles.
    pub fn write(
        &self,
        backend: &Arc<dyn Backend>,
        particles: &mut dyn untyped::Buffer,
        columns: &[DeviceColumn],
        work: CallerWork,
    ) -> Result<(), Error> {
        let to = particles_mut("particles", &**backend, particles)?;
        to.buffer.check("particles", backend, to.buffer.precision)?;
        let (n, fields) = (to.buffer.n, to.fields);
        let rows = Rows { buffer: &to.buffer, fields, is_results: false };
        let copies = rows.copies(&(0..n), columns, (true, work))?;
        self.copy(&rows, &copies, (n, columns), work)?;
        to.buffer.changes();
        Ok(())
    }

    /// Copies numbers of some rows of a buffer to the caller.
    pub fn read(
        &self,
        backend: &Arc<dyn Backend>,
        buffer: &dyn untyped::Buffer,
        (range, columns): (Range<usize>, &[DeviceColumn]),
        work: CallerWork,
    ) -> Result<(), Error> {
        let any = buffer as &dyn Any;
        let rows = if let Some(it) = any.downcast_ref::<CudaParticles>() {
            Rows { buffer: &it.buffer, fields: it.fields, is_results: false }
        } else if let Some(it) = any.downcast_ref::<CudaResults>() {
            Rows { buffer: &it.buffer, fields: it.fields, is_results: true }
        } else {
            return Err(other_buffer("the buffer to read", &**backend, buffer));
        };
        rows.buffer.check("the buffer to read", backend, rows.buffer.precision)?;
        Error::check_range(&range, rows.buffer.n)?;
        let copies = rows.copies(&range, columns, (false, work))?;
        self.copy(&rows, &copies, (range.len(), columns), work)
    }

    /// Copies numbers of `n` records, after a check of integers.
    fn copy(
        &self,
        rows: &Rows,
        copies: &[Column],
        (n, columns): (usize, &[DeviceColumn]),
        work: CallerWork,
    ) -> Result<(), Error> {
        let backend = &rows.buffer.backend;
        if n * copies.len() == 0 {
            return Ok(());
        }
        let kernel = self.kernel.get(backend)?;
        if work == CallerWork::Anywhere {
            backend.wait_for_all()?;
        }
        for (column, copy) in columns.iter().zip(copies) {
            check_integers(kernel, (column, copy), n, rows)?;
        }
        for copies in copies.chunks(columns::MOST as usize) {
            let blocks = (n * copies.len()).div_ceil(BLOCK) as u32;
            let launch = Launch::new(c"copy_columns", blocks).record(&table(copies));
            kernel.module.launch(launch.numbers([copies.len() as u32, n as u32]))?;
        }
        if work == CallerWork::Anywhere {
            backend.wait_for_all()?;
        }
        Ok(())
    }
}

/// Returns the argument of a copy: these columns, and none in the rest of its places.
fn table(copies: &[Column]) -> Vec<u64> {
    let mut words = Vec::with_capacity(columns::MOST as usize * size_of::<Column>() / 8);
    words.extend(copies.iter().flat_map(border::words));
    words.resize(words.capacity(), 0);
    words
}

/// Refuses integers that a record cannot hold: 32 bits without a sign.
fn check_integers(
    kernel: &Kernel,
    (column, copy): (&DeviceColumn, &Column),
    n: usize,
    rows: &Rows,
) -> Result<(), Error> {
    if !column.kind.is_integer() || column.kind == NumberType::U32 {
        return Ok(());
    }
    let mut first = rows.buffer.backend.allocate(size_of::<u64>())?;
    first.write(&mut |words| words.fill(u64::MAX))?;
    let launch = Launch::new(c"check_integers", n.div_ceil(BLOCK) as u32).value(copy);
    kernel.module.launch(launch.numbers([n as u32]).pointers([&*first]))?;
    let found = first.value::<u32>()?;
    if found == u32::MAX {
        return Ok(());
    }
    let found = format!("an integer in record {found} that does not fit");
    column.refused(rows.fields, found, "32 bits, or a wider type".to_owned())
}

impl Rows<'_> {
    /// Returns the copies of columns from the caller to some rows, or back. Refuses memory that the
    /// device does not have.
    fn copies(
        &self,
        range: &Range<usize>,
        columns: &[DeviceColumn],
        (to_rows, work): (bool, CallerWork),
    ) -> Result<Vec<Column>, Error> {
        let n = range.len();
        if self.buffer.n.saturating_mul(columns.len()) > PARTICLE_LIMIT * BLOCK {
            let (found, limit) = (self.buffer.n, PARTICLE_LIMIT);
            return Err(Error::TooManyParticles { found, limit });
        }
        DeviceColumn::check(columns, self.fields, n)?;
        let binding = Binding::new("columns", self.fields, self.fields)?;
        let indices = indices(self.fields);
        let mut copies = Vec::with_capacity(columns.len());
        let mut known = 0..0;
        for column in columns {
            if work == CallerWork::Anywhere {
                check_memory(column, n, self.fields, (&*self.buffer.backend, &mut known))?;
            }
            let is_index = u32::from(indices[column.number]);
            let of_caller = Numbers {
                address: column.address,
                stride: column.stride.cast_unsigned(),
                kind: kind_of(column.kind),
                is_index,
            };
            let ours = self.numbers(binding.places()[column.number], range.start, is_index);
            let (from, to) = if to_rows { (of_caller, ours) } else { (ours, of_caller) };
            copies.push(Column { from, to });
        }
        Ok(copies)
    }

    /// Returns a number of the rows from this one on.
    fn numbers(&self, place: Place, first: usize, is_index: u32) -> Numbers {
        let precision = self.buffer.precision;
        let bytes = bytes_of(precision);
        let (word, words, stride) = if self.is_results {
            (place.component() * self.buffer.n, 1, bytes)
        } else {
            let words = match precision {
                Precision::Single => place.words::<f32>(),
                Precision::Mixed => place.words::<Mixed>(),
                Precision::Double => place.words::<f64>(),
            };
            (words.start, words.len(), numbers_of(self.fields, precision) * bytes)
        };
        let kind = match (place.is_integer(), bytes, words) {
            (true, 4, _) => kind::U32,
            (true, ..) => kind::U64,
            (false, 4, 1) => kind::F32,
            (false, 4, _) => kind::PAIR,
            (false, ..) => kind::F64,
        };
        let offset = word * bytes + first * stride;
        let address = self.buffer.memory.address() + offset as u64;
        Numbers { address, stride: stride as u64, kind, is_index }
    }
}

/// Returns for each number of a record whether it is the index of an extreme.
fn indices(fields: &[Field]) -> Vec<bool> {
    let each = |kind: FieldKind| (0..kind.components()).map(move |k| kind.is_index(k));
    fields.iter().flat_map(|field| each(field.kind)).collect()
}

fn kind_of(kind: NumberType) -> u32 {
    match kind {
        NumberType::F32 => kind::F32,
        NumberType::F64 => kind::F64,
        NumberType::I32 => kind::I32,
        NumberType::U32 => kind::U32,
        NumberType::I64 => kind::I64,
        NumberType::U64 => kind::U64,
    }
}

/// Refuses a column that is not wholly in memory of the device. An array may lie in several
/// allocations that follow one another. `known` is the last allocation that was found.
fn check_memory(
    column: &DeviceColumn,
    n: usize,
    fields: &'static [Field],
    (backend, known): (&dyn Backend, &mut Range<u64>),
) -> Result<(), Error> {
    let Range { mut start, end } = column.extent(n, fields)?;
    while start < end {
        if !known.contains(&start) {
            let Some(allocation) = backend.allocation(start)? else {
                let found =
                    format!("numbers up to {end:#x}, of which {start:#x} is in other memory");
                return column.refused(fields, found, format!("memory of {}", backend.describe()));
            };
            *known = allocation;
        }
        start = known.end;
    }
    Ok(())
}

impl Program {
    /// Returns the program that copies numbers between buffers and memory of the caller.
    pub fn column_copy() -> Self {
        let declared =
            border::text(&[kind::text(), Numbers::text(), Column::text(), columns::text()]);
        let parts = [&*declared, include_str!("columns.cuh")];
        let kernels = &[c"check_integers", c"copy_columns"];
        Self::of_words("column_copy", "columns of the caller", kernels, BLOCK, &parts)
    }
}
