//! Checks of an engine: the reference, running error bounds, and the comparison of results.

pub mod compare;
pub mod error_bounds;
mod inputs;
pub mod range;
pub mod reference;
pub mod sample;
mod terms;
pub mod typed;
