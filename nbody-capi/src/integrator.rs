//! Integrators: an engine, and its particles with their motions and their time.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use nbody::untyped::Rows as _;
use nbody_bindings::{
    ColumnRows, Columns, Direction, Download, Failure, MOTION, Method, Run, check_whole,
    moving_fields, rows_of,
};
use nbody_integrate::HermiteOptions;

use crate::columns::{self, Column};
use crate::engine;
use crate::handles::{self, EngineHandle, IntegratorHandle, Kind};
use crate::options;
use crate::pointers::{self, Out};
use crate::status::{Status, border};

/// The method and the steps of an integrator: `nbody_steps` of the header. Zero is the default of each
/// number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The size of the struct in bytes, as the caller knows it.
    pub size: usize,
    /// The integrator.
    pub method: i32,
    /// Evaluations and corrections of a Hermite step.
    pub iterations: i32,
    /// The time at which the run begins.
    pub begin: f64,
    /// The step of a leapfrog, or the largest step of a Hermite integrator.
    pub step: f64,
    /// The accuracy of Hermite steps.
    pub eta: f64,
    /// The accuracy of the first Hermite step.
    pub eta_start: f64,
}

impl Steps {
    fn to_steps(self) -> Result<nbody_bindings::Steps, Failure> {
        let Self { method, iterations, begin, step, eta, eta_start, .. } = self;
        let method = match method {
            1 => Method::Leapfrog,
            2 => Method::Hermite,
            3 => Method::BlockHermite,
            found => return Err(options::unknown("method", found, 3)),
        };
        let or = |value: f64, default: f64| if value == 0.0 { default } else { value };
        let mut options = HermiteOptions::default();
        options.largest = or(step, options.largest);
        options.eta = or(eta, options.eta);
        options.eta_start = or(eta_start, options.eta_start);
        if iterations != 0 {
            options.iterations = u32::try_from(iterations).map_err(|_| {
                Failure::argument(format!(
                    "{iterations} iterations of a step: expected a positive number"
                ))
            })?;
        }
        Ok(nbody_bindings::Steps { method, begin, step, options })
    }
}

/// A call waits until the call of another thread ends.
type Locked = Mutex<Run>;

impl Kind for Locked {
    const TAG: u8 = 7;
}

/// Calls a function with an integrator.
fn with(
    integrator: IntegratorHandle,
    work: impl FnOnce(&mut Run) -> Result<(), Failure>,
) -> Status {
    border(|| {
        let run = handles::get::<Locked>(integrator.id, "integrator")?;
        let mut run = run.lock().map_err(|_| Failure::poisoned("integrator"))?;
        work(&mut run)
    })
}

/// Begins a run of moving particles, and evaluates their forces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_create(
    engine: EngineHandle,
    n: usize,
    columns: *const Column,
    count: usize,
    steps: *const Steps,
    integrator: *mut IntegratorHandle,
) -> Status {
    border(|| {
        let zero = Steps {
            size: 0,
            method: 0,
            iterations: 0,
            begin: 0.0,
            step: 0.0,
            eta: 0.0,
            eta_start: 0.0,
        };
        // SAFETY: the header asks for a good place and a good struct, in which any numbers are good.
        let (out, steps) = unsafe {
            (
                Out::new(integrator, "integrator", 0.into())?,
                pointers::sized(steps, zero, "steps", "NBODY_STEPS")?,
            )
        };
        let engine = engine::find(engine)?;
        let fields = moving_fields(engine::lock(&engine)?.get().law())?;
        // SAFETY: the header asks for good columns.
        let columns = unsafe { columns::places(columns, count, fields, n, Direction::FromCaller) }?;
        let Columns::Host(places) = columns else { return Err(no_device_memory()) };
        check_whole(fields, &places)?;
        let run =
            Run::begin(engine, &ColumnRows { n, fields, places: &places }, steps.to_steps()?)?;
        out.set(handles::put(Mutex::new(run))?.into());
        Ok(())
    })
}

fn no_device_memory() -> Failure {
    Failure::unsupported("motions in memory of a device; give memory of the host")
}

/// Takes one step; with block time steps, the step of one block.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_advance(integrator: IntegratorHandle) -> Status {
    with(integrator, |run| Ok(run.get_mut().advance()?))
}

