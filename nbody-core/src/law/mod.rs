//! Declared interactions and programs per particle, as traits and as values.

pub mod charges;
mod check;
pub mod checked_pair;
pub mod interaction;
mod interned;
pub mod loops;
pub mod pair;
pub mod particle_loop;
pub mod program;
pub mod program_table;
pub mod reach;
mod records;
pub mod table;
pub mod tuple_loop;
