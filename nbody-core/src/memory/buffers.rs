//! Particles and results in the memory of the CPU.

use crate::numeric::mixed::Mixed;
use crate::numeric::simd::lanes::LINE;
use crate::numeric::simd::lanes::Line;
use crate::numeric::simd::level::Best;
use crate::records::rows::{Once, Rows};
use std::any::Any;
use std::ops::Range;
use std::slice;

use crate::error::Error;
use crate::field::Field;
use crate::memory::addresses::{APPENDED, rows_after, rows_with};
use crate::memory::buffer::Buffer;
use crate::memory::columns::Columns;
use crate::memory::packed::Packed;
use crate::numeric::precision::Precision;
use crate::parallel;
use crate::records::binding::Binding;
use crate::records::numbers::along_axes;
use crate::records::pack;
use crate::records::rows::WriteRows;

/// Particles in the precision of an evaluation, as structure of arrays.
#[derive(Clone, Debug)]
pub(crate) struct Particles {
    pub packed: Packed,
    pub precision: Precision,
    pub fields: &'static [Field],
}

/// Results in `f64`, which holds every accumulator exactly.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub columns: Columns<u64>,
    /// The precision of the backup accumulators.
    pub precision: Precision,
    pub fields: &'static [Field],
}

impl Particles {
    pub fn pack(particles: &dyn Rows, precision: Precision) -> Result<Self, Error> {
        let particles = Once::of(particles);
        check_count(particles.count())?;
        let fields = particles.fields();
        Ok(Self { packed: Packed::pack(&particles, precision)?, precision, fields })
    }

    /// Writes numbers of some blocks in `f64`, exactly.
    pub fn widen(&self, binding: &Binding, blocks: Range<usize>, to: &mut Vec<Line<u64>>) {
        match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => columns.widen::<f64>(binding, blocks, to),
            (Packed::Bits32(columns), Precision::Mixed) => {
                columns.widen::<Mixed>(binding, blocks, to);
            }
            (Packed::Bits32(columns), _) => columns.widen::<f32>(binding, blocks, to),
        }
    }

    /// Writes bound numbers of some particles, one after another.
    pub fn rows(&self, binding: &Binding, particles: Range<usize>, rows: &mut [u64]) {
        Best::new().run(
            #[inline(always)]
            || match (&self.packed, self.precision) {
                (Packed::Bits64(columns), _) => columns.wide_rows::<f64>(binding, particles, rows),
                (Packed::Bits32(columns), Precision::Mixed) => {
                    columns.wide_rows::<Mixed>(binding, particles, rows);
                }
                (Packed::Bits32(columns), _) => columns.wide_rows::<f32>(binding, particles, rows),
            },
        );
    }

    /// Copies a range of particles.
    pub fn part(&self, range: Range<usize>) -> Result<Self, Error> {
        Ok(Self { packed: self.packed.part(range)?, ..*self })
    }

    /// Copies the particles with these indices.
    pub fn gather(&self, indices: &[u32]) -> Result<Self, Error> {
        Ok(Self { packed: self.packed.gather(indices, None)?, ..*self })
    }

    /// Copies the bound numbers of the particles with these indices. If only `others` than
    /// coordinates are wanted, coordinates are left at 0.
    pub fn bound(&self, binding: &Binding, others: bool, indices: &[u32]) -> Result<Packed, Error> {
        Ok(match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => {
                Packed::Bits64(columns.bound::<f64>(binding, others, indices)?)
            }
            (Packed::Bits32(columns), Precision::Mixed) => {
                Packed::Bits32(columns.bound::<Mixed>(binding, others, indices)?)
            }
            (Packed::Bits32(columns), _) => {
                Packed::Bits32(columns.bound::<f32>(binding, others, indices)?)
            }
        })
    }

    /// Writes bound numbers of all particles, one particle after another.
    pub fn all_rows(&self, binding: &Binding, rows: &mut Vec<u64>) {
        /// Particles that a thread converts at a time.
        const CHUNK: usize = 256 * LINE;
        let numbers = binding.places().len().max(1);
        rows.resize(self.len() * numbers, 0);
        parallel::each_chunk(rows, CHUNK * numbers, &|first, rows| {
            self.rows(binding, first / numbers..(first + rows.len()) / numbers, rows);
        });
    }

    /// Copies in `f64` the coordinates of the particles with these indices, at most a block.
    pub fn coordinates(&self, binding: &Binding, indices: &[u32], to: &mut [[f64; LINE]; 3]) {
        match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => columns.coordinates::<f64>(binding, indices, to),
            (Packed::Bits32(columns), Precision::Mixed) => {
                columns.coordinates::<Mixed>(binding, indices, to);
            }
            (Packed::Bits32(columns), _) => columns.coordinates::<f32>(binding, indices, to),
        }
    }

    /// Returns the particles displaced by this vector.
    pub fn displaced(&self, displacement: [f64; 3]) -> Result<Self, Error> {
        let binding = Binding::whole(self.fields);
        let terms: Vec<_> = along_axes(self.fields, displacement).collect();
        let packed = match (&self.packed, self.precision) {
            (Packed::Bits64(columns), _) => {
                Packed::Bits64(columns.displaced::<f64>(&binding, &terms)?)
            }
            (Packed::Bits32(columns), Precision::Mixed) => {
                Packed::Bits32(columns.displaced::<Mixed>(&binding, &terms)?)
            }
            (Packed::Bits32(columns), _) => {
                Packed::Bits32(columns.displaced::<f32>(&binding, &terms)?)
            }
        };
        Ok(Self { packed, ..*self })
    }

    /// Copies the particles of `part`, of the same type and precision, to these indices.
    pub fn scatter(&mut self, part: &Self, indices: &[u32]) {
        match (&mut self.packed, &part.packed) {
            (Packed::Bits32(columns), Packed::Bits32(part)) => columns.scatter(part, indices),
            (Packed::Bits64(columns), Packed::Bits64(part)) => columns.scatter(part, indices),
            _ => unreachable!("of one precision"),
        }
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.packed.len()
    }
}

