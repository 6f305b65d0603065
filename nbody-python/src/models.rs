//! Initial conditions.

use nbody_bindings::{MOTION, rows_of};
use nbody_integrate::Motion;
use nbody_models::{Error, Snapshot};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::OrRaise;
use crate::results::new_arrays;

/// Samples a model: arrays `pos`, `vel` and `mass`.
#[pyfunction]
#[pyo3(signature = (name, n, seed, dimension, empty))]
pub fn model<'py>(
    py: Python<'py>,
    name: &str,
    n: usize,
    seed: u64,
    dimension: f64,
    empty: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let sample = || -> Option<Result<Snapshot, Error>> {
        Some(match name {
            "plummer" => nbody_models::plummer(n, seed),
            "hernquist" => nbody_models::hernquist(n, seed),
            "uniform_sphere" => nbody_models::uniform_sphere(n, seed),
            "fractal" => nbody_models::fractal(n, dimension, seed),
            _ => return None,
        })
    };
    let sampled = py.detach(sample);
    let sampled = sampled.ok_or_else(|| PyValueError::new_err(format!("no model {name:?}")))?;
    let snapshot = sampled.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let motion = |it: &nbody_models::Particle| Motion::new(it.pos, it.vel, it.mass);
    let motions: Vec<_> = snapshot.particles.iter().map(motion).collect();
    let rows = py.detach(|| rows_of(&motions)).or_raise()?;
    new_arrays(py, &MOTION, &rows, empty)
}
