//! Copies of the rows of particles: downloads of one field, and rows that replace particles or are
//! appended.

use std::slice;

use nbody_compile::Cache;
use nbody_core::pack::{Binding, Place, Rows, WriteRows};
use nbody_core::{Field, Mixed, Precision};

use crate::backend::{Buffer, Kernel, LateKernel, Launch, Memory, pack_into};
use crate::border::Address;
use crate::compile::program::Program;
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, bytes_of, numbers_of};

/// Threads of a block.
const BLOCK: usize = 256;

/// The kernels that copy rows.
#[derive(Debug)]
pub(crate) struct RowCopies {
    kernel: LateKernel,
}

impl RowCopies {
    pub fn new(cache: &Cache) -> Self {
        Self { kernel: LateKernel::new(cache, Program::row_copies) }
    }

    /// Copies a field of particles with these fields to the host, without other fields, and passes
    /// `take` a function that writes its numbers. `binding` is the binding of its numbers.
    pub fn read_field(
        &self,
        p: &Buffer,
        fields: &[Field],
        field: &'static Field,
        binding: &Binding,
        take: &mut dyn FnMut(&WriteRows),
    ) -> Result<(), Error> {
        check_count(p.n)?;
        let (alone, precision) = (slice::from_ref(field), p.precision);
        let copies = Buffer::new(&p.backend, p.n, numbers_of(alone, precision), precision)?;
        if let Some(first) = binding.places().first()
            && p.n > 0
        {
            let [row_words, first, words] = words_of_field(*first, fields, alone, precision);
            let blocks = (p.n * words as usize).div_ceil(BLOCK) as u32;
            let launch = Launch::new(c"copy_field", blocks).pointers([&*p.memory, &*copies.memory]);
            let launch = launch.numbers([p.n as u32, row_words, first, words]);
            self.kernel.get(&p.backend)?.module.launch(launch)?;
        }
        copies.read_particles(alone, 0..p.n, take)
    }

    /// Replaces a field of all particles with these fields. The host sends the rows, of this field alone.
    pub fn write_field(
        &self,
        p: &mut Buffer,
        fields: &[Field],
        binding: &Binding,
        rows: &dyn Rows,
    ) -> Result<(), Error> {
        check_count(p.n)?;
        let (alone, precision, n) = (rows.fields(), p.precision, p.n);
        let Some(first) = binding.places().first().filter(|_| n > 0) else { return Ok(()) };
        let [row_words, first, words] = words_of_field(*first, fields, alone, precision);
        let sent = Buffer::of_particles(&p.backend, rows, precision)?;
        let blocks = (n * words as usize).div_ceil(BLOCK) as u32;
        let launch = Launch::new(c"put_field", blocks).pointers([&*sent.memory, &*p.memory]);
        let launch = launch.numbers([n as u32, 0, row_words, first, words]);
        self.kernel.get(&p.backend)?.module.launch(launch)?;
        let numbers: Vec<_> = binding.places().iter().map(|place| place.component()).collect();
        p.changes_numbers(&numbers);
        Ok(())
    }

    /// Replaces a field of all results, whose numbers are columns. The host sends these columns.
    pub fn write_columns(
        &self,
        results: &mut Buffer,
        binding: &Binding,
        rows: &dyn Rows,
    ) -> Result<(), Error> {
        check_count(results.n)?;
        let (columns, n, real) = (binding.places(), results.n, bytes_of(results.precision));
        let Some(first) = columns.first().filter(|_| n > 0) else { return Ok(()) };
        let mut sent = Buffer::new(&results.backend, n, columns.len(), results.precision)?;
        sent.write_results(rows)?;
        let column = n * real / size_of::<u32>();
        let blocks = (columns.len() * column).div_ceil(BLOCK) as u32;
        let launch = Launch::new(c"put_field", blocks).pointers([&*sent.memory, &*results.memory]);
        let [count, row] = [columns.len(), first.component()].map(|it| it as u32);
        let launch = launch.numbers([count, row, column as u32, 0, column as u32]);
        self.kernel.get(&results.backend)?.module.launch(launch)?;
        results.changes();
        Ok(())
    }

    /// Replaces the particles at these addresses by rows of the same record, and appends particles
    /// up to `n`. The host sends the rows and the addresses, and no other particle.
    pub fn write_at(
        &self,
        p: &mut Buffer,
        addresses: &[u32],
        rows: &dyn Rows,
        n: usize,
    ) -> Result<(), Error> {
        let row = numbers_of(rows.fields(), p.precision) * bytes_of(p.precision);
        if row > 0 && !addresses.is_empty() {
            let (count, words) = (addresses.len(), row / size_of::<u32>());
            let sent = p.beside(count * (row + size_of::<u32>()))?;
            let sent = send(sent, p.precision, addresses, rows)?;
            let kernel = self.kernel.get(&p.backend)?;
            let behind_rows = Address::<u8>::of(&*sent).part(count * row);
            let larger = grown(kernel, p, n, words)?;
            let to = larger.as_deref().unwrap_or(&*p.memory);
            scatter(kernel, [&*sent, to], behind_rows, [count, words])?;
            if let Some(larger) = larger {
                p.memory = larger;
            }
        }
        p.n = n;
        p.changes();
        Ok(())
    }

