//! The reference in double precision, and comparisons with it.

use nbody::check::Report;
use nbody::check::untyped::{Case, reference};
use nbody::law::Field;
use nbody::untyped::{OwnedRows, Rows};
use nbody::{Domain, Sources};
use nbody_bindings::{Failure, width};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::Arrays;
use crate::engine::Engine;
use crate::failure::OrRaise;
use crate::given::Given;
use crate::law::Law;
use crate::options;
use crate::results::new_arrays;

/// Returns a copy of records.
fn owned(fields: &'static [Field], arrays: &Arrays) -> Result<OwnedRows, Failure> {
    arrays.with_rows(|rows| {
        let mut words = vec![0; rows.count() * width(fields)];
        rows.write(0..rows.count(), &mut words);
        Ok(OwnedRows::new(fields, words)?)
    })
}

/// Returns the results of a law by a double loop in double precision.
#[pyfunction]
#[pyo3(name = "reference")]
pub fn reference_of<'py>(
    law: &Law,
    parameters: &Bound<'py, PyDict>,
    region: &Bound<'py, PyAny>,
    targets: &Bound<'py, PyDict>,
    sources: Option<&Bound<'py, PyDict>>,
    empty: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (law, py) = (law.0, parameters.py());
    let words = options::parameters(law.parameters, parameters, law.name)?;
    let domain = options::domain(region)?;
    let given = Given::of(law, targets, sources)?;
    let found = py.detach(|| -> Result<_, Failure> {
        let i = owned(law.i, &given.i)?;
        let j = given.j.as_ref().map(|j| owned(law.j, j)).transpose()?;
        let j: &dyn Rows = j.as_ref().map_or(&i, |j| j);
        let sources = if given.is_one_set { Sources::Same(j) } else { Sources::Others(j) };
        Ok(reference(law, &words, domain, &i, sources)?)
    });
    new_arrays(py, law.f, &found.or_raise()?, empty)
}

/// The comparison of results with the reference: whether they are within their error bounds, the table,
/// and for each field its name, the largest, the rms and the median relative error, and the largest
/// error in units of its bound.
type Compared = (bool, String, Vec<(String, [f64; 3], Option<f64>)>);

/// Evaluates, and compares the results with the reference and their error bounds.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    engine: &Engine,
    targets: &Bound<'_, PyDict>,
    sources: Option<&Bound<'_, PyDict>>,
) -> PyResult<Compared> {
    let law = engine.law();
    let given = Given::of(law, targets, sources)?;
    let shared = engine.shared(py, given.precision())?;
    let report = py.detach(|| -> Result<Report, Failure> {
        let mut engine = nbody_bindings::lock(&shared)?;
        let i = owned(law.i, &given.i)?;
        let j = given.j.as_ref().map(|j| owned(law.j, j)).transpose()?;
        let (parameters, domain): (_, Domain) =
            (engine.get().parameters().to_vec(), engine.get().options().domain);
        let case = match (j, given.is_one_set) {
            (j, true) => Case::one_set(law, &parameters, domain, i, j)?,
            (Some(j), false) => Case::two_sets(law, &parameters, domain, i, j)?,
            (None, false) => return Err(Failure::argument("targets without sources; give both")),
        };
        let device = engine.device.clone();
        Ok(case.check(&device, engine.get_mut())?)
    });
    let report = report.or_raise()?;
    let fields = report.fields.iter();
    let each = fields.map(|it| (it.name.to_string(), [it.max, it.rms, it.median], it.of_bound));
    Ok((report.passes(), report.to_string(), each.collect()))
}
