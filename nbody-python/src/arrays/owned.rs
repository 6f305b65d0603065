//! Arrays of results, which other libraries take without a copy.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use nbody::untyped::{LentMemory, NumberType};
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::capsule::without_gaps;
use crate::failure::OrRaise;

use super::dlpack::{self, Managed, Tensor, Version, Versioned};

/// An array of results. Libraries of arrays take it without a copy: by
/// `numpy.asarray`, `torch.from_dlpack`, `jax.dlpack.from_dlpack` and their like.
#[pyclass(frozen, module = "nbody")]
pub struct Array(Arc<Numbers>);

/// Numbers, and the description that libraries read.
struct Numbers {
    memory: Memory,
    kind: NumberType,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
}

/// The memory of numbers.
enum Memory {
    Host(Box<[u64]>),
    /// With the GPU and its ordinal.
    Cuda(Box<dyn LentMemory>, nbody::Device, i32),
}

impl Memory {
    fn address(&self) -> usize {
        match self {
            Self::Host(words) => words.as_ptr().addr(),
            Self::Cuda(memory, ..) => memory.address() as usize,
        }
    }

    fn device(&self) -> dlpack::Device {
        match self {
            Self::Host(_) => dlpack::Device { kind: dlpack::CPU, id: 0 },
            Self::Cuda(.., id) => dlpack::Device { kind: dlpack::CUDA, id: *id },
        }
    }
}

impl Numbers {
    fn tensor(&self) -> Tensor {
        Tensor {
            data: ptr::with_exposed_provenance_mut(self.memory.address()),
            device: self.memory.device(),
            ndim: self.shape.len() as i32,
            dtype: data_type(self.kind),
            shape: self.shape.as_ptr(),
            strides: self.strides.as_ptr(),
            byte_offset: 0,
        }
    }
}

/// Returns a type as DLPack describes it.
pub fn data_type(kind: NumberType) -> dlpack::DataType {
    let code = match kind {
        NumberType::F32 | NumberType::F64 => dlpack::FLOAT,
        NumberType::I32 | NumberType::I64 => dlpack::INT,
        NumberType::U32 | NumberType::U64 => dlpack::UINT,
    };
    dlpack::DataType { code, bits: 8 * kind.size() as u8, lanes: 1 }
}

impl Array {
    /// Returns an array in memory of the host, of zeros, or of a GPU, uninitialised.
    pub fn new(
        shape: &[usize],
        kind: NumberType,
        on: Option<(&nbody::Device, i32)>,
    ) -> PyResult<Self> {
        let count = shape.iter().try_fold(1_usize, |count, n| count.checked_mul(*n));
        let words =
            count.and_then(|count| count.checked_mul(kind.size())).map(|bytes| bytes.div_ceil(8));
        let Some(words) = words else {
            return Err(PyMemoryError::new_err(format!(
                "an array of shape {shape:?} is too large"
            )));
        };
        let memory = match on {
            None => {
                let words = vec![0_u64; words].into_boxed_slice();
                words.as_ptr().expose_provenance();
                Memory::Host(words)
            }
            Some((device, id)) => {
                let memory = device.untyped().lend(words * 8).or_raise()?;
                Memory::Cuda(memory, device.clone(), id)
            }
        };
        let size = kind.size() as isize;
        let strides = without_gaps(shape, size).iter().map(|bytes| (bytes / size) as i64).collect();
        let shape = shape.iter().map(|&n| n as i64).collect();
        Ok(Self(Arc::new(Numbers { memory, kind, shape, strides })))
    }
}

