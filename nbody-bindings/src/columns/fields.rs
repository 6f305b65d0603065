//! Fields of records by the names of their columns.

use std::ops::Range;

use nbody::law::{Field, FieldKind};

use crate::failure::Failure;

/// Returns the number of numbers of a record.
pub fn width(fields: &[Field]) -> usize {
    fields.iter().map(|field| field.kind.components()).sum()
}

/// Returns the names of the two columns of a field with indices.
pub fn parts(kind: FieldKind) -> Option<[&'static str; 2]> {
    match kind {
        FieldKind::Nearest(_) => Some(["values", "indices"]),
        kind => kind.keeps_index().then_some(["value", "index"]),
    }
}

/// Returns the field of a name, its numbers in a row, and whether they are integers. The parts of a
/// field with indices have names of their own: `field.value` and `field.index`.
pub(super) fn find(
    fields: &'static [Field],
    name: &str,
) -> Result<(&'static Field, Range<usize>, bool), Failure> {
    let mut first = 0;
    for field in fields {
        let numbers = first..first + field.kind.components();
        first = numbers.end;
        if let Some(parts) = parts(field.kind) {
            let part = name.strip_prefix(field.name).and_then(|rest| rest.strip_prefix('.'));
            let middle = numbers.start + numbers.len() / 2;
            match parts.iter().position(|known| part == Some(known)) {
                Some(0) => return Ok((field, numbers.start..middle, false)),
                Some(_) => return Ok((field, middle..numbers.end, true)),
                None => {}
            }
        } else if field.name == name {
            let is_integer = field.kind == FieldKind::U32 || field.kind.is_count();
            return Ok((field, numbers, is_integer));
        }
    }
    Err(Failure::argument(format!("no field `{name}`: expected {}", names(fields))))
}

/// Returns the names of the columns that fields have.
pub(super) fn names(fields: &[Field]) -> String {
    let mut names = Vec::new();
    for Field { name, kind } in fields {
        if let Some(parts) = parts(*kind) {
            names.extend(parts.map(|part| format!("`{name}.{part}`")));
        } else {
            names.push(format!("`{name}`"));
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