/// Refuses buffers of another precision.
pub(crate) fn check_precision(
    what: &'static str,
    found: Precision,
    expected: Precision,
) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::PrecisionMismatch { what, found, expected }) }
}

/// Finds the field of these rows, of one field, in records with these fields; an error if they have no
/// such field, or for another number than `n`.
pub fn bound_field(rows: &dyn Rows, fields: &'static [Field], n: usize) -> Result<Binding, Error> {
    let [field] = rows.fields() else {
        return Err(Error::OtherRecord {
            what: "a field to write",
            found: rows.fields(),
            expected: fields,
        });
    };
    Error::check_length(field.name, rows.count(), n)?;
    Binding::new("write", slice::from_ref(field), fields)
}

/// Refuses more particles than 32-bit indices can name; the last index means no particle.
pub(crate) fn check_count(found: usize) -> Result<(), Error> {
    let limit = u32::MAX as usize;
    if found <= limit { Ok(()) } else { Err(Error::TooManyParticles { found, limit }) }
}

impl Results {
    /// Returns `n` results, each with the value without any pair.
    pub fn new(fields: &'static [Field], n: usize, precision: Precision) -> Result<Self, Error> {
        Ok(Self { columns: Columns::filled(n, &pack::nothing(fields))?, precision, fields })
    }

    /// Packs rows, rounded to the precision of the results.
    fn packed(&self, rows: &dyn Rows) -> Result<Columns<u64>, Error> {
        match self.precision {
            Precision::Double => Columns::pack::<f64>(rows),
            Precision::Single | Precision::Mixed => {
                let fields = rows.fields();
                let (single, mut words) = (Columns::pack::<f32>(rows)?, Vec::new());
                single.widen::<f32>(
                    &Binding::whole(fields).in_results(),
                    0..single.len().div_ceil(LINE),
                    &mut words,
                );
                Ok(Columns::of_lines(words, single.len(), pack::dim(fields)))
            }
        }
    }
}

impl Buffer for Particles {
    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn device(&self) -> String {
        "cpu".to_owned()
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        Error::check_range(&rows, self.len())?;
        let binding = Binding::whole(self.fields);
        take(&|records, to| {
            let records = rows.start + records.start..rows.start + records.end;
            self.rows(&binding, records, to);
        });
        Ok(())
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let binding = Binding::new("download", slice::from_ref(field), self.fields)?;
        take(&|records, rows| self.rows(&binding, records, rows));
        Ok(())
    }

    fn write_field(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        let binding = bound_field(&rows, self.fields, self.len())?;
        let Some(first) = binding.places().first() else { return Ok(()) };
        match (&mut self.packed, self.precision) {
            (Packed::Bits64(columns), _) => {
                columns.set_words(first.word::<f64>(), &Columns::pack::<f64>(&rows)?);
            }
            (Packed::Bits32(columns), Precision::Mixed) => {
                columns.set_words(first.word::<Mixed>(), &Columns::pack::<Mixed>(&rows)?);
            }
            (Packed::Bits32(columns), _) => {
                columns.set_words(first.word::<f32>(), &Columns::pack::<f32>(&rows)?);
            }
        }
        Ok(())
    }

    fn resize(&mut self, n: usize) -> Result<(), Error> {
        check_count(n)?;
        self.packed = Packed::zeros(n, self.fields, self.precision)?;
        Ok(())
    }

    fn replace(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        Error::check_record("rows to write", rows.fields(), self.fields)?;
        *self = Self::pack(&rows, self.precision)?;
        Ok(())
    }

    fn write_at(&mut self, addresses: &[u32], rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        Error::check_record("rows to write", rows.fields(), self.fields)?;
        Error::check_length("rows to write", rows.count(), addresses.len())?;
        let n = rows_after(addresses, self.len())?;
        let part = Self::pack(&rows, self.precision)?;
        self.packed.extend(n)?;
        self.scatter(&part, addresses);
        Ok(())
    }

    fn append(&mut self, others: &dyn Buffer) -> Result<(), Error> {
        let others = particles(APPENDED, others)?;
        rows_with(self, others)?;
        self.packed.extend_from(&others.packed)
    }