    /// Appends copies of all particles of another buffer, of the same record and precision.
    pub fn append(&self, p: &mut Buffer, others: &Buffer, fields: &[Field]) -> Result<(), Error> {
        let n = p.n + others.n;
        check_count(n)?;
        let words = words_of_row(fields, p.precision);
        if words > 0 && others.n > 0 {
            let kernel = self.kernel.get(&p.backend)?;
            let larger = grown(kernel, p, n, words)?;
            let to = larger.as_deref().unwrap_or(&*p.memory);
            let blocks = (others.n * words).div_ceil(BLOCK) as u32;
            let launch = Launch::new(c"put_field", blocks).pointers([&*others.memory, to]);
            let words = words as u32;
            let launch = launch.numbers([others.n as u32, p.n as u32, words, 0, words]);
            kernel.module.launch(launch)?;
            if let Some(larger) = larger {
                p.memory = larger;
            }
        }
        p.n = n;
        p.changes();
        Ok(())
    }

    /// Replaces all particles by fewer, copies of rows in memory of the device.
    pub fn shorten(
        &self,
        p: &mut Buffer,
        fields: &[Field],
        rows: &dyn Memory,
        n: usize,
    ) -> Result<(), Error> {
        let words = words_of_row(fields, p.precision);
        if n * words > 0 {
            let kernel = self.kernel.get(&p.backend)?;
            scatter(kernel, [rows, &*p.memory], Address::NULL, [n, words])?;
        }
        p.n = n;
        p.changes();
        Ok(())
    }
}

/// Returns the number of 32-bit words of a row.
fn words_of_row(fields: &[Field], precision: Precision) -> usize {
    numbers_of(fields, precision) * bytes_of(precision) / size_of::<u32>()
}

/// Returns larger memory with the rows of particles, of `words` words each, if `n` rows need more than
/// there is: twice as much.
fn grown(
    kernel: &Kernel,
    p: &Buffer,
    n: usize,
    words: usize,
) -> Result<Option<Box<dyn Memory>>, Error> {
    let row = words * size_of::<u32>();
    let capacity = p.memory.words() * size_of::<u64>() / row;
    if n <= capacity {
        return Ok(None);
    }
    let larger = p.beside(n.max(2 * capacity) * row)?;
    if p.n > 0 {
        scatter(kernel, [&*p.memory, &*larger], Address::NULL, [p.n, words])?;
    }
    Ok(Some(larger))
}

/// Refuses more records than kernels can count.
fn check_count(found: usize) -> Result<(), Error> {
    if found <= PARTICLE_LIMIT {
        return Ok(());
    }
    Err(Error::TooManyParticles { what: "particles", found, limit: PARTICLE_LIMIT })
}

/// Returns the number of 32-bit words of a row, the first word of a field in it, whose first number is at
/// this place, and the number of words of the field.
fn words_of_field(
    first: Place,
    fields: &[Field],
    alone: &[Field],
    precision: Precision,
) -> [u32; 3] {
    let first = match precision {
        Precision::Single => first.word::<f32>(),
        Precision::Mixed => first.word::<Mixed>(),
        Precision::Double => first.word::<f64>(),
    };
    let numbers = [numbers_of(fields, precision), first, numbers_of(alone, precision)];
    numbers.map(|number| (number * bytes_of(precision) / size_of::<u32>()) as u32)
}

/// Copies rows in this precision to memory of the device, and the addresses behind them.
fn send(
    mut memory: Box<dyn Memory>,
    precision: Precision,
    addresses: &[u32],
    rows: &dyn Rows,
) -> Result<Box<dyn Memory>, Error> {
    let row = numbers_of(rows.fields(), precision) * bytes_of(precision) / size_of::<u32>();
    memory.write_first(memory.words(), &mut |words| {
        pack_into(rows, precision, words)?;
        let words: &mut [u32] = bytemuck::cast_slice_mut(words);
        words[addresses.len() * row..][..addresses.len()].copy_from_slice(addresses);
        Ok(())
    })?;
    Ok(memory)
}

/// Copies `count` rows of `words` words to these addresses, or in order if they are null.
fn scatter(
    kernel: &Kernel,
    [rows, to]: [&dyn Memory; 2],
    addresses: Address<u32>,
    [count, words]: [usize; 2],
) -> Result<(), Error> {
    let blocks = (count * words).div_ceil(BLOCK) as u32;
    let launch = Launch::new(c"scatter", blocks).pointers([rows]).value(&addresses);
    kernel.module.launch(launch.pointers([to]).numbers([count as u32, words as u32]))
}

