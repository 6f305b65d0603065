//! Loops on the CPU, compiled from C++ when an engine asks for them.
//!
//! The text of a law is printed by nbody-codegen on the walk that prints its Rust, and the headers
//! compute as nbody-core does, so that results have the bits of the compiled loops.

mod border;
mod checks;
mod lane;
mod library;
mod pairs;
mod particles;
mod program;
mod tuples;

pub(crate) use pairs::LawCode;
pub(crate) use particles::ProgramCode;
