//! Runs of integrators.

use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use nbody_bindings::{Failure, MOTION, Method, Steps, moving_fields, rows_of};
use nbody_integrate::HermiteOptions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Place;
use crate::columns::Arrays;
use crate::engine::{Engine, LOOK};
use crate::failure::OrRaise;
use crate::options;
use crate::results::new_arrays;

/// The integrators by their names.
const METHODS: [(&str, Method); 3] = [
    ("leapfrog", Method::Leapfrog),
    ("hermite", Method::Hermite),
    ("block_hermite", Method::BlockHermite),
];

/// A run of an integrator.
#[pyclass(frozen, module = "nbody._native")]
pub struct Run(Mutex<nbody_bindings::Run>);

impl Run {
    fn lock(&self) -> Result<MutexGuard<'_, nbody_bindings::Run>, Failure> {
        self.0.lock().map_err(|_| Failure::poisoned("integrator"))
    }
}

#[pymethods]
impl Run {
    /// Begins a run.
    #[staticmethod]
    #[pyo3(signature = (engine, method, particles, begin, step, eta, eta_start, iterations))]
    #[allow(clippy::too_many_arguments, reason = "Python gives them by name")]
    fn begin(
        py: Python<'_>,
        engine: &Engine,
        method: &str,
        particles: &Bound<'_, PyDict>,
        begin: f64,
        step: Option<f64>,
        eta: Option<f64>,
        eta_start: Option<f64>,
        iterations: Option<u32>,
    ) -> PyResult<Self> {
        let Some(&(_, method)) = METHODS.iter().find(|(name, _)| *name == method) else {
            let names = METHODS.map(|(name, _)| format!("{name:?}"));
            return Err(PyValueError::new_err(format!(
                "no integrator {method:?}: expected {}",
                names.join(", ")
            )));
        };
        let fields = moving_fields(engine.law()).or_raise()?;
        let arrays = Arrays::of(fields, particles, "particles")?;
        let shared = engine.shared(py, arrays.precision())?;
        let mut hermite = HermiteOptions::default();
        hermite.largest = step.unwrap_or(hermite.largest);
        hermite.eta = eta.unwrap_or(hermite.eta);
        hermite.eta_start = eta_start.unwrap_or(hermite.eta_start);
        hermite.iterations = iterations.unwrap_or(hermite.iterations);
        let steps = Steps { method, begin, step: step.unwrap_or(f64::NAN), options: hermite };
        if arrays.place != Place::Host {
            return Err(PyValueError::new_err(format!(
                "particles on {}; give arrays of the CPU: a run copies them to its device once",
                arrays.place
            )));
        }
        let run =
            py.detach(|| arrays.with_rows(|rows| nbody_bindings::Run::begin(shared, rows, steps)));
        Ok(Self(Mutex::new(run.or_raise()?)))
    }

    /// Resumes a run from a file.
    #[staticmethod]
    fn resume(
        py: Python<'_>,
        engine: &Engine,
        method: &str,
        path: &str,
        precision: &str,
    ) -> PyResult<Self> {
        let shared = engine.shared(py, options::precision(precision)?)?;
        let run = py.detach(|| nbody_bindings::Run::resume(shared, path)).or_raise()?;
        let found = METHODS.iter().find(|(_, of)| *of == run.method()).map_or("", |(name, _)| name);
        if found != method {
            return Err(PyValueError::new_err(format!(
                "{path} is a run of {found:?}, found {method:?}; resume it by the class of its integrator"
            )));
        }
        Ok(Self(Mutex::new(run)))
    }

    /// Saves the run to a file.
    fn save(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        py.detach(|| self.lock()?.save(path)).or_raise()
    }

    /// Takes one step.
    fn advance(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| Ok::<_, Failure>(self.lock()?.get_mut().advance()?)).or_raise()
    }

    /// Takes all steps that end by a time. Ctrl-C ends it between two steps.
    fn advance_to(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        loop {
            let is_done = py.detach(|| -> Result<bool, Failure> {
                let begun = Instant::now();
                let mut run = self.lock()?;
                Ok(run.get_mut().advance_while(time, &mut || begun.elapsed() < LOOK)?)
            });
            if is_done.or_raise()? {
                return Ok(());
            }
            py.check_signals()?;
        }
    }

    /// The time of the last step, and the end of the next.
    #[getter]
    fn times(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        py.detach(|| self.lock().map(|run| (run.get().time(), run.get().next_time()))).or_raise()
    }

    /// The numbers of steps, and of steps of single particles.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<[u64; 2]> {
        py.detach(|| self.lock().map(|run| run.steps())).or_raise()
    }

    /// The kinetic and the potential energy.
    fn energies(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        let found =
            py.detach(|| Ok::<_, Failure>(self.lock()?.get_mut().energies()?)).or_raise()?;
        Ok((found.kinetic, found.potential))
    }

    /// The positions, velocities and masses at a time within the next step.
    fn motions<'py>(
        &self,
        py: Python<'py>,
        time: Option<f64>,
        empty: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rows = py.detach(|| -> Result<_, Failure> {
            let run = self.lock()?;
            let time = time.unwrap_or_else(|| run.get().time());
            rows_of(&run.get().motions_at(time)?)
        });
        let rows = rows.or_raise()?;
        new_arrays(py, &MOTION, &rows, empty)
    }

    /// Sets the step of a leapfrog.
    fn set_step(&self, py: Python<'_>, step: f64) -> PyResult<()> {
        py.detach(|| self.lock()?.set_step(step)).or_raise()
    }

    /// Sets whether a leapfrog wraps positions into the box.
    fn set_wrap(&self, py: Python<'_>, wraps: bool) -> PyResult<()> {
        py.detach(|| self.lock()?.set_wrap(wraps)).or_raise()
    }
}
