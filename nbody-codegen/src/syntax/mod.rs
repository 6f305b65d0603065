//! The module as it was written: its items are sorted, its bodies are still Rust syntax.

mod arguments;
mod implementation;
mod interaction;
mod items;
mod module;
mod parts;
mod program;
mod tuple;

pub use arguments::Arguments;
pub use items::{
    Constant, Cutoff, Field, Function, Interaction, Module, Program, Roles, Struct, Trait, Tuple,
};
pub use module::function;
pub use parts::{plain_name, statement_attributes, type_name, without_groups};
pub use tuple::MOST as MOST_MEMBERS;