impl Program {
    /// Returns the program of downloads and replacements of one field (`Particles::download_field`,
    /// `Particles::replace_field`) and of rows that replace particles (`Particles::write_at`), are
    /// appended (`Particles::append`) or stay (`Selection::keep`).
    pub fn row_copies() -> Self {
        let parts = [include_str!("copies.cuh")];
        let kernels = &[c"copy_field", c"put_field", c"scatter"];
        Self::of_words("row_copies", "copies of rows of particles", kernels, BLOCK, &parts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use nbody_core::FieldKind;
    use nbody_core::pack::{OwnedRows, nothing};
    use nbody_core::untyped::Buffer as _;

    use super::*;
    use crate::backend::Backend;
    use crate::backend::another::Another;
    use crate::backend::emulator::Emulator;
    use crate::engine::buffer::{CudaParticles, CudaResults};

    const FIELDS: &[Field] = &[
        Field { name: "pos", kind: FieldKind::Point(3) },
        Field { name: "id", kind: FieldKind::U32 },
    ];

    fn rows(n: usize) -> OwnedRows {
        let row = |k: usize| [k as f64, 0.5, -0.25].map(f64::to_bits).into_iter().chain([k as u64]);
        OwnedRows::new(FIELDS, (0..n).flat_map(row).collect()).unwrap()
    }

    /// The host sends the changed rows alone, and receives the results alone.
    #[test]
    fn copies_are_as_large_as_the_rows() {
        let another = Arc::new(Another::of(Emulator::open().unwrap()));
        let backend: Arc<dyn Backend> = another.clone();
        let folder = tempfile::tempdir().unwrap();
        let copies = Arc::new(RowCopies::new(&Cache::at(folder.path())));
        let copied = || another.copied.swap(0, Ordering::Relaxed);
        for (precision, row) in
            [(Precision::Single, 16_usize), (Precision::Mixed, 28), (Precision::Double, 32)]
        {
            let upload = |n| CudaParticles::upload(&backend, &rows(n), precision, &copies).unwrap();
            let mut p = upload(1000);
            let before = p.buffer.contents([0]);
            copied();
            p.write_at(&[999, 0, 500], &rows(3)).unwrap();
            assert_eq!(copied(), (3 * (row + 4)).next_multiple_of(8));
            assert_ne!(p.buffer.contents([0]), before);
            p.write_at(&[1000, 7], &rows(2)).unwrap();
            assert_eq!((p.len(), copied()), (1001, 2 * (row + 4)));
            // Memory for twice the particles is there.
            let address = p.buffer.memory.address();
            p.write_at(&(1001..1999).collect::<Vec<_>>(), &rows(998)).unwrap();
            assert_eq!((p.len(), p.buffer.memory.address()), (1999, address));
            // One field is sent alone, and nothing else changes.
            let before = [0, 3].map(|number| p.buffer.contents([number]));
            let ids = OwnedRows::new(&FIELDS[1..], (0..1999).collect()).unwrap();
            copied();
            p.write_field(&ids).unwrap();
            let id = row / if precision == Precision::Mixed { 7 } else { 4 };
            assert_eq!(copied(), (1999 * id).next_multiple_of(8));
            let after = [0, 3].map(|number| p.buffer.contents([number]));
            assert!(after[0] == before[0] && after[1] > before[1]);
            // Without memory nothing changes.
            let others = upload(1000);
            another.is_full.store(true, Ordering::Relaxed);
            assert!(p.write_at(&[1999], &rows(1)).is_err());
            assert!(p.write_field(&ids).is_err());
            assert_eq!(p.buffer.contents([3]), after[1]);
            assert!(p.append(&others).is_err());
            assert_eq!((p.len(), p.buffer.contents([3])), (1999, after[1]));
            another.is_full.store(false, Ordering::Relaxed);
            // Particles of the device are appended without the host, for twice the memory.
            copied();
            p.append(&others).unwrap();
            assert_eq!((p.len(), copied()), (2999, 0));
            assert!(p.buffer.contents([3]) > after[1]);
            let address = p.buffer.memory.address();
            p.append(&others).unwrap();
            assert_eq!((p.len(), p.buffer.memory.address()), (3999, address));
        }
        let buffer = Buffer::new(&backend, 1000, 4, Precision::Double).unwrap();
        let mut results = CudaResults::boxed(buffer, FIELDS, &Cache::at(folder.path()));
        results.resize(3).unwrap();
        copied();
        let mut found = vec![0; 3 * nothing(FIELDS).len()];
        results.read(0..3, &mut |write| write(0..3, &mut found)).unwrap();
        assert_eq!(copied(), 3 * 32);
        let points = vec![2.5_f64.to_bits(); 9];
        results.write_field(&OwnedRows::new(&FIELDS[..1], points.clone()).unwrap()).unwrap();
        assert_eq!(copied(), 3 * 24);
        let mut found = vec![0; 9];
        results.read_field(&FIELDS[0], &mut |write| write(0..3, &mut found)).unwrap();
        assert_eq!((copied(), found), (3 * 24, points));
    }
}
