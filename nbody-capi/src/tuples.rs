//! Tuples: interactions of given particles, such as bonds, angles and dihedrals, on a device.

use std::sync::{Arc, Mutex, MutexGuard};

use nbody::law::ParticleProgram;
use nbody::untyped::{self, Buffer, TupleList};
use nbody::{Device, Precision};

use nbody_bindings::{ColumnRows, Columns, Direction, Failure, check_whole, parameter_words};

use crate::buffer;
use crate::columns::{self, Column};
use crate::handles::{self, BufferHandle, DeviceHandle, Kind, ProgramHandle, TuplesHandle};
use crate::options::{self, Options};
use crate::pointers::{self, Out};
use crate::status::{Status, border};

/// Tuples, their device, and the precision of particles that are copied there.
pub(crate) struct DeviceTuples {
    device: Device,
    engine: Box<dyn untyped::Tuples>,
    precision: Precision,
}

/// A call waits until the call of another thread ends.
type Locked = Mutex<DeviceTuples>;

impl Kind for Locked {
    const TAG: u8 = 8;
}

fn find(tuples: TuplesHandle) -> Result<Arc<Locked>, Failure> {
    handles::get(tuples.id, "tuples")
}

fn lock(tuples: &Locked) -> Result<MutexGuard<'_, DeviceTuples>, Failure> {
    tuples.lock().map_err(|_| Failure::poisoned("tuples"))
}

/// Calls a function with tuples.
fn with(
    tuples: TuplesHandle,
    work: impl FnOnce(&mut DeviceTuples) -> Result<(), Failure>,
) -> Status {
    border(|| work(&mut *lock(&*find(tuples)?)?))
}

/// Creates an engine of tuples, which has none at first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_create(
    device: DeviceHandle,
    program: ProgramHandle,
    parameters: *const f64,
    count: usize,
    options: *const Options,
    tuples: *mut TuplesHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(tuples, "tuples", 0.into()) }?;
        let device = handles::get::<Device>(device.id, "device")?;
        let program = *handles::get::<&'static ParticleProgram>(program.id, "program")?;
        program.check_tuple()?;
        // SAFETY: the header asks for good parameters and options.
        let (parameters, options) = unsafe {
            (pointers::array(parameters, count, "parameters")?, options::options(options)?)
        };
        let row = parameter_words(program.parameters, parameters)?;
        let mut engine = device.untyped().tuples(program, &row)?;
        engine.set_domain(options.domain)?;
        let device = Device::clone(&device);
        let precision = options.precision;
        out.set(handles::put(Mutex::new(DeviceTuples { device, engine, precision }))?.into());
        Ok(())
    })
}

/// Sets the parameters of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_set_parameters(
    tuples: TuplesHandle,
    parameters: *const f64,
    count: usize,
) -> Status {
    with(tuples, |tuples| {
        // SAFETY: the header asks for this number of parameters.
        let parameters = unsafe { pointers::array(parameters, count, "parameters") }?;
        let row = parameter_words(tuples.engine.program().parameters, parameters)?;
        Ok(tuples.engine.set_parameters(&row)?)
    })
}

/// Sets the domain: a periodic box, or open space for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_set_domain(
    tuples: TuplesHandle,
    lengths: *const f64,
) -> Status {
    with(tuples, |tuples| {
        // SAFETY: the header asks for three lengths or NULL.
        let domain = unsafe { options::domain(lengths) }?;
        Ok(tuples.engine.set_domain(domain)?)
    })
}

