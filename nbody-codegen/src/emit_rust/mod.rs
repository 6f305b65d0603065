//! Prints a body as Rust that is generic over the lane: the CPU kernel and the reference.
//!
//! A lane may hold many particles, so that an `if` becomes a mask: both branches are computed, and
//! the mask selects assigned or accumulated values. A `return` removes particles from the mask
//! `__on`, and the function ends early once no particle is left.

mod expr;
mod printer;
mod record;
mod scatter;
mod statement;
mod types;

pub use printer::Printer;
pub use record::structure;
pub use types::{ident, type_tokens};
