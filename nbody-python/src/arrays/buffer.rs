//! Arrays by the buffer protocol.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;

use nbody::untyped::NumberType;
use pyo3::ffi;
use pyo3::prelude::*;

use super::{Described, Owner, Place, View, other_type};

/// The struct `Py_buffer`: it has had this layout since Python 3.0, and is part of the stable interface
/// since 3.11.
#[repr(C)]
struct PyBuffer {
    buf: *mut c_void,
    obj: *mut ffi::PyObject,
    len: isize,
    itemsize: isize,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut c_void,
}

/// With strides and the type of numbers, read only or not.
const PY_BUF_RECORDS_RO: c_int = 0x18 | 0x4;

// Every Python since 3.0 has these functions.
unsafe extern "C" {
    fn PyObject_CheckBuffer(object: *mut ffi::PyObject) -> c_int;
    fn PyObject_GetBuffer(object: *mut ffi::PyObject, view: *mut PyBuffer, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut PyBuffer);
}

/// A buffer of an object, which keeps its memory until it is dropped.
pub struct Buffer(Box<PyBuffer>);

impl Buffer {
    /// Returns the buffer of an object; `None` if it has none.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let empty = PyBuffer {
            buf: ptr::null_mut(),
            obj: ptr::null_mut(),
            len: 0,
            itemsize: 0,
            readonly: 0,
            ndim: 0,
            format: ptr::null_mut(),
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            suboffsets: ptr::null_mut(),
            internal: ptr::null_mut(),
        };
        let mut view = Box::new(empty);
        // SAFETY: the object is live, the interpreter is held, and the struct has the layout of Python's.
        let status = unsafe {
            if PyObject_CheckBuffer(object.as_ptr()) == 0 {
                return Ok(None);
            }
            PyObject_GetBuffer(object.as_ptr(), &raw mut *view, PY_BUF_RECORDS_RO)
        };
        if status == 0 {
            return Ok(Some(Self(view)));
        }
        let error = PyErr::fetch(object.py());
        // Arrays of a GPU have the protocol, too, and refuse.
        if object.hasattr(c"__dlpack__")? { Ok(None) } else { Err(error) }
    }

    /// Returns the buffer as a view.
    pub fn view(self, name: &str) -> PyResult<View> {
        let raw = &self.0;
        let axes = usize::try_from(raw.ndim).unwrap_or(0);
        let axis = |numbers: *mut isize| {
            if axes == 0 || numbers.is_null() {
                return Vec::new();
            }
            // SAFETY: a buffer with these flags has a number for each axis.
            unsafe { slice::from_raw_parts(numbers, axes) }.to_vec()
        };
        let (shape, strides) = (axis(raw.shape), axis(raw.strides));
        let format = if raw.format.is_null() {
            "B"
        } else {
            // SAFETY: a buffer with these flags has the type of its numbers, which ends with a zero.
            unsafe { CStr::from_ptr(raw.format) }.to_str().unwrap_or("?")
        };
        let Some(kind) = type_of(format, raw.itemsize) else {
            return Err(other_type(name, &format!("{format:?}")));
        };
        let described = Described {
            data: raw.buf.cast(),
            shape: shape.iter().map(|n| n.unsigned_abs()).collect(),
            strides,
            place: Place::Host,
            is_read_only: raw.readonly != 0,
        };
        Ok(View::new(described, kind, None, Owner::Buffer { _buffer: self }))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        Python::attach(|_| {
            // SAFETY: the buffer was taken by `PyObject_GetBuffer` and is released once, with the
            // interpreter held.
            unsafe { PyBuffer_Release(&raw mut *self.0) }
        });
    }
}

/// Returns the type of numbers of this format (the module `struct` of Python).
fn type_of(format: &str, size: isize) -> Option<NumberType> {
    let own = if cfg!(target_endian = "little") { '<' } else { '>' };
    let code = format.strip_prefix(['@', '=', own]).unwrap_or(format);
    match (code, size) {
        ("f", 4) => Some(NumberType::F32),
        ("d", 8) => Some(NumberType::F64),
        ("i" | "l", 4) => Some(NumberType::I32),
        ("I" | "L", 4) => Some(NumberType::U32),
        ("l" | "q", 8) => Some(NumberType::I64),
        ("L" | "Q", 8) => Some(NumberType::U64),
        _ => None,
    }
}
