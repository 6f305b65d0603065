//! Ready interactions. Each is a module as a user would write it; copy one to begin your own.
//!
//! | module | interaction | per pair |
//! | --- | --- | --- |
//! | [`gravity`] | softened Newtonian gravity | acceleration, potential |
//! | [`hermite`] | the same for Hermite integrators | acceleration, jerk, potential |
#![forbid(unsafe_code)]

mod gravitation;
mod visit;

pub use gravitation::{gravity, hermite};
pub use visit::{Visitor, visit_all};
