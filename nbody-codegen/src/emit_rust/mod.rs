//! Prints Rust that is generic over the lane: the CPU kernel and the reference.

mod printer;
mod record;
mod types;

pub use printer::Printer;
pub use record::structure;
pub use types::{ident, joined, type_tokens};
