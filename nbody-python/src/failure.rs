//! Failures as exceptions.

use nbody_bindings::{Failure, Kind};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyArithmeticError, PyException, PyKeyboardInterrupt, PyMemoryError, PyRuntimeError,
    PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    nbody,
    DeviceError,
    PyRuntimeError,
    "A device, its driver or another rank failed."
);
create_exception!(
    nbody,
    UnsupportedError,
    PyRuntimeError,
    "The law, the device or this version of nbody cannot do it."
);
create_exception!(
    nbody,
    CompilerError,
    PyRuntimeError,
    "A compiler is missing or failed, or the cache of compiled programs cannot be used."
);
create_exception!(nbody, NumbersError, PyArithmeticError, "Numbers are NaN or infinite.");
create_exception!(nbody, FaultError, PyException, "A fault of nbody; please report it.");
create_exception!(nbody, TextFaults, PyValueError, "The faults of a declaration, as `faults`.");

/// Returns the exception of a failure.
pub fn raised(failure: Failure) -> PyErr {
    let Failure { kind, message, .. } = failure;
    match kind {
        Kind::Argument | Kind::Declaration => PyValueError::new_err(message),
        Kind::Device => DeviceError::new_err(message),
        Kind::Memory => PyMemoryError::new_err(message),
        Kind::Unsupported => UnsupportedError::new_err(message),
        Kind::Compiler => CompilerError::new_err(message),
        Kind::Numbers => NumbersError::new_err(message),
        Kind::Interrupted => PyKeyboardInterrupt::new_err(message),
        Kind::Fault => FaultError::new_err(message),
    }
}

/// Results whose failures are exceptions.
pub trait OrRaise<T> {
    /// Returns the value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Into<Failure>> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| raised(error.into()))
    }
}

/// Adds the exceptions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("DeviceError", py.get_type::<DeviceError>())?;
    module.add("UnsupportedError", py.get_type::<UnsupportedError>())?;
    module.add("CompilerError", py.get_type::<CompilerError>())?;
    module.add("NumbersError", py.get_type::<NumbersError>())?;
    module.add("FaultError", py.get_type::<FaultError>())?;
    module.add("TextFaults", py.get_type::<TextFaults>())
}
