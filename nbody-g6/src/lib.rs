//! libsapporo: the calls of the GRAPE-6 library, served by [nbody] on GPUs and CPUs.
//!
//! Programs link the library in place of Sapporo, without changes. `include/g6lib.h` has the calls,
//! and README.md says how to install the library and how it differs from Sapporo.
//!
//! The functions are in `border`, which alone has pointers; `clusters` finds the state of a call,
//! a `Cluster`. It has the j-particles of the host (`sources`) and of the device (`resident`), and
//! evaluates the law (`law`).

mod border;
mod cluster;
mod clusters;
mod config;
mod error;
mod law;
mod neighbours;
mod resident;
mod sources;

pub use border::*;
use error::Error;
