//! Particles, parameters and results: rows of numbers, described by their fields.

pub mod binding;
pub mod field_value;
pub mod joined;
pub mod numbers;
pub mod pack;
pub mod parameters;
pub mod record;
pub mod rows;
pub mod values;
