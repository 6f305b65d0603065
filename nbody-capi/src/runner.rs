//! Runners: programs per particle with their parameters on a device.

use std::sync::{Arc, Mutex, MutexGuard};

use nbody::Device;
use nbody::law::ParticleProgram;
use nbody::untyped::{Beside, Buffer, PerParticle};

use nbody_bindings::{Failure, parameter_words, reals, width};

use crate::buffer;
use crate::columns::Column;
use crate::handles::{self, BufferHandle, DeviceHandle, Kind, ProgramHandle, RunnerHandle};
use crate::law::{NEXT, no_record, record_of};
use crate::options;
use crate::pointers::{self, Out};
use crate::status::{Status, border};

/// A program per particle, its parameters and its device.
pub(crate) struct DeviceRunner {
    device: Device,
    program: &'static ParticleProgram,
    engine: Box<dyn PerParticle>,
}

/// A call waits until the call of another thread ends.
type Locked = Mutex<DeviceRunner>;

impl Kind for Locked {
    const TAG: u8 = 6;
}

fn find(runner: RunnerHandle) -> Result<Arc<Locked>, Failure> {
    handles::get(runner.id, "runner")
}

fn lock(runner: &Locked) -> Result<MutexGuard<'_, DeviceRunner>, Failure> {
    runner.lock().map_err(|_| Failure::poisoned("runner"))
}

/// Calls a function with a runner.
fn with(
    runner: RunnerHandle,
    work: impl FnOnce(&mut DeviceRunner) -> Result<(), Failure>,
) -> Status {
    border(|| work(&mut *lock(&*find(runner)?)?))
}

/// Creates a runner of a program per particle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_create(
    device: DeviceHandle,
    program: ProgramHandle,
    parameters: *const f64,
    count: usize,
    runner: *mut RunnerHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(runner, "runner", 0.into()) }?;
        let device = handles::get::<Device>(device.id, "device")?;
        let program = *handles::get::<&'static ParticleProgram>(program.id, "program")?;
        program.check_particle()?;
        // SAFETY: the header asks for this number of parameters.
        let parameters = unsafe { pointers::array(parameters, count, "parameters") }?;
        let row = parameter_words(program.parameters, parameters)?;
        let engine = device.untyped().per_particle(program.parameters, &row)?;
        let device = Device::clone(&device);
        out.set(handles::put(Mutex::new(DeviceRunner { device, program, engine }))?.into());
        Ok(())
    })
}

/// Sets the parameters of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_set_parameters(
    runner: RunnerHandle,
    parameters: *const f64,
    count: usize,
) -> Status {
    with(runner, |runner| {
        // SAFETY: the header asks for this number of parameters.
        let parameters = unsafe { pointers::array(parameters, count, "parameters") }?;
        let row = parameter_words(runner.program.parameters, parameters)?;
        Ok(runner.engine.set_parameters(&row)?)
    })
}

/// Sets the domain, and whether an update wraps positions into the box.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_set_domain(
    runner: RunnerHandle,
    lengths: *const f64,
    wraps: i32,
) -> Status {
    with(runner, |runner| {
        let wraps = options::flag("wraps", wraps)?;
        // SAFETY: the header asks for three lengths or NULL.
        runner.engine.set_domain(unsafe { options::domain(lengths) }?)?;
        runner.engine.set_wrap(wraps);
        Ok(())
    })
}

/// Sets a triclinic box, and whether an update wraps positions into it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_set_triclinic(
    runner: RunnerHandle,
    vectors: *const f64,
    wraps: i32,
) -> Status {
    with(runner, |runner| {
        let wraps = options::flag("wraps", wraps)?;
        // SAFETY: the header asks for nine numbers.
        runner.engine.set_domain(unsafe { options::triclinic(vectors) }?)?;
        runner.engine.set_wrap(wraps);
        Ok(())
    })
}

/// Copies columns to the device: particles or second particles of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_upload(
    runner: RunnerHandle,
    record: i32,
    precision: i32,
    n: usize,
    columns: *const Column,
    count: usize,
    particles: *mut BufferHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(particles, "particles", 0.into()) }?;
        let runner = find(runner)?;
        let runner = lock(&runner)?;
        let program = runner.program;
        let fields = match (record % NEXT, record / NEXT) {
            (5, 0) => Some(program.p),
            (6, place) => record_of(program.q, place),
            _ => None,
        };
        let fields = fields.ok_or_else(|| no_record(record, "NBODY_P or NBODY_Q"))?;
        let precision = options::precision(precision)?;
        // SAFETY: the header asks for good columns.
        let buffer =
            unsafe { buffer::upload(&runner.device, fields, precision, n, columns, count) }?;
        out.set(buffer.into());
        Ok(())
    })
}