    fn keep(&mut self, n: usize) -> Result<(), Error> {
        Error::check_range(&(0..n), self.len())?;
        self.packed.keep(n);
        Ok(())
    }

    fn write_results(&mut self, _: &dyn Rows) -> Result<(), Error> {
        Err(other_buffer("results to write", self))
    }
}

impl Buffer for Results {
    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn len(&self) -> usize {
        self.columns.len()
    }

    fn device(&self) -> String {
        "cpu".to_owned()
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn read(&self, rows: Range<usize>, take: &mut dyn FnMut(&WriteRows)) -> Result<(), Error> {
        Error::check_range(&rows, self.columns.len())?;
        take(&|records, to| {
            self.columns.rows(rows.start + records.start..rows.start + records.end, to);
        });
        Ok(())
    }

    fn read_field(
        &self,
        field: &'static Field,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        let binding = Binding::new("download", slice::from_ref(field), self.fields)?;
        let numbers = pack::dim(self.fields);
        take(&|records, rows| {
            let mut row = vec![0; numbers];
            let width = binding.places().len().max(1);
            for (record, to) in records.zip(rows.chunks_exact_mut(width)) {
                self.columns.rows(record..record + 1, &mut row);
                for (word, place) in to.iter_mut().zip(binding.places()) {
                    *word = row[place.component()];
                }
            }
        });
        Ok(())
    }

    fn write_field(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        let binding = bound_field(&rows, self.fields, self.columns.len())?;
        let Some(first) = binding.places().first() else { return Ok(()) };
        self.columns.set_words(first.component(), &self.packed(&rows)?);
        Ok(())
    }

    fn resize(&mut self, n: usize) -> Result<(), Error> {
        self.columns = Columns::filled(n, &pack::nothing(self.fields))?;
        Ok(())
    }

    fn replace(&mut self, _: &dyn Rows) -> Result<(), Error> {
        Err(other_buffer("particles to write", self))
    }

    fn write_at(&mut self, _: &[u32], _: &dyn Rows) -> Result<(), Error> {
        Err(other_buffer("particles to write", self))
    }

    fn append(&mut self, _: &dyn Buffer) -> Result<(), Error> {
        Err(other_buffer("particles to append to", self))
    }

    fn keep(&mut self, n: usize) -> Result<(), Error> {
        Error::check_range(&(0..n), self.columns.len())?;
        self.columns.keep(n);
        Ok(())
    }

    fn write_results(&mut self, rows: &dyn Rows) -> Result<(), Error> {
        let rows = Once::of(rows);
        Error::check_record("results to write", rows.fields(), self.fields)?;
        self.columns = self.packed(&rows)?;
        Ok(())
    }
}

/// Returns the particles if they belong to the CPU.
pub(crate) fn particles<'a>(
    what: &'static str,
    buffer: &'a dyn Buffer,
) -> Result<&'a Particles, Error> {
    (buffer as &dyn Any).downcast_ref().ok_or_else(|| other_buffer(what, buffer))
}

/// Returns the particles for modification if they belong to the CPU.
pub(crate) fn particles_mut<'a>(
    what: &'static str,
    buffer: &'a mut dyn Buffer,
) -> Result<&'a mut Particles, Error> {
    let error = other_buffer(what, buffer);
    (buffer as &mut dyn Any).downcast_mut().ok_or(error)
}

/// Returns the particles if they belong to the CPU and have this record.
pub(crate) fn records<'a>(
    what: &'static str,
    buffer: &'a dyn Buffer,
    fields: &'static [Field],
) -> Result<&'a Particles, Error> {
    Error::check_record(what, buffer.fields(), fields)?;
    particles(what, buffer)
}

/// Returns the results if they belong to the CPU and have this record.
pub(crate) fn results<'a>(
    buffer: &'a mut dyn Buffer,
    fields: &'static [Field],
) -> Result<&'a mut Results, Error> {
    Error::check_record("results", buffer.fields(), fields)?;
    let error = other_buffer("results", buffer);
    (buffer as &mut dyn Any).downcast_mut().ok_or(error)
}

/// Returns the error for a buffer of another device, or for particles in place of results or the reverse.
pub(crate) fn other_buffer(what: &'static str, buffer: &dyn Buffer) -> Error {
    let any = buffer as &dyn Any;
    if any.is::<Particles>() {
        Error::OtherBuffer { what, found: "particles" }
    } else if any.is::<Results>() {
        Error::OtherBuffer { what, found: "results" }
    } else {
        Error::ForeignBuffer { what, found: buffer.device(), expected: "cpu".to_owned() }
    }
}

/// Returns the error for a buffer of another device.
pub(crate) fn foreign(what: &'static str) -> Error {
    Error::ForeignBuffer { what, found: "another device".to_owned(), expected: "cpu".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_without_an_index_are_refused() {
        let limit = u32::MAX as usize;
        assert_eq!(check_count(limit), Ok(()));
        let found = limit + 1;
        assert_eq!(check_count(found), Err(Error::TooManyParticles { found, limit }));
    }
}
