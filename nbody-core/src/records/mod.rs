//! Particles, parameters and results: rows of numbers, described by their fields.

pub mod binding;
pub mod field_value;
pub mod pack;
pub mod record;
