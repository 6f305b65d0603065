//! Arrays by DLPack: by the functions of their type, or by a capsule.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::slice;

use nbody::untyped::NumberType;
use pyo3::exceptions::{PyBufferError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::dlpack::{self, Exchange, Managed, Tensor, Versioned};
use super::owned::data_type;
use super::{Described, Owner, Place, View, other_type, refused};

/// The default stream of CUDA that waits for the others.
const LEGACY: u64 = 1;

/// A tensor that another library shares, until it is dropped.
pub struct Shared {
    tensor: Sharing,
    stream: Option<u64>,
    /// The functions of the type of the array, if it has some.
    functions: Option<&'static Exchange>,
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
        // SAFETY: of this version, the struct is as declared, and it lives as long as the process.
        let functions: &'static Exchange = unsafe { &*functions };
        let (Some(from), Some(current)) = (functions.from_object, functions.current_stream) else {
            return Ok(None);
        };
        let mut tensor = ptr::null_mut();
        // SAFETY: the object is live and of this type.
        if unsafe { from(object.as_ptr().cast(), &raw mut tensor) } != 0 || tensor.is_null() {
            return Err(refused(py, name, PyErr::fetch(py)));
        }
        let tensor = Sharing::Versioned(tensor);
        let mut shared = Self { tensor, stream: None, functions: Some(functions) };
        let device = shared.tensor().device;
        if device.kind == dlpack::CUDA {
            let mut stream = ptr::null_mut();
            // SAFETY: the place of the stream is good.
            if unsafe { current(device.kind, device.id, &raw mut stream) } != 0 {
                return Err(refused(py, name, PyErr::fetch(py)));
            }
            shared.stream = Some(stream.addr() as u64);
        }
        Ok(Some(shared))
    }

    /// Refuses an array whose numbers are the negatives of its memory: torch changes signs later.
    pub fn refuse_negative(object: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let Some(is_negative) = object.getattr_opt(c"is_neg")? else { return Ok(()) };
        if !is_negative.call0()?.is_truthy()? {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "`{name}` has the negatives of the numbers in its memory; give {name}.resolve_neg()"
        )))
    }

    /// Shares an array by its method `__dlpack__`; `None` if it has none.
    pub fn by_capsule(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Self>> {
        let py = object.py();
        let Ok(method) = object.getattr(c"__dlpack__") else { return Ok(None) };
        let refuse = |cause| refused(py, name, cause);
        let device = object.call_method0(c"__dlpack_device__").map_err(refuse)?;
        let (kind, _): (i32, i32) = device.extract()?;
        let arguments = PyDict::new(py);
        if kind == dlpack::CUDA {
            arguments.set_item("stream", LEGACY)?;
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
        // The method takes a stream of ours, and does not tell the stream of the library, which may write
        // the memory again as soon as the call returns.
        Ok(Some(Self { tensor, stream: None, functions: None }))
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
        let place = place_of(tensor.device).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "{name}: found an array on a device of kind {} of DLPack, expected memory of the CPU or of a \
                 GPU of NVIDIA",
                tensor.device.kind
            ))
        })?;
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
        let maker =
            self.functions.map(|functions| Maker { functions, device: tensor.device, stream });
        let view = View::new(described, kind, stream, Owner::Shared { _shared: self });
        Ok(View { maker, ..view })
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

/// Makes arrays of a library on the device of an array.
#[derive(Clone, Copy)]
pub struct Maker {
    functions: &'static Exchange,
    device: dlpack::Device,
    stream: Option<u64>,
}

impl Maker {
    /// Allocates an array without gaps; returns it and its view. `None` if the library has no function
    /// for it.
    pub fn empty<'py>(
        self,
        py: Python<'py>,
        shape: &[usize],
        kind: NumberType,
    ) -> PyResult<Option<(Bound<'py, PyAny>, View)>> {
        let (Some(allocate), Some(to_object)) = (self.functions.allocate, self.functions.to_object)
        else {
            return Ok(None);
        };
        let lengths: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
        let asked = Tensor {
            data: ptr::null_mut(),
            device: self.device,
            ndim: lengths.len() as i32,
            dtype: data_type(kind),
            shape: lengths.as_ptr(),
            strides: ptr::null(),
            byte_offset: 0,
        };
        let (mut tensor, mut message) = (ptr::null_mut(), String::new());
        let context = (&raw mut message).cast();
        // SAFETY: the tensor describes an array, and the places are good.
        let status = unsafe { allocate(&raw const asked, &raw mut tensor, context, set_error) };
        if status != 0 || tensor.is_null() {
            drop(PyErr::take(py));
            return Err(PyMemoryError::new_err(format!("no memory for results: {message}")));
        }
        // SAFETY: the library returned a tensor.
        let made = unsafe { (*tensor).tensor };
        let mut object = ptr::null_mut();
        // SAFETY: the library takes its tensor back, as an array.
        if unsafe { to_object(tensor, &raw mut object) } != 0 || object.is_null() {
            return Err(PyErr::fetch(py));
        }
        // SAFETY: the library returned a reference to an array.
        let object = unsafe { Bound::from_owned_ptr(py, object.cast()) };
        let described = Described {
            data: made.data.cast::<u8>().wrapping_add(made.byte_offset as usize),
            shape: shape.to_vec(),
            strides: without_gaps(shape, kind.size() as isize),
            place: place_of(made.device).unwrap_or(Place::Host),
            is_read_only: false,
        };
        let owner = Owner::Object { _object: object.clone().unbind() };
        Ok(Some((object, View::new(described, kind, self.stream, owner))))
    }
}

/// Keeps the message of a failed allocation.
unsafe extern "C" fn set_error(context: *mut c_void, _kind: *const c_char, message: *const c_char) {
    if !context.is_null() && !message.is_null() {
        // SAFETY: the context is the string of the caller above, and the message ends with a zero.
        unsafe {
            let kept = &mut *context.cast::<String>();
            *kept = CStr::from_ptr(message).to_string_lossy().into_owned();
        }
    }
}

/// Returns the memory of a device; `None` for others than the CPU and GPUs of NVIDIA.
fn place_of(device: dlpack::Device) -> Option<Place> {
    match device.kind {
        dlpack::CPU | dlpack::CUDA_HOST => Some(Place::Host),
        dlpack::CUDA | dlpack::CUDA_MANAGED => Some(Place::Cuda(device.id)),
        _ => None,
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
            drop(Shared { tensor: sharing, stream: None, functions: None });
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