/// Replaces the tuples, by the indices of their particles and columns of their record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_set(
    tuples: TuplesHandle,
    particles: usize,
    n: usize,
    members: usize,
    indices: *const u32,
    stride: isize,
    columns: *const Column,
    count: usize,
) -> Status {
    with(tuples, |tuples| {
        let program = tuples.engine.program();
        if members != program.members {
            return Err(Failure::argument(format!(
                "tuples of {members} particles, expected {} of `{}`",
                program.members, program.name
            )));
        }
        let (found, limit) = (n.saturating_mul(members), u32::MAX as usize);
        if found > limit {
            return Err(nbody::Error::TooManyParticles { found, limit }.into());
        }
        // SAFETY: the header asks for good indices and columns.
        let (indices, columns) = unsafe {
            (
                pointers::rows_of_indices(indices, [n, members], stride, "indices")?,
                columns::places(columns, count, program.record, n, Direction::FromCaller)?,
            )
        };
        let Columns::Host(places) = columns else {
            return Err(Failure::unsupported(
                "records of tuples in memory of a device; give memory of the host",
            ));
        };
        check_whole(program.record, &places)?;
        let list = TupleList::new(members, indices, particles)?;
        Ok(tuples.engine.set(list, &ColumnRows { n, fields: program.record, places: &places })?)
    })
}

/// Returns the number of tuples.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_count(tuples: TuplesHandle, count: *mut usize) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(count, "the place of the number", 0) }?;
        out.set(lock(&*find(tuples)?)?.engine.len());
        Ok(())
    })
}

/// Copies columns to the device: particles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_upload(
    tuples: TuplesHandle,
    n: usize,
    columns: *const Column,
    count: usize,
    particles: *mut BufferHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(particles, "particles", 0.into()) }?;
        let tuples = find(tuples)?;
        let tuples = lock(&tuples)?;
        let (fields, precision) = (tuples.engine.program().p, tuples.precision);
        // SAFETY: the header asks for good columns.
        let buffer =
            unsafe { buffer::upload(&tuples.device, fields, precision, n, columns, count) }?;
        out.set(buffer.into());
        Ok(())
    })
}

/// Allocates results of n particles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_results(
    tuples: TuplesHandle,
    n: usize,
    results: *mut BufferHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(results, "results", 0.into()) }?;
        let tuples = find(tuples)?;
        let tuples = lock(&tuples)?;
        let is_single = tuples.precision == Precision::Single;
        let precision = if is_single { Precision::Single } else { Precision::Double };
        let results = tuples.engine.results(n, precision)?;
        out.set(buffer::put_results(tuples.device.clone(), results)?.into());
        Ok(())
    })
}

/// Calls a function with tuples and the buffers of an evaluation.
fn evaluation(
    tuples: TuplesHandle,
    [particles, results]: [BufferHandle; 2],
    work: impl FnOnce(
        &mut dyn untyped::Tuples,
        &dyn Buffer,
        &mut dyn Buffer,
    ) -> Result<(), nbody::Error>,
) -> Result<(), Failure> {
    let tuples = find(tuples)?;
    // The engine is locked before the buffers in every call.
    let mut tuples = lock(&tuples)?;
    let written = Some((results, "results"));
    buffer::with([Some((particles, "particles"))], written, |[particles], results| {
        let (Some(particles), Some(results)) = (particles, results) else {
            return Err(Failure::argument("an evaluation of tuples needs particles and results"));
        };
        Ok(work(&mut *tuples.engine, particles, results)?)
    })
}

/// Evaluates the tuples, and stores the sums of each particle.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_tuples_evaluate(
    tuples: TuplesHandle,
    particles: BufferHandle,
    results: BufferHandle,
    store: i32,
) -> Status {
    border(|| {
        let store = options::store(store)?;
        evaluation(tuples, [particles, results], |tuples, particles, results| {
            tuples.evaluate(particles, results, store)
        })
    })
}

/// Measures the time of one evaluation on the device, in seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_tuples_time(
    tuples: TuplesHandle,
    particles: BufferHandle,
    results: BufferHandle,
    store: i32,
    seconds: *mut f64,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let place = unsafe { Out::new(seconds, "seconds", f64::NAN) }?;
        let store = options::store(store)?;
        let mut time = f64::NAN;
        evaluation(tuples, [particles, results], |tuples, particles, results| {
            time = tuples.time(particles, results, store)?.as_secs_f64();
            Ok(())
        })?;
        place.set(time);
        Ok(())
    })
}

/// Frees tuples.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_tuples_free(tuples: TuplesHandle) -> Status {
    border(|| handles::remove::<Locked>(tuples.id, "tuples"))
}