#[pymethods]
impl Array {
    /// The lengths of its axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.shape)
    }

    /// The device of the memory, as DLPack numbers it.
    fn __dlpack_device__(&self) -> (i32, i32) {
        let dlpack::Device { kind, id } = self.0.memory.device();
        (kind, id)
    }

    /// Shares the memory by a capsule of DLPack.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.pass_to(stream)?;
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) || copy == Some(true)
        {
            return Err(PyBufferError::new_err(
                "memory is shared as it is; copy it in your library",
            ));
        }
        if max_version.is_some_and(|(major, _)| major >= dlpack::MAJOR) {
            versioned(py, self.0.clone())
        } else {
            old(py, self.0.clone())
        }
    }

    /// The description that numpy reads, of memory of the CPU.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Memory::Cuda(.., id) = &self.0.memory {
            return Err(PyAttributeError::new_err(format!("the numbers are on cuda:{id}")));
        }
        let of = PyDict::new(py);
        let code = match self.0.kind {
            NumberType::F32 | NumberType::F64 => 'f',
            NumberType::I32 | NumberType::I64 => 'i',
            NumberType::U32 | NumberType::U64 => 'u',
        };
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        of.set_item("version", 3)?;
        of.set_item("shape", self.shape(py)?)?;
        of.set_item("typestr", format!("{order}{code}{}", self.0.kind.size()))?;
        of.set_item("data", (self.0.memory.address(), false))?;
        Ok(of)
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.0.shape.first().map(|n| n.unsigned_abs() as usize);
        first.ok_or_else(|| PyTypeError::new_err("one number has no length"))
    }

    fn __repr__(&self) -> String {
        format!(
            "<nbody.Array of {} numbers of type {}>",
            self.0.shape.iter().product::<i64>(),
            self.0.kind.name()
        )
    }
}

impl Array {
    /// Makes a stream of the caller wait for the numbers: -1 for no stream, none for CUDA's default.
    fn pass_to(&self, stream: Option<i64>) -> PyResult<()> {
        match (&self.0.memory, stream) {
            (Memory::Host(_), None) | (Memory::Cuda(..), Some(-1)) => Ok(()),
            (Memory::Host(_), Some(_)) => {
                Err(PyBufferError::new_err("memory of the CPU has no stream; give stream=None"))
            }
            (Memory::Cuda(_, device, _), stream) => {
                let stream = stream.unwrap_or(1).cast_unsigned();
                // SAFETY: the protocol asks for a stream of the device.
                unsafe { device.untyped().lead(stream) }.or_raise()
            }
        }
    }
}

/// Returns a capsule of the present kind.
fn versioned(py: Python<'_>, numbers: Arc<Numbers>) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn delete(managed: *mut Versioned) {
        // SAFETY: both were made below, and are deleted once.
        unsafe { drop(Arc::from_raw(Box::from_raw(managed).context.cast::<Numbers>())) }
    }
    let tensor = numbers.tensor();
    let managed = Versioned {
        version: Version { major: dlpack::MAJOR, minor: dlpack::MINOR },
        context: Arc::into_raw(numbers).cast_mut().cast(),
        deleter: Some(delete),
        flags: 0,
        tensor,
    };
    capsule(
        py,
        Box::into_raw(Box::new(managed)).cast(),
        dlpack::NEW_VERSIONED.as_ptr(),
        drop_versioned,
    )
}

/// Returns a capsule of the old kind.
fn old(py: Python<'_>, numbers: Arc<Numbers>) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn delete(managed: *mut Managed) {
        // SAFETY: both were made below, and are deleted once.
        unsafe { drop(Arc::from_raw(Box::from_raw(managed).context.cast::<Numbers>())) }
    }
    let tensor = numbers.tensor();
    let context = Arc::into_raw(numbers).cast_mut().cast();
    let managed = Managed { tensor, context, deleter: Some(delete) };
    capsule(py, Box::into_raw(Box::new(managed)).cast(), dlpack::NEW.as_ptr(), drop_old)
}

fn capsule(
    py: Python<'_>,
    managed: *mut c_void,
    name: *const std::ffi::c_char,
    destructor: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the pointer is not NULL, and the name lives for ever.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(managed, name, Some(destructor))) }
}

/// Deletes the tensor of a capsule that nobody used.
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with a capsule of this file; a used one has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, dlpack::NEW_VERSIONED.as_ptr()) != 0 {
            let managed = ffi::PyCapsule_GetPointer(capsule, dlpack::NEW_VERSIONED.as_ptr());
            let managed = managed.cast::<Versioned>();
            if let Some(delete) = (*managed).deleter {
                delete(managed);
            }
        }
    }
}

/// Deletes the tensor of a capsule that nobody used.
unsafe extern "C" fn drop_old(capsule: *mut ffi::PyObject) {
    // SAFETY: as above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, dlpack::NEW.as_ptr()) != 0 {
            let managed =
                ffi::PyCapsule_GetPointer(capsule, dlpack::NEW.as_ptr()).cast::<Managed>();
            if let Some(delete) = (*managed).deleter {
                delete(managed);
            }
        }
    }
}
