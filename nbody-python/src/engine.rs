//! Engines of laws, and their evaluations of arrays.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nbody::cpu::Interrupt;
use nbody::law::Law;
use nbody::untyped::{Buffer, Neighbours, Origin};
use nbody::{Csr, Opening, Options, Precision, Skin, Sources, Store};
use nbody_bindings::{Failure, LawEngine, Shared, lock};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::{Arrays, in_turn};
use crate::device::Device;
use crate::failure::OrRaise;
use crate::given::{Given, Kept};
use crate::options;
use crate::results::{Origin as Made, allocated};

/// The number of pairs of an evaluation that Ctrl-C ends early: on a CPU it takes a tenth of a second.
const LONG: f64 = 3e8;
/// The time between two looks at pending signals.
pub const LOOK: Duration = Duration::from_millis(50);

/// Does work on another thread, and looks for signals of Python meanwhile. What their handlers raise, as
/// Ctrl-C does, ends the evaluations of the work.
#[allow(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime")]
fn interruptible(
    py: Python<'_>,
    work: impl FnOnce() -> Result<(), Failure> + Send,
) -> PyResult<()> {
    let interrupt = Interrupt::default();
    let of_thread = interrupt.clone();
    let (sender, ended) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let done = of_thread.during(work);
            // The other end waits for this.
            let _ = sender.send(done);
        });
        py.detach(move || {
            let mut raised = None;
            let done = loop {
                match ended.recv_timeout(LOOK) {
                    Ok(done) => break done,
                    Err(RecvTimeoutError::Disconnected) => break Err(Failure::poisoned("engine")),
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        raised = Python::attach(|py| py.check_signals()).err();
                        if raised.is_some() {
                            interrupt.set();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            };
            raised.map_or_else(|| done.or_raise(), Err)
        })
    })
}

/// A function that works with lists which several engines share.
pub type WithLists<'a> = dyn Fn(&mut dyn FnMut(&dyn Neighbours) -> Result<(), Failure>) -> Result<(), Failure>
    + Sync
    + 'a;

/// The schedule of an engine.
#[derive(Clone)]
enum Schedule {
    AllPairs,
    Tree(Opening),
    Lists(Origin),
}

/// An engine of a law. Its precision is given, or follows the arrays.
#[pyclass(frozen, module = "nbody._native")]
pub struct Engine {
    device: Py<Device>,
    law: &'static Law,
    /// The precision that the caller gave.
    precision: Option<Precision>,
    /// Locked while an engine is created or changed, so that all have the same settings.
    settings: Mutex<Settings>,
    prepared: Mutex<HashMap<Precision, Arc<Prepared>>>,
}

/// Settings of the engines of each precision.
#[derive(Clone)]
struct Settings {
    schedule: Schedule,
    options: Options,
    parameters: Vec<u64>,
    excluded: Vec<[u32; 2]>,
}

impl Settings {
    /// Creates an engine of a precision.
    fn create(
        &self,
        device: &nbody::Device,
        law: &'static Law,
        precision: Precision,
    ) -> Result<LawEngine, Failure> {
        let Self { schedule, parameters, excluded, .. } = self;
        let options = self.options.precision(precision);
        let mut engine = match schedule.clone() {
            Schedule::AllPairs => LawEngine::all_pairs(device, law, parameters, options),
            Schedule::Tree(opening) => LawEngine::tree(device, law, parameters, opening, options),
            Schedule::Lists(origin) => LawEngine::lists(device, law, parameters, origin, options),
        }?;
        if !excluded.is_empty() {
            engine.listed_mut()?.exclude(excluded);
        }
        Ok(engine)
    }
}

/// The engine of a precision, and buffers of its last evaluation.
struct Prepared {
    shared: Arc<Shared>,
    precision: Precision,
    is_used: AtomicBool,
    kept: Mutex<Buffers>,
}

