//! Particles and results in device memory.

use std::any::Any;
use std::ops::Range;
use std::slice;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::{APPENDED, bound_field, dim, rows_after, rows_with};
use nbody_core::pack::{Binding, Once, OwnedRows, Rows, WriteRows};
use nbody_core::untyped;
use nbody_core::{Error, Field, Law, Precision, Sources};

use super::copies::RowCopies;
use crate::backend::{Backend, Buffer, Memory};
use crate::layout::numbers_of;

/// Particles in device memory: consecutive records, in the precision of the engine.
#[derive(Debug)]
pub(crate) struct CudaParticles {
    pub buffer: Buffer,
    pub fields: &'static [Field],
    copies: Arc<RowCopies>,
}

/// Results in device memory: a column for each number, in the precision of the backup
/// accumulators.
#[derive(Debug)]
pub(crate) struct CudaResults {
    pub buffer: Buffer,
    pub fields: &'static [Field],
    copies: RowCopies,
}

impl CudaParticles {
    /// Copies particles to the device.
    pub fn upload(
        backend: &Arc<dyn Backend>,
        particles: &dyn Rows,
        precision: Precision,
        copies: &Arc<RowCopies>,
    ) -> Result<Self, Error> {
        let particles = Once::of(particles);
        let buffer = Buffer::of_particles(backend, &particles, precision)?;
        Ok(Self { buffer, fields: particles.fields(), copies: copies.clone() })
    }

    /// Returns particles in memory.
    pub fn of(buffer: Buffer, fields: &'static [Field], cache: &Cache) -> Self {
        Self { buffer, fields, copies: Arc::new(RowCopies::new(cache)) }
    }

    /// Replaces all particles by fewer, copies of rows in memory of the device.
    pub fn shorten(&mut self, rows: &dyn Memory, n: usize) -> Result<(), crate::error::Error> {
        self.copies.shorten(&mut self.buffer, self.fields, rows, n)
    }

    /// Returns the number of words of a particle.
    pub fn words(&self) -> usize {
        numbers_of(self.fields, self.buffer.precision)
    }
}

impl CudaResults {
    /// Returns results with these fields.
    pub fn boxed(
        buffer: Buffer,
        fields: &'static [Field],
        cache: &Cache,
    ) -> Box<dyn untyped::Buffer> {
        Box::new(Self { buffer, fields, copies: RowCopies::new(cache) })
    }

    /// Returns the memory of results; `None` for another buffer.
    pub fn unboxed(results: Box<dyn untyped::Buffer>) -> Option<Buffer> {
        (results as Box<dyn Any>).downcast::<Self>().ok().map(|results| results.buffer)
    }
}

impl untyped::Buffer for CudaParticles {
    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn len(&self) -> usize {
        self.buffer.n
    }

    fn device(&self) -> String {
        self.buffer.backend.describe()
    }

    fn precision(&self) -> Precision {
        self.buffer.precision
    }

    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        Error::check_range(&rows, self.buffer.n)?;
        Ok(self.buffer.read_particles(self.fields, rows, take)?)
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let binding = Binding::new("download", slice::from_ref(field), self.fields)?;
        Ok(self.copies.read_field(&self.buffer, self.fields, field, &binding, take)?)
    }

    fn write_field(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        let binding = bound_field(&rows, self.fields, self.buffer.n)?;
        Ok(self.copies.write_field(&mut self.buffer, self.fields, &binding, &rows)?)
    }

    fn resize(&mut self, n: usize) -> Result<(), Error> {
        Ok(self.buffer.resize(n, self.words())?)
    }

    fn replace(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        Error::check_record("rows to write", rows.fields(), self.fields)?;
        Ok(self.buffer.replace(&rows)?)
    }

    fn write_at(&mut self, addresses: &[u32], rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        Error::check_record("rows to write", rows.fields(), self.fields)?;
        Error::check_length("rows to write", rows.count(), addresses.len())?;
        let n = rows_after(addresses, self.buffer.n)?;
        Ok(self.copies.write_at(&mut self.buffer, addresses, &rows, n)?)
    }

    fn append(&mut self, others: &dyn untyped::Buffer) -> Result<(), Error> {
        let others = particles(APPENDED, &*self.buffer.backend, others)?;
        rows_with(self, others)?;
        others.buffer.check(APPENDED, &self.buffer.backend, self.buffer.precision)?;
        Ok(self.copies.append(&mut self.buffer, &others.buffer, self.fields)?)
    }

    fn keep(&mut self, n: usize) -> Result<(), Error> {
        Error::check_range(&(0..n), self.buffer.n)?;
        Ok(self.buffer.resize(n, self.words())?)
    }

    fn write_results(&mut self, _: &dyn Rows) -> Result<(), Error> {
        Err(other_buffer("results to write", &*self.buffer.backend, self))
    }
}

impl untyped::Buffer for CudaResults {
    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn len(&self) -> usize {
        self.buffer.n
    }

    fn device(&self) -> String {
        self.buffer.backend.describe()
    }

