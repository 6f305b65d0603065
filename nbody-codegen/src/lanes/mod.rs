//! Lowers a body to a tree for lanes, which `emit_rust` and `emit_cpp` print.
//!
//! A lane may hold many particles, so that an `if` becomes a mask: both branches are computed, and
//! the mask selects assigned or accumulated values. A `return` removes particles from a mask, and
//! the function ends early once no particle is left.
//!
//! The tree also fixes the operations and their order, so that both languages give the same bits.

mod expr;
mod lowering;
mod scatter;
mod statement;
mod tree;

pub use lowering::{body, body_within};
pub use tree::{End, LaneBody, LaneExpr, LaneStmt, Name};