#[derive(Default)]
struct Buffers {
    particles: Kept,
    out: Option<Box<dyn Buffer>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    fn of(
        device: Py<Device>,
        law: &'static Law,
        schedule: Schedule,
        given: &Bound<'_, PyDict>,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (options, precision) = options::options(given)?;
        let parameters = options::parameters(law.parameters, parameters, law.name)?;
        let settings = Settings { schedule, options, parameters, excluded: Vec::new() };
        let (settings, prepared) = (Mutex::new(settings), Mutex::default());
        let engine = Self { device, law, precision, settings, prepared };
        // Wrong options are refused here, not by the first evaluation. Double precision holds what single
        // does, and more.
        let py = given.py();
        match (engine.prepare(py, precision.unwrap_or_default()), precision) {
            (Err(_), None) => engine.prepare(py, Precision::Double)?,
            (prepared, _) => prepared?,
        };
        Ok(engine)
    }

    /// Returns the engine of a precision; creates it in the first call.
    fn prepare(&self, py: Python<'_>, precision: Precision) -> PyResult<Arc<Prepared>> {
        if let Some(found) = locked(&self.prepared).get(&precision) {
            return Ok(found.clone());
        }
        let device = self.device.get().device.clone();
        let prepared = py.detach(|| {
            let settings = locked(&self.settings);
            if let Some(found) = locked(&self.prepared).get(&precision) {
                return Ok(found.clone());
            }
            let engine = settings.create(&device, self.law, precision)?;
            let prepared = Arc::new(Prepared::new(engine, precision));
            locked(&self.prepared).insert(precision, prepared.clone());
            Ok::<_, Failure>(prepared)
        });
        prepared.or_raise()
    }

    /// Returns the engine of a precision for an evaluation or a run.
    fn used(&self, py: Python<'_>, precision: Precision) -> PyResult<Arc<Prepared>> {
        let prepared = self.prepare(py, precision)?;
        prepared.is_used.store(true, Relaxed);
        Ok(prepared)
    }