/// Allocates the total of a measure on the device, set to the total of no particle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_total(
    runner: RunnerHandle,
    total: *mut BufferHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place.
        let out = unsafe { Out::new(total, "total", 0.into()) }?;
        let runner = find(runner)?;
        let runner = lock(&runner)?;
        runner.program.check_measure()?;
        let total = runner.device.untyped().total(runner.program.total)?;
        out.set(buffer::put_results(runner.device.clone(), total)?.into());
        Ok(())
    })
}

/// Updates each particle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_update(
    runner: RunnerHandle,
    particles: BufferHandle,
    inputs: *const BufferHandle,
    count: usize,
) -> Status {
    with(runner, |runner| {
        // SAFETY: the header asks for this number of buffers.
        let inputs = unsafe { arguments(inputs, count) }?;
        buffer::with_all(&inputs, Some((particles, "particles")), |inputs, p| {
            let Some(p) = p else {
                return Err(Failure::argument("an update needs particles"));
            };
            let program = runner.program;
            Ok(runner.engine.update(program, p, beside(program, inputs)?, None)?)
        })
    })
}

/// Returns the buffers that a program reads besides the particles.
///
/// # Safety
///
/// There is this number of handles.
unsafe fn arguments(
    inputs: *const BufferHandle,
    count: usize,
) -> Result<Vec<buffer::Argument>, Failure> {
    // SAFETY: as the caller promises.
    let inputs = unsafe { pointers::array(inputs, count, "inputs") }?;
    Ok(inputs.iter().map(|&input| (input, "an input")).collect())
}

/// Sorts the buffers that a program reads besides the particles, in the order of its function.
fn beside<'a>(
    program: &ParticleProgram,
    inputs: &'a [&'a dyn Buffer],
) -> Result<Beside<'a>, Failure> {
    let [q, f, g] = [program.q, program.f, program.g].map(<[_]>::len);
    if inputs.len() != q + f + g {
        return Err(Failure::argument(format!(
            "`{}` reads {} buffers besides the particles (second particles: {q}, results: {f}, totals: \
             {g}), found {}; give them in this order",
            program.name,
            q + f + g,
            inputs.len()
        )));
    }
    let (q, inputs) = inputs.split_at(q);
    let (f, g) = inputs.split_at(f);
    Ok(Beside { q, f, g })
}

/// Writes the total of a measure over all particles to a buffer, without the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_measure_into(
    runner: RunnerHandle,
    particles: BufferHandle,
    inputs: *const BufferHandle,
    count: usize,
    total: BufferHandle,
) -> Status {
    with(runner, |runner| {
        let mut reads = vec![(particles, "particles")];
        // SAFETY: the header asks for this number of buffers.
        reads.extend(unsafe { arguments(inputs, count) }?);
        buffer::with_all(&reads, Some((total, "total")), |reads, total| {
            let ([p, inputs @ ..], Some(total)) = (reads, total) else {
                return Err(Failure::argument("a measure needs particles and a total"));
            };
            let program = runner.program;
            Ok(runner.engine.measure_into(program, *p, beside(program, inputs)?, total)?)
        })
    })
}

/// Returns the total of a measure over all particles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_runner_measure(
    runner: RunnerHandle,
    particles: BufferHandle,
    inputs: *const BufferHandle,
    inputs_count: usize,
    total: *mut f64,
    count: usize,
) -> Status {
    with(runner, |runner| {
        let (program, fields) = (runner.program, runner.program.total);
        let expected = width(fields);
        if count != expected {
            return Err(Failure::argument(format!(
                "a total of {count} numbers, expected {expected} from `{}`",
                program.name
            )));
        }
        // SAFETY: the header asks for this number of numbers.
        let total = unsafe { pointers::array_mut(total, count, "total") }?;
        let mut reads = vec![(particles, "particles")];
        // SAFETY: the header asks for this number of buffers.
        reads.extend(unsafe { arguments(inputs, inputs_count) }?);
        let row = buffer::with_all(&reads, None, |reads, _| {
            let [p, inputs @ ..] = reads else {
                return Err(Failure::argument("a measure needs particles"));
            };
            Ok(runner.engine.measure(program, *p, beside(program, inputs)?)?)
        })?;
        for (to, from) in total.iter_mut().zip(reals(fields, &row)) {
            *to = from;
        }
        Ok(())
    })
}

/// Frees a runner.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_runner_free(runner: RunnerHandle) -> Status {
    border(|| handles::remove::<Locked>(runner.id, "runner"))
}
