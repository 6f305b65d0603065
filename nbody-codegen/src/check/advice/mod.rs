//! Advice that depends on the mistake: the language's own way to write it.
//!
//! Advice never changes a value: a name of Rust, C, CUDA or a vector library is not treated as a
//! misspelt name of the language.

pub(crate) mod functions;
pub(crate) mod names;
pub(crate) mod operators;
pub(crate) mod types;
mod written;

pub(crate) use written::{operand, operand_of, written};
