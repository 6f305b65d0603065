//! Prints the generated part of a CUDA program: the structs, the constants and functions that the
//! interaction uses, and `pair`, as they were declared; and the interface to the kernels.
//!
//! A declaration has the namespace `nbody::law`, whose names hide the names of the kernels and are
//! hidden from them; only words of C++ and of the emitted text itself are renamed. Kernels use the
//! declaration through the names of the emitted sums. Parts for some programs only (a cutoff,
//! compensated sums, the index of j) are printed for these alone, and only templates of the kernels
//! name them.

mod expr;
mod function;
mod joined;
mod law;
mod program;
mod statement;
mod structure;
mod sums;
pub(crate) mod text;

pub use function::Uses;
pub use joined::{joined, part_of_joined};
pub use law::{comment_of_both, comment_of_cutoff, comment_of_pair, law, pair_symmetric};
pub use program::{comment_of_program, function_name, names, program};
pub use sums::{compensated, sums};
