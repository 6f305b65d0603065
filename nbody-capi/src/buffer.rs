//! Buffers: particles and results in the memory of a device.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use nbody::Device;
use nbody::Precision;
use nbody::law::Field;
use nbody::untyped::{Buffer, CallerWork, OwnedRows, Selection};

use nbody_bindings::{
    ColumnRows, Columns, Direction, Download, Failure, FieldRows, Place, check_whole, of_device,
    replace, width,
};

use crate::columns::{self, Column};
use crate::handles::{self, BufferHandle, Kind};
use crate::pointers::{self, Out};
use crate::status::{Status, border};

/// The interface does not know the streams of its caller.
const ANYWHERE: CallerWork = CallerWork::Anywhere;

/// A buffer and its device.
pub(crate) struct DeviceBuffer {
    device: Device,
    buffer: Box<dyn Buffer>,
    is_results: bool,
    /// The selection that removes particles, once they were removed.
    selection: Option<Box<dyn Selection>>,
}

/// Calls that read a buffer run at once; a call that writes waits for them.
type Locked = RwLock<DeviceBuffer>;

impl Kind for Locked {
    const TAG: u8 = 4;
}

fn find(handle: BufferHandle, what: &str) -> Result<Arc<Locked>, Failure> {
    handles::get(handle.id, what)
}

fn read<'a>(buffer: &'a Locked, what: &str) -> Result<RwLockReadGuard<'a, DeviceBuffer>, Failure> {
    buffer.read().map_err(|_| Failure::poisoned(what))
}

fn write<'a>(
    buffer: &'a Locked,
    what: &str,
) -> Result<RwLockWriteGuard<'a, DeviceBuffer>, Failure> {
    buffer.write().map_err(|_| Failure::poisoned(what))
}

/// Puts the results of an engine in the table.
pub(crate) fn put_results(device: Device, buffer: Box<dyn Buffer>) -> Result<u64, Failure> {
    handles::put(RwLock::new(DeviceBuffer { device, buffer, is_results: true, selection: None }))
}

/// Copies columns to a new buffer of particles.
///
/// # Safety
///
/// As for [`columns::places`].
pub(crate) unsafe fn upload(
    device: &Device,
    fields: &'static [Field],
    precision: Precision,
    n: usize,
    columns: *const Column,
    count: usize,
) -> Result<u64, Failure> {
    // SAFETY: as the caller promises.
    let columns = unsafe { columns::places(columns, count, fields, n, Direction::FromCaller) }?;
    let (Columns::Host(places) | Columns::Device(places)) = &columns;
    check_whole(fields, places)?;
    // SAFETY: as the caller promises.
    let buffer = unsafe { particles(device, fields, precision, n, &columns) }?;
    let (device, is_results, selection) = (device.clone(), false, None);
    handles::put(RwLock::new(DeviceBuffer { device, buffer, is_results, selection }))
}

/// Copies columns of every field to the device.
///
/// # Safety
///
/// The columns are good until the call returns.
unsafe fn particles(
    device: &Device,
    fields: &'static [Field],
    precision: Precision,
    n: usize,
    columns: &Columns,
) -> Result<Box<dyn Buffer>, Failure> {
    let device = device.untyped();
    match columns {
        Columns::Host(places) => Ok(device.upload(&ColumnRows { n, fields, places }, precision)?),
        Columns::Device(places) => {
            let none = ColumnRows { n: 0, fields, places: &[] };
            let mut buffer = device.upload(&none, precision)?;
            buffer.resize(n)?;
            // SAFETY: as the caller promises.
            unsafe { device.write_columns(&mut *buffer, &of_device(places), ANYWHERE) }?;
            Ok(buffer)
        }
    }
}

