//! Engines of laws, and their evaluations of arrays.

use std::collections::HashMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nbody::cpu::Interrupt;
use nbody::law::Law;
use nbody::untyped::{Buffer, Origin};
use nbody::{Csr, Opening, Options, Precision, Skin, Sources, Store};
use nbody_bindings::{Failure, LawEngine, Shared, lock};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::{Arrays, Origin as Made, allocated, in_turn, names};
use crate::device::Device;
use crate::failure::OrRaise;
use crate::options;

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
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    i: Option<Box<dyn Buffer>>,
    j: Option<Box<dyn Buffer>>,
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
        // Wrong options are refused here, not by the first evaluation.
        engine.prepare(given.py(), precision.unwrap_or_default())?;
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
            let shared = Arc::new(Mutex::new(engine));
            let prepared = Arc::new(Prepared { shared, kept: Mutex::default() });
            locked(&self.prepared).insert(precision, prepared.clone());
            Ok::<_, Failure>(prepared)
        });
        prepared.or_raise()
    }

    /// Changes the settings, and applies them to the engines that exist. If one of them refuses,
    /// all keep the settings that they had.
    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Settings) + Send,
        apply: impl Fn(&mut LawEngine, &Settings) -> Result<(), Failure> + Send + Sync,
    ) -> PyResult<()> {
        let changed = py.detach(|| {
            let mut settings = locked(&self.settings);
            let mut new = settings.clone();
            change(&mut new);
            let all: Vec<_> = locked(&self.prepared).values().cloned().collect();
            let mut engines =
                all.iter().map(|it| lock(&it.shared)).collect::<Result<Vec<_>, _>>()?;
            let done = engines.iter_mut().try_for_each(|engine| apply(&mut *engine, &new));
            match done {
                Ok(()) => *settings = new,
                Err(_) => engines.iter_mut().try_for_each(|it| apply(&mut *it, &settings))?,
            }
            done
        });
        changed.or_raise()
    }

    /// Returns the engine of a precision, and its law, for a run.
    pub fn shared(&self, py: Python<'_>, of_arrays: Precision) -> PyResult<Arc<Shared>> {
        Ok(self.prepare(py, self.precision.unwrap_or(of_arrays))?.shared.clone())
    }

    /// Returns the law.
    pub fn law(&self) -> &'static Law {
        self.law
    }

    fn check_place(&self, arrays: &Arrays) -> PyResult<()> {
        self.device.get().check(arrays.place)
    }
}

/// The arrays of an evaluation.
pub struct Given {
    pub i: Arrays,
    /// The sources; `None` if the targets are the sources, of one record.
    pub j: Option<Arrays>,
    pub is_one_set: bool,
}

impl Given {
    /// Views the arrays of targets and sources, or of particles that are both.
    pub fn of(
        law: &'static Law,
        targets: &Bound<'_, PyDict>,
        sources: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Some(sources) = sources else { return Self::one_set(law, targets) };
        let i = Arrays::of(law.i, targets, "targets")?;
        let j = Arrays::of(law.j, sources, "sources")?;
        Ok(Self { i, j: Some(j), is_one_set: false })
    }

    /// Takes particles that are both targets and sources.
    fn one_set(law: &'static Law, particles: &Bound<'_, PyDict>) -> PyResult<Self> {
        if law.i == law.j {
            let i = Arrays::of(law.i, particles, "particles")?;
            return Ok(Self { i, j: None, is_one_set: true });
        }
        let py = particles.py();
        let [of_i, of_j] = [PyDict::new(py), PyDict::new(py)];
        for (name, object) in particles.iter() {
            let key: String = name.extract()?;
            let mut is_known = false;
            for (fields, given) in [(law.i, &of_i), (law.j, &of_j)] {
                if names(fields).iter().any(|known| known.name == key) {
                    given.set_item(&name, &object)?;
                    is_known = true;
                }
            }
            if !is_known {
                let both = names(law.i).iter().chain(names(law.j));
                let mut expected: Vec<_> = both.map(|known| &known.name[..]).collect();
                expected.dedup();
                return Err(PyTypeError::new_err(format!(
                    "particles have no field `{key}`: expected {}",
                    expected.join(", ")
                )));
            }
        }
        let i = Arrays::of(law.i, &of_i, "particles")?;
        let j = Arrays::of(law.j, &of_j, "particles")?;
        if i.n != j.n {
            let [of_i, of_j] = [i.n, j.n];
            return Err(PyValueError::new_err(format!(
                "{of_i} and {of_j} particles; give one number of records, or sources besides targets"
            )));
        }
        Ok(Self { i, j: Some(j), is_one_set: true })
    }

    /// Returns the precision of the arrays.
    pub fn precision(&self) -> Precision {
        let of_j = self.j.as_ref().and_then(Arrays::is_double);
        let is_double = self.i.is_double().into_iter().chain(of_j).reduce(|a, b| a || b);
        if is_double.unwrap_or(true) { Precision::Double } else { Precision::Single }
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
        let origin = match rows {
            Some((offsets, indices)) => Origin::Given(Csr { offsets, indices }),
            None => Origin::Found(skin.map_or(Skin::Auto, Skin::Length)),
        };
        Self::of(device, law.0, Schedule::Lists(origin), given, parameters)
    }

    /// Evaluates pairs. `empty(shape, type)` returns an array for results, or `None` for an `Array`.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyDict>,
        sources: Option<&Bound<'py, PyDict>>,
        empty: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let law = self.law;
        let given = Given::of(law, targets, sources)?;
        self.check_place(&given.i)?;
        if let Some(j) = &given.j {
            self.check_place(j)?;
        }
        let of_arrays = given.precision();
        let prepared = self.prepare(py, self.precision.unwrap_or(of_arrays))?;
        let (results, written) = if let Some(out) = out {
            let written = Arrays::some_of(law.f, out, "results")?;
            written.check_writable()?;
            self.check_place(&written)?;
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
        let evaluate = || prepared.evaluate(device, &given, &written);
        let work = || in_turn(device, &arrays, evaluate);
        let pairs = given.i.n as f64 * given.j.as_ref().unwrap_or(&given.i).n as f64;
        if device.is_cpu() && pairs > LONG {
            interruptible(py, work)?;
        } else {
            py.detach(work).or_raise()?;
        }
        Ok(results)
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
    fn evaluate(
        &self,
        device: &nbody::Device,
        given: &Given,
        written: &Arrays,
    ) -> Result<(), Failure> {
        let Kept { i, j, out } = std::mem::take(&mut *locked(&self.kept));
        let mut engine = lock(&self.shared)?;
        let precision = engine.get().options().precision;
        let i = given.i.upload(device, precision, i)?;
        let j = given.j.as_ref().map(|given| given.upload(device, precision, j)).transpose()?;
        let mut out = match out {
            Some(mut out) => {
                if out.len() != i.len() {
                    out.resize(i.len())?;
                }
                out
            }
            None => engine.get().results(i.len())?,
        };
        let of_j = j.as_deref().unwrap_or(&*i);
        let sources = if given.is_one_set { Sources::Same(of_j) } else { Sources::Others(of_j) };
        engine.get_mut().evaluate(&*i, sources, &mut *out, Store::Replace)?;
        // Results that are refused later must not leave.
        engine.get_mut().settle()?;
        drop(engine);
        written.download(device, &*out)?;
        *locked(&self.kept) = Kept { i: Some(i), j, out: Some(out) };
        Ok(())
    }
}
