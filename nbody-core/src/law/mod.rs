//! Declared interactions: their records, their pair functions, and the space that they act in.

pub mod binding;
pub mod charges;
pub mod field_value;
pub mod interaction;
pub mod pack;
pub mod particle;
pub mod reach;
pub mod record;
pub mod space;
pub mod table;