/// A buffer that is an argument, and its name in messages.
pub(crate) type Argument = (BufferHandle, &'static str);

/// Calls a function with buffers that it reads, some of them optional, and a buffer that it writes, as
/// [`with_all`] does.
pub(crate) fn with<const N: usize, R>(
    reads: [Option<Argument>; N],
    written: Option<Argument>,
    work: impl FnOnce([Option<&dyn Buffer>; N], Option<&mut dyn Buffer>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let given: Vec<_> = reads.into_iter().flatten().collect();
    with_all(&given, written, |buffers, written| {
        let mut next = buffers.iter().copied();
        work(reads.map(|argument| argument.and_then(|_| next.next())), written)
    })
}

/// Calls a function with buffers that it reads and a buffer that it writes. Buffers are locked in the
/// order of their handles, so that calls from several threads never wait for one another in a circle.
/// One buffer may be read twice.
pub(crate) fn with_all<R>(
    reads: &[Argument],
    written: Option<Argument>,
    work: impl FnOnce(&[&dyn Buffer], Option<&mut dyn Buffer>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    with_device_buffer(reads, written, |reads, written| {
        work(reads, written.map(|written| &mut *written.buffer))
    })
}

/// Calls a function as [`with_all`] does; it takes the buffer that it writes with its device.
fn with_device_buffer<R>(
    reads: &[Argument],
    written: Option<Argument>,
    work: impl FnOnce(&[&dyn Buffer], Option<&mut DeviceBuffer>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let mut all: Vec<(u64, Arc<Locked>, &'static str)> = Vec::new();
    for &(handle, what) in reads {
        all.push((handle.id, find(handle, what)?, what));
    }
    if let Some((handle, what)) = written {
        if let Some((.., other)) = all.iter().find(|(id, ..)| *id == handle.id) {
            return Err(Failure::argument(format!(
                "{other} and {what} are one buffer; the call reads {other} and writes {what}: give two"
            )));
        }
        all.push((handle.id, find(handle, what)?, what));
    }
    all.sort_by_key(|(id, ..)| *id);
    all.dedup_by_key(|(id, ..)| *id);
    let mut read_guards = Vec::new();
    let mut write_guard = None;
    for (id, buffer, what) in &all {
        if written.is_some_and(|(handle, _)| handle.id == *id) {
            write_guard = Some(write(buffer, what)?);
        } else {
            read_guards.push((*id, read(buffer, what)?));
        }
    }
    let found = reads.iter().map(|(handle, _)| {
        let guard = read_guards.iter().find(|(id, _)| *id == handle.id);
        let (_, guard) = guard.expect("every buffer that is read is locked");
        &*guard.buffer
    });
    let found: Vec<_> = found.collect();
    work(&found, write_guard.as_deref_mut())
}

/// Returns the number of records of a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_buffer_count(buffer: BufferHandle, count: *mut usize) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(count, "the place of the number", 0) }?;
        out.set(read(&*find(buffer, "buffer")?, "buffer")?.buffer.len());
        Ok(())
    })
}

/// Changes the number of results, and sets them to the results without any pair.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_buffer_resize(buffer: BufferHandle, n: usize) -> Status {
    border(|| {
        let buffer = find(buffer, "buffer")?;
        let mut buffer = write(&buffer, "buffer")?;
        if !buffer.is_results {
            return Err(Failure::argument(
                "particles are not resized; nbody_buffer_write replaces them by another number",
            ));
        }
        Ok(buffer.buffer.resize(n)?)
    })
}

/// Returns all rows of a buffer.
fn all_words(buffer: &dyn Buffer) -> Result<Vec<u64>, Failure> {
    let n = buffer.len();
    let mut words = vec![0; n * width(buffer.fields())];
    buffer.read(0..n, &mut |write| write(0..n, &mut words))?;
    Ok(words)
}

impl DeviceBuffer {
    fn check_particles(&self) -> Result<(), Failure> {
        if self.is_results {
            return Err(Failure::argument("results are written by engines; give particles"));
        }
        Ok(())
    }

    /// Replaces fields of all particles by columns; fields without a column stay.
    fn replace(&mut self, n: usize, places: &[Place]) -> Result<(), Failure> {
        let write = |place| Ok(self.buffer.write_field(&FieldRows { n, place })?);
        places.iter().try_for_each(write)
    }

    /// Keeps the particles where a field is not zero, their own field or a field of `by`.
    fn retain(&mut self, by: Option<&dyn Buffer>, field: &str) -> Result<usize, Failure> {
        let Self { device, buffer, selection, .. } = self;
        let selection = match selection {
            Some(selection) => selection,
            None => selection.insert(device.untyped().selection()?),
        };
        let Some(by) = by else { return Ok(selection.retain(&mut **buffer, field)?) };
        nbody::Error::check_length("flags of particles to keep", by.len(), buffer.len())?;
        let count = selection.select(by, field)?;
        if count < buffer.len() {
            selection.keep(count, &mut **buffer)?;
        }
        Ok(count)
    }
}

/// Replaces fields of all particles. With every field, the number of particles may change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_buffer_write(
    buffer: BufferHandle,
    n: usize,
    columns: *const Column,
    count: usize,
) -> Status {
    border(|| {
        let buffer = find(buffer, "buffer")?;
        let mut buffer = write(&buffer, "buffer")?;
        buffer.check_particles()?;
        let fields = buffer.buffer.fields();
        // SAFETY: the header asks for good columns.
        let columns = unsafe { columns::places(columns, count, fields, n, Direction::FromCaller) }?;
        let (Columns::Host(places) | Columns::Device(places)) = &columns;
        if check_whole(fields, places).is_ok() {
            if let Columns::Host(places) = &columns {
                return Ok(buffer.buffer.replace(&ColumnRows { n, fields, places })?);
            }
            let precision = buffer.buffer.precision();
            // SAFETY: the header asks for columns that are good during the call.
            buffer.buffer = unsafe { particles(&buffer.device, fields, precision, n, &columns) }?;
            return Ok(());
        }
        let found = buffer.buffer.len();
        if n != found {
            return Err(Failure::argument(format!(
                "{n} records of some fields for {found} particles; give {found}, or every field"
            )));
        }
        match &columns {
            Columns::Host(places) => buffer.replace(n, places),
            Columns::Device(places) => {
                let DeviceBuffer { device, buffer, .. } = &mut *buffer;
                let columns = of_device(places);
                // SAFETY: the header asks for columns that are good during the call.
                Ok(unsafe { device.untyped().write_columns(&mut **buffer, &columns, ANYWHERE) }?)
            }
        }
    })
}

