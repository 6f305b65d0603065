//! Advice that depends on the mistake: what the language has instead.
//!
//! Advice never changes a value: a name of Rust, C, CUDA or a vector library is not taken for a misspelt
//! one of the language.

pub(crate) mod functions;
pub(crate) mod names;
pub(crate) mod operators;
pub(crate) mod types;
mod written;

pub(crate) use written::{operand, operand_of, written};
