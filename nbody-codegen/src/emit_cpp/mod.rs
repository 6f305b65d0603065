//! Prints C++ for the lane of a translation unit: the records, the constants and functions that a
//! law uses, its functions, and the names by which loops know them.
//!
//! The bodies are the trees that `emit_rust` prints, call for call, so that both languages give
//! the same bits. The declaration has a namespace of its own, `law`, whose names hide the names of
//! the headers. Variables of the emitted text begin with an underscore, as no declared name does.

mod function;
mod law;
mod printer;
mod program;
mod record;

pub use law::law;
pub use program::program;
