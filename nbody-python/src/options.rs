//! Options by their names.

use nbody::law::Field;
use nbody::{
    Accumulation, Domain, Expansion, Math, Opening, Options, Pairs, Precision, SummationOrder,
};
use nbody_bindings::{parameter_words, width};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arrays::type_name;
use crate::failure::OrRaise;
use crate::named::listed;

/// Returns the choice of this name.
fn chosen<T: Copy>(what: &str, found: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let known = choices.iter().find(|(name, _)| *name == found);
    known.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
        PyValueError::new_err(format!("{what} {found:?}: expected {}", names.join(", ")))
    })
}

/// Returns the precision of this name.
pub fn precision(found: &str) -> PyResult<Precision> {
    let choices =
        [("single", Precision::Single), ("mixed", Precision::Mixed), ("double", Precision::Double)];
    chosen("precision", found, &choices)
}

/// Reads options; the precision is of the arrays unless it is given.
pub fn options(given: &Bound<'_, PyDict>) -> PyResult<(Options, Option<Precision>)> {
    let mut options = Options::default();
    let mut of_caller = None;
    for (key, value) in given.iter() {
        let name: String = key.extract()?;
        if value.is_none() {
            continue;
        }
        match &name[..] {
            "precision" => of_caller = Some(precision(&value.extract::<String>()?)?),
            "accumulation" => {
                let found: String = value.extract()?;
                let choices = [
                    ("direct", Accumulation::Direct),
                    ("blocked", Accumulation::Blocked),
                    ("blocked_f64", Accumulation::BlockedF64),
                    ("compensated", Accumulation::Compensated),
                ];
                options.accumulation = chosen("accumulation", &found, &choices)?;
            }
            "math" => {
                let choices = [("fast", Math::Fast), ("exact", Math::Exact)];
                options.math = chosen("math", &value.extract::<String>()?, &choices)?;
            }
            "pairs" => {
                let choices = [
                    ("auto", Pairs::Auto),
                    ("ordered", Pairs::Ordered),
                    ("symmetric", Pairs::Symmetric),
                ];
                options.pairs = chosen("pairs", &value.extract::<String>()?, &choices)?;
            }
            "order" => {
                let (bag, splits) = value.extract()?;
                options.order = Some(SummationOrder { bag, splits });
            }
            "box" => options.domain = domain(&value)?,
            unknown => {
                return Err(PyTypeError::new_err(format!("no option `{unknown}`")));
            }
        }
    }
    Ok((options, of_caller))
}

/// Returns a box: three lengths, three vectors, or `None` for open space.
pub fn domain(given: &Bound<'_, PyAny>) -> PyResult<Domain> {
    if given.is_none() {
        return Ok(Domain::Open);
    }
    if let Ok(length) = given.extract::<f64>() {
        return Domain::periodic([length; 3]).or_raise();
    }
    let rows: Vec<Bound<'_, PyAny>> = given.try_iter()?.collect::<PyResult<_>>()?;
    let wrong = || {
        PyValueError::new_err(
            "a box: expected one length, three lengths, or three vectors of three numbers",
        )
    };
    if let Ok(lengths) = rows.iter().map(PyAnyMethods::extract::<f64>).collect::<PyResult<Vec<_>>>()
    {
        let lengths: [f64; 3] = lengths.try_into().map_err(|_| wrong())?;
        return Domain::periodic(lengths).or_raise();
    }
    let vector = |row: &Bound<'_, PyAny>| -> PyResult<[f64; 3]> {
        let numbers = row.try_iter()?.map(|it| it?.extract()).collect::<PyResult<Vec<f64>>>()?;
        numbers.try_into().map_err(|_| wrong())
    };
    let vectors = rows.iter().map(vector).collect::<PyResult<Vec<_>>>()?;
    Domain::triclinic(vectors.try_into().map_err(|_| wrong())?).or_raise()
}

/// Returns the criterion that opens cells.
pub fn opening(theta: Option<f64>, relative: Option<f64>, expansion: &str) -> PyResult<Opening> {
    let opening = match (theta, relative) {
        (Some(theta), None) => Opening::theta(theta),
        (None, Some(alpha)) => Opening::relative(alpha),
        _ => {
            return Err(PyTypeError::new_err(
                "a tree is opened by theta, an angle, or by relative, an error: give one of them",
            ));
        }
    };
    let choices = [("second", Expansion::Second), ("monopole", Expansion::Monopole)];
    Ok(opening.expansion(chosen("expansion", expansion, &choices)?))
}

/// Returns parameters as the words of a row.
pub fn parameters(
    fields: &'static [Field],
    given: &Bound<'_, PyDict>,
    of: &str,
) -> PyResult<Vec<u64>> {
    let known = || fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>();
    for key in given.keys() {
        let name: String = key.extract()?;
        if !fields.iter().any(|field| field.name == name) {
            return Err(PyTypeError::new_err(format!(
                "`{of}` has no parameter `{name}`: expected {}",
                listed(&known())
            )));
        }
    }
    let mut values = Vec::with_capacity(width(fields));
    for field in fields {
        let Some(value) = given.get_item(field.name)? else {
            return Err(PyTypeError::new_err(format!(
                "no parameter `{}` of `{of}`: expected {}",
                field.name,
                listed(&known())
            )));
        };
        let before = values.len();
        flatten(&value, 0, &mut values)?;
        let (found, expected) = (values.len() - before, field.kind.components());
        if found != expected {
            return Err(PyValueError::new_err(format!(
                "parameter `{field}` of {found} numbers, expected {expected}"
            )));
        }
    }
    parameter_words(fields, &values).or_raise()
}

/// Nested sequences of a parameter: rows of splines have two.
const DEEPEST: usize = 3;

/// Appends a number, or all numbers of nested sequences.
fn flatten(value: &Bound<'_, PyAny>, depth: usize, numbers: &mut Vec<f64>) -> PyResult<()> {
    if let Ok(number) = value.extract::<f64>() {
        numbers.push(number);
        return Ok(());
    }
    let wrong = || {
        let found = type_name(value);
        PyTypeError::new_err(format!(
            "a parameter is a number or a sequence of numbers, found {found}"
        ))
    };
    // The parts of a text are texts.
    if depth == DEEPEST || value.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    for part in value.try_iter().map_err(|_| wrong())? {
        flatten(&part?, depth + 1, numbers)?;
    }
    Ok(())
}
