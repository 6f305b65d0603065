//! The checked module that both emitters print: its names are ids, and its expressions have types.
//!
//! To add a reduction: name it in [`Reduction`]; its initial value, fold and merge are in
//! `emit_cuda/sums.rs`, the same in Rust in `emit_rust/record.rs`, and its comparison in
//! `FieldKind` of nbody-core. `tests/modules/extremes.rs` is an example of the emitted text, and
//! `reductions.rs` of the tests of pairs checks it against a plain search.

mod builtin;
mod constant;
mod counted;
mod expr;
mod function;
mod id;
mod interaction;
mod module;
mod program;
mod reads;
mod record;
mod roles;
mod scatter;
mod stmt;
mod summary;
mod types;
mod unread;
mod walk;

pub use builtin::{Builtin, CONSTS, Sign, high_of_product};
pub use constant::{Constant, Value};
pub use expr::{BinaryOp, Expr, ExprKind, Index, Input, UnaryOp, spline_of};
pub use function::{Body, Function, Local};
pub use id::{ConstantId, FieldId, FunctionId, List, LocalId, StructId};
pub use interaction::{Cutoff, Interaction, Pair};
pub use module::Module;
pub use program::{Program, ProgramKind};
pub use record::{Field, Struct};
pub use roles::{Named, Roles};
pub use scatter::Scatter;
pub use stmt::{Accumulate, Place, Side, Stmt, StmtKind};
pub use summary::{LONGEST_UNROLLED, Operations};
pub use types::{Extremum, Reduction, TENSOR, Type, part_name};
pub use walk::statements;
