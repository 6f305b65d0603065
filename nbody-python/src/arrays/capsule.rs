//! Arrays by DLPack: by the functions of their type, or by a capsule.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::slice;

use nbody::untyped::NumberType;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::dlpack::{self, Exchange, Managed, Tensor, Versioned};
use super::{Described, Owner, Place, View, other_type, refused};

/// The default stream of CUDA that waits for the others.
const LEGACY: u64 = 1;

/// A tensor that another library shares, until it is dropped.
pub struct Shared {
    tensor: Sharing,
    stream: u64,
}

enum Sharing {
    Old(*mut Managed),
    Versioned(*mut Versioned),
}

impl Shared {
    /// Shares an array by the functions of its type; `None` if the type has none.
    pub fn by_functions(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Self>> {
        let py = object.py();
        let Ok(capsule) = object.get_type().getattr(c"__dlpack_c_exchange_api__") else {
            return Ok(None);
        };
        // SAFETY: the interpreter is held; the call checks the name of the capsule.
        let functions = unsafe {
            ffi::PyCapsule_GetPointer(capsule.as_ptr(), dlpack::EXCHANGE.as_ptr())
                .cast::<Exchange>()
        };
        if functions.is_null() {
            drop(PyErr::take(py));
            return Ok(None);
        }
        // SAFETY: the functions of a type live as long as the process. Other versions may differ after
        // the header.
        let (version, functions) = unsafe { ((*functions).version, functions) };
        if version.major != dlpack::MAJOR {
            return Ok(None);
        }
        // SAFETY: of this version, the struct is as declared.
        let functions = unsafe { &*functions };
        let (Some(from), Some(current)) = (functions.from_object, functions.current_stream) else {
            return Ok(None);
        };
        let mut tensor = ptr::null_mut();
        // SAFETY: the object is live and of this type.
        if unsafe { from(object.as_ptr().cast(), &raw mut tensor) } != 0 || tensor.is_null() {
            return Err(refused(py, name, PyErr::fetch(py)));
        }
        let mut shared = Self { tensor: Sharing::Versioned(tensor), stream: 0 };
        let device = shared.tensor().device;
        if device.kind == dlpack::CUDA {
            let mut stream = ptr::null_mut();
            // SAFETY: the place of the stream is good.
            if unsafe { current(device.kind, device.id, &raw mut stream) } != 0 {
                return Err(refused(py, name, PyErr::fetch(py)));
            }
            shared.stream = stream.addr() as u64;
        }
        Ok(Some(shared))
    }

    /// Shares an array by its method `__dlpack__`; `None` if it has none.
    pub fn by_capsule(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Self>> {
        let py = object.py();
        let Ok(method) = object.getattr(c"__dlpack__") else { return Ok(None) };
        let refuse = |cause| refused(py, name, cause);
        let device = object.call_method0(c"__dlpack_device__").map_err(refuse)?;
        let (kind, _): (i32, i32) = device.extract()?;
        let stream = if kind == dlpack::CUDA { LEGACY } else { 0 };
        let arguments = PyDict::new(py);
        if stream != 0 {
            arguments.set_item("stream", stream)?;
        }
        arguments.set_item("max_version", (dlpack::MAJOR, dlpack::MINOR))?;
        let capsule = method.call((), Some(&arguments)).or_else(|error| {
            if !error.is_instance_of::<PyTypeError>(py) {
                return Err(error);
            }
            // Older libraries do not know the argument.
            arguments.del_item("max_version")?;
            method.call((), Some(&arguments))
        });
        let tensor = consumed(&capsule.map_err(refuse)?)?;
        Ok(Some(Self { tensor, stream }))
    }

    fn tensor(&self) -> &Tensor {
        // SAFETY: the tensor is live until `self` is dropped.
        unsafe {
            match self.tensor {
                Sharing::Old(managed) => &(*managed).tensor,
                Sharing::Versioned(managed) => &(*managed).tensor,
            }
        }
    }

    fn is_read_only(&self) -> bool {
        match self.tensor {
            // Old capsules say nothing; libraries refuse to share memory by them that must not change.
            Sharing::Old(_) => false,
            // SAFETY: the tensor is live until `self` is dropped.
            Sharing::Versioned(managed) => unsafe { (*managed).flags & dlpack::READ_ONLY != 0 },
        }
    }

    /// Returns the tensor as a view.
    pub fn view(self, name: &str) -> PyResult<View> {
        let tensor = *self.tensor();
        let dlpack::DataType { code, bits, lanes } = tensor.dtype;
        let kind = match (code, bits, lanes) {
            (dlpack::FLOAT, 32, 1) => NumberType::F32,
            (dlpack::FLOAT, 64, 1) => NumberType::F64,
            (dlpack::INT, 32, 1) => NumberType::I32,
            (dlpack::INT, 64, 1) => NumberType::I64,
            (dlpack::UINT, 32, 1) => NumberType::U32,
            (dlpack::UINT, 64, 1) => NumberType::U64,
            _ => return Err(other_type(name, &format!("code {code} of DLPack with {bits} bits"))),
        };
        let place = match tensor.device.kind {
            dlpack::CPU | dlpack::CUDA_HOST => Place::Host,
            dlpack::CUDA | dlpack::CUDA_MANAGED => Place::Cuda(tensor.device.id),
            found => {
                return Err(PyTypeError::new_err(format!(
                    "{name}: found an array on a device of kind {found} of DLPack, expected memory of the CPU \
                     or of a GPU of NVIDIA"
                )));
            }
        };
        let axes = usize::try_from(tensor.ndim).unwrap_or(0);
        let axis = |numbers: *const i64| {
            if axes == 0 {
                return Vec::new();
            }
            // SAFETY: a tensor has a number for each axis.
            unsafe { slice::from_raw_parts(numbers, axes) }.to_vec()
        };
        let shape: Vec<usize> =
            axis(tensor.shape).iter().map(|&n| n.unsigned_abs() as usize).collect();
        let size = kind.size() as isize;
        let strides = if tensor.strides.is_null() {
            without_gaps(&shape, size)
        } else {
            axis(tensor.strides).iter().map(|&n| (n as isize).wrapping_mul(size)).collect()
        };
        let described = Described {
            data: tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize),
            shape,
            strides,
            place,
            is_read_only: self.is_read_only(),
        };
        let stream = self.stream;
        Ok(View::new(described, kind, stream, Owner::Shared { _shared: self }))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Deleters of some libraries use the interpreter.
        Python::attach(|_| {
            // SAFETY: the tensor is live, and its deleter is called once.
            unsafe {
                match self.tensor {
                    Sharing::Old(managed) => {
                        if let Some(delete) = (*managed).deleter {
                            delete(managed);
                        }
                    }
                    Sharing::Versioned(managed) => {
                        if let Some(delete) = (*managed).deleter {
                            delete(managed);
                        }
                    }
                }
            }
        });
    }
}

/// Returns the strides of rows without gaps.
pub fn without_gaps(shape: &[usize], size: isize) -> Vec<isize> {
    let mut strides = vec![size; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(shape[axis].cast_signed());
    }
    strides
}

/// Takes the tensor of a capsule, which gets the name of a used one.
fn consumed(capsule: &Bound<'_, PyAny>) -> PyResult<Sharing> {
    if let Some(tensor) = taken(capsule, [dlpack::NEW_VERSIONED, dlpack::USED_VERSIONED])? {
        let sharing = Sharing::Versioned(tensor.cast());
        // SAFETY: the capsule has a struct of this kind, whose version is first.
        let version = unsafe { (*tensor.cast::<Versioned>()).version };
        if version.major != dlpack::MAJOR {
            drop(Shared { tensor: sharing, stream: 0 });
            return Err(PyBufferError::new_err(format!(
                "an array by version {}.{} of DLPack, expected {}",
                version.major,
                version.minor,
                dlpack::MAJOR
            )));
        }
        return Ok(sharing);
    }
    if let Some(tensor) = taken(capsule, [dlpack::NEW, dlpack::USED])? {
        return Ok(Sharing::Old(tensor.cast()));
    }
    Err(PyBufferError::new_err("`__dlpack__` returned no capsule that was not used yet"))
}

/// Takes the pointer of a capsule of a name, and gives it another; `None` if it has not this name.
fn taken(
    capsule: &Bound<'_, PyAny>,
    [new, used]: [&'static CStr; 2],
) -> PyResult<Option<*mut c_void>> {
    let py = capsule.py();
    // SAFETY: the interpreter is held, the object is live, and the names live for ever.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), new.as_ptr()) == 0 {
            return Ok(None);
        }
        let pointer = ffi::PyCapsule_GetPointer(capsule.as_ptr(), new.as_ptr());
        if pointer.is_null() || ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(Some(pointer))
    }
}