    /// Changes the settings, and applies them to the engines that exist. If one of them refuses,
    /// all keep the settings that they had. If the precision follows the arrays, an engine that was never
    /// used goes instead.
    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Settings) + Send,
        apply: impl Fn(&mut LawEngine, &Settings) -> Result<(), Failure> + Send + Sync,
    ) -> PyResult<()> {
        let device = self.device.get().device.clone();
        let changed = py.detach(|| {
            let mut settings = locked(&self.settings);
            let mut new = settings.clone();
            change(&mut new);
            let all: Vec<_> = locked(&self.prepared).values().cloned().collect();
            let mut engines =
                all.iter().map(|it| lock(&it.shared)).collect::<Result<Vec<_>, _>>()?;
            let mut refusing = Vec::new();
            let done =
                all.iter().zip(&mut engines).try_for_each(|(prepared, engine)| {
                    match apply(engine, &new) {
                        Err(_) if self.precision.is_none() && !prepared.is_used.load(Relaxed) => {
                            refusing.push(prepared.precision);
                            Ok(())
                        }
                        applied => applied,
                    }
                });
            let is_known = refusing.len() < all.len();
            let created = done.and_then(|()| {
                if is_known {
                    return Ok(None);
                }
                new.create(&device, self.law, Precision::Double).map(Some)
            });
            match created {
                Ok(created) => {
                    let mut prepared = locked(&self.prepared);
                    prepared.retain(|precision, _| !refusing.contains(precision));
                    if let Some(created) = created {
                        let created = Prepared::new(created, Precision::Double);
                        prepared.insert(Precision::Double, Arc::new(created));
                    }
                    *settings = new;
                    Ok(())
                }
                Err(refused) => {
                    engines.iter_mut().try_for_each(|it| apply(&mut *it, &settings))?;
                    Err(refused)
                }
            }
        });
        changed.or_raise()
    }

    /// Returns the engine of a precision, and its law, for a run.
    pub fn shared(&self, py: Python<'_>, of_arrays: Precision) -> PyResult<Arc<Shared>> {
        Ok(self.used(py, self.precision.unwrap_or(of_arrays))?.shared.clone())
    }

    /// Returns the law.
    pub fn law(&self) -> &'static Law {
        self.law
    }

    /// Returns the precision that the caller gave.
    pub fn precision(&self) -> Option<Precision> {
        self.precision
    }

    /// Evaluates pairs, over lists that engines share if they are given, and with other parameters than the
    /// engine has. `empty(shape, type)` returns an array for results, or `None` for an `Array`.
    pub fn evaluate_over<'py>(
        &self,
        py: Python<'py>,
        (targets, sources): (&Bound<'py, PyDict>, Option<&Bound<'py, PyDict>>),
        (empty, out): (Option<&Bound<'py, PyAny>>, Option<&Bound<'py, PyDict>>),
        (lists, parameters): (Option<&WithLists<'_>>, Option<&Bound<'py, PyDict>>),
    ) -> PyResult<Bound<'py, PyDict>> {
        let law = self.law;
        let words = |it: &Bound<'py, PyDict>| options::parameters(law.parameters, it, law.name);
        let parameters = parameters.map(words).transpose()?;
        let given = match lists {
            None => Given::of(law, targets, sources)?,
            Some(_) => Given::of_lists(&[law], targets, sources, false)?,
        };
        given.check_place(self.device.get())?;
        let of_arrays = given.precision();
        let prepared = self.used(py, self.precision.unwrap_or(of_arrays))?;
        let (results, written) = if let Some(out) = out {
            let written = Arrays::some_of(law.f, out, "results")?;
            written.check_writable()?;
            self.device.get().check(written.place)?;
            (out.clone(), written)
        } else {
            let on = self.device.get().memory_of(given.i.place);
            let origin = Made { maker: given.i.maker(), empty, on };
            allocated(py, (law.f, given.i.n), of_arrays, origin)?
        };
        if written.n != given.i.n {
            return Err(PyValueError::new_err(format!(
                "results of {} records for {} targets; give arrays of {}",
                written.n, given.i.n, given.i.n
            )));
        }
        let device = &self.device.get().device;
        let arrays = [&given.i, given.j.as_ref().unwrap_or(&given.i), &written];
        let parameters = parameters.as_deref();
        let evaluate = || match lists {
            None => prepared.evaluate(device, &given, &written, (None, parameters)),
            Some(with) => with(&mut |lists| {
                prepared.evaluate(device, &given, &written, (Some(lists), parameters))
            }),
        };
        let work = || in_turn(device, &arrays, evaluate);
        let pairs = given.i.n as f64 * given.j.as_ref().unwrap_or(&given.i).n as f64;
        if device.is_cpu() && pairs > LONG {
            interruptible(py, work)?;
        } else {
            py.detach(work).or_raise()?;
        }
        Ok(results)
    }
}

/// Returns the origin of the pairs of lists: rows, or pairs within a skin.
pub fn origin(skin: Option<f64>, rows: Option<(Vec<u64>, Vec<u32>)>) -> Origin {
    match rows {
        Some((offsets, indices)) => Origin::Given(Csr { offsets, indices }),
        None => Origin::Found(skin.map_or(Skin::Auto, Skin::Length)),
    }
}

#[pymethods]
impl Engine {
    /// Creates an engine of all pairs.
    #[staticmethod]
    fn all_pairs(
        device: Py<Device>,
        law: &crate::law::Law,
        given: &Bound<'_, PyDict>,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        Self::of(device, law.0, Schedule::AllPairs, given, parameters)
    }

    /// Creates an engine that evaluates by a tree.
    #[staticmethod]
    fn tree(
        device: Py<Device>,
        law: &crate::law::Law,
        theta: Option<f64>,
        relative: Option<f64>,
        expansion: &str,
        given: &Bound<'_, PyDict>,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let opening = options::opening(theta, relative, expansion)?;
        Self::of(device, law.0, Schedule::Tree(opening), given, parameters)
    }

    /// Creates an engine over neighbour lists of its own.
    #[staticmethod]
    fn lists(
        device: Py<Device>,
        law: &crate::law::Law,
        skin: Option<f64>,
        rows: Option<(Vec<u64>, Vec<u32>)>,
        given: &Bound<'_, PyDict>,
        parameters: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        Self::of(device, law.0, Schedule::Lists(origin(skin, rows)), given, parameters)
    }

