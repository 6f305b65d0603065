//! The C interface of nbody: `include/nbody.h` describes it, `include/nbody.hpp` wraps it for C++ and
//! `fortran/nbody.f90` for Fortran.
//!
//! Every function has one shape. It runs inside `status::border`, which turns an error into a status
//! and a message, and catches panics. `pointers` and `columns` alone read and write memory of the
//! caller. Objects are in the table of `handles`; the caller has their numbers, and no pointers.
//!
//! Modules import only earlier modules of this list: `status`, `handles`, `pointers`, `options`,
//! `columns`, `device`, `law`, `buffer`, `engine`, `runner`, `tuples`, `integrator`.
#![allow(unsafe_code)]
// The header says what each pointer must be.
#![allow(clippy::missing_safety_doc)]

mod buffer;
mod columns;
mod device;
mod engine;
mod handles;
mod integrator;
mod law;
mod options;
mod pointers;
mod runner;
mod spline;
mod status;
mod tuples;

pub use buffer::*;
pub use columns::Column;
pub use device::*;
pub use engine::*;
pub use handles::{
    BufferHandle, DeviceHandle, EngineHandle, IntegratorHandle, LawHandle, ProgramHandle,
    RunnerHandle, TuplesHandle,
};
pub use integrator::*;
pub use law::*;
pub use nbody_bindings::Memory;
pub use options::Options;
pub use runner::*;
pub use spline::*;
pub use status::*;
pub use tuples::*;