    fn precision(&self) -> Precision {
        self.buffer.precision
    }

    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        Error::check_range(&rows, self.buffer.n)?;
        Ok(self.buffer.read_rows(self.fields, rows, take)?)
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let binding = Binding::new("download", slice::from_ref(field), self.fields)?;
        let first = binding.places().first().map_or(0, |place| place.component());
        Ok(self.buffer.read_columns(first, slice::from_ref(field), take)?)
    }

    fn write_field(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        let binding = bound_field(&rows, self.fields, self.buffer.n)?;
        Ok(self.copies.write_columns(&mut self.buffer, &binding, &rows)?)
    }

    fn resize(&mut self, n: usize) -> Result<(), Error> {
        Ok(self.buffer.resize(n, dim(self.fields))?)
    }

    fn replace(&mut self, _: &dyn Rows) -> Result<(), Error> {
        Err(other_buffer("particles to write", &*self.buffer.backend, self))
    }

    fn write_at(&mut self, _: &[u32], _: &dyn Rows) -> Result<(), Error> {
        Err(other_buffer("particles to write", &*self.buffer.backend, self))
    }

    fn append(&mut self, _: &dyn untyped::Buffer) -> Result<(), Error> {
        Err(other_buffer("particles to append to", &*self.buffer.backend, self))
    }

    fn keep(&mut self, n: usize) -> Result<(), Error> {
        // Each number has a column of all rows.
        Error::check_range(&(0..n), self.buffer.n)?;
        let mut words = vec![0; n * dim(self.fields)];
        self.read(0..n, &mut |write| write(0..n, &mut words))?;
        let rows = OwnedRows::new(self.fields, words)?;
        Ok(self.buffer.write_results(&rows)?)
    }

    fn write_results(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        Error::check_record("results to write", rows.fields(), self.fields)?;
        Ok(self.buffer.write_results(&rows)?)
    }
}

/// Returns particles in device memory.
pub(crate) fn particles<'a>(
    what: &'static str,
    backend: &dyn Backend,
    buffer: &'a dyn untyped::Buffer,
) -> Result<&'a CudaParticles, Error> {
    (buffer as &dyn Any).downcast_ref().ok_or_else(|| other_buffer(what, backend, buffer))
}

/// Returns particles in device memory, for writing.
pub(crate) fn particles_mut<'a>(
    what: &'static str,
    backend: &dyn Backend,
    buffer: &'a mut dyn untyped::Buffer,
) -> Result<&'a mut CudaParticles, Error> {
    if (buffer as &dyn Any).is::<CudaParticles>() {
        return Ok((buffer as &mut dyn Any).downcast_mut().expect("of this type"));
    }
    Err(other_buffer(what, backend, buffer))
}

/// Returns the i-particles and the j-particles of a law.
pub(crate) fn pairs<'a>(
    backend: &dyn Backend,
    law: &Law,
    i: &'a dyn untyped::Buffer,
    j: Sources<'a, dyn untyped::Buffer>,
) -> Result<[&'a Buffer; 2], Error> {
    let record = |what, buffer: &'a dyn untyped::Buffer, fields| {
        Error::check_record(what, buffer.fields(), fields)?;
        particles(what, backend, buffer).map(|particles| &particles.buffer)
    };
    Ok([record("i-particles", i, law.i)?, record("j-particles", j.particles(), law.j)?])
}

/// Returns results with these fields in device memory.
pub(crate) fn results<'a>(
    backend: &dyn Backend,
    buffer: &'a mut dyn untyped::Buffer,
    fields: &'static [Field],
) -> Result<&'a mut Buffer, Error> {
    results_named("results", backend, buffer, fields)
}

/// Returns results with these fields in device memory, by the name `what` in messages.
pub(crate) fn results_named<'a>(
    what: &'static str,
    backend: &dyn Backend,
    buffer: &'a mut dyn untyped::Buffer,
    fields: &'static [Field],
) -> Result<&'a mut Buffer, Error> {
    Error::check_record(what, buffer.fields(), fields)?;
    if !(buffer as &dyn Any).is::<CudaResults>() {
        return Err(other_buffer(what, backend, buffer));
    }
    let results = (buffer as &mut dyn Any).downcast_mut::<CudaResults>();
    Ok(&mut results.expect("of this type").buffer)
}

/// Returns the error for a buffer of another device, or for particles in place of results or the
/// reverse.
pub(crate) fn other_buffer(
    what: &'static str,
    backend: &dyn Backend,
    buffer: &dyn untyped::Buffer,
) -> Error {
    let any = buffer as &dyn Any;
    if any.is::<CudaParticles>() {
        Error::OtherBuffer { what, found: "particles" }
    } else if any.is::<CudaResults>() {
        Error::OtherBuffer { what, found: "results" }
    } else {
        Error::ForeignBuffer { what, found: buffer.device(), expected: backend.describe() }
    }
}

/// Returns the error for an object of another device.
pub(crate) fn foreign(what: &'static str, backend: &dyn Backend) -> Error {
    let (found, expected) = ("another device".to_owned(), backend.describe());
    Error::ForeignBuffer { what, found, expected }
}