    /// Evaluates pairs, with other parameters than the engine has if they are given.
    #[pyo3(signature = (targets, sources, empty, out, parameters=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyDict>,
        sources: Option<&Bound<'py, PyDict>>,
        empty: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyDict>>,
        parameters: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.evaluate_over(py, (targets, sources), (empty, out), (None, parameters))
    }

    /// Sets the parameters.
    fn set_parameters(&self, py: Python<'_>, parameters: &Bound<'_, PyDict>) -> PyResult<()> {
        let words = options::parameters(self.law.parameters, parameters, self.law.name)?;
        self.change(
            py,
            |settings| settings.parameters = words,
            |engine, settings| Ok(engine.get_mut().set_parameters(&settings.parameters)?),
        )
    }

    /// Sets the box.
    fn set_box(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let domain = options::domain(given)?;
        self.change(
            py,
            |settings| settings.options = settings.options.domain(domain),
            |engine, settings| Ok(engine.get_mut().set_domain(settings.options.domain)?),
        )
    }

    /// Sets the criterion by which a tree opens cells.
    fn set_opening(
        &self,
        py: Python<'_>,
        theta: Option<f64>,
        relative: Option<f64>,
        expansion: &str,
    ) -> PyResult<()> {
        let opening = options::opening(theta, relative, expansion)?;
        let apply = |engine: &mut LawEngine, settings: &Settings| {
            let Schedule::Tree(opening) = settings.schedule else { return Ok(()) };
            Ok(engine.tree_mut()?.set_opening(opening)?)
        };
        self.change(py, |settings| settings.schedule = Schedule::Tree(opening), apply)
    }

    /// Leaves out pairs of an engine of lists.
    fn exclude(&self, py: Python<'_>, pairs: Vec<[u32; 2]>) -> PyResult<()> {
        self.change(
            py,
            |settings| settings.excluded = pairs,
            |engine, settings| {
                engine.listed_mut()?.exclude(&settings.excluded);
                Ok(())
            },
        )
    }
}

impl Prepared {
    fn new(engine: LawEngine, precision: Precision) -> Self {
        let (shared, kept) = (Arc::new(Mutex::new(engine)), Mutex::default());
        Self { shared, precision, is_used: AtomicBool::new(false), kept }
    }

    fn evaluate(
        &self,
        device: &nbody::Device,
        given: &Given,
        written: &Arrays,
        (lists, parameters): (Option<&dyn Neighbours>, Option<&[u64]>),
    ) -> Result<(), Failure> {
        let Buffers { particles, out } = std::mem::take(&mut *locked(&self.kept));
        let mut engine = lock(&self.shared)?;
        let precision = engine.get().options().precision;
        let particles = given.upload(device, precision, particles)?;
        let (i, sources) = (&*particles.i, particles.sources());
        let mut out = match out {
            Some(mut out) => {
                if out.len() != i.len() {
                    out.resize(i.len())?;
                }
                out
            }
            None => engine.get().results(i.len())?,
        };
        // The engine stays locked until it has its own parameters again.
        let of_engine = engine.get().parameters().to_vec();
        let others = parameters.filter(|it| *it != of_engine);
        if let Some(others) = others {
            engine.get_mut().set_parameters(others)?;
        }
        let done = evaluated(&mut engine, (i, sources), &mut *out, lists);
        if others.is_some() {
            engine.get_mut().set_parameters(&of_engine)?;
        }
        done?;
        drop(engine);
        written.download(device, &*out)?;
        *locked(&self.kept) = Buffers { particles: particles.kept(), out: Some(out) };
        Ok(())
    }
}

fn evaluated(
    engine: &mut LawEngine,
    (i, sources): (&dyn Buffer, Sources<'_, dyn Buffer>),
    out: &mut dyn Buffer,
    lists: Option<&dyn Neighbours>,
) -> Result<(), Failure> {
    match lists {
        None => engine.get_mut().evaluate(i, sources, out, Store::Replace)?,
        Some(lists) => {
            engine.listed_mut()?.evaluate_over(lists, i, sources, out, Store::Replace)?;
        }
    }
    // Results that are refused later must not leave.
    Ok(engine.get_mut().settle()?)
}
