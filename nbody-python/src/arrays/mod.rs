//! Arrays of the caller: views of their memory, by the buffer protocol or DLPack, without copies.

mod buffer;
mod capsule;
mod dlpack;
mod owned;

use nbody::untyped::NumberType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

pub use capsule::Maker;
pub use owned::Array;

use buffer::Buffer;
use capsule::Shared;

/// The memory of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Host,
    /// The GPU of this ordinal.
    Cuda(i32),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host => f.write_str("the CPU"),
            Self::Cuda(id) => write!(f, "cuda:{id}"),
        }
    }
}

/// Numbers in memory of the caller.
pub struct View {
    /// The first number.
    pub data: *mut u8,
    pub kind: NumberType,
    pub shape: Vec<usize>,
    /// Bytes from number to number along each axis.
    pub strides: Vec<isize>,
    pub place: Place,
    pub is_read_only: bool,
    /// The stream that the library works in, of an array of a GPU; `None` if it is unknown.
    pub stream: Option<u64>,
    /// Makes arrays of the same library, if it has functions for it.
    pub maker: Option<Maker>,
    /// Keeps the memory.
    _owner: Owner,
}

/// The owner of memory.
enum Owner {
    Buffer { _buffer: Buffer },
    Shared { _shared: Shared },
    Scalar { _number: Box<u64> },
    Object { _object: Py<PyAny> },
}

/// The type and layout of numbers, as an array describes them.
struct Described {
    data: *mut u8,
    shape: Vec<usize>,
    strides: Vec<isize>,
    place: Place,
    is_read_only: bool,
}

impl View {
    /// Views an array, or one number for every record, an integer if `is_integer`; `name` names it in
    /// messages.
    pub fn of(object: &Bound<'_, PyAny>, name: &str, is_integer: bool) -> PyResult<Self> {
        if let Some(buffer) = Buffer::of(object)? {
            return buffer.view(name);
        }
        Shared::refuse_negative(object, name)?;
        if let Some(shared) = Shared::by_functions(object, name)? {
            return shared.view(name);
        }
        if let Some(shared) = Shared::by_capsule(object, name)? {
            return shared.view(name);
        }
        if is_integer && let Ok(number) = object.extract::<i64>() {
            return Ok(Self::scalar(number.cast_unsigned(), NumberType::I64));
        }
        if let Ok(number) = object.extract::<f64>().map(f64::to_bits) {
            return Ok(Self::scalar(number, NumberType::F64));
        }
        Err(PyTypeError::new_err(format!(
            "{name}: found {}, expected an array: of numpy, torch, cupy, jax or any other library with the \
             buffer protocol or DLPack; numpy.asarray converts",
            type_name(object)
        )))
    }

    /// Returns the number 0, for every number of every record.
    pub fn zero(is_integer: bool) -> Self {
        let kind = if is_integer { NumberType::I64 } else { NumberType::F64 };
        Self { strides: vec![0, 0], ..Self::scalar(0, kind) }
    }

    /// Views one number with these bits, which stands for every record.
    fn scalar(bits: u64, kind: NumberType) -> Self {
        let number = Box::new(bits);
        let data = std::ptr::from_ref(&*number).cast_mut().cast();
        let owner = Owner::Scalar { _number: number };
        let (shape, strides) = Default::default();
        Self {
            data,
            kind,
            shape,
            strides,
            place: Place::Host,
            is_read_only: true,
            stream: None,
            maker: None,
            _owner: owner,
        }
    }

    fn new(of: Described, kind: NumberType, stream: Option<u64>, owner: Owner) -> Self {
        let Described { data, shape, strides, place, is_read_only } = of;
        Self { data, kind, shape, strides, place, is_read_only, stream, maker: None, _owner: owner }
    }

    /// Returns whether it is one number for every record.
    pub fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }

    /// Returns the bits of the first number, which is in memory of the host, at the beginning of a word.
    pub fn word(&self) -> u64 {
        assert!(self.place == Place::Host && !self.shape.contains(&0), "a number of the host");
        let mut bytes = [0; 8];
        let size = self.kind.size();
        // SAFETY: the first number is there, as asserted, and its owner keeps the memory.
        bytes[..size].copy_from_slice(unsafe { std::slice::from_raw_parts(self.data, size) });
        u64::from_ne_bytes(bytes)
    }
}

/// Returns the address of the first number of an array, which evaluations read and write.
#[pyfunction]
pub fn address_of(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(View::of(array, "array", false)?.data.addr())
}

/// Returns the error of numbers of another type.
fn other_type(name: &str, found: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{name}: found numbers of type {found}, expected float32 or float64, or for an integer field int32, \
         uint32, int64 or uint64; convert the array"
    ))
}

/// Returns the error of an array that its library does not give out.
fn refused(py: Python<'_>, name: &str, cause: PyErr) -> PyErr {
    let error = PyValueError::new_err(format!(
        "{name}: its library does not give out the array, which may have been deleted: {cause}"
    ));
    error.set_cause(py, Some(cause));
    error
}

/// Returns the name of the type of an object.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}
