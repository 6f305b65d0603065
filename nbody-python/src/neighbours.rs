//! Neighbour lists that several engines share.

use std::sync::{Arc, Mutex};

use nbody::untyped::{self, Origin};
use nbody::{Csr, Domain, Precision};
use nbody_bindings::{Failure, lock};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::in_turn;
use crate::device::Device;
use crate::engine::{Engine, WithLists, origin};
use crate::failure::OrRaise;
use crate::given::{Given, Kept};
use crate::options;

/// Lists of the pairs within the cutoffs of several engines.
#[pyclass(frozen, module = "nbody._native")]
pub struct Neighbours {
    device: Py<Device>,
    origin: Origin,
    /// The precision that the caller gave.
    precision: Option<Precision>,
    state: Mutex<State>,
}

/// The lists of a precision, with their settings. Locked before an engine.
struct State {
    domain: Domain,
    excluded: Vec<[u32; 2]>,
    lists: Option<Box<dyn untyped::Neighbours>>,
    /// Buffers of the last update.
    kept: Kept,
}

impl State {
    /// Returns the lists of a precision; creates them in the first call.
    fn lists(
        &mut self,
        device: &nbody::Device,
        origin: &Origin,
        precision: Precision,
    ) -> Result<&mut Box<dyn untyped::Neighbours>, Failure> {
        let same = self.lists.take().filter(|lists| lists.precision() == precision);
        let lists = if let Some(lists) = same {
            lists
        } else {
            let untyped = device.untyped();
            let mut lists = untyped.neighbours(self.domain, origin.clone(), precision)?;
            lists.exclude(&self.excluded);
            lists
        };
        Ok(self.lists.insert(lists))
    }
}

impl Neighbours {
    fn locked<R>(&self, work: impl FnOnce(&mut State) -> Result<R, Failure>) -> Result<R, Failure> {
        work(&mut *self.state.lock().map_err(|_| Failure::poisoned("neighbour lists"))?)
    }

    /// Works with the lists, which an update must have built.
    fn with_lists<R>(
        &self,
        work: impl FnOnce(&mut dyn untyped::Neighbours) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        self.locked(|state| match &mut state.lists {
            Some(lists) => work(&mut **lists),
            None => Err(Failure::argument("lists that were never built; update them first")),
        })
    }
}

#[pymethods]
impl Neighbours {
    /// Creates lists, which the first update builds.
    #[new]
    fn new(
        device: Py<Device>,
        skin: Option<f64>,
        rows: Option<(Vec<u64>, Vec<u32>)>,
        given: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (options, precision) = options::options(given)?;
        let origin = origin(skin, rows);
        let (domain, excluded) = (options.domain, Vec::new());
        let mut state = State { domain, excluded, lists: None, kept: Kept::default() };
        // Wrong options are refused here, not by the first update. Double precision holds what single
        // does, and more.
        let of_device = &device.get().device;
        let created = state.lists(of_device, &origin, precision.unwrap_or_default()).map(|_| ());
        match precision {
            None if created.is_err() => {
                state.lists(of_device, &origin, Precision::Double).map(|_| ())
            }
            _ => created,
        }
        .or_raise()?;
        Ok(Self { device, origin, precision, state: Mutex::new(state) })
    }

    /// Looks whether the lists are valid for the cutoffs of these engines, and builds them if not.
    /// Fields of their laws that lists do not read may be missing.
    fn update(
        &self,
        py: Python<'_>,
        engines: Vec<Py<Engine>>,
        targets: &Bound<'_, PyDict>,
        sources: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if engines.is_empty() {
            return Err(PyValueError::new_err(
                "no engine: give the engines whose pairs the lists are to have",
            ));
        }
        let laws: Vec<_> = engines.iter().map(|engine| engine.get().law()).collect();
        let given = Given::of_lists(&laws, targets, sources, true)?;
        given.check_place(self.device.get())?;
        let of_engines = engines.iter().find_map(|engine| engine.get().precision());
        let precision = self.precision.or(of_engines).unwrap_or(given.precision());
        let shared = engines.iter().map(|engine| engine.get().shared(py, precision));
        let shared: Vec<Arc<_>> = shared.collect::<PyResult<_>>()?;
        let device = &self.device.get().device;
        let arrays = [&given.i, given.j.as_ref().unwrap_or(&given.i)];
        let update = |state: &mut State| {
            let cutoffs = shared.iter().map(|it| Ok(lock(it)?.listed_mut()?.cutoff().clone()));
            let cutoffs = cutoffs.collect::<Result<Vec<_>, Failure>>()?;
            let kept = std::mem::take(&mut state.kept);
            let particles = given.upload(device, precision, kept)?;
            let lists = state.lists(device, &self.origin, precision)?;
            lists.update(&*particles.i, particles.sources(), cutoffs)?;
            // The refusal of a device is known when the number of rebuilds is.
            lists.rebuilds()?;
            state.kept = particles.kept();
            Ok(())
        };
        py.detach(|| in_turn(device, &arrays, || self.locked(update))).or_raise()
    }

    /// Evaluates an engine over the lists.
    fn evaluate<'py>(
        slf: &Bound<'py, Self>,
        engine: &Engine,
        targets: &Bound<'py, PyDict>,
        sources: Option<&Bound<'py, PyDict>>,
        empty: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, lists) = (slf.py(), slf.get());
        let with: &WithLists<'_> = &|work| lists.with_lists(|lists| work(lists));
        engine.evaluate_over(py, (targets, sources), (empty, out), (Some(with), None))
    }

    /// Sets the box of the next update.
    fn set_box(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let domain = options::domain(given)?;
        let set = |state: &mut State| {
            if let Some(lists) = &mut state.lists {
                lists.set_domain(domain)?;
            }
            state.domain = domain;
            Ok(())
        };
        py.detach(|| self.locked(set)).or_raise()
    }

    /// Leaves out pairs of every engine.
    fn exclude(&self, py: Python<'_>, pairs: Vec<[u32; 2]>) -> PyResult<()> {
        let exclude = |state: &mut State| {
            if let Some(lists) = &mut state.lists {
                lists.exclude(&pairs);
            }
            state.excluded = pairs;
            Ok(())
        };
        py.detach(|| self.locked(exclude)).or_raise()
    }

    /// Returns figures by their names.
    fn stats(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, f64)>> {
        let stats = py.detach(|| self.with_lists(|lists| Ok(lists.stats()?))).or_raise()?;
        Ok(vec![
            ("rebuilds", stats.rebuilds as f64),
            ("age", stats.age as f64),
            ("entries", stats.entries),
            ("neighbours", stats.neighbours),
            ("tested", stats.tested),
            ("bytes", stats.bytes),
        ])
    }

    /// Returns the sources of each target, as compressed sparse rows.
    fn rows(&self, py: Python<'_>) -> PyResult<(Vec<u64>, Vec<u32>)> {
        let rows = py.detach(|| self.with_lists(|lists| Ok(lists.to_csr()?))).or_raise()?;
        let Csr { offsets, indices } = rows
            .ok_or_else(|| PyValueError::new_err("lists that are not built; update them first"))?;
        Ok((offsets, indices))
    }
}
