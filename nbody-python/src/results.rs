//! New arrays for results.

use nbody::law::Field;
use nbody::untyped::{NumberType, Rows};
use nbody::{Device, Precision};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Array, Maker, View};
use crate::columns::Arrays;
use crate::failure::OrRaise;
use crate::named::names;

/// The origin of arrays for results.
#[derive(Clone, Copy)]
pub struct Origin<'a, 'py> {
    /// The functions of the library of the arguments.
    pub maker: Option<Maker>,
    /// A function of a shape and a type that returns an array.
    pub empty: Option<&'a Bound<'py, PyAny>>,
    /// The GPU of arrays of nbody, which libraries get whose arrays are not written to.
    pub on: Option<(&'a Device, i32)>,
}

/// Allocates arrays for `n` records; returns them by their names, and their views.
pub fn allocated<'py>(
    py: Python<'py>,
    (fields, n): (&'static [Field], usize),
    precision: Precision,
    origin: Origin<'_, 'py>,
) -> PyResult<(Bound<'py, PyDict>, Arrays)> {
    let by_name = PyDict::new(py);
    let mut arrays = Vec::with_capacity(fields.len());
    for named in names(fields) {
        let shape: &[usize] = if named.has_axis { &[n, named.numbers] } else { &[n] };
        let (array, view) = origin.empty(py, shape, named.type_of_result(precision))?;
        by_name.set_item(&named.name, array)?;
        arrays.push((named, view));
    }
    Ok((by_name, Arrays::new(fields, arrays, "results")?))
}

impl<'py> Origin<'_, 'py> {
    /// Allocates an array; returns it and its view.
    fn empty(
        self,
        py: Python<'py>,
        shape: &[usize],
        kind: NumberType,
    ) -> PyResult<(Bound<'py, PyAny>, View)> {
        if let Some(maker) = self.maker
            && let Some(made) = maker.empty(py, shape, kind)?
        {
            return Ok(made);
        }
        let array = match self.empty {
            Some(empty) => empty.call1((PyTuple::new(py, shape)?, type_name(kind)))?,
            None => Bound::new(py, Array::new(shape, kind, self.on)?)?.into_any(),
        };
        let view = View::of(&array, "results", false)?;
        Ok((array, view))
    }
}

/// Returns rows of the host as new arrays.
pub fn new_arrays<'py>(
    py: Python<'py>,
    fields: &'static [Field],
    rows: &(dyn Rows + Sync),
    empty: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let origin = Origin { maker: None, empty, on: None };
    let (arrays, written) = allocated(py, (fields, rows.count()), Precision::Double, origin)?;
    py.detach(|| written.put(rows)).or_raise()?;
    Ok(arrays)
}

/// Returns the name of a type in Python's libraries.
fn type_name(kind: NumberType) -> &'static str {
    match kind {
        NumberType::F32 => "float32",
        NumberType::F64 => "float64",
        NumberType::I32 => "int32",
        NumberType::U32 => "uint32",
        NumberType::I64 => "int64",
        NumberType::U64 => "uint64",
    }
}
