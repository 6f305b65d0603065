//! Integrators: an engine, and its particles with their motions and their time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nbody::law::{Field, FieldKind, Law};
use nbody::untyped::{Buffer, Engine, EngineState, OwnedRows, Rows};
use nbody::{Domain, Error, Options, Sources, Store};
use nbody_integrate::{BlockHermite, Hermite, HermiteOptions, Integrator, Leapfrog, Motion, Start};

use crate::buffer::poisoned;
use crate::columns::{self, Column, ColumnRows, Columns, Direction, Download};
use crate::engine;
use crate::handles::{self, EngineHandle, IntegratorHandle, Kind};
use crate::options;
use crate::pointers::{self, Out};
use crate::status::{Failure, Status, UnknownState, border};

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

/// A run of an integrator.
enum Run {
    Leapfrog(Box<Leapfrog>),
    Hermite(Box<Hermite>),
    BlockHermite(Box<BlockHermite>),
}

impl Run {
    fn get(&self) -> &dyn Integrator {
        match self {
            Self::Leapfrog(run) => &**run,
            Self::Hermite(run) => &**run,
            Self::BlockHermite(run) => &**run,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Integrator {
        match self {
            Self::Leapfrog(run) => &mut **run,
            Self::Hermite(run) => &mut **run,
            Self::BlockHermite(run) => &mut **run,
        }
    }

    fn leapfrog(&mut self, what: &str) -> Result<&mut Leapfrog, Failure> {
        match self {
            Self::Leapfrog(run) => Ok(run),
            _ => {
                Err(Failure::argument(format!("{what} of a Hermite integrator; create a leapfrog")))
            }
        }
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
        let mut run = run.lock().map_err(|_| poisoned("integrator"))?;
        work(&mut run)
    })
}

/// An engine of the caller. Other calls may use it between the steps of its integrator.
#[derive(Debug)]
struct Lent {
    engine: Arc<engine::Locked>,
    /// The parameters at the beginning of the run.
    parameters: Vec<u64>,
}

impl Lent {
    fn new(engine: Arc<engine::Locked>) -> Result<Self, Failure> {
        let parameters = engine::lock(&engine)?.get().parameters().to_vec();
        Ok(Self { engine, parameters })
    }

    fn lock(&self) -> Result<MutexGuard<'_, engine::DeviceEngine>, Error> {
        self.engine.lock().map_err(|_| Error::of_device(UnknownState))
    }

    /// Returns a constant of the engine, which is good after a panic too.
    fn constant<R>(&self, of: impl FnOnce(&dyn Engine) -> R) -> R {
        of(self.engine.lock().unwrap_or_else(PoisonError::into_inner).get())
    }
}

impl Engine for Lent {
    fn law(&self) -> &'static Law {
        self.constant(Engine::law)
    }

    fn options(&self) -> Options {
        self.constant(Engine::options)
    }

    fn parameters(&self) -> &[u64] {
        &self.parameters
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.lock()?.get_mut().set_parameters(parameters)?;
        parameters.clone_into(&mut self.parameters);
        Ok(())
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.lock()?.get_mut().set_domain(domain)
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        self.lock()?.get().results(n)
    }

    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        self.lock()?.get_mut().evaluate(i, j, out, store)
    }

    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        self.lock()?.get_mut().time(i, j, out)
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.lock()?.get_mut().settle()
    }

    fn is_stateless(&self) -> bool {
        self.constant(Engine::is_stateless)
    }

    fn state(&self) -> Result<EngineState, Error> {
        self.lock()?.get().state()
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        self.lock()?.get_mut().restore(state)
    }
}

/// The fields of a motion.
const MOTION: [Field; 3] = [
    Field { name: "pos", kind: FieldKind::Point(3) },
    Field { name: "vel", kind: FieldKind::Vector(3) },
    Field { name: "mass", kind: FieldKind::Real },
];
static MOTIONS: [Field; 3] = MOTION;

/// Returns the fields of moving particles of a law: the fields of its i-particles and j-particles, and
/// of motions, each once.
fn moving_fields(law: &'static Law) -> Result<&'static [Field], Failure> {
    static KNOWN: Mutex<Option<HashMap<usize, &'static [Field]>>> = Mutex::new(None);
    let mut fields: Vec<Field> = Vec::new();
    for field in law.i.iter().chain(law.j).chain(&MOTION) {
        match fields.iter().find(|other| other.name == field.name) {
            None => fields.push(*field),
            Some(other) if other == field => {}
            Some(other) => {
                return Err(Failure::unsupported(format!(
                    "`{}` has `{other}` and `{field}` in its moving particles, expected one kind of field \
                     for a name; rename one",
                    law.name
                )));
            }
        }
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let key = std::ptr::from_ref(law).addr();
    Ok(known.entry(key).or_insert_with(|| Vec::leak(fields)))
}

/// Begins a run.
fn begin(engine: Arc<engine::Locked>, rows: &dyn Rows, steps: Steps) -> Result<Run, Failure> {
    let device = engine::lock(&engine)?.device.clone();
    let lent = Box::new(Lent::new(engine)?);
    let Steps { method, iterations, begin, step, eta, eta_start, .. } = steps;
    let start = Start::rows(rows).begin(begin);
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
    Ok(match method {
        1 => Run::Leapfrog(Box::new(Leapfrog::of(&device, lent, start, step)?)),
        2 => Run::Hermite(Box::new(Hermite::of(&device, lent, start, options)?)),
        3 => Run::BlockHermite(Box::new(BlockHermite::of(&device, lent, start, options)?)),
        found => return Err(options::unknown("method", found, 3)),
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
        columns::check_whole(fields, &places)?;
        let run = begin(engine, &ColumnRows { n, fields, places: &places }, steps)?;
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
        let found = run.get().steps();
        steps.set(found.steps);
        particles.set(found.particle_steps);
        Ok(())
    })
}

/// Returns motions as rows.
fn rows_of(motions: &[Motion]) -> Result<OwnedRows, Failure> {
    let row = |it: &Motion| {
        [it.pos.x, it.pos.y, it.pos.z, it.vel.x, it.vel.y, it.vel.z, it.mass].map(f64::to_bits)
    };
    Ok(OwnedRows::new(&MOTIONS, motions.iter().flat_map(row).collect())?)
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
        let columns = unsafe { columns::places(columns, count, &MOTIONS, n, Direction::ToCaller) }?;
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
        let download = Download { n, fields: &MOTIONS, places: &places };
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
    with(integrator, |run| Ok(run.leapfrog("a constant step")?.set_step(step)?))
}

/// Sets whether a leapfrog wraps positions into the periodic box.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_set_wrap(integrator: IntegratorHandle, wraps: i32) -> Status {
    with(integrator, |run| {
        let wraps = options::flag("wraps", wraps)?;
        Ok(run.leapfrog("positions in a box")?.set_wrap(wraps)?)
    })
}

/// Frees an integrator.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_free(integrator: IntegratorHandle) -> Status {
    border(|| handles::remove::<Locked>(integrator.id, "integrator"))
}
