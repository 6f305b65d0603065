//! The Python interface of nbody: the module `nbody._native`, which the package `nbody` wraps.
//!
//! Memory of the caller is read and written by `arrays` alone. The interpreter is released before any
//! engine is locked, and attached again after it is unlocked, so that threads never wait for one another
//! in a circle.
//!
//! Modules import only earlier modules of this list: `arrays`, `failure`, `columns`, `device`, `options`,
//! `law`, `given`, `engine`, `neighbours`, `run`, `programs`, `check`, `models`.
#![allow(unsafe_code)]
// Lengths have a sign in Python, and no array has more than half of the address space.
#![allow(clippy::cast_possible_wrap)]
// DLPack is a name, and no item.
#![allow(clippy::doc_markdown)]
// Functions of Python own their arguments.
#![allow(clippy::needless_pass_by_value)]

mod arrays;
mod check;
mod columns;
mod device;
mod engine;
mod failure;
mod given;
mod law;
mod models;
mod named;
mod neighbours;
mod options;
mod programs;
mod results;
mod run;

use pyo3::prelude::*;

/// The compiled part of nbody.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    failure::add_to(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<arrays::Array>()?;
    module.add_class::<device::Device>()?;
    module.add_class::<law::Law>()?;
    module.add_class::<law::Program>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<neighbours::Neighbours>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<programs::Runner>()?;
    module.add_class::<programs::Tuples>()?;
    module.add_function(wrap_pyfunction!(arrays::address_of, module)?)?;
    module.add_function(wrap_pyfunction!(device::search_nvrtc_in, module)?)?;
    module.add_function(wrap_pyfunction!(law::declare, module)?)?;
    module.add_function(wrap_pyfunction!(law::adjoint, module)?)?;
    module.add_function(wrap_pyfunction!(law::ready_names, module)?)?;
    module.add_function(wrap_pyfunction!(law::source, module)?)?;
    module.add_function(wrap_pyfunction!(law::compiled_law, module)?)?;
    module.add_function(wrap_pyfunction!(law::compiled_program, module)?)?;
    module.add_function(wrap_pyfunction!(law::emit, module)?)?;
    module.add_function(wrap_pyfunction!(check::reference_of, module)?)?;
    module.add_function(wrap_pyfunction!(check::compare, module)?)?;
    module.add_function(wrap_pyfunction!(models::model, module)?)
}
