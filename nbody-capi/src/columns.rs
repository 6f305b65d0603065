//! Columns of the header.

use std::ffi::{c_char, c_void};

use nbody::law::Field;
use nbody::untyped::NumberType as Type;
use nbody_bindings::{Columns, Direction, Failure, Memory};

use crate::pointers;

/// A field of records in memory of the caller: `nbody_column` of the header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name of the field.
    pub field: *const c_char,
    /// The first number of the first record.
    pub data: *mut c_void,
    /// The type of a number: `NBODY_F32` and its followers.
    pub kind: i32,
    /// The memory of the numbers: a [`Memory`].
    pub memory: i32,
    /// Bytes from record to record; 0 for records without gaps.
    pub record_stride: isize,
    /// Bytes from component to component; 0 for components without gaps.
    pub component_stride: isize,
}

/// Checks columns of `n` records of these fields.
///
/// # Safety
///
/// The array is NULL or has this number of columns; each has a name that is NULL or ends with a zero,
/// and data as [`nbody_bindings::places`] asks for.
pub(crate) unsafe fn places<'a>(
    columns: *const Column,
    count: usize,
    fields: &'static [Field],
    n: usize,
    direction: Direction,
) -> Result<Columns<'a>, Failure> {
    // SAFETY: as the caller promises.
    let columns = unsafe { pointers::array(columns, count, "columns") }?;
    let each = |(k, column): (usize, &Column)| {
        // SAFETY: as the caller promises.
        let name = unsafe { pointers::text(column.field, &format!("columns[{k}].field")) }?;
        given(*column, name)
    };
    let columns: Vec<_> = columns.iter().enumerate().map(each).collect::<Result<_, _>>()?;
    // SAFETY: as the caller promises.
    unsafe { nbody_bindings::places(&columns, fields, n, direction) }
}

/// Returns a column of the header.
fn given(column: Column, name: &str) -> Result<nbody_bindings::Column<'_>, Failure> {
    let memory = match column.memory {
        0 => Memory::Host,
        1 => Memory::Device,
        found => {
            return Err(Failure::argument(format!(
                "memory {found} of column `{name}`: expected 0 or 1; use the names of nbody.h"
            )));
        }
    };
    let Some(kind) = type_of(column.kind) else {
        let found = column.kind;
        return Err(Failure::argument(format!(
            "type {found} of column `{name}`: expected 1 to 6; use the names of nbody.h"
        )));
    };
    let stride = |bytes: isize| (bytes != 0).then_some(bytes);
    Ok(nbody_bindings::Column {
        field: name,
        data: column.data.cast(),
        kind,
        memory,
        record_stride: stride(column.record_stride),
        component_stride: stride(column.component_stride),
    })
}

/// Returns the type of a number of the header.
fn type_of(found: i32) -> Option<Type> {
    let types = [Type::F32, Type::F64, Type::I32, Type::U32, Type::I64, Type::U64];
    types.get(usize::try_from(found).ok()?.checked_sub(1)?).copied()
}