/// Takes all steps that end by a time.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_advance_to(integrator: IntegratorHandle, time: f64) -> Status {
    with(integrator, |run| Ok(run.get_mut().advance_to(time)?))
}

/// Returns the time of the last step, and the end of the next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_time(
    integrator: IntegratorHandle,
    time: *mut f64,
    next: *mut f64,
) -> Status {
    with(integrator, |run| {
        // SAFETY: the header asks for good places.
        let (time, next) =
            unsafe { (Out::new(time, "time", f64::NAN)?, Out::new(next, "next", f64::NAN)?) };
        time.set(run.get().time());
        next.set(run.get().next_time());
        Ok(())
    })
}

/// Returns the numbers of steps, and of steps of single particles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_count(
    integrator: IntegratorHandle,
    steps: *mut u64,
    particle_steps: *mut u64,
) -> Status {
    with(integrator, |run| {
        // SAFETY: the header asks for good places.
        let (steps, particles) = unsafe {
            (Out::new(steps, "steps", 0)?, Out::new(particle_steps, "particle_steps", 0)?)
        };
        let found = run.steps();
        steps.set(found[0]);
        particles.set(found[1]);
        Ok(())
    })
}

/// Copies motions at a time within the next step to the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_read(
    integrator: IntegratorHandle,
    time: f64,
    n: usize,
    columns: *const Column,
    count: usize,
) -> Status {
    with(integrator, |run| {
        // SAFETY: the header asks for good columns.
        let columns = unsafe { columns::places(columns, count, &MOTION, n, Direction::ToCaller) }?;
        let Columns::Host(places) = columns else { return Err(no_device_memory()) };
        let motions = run.get().motions_at(time)?;
        if n != motions.len() {
            let found = motions.len();
            return Err(Failure::argument(format!(
                "{n} motions of {found} particles; give {found}"
            )));
        }
        let rows = rows_of(&motions)?;
        let failure = Mutex::new(None);
        let download = Download { n, fields: &MOTION, places: &places };
        download.take(false, &failure, &|records, to| rows.write(records, to));
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    })
}

/// Returns the energies at the time of the last step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_energies(
    integrator: IntegratorHandle,
    kinetic: *mut f64,
    potential: *mut f64,
) -> Status {
    with(integrator, |run| {
        // SAFETY: the header asks for good places.
        let (kinetic, potential) = unsafe {
            (
                Out::new(kinetic, "the kinetic energy", f64::NAN)?,
                Out::new(potential, "the potential energy", f64::NAN)?,
            )
        };
        let found = run.get_mut().energies()?;
        kinetic.set(found.kinetic);
        potential.set(found.potential);
        Ok(())
    })
}

/// Sets the step of a leapfrog.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_set_step(integrator: IntegratorHandle, step: f64) -> Status {
    with(integrator, |run| run.set_step(step))
}

/// Sets whether a leapfrog wraps positions into the periodic box.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_set_wrap(integrator: IntegratorHandle, wraps: i32) -> Status {
    with(integrator, |run| {
        let wraps = options::flag("wraps", wraps)?;
        run.set_wrap(wraps)
    })
}

/// Saves the run to a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_save(
    integrator: IntegratorHandle,
    path: *const c_char,
) -> Status {
    with(integrator, |run| {
        // SAFETY: the header asks for a good string.
        let path = unsafe { pointers::text(path, "the path") }?;
        run.save(path)
    })
}

/// Resumes a run from a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_integrator_resume(
    engine: EngineHandle,
    path: *const c_char,
    integrator: *mut IntegratorHandle,
    n: *mut usize,
) -> Status {
    border(|| {
        // SAFETY: the header asks for good places and a good string.
        let (out, n, path) = unsafe {
            (
                Out::new(integrator, "integrator", 0.into())?,
                Out::new(n, "n", 0)?,
                pointers::text(path, "the path")?,
            )
        };
        let run = Run::resume(engine::find(engine)?, path)?;
        let count = run.get().motions()?.len();
        out.set(handles::put(Mutex::new(run))?.into());
        n.set(count);
        Ok(())
    })
}

/// Frees an integrator.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_free(integrator: IntegratorHandle) -> Status {
    border(|| handles::remove::<Locked>(integrator.id, "integrator"))
}
