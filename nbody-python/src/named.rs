//! The columns of records: their names and shapes.

use nbody::Precision;
use nbody::law::{Field, FieldKind};
use nbody::untyped::NumberType;
use nbody_bindings::parts;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A column of records.
pub struct Named {
    pub name: String,
    /// The numbers of a record.
    pub numbers: usize,
    /// Whether a record has its numbers along a second axis.
    pub has_axis: bool,
    pub is_integer: bool,
    /// Whether the column is a part of a field: values, or their indices.
    pub is_part: bool,
}

impl Named {
    /// Returns the name as messages show it.
    pub fn quoted(&self) -> String {
        format!("`{}`", self.name)
    }

    /// Returns the type of numbers of results: integers have 64 bits and a sign, since every library of
    /// arrays has them.
    pub fn type_of_result(&self, precision: Precision) -> NumberType {
        match (self.is_integer, precision) {
            (true, _) => NumberType::I64,
            (false, Precision::Single) => NumberType::F32,
            (false, _) => NumberType::F64,
        }
    }
}

/// Returns the columns of fields, described once.
pub fn names(fields: &'static [Field]) -> &'static [Named] {
    type Known = HashMap<(usize, usize), &'static [Named]>;
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let key = (fields.as_ptr().addr(), fields.len());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    known.entry(key).or_insert_with(|| Vec::leak(fields.iter().flat_map(described).collect()))
}

/// Describes the columns of a field: two, if it has indices.
fn described(field: &Field) -> Vec<Named> {
    let Field { name, kind } = *field;
    let numbers = kind.components();
    let has_axis = matches!(
        kind,
        FieldKind::Vector(_)
            | FieldKind::Tensor(_)
            | FieldKind::Point(_)
            | FieldKind::Array(_)
            | FieldKind::Nearest(_)
            | FieldKind::Counts(_)
    );
    let Some([values, indices]) = parts(kind) else {
        let is_integer = kind.is_count() || kind == FieldKind::U32;
        return vec![Named {
            name: name.to_owned(),
            numbers,
            has_axis,
            is_integer,
            is_part: false,
        }];
    };
    let part = |part, is_integer| Named {
        name: format!("{name}.{part}"),
        numbers: numbers / 2,
        has_axis,
        is_integer,
        is_part: true,
    };
    vec![part(values, false), part(indices, true)]
}

/// Returns the names of columns in a list.
pub fn expected(fields: &'static [Field]) -> String {
    listed(&names(fields).iter().map(Named::quoted).collect::<Vec<_>>())
}

/// Returns the number of records of an array of this shape; `None` if it is one number for all.
pub fn records(named: &Named, shape: &[usize]) -> PyResult<Option<usize>> {
    let Named { name, numbers, has_axis, .. } = named;
    match (shape, has_axis) {
        ([], false) => Ok(None),
        (&[n] | &[n, 1], false) => Ok(Some(n)),
        (&[n, found], true) if found == *numbers => Ok(Some(n)),
        _ => {
            let expected = if *has_axis { format!("(n, {numbers})") } else { "(n,)".to_owned() };
            let is_turned = matches!(shape, &[rows, n] if rows == *numbers && n != *numbers);
            let help = if is_turned { format!("; give {name}.T") } else { String::new() };
            Err(PyValueError::new_err(format!(
                "`{name}` has the shape {}, expected {expected}{help}",
                shape_of(shape)
            )))
        }
    }
}

fn shape_of(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        shape => {
            let numbers: Vec<_> = shape.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        }
    }
}

/// Returns names in a list.
pub fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
