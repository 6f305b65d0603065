//! Integrators: an engine, and its particles with their motions and their time.

use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nbody::law::{Field, FieldKind, Law};
use nbody::untyped::{Buffer, Engine, EngineState, OwnedRows, Rows};
use nbody::{Domain, Error, Options, Sources, Store};
use nbody_integrate::{BlockHermite, Hermite, HermiteOptions, Integrator, Leapfrog, Motion, Start};

use crate::buffer::poisoned;
use crate::checkpoint::{self, Checkpoint, State};
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

/// The integrator of a run, and what its checkpoint leaves out.
enum OfMethod {
    /// With whether positions are wrapped.
    Leapfrog(Box<Leapfrog>, bool),
    Hermite(Box<Hermite>, HermiteOptions),
    BlockHermite(Box<BlockHermite>, HermiteOptions),
}

/// A run of an integrator.
struct Run {
    integrator: OfMethod,
    law: &'static Law,
    /// The fields of the particles besides their motions, row by row.
    others: Vec<u64>,
    /// The numbers of steps, and of steps of single particles, before the run was resumed.
    before: [u64; 2],
}

impl Run {
    fn get(&self) -> &dyn Integrator {
        match &self.integrator {
            OfMethod::Leapfrog(run, _) => &**run,
            OfMethod::Hermite(run, _) => &**run,
            OfMethod::BlockHermite(run, _) => &**run,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Integrator {
        match &mut self.integrator {
            OfMethod::Leapfrog(run, _) => &mut **run,
            OfMethod::Hermite(run, _) => &mut **run,
            OfMethod::BlockHermite(run, _) => &mut **run,
        }
    }

    /// Returns a leapfrog, and whether it wraps positions.
    fn leapfrog(&mut self, what: &str) -> Result<(&mut Leapfrog, &mut bool), Failure> {
        match &mut self.integrator {
            OfMethod::Leapfrog(run, wraps) => Ok((run, wraps)),
            _ => {
                Err(Failure::argument(format!("{what} of a Hermite integrator; create a leapfrog")))
            }
        }
    }

    /// Returns the numbers of steps, and of steps of single particles.
    fn steps(&self) -> [u64; 2] {
        let found = self.get().steps();
        let [steps, particle_steps] = self.before;
        [steps.saturating_add(found.steps), particle_steps.saturating_add(found.particle_steps)]
    }

    fn checkpoint(&self) -> Result<Checkpoint, Failure> {
        let state = match &self.integrator {
            OfMethod::Leapfrog(run, wraps) => {
                State::Leapfrog { step: run.step(), wraps: *wraps, checkpoint: run.checkpoint()? }
            }
            OfMethod::Hermite(run, options) => {
                State::Hermite { options: *options, checkpoint: run.checkpoint()? }
            }
            OfMethod::BlockHermite(run, options) => {
                State::BlockHermite { options: *options, checkpoint: run.checkpoint()? }
            }
        };
        let (law, steps) = (described(self.law)?, self.steps());
        Ok(Checkpoint { law, steps, others: self.others.clone(), state })
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

    fn prepare(&mut self, n: usize) -> Result<(), Error> {
        self.lock()?.get_mut().prepare(n)
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

/// Returns a law and the fields of its moving particles, which the file of a run names.
fn described(law: &'static Law) -> Result<String, Failure> {
    let fields: Vec<_> = moving_fields(law)?.iter().map(ToString::to_string).collect();
    Ok(format!("`{}` with {}", law.name, fields.join(", ")))
}

/// Returns whether a field is not one of a motion.
fn is_other(field: &Field) -> bool {
    !MOTION.iter().any(|motion| motion.name == field.name)
}

/// Returns the fields of particles besides their motions, row by row.
fn others(rows: &dyn Rows) -> Vec<u64> {
    let (n, fields) = (rows.count(), rows.fields());
    let mut others = Vec::new();
    if fields.iter().any(is_other) {
        // A row at a time, so that the motions take no memory.
        let mut row = vec![0; columns::width(fields)];
        for k in 0..n {
            rows.write(k..k + 1, &mut row);
            let mut words = &row[..];
            for field in fields {
                let (numbers, rest) = words.split_at(field.kind.components());
                words = rest;
                if is_other(field) {
                    others.extend(numbers);
                }
            }
        }
    }
    others
}

/// Returns rows of moving particles of these motions and other fields; `None` if the numbers of both
/// differ.
fn moving_rows(
    fields: &'static [Field],
    motions: &[Motion],
    others: &[u64],
) -> Option<Result<OwnedRows, Error>> {
    let width = fields.iter().filter(|it| is_other(it)).map(|it| it.kind.components()).sum();
    if others.len() != motions.len().checked_mul(width)? {
        return None;
    }
    let mut others = others.iter().copied();
    let mut words = Vec::with_capacity(motions.len() * columns::width(fields));
    for motion in motions {
        for field in fields {
            match field.name {
                "pos" => words.extend(motion.pos.0.map(f64::to_bits)),
                "vel" => words.extend(motion.vel.0.map(f64::to_bits)),
                "mass" => words.push(motion.mass.to_bits()),
                _ => words.extend(others.by_ref().take(field.kind.components())),
            }
        }
    }
    Some(OwnedRows::new(fields, words))
}

/// Begins a run.
fn begin(engine: Arc<engine::Locked>, rows: &dyn Rows, steps: Steps) -> Result<Run, Failure> {
    let device = engine::lock(&engine)?.device.clone();
    let lent = Box::new(Lent::new(engine)?);
    let law = lent.law();
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
    let integrator = match method {
        1 => {
            let wraps = false;
            OfMethod::Leapfrog(Box::new(Leapfrog::of(&device, lent, start, step)?), wraps)
        }
        2 => {
            let run = Hermite::of(&device, lent, start, options)?;
            OfMethod::Hermite(Box::new(run), options)
        }
        3 => {
            let run = BlockHermite::of(&device, lent, start, options)?;
            OfMethod::BlockHermite(Box::new(run), options)
        }
        found => return Err(options::unknown("method", found, 3)),
    };
    Ok(Run { integrator, law, others: others(rows), before: [0; 2] })
}

/// Resumes a run from the file at a path; returns it and the number of its particles.
fn resume(engine: Arc<engine::Locked>, path: &str) -> Result<(Run, usize), Failure> {
    let device = engine::lock(&engine)?.device.clone();
    let lent = Box::new(Lent::new(engine)?);
    let law = lent.law();
    let Checkpoint { law: of, steps: before, others, state } = Checkpoint::load(path)?;
    let expected = described(law)?;
    if of != expected {
        return Err(Failure::argument(format!(
            "{path} is a run of {of}, given an engine of {expected}; create the engine of the law of the run"
        )));
    }
    let motions = state.motions()?;
    let rows = moving_rows(moving_fields(law)?, &motions, &others);
    let rows = rows.ok_or_else(|| checkpoint::damaged(path))??;
    let start = Start::rows(&rows);
    let integrator = match state {
        State::Leapfrog { step, wraps, checkpoint } => {
            let mut run = Leapfrog::resume_of(&device, lent, start, &checkpoint, step)?;
            run.set_wrap(wraps)?;
            OfMethod::Leapfrog(Box::new(run), wraps)
        }
        State::Hermite { options, checkpoint } => {
            let run = Hermite::resume_of(&device, lent, start, &checkpoint, options)?;
            OfMethod::Hermite(Box::new(run), options)
        }
        State::BlockHermite { options, checkpoint } => {
            let run = BlockHermite::resume_of(&device, lent, start, &checkpoint, options)?;
            OfMethod::BlockHermite(Box::new(run), options)
        }
    };
    Ok((Run { integrator, law, others, before }, motions.len()))
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
        let found = run.steps();
        steps.set(found[0]);
        particles.set(found[1]);
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
    with(integrator, |run| Ok(run.leapfrog("a constant step")?.0.set_step(step)?))
}

/// Sets whether a leapfrog wraps positions into the periodic box.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_integrator_set_wrap(integrator: IntegratorHandle, wraps: i32) -> Status {
    with(integrator, |run| {
        let wraps = options::flag("wraps", wraps)?;
        let (run, kept) = run.leapfrog("positions in a box")?;
        run.set_wrap(wraps)?;
        *kept = wraps;
        Ok(())
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
        run.checkpoint()?.save(path)
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
        let (run, count) = resume(engine::find(engine)?, path)?;
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