/// Replaces fields of the particles at some addresses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_buffer_write_at(
    buffer: BufferHandle,
    n: usize,
    addresses: *const u32,
    columns: *const Column,
    count: usize,
) -> Status {
    border(|| {
        let buffer = find(buffer, "buffer")?;
        let mut buffer = write(&buffer, "buffer")?;
        buffer.check_particles()?;
        let fields = buffer.buffer.fields();
        // SAFETY: the header asks for good columns, and an address for each record.
        let (columns, addresses) = unsafe {
            (
                columns::places(columns, count, fields, n, Direction::FromCaller)?,
                pointers::array(addresses, n, "addresses")?,
            )
        };
        let Columns::Host(places) = columns else {
            return Err(Failure::unsupported(
                "records at addresses in memory of a device; give memory of the host",
            ));
        };
        let whole = check_whole(fields, &places);
        if whole.is_ok() {
            let rows = ColumnRows { n, fields, places: &places };
            return Ok(buffer.buffer.write_at(addresses, &rows)?);
        }
        // The other fields stay.
        let len = buffer.buffer.len();
        if addresses.iter().any(|address| *address as usize >= len) {
            return Err(Failure::argument(format!(
                "an address beyond the {len} particles of the buffer, and {}",
                whole.err().map(|failure| failure.message).unwrap_or_default()
            )));
        }
        let words = all_words(&*buffer.buffer)?;
        let width = nbody_bindings::width(fields);
        let row = |address: &u32| &words[*address as usize * width..][..width];
        let mut rows: Vec<u64> = addresses.iter().flat_map(row).copied().collect();
        replace(&mut rows, width, &places);
        Ok(buffer.buffer.write_at(addresses, &OwnedRows::new(fields, rows)?)?)
    })
}

/// Appends copies of all particles of another buffer, on the device.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_buffer_append(particles: BufferHandle, others: BufferHandle) -> Status {
    border(|| {
        let (reads, written) = ([Some((others, "others"))], Some((particles, "particles")));
        with(reads, written, |[others], particles| {
            let (Some(others), Some(particles)) = (others, particles) else {
                return Err(Failure::argument("particles are appended to particles; give both"));
            };
            Ok(particles.append(others)?)
        })
    })
}

/// Keeps the particles where a field of unsigned integers is not zero, on the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_buffer_retain(
    particles: BufferHandle,
    by: BufferHandle,
    field: *const c_char,
    count: *mut usize,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place, and a string.
        let (out, field) = unsafe {
            (
                Out::new(count, "the place of the number", 0)?,
                pointers::text(field, "the name of the field")?,
            )
        };
        let is_other = by.id != 0 && by.id != particles.id;
        let by: Vec<_> = is_other.then_some((by, "by")).into_iter().collect();
        out.set(with_device_buffer(&by, Some((particles, "particles")), |by, particles| {
            let Some(particles) = particles else {
                return Err(Failure::argument("no particles to keep; give a buffer"));
            };
            particles.retain(by.first().copied(), field)
        })?);
        Ok(())
    })
}

/// Copies fields of some records to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_buffer_read(
    buffer: BufferHandle,
    first: usize,
    n: usize,
    columns: *const Column,
    count: usize,
) -> Status {
    border(|| {
        let buffer = find(buffer, "buffer")?;
        let DeviceBuffer { device, buffer, .. } = &*read(&buffer, "buffer")?;
        let fields = buffer.fields();
        let end = first.checked_add(n).filter(|end| *end <= buffer.len()).ok_or_else(|| {
            let len = buffer.len();
            Failure::argument(format!("{n} records from {first} on, found {len} in the buffer"))
        })?;
        // SAFETY: the header asks for good columns.
        let columns = unsafe { columns::places(columns, count, fields, n, Direction::ToCaller) }?;
        let places = match columns {
            Columns::Host(places) => places,
            Columns::Device(places) => {
                let columns = of_device(&places);
                // SAFETY: the header asks for columns that are good during the call.
                return Ok(unsafe {
                    device.untyped().read_columns(&**buffer, first..end, &columns, ANYWHERE)
                }?);
            }
        };
        if n == 0 || places.is_empty() {
            return Ok(());
        }
        let download = Download { n, fields, places: &places };
        let failure = Mutex::new(None);
        match download.only_field() {
            Some(field) if n == buffer.len() => {
                buffer.read_field(field, &mut |write| download.take(true, &failure, write))?;
            }
            _ => buffer.read(first..end, &mut |write| download.take(false, &failure, write))?,
        }
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    })
}

/// Frees a buffer.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_buffer_free(buffer: BufferHandle) -> Status {
    border(|| handles::remove::<Locked>(buffer.id, "buffer"))
}
